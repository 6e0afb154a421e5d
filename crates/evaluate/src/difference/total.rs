//! Accumulates the differences of many pages in bounded memory.

use crate::difference::{Counts, Keeper, PageDifference, PlaceDifference};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of groups after pruning. Groups are pruned while pages are read, when there are twice as many.
const MAX_GROUPS: usize = 4_000;
/// Maximum number of sites after pruning. Sites are pruned while pages are read, when there are twice as many.
const MAX_SITES: usize = 40_000;
/// Maximum number of examples for each group and side.
const MAX_EXAMPLES: usize = 4;
/// Maximum number of pages listed for a group.
const MAX_PAGES: usize = 5;
/// Maximum number of pages in the list of pages that differ most.
const MAX_TOP_PAGES: usize = 25;
/// Maximum number of stored errors.
const MAX_ERRORS: usize = 20;
/// Maximum number of languages, and of page types, that are counted separately.
const MAX_NAMES: usize = 40;
/// Maximum number of bytes of an id, a URL or an error.
const MAX_NAME_BYTES: usize = 300;
/// Name of the entry for all languages or page types that are not counted separately.
const OTHERS: &str = "others";
/// Name of the entry for pages whose language or page type is unknown.
const UNKNOWN: &str = "unknown";

/// Accumulated differences between two methods (sides A and B) over many pages. Equal pages in equal order give equal
/// [`Summary`] values.
#[derive(Debug, Default)]
pub struct Difference {
    /// The counts so far. The fields `names`, `page_types`, `languages` and `sites` are filled at the end.
    total: Summary,
    page_types: BTreeMap<String, NamedPages>,
    languages: BTreeMap<String, NamedPages>,
    /// Sites by name, without their groups; `None` for all pages whose site is unknown.
    sites: FxHashMap<Option<String>, Numbered<Site>>,
    groups: FxHashMap<Key, Numbered<Group>>,
    /// Number of entries created so far. The newest entry has this `number`.
    num_entries: u64,
}

/// Site and element path.
type Key = (Option<String>, String);

/// An entry with its creation number, which breaks ties between equal values.
#[derive(Debug)]
struct Numbered<T> {
    number: u64,
    entry: T,
}

/// The result over all pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Names of both sides.
    pub names: [String; 2],
    /// Number of pages that were compared.
    pub num_pages: u64,
    /// Number of compared pages on which exactly one side keeps some text.
    pub num_different: u64,
    /// Number of pages and inputs that could not be read or compared.
    pub num_failed: u64,
    /// Number of compared pages that may be incomplete.
    pub num_defects: u64,
    /// Numbers of blocks. If the sides segment a page differently, the unit is the overlap of a block of each side.
    pub blocks: Counts,
    /// Numbers of letters: characters other than white space.
    pub letters: Counts,
    /// For each side, the number of words in its texts that occur in no block; 0 for models and systems.
    pub not_found: [u64; 2],
    /// For each side, the number of pages without a text, which are compared as empty texts.
    pub missing: [u64; 2],
    /// Counts by page type, the most frequent type first.
    pub page_types: Vec<NamedPages>,
    /// Counts by language, the most frequent language first.
    pub languages: Vec<NamedPages>,
    /// The sites of the listed groups, in descending order of differing letters.
    pub sites: Vec<Site>,
    /// Totals of the groups that are not listed.
    pub left_out: LeftOut,
    /// The pages that differ most.
    pub top_pages: Vec<TopPage>,
    /// The first errors.
    pub errors: Vec<FailedPage>,
}

/// Counts of pages with one language or type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct NamedPages {
    /// The language or type.
    pub name: String,
    /// Number of pages.
    pub num_pages: u64,
    /// Number of pages that differ.
    pub num_different: u64,
    /// Numbers of letters.
    pub letters: Counts,
}

/// A site with its groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Name of the site; `None` for all pages whose site is unknown.
    pub site: Option<String>,
    /// Number of pages of the site.
    pub num_pages: u64,
    /// Number of pages of the site that differ.
    pub num_different: u64,
    /// Numbers of letters on all pages of the site.
    pub letters: Counts,
    /// Groups of the site, in descending order of differing letters.
    pub groups: Vec<Group>,
}

/// The differing blocks of a site that have the same element path, usually one place of a page template.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// The path, as [`path_text`](threshr_page::names::keys::path_text) writes it.
    pub path: String,
    /// Number of pages.
    pub num_pages: u64,
    /// Numbers of differing blocks.
    pub blocks: Counts,
    /// Numbers of letters of these blocks.
    pub letters: Counts,
    /// Some of the differing texts, without duplicates.
    pub examples: Vec<Example>,
    /// The first pages.
    pub pages: Vec<PageOfGroup>,
}

