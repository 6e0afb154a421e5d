//! A page as a sequence of tags and words in document order, for systems that read token sequences.

use crate::shared::events::{Event, events};
use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::text;
use threshr_html::{Document, Kind, Tag};

/// A token of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// A start tag.
    Open(Tag),
    /// An end tag. Void elements such as `<br>` have no end tag.
    Close(Tag),
    /// A word of a block, as found by [`text::words`].
    Word {
        /// The block's index.
        block: u32,
        /// The range of the word in the concatenated text of all blocks.
        text: Range<u32>,
        /// Tag of the innermost element around the word.
        inside: Tag,
    },
}

/// Returns the tokens of the visible elements and blocks, in document order.
pub(crate) fn tokens(doc: &Document, blocks: &Blocks) -> Vec<Token> {
    let mut out = Vec::new();
    let mut shown = blocks.elements().iter().copied().peekable();
    let mut spans = spans(blocks).peekable();
    let enter = move |node| doc.kind(node) == Kind::Text || shown.next_if_eq(&node).is_some();
    for event in events(doc, doc.root(), enter) {
        match event {
            Event::Text(node) => {
                let range = doc.text_range(node);
                let inside = doc.parent(node).map_or(Tag::HTML, |p| doc.tag(p));
                while let Some((block, text)) = spans.next_if(|s| s.2 == range).map(|s| (s.0, s.1)) {
                    words(blocks, block, &text, inside, &mut out);
                }
            }
            Event::Start(node) => out.push(Token::Open(doc.tag(node))),
            Event::End(node) if !doc.tag(node).is_void() => out.push(Token::Close(doc.tag(node))),
            Event::End(_) | Event::Skipped(_) => {}
        }
    }
    out
}

/// Returns, for every span, its block index, its range in the text of all blocks, and its range in the source.
fn spans(blocks: &Blocks) -> impl Iterator<Item = (u32, Range<u32>, Range<u32>)> + '_ {
    (0..blocks.len()).flat_map(move |block| {
        blocks.spans(block).iter().map(move |s| (block as u32, s.text.clone(), s.source.clone()))
    })
}

fn words(blocks: &Blocks, block: u32, text: &Range<u32>, inside: Tag, out: &mut Vec<Token>) {
    for (start, end) in text::words(blocks.slice(text)) {
        let text = text.start + start as u32..text.start + end as u32;
        out.push(Token::Word { block, text, inside });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    fn show(html: &str) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let name = |t: Tag| t.known_name().unwrap_or("?");
        let show = |t: &Token| match t {
            Token::Open(tag) => format!("<{}>", name(*tag)),
            Token::Close(tag) => format!("</{}>", name(*tag)),
            Token::Word { block, text, inside } => {
                format!("{}:{block}:{}", blocks.slice(text), name(*inside))
            }
        };
        tokens(&doc, &blocks).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tags_and_words_stand_in_order() {
        assert_eq!(
            show("<body><p>One <b>two</b>, three<br>four<script>x</script><p hidden>no<p>five"),
            "<html> <body> <p> One:0:p <b> two:0:b </b> three:0:p <br> four:0:p </p> <p> five:1:p </p> </body> </html>"
        );
        assert_eq!(show(""), "<html> <body> </body> </html>");
    }

    #[test]
    fn every_word_of_every_block_is_there_once() {
        let html = "<ul><li>a <a href=x>b c</a><li>d<table>e<td>f</table></ul><pre>g\n h</pre>i";
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let words: Vec<_> = tokens(&doc, &blocks)
            .into_iter()
            .filter_map(|t| match t {
                Token::Word { text, .. } => Some(blocks.slice(&text).to_owned()),
                _ => None,
            })
            .collect();
        let all = blocks.join(|_| true);
        assert_eq!(words, text::words(&all).map(|(s, e)| &all[s..e]).collect::<Vec<_>>());
    }
}
