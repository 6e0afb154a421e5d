//! Carries labels through the tree builder as marks inside the text.
//!
//! A mark is a Unicode noncharacter before the first labelled character, and moves with the text. Marks are written
//! only into text that is not white space, so that the tree is the same as that of the page without marks.

use crate::tree::Document;

/// Maximum class of a label.
pub const MAX_CLASS: u8 = 14;
const UNLABELLED: u8 = 15;
const FIRST: u32 = 0xFDD0;

fn class_of(c: char) -> Option<u8> {
    let n = u32::from(c).checked_sub(FIRST)?;
    u8::try_from(n).ok().filter(|&n| n <= UNLABELLED)
}

/// Returns `text` with a mark before its first character that is not white space. Noncharacters of the page that
/// equal a mark are removed.
pub(crate) fn write(text: &str, class: Option<u8>) -> String {
    let class = class.filter(|&class| class <= MAX_CLASS).unwrap_or(UNLABELLED);
    let mut out = String::with_capacity(text.len() + 3);
    let mut rest = text;
    if let Some(at) = text.find(|c: char| !c.is_ascii_whitespace()) {
        out.push_str(&text[..at]);
        out.extend(char::from_u32(FIRST + u32::from(class)));
        rest = &text[at..];
    }
    out.extend(rest.chars().filter(|&c| class_of(c).is_none()));
    out
}

/// Removes marks from text and records the labels in a document.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    class: Option<u8>,
}

impl Reader {
    /// Appends `text` without its marks to the document, and records the labelled ranges.
    pub(crate) fn read(&mut self, text: &str, doc: &mut Document) {
        for piece in text.split_inclusive(|c| class_of(c).is_some()) {
            let mark = piece.chars().next_back().and_then(class_of);
            let plain = if mark.is_some() { &piece[..piece.len() - 3] } else { piece };
            let start = doc.text.len() as u32;
            doc.text.push_str(plain);
            if let (Some(class), false) = (self.class, plain.is_empty()) {
                doc.labels.push((start..doc.text.len() as u32, class));
            }
            if let Some(class) = mark {
                self.class = (class != UNLABELLED).then_some(class);
            }
        }
    }
}
