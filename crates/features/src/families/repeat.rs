//! How often the page repeats the structure around a block, as in listings, forums, product lists and menus.

use crate::{Column, Family, Grid, PageContext, ratio};
use rustc_hash::FxHashMap;
use threshr_html::NodeId;
use threshr_page::names::keys::{Keys, Paths};

/// The family.
pub(crate) struct Repeat;

const SOURCE: &str =
    "this project; repeated structure as in Kimatu (CleanEval 2007) and MDR (Liu et al. 2003)";

/// Paths by which blocks are grouped: the prefix of the column names, and the description.
const PATHS: &[(&str, &str)] = &[
    ("tag", "same tag path from html"),
    ("class", "same path of tags and classes from html (digits are ignored)"),
];
const PER_PATH: &[(&str, &str, &str)] = &[
    ("num", "blocks", "number of blocks with the {}"),
    ("share", "ratio", "share of the page's blocks with the {}"),
    ("words_share", "ratio", "share of the page's words in blocks with the {}"),
    ("place", "ratio", "blocks with the {} before this block / all blocks with the {}"),
    ("mean_words", "words", "mean number of words of the blocks with the {}"),
    ("words_deviation", "words", "standard deviation of the number of words of the blocks with the {}"),
    ("link_density", "ratio", "link density of the blocks with the {}"),
];

/// Elements whose siblings are counted: the block-level element and its nearest ancestors.
const LEVELS: &[&str] =
    &["block-level element", "block-level element's parent", "grandparent", "3rd ancestor"];
const PER_LEVEL: &[(&str, &str, &str)] = &[
    (
        "num",
        "elements",
        "number of siblings with the same tag and class as the {}, including the {} itself; 0 if there is no \
         {}",
    ),
    (
        "place",
        "ratio",
        "siblings before the {} with the same tag and class / all siblings with the same tag and class",
    ),
    (
        "words_share",
        "ratio",
        "share of the page's words that are inside the {} and its siblings with the same tag and class",
    ),
    ("mean_words", "words", "mean number of words of the {} and its siblings with the same tag and class"),
];

/// Minimum number of records in a list, and minimum mean number of words per record.
const MIN_RECORDS: u32 = 3;
const MIN_RECORD_WORDS: u32 = 10;
const RECORD: &[(&str, &str, &str)] = &[
    (
        "record_num",
        "elements",
        "number of records in the longest list around the block; 0 without a list. A list consists of 3 or \
         more siblings (records) with the same tag and class, and with 10 words or more on average; if two \
         lists have equal lengths, the outer list is used",
    ),
    (
        "record_place",
        "ratio",
        "records before the record that contains the block / all records of the longest list around the \
         block; 0 without a list",
    ),
    (
        "record_words_share",
        "ratio",
        "share of the page's words that are inside the records of the longest list around the block; 0 \
         without a list",
    ),
    (
        "record_mean_words",
        "words",
        "mean number of words of the records of the longest list around the block; 0 without a list",
    ),
    (
        "record_link_density",
        "ratio",
        "link density of the records of the longest list around the block; 0 without a list",
    ),
    (
        "record_own_share",
        "ratio",
        "words of the block / words of the record that contains the block; 0 without a list",
    ),
];

impl Family for Repeat {
    fn name(&self) -> &'static str {
        "repeat"
    }
    fn summary(&self) -> &'static str {
        "how often the page repeats the structure around a block"
    }
    fn columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        for (prefix, what) in PATHS {
            columns.extend(PER_PATH.iter().map(|&(name, unit, definition)| {
                Column::new(format!("{prefix}_{name}"), unit, definition.replace("{}", what), SOURCE)
            }));
        }
        for (level, what) in LEVELS.iter().enumerate() {
            columns.extend(PER_LEVEL.iter().map(|&(name, unit, definition)| {
                Column::new(format!("up{level}_{name}"), unit, definition.replace("{}", what), SOURCE)
            }));
        }
        columns.extend(RECORD.iter().map(|&(name, unit, text)| Column::new(name, unit, text, SOURCE)));
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let keys = page.keys();
        let path: [fn(Paths) -> u64; 2] = [|paths| paths.tags, |paths| paths.classes];
        for (i, path) in path.into_iter().enumerate() {
            let path = |index| path(keys.paths(page.blocks, page.block(index).leaf));
            fill_paths(page, path, i * PER_PATH.len(), out);
        }
        let siblings = Siblings::new(page, keys);
        for index in 0..page.len() {
            siblings.fill(page, index, PATHS.len() * PER_PATH.len(), out);
        }
    }
}

