//! Splits JSON text into values: the elements of an array, or consecutive objects that span several lines.

use std::io::{BufRead, Result};

/// Position and state of a reader of consecutive JSON values.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    /// Current line number, from 1.
    pub line: u64,
    /// Whether the `[` of an array was read, but its `]` was not yet.
    is_open: bool,
    /// Whether the start of the next value is unknown, because the last value was malformed.
    pub is_lost: bool,
}

/// How a value ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The value is complete.
    Whole,
    /// A string contains a line break, which JSON does not allow.
    Broken,
    /// The file ends inside the value.
    Cut,
    /// The value is longer than the limit.
    TooLong,
}

/// Parser state inside a value.
#[derive(Default)]
struct State {
    depth: u64,
    in_text: bool,
    is_escaped: bool,
}

/// Effect of a byte on the current value.
enum Step {
    Goes,
    /// The value ends with this byte.
    Ends,
    /// The value ended before this byte.
    Ended,
    Broken,
}

impl State {
    fn step(&mut self, byte: u8) -> Step {
        if self.in_text {
            match byte {
                b'\n' => return Step::Broken,
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' => self.is_escaped = true,
                b'"' => {
                    self.in_text = false;
                    return if self.depth == 0 { Step::Ends } else { Step::Goes };
                }
                _ => {}
            }
            return Step::Goes;
        }
        match byte {
            b'"' => self.in_text = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth <= 1 => {
                return if self.depth == 0 { Step::Ended } else { Step::Ends };
            }
            b'}' | b']' => self.depth -= 1,
            b',' | b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => return Step::Ended,
            _ => {}
        }
        Step::Goes
    }
}

impl Splitter {
    /// Creates a splitter for values that start at this line.
    pub(crate) fn at(line: u64) -> Splitter {
        Splitter { line, ..Splitter::default() }
    }

    /// Reads the next value into `out`. Returns the line where it starts and how it ends, or `None` at the
    /// end of the file. After a malformed value, reading continues at the next line that starts with `{`.
    pub(crate) fn next(
        &mut self,
        from: &mut impl BufRead,
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<Option<(u64, End)>> {
        if !self.begin(from)? {
            let is_cut = std::mem::take(&mut self.is_open) && !self.is_lost;
            return Ok(is_cut.then_some((self.line, End::Cut)));
        }
        let (line, mut state, mut is_long) = (self.line, State::default(), false);
        loop {
            let buffer = from.fill_buf()?;
            if buffer.is_empty() {
                // The end of the array is also missing.
                self.is_open = false;
                let is_cut = state.depth > 0 || state.in_text;
                return Ok(Some((line, if is_cut { End::Cut } else { End::Whole })));
            }
            let (mut used, mut end) = (0, None);
            for &byte in buffer {
                let step = state.step(byte);
                end = match step {
                    Step::Goes => None,
                    Step::Ends | Step::Ended => Some(End::Whole),
                    Step::Broken => Some(End::Broken),
                };
                let stays = matches!(step, Step::Ended | Step::Broken);
                used += usize::from(!stays);
                self.line += u64::from(byte == b'\n' && !stays);
                if end.is_some() {
                    break;
                }
            }
            is_long |= out.len() + used > limit;
            if !is_long {
                out.extend_from_slice(&buffer[..used]);
            }
            from.consume(used);
            match end {
                Some(End::Broken) => {
                    self.is_lost = true;
                    return Ok(Some((line, End::Broken)));
                }
                Some(end) => return Ok(Some((line, if is_long { End::TooLong } else { end }))),
                None => {}
            }
        }
    }

    /// Advances to the first byte of the next value. Returns false at the end of the file.
    fn begin(&mut self, from: &mut impl BufRead) -> Result<bool> {
        let mut is_line_start = false;
        while let Some(byte) = from.fill_buf()?.first().copied() {
            match byte {
                b'\n' => {
                    self.line += 1;
                    is_line_start = true;
                }
                b' ' | b'\t' | b'\r' => {}
                b'{' if self.is_lost && is_line_start => self.is_lost = false,
                _ if self.is_lost => is_line_start = false,
                b'[' if !self.is_open => self.is_open = true,
                b']' => self.is_open = false,
                b',' | b':' | b'}' | 0xef | 0xbb | 0xbf => {}
                _ => return Ok(true),
            }
            if byte == b'{' && !self.is_lost {
                return Ok(true);
            }
            from.consume(1);
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the values, each after its line number. `!` means a malformed value, `?` an incomplete value,
    /// and `+` a value that is too long.
    fn split(text: &str) -> String {
        // a small buffer, so that values span several buffers
        let mut from = std::io::BufReader::with_capacity(3, text.as_bytes());
        let (mut splitter, mut seen) = (Splitter::at(1), Vec::new());
        loop {
            let mut out = Vec::new();
            let Some((line, end)) = splitter.next(&mut from, &mut out, 30).expect("read") else {
                return seen.join(" ");
            };
            let mark = match end {
                End::Whole => "",
                End::Broken => "!",
                End::Cut => "?",
                End::TooLong => "+",
            };
            let value =
                if end == End::Whole { String::from_utf8(out).expect("UTF-8") } else { String::new() };
            seen.push(format!("{line}{mark}{}", value.split_whitespace().collect::<String>()));
        }
    }

    #[test]
    fn values_are_split() {
        assert_eq!(split("[{\"a\":1},{\"b\":[2,{}]}]"), "1{\"a\":1} 1{\"b\":[2,{}]}");
        assert_eq!(
            split("[\n {\n  \"a\": \"}]\\\"\"\n },\n\n {\"b\": 2}\n]\n"),
            "2{\"a\":\"}]\\\"\"} 6{\"b\":2}"
        );
        assert_eq!(split("[1, \"x,\", null,[2] , {}]"), "11 1\"x,\" 1null 1[2] 1{}");
        assert_eq!(split("{\n\"a\": 1\n}\n{\n\"b\": 2}"), "1{\"a\":1} 4{\"b\":2}");
        assert_eq!(split("[]"), "");
        assert_eq!(split("[{\"a\": 1}, {\"b\""), "1{\"a\":1} 1?");
        assert_eq!(split("[{\"a\": 1}\n"), "1{\"a\":1} 2?");
        let long = format!("[{{\"a\":\"{}\"}},{{}}]", "x".repeat(99));
        assert_eq!(split(&long), "1+ 1{}");
        // after a missing quote, everything before the next line that starts with `{` is lost
        assert_eq!(split("[\n{\"a\": \"x},\n{\"b\": 2},\n{\"c\": 3}\n]"), "2! 3{\"b\":2} 4{\"c\":3}");
    }
}
