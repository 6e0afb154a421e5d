//! Training pages in other forms: under other policies than their set's, without attributes, with things added or in place of
//! their content.
//!
//! A set has one policy, so a model can hardly tell what a single switch of it does. Which block is the headline, which say author
//! and date and which are captions stands in the page: for some of the training pages the policy is switched there, and the labels with it; and
//! pages of sets of articles have neither posts nor entries, which change no label where they are counted.

mod added;
mod additions;
mod grown;
mod maker;
mod phrases;
mod substituted;
mod substitutes;

use super::Corpus;
use super::switches::Places;
use crate::features::{COMMENT_COLUMN, FeatureMatrix, told_column};
use crate::policy::{PROPERTIES, Property, property};
use ndarray::Axis;
use rustc_hash::FxHashMap;

pub(super) use grown::{Growing, Grown, Growth, Original};

/// What was switched, to be switched back.
pub(super) struct Switched {
    page: usize,
    labels: Vec<bool>,
}

impl Corpus {
    /// Switches properties on some of `pages`: on a fifth of them that of the headline, on another that of captions, on one more that of
    /// author and date; and on a third of those of sets of articles alone it counts the posts and entries that they do not have ([`absent`]), by
    /// which their labels stay as they are: what only news sets have, such as languages, is then not known to `article` alone.
    pub(super) fn switch_policies(&mut self, pages: &[usize]) -> Vec<Switched> {
        let mut switched = Vec::new();
        for &page in pages {
            let labels = self.pages[page].labels.clone();
            let hash = self.pages[page].hash;
            let mut changed = match Draw::Told.of(&hash) % 5 {
                0 => self.switch_told(page, "title"),
                1 => self.switch_told(page, "captions"),
                2 => self.switch_told(page, "byline"),
                _ => false,
            };
            changed |= self.switch_absent(page, absent(Draw::Absent.of(&hash), Draw::Alone.of(&hash)));
            if changed {
                switched.push(Switched { page, labels });
            }
        }
        switched
    }

