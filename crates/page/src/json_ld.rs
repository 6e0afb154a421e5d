//! JSON-LD scripts of a page: parses their values and walks over them within limits.

use serde_json::Value;
use threshr_html::text::has_few_json_values;
use threshr_html::{Document, NodeId};

/// Maximum number of values in one script that [`walk`] visits.
const MAX_VALUES: usize = 2000;

/// Number of bytes of JSON-LD that may still be read on a page.
#[derive(Debug, Clone, Copy)]
pub struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Budget(1 << 20)
    }
}

/// Parses a `<script type="application/ld+json">`. Returns `None` for other elements, for invalid JSON, and if
/// the script exceeds the budget or has too many values.
pub fn value(doc: &Document, node: NodeId, budget: &mut Budget) -> Option<Value> {
    let kind = doc.attribute(node, "type")?;
    if !kind.trim().eq_ignore_ascii_case("application/ld+json") {
        return None;
    }
    let content = doc.first_child(node).map_or("", |text| doc.text(text));
    budget.0 = budget.0.checked_sub(content.len())?;
    has_few_json_values(content).then(|| serde_json::from_str(content.trim()).ok())?
}

/// Calls `visit` with each value and its key, without recursion. An array item has the key of its array.
pub fn walk<'v>(value: &'v Value, mut visit: impl FnMut(Option<&'v str>, &'v Value)) {
    let mut open = vec![(None, value)];
    for _ in 0..MAX_VALUES {
        let Some((key, value)) = open.pop() else { return };
        visit(key, value);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (key, item))),
            Value::Object(map) => open.extend(map.iter().map(|(key, value)| (Some(key.as_str()), value))),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::{Tag, parse_str};

    #[test]
    fn values_are_visited_with_their_keys() {
        let doc = parse_str(r#"<script type="Application/LD+json ">{"a": ["b", {"c": "d"}]}</script>"#);
        let node = doc.elements_with(|tag| tag == Tag::SCRIPT).next().expect("a script");
        let value = value(&doc, node, &mut Budget::default()).expect("JSON");
        let mut texts = Vec::new();
        walk(&value, |key, value| texts.extend(value.as_str().map(|text| (key, text.to_owned()))));
        assert_eq!(texts, [(Some("c"), "d".to_owned()), (Some("a"), "b".to_owned())]);
    }

    #[test]
    fn scripts_beyond_the_budget_are_not_read() {
        let doc = parse_str(r#"<script type=application/ld+json>{"a": "b"}</script>"#);
        let node = doc.elements_with(|tag| tag == Tag::SCRIPT).next().expect("a script");
        assert!(value(&doc, node, &mut Budget(11)).is_some());
        assert!(value(&doc, node, &mut Budget(9)).is_none());
    }
}
