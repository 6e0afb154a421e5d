//! Where the words of inline elements that meet are set apart.

use crate::Tag;

/// Where two inline elements meet, with no white space between: pages set them apart by style (`<span>Size</span><span>Large</span>`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordBoundary {
    None,
    /// One has ended, and no text followed.
    Ended,
    /// Another has begun.
    Met,
    /// A drawing (`<svg>`) or a field (`<input>`) stands between.
    Parted,
}

impl WordBoundary {
    /// After the start tag of an inline element.
    pub(crate) fn at_start(self, tag: Tag) -> Self {
        match self {
            WordBoundary::Ended if is_within_words(tag) => WordBoundary::None,
            WordBoundary::Ended => WordBoundary::Met,
            _ => self,
        }
    }

    /// After its end tag.
    pub(crate) fn at_end(self, tag: Tag) -> Self {
        if self == WordBoundary::None && !is_within_words(tag) { WordBoundary::Ended } else { self }
    }

    /// Whether a piece begins another word than the text before it, which it follows without white space: where something stands
    /// between any letters and digits, else those that seldom follow each other within a word.
    pub(crate) fn parts(self, before: &str, piece: &str) -> bool {
        let (mut ends, mut begins) = (before.chars().rev(), piece.chars());
        let (Some(last), Some(first)) = (ends.next(), begins.next()) else { return false };
        let has_case = |c: char| c.is_lowercase() || c.is_uppercase();
        match self {
            WordBoundary::None | WordBoundary::Ended => false,
            WordBoundary::Met if first.is_ascii_digit() => has_case(last),
            WordBoundary::Met => {
                // not letter by letter
                let mut is_upper_word = || {
                    last.is_uppercase()
                        && ends.next().is_some_and(char::is_uppercase)
                        && begins.next().is_some_and(char::is_alphabetic)
                };
                first.is_uppercase() && (last.is_lowercase() || last.is_ascii_digit() || is_upper_word())
            }
            WordBoundary::Parted => [last, first].into_iter().all(|c| has_case(c) || c.is_ascii_digit()),
        }
    }
}

/// Whether an inline element is often part of a word.
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

/// Whether text in an inline element is code, whose names hold capitals.
pub(crate) fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::CODE | Tag::KBD | Tag::SAMP | Tag::VAR)
}

#[cfg(test)]
mod tests {
    use crate::blocks::{Blocks, REGISTRY};
    use crate::{Visibility, parse_str};

    #[test]
    fn words_of_elements_that_meet_stand_apart() {
        let text = |html: &str| {
            let doc = parse_str(html);
            let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
            blocks.text(0).to_owned()
        };
        for (html, expected) in [
            ("<span>Size</span><span>Large</span>", "Size Large"),
            ("<a href=x>Get started</a><a href=y>Explore</a>", "Get started Explore"),
            ("<span><b>Size 12</b></span><img><span><i></i>Large", "Size 12 Large"),
            ("<span>Size</span> <span>Large</span>", "Size Large"),
            // parts of words, and what is not told by its letters
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
            // digits, words of capitals, and what stands between
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
