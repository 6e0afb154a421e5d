//! Log-odds of content for element names (words in attributes), learned from training pages.

use crate::learned::terms::term_hash;
use crate::learned::{Learner, Limits, Odds, Terms, TermsBuilder};
use crate::{Column, Family, Grid, PageContext};
use threshr_page::names::element_names::for_each_word;

/// The family.
pub(crate) struct AttributeTokens;

const SOURCE: &str = "Peters & Lecocq, WWW 2013 (dragnet): id and class tokens; odds by site: threshr";

/// Maximum number of elements that are used, from the innermost element upwards.
const MAX_LEVELS: usize = 24;
/// Maximum number of terms per element. The limit protects against malicious attributes.
const MAX_TERMS: usize = 24;
/// Maximum number of bytes of a name. A name is a part of an attribute value between white space, or a word of such
/// a part. Longer names are left out.
const MAX_LENGTH: usize = 40;

/// Columns: name, definition.
const COLUMNS: &[(&str, &str)] = &[
    ("own", "sum of the log-odds of the names of the innermost element"),
    ("parent", "sum of the log-odds of the names of the parent of the innermost element"),
    ("grandparent", "sum of the log-odds of the names of the grandparent of the innermost element"),
    ("above", "sum of the log-odds of the names of all ancestors above the grandparent"),
    ("sum", "sum of the log-odds of the names of the innermost element and all its ancestors"),
    ("nearest", "log-odds farthest from 0 among the names of the nearest element with a known name"),
    ("max", "greatest log-odds of a name of an element around the block, at least 0"),
    ("min", "least log-odds of a name of an element around the block, at most 0"),
    ("faded", "sum of the log-odds over the levels, weighted by 0.7 to the power of the level"),
    ("num_known", "number of known names of the elements around the block"),
];

impl Family for AttributeTokens {
    fn name(&self) -> &'static str {
        "attribute_tokens"
    }
    fn summary(&self) -> &'static str {
        "learned: log-odds of content for class, id, role and itemprop of the elements around a block"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |&(name, what): &(&'static str, &str)| {
            let unit = if name == "num_known" { "names" } else { "nats" };
            Column::new(
                name,
                unit,
                format!(
                    "{what}. Names are the values of class, id, role, itemprop, itemtype and data-testid of \
                     up to 24 levels, and their words. Their log-odds of content are learned from training \
                     pages; 0 if no name is known"
                ),
                SOURCE,
            )
        };
        COLUMNS.iter().map(column).collect()
    }
    /// Leaves the columns 0, because the learner computes them.
    fn fill(&self, _: &PageContext<'_>, _: &mut Grid<'_>) {}
    fn learner(&self) -> Option<&dyn Learner> {
        Some(self)
    }
}

impl Learner for AttributeTokens {
    fn limits(&self) -> Limits {
        Limits { min_sites: 6, max_terms: 4000 }
    }

    fn num_slots(&self) -> usize {
        1
    }

    fn collect(&self, page: &PageContext<'_>, terms: &mut TermsBuilder<'_>) {
        let all = page.names();
        // elements are in document order, so the list of the parent already exists
        let mut list_of = vec![None; page.doc.num_nodes()];
        let mut list_of_set = vec![None; all.num_sets()];
        let mut names = Names::default();
        terms.reserve(page.holders().len(), page.holders().len(), page.len());
        for &node in page.holders() {
            let parent = page.doc.parent(node).and_then(|p| list_of[p as usize]);
            let set = all.set_of(node);
            let list = match list_of_set[set as usize] {
                Some(other) => terms.same_list(other, parent),
                None => {
                    names.collect(all.texts_of(set));
                    // unknown names have no effect, so they are skipped
                    names.iter().for_each(|(hash, name)| terms.term_if_known(hash, name));
                    *list_of_set[set as usize].insert(terms.end_list(parent))
                }
            };
            list_of[node as usize] = Some(list);
        }
        for index in 0..page.len() {
            terms.block(&[list_of[page.block(index).leaf as usize]]);
        }
    }

    fn fill(&self, terms: &Terms, odds: Odds<'_>, out: &mut Grid<'_>) {
        for block in 0..terms.num_blocks() {
            let mut found = [0.0f32; 10];
            let mut fade = 1.0;
            for (level, list) in terms.chain(block, 0).take(MAX_LEVELS).enumerate() {
                let mut strongest = 0.0f32;
                for odds in list.iter().map(|&id| odds.of(id)).filter(|o| !o.is_nan()) {
                    found[level.min(3)] += odds;
                    found[4] += odds;
                    found[6] = found[6].max(odds);
                    found[7] = found[7].min(odds);
                    found[8] += fade * odds;
                    found[9] += 1.0;
                    strongest = if odds.abs() > strongest.abs() { odds } else { strongest };
                }
                if found[5] == 0.0 {
                    found[5] = strongest;
                }
                fade *= 0.7;
            }
            found.iter().enumerate().for_each(|(column, &value)| out.set(column, block, value));
        }
    }
}

/// Names of one element: its attribute values, split at white space, and the words that these parts contain.
#[derive(Default)]
struct Names {
    /// Hash of each name, and its end in `text`.
    list: Vec<(u64, usize)>,
    text: String,
    whole: String,
}

impl Names {
    fn collect<'v>(&mut self, values: impl Iterator<Item = &'v str>) {
        self.text.clear();
        self.list.clear();
        for value in values.flat_map(str::split_ascii_whitespace) {
            // longer names are usually generated and do not occur on other sites
            if value.len() <= MAX_LENGTH {
                let mut whole = std::mem::take(&mut self.whole);
                whole.clear();
                lower_into(value, &mut whole);
                self.add(&whole);
                self.whole = whole;
                for_each_word(value, |part| self.add(part));
            }
        }
    }

    fn add(&mut self, name: &str) {
        if !(2..=MAX_LENGTH).contains(&name.len()) || self.list.len() >= MAX_TERMS {
            return;
        }
        let hash = term_hash(name);
        if self.list.iter().all(|n| n.0 != hash) {
            self.text.push_str(name);
            self.list.push((hash, self.text.len()));
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        let start = |i: usize| if i == 0 { 0 } else { self.list[i - 1].1 };
        self.list.iter().enumerate().map(move |(i, &(hash, end))| (hash, &self.text[start(i)..end]))
    }
}

/// Appends `text` in lower case to `out`.
fn lower_into(text: &str, out: &mut String) {
    match text.is_ascii() {
        true => {
            let start = out.len();
            out.push_str(text);
            out[start..].make_ascii_lowercase();
        }
        false => out.push_str(&text.to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn log_odds_are_summed_by_level() {
        let doc =
            parse_str("<div class='post-body wide'><section id=menu><p class=lead>x</p></section></div>");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageContext::new(&doc, &blocks);
        let terms = <dyn Learner>::terms(&AttributeTokens, &page);
        let vocabulary: Vocabulary =
            serde_json::from_str(r#"{"lead": 1.0, "menu": -2.0, "post-body": 3.0, "body": 0.5}"#)
                .expect("JSON");
        let mut values = vec![0.0; COLUMNS.len()];
        Learner::fill(
            &AttributeTokens,
            &terms,
            Odds::ById(&vocabulary.resolve(&terms)),
            &mut Grid::new(&mut values, 1),
        );
        let expected = [1.0, -2.0, 3.5, 0.0, 2.5, 1.0, 3.0, -2.0, 1.0 - 1.4 + 0.49 * 3.5, 4.0];
        for (found, expected) in values.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{values:?}");
        }
    }
}
