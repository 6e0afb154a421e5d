//! Training pages under another policy than their set's.
//!
//! A set has one policy, so a model can hardly learn from it what a single switch does. Which block is the headline, which
//! hold author and date and which are captions stands in the page: on some training pages the policy is switched there,
//! and the labels with it. Pages of sets of articles have neither posts nor entries, so counting these changes no label.

use crate::augmentation::Draw;
use crate::corpus::CorpusPage;
use crate::policy_columns::PolicyColumns;
use threshr_core::policy::{Property, property};

/// What a page says otherwise than its set's policy.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolicyOverrides {
    /// Properties in the order in which they are set, and whether they count.
    pub properties: Vec<(&'static Property, bool)>,
    /// Labels, where they differ from the page's own.
    pub labels: Option<Vec<bool>>,
}

impl PolicyOverrides {
    /// Those of a page whose rows have `columns`: on a fifth of the pages that of the headline, on another that of
    /// captions, on one more that of author and date. On a third of the pages of sets of articles alone, posts and
    /// entries count ([`absent`]); what only news sets have, such as languages, is then not known to `article` alone.
    pub fn of(page: &CorpusPage, columns: &[String]) -> Self {
        let mut overrides = PolicyOverrides::default();
        match Draw::Policy.of(&page.hash) % 5 {
            0 => overrides.switch_marked(page, columns, "title"),
            1 => overrides.switch_marked(page, columns, "captions"),
            2 => overrides.switch_marked(page, columns, "byline"),
            _ => {}
        }
        overrides.count_absent(page, absent(Draw::Absent.of(&page.hash), Draw::Alone.of(&page.hash)));
        overrides
    }

    /// Switches a property whose blocks the page marks, and their labels; none that no column shows.
    fn switch_marked(&mut self, page: &CorpusPage, columns: &[String], name: &str) {
        let labels = &page.labels;
        let (first, last) = (labels.iter().position(|&l| l), labels.iter().rposition(|&l| l));
        // captions of other stories, and of a menu's pictures, stand further from the content
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

    /// Counts what a page of a set of articles does not have: of one whose policy has neither posts nor items.
    fn count_absent(&mut self, page: &CorpusPage, names: &[&str]) {
        let is_of_articles =
            ["posts", "items"].iter().all(|n| property(n).is_ok_and(|p| !page.policy.has(p)));
        if is_of_articles {
            self.properties.extend(names.iter().filter_map(|n| property(n).ok()).map(|p| (p, true)));
        }
    }
}

/// What counts of what a page does not have, by two draws: posts and entries on a third of the pages, on an eighth of
/// these one of them alone, so that they can be told apart. Pieces of few words count where entries do.
fn absent(whether: u8, alone: u8) -> &'static [&'static str] {
    match (whether % 3, alone) {
        (0, 0..16) => &["posts"],
        (0, 16..32) => &["items", "fragments"],
        (0, _) => &["posts", "items", "fragments"],
        _ => &[],
    }
}