/// The text of a differing block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The side that keeps the block.
    pub kept_by: Keeper,
    /// The text, possibly truncated.
    pub text: String,
    /// The id of the first page that contains the text.
    pub page: String,
    /// Number of pages whose examples contain the text.
    pub num_seen: u64,
}

/// A page of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageOfGroup {
    /// Id of the page.
    pub id: String,
    /// URL of the page, if known.
    pub url: Option<String>,
}

/// Totals of groups that are not listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Number of groups. A group that was pruned while pages were read may be counted more than once.
    pub num_groups: u64,
    /// Number of differing letters in these groups and in places that were not grouped.
    pub letters: u64,
}

/// An entry in the list of pages that differ most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopPage {
    /// Id of the page.
    pub id: String,
    /// URL of the page, if known.
    pub url: Option<String>,
    /// Numbers of letters.
    pub letters: Counts,
}

/// A page or input that could not be read or compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailedPage {
    /// The id of the page, or the path of the input.
    pub id: String,
    /// The reason.
    pub error: String,
}

impl Difference {
    /// Adds a page.
    pub fn add(&mut self, page: PageDifference) {
        let total = &mut self.total;
        total.num_pages += 1;
        total.num_different += u64::from(page.is_different());
        total.blocks += page.blocks;
        total.letters += page.letters;
        for side in 0..2 {
            total.not_found[side] += page.not_found[side];
            total.missing[side] += u64::from(page.missing[side]);
        }
        count(&mut self.page_types, page.page_type.as_deref(), &page);
        count(&mut self.languages, page.language.as_deref(), &page);
        self.num_entries += 1;
        let new = Numbered { number: self.num_entries, entry: Site::default() };
        let site = &mut self.sites.entry(page.site.clone()).or_insert(new).entry;
        site.num_pages += 1;
        site.num_different += u64::from(page.is_different());
        site.letters += page.letters;
        let PageDifference { id, url, site, letters, places, .. } = page;
        let (id, url) = (cut(&id), url.as_deref().map(cut));
        let in_places: u64 = places.iter().map(|place| place.letters.different()).sum();
        total.left_out.letters += letters.different().saturating_sub(in_places);
        for place in places {
            self.num_entries += 1;
            let new = Numbered { number: self.num_entries, entry: Group::default() };
            let key = (site.clone(), place.path.clone());
            self.groups.entry(key).or_insert(new).entry.add(place, &id, url.as_ref());
        }
        if letters.different() > 0 {
            self.add_top(TopPage { id, url, letters });
        }
        self.bound();
    }

    /// Counts a page that was compared although it may be incomplete.
    pub fn add_defect(&mut self) {
        self.total.num_defects += 1;
    }

    /// Adds a page or an input that could not be read or compared.
    pub fn add_failed(&mut self, id: &str, error: &str) {
        self.total.num_failed += 1;
        if self.total.errors.len() < MAX_ERRORS {
            self.total.errors.push(FailedPage { id: cut(id), error: cut(error) });
        }
    }

    /// Number of pages that were compared.
    pub fn num_pages(&self) -> u64 {
        self.total.num_pages
    }

    /// Number of pages and inputs that failed.
    pub fn num_failed(&self) -> u64 {
        self.total.num_failed
    }

    /// Adds a page to the list of pages that differ most. Among pages that differ equally, earlier pages come
    /// first.
    fn add_top(&mut self, page: TopPage) {
        let better = |other: &TopPage| other.letters.different() >= page.letters.different();
        let pages = &mut self.total.top_pages;
        let at = pages.partition_point(better);
        if at < MAX_TOP_PAGES {
            pages.insert(at, page);
            pages.truncate(MAX_TOP_PAGES);
        }
    }

    /// Prunes the groups and sites with the fewest differing letters if there are too many.
    fn bound(&mut self) {
        if self.groups.len() > 2 * MAX_GROUPS {
            self.leave_out(MAX_GROUPS);
        }
        if self.sites.len() > 2 * MAX_SITES {
            keep_most(&mut self.sites, MAX_SITES, |site| site.letters.different());
        }
    }