/// Sums over the blocks with the same path.
#[derive(Default)]
struct PathGroup {
    blocks: u32,
    words: u32,
    link_words: u32,
    squares: f64,
}

fn fill_paths(page: &PageContext<'_>, path: impl Fn(usize) -> u64, first: usize, out: &mut Grid<'_>) {
    let mut numbers: FxHashMap<u64, usize> = FxHashMap::default();
    let mut groups: Vec<PathGroup> = Vec::new();
    let mut places = Vec::with_capacity(page.len());
    for (index, stats) in page.stats.iter().enumerate() {
        let number = *numbers.entry(path(index)).or_insert(groups.len());
        if number == groups.len() {
            groups.push(PathGroup::default());
        }
        let group = &mut groups[number];
        places.push((number, group.blocks));
        group.blocks += 1;
        group.words += stats.num_words;
        group.link_words += stats.num_link_words;
        group.squares += f64::from(stats.num_words).powi(2);
    }
    let total = page.total();
    for (index, (number, place)) in places.into_iter().enumerate() {
        let g = &groups[number];
        let mean = f64::from(g.words) / f64::from(g.blocks);
        let variance = (g.squares / f64::from(g.blocks) - mean * mean).max(0.0);
        let values = [
            g.blocks as f32,
            ratio(g.blocks, total.blocks),
            ratio(g.words, total.words),
            ratio(place, g.blocks),
            mean as f32,
            variance.sqrt() as f32,
            ratio(g.link_words, g.words),
        ];
        out.set_all(first, index, &values);
    }
}

/// Sums over elements with the same tag and class under the same parent.
#[derive(Default, Clone, Copy)]
struct Group {
    num: u32,
    words: u32,
    link_words: u32,
}

/// Position of an element among its siblings.
#[derive(Default, Clone, Copy)]
struct Place {
    group: u32,
    number: u32,
    record: NodeId,
}

/// Maximum initial capacity for groups. Malicious pages may have many elements but few groups.
const GROUPS: usize = 4_096;

/// The groups of a page, and the position of every element in its group.
struct Siblings {
    groups: Vec<Group>,
    /// For each element, by its index: its group, its position in the group, and the record that contains it. A
    /// record is an element of the longest list around it; 0 if there is no list.
    places: Vec<Place>,
}

impl Siblings {
    fn new(page: &PageContext<'_>, keys: &Keys) -> Self {
        let mut found = Siblings {
            // group 0 stands for nodes that are not visible elements
            groups: vec![Group::default()],
            places: Vec::with_capacity(page.blocks.elements().len()),
        };
        let capacity = page.blocks.elements().len().min(GROUPS);
        let mut numbers: FxHashMap<(NodeId, u64), u32> =
            FxHashMap::with_capacity_and_hasher(capacity, Default::default());
        for &node in page.blocks.elements() {
            let key = (page.doc.parent(node).unwrap_or(0), keys.kind(page.doc, page.names(), node));
            let number = *numbers.entry(key).or_insert(found.groups.len() as u32);
            if number as usize == found.groups.len() {
                found.groups.push(Group::default());
            }
            let group = &mut found.groups[number as usize];
            let inside = page.inside(node);
            found.places.push(Place { group: number, number: group.num, record: 0 });
            group.num += 1;
            group.words += inside.words;
            group.link_words += inside.link_words;
        }
        found.mark_records(page);
        found
    }

    /// Finds the record around each element. In document order, ancestors come first, so their records are
    /// known.
    fn mark_records(&mut self, page: &PageContext<'_>) {
        for (index, &node) in page.blocks.elements().iter().enumerate() {
            let above = page.doc.parent(node).map_or(0, |up| self.place(page, up).record);
            let own = self.group(self.places[index]);
            let is_list = own.num >= MIN_RECORDS && own.words / own.num >= MIN_RECORD_WORDS;
            let wins = is_list && own.num > self.group(self.place(page, above)).num;
            self.places[index].record = if wins { node } else { above };
        }
    }

