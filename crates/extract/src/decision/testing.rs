//! The labels of a page after a rule, for tests.

use crate::filters::Page;
use threshr_html::blocks::{Blocks, REGISTRY};
use threshr_html::{Visibility, parse_str};

/// A rule that changes labels.
type Rule = fn(&Page<'_>, Option<&[bool]>, &mut [bool]);

/// Returns the labels of a page after a rule. `+` is a kept block.
pub(super) fn decided(rule: Rule, html: &str, before: &str, inside: Option<&[bool]>) -> String {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let mut keep: Vec<bool> = before.bytes().map(|b| b == b'+').collect();
    assert_eq!(keep.len(), blocks.len(), "{html}");
    let scores = vec![0.5; keep.len()];
    rule(&Page::new(&doc, &blocks, &scores), inside, &mut keep);
    keep.iter().map(|&kept| if kept { '+' } else { '-' }).collect()
}
