//! Reads JSON as pages have it: with comments, line ends in strings, extra commas, or cut off.

use serde_json::{Map, Number, Value};
use threshr_html::text::has_few_json_values;

/// Deepest nesting. Deeper values are cut off.
const MAX_DEPTH: usize = 60;
/// Most values of a text.
const MAX_VALUES: usize = 50_000;

/// All values of a text, in order. What cannot be read is skipped; a value that breaks off has what stands
/// before the break.
pub(super) fn values(text: &str) -> Vec<Value> {
    if has_few_json_values(text)
        && let Ok(value) = serde_json::from_str(text.trim())
    {
        return vec![value];
    }
    let mut reader = Reader { text, at: 0, left: MAX_VALUES };
    let mut values = Vec::new();
    loop {
        // text around the values, such as CDATA marks
        let Some(start) = reader.rest().find(['{', '[']) else { return values };
        let rest = &reader.rest()[start..];
        if rest.starts_with("[CDATA[") {
            reader.at += start + "[CDATA[".len();
            continue;
        }
        reader.at += start;
        let before = reader.at;
        values.extend(reader.value(0));
        if reader.left == 0 {
            return values;
        }
        reader.at = reader.at.max(before + 1);
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Values that may still be read.
    left: usize,
}

impl<'t> Reader<'t> {
    /// The text that follows. `at` is always at a character's start.
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_char(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// Skips white space and comments.
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            let end = match trimmed {
                t if t.starts_with("/*") => t.find("*/").map(|e| e + 2),
                t if t.starts_with("//") => t.find('\n'),
                t if t.starts_with("<!--") => t.find("-->").map(|e| e + 3),
                _ => return,
            };
            self.at = end.map_or(self.text.len(), |end| self.at + end);
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        self.left = self.left.checked_sub(1)?;
        match self.peek()? {
            b'{' => Some(Value::Object(self.object(depth))),
            b'[' => Some(Value::Array(self.array(depth))),
            quote @ (b'"' | b'\'') => Some(Value::String(self.string(quote))),
            _ => self.word(),
        }
    }

    /// The items between brackets, until the text breaks off.
    fn object(&mut self, depth: usize) -> Map<String, Value> {
        let mut map = Map::new();
        self.at += 1;
        while depth < MAX_DEPTH && self.left > 0 {
            self.skip_space();
            let key = match self.peek() {
                None => return map,
                Some(b'}') => {
                    self.at += 1;
                    return map;
                }
                Some(quote @ (b'"' | b'\'')) => self.string(quote),
                Some(b',' | b';') => {
                    self.at += 1;
                    continue;
                }
                Some(b']' | b'{' | b'[') => return map,
                Some(_) => match self.bare_key() {
                    Some(key) => key,
                    None => return map,
                },
            };
            self.skip_space();
            if self.peek() != Some(b':') {
                continue;
            }
            self.at += 1;
            let Some(value) = self.value(depth + 1) else { return map };
            map.entry(key).or_insert(value);
        }
        map
    }

    fn array(&mut self, depth: usize) -> Vec<Value> {
        let mut items = Vec::new();
        self.at += 1;
        while depth < MAX_DEPTH && self.left > 0 {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return items;
                }
                Some(b',' | b';') => self.at += 1,
                None | Some(b'}' | b':') => return items,
                Some(_) => match self.value(depth + 1) {
                    Some(value) => items.push(value),
                    None => return items,
                },
            }
        }
        items
    }

    /// A name without quotes.
    fn bare_key(&mut self) -> Option<String> {
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '@' | '-' | '$')));
        let key = &rest[..len.unwrap_or(rest.len())];
        self.at += key.len();
        (!key.is_empty()).then(|| key.to_owned())
    }

    /// A number, `true`, `false` or `null`; other words are text.
    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest.find([',', '}', ']', '\n', '\r', ':']).unwrap_or(rest.len());
        let word = rest[..end].trim();
        self.at += end;
        if word.is_empty() {
            return None;
        }
        Some(match word {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "undefined" => Value::Null,
            _ => match word.parse::<Number>() {
                Ok(number) => Value::Number(number),
                Err(_) => Value::String(word.to_owned()),
            },
        })
    }

    /// A text in quotes. A quote that no sign of JSON follows is part of the text.
    fn string(&mut self, quote: u8) -> String {
        let mut out = String::new();
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            self.skip_char();
            if c == char::from(quote) && self.ends_here() {
                return out;
            }
            if c == '\\' {
                self.escape(&mut out);
            } else {
                out.push(c);
            }
        }
        out
    }

    fn ends_here(&self) -> bool {
        let next = self.rest().trim_start().as_bytes().first();
        matches!(next, None | Some(b',' | b':' | b'}' | b']'))
    }

    fn escape(&mut self, out: &mut String) {
        let Some(c) = self.rest().chars().next() else { return };
        self.skip_char();
        match c {
            'n' | 'r' | 't' => out.push(' '),
            'b' | 'f' => {}
            'u' => match self.unit() {
                Some(high @ 0xD800..=0xDBFF) if self.rest().starts_with("\\u") => {
                    self.at += 2;
                    let low = self.unit().unwrap_or(0xFFFD);
                    out.extend(char::decode_utf16([high, low]).map(|c| c.unwrap_or('\u{fffd}')));
                }
                Some(unit) => out.extend(char::decode_utf16([unit]).map(|c| c.unwrap_or('\u{fffd}'))),
                None => {}
            },
            c => out.push(c),
        }
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        let unit = u16::from_str_radix(self.rest().get(..4)?, 16).ok()?;
        self.at += 4;
        Some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn broken_json_is_read() {
        for (text, expected) in [
            (r#"{"a": 1, "b": [1, 2,],}"#, json!([{"a": 1, "b": [1, 2]}])),
            ("{\"a\": \"x\ny\"}", json!([{"a": "x\ny"}])),
            ("/* <![CDATA[ */ {\"a\": 1} /* ]]> */", json!([{"a": 1}])),
            ("//<![CDATA[\n{\"a\": 1}\n//]]>", json!([{"a": 1}])),
            ("<!-- {\"a\": 1} -->", json!([{"a": 1}])),
            (r#"{"a": 1}{"b": 2};"#, json!([{"a": 1}, {"b": 2}])),
            (r#"{"a": "He said "yes" to it", "b": 2}"#, json!([{"a": "He said \"yes\" to it", "b": 2}])),
            (r#"{'a': 'b', c: tomorrow // why"#, json!([{"a": "b", "c": "tomorrow // why"}])),
            (r#"{"a": {"b": "cut o"#, json!([{"a": {"b": "cut o"}}])),
            (r#"{"a": "\ud83d\ude00\u00e4\x", }"#, json!([{"a": "😀äx"}])),
            ("no json", json!([])),
        ] {
            assert_eq!(Value::Array(values(text)), expected, "{text}");
        }
    }

    #[test]
    fn hostile_json_is_read_in_bounded_time() {
        let started = std::time::Instant::now();
        for text in [
            "[".repeat(1_000_000),
            "{\"a\":".repeat(300_000),
            "[1,".repeat(300_000),
            "\"".repeat(1_000_000),
            format!("{{\"a\": {}", "\" ".repeat(300_000)),
            "/*".repeat(300_000),
            format!("[{}", "// ".repeat(300_000)),
            "{a}".repeat(300_000),
            format!("{{\"a\": \"{}", "\"                    x".repeat(50_000)),
        ] {
            values(&text);
        }
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
