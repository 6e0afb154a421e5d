//! Types and keys of JSON-LD.

use super::at;
use serde_json::Value;
use threshr_html::text::has_few_json_values;
use threshr_html::{Document, NodeId};

/// Most values of one script that are read.
const MAX_VALUES: usize = 2000;

pub(super) fn is_json_ld(doc: &Document, node: NodeId) -> bool {
    doc.attribute(node, "type").is_some_and(|t| t.trim().eq_ignore_ascii_case("application/ld+json"))
}

/// Calls `each` with the channel and the text of types and keys, without recursion. JSON that is invalid
/// or has very many values is skipped.
pub(super) fn for_each(content: &str, mut each: impl FnMut(usize, &str)) {
    if !has_few_json_values(content) {
        return;
    }
    let Ok(value) = serde_json::from_str::<Value>(content.trim()) else { return };
    let mut open = vec![(None, &value)];
    let mut num_seen = 0;
    while let Some((key, value)) = open.pop() {
        num_seen += 1;
        if num_seen > MAX_VALUES {
            return;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|v| (key, v))),
            Value::Object(map) => {
                map.keys().for_each(|key| each(at::LD_KEY, key));
                open.extend(map.iter().map(|(k, v)| (Some(k.as_str()), v)));
            }
            Value::String(name) if key == Some("@type") => each(at::LD_TYPE, name),
            _ => {}
        }
    }
}