    /// Keeps at most `most` groups, those with the most differing letters, and adds the other groups to the totals.
    fn leave_out(&mut self, most: usize) {
        let dropped = keep_most(&mut self.groups, most, |group| group.letters.different());
        self.total.left_out.num_groups += dropped.len() as u64;
        self.total.left_out.letters += dropped.iter().map(|group| group.letters.different()).sum::<u64>();
    }

    /// Returns the result. It lists at most `max_groups` groups, those with the most differing letters.
    pub fn finish(mut self, names: [String; 2], max_groups: usize) -> Summary {
        self.leave_out(max_groups);
        let mut groups: Vec<(Key, Numbered<Group>)> = self.groups.into_iter().collect();
        groups.sort_by_key(|(_, group)| (std::cmp::Reverse(group.entry.letters.different()), group.number));
        let mut sites: Vec<Site> = Vec::new();
        let mut site_at: FxHashMap<Option<String>, usize> = FxHashMap::default();
        for ((name, path), group) in groups {
            let at = *site_at.entry(name.clone()).or_insert_with(|| {
                let counts = self.sites.remove(&name).map(|site| site.entry).unwrap_or_default();
                sites.push(Site { site: name, ..counts });
                sites.len() - 1
            });
            sites[at].groups.push(Group { path, ..group.entry });
        }
        // the sort is stable, so sites with equally many letters keep the order of their groups
        sites.sort_by_key(|site| std::cmp::Reverse(site.letters.different()));
        Summary {
            names,
            page_types: sorted(self.page_types),
            languages: sorted(self.languages),
            sites,
            ..self.total
        }
    }
}

impl Group {
    fn add(&mut self, place: PlaceDifference, id: &str, url: Option<&String>) {
        self.num_pages += 1;
        self.blocks += place.blocks;
        self.letters += place.letters;
        if self.pages.len() < MAX_PAGES {
            self.pages.push(PageOfGroup { id: id.to_owned(), url: url.cloned() });
        }
        for found in place.examples {
            let is_same = |e: &&mut Example| e.kept_by == found.kept_by && e.text == found.text;
            if let Some(same) = self.examples.iter_mut().find(is_same) {
                same.num_seen += 1;
                continue;
            }
            if self.examples.iter().filter(|e| e.kept_by == found.kept_by).count() < MAX_EXAMPLES {
                let (kept_by, text) = (found.kept_by, found.text);
                self.examples.push(Example { kept_by, text, page: id.to_owned(), num_seen: 1 });
            }
        }
    }
}

fn count(names: &mut BTreeMap<String, NamedPages>, name: Option<&str>, page: &PageDifference) {
    let name = name.unwrap_or(UNKNOWN);
    let name = if names.contains_key(name) || names.len() < MAX_NAMES { name } else { OTHERS };
    let found = names
        .entry(name.to_owned())
        .or_insert_with(|| NamedPages { name: cut(name), ..NamedPages::default() });
    found.num_pages += 1;
    found.num_different += u64::from(page.is_different());
    found.letters += page.letters;
}

fn sorted(names: BTreeMap<String, NamedPages>) -> Vec<NamedPages> {
    let mut names: Vec<NamedPages> = names.into_values().collect();
    names.sort_by_key(|found| std::cmp::Reverse(found.num_pages));
    names
}

/// Keeps at most `most` entries, those with the greatest values. Among equal values, earlier entries are kept.
/// Returns the other entries.
fn keep_most<K: Eq + std::hash::Hash + Clone, T>(
    map: &mut FxHashMap<K, Numbered<T>>,
    most: usize,
    value: impl Fn(&T) -> u64,
) -> Vec<T> {
    if map.len() <= most {
        return Vec::new();
    }
    let mut order: Vec<_> = map
        .iter()
        .map(|(key, entry)| (std::cmp::Reverse(value(&entry.entry)), entry.number, key.clone()))
        .collect();
    order.sort_unstable_by_key(|(value, number, _)| (*value, *number));
    order.drain(most..).filter_map(|(.., key)| map.remove(&key)).map(|dropped| dropped.entry).collect()
}

