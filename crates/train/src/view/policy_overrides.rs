//! Policy overrides: training pages get another policy than that of their set.
//!
//! All pages of a set have the same policy, so a model cannot learn the effect of a single property from one
//! set. Two kinds of overrides show this effect:
//!
//! - Many pages identify their headline, byline and captions. On some training pages, such a property is
//!   inverted, together with the labels of the identified blocks.
//! - Article sets contain neither posts nor entries. So these properties can be set to content without changing
//!   any label.

use crate::augmentation::Draw;
use crate::corpus::page::CorpusPage;
use crate::corpus::policy_columns::PolicyColumns;
use threshr_core::policy::{Property, property};

/// Properties for which a page's policy differs from that of its set.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyOverrides {
    /// Pairs (property, whether it is content), in the order in which their columns are set.
    pub properties: Vec<(&'static Property, bool)>,
    /// Labels of the page under the overrides, or `None` if the labels do not change.
    pub labels: Option<Vec<bool>>,
}

impl PolicyOverrides {
    /// Selects the overrides for a page whose rows have `columns`.
    ///
    /// The headline is overridden on one fifth of the pages, captions on another fifth, the byline on a third
    /// fifth. On a third of the pages of article sets, posts and entries are content ([`absent`]). Otherwise,
    /// article policies would correlate with other properties of news sets, such as their languages.
    pub(crate) fn new(page: &CorpusPage, columns: &[String]) -> Self {
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

    /// Inverts a property and the labels of the blocks that the page identifies with it. Does nothing if the
    /// property has no column.
    fn flip_marked(&mut self, page: &CorpusPage, columns: &[String], name: &str) {
        let labels = &page.labels;
        let (first, last) = (labels.iter().position(|&l| l), labels.iter().rposition(|&l| l));
        // captions further away from the content belong to other stories or to menus
        let is_inside =
            |i: usize| name != "captions" || Some(i + 1) >= first && Some(i) <= last.map(|l| l + 1);
        let marked: Vec<(usize, &'static Property)> = page
            .metadata
            .iter()
            .filter(|t| t.1.name == name && is_inside(t.0 as usize))
            .map(|t| (t.0 as usize, t.1))
            .collect();
        let Some(&(_, property)) = marked.first() else { return };
        if PolicyColumns::new(columns, property).is_empty() {
            return;
        }
        let counts = !page.policy.has(property);
        let mut labels = labels.clone();
        marked.into_iter().for_each(|(block, _)| labels[block] = counts);
        self.labels = Some(labels);
        self.properties.push((property, counts));
    }

    /// On a page of an article set, sets properties that do not occur on the page to content. In article
    /// sets, neither posts nor items are content.
    fn count_absent(&mut self, page: &CorpusPage, names: &[&str]) {
        let is_of_articles =
            ["posts", "items"].iter().all(|n| property(n).is_ok_and(|p| !page.policy.has(p)));
        if is_of_articles {
            self.properties.extend(names.iter().filter_map(|n| property(n).ok()).map(|p| (p, true)));
        }
    }
}

/// Returns the properties that become content although they do not occur on the page. `whether` and `alone`
/// are random bytes. Posts and entries become content on a third of the pages. On an eighth of these pages,
/// only posts or only entries become content, so that a model can distinguish the two. Fragments always have
/// the same value as entries.
fn absent(whether: u8, alone: u8) -> &'static [&'static str] {
    match (whether % 3, alone) {
        (0, 0..16) => &["posts"],
        (0, 16..32) => &["items", "fragments"],
        (0, _) => &["posts", "items", "fragments"],
        _ => &[],
    }
}
