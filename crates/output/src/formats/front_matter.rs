//! Front matter: the metadata of a page as YAML before its Markdown.

use threshr_page::metadata::{Metadata, Sourced};

/// Returns the metadata as YAML between two lines `---`, followed by an empty line. Empty fields are omitted.
pub(super) fn front_matter(metadata: &Metadata, url: Option<&str>) -> String {
    let mut out = String::from("---\n");
    let mut field = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            out.push_str(&format!("{name}: {}\n", quoted(value)));
        }
    };
    let value = |sourced: &'_ Option<Sourced>| sourced.as_ref().map(|s| s.value.clone());
    field("title", value(&metadata.title).as_deref());
    field("url", url.or(value(&metadata.canonical_url).as_deref()));
    field("date_published", value(&metadata.date_published).as_deref());
    field("date_modified", value(&metadata.date_modified).as_deref());
    field("site_name", value(&metadata.site_name).as_deref());
    field("description", value(&metadata.description).as_deref());
    field("image", value(&metadata.image).as_deref());
    field("language", value(&metadata.language).as_deref());
    field("licence", value(&metadata.licence).as_deref());
    let list = |values: &[Sourced]| values.iter().map(|v| quoted(&v.value)).collect::<Vec<_>>().join(", ");
    for (name, values) in [("authors", &metadata.authors), ("tags", &metadata.tags)] {
        if !values.is_empty() {
            out.push_str(&format!("{name}: [{}]\n", list(values)));
        }
    }
    out + "---\n\n"
}

/// Returns a value as a JSON string, which is also valid in YAML. Characters that YAML forbids or reads as
/// line ends are escaped.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in serde_json::Value::from(text).to_string().chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_page::metadata::Source;

    #[test]
    fn values_are_quoted() {
        let sourced = |value: &str| Sourced { value: value.to_owned(), source: Source::Html };
        let metadata = Metadata {
            title: Some(sourced("A: \"b\"")),
            authors: vec![sourced("C"), sourced("D")],
            ..Metadata::default()
        };
        let expected = "---\ntitle: \"A: \\\"b\\\"\"\nurl: \"http://a/\"\nauthors: [\"C\", \"D\"]\n---\n\n";
        assert_eq!(front_matter(&metadata, Some("http://a/")), expected);
    }

    #[test]
    fn signs_that_yaml_does_not_allow_are_escaped() {
        assert_eq!(quoted("a\u{85}b\u{2028}c\u{7f}\u{0}é"), "\"a\\u0085b\\u2028c\\u007f\\u0000é\"");
    }
}