    /// Switches a property whose blocks the page tells, and their labels; none that no column says anything of.
    fn switch_told(&mut self, page: usize, name: &str) -> bool {
        let labels = &self.pages[page].labels;
        let (first, last) = (labels.iter().position(|&l| l), labels.iter().rposition(|&l| l));
        // captions of other stories, and of a menu's pictures, stand further from the content
        let is_inside =
            |i: usize| name != "captions" || Some(i + 1) >= first && Some(i) <= last.map(|l| l + 1);
        let told = self.pages[page].told.iter().filter(|t| t.1.name == name && is_inside(t.0 as usize));
        let told: Vec<(usize, &'static Property)> = told.map(|t| (t.0 as usize, t.1)).collect();
        let Some(&(_, property)) = told.first() else { return false };
        if Places::of(self.columns(), property).is_empty() {
            return false;
        }
        let on = !self.pages[page].policy.has(property);
        told.into_iter().for_each(|(block, _)| self.pages[page].labels[block] = on);
        self.set_policy_column(page, property, on);
        true
    }

    /// Switches on what a page of a set of articles does not have: of one whose policy has neither posts nor items.
    fn switch_absent(&mut self, page: usize, names: &[&str]) -> bool {
        let policy = self.pages[page].policy;
        let is_of_articles = ["posts", "items"].iter().all(|n| property(n).is_ok_and(|p| !policy.has(p)));
        if names.is_empty() || !is_of_articles {
            return false;
        }
        names.iter().filter_map(|n| property(n).ok()).for_each(|p| self.set_policy_column(page, p, true));
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

    /// Takes the attributes from those of `pages` that are learned from without, and gives them back the next time: the
    /// values that differ change places.
    pub(super) fn swap_bare(&mut self, pages: &[usize]) {
        let width = self.x.ncols();
        let Some(features) = &self.features else { return };
        let learned: Vec<&str> = features.learned_families().iter().map(|f| f.name()).collect();
        let values = self.x.as_slice_mut();
        debug_assert!(values.is_some(), "rows are kept one after the other");
        let Some(values) = values else { return };
        let mut places: Option<Vec<Option<usize>>> = None;
        for &page in pages {
            let Some(bare) = &mut self.pages[page].bare else { continue };
            let places = places.get_or_insert_with(|| places_in(bare, &self.columns, &learned));
            let rows = self.offsets[page] * width..self.offsets[page + 1] * width;
            for (row, mut bare) in values[rows].chunks_exact_mut(width).zip(bare.rows_mut()) {
                for (value, place) in row.iter_mut().zip(places.iter()) {
                    if let Some(place) = place {
                        std::mem::swap(value, &mut bare[*place]);
                    }
                }
            }
        }
    }

    fn set_policy_column(&mut self, page: usize, property: &Property, on: bool) {
        let places = Places::of(self.columns(), property);
        let rows = self.rows_of(page);
        self.x
            .slice_axis_mut(Axis(0), rows.into())
            .rows_mut()
            .into_iter()
            .for_each(|row| places.set(row, on));
        // without attributes others may be told
        if let Some(bare) = &mut self.pages[page].bare {
            let places = Places::of(bare.columns(), property);
            bare.rows_mut().for_each(|row| places.set_sign(row, on));
        }
    }
}

/// What is drawn for a page, each by a byte of its own of the hash of the page's bytes: so that no other page changes it, and no
/// two draws go together. Bytes 8 to 15 are the seed of what is added.
#[derive(Debug, Clone, Copy)]
pub(super) enum Draw {
    /// Whether the headline, author and date, or captions are switched.
    Told = 0,
    /// Whether what the page does not have is counted.
    Absent = 1,
    /// Whether it is learned from without attributes.
    Bare = 2,
    /// Whether the page that has grown is.
    GrownBare = 3,
    /// Whether stories are added.
    Stories = 4,
    /// Whether comments are.
    Comments = 5,
    /// Whether added comments are content against the set's policy.
    CommentsCount = 6,
    /// Whether added stories are.
    StoriesCount = 7,
    /// Whether posts or entries are counted alone.
    Alone = 16,
    /// Whether something else takes the place of the content.
    Substituted = 17,
    /// What.
    Substitute = 18,
}

impl Draw {
    /// Its byte.
    pub(super) fn of(self, hash: &[u8; 32]) -> u8 {
        hash[self as usize]
    }
}

/// What is counted of what a page does not have, by its draws whether and whether alone: posts and entries on a third of the pages, on an
/// eighth of these one alone, so that it can be told from the other. More cost a little on sets that no model has seen.
/// Pieces of few words are counted where entries are.
fn absent(whether: u8, alone: u8) -> &'static [&'static str] {
    match (whether % 3, alone) {
        (0, 0..16) => &["posts"],
        (0, 16..32) => &["items", "fragments"],
        (0, _) => &["posts", "items", "fragments"],
        _ => &[],
    }
}

/// Whether a page, by a byte of the hash of its bytes, is one of a share of the pages.
pub(super) fn is_drawn(byte: u8, share: f32) -> bool {
    f32::from(byte) < share * 256.0
}

/// Where each of `columns` stands in a matrix without attributes; `None` for columns that do not rest on them, or that are
/// filled later.
fn places_in(bare: &FeatureMatrix, columns: &[String], learned: &[&str]) -> Vec<Option<usize>> {
    let place: FxHashMap<&str, usize> = bare.columns().iter().map(String::as_str).zip(0..).collect();
    let signs: Vec<String> = PROPERTIES.iter().filter_map(told_column).collect();
    let of = |name: &String| {
        let family = name.split('.').next().unwrap_or("");
        // learned from text, filled from other pages, or switched with the labels; of names none is left, so that these are 0
        let stays = learned.contains(&family) && family != "attribute_tokens"
            || family == "policy" && !signs.contains(name) && name != COMMENT_COLUMN
            || family == "site_repeat";
        if stays { None } else { place.get(name.as_str()).copied() }
    };
    columns.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Recipe, VariantRecipe};
    use super::*;
    use crate::features::FeatureSet;
    use crate::gold::{DataSet, Gold, GoldPage, Snippets};
    use crate::policy::Policy;
    use crate::progress::Quiet;
    use ndarray::Axis;

