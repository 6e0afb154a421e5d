//! Adds spaces between adjacent inline elements whose words only the style sheet separates.

use crate::Tag;

/// A point where inline elements may be adjacent without white space between them, as in
/// `<span>Size</span><span>Large</span>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordBoundary {
    None,
    /// An element has ended; no text follows it yet.
    Ended,
    /// An element has ended, and another one has begun.
    Adjacent,
    /// An image (`<svg>`) or an input field (`<input>`) is between the texts.
    Separated,
}

impl WordBoundary {
    /// Returns the state after the start tag of an inline element.
    pub(crate) fn at_start(self, tag: Tag) -> Self {
        match self {
            WordBoundary::Ended if is_within_words(tag) => WordBoundary::None,
            WordBoundary::Ended => WordBoundary::Adjacent,
            _ => self,
        }
    }

    /// Returns the state after the end tag of an inline element.
    pub(crate) fn at_end(self, tag: Tag) -> Self {
        if self == WordBoundary::None && !is_within_words(tag) { WordBoundary::Ended } else { self }
    }

    /// Returns whether `piece` begins a new word although no white space separates it from `before`.
    ///
    /// Across an image or an input field, this holds for all cased letters and ASCII digits. Otherwise, it holds
    /// for pairs of characters that rarely occur inside a word, such as a lower-case letter before a capital.
    pub(crate) fn separates(self, before: &str, piece: &str) -> bool {
        let (mut ends, mut begins) = (before.chars().rev(), piece.chars());
        let (Some(last), Some(first)) = (ends.next(), begins.next()) else { return false };
        let has_case = |c: char| c.is_lowercase() || c.is_uppercase();
        match self {
            WordBoundary::None | WordBoundary::Ended => false,
            WordBoundary::Adjacent if first.is_ascii_digit() => has_case(last),
            WordBoundary::Adjacent => {
                // capitals in single-letter elements stay together
                let mut is_upper_word = || {
                    last.is_uppercase()
                        && ends.next().is_some_and(char::is_uppercase)
                        && begins.next().is_some_and(char::is_alphabetic)
                };
                first.is_uppercase() && (last.is_lowercase() || last.is_ascii_digit() || is_upper_word())
            }
            WordBoundary::Separated => [last, first].into_iter().all(|c| has_case(c) || c.is_ascii_digit()),
        }
    }
}

/// Whether an inline element often contains only part of a word.
fn is_within_words(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::B
            | Tag::I
            | Tag::EM
            | Tag::STRONG
            | Tag::U
            | Tag::S
            | Tag::SUP
            | Tag::SUB
            | Tag::FONT
            | Tag::SMALL
            | Tag::BIG
            | Tag::MARK
            | Tag::INS
            | Tag::DEL
            | Tag::TT
            | Tag::WBR
    )
}

/// Whether an inline element contains code. Names in code contain capitals, so a capital does not begin a new word.
pub(crate) fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::CODE | Tag::KBD | Tag::SAMP | Tag::VAR)
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Blocks, REGISTRY};
    use crate::{Visibility, parse_str};

    #[test]
    fn words_of_adjacent_elements_are_separated() {
        let text = |html: &str| {
            let doc = parse_str(html);
            let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
            blocks.text(0).to_owned()
        };
        for (html, expected) in [
            ("<span>Size</span><span>Large</span>", "Size Large"),
            ("<a href=x>Get started</a><a href=y>Explore</a>", "Get started Explore"),
            ("<span><b>Size 12</b></span><img><span><i></i>Large", "Size 12 Large"),
            ("<span>Size</span> <span>Large</span>", "Size Large"),
            // adjacent elements that contain parts of one word, or letters without evidence for two words
            ("<b>i</b><i>Phone</i>", "iPhone"),
            ("<span>W</span><span>ord</span>", "Word"),
            ("<span>i</span>Phone<span>s</span>", "iPhones"),
            ("i<span>Phone</span>", "iPhone"),
            ("<span>A</span><span>B</span>", "AB"),
            ("<span>a</span><mark>Key</mark><span>s</span>", "aKeys"),
            ("<pre><span>of</span><span>Size</span>", "ofSize"),
            (
                "<code><i>as</i><span>of</span><span>Size</span></code> <span>of</span><span>Size</span>",
                "asofSize of Size",
            ),
            ("<span>of</span><code>Size</code><span>Large</span>", "of Size Large"),
            ("<code>of</code><code>Size</code><br><span>of</span><code>Size</code>", "ofSize\nof Size"),
            ("<span>漢</span><span>字</span>", "漢字"),
            // digits, words in capitals, images and input fields
            ("<span>Sofas</span><span>12</span>", "Sofas 12"),
            ("<span>Windproof</span><sup>6</sup>", "Windproof6"),
            ("<span>1</span><span>2</span>", "12"),
            ("<span>NASA</span><span>News</span>", "NASA News"),
            ("<span>1 h</span><svg><path/></svg><span>54</span>", "1 h 54"),
            ("<label>in stock<input type=checkbox>and more</label>", "in stock and more"),
            ("漢<svg></svg>字", "漢字"),
            ("<span>A</span><span>B</span><span>C</span><span>D</span>", "ABCD"),
            ("word<input type=hidden>s", "words"),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
    }
}