/// Truncates a string to at most [`MAX_NAME_BYTES`] bytes and an ellipsis.
fn cut(text: &str) -> String {
    if text.len() <= MAX_NAME_BYTES {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX_NAME_BYTES)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::ExampleText;

    fn page(id: usize, site: &str, path: &str, only_a: u64, only_b: u64, text: &str) -> PageDifference {
        let letters = Counts { both: 10, only_a, only_b, neither: 5 };
        let kept_by = if only_a > 0 { Keeper::A } else { Keeper::B };
        let place = PlaceDifference {
            path: path.to_owned(),
            blocks: Counts { only_a: 1, ..Counts::default() },
            letters: Counts { only_a, only_b, ..Counts::default() },
            examples: vec![ExampleText { kept_by, text: text.to_owned() }],
        };
        PageDifference {
            id: id.to_string(),
            site: Some(site.to_owned()),
            letters,
            blocks: Counts { both: 1, only_a: 1, only_b: 0, neither: 1 },
            places: if only_a + only_b > 0 { vec![place] } else { Vec::new() },
            ..PageDifference::default()
        }
    }

    fn names() -> [String; 2] {
        ["a".to_owned(), "b".to_owned()]
    }

    #[test]
    fn pages_are_grouped_by_site_and_path() {
        let mut all = Difference::default();
        for (id, (site, path, only_a, only_b, text)) in [
            ("x.org", "p", 3, 0, "one"),
            ("x.org", "p", 4, 0, "one"),
            ("x.org", "li", 0, 9, "two"),
            ("y.org", "p", 20, 0, "three"),
            ("z.org", "p", 0, 0, ""),
        ]
        .into_iter()
        .enumerate()
        {
            all.add(page(id, site, path, only_a, only_b, text));
        }
        all.add_failed("7", "damaged");
        let summary = all.finish(names(), 100);
        assert_eq!((summary.num_pages, summary.num_different, summary.num_failed), (5, 4, 1));
        assert_eq!(summary.letters, Counts { both: 50, only_a: 27, only_b: 9, neither: 25 });
        let sites: Vec<_> =
            summary.sites.iter().map(|s| (s.site.as_deref(), s.letters.different())).collect();
        assert_eq!(sites, [(Some("y.org"), 20), (Some("x.org"), 16)]);
        let groups: Vec<_> = summary.sites[1]
            .groups
            .iter()
            .map(|g| (g.path.as_str(), g.num_pages, g.letters.different()))
            .collect();
        assert_eq!(groups, [("li", 1, 9), ("p", 2, 7)]);
        let examples = &summary.sites[1].groups[1].examples;
        assert_eq!((examples.len(), examples[0].num_seen, examples[0].page.as_str()), (1, 2, "0"));
        let top: Vec<_> = summary.top_pages.iter().map(|page| page.id.as_str()).collect();
        assert_eq!(top, ["3", "2", "1", "0"]);
        assert_eq!(summary.errors, [FailedPage { id: "7".to_owned(), error: "damaged".to_owned() }]);
    }

    #[test]
    fn groups_beyond_the_limit_are_counted() {
        let add = |most: usize| {
            let mut all = Difference::default();
            for id in 0..3 * MAX_GROUPS {
                all.add(page(
                    id,
                    &format!("{}.org", id % 7),
                    &format!("p.c{id}"),
                    1 + id as u64 % 90,
                    0,
                    "x",
                ));
            }
            assert!(all.groups.len() <= 2 * MAX_GROUPS);
            all.finish(names(), most)
        };
        let summary = add(50);
        let listed: Vec<u64> =
            summary.sites.iter().flat_map(|s| &s.groups).map(|g| g.letters.different()).collect();
        assert_eq!((listed.len(), listed.iter().min()), (50, Some(&90)));
        assert_eq!(summary.left_out.num_groups, 3 * MAX_GROUPS as u64 - 50);
        assert_eq!(summary.left_out.letters + listed.iter().sum::<u64>(), summary.letters.different());
        assert_eq!(summary.top_pages.len(), MAX_TOP_PAGES);
        assert_eq!(add(50), summary);
        assert!(add(0).sites.is_empty());
    }

    #[test]
    fn names_are_bounded() {
        let mut all = Difference::default();
        for id in 0..2 * MAX_NAMES {
            let language = Some(format!("l{id}"));
            all.add(PageDifference { language, ..page(id, "x.org", "p", 1, 0, "x") });
        }
        all.add_failed(&"é".repeat(500), "x");
        let summary = all.finish(names(), 10);
        assert_eq!(summary.languages.len(), MAX_NAMES + 1);
        assert_eq!(summary.languages[0].name, OTHERS);
        assert_eq!(summary.languages.iter().map(|l| l.num_pages).sum::<u64>(), 2 * MAX_NAMES as u64);
        assert!(summary.errors[0].id.len() <= MAX_NAME_BYTES + 3);
        let [unknown] = &summary.page_types[..] else { panic!("one type") };
        assert_eq!((unknown.name.as_str(), unknown.num_pages), (UNKNOWN, 2 * MAX_NAMES as u64));
    }
}
