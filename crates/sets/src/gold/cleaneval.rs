//! The folder layout of CleanEval, `input/N.html` and `GoldStandard/N-cleaned.txt` (or `N.txt`), and its gold
//! format. Gold files in this format may also be next to the pages.

use crate::gold::form;
use crate::gold::{
    Gold, GoldPage, Listing, Match, Probe, ReadOptions, Reader, html_files, pairs, read_text, segments,
};
use std::path::{Path, PathBuf};
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_io::{is_address, names};

/// The folder layout of CleanEval 2007.
pub(super) static READER: Reader = Reader {
    name: "cleaneval",
    summary: "input/N.html and GoldStandard/N-cleaned.txt or N.txt, with the markup <p>, <h>, <l>; texts next to the pages are read by `pairs`",
    source: "Baroni, Chantree, Kilgarriff & Sharoff, LREC 2008",
    rank: 8,
    detect: |probe: &Probe, _| match (probe.folder("input"), probe.folder("GoldStandard")) {
        (Some(_), Some(_)) => Match::Yes,
        (Some(_), None) => {
            Match::Near(4, "input/ exists, but the folder GoldStandard/ is missing".to_owned())
        }
        (None, Some(_)) => {
            Match::Near(5, "GoldStandard/ exists, but the folder input/ is missing".to_owned())
        }
        (None, None) => Match::No,
    },
    read,
};

fn read(dir: &Path, options: &ReadOptions) -> Result<Listing> {
    if form::folder(dir, "input").is_none() && form::folder(dir, "GoldStandard").is_none() {
        return (pairs::READER.read)(dir, options);
    }
    let folder = |name: &str| form::folder(dir, name).unwrap_or_else(|| dir.join(name));
    let gold_dir = folder("GoldStandard");
    let pages: Vec<GoldPage> =
        html_files(&folder("input"))?.into_iter().map(|path| page(&gold_dir, path)).collect::<Result<_>>()?;
    // the final CleanEval set has pages without gold, but a set without any gold file is an error
    match pages.iter().any(|p| p.gold.is_some()) {
        true => Ok(pages.into()),
        false => Err(Error::data("no page has a gold file")
            .expected("GoldStandard/N-cleaned.txt or GoldStandard/N.txt for input/N.html")
            .at_path(dir)),
    }
}

fn page(gold_dir: &Path, path: PathBuf) -> Result<GoldPage> {
    let id = names::stem(&path);
    let names = [format!("{id}-cleaned.txt"), format!("{id}.txt")];
    let gold = names.iter().map(|n| gold_dir.join(n)).find(|p| p.is_file());
    let raw = gold.as_deref().map(read_text).transpose()?;
    let url = raw.as_deref().and_then(url_line).map(|(url, _)| url.to_owned());
    let gold = raw.map(|raw| {
        let (text, markup) = lines(&raw);
        Gold::Text { text, markup: Some(markup) }
    });
    Ok(GoldPage { site: url.as_deref().and_then(site_of), id, path, url, gold, ..GoldPage::default() })
}

/// Returns the gold of a text, and the URL in its first line, if any. Texts of all set formats may have the
/// CleanEval markup: a first line `URL: …`, and the tags `<p>`, `<h>` and `<l>` at the start of lines. This markup
/// is not part of the gold text.
pub(super) fn gold_of(raw: &str) -> (Gold, Option<String>) {
    let raw = raw.trim_start_matches('\u{feff}');
    let (url, rest) = match url_line(raw) {
        Some((url, rest)) => (Some(url.to_owned()), rest.trim()),
        None => (None, raw),
    };
    if !has_markup(rest, url.is_some()) {
        return (Gold::text(rest), url);
    }
    let (text, markup) = lines(rest);
    (Gold::Text { text, markup: Some(markup) }, url)
}

/// Returns the URL of a first line `URL: …`, and the text after this line.
fn url_line(raw: &str) -> Option<(&str, &str)> {
    let raw = raw.trim_start_matches('\u{feff}').trim_start();
    let (first, rest) = raw.split_once('\n').unwrap_or((raw, ""));
    let url = first.get(4..).filter(|_| first[..4].eq_ignore_ascii_case("url:"))?.trim();
    is_address(url).then_some((url, rest))
}

/// Returns whether lines of a text begin with CleanEval tags. `<p>` may also be an HTML tag, which has an end
/// tag.
fn has_markup(text: &str, has_url: bool) -> bool {
    let begins = |tag: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| line.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
    };
    let is_html = || text.contains("</p>") || text.contains("</P>");
    begins("<h>") || begins("<l>") || begins("<p>") && (has_url || !is_html())
}

/// Returns the gold with one segment per line, without and with markup.
fn lines(raw: &str) -> (String, String) {
    let (mut text, mut markup) = (Vec::new(), Vec::new());
    for segment in segments(raw) {
        let line = segment.text.split_whitespace().collect::<Vec<_>>().join(" ");
        markup.push(format!("{}{line}", segment.class.tag()));
        text.push(line);
    }
    (text.join("\n"), markup.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_lines_and_tags_are_not_gold() {
        let read = |raw: &str| match gold_of(raw) {
            (Gold::Text { text, markup }, url) => (text, markup.is_some(), url),
            (Gold::InPage(_), _) => unreachable!("a text"),
        };
        let url = || Some("http://x.example/a".to_owned());
        for (raw, text, has_markup, url) in [
            ("URL: http://x.example/a\n\n<h>Rain\n<p>It\nrained.\n<l>a", "Rain\nIt rained.\na", true, url()),
            ("url: http://x.example/a\r\nRain\nIt rained.", "Rain\nIt rained.", false, url()),
            ("URL: http://x.example/a\n<p>It rained.</p>", "It rained.", true, url()),
            ("\u{feff}<H>Rain", "Rain", true, None),
            ("<p>It rained.\n<p>All day.", "It rained.\nAll day.", true, None),
            // the gold is HTML instead of text, which `data check` reports
            ("<p>It rained.</p>", "<p>It rained.</p>", false, None),
            // a text about tags and a text about URLs are not markup
            ("Write <p> before a paragraph", "Write <p> before a paragraph", false, None),
            ("URL: the address of a page", "URL: the address of a page", false, None),
            ("", "", false, None),
        ] {
            assert_eq!(read(raw), (text.to_owned(), has_markup, url), "{raw}");
        }
    }
}
