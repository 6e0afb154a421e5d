//! Checks of text, record and XML output formats.

use serde_json::Value;
use threshr_output::formats::{Added, Entry, FORMATS, PageOutput};

/// Returns the output of a format for a page.
pub(crate) fn written(output: &PageOutput<'_>, name: &str) -> String {
    let format = FORMATS.iter().find(|format| format.name == name);
    let format = format.unwrap_or_else(|| panic!("there is no format {name}"));
    match (format.page)(output) {
        Ok(Entry::Text(text) | Entry::File { text, .. }) => text,
        Ok(Entry::Row(row)) => row.text.unwrap_or_default(),
        Err(error) => panic!("{name}: {error}"),
    }
}

pub(crate) fn check(output: &PageOutput<'_>, text: &str) {
    let with_end = if text.is_empty() { String::new() } else { format!("{text}\n") };
    assert_eq!(written(output, "folder"), with_end, "folder");
    assert_eq!(written(output, "text"), with_end, "text");
    check_record(&written(output, "wet"), text);
    for line in written(output, "blocks").lines() {
        assert_eq!(line.split('\t').count(), 6, "columns of {line:?}");
    }
    for line in written(output, "cleaneval").lines().filter(|line| !line.is_empty()) {
        let starts = ["URL: ", "<h>", "<p>", "<l>"];
        assert!(starts.iter().any(|start| line.starts_with(start)), "a line of cleaneval: {line:?}");
    }
    let tei = written(output, "tei");
    if let Err(error) = roxmltree::Document::parse(&tei) {
        panic!("the TEI is not valid XML: {error}: {tei}");
    }
}

/// Checks a WET record: the declared length must be correct, and each field must be one line.
fn check_record(record: &str, text: &str) {
    let (head, rest) = record.split_once("\r\n\r\n").expect("the end of the fields");
    assert_eq!(rest.strip_suffix("\r\n\r\n"), Some(text), "the record has another text");
    let mut fields = head.split("\r\n");
    assert_eq!(fields.next(), Some("WARC/1.1"));
    for field in fields {
        assert!(field.contains(": ") && !field.contains(['\r', '\n']), "a field of a record: {field:?}");
        if let Some(length) = field.strip_prefix("Content-Length: ") {
            assert_eq!(length, text.len().to_string());
        }
    }
}

/// Checks front matter: it must consist of lines with a name and a JSON value, and the Markdown after it
/// must be unchanged.
pub(crate) fn check_front_matter(output: &PageOutput<'_>) {
    let markdown = |metadata| {
        let added = Added { metadata, ..output.added };
        PageOutput { added, ..*output }.markdown().expect("within the limit")
    };
    let (with, without) = (markdown(true), markdown(false));
    let front = with.strip_suffix(&without).expect("the same Markdown after the metadata");
    let front = front.strip_prefix("---\n").and_then(|front| front.strip_suffix("---\n\n"));
    for line in front.expect("front matter").lines() {
        let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("front matter: {line:?}"));
        assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "front matter: {line:?}");
        let value: Value = serde_json::from_str(value).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        assert!(value.is_string() || value.is_array(), "front matter: {line:?}");
        // YAML 1.1 reads some of these characters as line ends and rejects the others.
        let is_bad =
            |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}');
        assert!(!line.contains(is_bad), "a character that YAML does not allow in {line:?}");
    }
}
