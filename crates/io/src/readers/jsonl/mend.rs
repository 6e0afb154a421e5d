//! Lines that are JSON but for what some writers put into them.

/// Replaces every lone surrogate escape by the escape of U+FFFD; `None` if there is none. Python writes such
/// escapes for text that is not valid Unicode.
pub(super) fn without_lone_surrogates(line: &[u8]) -> Option<Vec<u8>> {
    let mut mended = None;
    let mut at = 0;
    while let Some(next) = line.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + next;
        let unit = escaped_unit(line, escape);
        at = escape + if unit.is_some() { 6 } else { 2 };
        match unit {
            Some(0xd800..0xdc00) if matches!(escaped_unit(line, at), Some(0xdc00..0xe000)) => at += 6,
            Some(0xd800..0xe000) => {
                let mended = mended.get_or_insert_with(|| line.to_vec());
                mended[escape + 2..escape + 6].copy_from_slice(b"fffd");
            }
            _ => {}
        }
    }
    mended
}

/// The value of the escape `\uXXXX` at a position.
fn escaped_unit(line: &[u8], at: usize) -> Option<u16> {
    let digits = line.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

/// Replaces the numbers `NaN`, `Infinity` and `-Infinity`, which Python writes, by `null`; `None` if there are
/// none.
pub(super) fn without_nan(line: &[u8]) -> Option<Vec<u8>> {
    const NAMES: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];
    let mut mended: Option<Vec<u8>> = None;
    let (mut at, mut done) = (0, 0);
    while let Some(&byte) = line.get(at) {
        if byte == b'"' {
            at = string_end(line, at);
            continue;
        }
        let name = NAMES.iter().find(|name| line[at..].starts_with(name));
        if let Some(name) = name {
            let mended = mended.get_or_insert_with(Vec::new);
            mended.extend_from_slice(&line[done..at]);
            mended.extend_from_slice(b"null");
            done = at + name.len();
        }
        at += name.map_or(1, |name| name.len());
    }
    mended.map(|mut mended| {
        mended.extend_from_slice(&line[done..]);
        mended
    })
}

/// The position after the string that starts at `at`.
fn string_end(line: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(next) = line.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += next + 1;
        if line[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        let mended = |line: &str| {
            let line = without_lone_surrogates(line.as_bytes())?;
            Some(String::from_utf8(line).expect("text"))
        };
        for (line, expected) in [
            (r#"{"a":"\ud83d\ude00 \\ud83d \n"}"#, None),
            (r#"{"a":"\ud83d"}"#, Some(r#"{"a":"\ufffd"}"#)),
            (r#"\uDE00\ud83d\uDE00"#, Some(r#"\ufffd\ud83d\uDE00"#)),
            (r#"\ud83d\ud83d\ude00\"#, Some(r#"\ufffd\ud83d\ude00\"#)),
            (r#"\ud83d\u00"#, Some(r#"\ufffd\u00"#)),
            (r#"\ud8\u+123\"#, None),
        ] {
            assert_eq!(mended(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn numbers_of_python_become_null() {
        let mended = |line: &str| {
            let line = without_nan(line.as_bytes())?;
            Some(String::from_utf8(line).expect("text"))
        };
        for (line, expected) in [
            (r#"{"NaN":"\"NaN","a":[1]}"#, None),
            (r#"{"a":NaN,"b":-Infinity}"#, Some(r#"{"a":null,"b":null}"#)),
            (r#"[Infinity , "\\", NaN]"#, Some(r#"[null , "\\", null]"#)),
            (r#"{"a":"NaN"#, None),
            (r#"{"a":"\"#, None),
        ] {
            assert_eq!(mended(line).as_deref(), expected, "{line}");
        }
    }
}
