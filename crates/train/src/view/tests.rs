//! Tests for rows, labels and policy columns of training views.

use super::*;
use crate::corpus::PageRows;
use crate::corpus::tests::{column, corpus, page, set, varied};
use ndarray::Array2;
use std::collections::BTreeSet;
use std::path::Path;
use threshr_extract::recipe::{AugmentationRecipe, PolicyRecipe};
use threshr_fit::TrainingRows;
use threshr_sets::gold::GoldPage;

/// Returns labels and rows of a view of all pages, and the index of each page's first row.
fn view_of_all(corpus: &Corpus, recipe: &Recipe) -> (Vec<bool>, Array2<f32>, Vec<usize>) {
    let pages: Vec<usize> = (0..corpus.pages.len()).collect();
    let view = corpus.training_view(&pages, &corpus.learn(&pages), recipe);
    let mut starts = vec![0];
    pages.iter().for_each(|&p| starts.push(starts[p] + corpus.rows_of(p).len()));
    (view.labels, matrix(&view.rows), starts)
}

fn matrix(rows: &RowView<'_>) -> Array2<f32> {
    let rows = TrainingRows::from(rows);
    rows.select(&(0..rows.nrows()).collect::<Vec<_>>())
}

/// Returns the stored rows of all examples of a corpus.
fn stored(corpus: &Corpus) -> Vec<f32> {
    let of_page = |r: &PageRows| [Some(r.page.clone()), r.generated.clone(), r.without_attributes.clone()];
    let ranges = corpus.rows.iter().flat_map(of_page).flatten();
    ranges.flatten().flat_map(|row| corpus.row(row).to_vec()).collect()
}

/// Returns each page that has a generated example, with the rows of this example.
fn rows_of_generated(corpus: &Corpus) -> impl Iterator<Item = (usize, Range<usize>)> {
    corpus.rows.iter().enumerate().filter_map(|(page, rows)| Some((page, rows.generated.clone()?)))
}

#[test]
fn posts_and_entries_count_together_or_alone_and_labels_stay() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = (0..200).map(|i| {
        let html = format!(
            "<div><a href=/>Home</a></div><p>Text of page {i}.<div class=comment-list>Thanks a lot!</div>"
        );
        page(dir.path(), &i.to_string(), &html, &format!("Text of page {i}."))
    });
    let set = set(dir.path(), pages.collect());
    for (policy, found) in [
        ("article", vec![(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]),
        ("main", vec![(1.0, 1.0)]),
        ("main-fragments", vec![(1.0, 1.0)]),
        ("article+posts", vec![(1.0, 0.0)]),
    ] {
        let recipe = varied(policy);
        let corpus = corpus(set.clone(), &recipe, "shallow.num_words+policy+attribute");
        let before = stored(&corpus);
        let (labels, x, starts) = view_of_all(&corpus, &recipe);
        let pages: Vec<usize> = (0..corpus.pages.len()).collect();
        assert_eq!(labels, corpus.labels_of(&pages));
        let value = |page: usize, name: &str| x[[starts[page], column(&corpus, &format!("policy.{name}"))]];
        // if posts are content, elements named like comments may contain posts
        let sign = |page: usize| if value(page, "posts") > 0.0 { 0.0 } else { -1.0 };
        for &page in &pages {
            let signs = x.column(column(&corpus, "policy.comment")).to_vec();
            assert_eq!(signs[starts[page]..starts[page + 1]], [0.0, 0.0, sign(page)]);
            // all rows of the page have the same value
            let posts = x.column(column(&corpus, "policy.posts")).to_vec();
            assert!(posts[starts[page]..starts[page + 1]].iter().all(|v| *v == value(page, "posts")));
            let is_whole = policy != "main-fragments";
            assert!(!is_whole || value(page, "items") == value(page, "fragments"));
            assert!(is_whole || value(page, "fragments") == 0.0);
        }
        let mut pairs: Vec<_> = pages.iter().map(|&i| (value(i, "posts"), value(i, "items"))).collect();
        pairs.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        pairs.dedup();
        assert_eq!(pairs, found, "{policy}");
        // columns of other families have the values stored in the corpus
        let words = column(&corpus, "shallow.num_words");
        let own: Vec<f32> =
            pages.iter().flat_map(|&p| corpus.rows_of(p)).map(|r| corpus.row(r)[words]).collect();
        assert_eq!(x.column(words).to_vec(), own);
        assert_eq!(stored(&corpus), before);
    }
}

