//! Labels from snippets: strings that the content of a page contains, and strings that it does not contain.
//!
//! The snippets of a page without gold label only a few blocks. The other blocks are masked, so they are not
//! used for training.

use threshr_core::policy::{Policy, property};
use threshr_html::blocks::Blocks;
use threshr_html::text::Interner;
use threshr_sets::gold::Snippets;

/// Minimum number of tokens for a boilerplate snippet to label every block that contains it. A shorter snippet
/// labels only blocks of which it is at least half.
const MIN_LONG: usize = 4;

/// Block labels of a page, and which blocks have no label.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SnippetLabels {
    /// Whether each block is content. It is false for masked blocks.
    pub labels: Vec<bool>,
    /// Whether each block has no label or contradicting labels.
    pub masked: Vec<bool>,
}

/// Labels the blocks of a page by its snippets. Returns `None` if no block gets a label.
///
/// A content snippet labels a block if no other block contains it. A boilerplate snippet labels all blocks
/// that contain it, if the snippet is long or at least half of the block. If the policy counts comments as
/// content, snippets of comments are content snippets. Otherwise, they are boilerplate snippets.
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

/// Returns which blocks contain unsure texts. A block is unsure if its text is part of such a text, or if such
/// a text is at least half of the block.
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

/// Labels that the snippets give to a block.
#[derive(Clone, Copy, Default)]
struct Vote {
    content: bool,
    boilerplate: bool,
}

/// Returns true if a text contains the tokens of a snippet consecutively. An empty snippet is never contained.
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
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
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
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
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
        // case is ignored; a snippet may be inside a text without spaces
        assert_eq!(
            labels(&["the MILL grinds", "内容"], &[], &[], "article"),
            Some(vec![N, YES, N, N, N, YES])
        );
        // "imprint" also occurs in the paragraph, but only in the menu it is at least half of the block
        assert_eq!(labels(&["grinds"], &["Imprint"], &[], "article"), Some(vec![NO, YES, N, N, N, N]));
        // a long snippet labels every block that contains it
        assert_eq!(
            labels(&[], &["long sentence about mills"], &[], "article"),
            Some(vec![N, N, NO, NO, N, N])
        );
    }

    #[test]
    fn blocks_without_a_clear_label_are_masked() {
        // two blocks contain the snippet
        assert_eq!(
            labels(&["sentence about mills", "grinds"], &[], &[], "article"),
            Some(vec![N, YES, N, N, N, N])
        );
        // two snippets contradict each other
        assert_eq!(
            labels(&["One long", "grinds"], &["One long sentence about mills"], &[], "article"),
            Some(vec![N, YES, N, N, N, N])
        );
        // part of a word; empty snippets; a snippet that is not on the page
        assert_eq!(labels(&["grind", "", "…"], &["", "absent"], &[], "article"), None);
    }

    #[test]
    fn comments_are_content_where_the_policy_counts_them() {
        assert_eq!(labels(&[], &[], &["Nice mill"], "article"), Some(vec![N, N, N, N, NO, N]));
        assert_eq!(labels(&[], &[], &["Nice mill"], "article+comments"), Some(vec![N, N, N, N, YES, N]));
    }
}
