//! The headline and the byline of an article: the policy alone decides.

use crate::filters::Page;

/// Keeps the headline and the byline if the policy includes them, and drops them otherwise, whatever their scores. All
/// pages of a template then have them, or none has. If nothing else is kept, the labels are not changed.
pub(super) fn decide(page: &Page<'_>, inside: Option<&[bool]>, keep: &mut [bool]) {
    let is_left_out = |property: &str| match property {
        "title" => Some(page.left_out.title),
        "byline" => Some(page.left_out.byline),
        _ => None,
    };
    let decided = page.article.iter().filter_map(|(i, p)| Some((*i as usize, is_left_out(p.name)?)));
    let decided: Vec<(usize, bool)> = decided.filter(|(i, _)| !is_in_group(page, *i)).collect();
    let mut others = keep.to_vec();
    decided.iter().for_each(|&(i, _)| others[i] = false);
    if !others.contains(&true) {
        return;
    }
    for (i, is_left_out) in decided {
        keep[i] = !is_left_out && inside.is_none_or(|inside| inside[i]);
    }
}

/// Whether a block is in a group, such as a table, which is kept or dropped as a whole.
fn is_in_group(page: &Page<'_>, block: usize) -> bool {
    page.blocks.groups().iter().any(|group| group.blocks.contains(&block))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_core::policy::{LeftOut, property};
    use threshr_html::blocks::{Blocks, REGISTRY};

    #[test]
    fn the_policy_decides_whatever_the_scores() {
        let doc = threshr_html::parse_str("<h1>Rain in the north</h1><p>By Ann Miller<p>It rained all day.");
        let blocks = Blocks::new(&doc, REGISTRY[0], Default::default());
        let of = |name| property(name).expect("a property");
        let article = [(0, of("title")), (1, of("byline"))];
        let kept = |title: bool, byline: bool, keep: [bool; 3], inside: Option<&[bool]>| {
            let left_out = LeftOut { title, byline, ..LeftOut::default() };
            let page = Page { left_out, article: &article, ..Page::new(&doc, &blocks, &[0.5; 3]) };
            let mut keep = keep;
            decide(&page, inside, &mut keep);
            keep
        };
        for labels in [[true, true, true], [false, false, true]] {
            assert_eq!(kept(false, true, labels, None), [true, false, true]);
            assert_eq!(kept(true, false, labels, None), [false, true, true]);
        }
        assert_eq!(kept(false, false, [true, false, true], Some(&[false, true, true])), [false, true, true]);
        assert_eq!(kept(true, true, [true, false, false], None), [true, false, false]);
    }
}