#[test]
fn only_captions_of_the_content_are_overridden() {
    let dir = tempfile::tempdir().expect("a folder");
    let figure = |text: &str| format!("<figure><img><figcaption>{text}</figcaption></figure>");
    let pages = (0..60).map(|i| {
        let (inside, behind) = (figure("A red shoe"), figure("Other story"));
        let html = format!("<p>Menu {i}<p>Some words.{inside}<p>More of them.<p>Imprint<p>Terms{behind}");
        page(dir.path(), &i.to_string(), &html, "Some words. More of them.")
    });
    let recipe = varied("article");
    let corpus = corpus(set(dir.path(), pages.collect()), &recipe, "policy");
    let own = [false, true, false, true, false, false, false];
    assert!(corpus.pages.iter().all(|p| p.labels == own));
    let (labels, x, starts) = view_of_all(&corpus, &recipe);
    let signs = x.column(column(&corpus, "policy.caption")).to_vec();
    let mut num_overridden = 0;
    for page in 0..60 {
        let rows = starts[page]..starts[page + 1];
        let is_caption = labels[rows.start + 2];
        let mut expected = own;
        expected[2] = is_caption;
        assert_eq!(labels[rows.clone()], expected);
        let sign = if is_caption { 1.0 } else { -1.0 };
        assert_eq!(signs[rows], [0.0, 0.0, sign, 0.0, 0.0, 0.0, sign]);
        num_overridden += usize::from(is_caption);
    }
    // about a fifth of the pages
    assert!((3..30).contains(&num_overridden), "{num_overridden}");
    assert!(corpus.pages.iter().all(|p| p.labels == own));
}

fn page_with_byline(dir: &Path, i: usize) -> GoldPage {
    let title = format!("Rain falls on town {i}");
    let html = format!("<title>{title}</title><h1>{title}</h1><p>By Ann Miller<p>It rained.");
    page(dir, &i.to_string(), &html, "It rained.")
}

#[test]
fn headline_and_byline_are_overridden_with_their_signs() {
    let dir = tempfile::tempdir().expect("a folder");
    let recipe = varied("article");
    let pages = (0..60).map(|i| page_with_byline(dir.path(), i)).collect();
    let corpus = corpus(set(dir.path(), pages), &recipe, "policy");
    let (labels, x, starts) = view_of_all(&corpus, &recipe);
    let columns = ["title", "headline", "byline", "byline_block"]
        .map(|name| column(&corpus, &format!("policy.{name}")));
    let mut seen = BTreeSet::new();
    for &start in &starts[..60] {
        let labels = &labels[start..start + 3];
        let sign = |counts: bool| if counts { 1.0 } else { -1.0 };
        let value = |block: usize, column: usize| x[[start + block, columns[column]]];
        assert_eq!([value(0, 1), value(1, 1), value(2, 1)], [sign(labels[0]), 0.0, 0.0]);
        assert_eq!([value(0, 3), value(1, 3), value(2, 3)], [0.0, sign(labels[1]), 0.0]);
        assert_eq!([value(2, 0) > 0.0, value(2, 2) > 0.0, true], labels[..]);
        seen.insert((labels[0], labels[1]));
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [(false, false), (false, true), (true, false)]);
    // if policies are not varied, labels and columns are those of the set's policy
    let recipe = Recipe { policy: PolicyRecipe { vary: false, ..recipe.policy }, ..recipe };
    let (labels, x, _) = view_of_all(&corpus, &recipe);
    assert_eq!(labels, corpus.labels_of(&(0..60).collect::<Vec<_>>()));
    assert_eq!(x.iter().copied().collect::<Vec<_>>(), stored(&corpus));
}

#[test]
fn properties_without_a_column_are_not_overridden() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages: Vec<_> = (0..60).map(|i| page_with_byline(dir.path(), i)).collect();
    let recipe = varied("article");
    let num_overridden = |features: &str| {
        let corpus = corpus(set(dir.path(), pages.clone()), &recipe, features);
        let overrides = corpus.policy_overrides(&(0..60).collect::<Vec<_>>(), &recipe);
        overrides.iter().filter(|o| o.labels.is_some()).count()
    };
    assert_eq!(num_overridden("shallow"), 0);
    let (one, all) = (num_overridden("shallow+policy.title"), num_overridden("policy"));
    assert!(0 < one && one < all, "{one} {all}");
}

