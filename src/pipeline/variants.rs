//! Training pages under other policies than their set's, where the page itself tells what would be content.
//!
//! A set has one policy, so a model can hardly tell what a single switch of it does. Which block is the headline and which
//! are captions stands in the page: for some of the training pages the policy is switched there, and the labels with it.

use super::Corpus;
use crate::features::PageContext;
use crate::page::Tag;
use crate::policy::{PROPERTIES, Property, property};

/// Blocks of a page whose property is certain.
pub(super) type Told = Vec<(u32, &'static Property)>;

/// The headline and the captions of a page.
pub(super) fn told(page: &PageContext<'_>) -> Told {
    let (Ok(title), Ok(captions)) = (property("title"), property("captions")) else { return Told::new() };
    let is_caption = |&i: &u32| {
        let leaf = page.blocks.get(i as usize).map_or(0, |b| b.leaf);
        let near = page.doc.ancestors_and_self(leaf).take(6);
        near.map(|n| page.doc.tag(n)).any(|t| t == Tag::FIGCAPTION || t == Tag::CAPTION)
    };
    let headline = page.headline().map(|i| (i as u32, title));
    headline.into_iter().chain((0..page.len() as u32).filter(is_caption).map(|i| (i, captions))).collect()
}

/// What was switched, to be switched back.
pub(super) struct Switched {
    page: usize,
    labels: Vec<bool>,
}

impl Corpus {
    /// Switches properties on some of `pages`: on a fifth of them that of the headline, on another that of captions; and
    /// on a third of the pages of sets of articles alone it counts the entries of listings that they do not have, by
    /// which their labels stay as they are: what only news sets have, such as languages, is then not known to
    /// `article` alone.
    pub(super) fn switch_policies(&mut self, pages: &[usize]) -> Vec<Switched> {
        let mut switched = Vec::new();
        for &page in pages {
            let labels = self.pages[page].labels.clone();
            // by the page's bytes, so that no other page changes which
            let [first, second, ..] = self.pages[page].hash;
            let mut changed = match first % 5 {
                0 => self.switch_told(page, "title"),
                1 => self.switch_told(page, "captions"),
                _ => false,
            };
            changed |= second % 3 == 0 && self.switch_absent(page);
            if changed {
                switched.push(Switched { page, labels });
            }
        }
        switched
    }

    /// Switches a property whose blocks the page tells, and their labels.
    fn switch_told(&mut self, page: usize, name: &str) -> bool {
        let told = self.pages[page].told.iter().filter(|t| t.1.name == name);
        let told: Vec<(usize, &'static Property)> = told.map(|t| (t.0 as usize, t.1)).collect();
        let Some(&(_, property)) = told.first() else { return false };
        let on = !self.pages[page].policy.has(property);
        told.into_iter().for_each(|(block, _)| self.pages[page].labels[block] = on);
        self.set_policy_column(page, property, on);
        true
    }

    /// Switches on what a page of a set of articles does not have.
    fn switch_absent(&mut self, page: usize) -> bool {
        let (Ok(items), Ok(fragments)) = (property("items"), property("fragments")) else { return false };
        if self.pages[page].policy.has(items) {
            return false;
        }
        self.set_policy_column(page, items, true);
        self.set_policy_column(page, fragments, true);
        true
    }

    /// Undoes [`Corpus::switch_policies`].
    pub(super) fn switch_back(&mut self, switched: Vec<Switched>) {
        for Switched { page, labels } in switched {
            self.pages[page].labels = labels;
            for property in PROPERTIES {
                self.set_policy_column(page, property, self.pages[page].policy.has(property));
            }
        }
    }

    fn set_policy_column(&mut self, page: usize, property: &Property, on: bool) {
        let name = format!("policy.{}", property.name);
        if let Some(column) = self.columns().iter().position(|c| *c == name) {
            let rows = self.rows_of(page);
            rows.for_each(|row| self.x[[row, column]] = f32::from(u8::from(on)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::page::{Visibility, parse_str};

    #[test]
    fn headline_and_captions_are_told() {
        let html = "<title>Red shoes for rain | Shop</title><p>Menu<h1>Red shoes for rain</h1><p>Text.\
            <figure><img><figcaption>A shoe</figcaption></figure>";
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let told = told(&PageContext::new(&doc, &blocks));
        let found: Vec<_> = told.iter().map(|(i, p)| (*i, p.name)).collect();
        assert_eq!(found, [(1, "title"), (3, "captions")]);
    }
}
