//! Labels from snippets: strings that the content of a page contains, and strings that it does not.
//!
//! A page with snippets and without gold says something of few blocks. The other blocks are masked: nothing is
//! learned from them.

use threshr_core::policy::{Policy, property};
use threshr_html::blocks::Blocks;
use threshr_html::text::Interner;
use threshr_io::gold::Snippets;

/// Tokens of a boilerplate snippet that labels every block that has it. A shorter one must be at least half of
/// the block.
const MIN_LONG: usize = 4;

/// Labels of the blocks of a page, and the blocks that have none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SnippetLabels {
    /// Whether each block is content; false for masked blocks.
    pub labels: Vec<bool>,
    /// Whether each block has no label, or two that contradict each other.
    pub masked: Vec<bool>,
}

/// Labels the blocks of a page by its snippets. `None` if no block gets a label.
///
/// A snippet of content labels a block if no other block has it. A snippet of boilerplate labels all blocks that
/// have it, if it is long or at least half of the block. Snippets of comments are content where the policy counts
/// comments.
pub(crate) fn snippet_labels(snippets: &Snippets, blocks: &Blocks, policy: Policy) -> Option<SnippetLabels> {
    let mut interner = Interner::default();
    let texts: Vec<Vec<u32>> = (0..blocks.len()).map(|block| interner.encode(blocks.text(block))).collect();
    let mut votes = vec![Vote::default(); texts.len()];
    let counts_comments = property("comments").is_ok_and(|comments| policy.has(comments));
    let of_comments = |are_content: bool| {
        let comments = if are_content == counts_comments { &snippets.comments[..] } else { &[] };
        comments.iter()
    };
    for snippet in snippets.with.iter().chain(of_comments(true)) {
        let snippet = interner.encode(snippet);
        let mut found = (0..texts.len()).filter(|&block| has(&texts[block], &snippet));
        if let (Some(block), None) = (found.next(), found.next()) {
            votes[block].content = true;
        }
    }
    for snippet in snippets.without.iter().chain(of_comments(false)) {
        let snippet = interner.encode(snippet);
        for (text, vote) in texts.iter().zip(&mut votes) {
            let is_enough = snippet.len() >= MIN_LONG || 2 * snippet.len() >= text.len();
            vote.boilerplate |= is_enough && has(text, &snippet);
        }
    }
    let masked: Vec<bool> = votes.iter().map(|vote| vote.content == vote.boilerplate).collect();
    let labels = votes.iter().map(|vote| vote.content && !vote.boilerplate).collect();
    masked.contains(&false).then_some(SnippetLabels { labels, masked })
}

/// The blocks that hold texts without a label: a block whose text is part of such a text, and a block of which such a
/// text is at least half.
pub(crate) fn unsure_blocks(unsure: &[String], blocks: &Blocks) -> Vec<bool> {
    if unsure.is_empty() {
        return vec![false; blocks.len()];
    }
    let mut interner = Interner::default();
    let unsure: Vec<Vec<u32>> = unsure.iter().map(|text| interner.encode(text)).collect();
    let is_unsure = |block| {
        let text = interner.encode(blocks.text(block));
        unsure.iter().any(|unsure| has(unsure, &text) || 2 * unsure.len() >= text.len() && has(&text, unsure))
    };
    (0..blocks.len()).map(is_unsure).collect()
}

/// What the snippets say of a block.
#[derive(Clone, Copy, Default)]
struct Vote {
    content: bool,
    boilerplate: bool,
}

/// Whether a text has the tokens of a snippet in a row. No text has an empty snippet.
fn has(text: &[u32], snippet: &[u32]) -> bool {
    !snippet.is_empty() && text.windows(snippet.len()).any(|window| window == snippet)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    fn labels(with: &[&str], without: &[&str], comments: &[&str], policy: &str) -> Option<Vec<Option<bool>>> {
        let page = "<nav>Imprint</nav><p>The mill grinds. See the imprint of it.</p><p>One long sentence about mills.</p>\
                    <p>Related: another long sentence about mills.</p><p>Nice mill!</p><p>中文的内容在这里</p>";
        let doc = parse_str(page);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let own = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect();
        let snippets = Snippets { with: own(with), without: own(without), comments: own(comments) };
        let policy = Policy::parse(policy).expect("a policy");
        let found = snippet_labels(&snippets, &blocks, policy)?;
        Some(
            found
                .labels
                .iter()
                .zip(&found.masked)
                .map(|(&label, &masked)| (!masked).then_some(label))
                .collect(),
        )
    }

    const N: Option<bool> = None;
    const YES: Option<bool> = Some(true);
    const NO: Option<bool> = Some(false);

    #[test]
    fn blocks_of_texts_without_a_label_are_found() {
        let doc = parse_str("<p>One two<p>three four five<p>six<p>six seven eight nine<p>!");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let found = |unsure: &[&str]| {
            let unsure: Vec<String> = unsure.iter().map(|text| (*text).to_owned()).collect();
            unsure_blocks(&unsure, &blocks)[..4].to_vec()
        };
        assert_eq!(found(&[]), [false; 4]);
        assert_eq!(found(&["one two three"]), [true, false, false, false]);
        assert_eq!(found(&["four five", "six"]), [false, true, true, false]);
        assert_eq!(found(&["", "words of no block"]), [false; 4]);
    }

    #[test]
    fn snippets_label_the_blocks_that_have_them() {
        // in other letters; within a text without spaces
        assert_eq!(
            labels(&["the MILL grinds", "内容"], &[], &[], "article"),
            Some(vec![N, YES, N, N, N, YES])
        );
        // "imprint" is a word of the paragraph, too; it is most of the menu only
        assert_eq!(labels(&["grinds"], &["Imprint"], &[], "article"), Some(vec![NO, YES, N, N, N, N]));
        // a long one labels every block that has it
        assert_eq!(
            labels(&[], &["long sentence about mills"], &[], "article"),
            Some(vec![N, N, NO, NO, N, N])
        );
    }

    #[test]
    fn blocks_without_a_clear_label_are_masked() {
        // two blocks have the snippet
        assert_eq!(
            labels(&["sentence about mills", "grinds"], &[], &[], "article"),
            Some(vec![N, YES, N, N, N, N])
        );
        // two snippets contradict each other
        assert_eq!(
            labels(&["One long", "grinds"], &["One long sentence about mills"], &[], "article"),
            Some(vec![N, YES, N, N, N, N])
        );
        // part of a word, and nothing
        assert_eq!(labels(&["grind", "", "…"], &["", "absent"], &[], "article"), None);
    }

    #[test]
    fn comments_are_content_where_the_policy_counts_them() {
        assert_eq!(labels(&[], &[], &["Nice mill"], "article"), Some(vec![N, N, N, N, NO, N]));
        assert_eq!(labels(&[], &[], &["Nice mill"], "article+comments"), Some(vec![N, N, N, N, YES, N]));
    }
}
