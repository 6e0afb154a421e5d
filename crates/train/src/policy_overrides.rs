//! Policy overrides: training pages under another policy than their set's.
//!
//! All pages of a set have one policy, so a set alone does not show a model what a single property changes.
//! Many pages mark their headline, byline and captions. On some training pages such a property is overridden,
//! and the labels of the marked blocks change with it. Sets of articles have neither posts nor entries, so
//! there these properties can count without any change of labels.

use crate::augmentation::Draw;
use crate::corpus_page::CorpusPage;
use crate::policy_columns::PolicyColumns;
use threshr_core::policy::{Property, property};

/// The properties in which a page's policy differs from its set's.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyOverrides {
    /// Properties, and whether they count. The order is that in which columns are set.
    pub properties: Vec<(&'static Property, bool)>,
    /// The page's labels under the overrides; `None` if they do not change.
    pub labels: Option<Vec<bool>>,
}

impl PolicyOverrides {
    /// The overrides of a page whose rows have `columns`.
    ///
    /// One fifth of the pages overrides the headline, another fifth captions, a third one the byline. On a
    /// third of the pages of article sets, posts and entries count ([`absent`]). Without that, traits of news
    /// sets (their languages, say) would occur under article policies only.
    pub(crate) fn of(page: &CorpusPage, columns: &[String]) -> Self {
        let mut overrides = PolicyOverrides::default();
        match Draw::Policy.of(&page.hash) % 5 {
            0 => overrides.flip_marked(page, columns, "title"),
            1 => overrides.flip_marked(page, columns, "captions"),
            2 => overrides.flip_marked(page, columns, "byline"),
            _ => {}
        }
        overrides.count_absent(page, absent(Draw::Absent.of(&page.hash), Draw::Alone.of(&page.hash)));
        overrides
    }

    /// Flips a property and the labels of the blocks that the page marks with it. Needs a column of the
    /// property.
    fn flip_marked(&mut self, page: &CorpusPage, columns: &[String], name: &str) {
        let labels = &page.labels;
        let (first, last) = (labels.iter().position(|&l| l), labels.iter().rposition(|&l| l));
        // captions further from the content belong to other stories or to menus
        let is_inside =
            |i: usize| name != "captions" || Some(i + 1) >= first && Some(i) <= last.map(|l| l + 1);
        let marked: Vec<(usize, &'static Property)> = page
            .metadata
            .iter()
            .filter(|t| t.1.name == name && is_inside(t.0 as usize))
            .map(|t| (t.0 as usize, t.1))
            .collect();
        let Some(&(_, property)) = marked.first() else { return };
        if PolicyColumns::of(columns, property).is_empty() {
            return;
        }
        let counts = !page.policy.has(property);
        let mut labels = labels.clone();
        marked.into_iter().for_each(|(block, _)| labels[block] = counts);
        self.labels = Some(labels);
        self.properties.push((property, counts));
    }

    /// Lets properties count that a page of an article set lacks. An article set counts neither posts nor
    /// items.
    fn count_absent(&mut self, page: &CorpusPage, names: &[&str]) {
        let is_of_articles =
            ["posts", "items"].iter().all(|n| property(n).is_ok_and(|p| !page.policy.has(p)));
        if is_of_articles {
            self.properties.extend(names.iter().filter_map(|n| property(n).ok()).map(|p| (p, true)));
        }
    }
}

/// The properties that count although the page lacks them, by two draws. Posts and entries count on a third
/// of the pages; on an eighth of these only one of the two counts, so that a model can separate them.
/// Fragments follow entries.
fn absent(whether: u8, alone: u8) -> &'static [&'static str] {
    match (whether % 3, alone) {
        (0, 0..16) => &["posts"],
        (0, 16..32) => &["items", "fragments"],
        (0, _) => &["posts", "items", "fragments"],
        _ => &[],
    }
}