    #[test]
    fn posts_and_entries_are_switched_together_and_apart_and_labels_stay() {
        let dir = tempfile::tempdir().expect("a folder");
        let pages = (0..200).map(|i| {
            let html = format!(
                "<div><a href=/>Home</a></div><p>Text of page {i}.<div class=comment-list>Thanks a lot!</div>"
            );
            page(dir.path(), &i.to_string(), &html, &format!("Text of page {i}."))
        });
        let set = set(dir.path(), pages.collect());
        let features = FeatureSet::parse("shallow.num_words+policy+attribute", &[]).expect("a set");
        for (policy, found) in [
            ("article", vec![(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]),
            ("main", vec![(1.0, 1.0)]),
            ("main-fragments", vec![(1.0, 1.0)]),
            ("article+posts", vec![(1.0, 0.0)]),
        ] {
            let mut recipe = Recipe::default();
            recipe.policy.sets.insert("set".into(), Policy::parse(policy).expect("a policy"));
            let mut corpus =
                Corpus::read(std::slice::from_ref(&set), &recipe, Some(&features), &Quiet).expect("read");
            let x = corpus.x.clone();
            let labels: Vec<_> = corpus.pages.iter().map(|p| p.labels.clone()).collect();
            let pages: Vec<usize> = (0..corpus.pages.len()).collect();
            let switched = corpus.switch_policies(&pages);
            assert!(corpus.pages.iter().map(|p| &p.labels).eq(&labels));
            let value = |page: usize, name: &str| {
                let column =
                    corpus.columns().iter().position(|c| *c == format!("policy.{name}")).expect("a column");
                corpus.x[[corpus.rows_of(page).start, column]]
            };
            // what is named as comments may be posts where these count
            let signs = |page: usize| {
                let column = corpus.columns().iter().position(|c| c == "policy.comment").expect("a column");
                corpus.x.column(column).to_vec()[corpus.rows_of(page)].to_vec()
            };
            let sign = |page| if value(page, "posts") > 0.0 { 0.0 } else { -1.0 };
            assert!(pages.iter().all(|&i| signs(i) == [0.0, 0.0, sign(i)]));
            let is_whole = policy != "main-fragments";
            assert!(pages.iter().all(|&i| value(i, "items") == value(i, "fragments") || !is_whole));
            assert!(is_whole || pages.iter().all(|&i| value(i, "fragments") == 0.0));
            let mut pairs: Vec<_> = pages.iter().map(|&i| (value(i, "posts"), value(i, "items"))).collect();
            pairs.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
            pairs.dedup();
            assert_eq!(pairs, found, "{policy}");
            corpus.switch_back(switched);
            assert_eq!(corpus.x, x);
        }
    }

    fn page(dir: &std::path::Path, id: &str, html: &str, gold: &str) -> GoldPage {
        let path = dir.join(format!("{id}.html"));
        std::fs::write(&path, html).expect("a page");
        GoldPage {
            id: id.into(),
            path,
            url: None,
            lang: None,
            charset: None,
            site: None,
            page_type: None,
            gold: Some(Gold::Text { text: gold.into(), markup: None }),
            snippets: Snippets::default(),
        }
    }

    fn set(dir: &std::path::Path, pages: Vec<GoldPage>) -> DataSet {
        DataSet { name: "set".into(), path: dir.to_path_buf(), format: "jsonl", policy: None, pages }
    }

    /// Pages under the policy `article`, of which some are to be switched.
    fn articles(dir: &std::path::Path, pages: Vec<GoldPage>) -> Corpus {
        articles_with("policy", dir, pages)
    }

    fn articles_with(features: &str, dir: &std::path::Path, pages: Vec<GoldPage>) -> Corpus {
        let features = FeatureSet::parse(features, &[]).expect("a set");
        let mut recipe = Recipe::default();
        recipe.policy.sets.insert("set".into(), Policy::parse("article").expect("a policy"));
        recipe.policy.switch = true;
        Corpus::read(&[set(dir, pages)], &recipe, Some(&features), &Quiet).expect("read")
    }

    #[test]
    fn captions_are_switched_where_the_content_stands() {
        let dir = tempfile::tempdir().expect("a folder");
        let figure = |text: &str| format!("<figure><img><figcaption>{text}</figcaption></figure>");
        // a fifth of the pages, by their bytes
        let pages = (0..60).map(|i| {
            let (inside, behind) = (figure("A red shoe"), figure("Other story"));
            let html = format!("<p>Menu {i}<p>Some words.{inside}<p>More of them.<p>Imprint<p>Terms{behind}");
            page(dir.path(), &i.to_string(), &html, "Some words. More of them.")
        });
        let mut corpus = articles(dir.path(), pages.collect());
        let before = corpus.pages.iter().map(|p| p.labels.clone()).collect::<Vec<_>>();
        assert!(before.iter().all(|l| *l == [false, true, false, true, false, false, false]));
        let all: Vec<usize> = (0..60).collect();
        let x = corpus.x.clone();
        let switched = corpus.switch_policies(&all);
        let signs = corpus.columns().iter().position(|c| c == "policy.caption").expect("a column");
        for (page, labels) in corpus.pages.iter().map(|p| &p.labels).enumerate() {
            let sign = if labels[2] { 1.0 } else { -1.0 };
            let of_page = corpus.x.column(signs).to_vec()[corpus.rows_of(page)].to_vec();
            assert_eq!(of_page, [0.0, 0.0, sign, 0.0, 0.0, 0.0, sign]);
        }
        let with_caption = [false, true, true, true, false, false, false];
        let num_switched = corpus.pages.iter().filter(|p| p.labels == with_caption).count();
        let num_same = corpus.pages.iter().zip(&before).filter(|(p, b)| p.labels == **b).count();
        assert!(num_switched > 0 && num_switched + num_same == 60, "{num_switched} {num_same}");
        corpus.switch_back(switched);
        assert!(corpus.pages.iter().zip(&before).all(|(p, b)| p.labels == *b));
        assert_eq!(corpus.x, x);
    }

    #[test]
    fn headline_and_byline_are_switched_with_their_signs() {
        let dir = tempfile::tempdir().expect("a folder");
        let pages = (0..60).map(|i| {
            let html = format!(
                "<title>Rain falls on town {i}</title><h1>Rain falls on town {i}</h1><p>By Ann Miller<p>It rained."
            );
            page(dir.path(), &i.to_string(), &html, "It rained.")
        });
        let mut corpus = articles(dir.path(), pages.collect());
        let all: Vec<usize> = (0..60).collect();
        let x = corpus.x.clone();
        let switched = corpus.switch_policies(&all);
        let of = |name: &str| corpus.columns().iter().position(|c| c == name).expect("a column");
        let columns = ["title", "headline", "byline", "credit"].map(|n| of(&format!("policy.{n}")));
        let mut seen = std::collections::BTreeSet::new();
        for page in all {
            let labels = &corpus.pages[page].labels;
            let sign = |on: bool| if on { 1.0 } else { -1.0 };
            let first = corpus.rows_of(page).start;
            let value = |block: usize, column: usize| corpus.x[[first + block, columns[column]]];
            assert_eq!([value(0, 1), value(1, 1), value(2, 1)], [sign(labels[0]), 0.0, 0.0]);
            assert_eq!([value(0, 3), value(1, 3), value(2, 3)], [0.0, sign(labels[1]), 0.0]);
            assert_eq!([value(2, 0) > 0.0, value(2, 2) > 0.0, true], labels[..]);
            seen.insert((labels[0], labels[1]));
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [(false, false), (false, true), (true, false)]);
        corpus.switch_back(switched);
        assert_eq!(corpus.x, x);
    }

    #[test]
    fn nothing_is_switched_that_no_column_says() {
        let dir = tempfile::tempdir().expect("a folder");
        let pages = (0..60).map(|i| {
            let html = format!(
                "<title>Rain in town {i}</title><h1>Rain in town {i}</h1><p>By Ann Miller<p>It rained."
            );
            page(dir.path(), &i.to_string(), &html, "It rained.")
        });
        let pages: Vec<GoldPage> = pages.collect();
        let num_changed = |features: &str| {
            let mut corpus = articles_with(features, dir.path(), pages.clone());
            let before: Vec<_> = corpus.pages.iter().map(|p| p.labels.clone()).collect();
            corpus.switch_policies(&(0..60).collect::<Vec<_>>());
            corpus.pages.iter().zip(before).filter(|(p, before)| p.labels != *before).count()
        };
        assert_eq!(num_changed("shallow"), 0);
        let (one, all) = (num_changed("shallow+policy.title"), num_changed("policy"));
        assert!(0 < one && one < all, "{one} {all}");
    }

    #[test]
    fn rows_of_grown_pages_stay_theirs_when_pages_are_left_out() {
        let dir = tempfile::tempdir().expect("a folder");
        let html = |text: &str| format!("<div><a href=/>Home</a></div><div><p>{text}</p></div><p>End");
        let texts = ["One two three four. Five six.", "Seven eight nine.", "Ten eleven twelve. And more."];
        let pages = texts.iter().zip(["a", "b", "c"]).map(|(text, id)| {
            page(dir.path(), id, &html(text), if id == "b" { "Nothing of it here" } else { text })
        });
        let set = set(dir.path(), pages.collect());
        let recipe = Recipe {
            variants: VariantRecipe { comments: 1.0, ..VariantRecipe::default() },
            ..Recipe::default()
        };
        let features = FeatureSet::parse("shallow+thread", &[]).expect("a set");
        let corpus = Corpus::read(&[set], &recipe, Some(&features), &Quiet).expect("read");
        let grown = |corpus: &Corpus| -> Vec<(String, Vec<f32>)> {
            let rows =
                |r: &std::ops::Range<usize>| r.clone().flat_map(|i| corpus.x.row(i).to_vec()).collect();
            corpus.grown_rows.iter().map(|(p, r)| (corpus.pages[*p].id.clone(), rows(r))).collect()
        };
        let mut before = grown(&corpus);
        assert!(before.iter().any(|g| g.0 == "a") && before.iter().any(|g| g.0 == "c"), "{before:?}");
        before.retain(|g| g.0 != "b");
        let mut corpus = corpus.into_training(&recipe).expect("pages");
        assert_eq!(corpus.pages.len(), 2);
        assert_eq!(grown(&corpus), before);
        assert_eq!(corpus.num_rows(), corpus.x.nrows());
        // brought together for a fit, and back
        let x = corpus.x.clone();
        for rows in [vec![1..2, 2..3], vec![2..3, 0..1]] {
            let together = corpus.gather(&rows);
            let wanted: Vec<usize> = rows.iter().cloned().flatten().collect();
            assert_eq!(corpus.gathered(&together, 3), x.select(Axis(0), &wanted).select(Axis(1), &[0, 1, 2]));
            corpus.put_back(&together);
            assert_eq!(corpus.x, x);
        }
    }

    #[test]
    fn pages_lose_their_attributes_and_get_them_back() {
        let dir = tempfile::tempdir().expect("a folder");
        let html = "<div class=menu><a href=x>Home page</a></div><div class=post><p>Some words.</div>";
        let set = set(dir.path(), vec![page(dir.path(), "page", html, "Some words.")]);
        let recipe =
            Recipe { variants: VariantRecipe { bare: 1.0, ..VariantRecipe::default() }, ..Recipe::default() };
        let features =
            FeatureSet::parse("density.link_density+attribute.near_nav+attribute_tokens.num_known", &[]);
        let features = features.expect("a set");
        let mut corpus = Corpus::read(&[set], &recipe, Some(&features), &Quiet).expect("read");
        // learned columns are filled later; here by hand
        corpus.x.column_mut(2).fill(3.0);
        let before = corpus.x.clone();
        assert_eq!(before.row(0).to_vec(), [1.0, 0.5, 3.0]);
        corpus.swap_bare(&[0]);
        // its `<a>` still counts as a link
        assert_eq!(corpus.x, ndarray::array![[1.0, 0.0, 0.0], [0.0; 3]]);
        corpus.swap_bare(&[0]);
        assert_eq!(corpus.x, before);
    }

    #[test]
    fn without_attributes_no_name_tells_an_author() {
        let dir = tempfile::tempdir().expect("a folder");
        // the last is a caption by its name alone
        let html = "<h1>Rain falls on towns</h1><p class=byline>Ann Miller<p><time>today</time>\
            <div><img><p class=caption>By Bo Berg</div><p>It rained.";
        let set = set(dir.path(), vec![page(dir.path(), "page", html, "It rained.")]);
        let recipe =
            Recipe { variants: VariantRecipe { bare: 1.0, ..VariantRecipe::default() }, ..Recipe::default() };
        let features = FeatureSet::parse("policy.byline+policy.credit", &[]).expect("a set");
        let mut corpus = Corpus::read(&[set], &recipe, Some(&features), &Quiet).expect("read");
        assert_eq!(corpus.x.column(1).to_vec(), [0.0, -1.0, -1.0, 0.0, 0.0]);
        let byline = property("byline").expect("a property");
        corpus.set_policy_column(0, byline, true);
        corpus.swap_bare(&[0]);
        // what is switched stays so
        assert_eq!(corpus.x.column(1).to_vec(), [0.0, 0.0, 1.0, 1.0, 0.0]);
        assert_eq!(corpus.x.column(0).to_vec(), [1.0; 5]);
        corpus.swap_bare(&[0]);
        assert_eq!(corpus.x.column(1).to_vec(), [0.0, 1.0, 1.0, 0.0, 0.0]);
        corpus.set_policy_column(0, byline, false);
        corpus.swap_bare(&[0]);
        assert_eq!(corpus.x.column(1).to_vec(), [0.0, 0.0, -1.0, -1.0, 0.0]);
    }
}