    fn place(&self, page: &PageContext<'_>, node: NodeId) -> Place {
        let index = page.blocks.element_index(node);
        index.and_then(|index| self.places.get(index)).copied().unwrap_or_default()
    }

    /// Returns the group of a position.
    fn group(&self, place: Place) -> Group {
        self.groups[place.group as usize]
    }

    fn fill(&self, page: &PageContext<'_>, index: usize, first: usize, out: &mut Grid<'_>) {
        let total = page.total().words;
        let node = page.block(index).node;
        for (level, at) in page.doc.ancestors_and_self(node).take(LEVELS.len()).enumerate() {
            let place = self.place(page, at);
            let group = self.group(place);
            let values = [
                group.num as f32,
                ratio(place.number, group.num),
                ratio(group.words, total),
                ratio(group.words, group.num),
            ];
            out.set_all(first + level * PER_LEVEL.len(), index, &values);
        }
        let record = self.place(page, node).record;
        if record == 0 {
            return;
        }
        let place = self.place(page, record);
        let group = self.group(place);
        let values = [
            group.num as f32,
            ratio(place.number, group.num),
            ratio(group.words, total),
            ratio(group.words, group.num),
            ratio(group.link_words, group.words),
            ratio(page.stats[index].num_words, page.inside(record).words),
        ];
        out.set_all(first + LEVELS.len() * PER_LEVEL.len(), index, &values);
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn paths_are_counted_with_and_without_classes() {
        let html = "<ul><li class=a1>one two<li class=a2><a href=x>three</a><li class=b>four</ul><p>five";
        assert_eq!(values(html, "repeat.tag_num"), [2.0, 1.0, 2.0, 1.0]);
        assert_eq!(values(html, "repeat.class_num"), [1.0; 4]);
        assert_eq!(values(html, "repeat.tag_place"), [0.0, 0.0, 0.5, 0.0]);
        assert_eq!(values(html, "repeat.tag_mean_words"), [1.5, 1.0, 1.5, 1.0]);
        assert_eq!(values(html, "repeat.tag_words_deviation"), [0.5, 0.0, 0.5, 0.0]);
        assert_eq!(values(html, "repeat.tag_words_share"), [0.6, 0.2, 0.6, 0.2]);
        assert_eq!(values(html, "repeat.class_link_density"), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn siblings_are_those_of_one_tag_and_class() {
        let html = "<ul><li class='a1 odd'>one two<li class='a2 even'>three<li class=b>four</ul>";
        assert_eq!(values(html, "repeat.up0_num"), [2.0, 2.0, 1.0]);
        assert_eq!(values(html, "repeat.up0_place"), [0.0, 0.5, 0.0]);
        assert_eq!(values(html, "repeat.up0_mean_words"), [1.5, 1.5, 1.0]);
        assert_eq!(values(html, "repeat.up1_num"), [1.0; 3]);
        // levels: li, ul, body, html
        assert_eq!(values(html, "repeat.up3_num"), [1.0; 3]);
        assert_eq!(values("text", "repeat.up2_num"), [0.0]);
    }

    #[test]
    fn records_are_the_longest_list_of_siblings_with_enough_words() {
        let post = |i: usize| format!("<div class=post><b>Name {i}</b><p>{}</p></div>", "word ".repeat(20));
        let html = format!("<ul><li>a<li>b<li>c<li>d<li>e</ul>{}", (0..4).map(post).collect::<String>());
        let num = values(&html, "repeat.record_num");
        assert_eq!(num, [[0.0; 5].as_slice(), &[4.0; 8]].concat());
        assert_eq!(values(&html, "repeat.record_mean_words")[6], 22.0);
        assert_eq!(values(&html, "repeat.record_place")[7..9], [0.25, 0.25]);
        assert_eq!(values(&html, "repeat.record_own_share")[5], 2.0 / 22.0);
    }
}
