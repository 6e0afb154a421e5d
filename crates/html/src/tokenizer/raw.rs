//! Raw-text elements, whose content is text up to their end tag.

use crate::tokenizer::Tokenizer;
use crate::tokenizer::tag::ends_name;
use crate::tokenizer::token::{Content, Sink};
use memchr::{memchr, memchr2};

impl<S: Sink> Tokenizer<'_, S> {
    /// Emits the text of the open element, then reads its end tag.
    pub(crate) fn raw_text(&mut self) {
        let start = self.at;
        let found = match self.content {
            Content::Script => self.end_of_script(start),
            _ => self.find_end_tag(start, self.bytes.len()),
        };
        let end = found.unwrap_or(self.bytes.len());
        if self.content == Content::Rcdata {
            self.emit_rcdata(start, end);
        } else {
            self.emit_without_nul(start, end);
        }
        self.at = end;
        if found.is_some() {
            self.end_tag(end + 2);
        }
    }

    /// Returns the offset of the element's end tag between `at` and `end`.
    fn find_end_tag(&self, mut at: usize, end: usize) -> Option<usize> {
        while let Some(i) = memchr(b'<', &self.bytes[at..end]) {
            at += i;
            if self.is_end_tag(at) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// Whether the `<` at `at` begins the element's end tag.
    fn is_end_tag(&self, at: usize) -> bool {
        self.bytes.get(at + 1) == Some(&b'/') && self.is_name(at + 2, self.raw_name.as_bytes())
    }

    /// Whether the name at `at` is `name`, in any case.
    fn is_name(&self, at: usize, name: &[u8]) -> bool {
        let Some(found) = self.bytes.get(at..at + name.len()) else { return false };
        let next = self.bytes.get(at + name.len());
        !name.is_empty() && found.eq_ignore_ascii_case(name) && next.is_some_and(|&b| ends_name(b))
    }

    /// Returns the offset of a script's end tag. Between `<!--` and `-->`, a `</script` that follows a `<script`
    /// does not end the script.
    fn end_of_script(&self, mut at: usize) -> Option<usize> {
        let bytes = self.bytes;
        loop {
            at += memchr(b'<', &bytes[at..])?;
            if self.is_end_tag(at) {
                return Some(at);
            }
            at += 1;
            if bytes[at..].starts_with(b"!--") {
                match self.escaped_script(at + 1) {
                    Escaped::EndTag(found) => return Some(found),
                    Escaped::End(next) => at = next,
                    Escaped::EndOfPage => return None,
                }
            }
        }
    }

    /// Reads the comment in a script whose first `-` is at `start`.
    fn escaped_script(&self, start: usize) -> Escaped {
        let bytes = self.bytes;
        let (mut at, mut is_double) = (start + 2, false);
        while let Some(i) = memchr2(b'<', b'>', &bytes[at..]) {
            at += i + 1;
            if bytes[at - 1] == b'>' {
                if at > start + 2 && bytes[..at - 1].ends_with(b"--") {
                    return Escaped::End(at);
                }
            } else if is_double {
                if bytes.get(at) == Some(&b'/') && self.is_name(at + 1, b"script") {
                    is_double = false;
                    // also skip the character after the name, so that its `>` does not end a comment
                    at += 8;
                }
            } else if self.is_end_tag(at - 1) {
                return Escaped::EndTag(at - 1);
            } else if self.is_name(at, b"script") {
                is_double = true;
                at += 7;
            }
        }
        Escaped::EndOfPage
    }
}

/// How a comment in a script ends.
enum Escaped {
    /// The comment contains the script's end tag, at this offset.
    EndTag(usize),
    /// The comment ends before this offset.
    End(usize),
    EndOfPage,
}
