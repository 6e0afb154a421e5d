//! Other outputs of `predict`: WET, CleanEval's form, TEI.

use std::collections::VecDeque;

/// A page of an output: its address or id, and its text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    pub key: String,
    pub text: String,
}

/// The pages of an output in one of these forms, and what is wrong with it; `None` for other files.
pub(super) fn read(bytes: &[u8]) -> Option<(Vec<Page>, Vec<String>)> {
    if bytes.starts_with(b"WARC/") {
        return Some(wet(bytes));
    }
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    if text.starts_with("URL: ") {
        return Some((cleaneval(text), Vec::new()));
    }
    let is_tei = text.find("<TEI").is_some_and(|at| !text[..at].contains("<html")) && text.starts_with('<');
    is_tei.then(|| tei(text))
}

/// Where a text begins in another.
fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    bytes.windows(text.len()).position(|window| window == text)
}

/// The `conversion` records of a WET file.
fn wet(mut bytes: &[u8]) -> (Vec<Page>, Vec<String>) {
    let (mut pages, mut remarks) = (Vec::new(), Vec::new());
    let mut num_without = 0;
    while let Some(at) = find(bytes, b"WARC/") {
        bytes = &bytes[at..];
        let Some(end) = find(bytes, b"\r\n\r\n") else { break };
        let head = String::from_utf8_lossy(&bytes[..end]);
        let field = |name: &str| {
            let fields = head.lines().filter_map(|line| line.split_once(':'));
            fields
                .into_iter()
                .find(|(n, _)| n.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.trim().to_owned())
        };
        let body = &bytes[end + 4..];
        let length = field("Content-Length").and_then(|n| n.parse::<usize>().ok());
        let length = length.unwrap_or_else(|| find(body, b"\r\n\r\nWARC/").unwrap_or(body.len()));
        if length > body.len() {
            remarks.push("the last record is cut".to_owned());
        }
        let text = &body[..length.min(body.len())];
        if field("WARC-Type").is_some_and(|kind| kind == "conversion") {
            let id = field("WARC-Refers-To").map(|id| id.trim_matches(['<', '>']).replace("urn:uuid:", ""));
            match field("WARC-Target-URI").or(id) {
                Some(key) => pages.push(Page { key, text: String::from_utf8_lossy(text).into_owned() }),
                None => num_without += 1,
            }
        }
        bytes = &body[text.len()..];
    }
    if num_without > 0 {
        remarks.push(format!("{num_without} records have no address and are skipped"));
    }
    (pages, remarks)
}

/// Pages after a line `URL:`, whose blocks have a tag before them.
fn cleaneval(text: &str) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    let mut is_after_empty = true;
    for line in text.lines() {
        let url = line.strip_prefix("URL: ").filter(|_| is_after_empty);
        is_after_empty = line.is_empty();
        if let Some(url) = url {
            pages.push(Page { key: url.to_owned(), text: String::new() });
            continue;
        }
        let block = ["<p>", "<h>", "<l>"].iter().find_map(|tag| line.strip_prefix(tag)).unwrap_or(line);
        if let Some(page) = pages.last_mut().filter(|_| !block.is_empty()) {
            page.text.push_str(block);
            page.text.push('\n');
        }
    }
    pages
}

/// The bodies of `<TEI>` elements. Their key is the address of the source, else the title.
fn tei(text: &str) -> (Vec<Page>, Vec<String>) {
    let (mut pages, mut num_cut) = (Vec::new(), 0);
    for document in text.split("<TEI").skip(1) {
        let between = |from: &str, to: &str| {
            let start = document.find(from)? + from.len();
            Some(&document[start..start + document[start..].find(to)?])
        };
        let key = between("<ptr target=\"", "\"").or_else(|| between("<title>", "</title>"));
        num_cut += usize::from(!document.contains("</TEI>"));
        let (Some(key), Some((_, body))) = (key, document.split_once("<body>")) else { continue };
        let body = body.split("</body>").next().unwrap_or(body);
        pages.push(Page { key: unescaped(key), text: text_of(body) });
    }
    let cut = (num_cut > 0).then(|| format!("{num_cut} documents are cut"));
    (pages, cut.into_iter().collect())
}

/// Elements within a line of text.
const INLINE: [&str; 12] =
    ["hi", "ref", "emph", "term", "name", "date", "code", "formula", "note", "foreign", "seg", "gloss"];

/// The text of XML: a line for each element that is not within a line.
fn text_of(xml: &str) -> String {
    let mut out = String::new();
    let mut rest: VecDeque<&str> = xml.split('<').collect();
    out.push_str(&unescaped(rest.pop_front().unwrap_or_default()));
    for piece in rest {
        let (tag, text) = piece.split_once('>').unwrap_or((piece, ""));
        let name = tag.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next();
        if !INLINE.contains(&name.unwrap_or_default()) && !out.ends_with('\n') {
            out.push('\n');
        }
        out.push_str(&unescaped(text));
    }
    let lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Text with the five entities of XML.
fn unescaped(text: &str) -> String {
    let mut text = text.to_owned();
    for (entity, c) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&apos;", "'"), ("&amp;", "&")]
    {
        text = text.replace(entity, c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_predict_are_read() {
        let page = |key: &str, text: &str| Page { key: key.to_owned(), text: text.to_owned() };
        let wet = "WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 1\r\n\r\nx\r\n\r\n\
             WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/\r\nContent-Length: 3\r\n\r\nA b\r\n\r\n\
             WARC/1.1\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://b/\r\nContent-Length: 9\r\n\r\nB";
        let (pages, said) = read(wet.as_bytes()).expect("WET");
        assert_eq!(pages, [page("http://a/", "A b"), page("http://b/", "B")]);
        assert_eq!(said, ["the last record is cut"]);
        let (pages, _) = read(b"URL: http://a/\n<h>A\n<p>b\n\nURL: 7\n<l>x\n").expect("CleanEval");
        assert_eq!(pages, [page("http://a/", "A\nb\n"), page("7", "x\n")]);
        let tei = "<TEI xmlns=\"x\">\n<teiHeader><title>A &amp; b</title></teiHeader>\n<text><body>\
             <head>H</head>\n<p>One <hi>two</hi> &lt;</p><list><item>i</item></list></body></text>\n</TEI>\n";
        let (pages, said) = read(tei.as_bytes()).expect("TEI");
        assert_eq!(pages, [page("A & b", "H\nOne two <\ni")]);
        assert!(said.is_empty() && read(b"<html><TEI>").is_none() && read(b"{}").is_none());
    }
}
