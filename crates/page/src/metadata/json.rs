//! Reads JSON with errors that are common on web pages: wrapped in comments, line ends and unescaped quotes in
//! strings, trailing commas.

use serde_json::{Deserializer, Value};
use threshr_html::text::has_few_json_values;

/// Returns all JSON values of a text, in order, up to the first invalid value. If the text has too many values,
/// nothing is read.
pub(super) fn values(text: &str) -> Vec<Value> {
    if !has_few_json_values(text) {
        return Vec::new();
    }
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return vec![value];
    }
    // skip text before the values, such as a comment and the CDATA marker
    let is_mark = |at: usize| text[at..].starts_with("[CDATA[") || text[..at].ends_with("[CDATA");
    let start = text.match_indices(['{', '[']).map(|found| found.0).find(|&at| !is_mark(at));
    let mended = mended(&text[start.unwrap_or(text.len())..]);
    Deserializer::from_str(&mended).into_iter().map_while(Result::ok).collect()
}

/// Repairs JSON: replaces control characters in strings by spaces, escapes a quote that is not followed by JSON
/// punctuation, and removes a comma before a closing bracket.
fn mended(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, c) in text.char_indices() {
        let next = || text[at + c.len_utf8()..].trim_start().bytes().next();
        match c {
            '"' if in_string && !is_escaped => match next() {
                None | Some(b',' | b':' | b'}' | b']') => {
                    in_string = false;
                    out.push('"');
                }
                Some(_) => out.push_str("\\\""),
            },
            '"' if !in_string => {
                in_string = true;
                out.push('"');
            }
            ',' if !in_string && matches!(next(), Some(b'}' | b']')) => {}
            c if in_string && c.is_control() => out.push(' '),
            c => out.push(c),
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    out
}

#[cfg(test)]
mod tests;