#[test]
fn generated_examples_stay_with_their_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let html = |text: &str| format!("<div><a href=/>Home</a></div><div><p>{text}</p></div><p>End");
    let texts = ["One two three four. Five six.", "Seven eight nine.", "Ten eleven twelve. And more."];
    // the gold of page b is not on the page, so it is not a training page
    let pages = texts.iter().zip(["a", "b", "c"]).map(|(text, id)| {
        page(dir.path(), id, &html(text), if id == "b" { "Nothing of it here" } else { text })
    });
    let augmentation = AugmentationRecipe { insert_comments: 1.0, ..AugmentationRecipe::default() };
    let recipe = Recipe { augmentation, ..Recipe::default() };
    let corpus = corpus(set(dir.path(), pages.collect()), &recipe, "shallow+thread");
    let values = |corpus: &Corpus, rows: Range<usize>| -> Vec<f32> {
        rows.flat_map(|row| corpus.row(row).to_vec()).collect()
    };
    let generated = |corpus: &Corpus| -> Vec<(String, Vec<f32>)> {
        rows_of_generated(corpus)
            .map(|(page, rows)| (corpus.pages[page].id.clone(), values(corpus, rows)))
            .collect()
    };
    let mut before = generated(&corpus);
    assert!(before.iter().any(|g| g.0 == "a") && before.iter().any(|g| g.0 == "c"), "{before:?}");
    before.retain(|g| g.0 != "b");
    let corpus = corpus.into_training(&recipe).expect("pages");
    assert_eq!((corpus.pages.len(), corpus.num_left_out()), (2, 1));
    assert_eq!(generated(&corpus), before);
    // a view has the rows of its pages in their order, then the rows of their generated examples
    for pages in [vec![0, 1], vec![1, 0], vec![1]] {
        let view = corpus.training_view(&pages, &corpus.learn(&pages), &recipe);
        let mut expected: Vec<f32> = pages.iter().flat_map(|&p| values(&corpus, corpus.rows_of(p))).collect();
        let mut labels = corpus.labels_of(&pages);
        let mut examples: Vec<usize> = pages.iter().map(|&p| corpus.rows_of(p).len()).collect();
        for (page, rows) in rows_of_generated(&corpus).filter(|g| pages.contains(&g.0)) {
            expected.extend(values(&corpus, rows.clone()));
            labels.extend(&corpus.pages[page].generated.as_ref().expect("an example").labels);
            examples.push(rows.len());
        }
        assert_eq!(matrix(&view.rows).iter().copied().collect::<Vec<_>>(), expected);
        assert_eq!(view.labels, labels);
        let of_example = |(i, n): (usize, &usize)| std::iter::repeat_n(i as u32, *n);
        assert_eq!(view.page, examples.iter().enumerate().flat_map(of_example).collect::<Vec<_>>());
        let lengths = [view.weight.len(), view.class.len()];
        assert_eq!(lengths, [labels.len(); 2]);
    }
}

fn without_attributes(recipe: Recipe, share: f32) -> Recipe {
    let augmentation = AugmentationRecipe { without_attributes: share, ..AugmentationRecipe::default() };
    Recipe { augmentation, ..recipe }
}

#[test]
fn rows_without_attributes_have_no_attribute_columns() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = (0..20).map(|i| {
        let html =
            format!("<div class=menu><a href=x>Home page</a></div><div class=post><p>Some words {i}.</div>");
        page(dir.path(), &i.to_string(), &html, &format!("Some words {i}."))
    });
    let features = "density.link_density+attribute.near_nav+attribute_tokens.num_known";
    let recipe = without_attributes(Recipe::default(), 1.0);
    let corpus = corpus(set(dir.path(), pages.collect()), &recipe, features);
    let pages: Vec<usize> = (0..20).collect();
    let learned = corpus.learn(&pages);
    let plain = matrix(&corpus.plain_rows(&pages, &learned));
    assert_eq!(plain.row(0).to_vec()[..2], [1.0, 0.5]);
    assert!(plain.column(2).iter().all(|&num_known| num_known > 0.0), "{plain:?}");
    let before = stored(&corpus);
    let (labels, x, starts) = view_of_all(&corpus, &recipe);
    for page in pages {
        // an `<a>` without attributes is still a link
        assert_eq!(x.row(starts[page]).to_vec(), [1.0, 0.0, 0.0]);
        assert_eq!(x.row(starts[page] + 1).to_vec(), [0.0; 3]);
        assert_eq!(labels[starts[page]..starts[page + 1]], [false, true]);
    }
    assert_eq!(stored(&corpus), before);
}

#[test]
fn signs_of_rows_without_attributes_follow_the_overrides() {
    let dir = tempfile::tempdir().expect("a folder");
    // the last paragraph but one is a caption only by its class; the first one is a byline only by its class
    let pages: Vec<_> = (0..60)
        .map(|i| {
            let html = format!(
                "<h1>Rain falls on town {i}</h1><p class=byline>Ann Miller<p><time>today</time>\
                 <div><img><p class=caption>By Bo Berg</div><p>It rained {i}."
            );
            page(dir.path(), &i.to_string(), &html, &format!("It rained {i}."))
        })
        .collect();
    for (share, detected) in
        [(0.0, [false, true, true, false, false]), (1.0, [false, false, true, true, false])]
    {
        let recipe = without_attributes(varied("article"), share);
        let corpus = corpus(set(dir.path(), pages.clone()), &recipe, "policy.byline+policy.byline_block");
        let (labels, x, starts) = view_of_all(&corpus, &recipe);
        let mut num_overridden = 0;
        for page in 0..60 {
            let rows = starts[page]..starts[page + 1];
            let counts = x[[rows.start, 0]] > 0.0;
            let sign = if counts { 1.0 } else { -1.0 };
            let signs: Vec<f32> = rows.clone().map(|row| x[[row, 1]]).collect();
            assert_eq!(signs, detected.map(|is| if is { sign } else { 0.0 }), "{share} {page}");
            assert!(rows.clone().all(|row| (x[[row, 0]] > 0.0) == counts));
            // labels follow the metadata found with the page's attributes
            assert_eq!(labels[rows], [false, counts, counts, false, true]);
            num_overridden += usize::from(counts);
        }
        assert!((3..30).contains(&num_overridden), "{num_overridden}");
    }
}
