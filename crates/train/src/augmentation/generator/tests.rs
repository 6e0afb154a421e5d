//! Labels, masks and policies of pages that have grown.

use crate::augmentation::generator::*;
use threshr_extract::recipe::LabelRecipe;

const PAGE: &str = "<title>News</title><div class=menu><a href=/>Home</a></div><div class=main><h1>On rain</h1>\
    <p>It rained all day in the north.<p>Tomorrow the sun will shine.</div><div class=foot>Imprint</div>";

const FEATURES: &str = "shallow+density.link_density+metadata.body_overlap+policy+words";

fn grown(html: &str, insertions: &[Insertion], byte: u8, on: &str) -> Option<(Vec<bool>, Generated)> {
    grown_by(&Plan::Beside(insertions.to_vec()), html, byte, on)
}

fn grown_by(growth: &Plan, html: &str, byte: u8, on: &str) -> Option<(Vec<bool>, Generated)> {
    let gold = "It rained all day in the north.\nTomorrow the sun will shine. Nobody went out. \
        The rivers rose by a foot. Two roads were closed. A bridge is gone! Who pays for it? The town does.";
    grown_with(growth, html, byte, on, gold)
}

fn grown_with(growth: &Plan, html: &str, byte: u8, on: &str, gold: &str) -> Option<(Vec<bool>, Generated)> {
    let labels = LabelRecipe { mask_repeats: true, ..LabelRecipe::default() };
    let recipe = Recipe { labels, ..Recipe::default() };
    grown_by_recipe(&recipe, growth, html, byte, on, gold)
}

fn grown_by_recipe(
    recipe: &Recipe,
    growth: &Plan,
    html: &str,
    byte: u8,
    on: &str,
    gold: &str,
) -> Option<(Vec<bool>, Generated)> {
    let parts = recipe.parts().expect("a recipe");
    let features = FeatureSet::parse(FEATURES, &[]).expect("a set");
    let doc = page::parse_str(html);
    let blocks = Blocks::of(&doc, parts.segmentation, recipe.visibility());
    let labels: Vec<bool> = (0..blocks.len()).map(|i| blocks.text(i).ends_with('.')).collect();
    let growing = Generator { recipe, parts: &parts, features: &features };
    let original = Source {
        doc: &doc,
        blocks: &blocks,
        labels: &labels,
        num_tokens: &(0..labels.len()).map(|i| tokens(blocks.text(i)).len() as u32).collect::<Vec<_>>(),
        class: &vec![None; labels.len()],
        gold,
        lang: "en",
        hash: &[byte; 32],
        policy: Policy::parse(on).expect("a policy"),
    };
    let grown = growing.generate(&original, growth)?;
    Some((labels, grown))
}

#[test]
fn what_is_added_is_boilerplate_and_the_rest_as_it_was() {
    for byte in COMMENTS..=255 {
        let Some((labels, grown)) = grown(PAGE, &[Insertion::Stories, Insertion::Comments], byte, "article")
        else {
            panic!("nothing was added with {byte}");
        };
        assert!(grown.labels.len() > labels.len(), "{byte}");
        assert_eq!(grown.labels.iter().filter(|&&l| l).count(), 2, "{byte}");
        assert_eq!(grown.values.len() % grown.labels.len(), 0);
        assert_eq!(grown.terms["words"].num_blocks(), grown.labels.len());
        assert!(grown.num_tokens.iter().any(|&n| n > 1));
    }
}

#[test]
fn own_comments_are_not_learned_from_where_a_switch_counts_them() {
    let own = "<ul class=comment-list><li>Great stuff!<li>Thanks a lot!</ul>";
    let html = PAGE.replace("<div class=foot>", &format!("{own}<div class=foot>"));
    for (byte, on, is_masked) in [
        (COMMENTS - 1, "article", true),
        (COMMENTS, "article", false),
        // what its annotators left out though they counted comments
        (COMMENTS - 1, "article+comments", false),
    ] {
        let (labels, grown) = grown(&html, &[Insertion::Stories], byte, on).expect("grown");
        assert!(grown.labels.len() > labels.len());
        let num_masked = grown.masked.iter().filter(|&&m| m).count();
        assert_eq!(num_masked, if is_masked { 2 } else { 0 }, "{byte} {on}");
    }
}

#[test]
fn what_takes_the_place_of_content_is_content_and_the_rest_boilerplate() {
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let column = |name: &str| names.iter().position(|n| n == name).expect("a column");
    for byte in 0..=255 {
        for replacement in [Replacement::Entries, Replacement::Thread, Replacement::Parts] {
            let grown = grown_by(&Plan::Instead(replacement, Vec::new()), PAGE, byte, "article-headings");
            let (labels, grown) = grown.expect("a page");
            // menu, headline, what was put in, foot
            let num_added = grown.labels.len() - 3;
            assert_eq!(labels, [false, false, true, true, false]);
            let kept = grown.labels.iter().enumerate().filter(|l| !l.1).map(|l| l.0);
            assert_eq!(
                (kept.collect(), num_added > 0),
                (vec![0, 1, num_added + 2], true),
                "{byte} {replacement:?}"
            );
            for name in ["policy.headings", "policy.posts", "policy.items", "policy.fragments"] {
                assert!(grown.values.chunks(names.len()).all(|row| row[column(name)] == 1.0), "{name}");
            }
            assert!(grown.values.chunks(names.len()).all(|row| row[column("policy.comments")] == 0.0));
        }
    }
}

#[test]
fn what_stands_between_pieces_of_content_stays_when_these_go() {
    let html = "<div id=main><p>It rained.</p><div>Advertisement</div><p>It rained more.</p></div><p>Foot";
    let (labels, grown) =
        grown_by(&Plan::Instead(Replacement::Thread, Vec::new()), html, 9, "main").expect("a page");
    assert_eq!(labels, [true, false, true, false]);
    let kept: Vec<usize> = (0..grown.labels.len()).filter(|&i| !grown.labels[i]).collect();
    let num = grown.labels.len();
    // one token each, behind all that was put in; who knows what the first one is now
    assert_eq!(kept, [num - 2, num - 1]);
    assert_eq!([grown.masked[num - 2], grown.masked[num - 1]], [true, false]);
    assert_eq!([grown.num_tokens[num - 2], grown.num_tokens[num - 1]], [1, 1]);
    // a page without anything else, which the posts of a thread fill
    let (_, grown) =
        grown_by(&Plan::Instead(Replacement::Thread, Vec::new()), "<div><p>It rained.</div>", 9, "main")
            .expect("a page");
    assert!(grown.labels.len() > 1 && grown.labels.iter().all(|&l| l));
    // content that shares its element with something else, and none
    for html in ["<div>It rained.<p>Menu</p></div>", "<p>Menu"] {
        assert!(
            grown_by(&Plan::Instead(Replacement::Thread, Vec::new()), html, 9, "main").is_none(),
            "{html}"
        );
    }
}

#[test]
fn where_nothing_takes_the_place_of_content_something_stands_beside_it() {
    let instead = |insertions: &[Insertion]| Plan::Instead(Replacement::Thread, insertions.to_vec());
    let html = "<div>It rained.<p>Menu</p></div>";
    assert!(grown_by(&instead(&[]), html, 9, "main").is_none());
    // what is content stays so, and nothing of what is added is
    let num_content = |labels: &[bool]| labels.iter().filter(|&&l| l).count();
    let (labels, grown) = grown_by(&instead(&[Insertion::Stories]), html, 100, "article").expect("stories");
    assert!(grown.labels.len() > labels.len());
    assert_eq!(num_content(&grown.labels), num_content(&labels));
    // two sentences are too few
    let few = "It rained all day in the north. Tomorrow the sun will shine.";
    assert!(grown_with(&instead(&[]), PAGE, 9, "main", few).is_none());
    let comments = instead(&[Insertion::Comments]);
    for (policy, is_content) in [("article", false), ("article+comments", true)] {
        let (labels, grown) = grown_with(&comments, PAGE, 100, policy, few).expect("comments");
        let (num_before, num_added) = (num_content(&labels), grown.labels.len() - labels.len());
        let num_counted = if is_content { num_added } else { 0 };
        assert_eq!(num_content(&grown.labels), num_before + num_counted, "{policy}");
    }
}

#[test]
fn lists_of_stories_are_as_long_as_the_recipe_says() {
    let stories = Plan::Beside(vec![Insertion::Stories]);
    let num_added = |max_stories, byte| {
        let augmentation = AugmentationRecipe { max_stories, ..AugmentationRecipe::default() };
        let recipe = Recipe { augmentation, ..Recipe::default() };
        let text = "It rained all day in the north. Nobody went out. The rivers rose by a foot.";
        let grown = grown_by_recipe(&recipe, &stories, PAGE, byte, "article", text);
        grown.map_or(0, |(labels, grown)| grown.labels.len() - labels.len())
    };
    let most = |max_stories| (0..=255).map(|byte| num_added(max_stories, byte)).max();
    // of a story a few blocks, above all one heading
    assert!(most(5) < Some(25) && most(500) > Some(400), "{:?}, {:?}", most(5), most(500));
}

#[test]
fn buttons_below_posts_are_not_learned_from() {
    let thread = Plan::Instead(Replacement::Thread, Vec::new());
    let num_masked = |byte| {
        let (_, grown) = grown_by(&thread, PAGE, byte, "main").expect("a thread");
        grown.masked.iter().zip(&grown.num_tokens).filter(|m| *m.0 && *m.1 <= 2).count()
    };
    assert!((0..=255).any(|byte| num_masked(byte) > 5));
}

#[test]
fn stamps_of_posts_below_the_headline_are_not_learned_from_where_bylines_do_not_count() {
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let credit = names.iter().position(|n| n == "policy.credit").expect("a column");
    let mut num_told = 0;
    for byte in 0..=255 {
        let growth = Plan::Instead(Replacement::Thread, Vec::new());
        for (policy, sign) in [("article", -1.0), ("article+byline", 1.0)] {
            let (_, grown) = grown_by(&growth, PAGE, byte, policy).expect("a page");
            let told = (0..grown.labels.len())
                .filter(|&i| grown.labels[i] && grown.values[i * names.len() + credit] == sign);
            let told: Vec<usize> = told.collect();
            num_told += told.len();
            assert!(sign > 0.0 || told.iter().all(|&i| grown.masked[i]), "{byte}");
            assert!(sign < 0.0 || told.is_empty() || !told.iter().all(|&i| grown.masked[i]), "{byte}");
        }
    }
    assert!(num_told > 0);
}

#[test]
fn links_without_attributes_stay_links() {
    let html = PAGE.replace(" href=/", "");
    let (_, grown) = grown(&html, &[Insertion::Stories], 100, "article").expect("stories");
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let column = names.iter().position(|n| n == "density.link_density").expect("a column");
    // the menu's
    assert_eq!(grown.values[column], 1.0);
    assert!(grown.values.chunks(names.len()).skip(1).any(|row| row[column] > 0.0));
}

#[test]
fn the_text_that_json_ld_gives_is_not_looked_at() {
    let body = r#"{"articleBody": "It rained all day in the north. Tomorrow the sun will shine."}"#;
    let html = format!("<script type=application/ld+json>{body}</script>{PAGE}");
    let (_, grown) = grown(&html, &[Insertion::Comments], 100, "article").expect("comments");
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let column = names.iter().position(|n| n == "metadata.body_overlap").expect("a column");
    assert!(grown.values.chunks(names.len()).all(|row| row[column] == 0.0));
}

#[test]
fn comments_are_content_where_the_policy_says_so() {
    let content = |byte, policy| {
        let (_, grown) = grown(PAGE, &[Insertion::Comments], byte, policy).expect("comments");
        let num_content = grown.labels.iter().filter(|&&l| l).count();
        // the policy's column is the only one of the first block that differs
        (num_content > 2, grown.values[0..grown.values.len() / grown.labels.len()].to_vec())
    };
    let (with, without) = (content(200, "article+comments"), content(200, "article"));
    assert!(with.0 && !without.0);
    let differing: Vec<_> = with.1.iter().zip(&without.1).filter(|(a, b)| a != b).collect();
    assert_eq!(differing, [(&1.0, &0.0)]);
    // switched on
    assert!(content(3, "article+comments").0 && content(3, "article").0);
}

#[test]
fn stories_are_content_where_the_policy_says_so() {
    let menu = PAGE.replace("Home", "Something else that happened in town");
    let content = |byte, policy| {
        let (_, grown) = grown(&menu, &[Insertion::Stories], byte, policy).expect("stories");
        // the menu's headline may be one
        (grown.labels.iter().filter(|&&l| l).count() > 2, grown.masked[0])
    };
    assert_eq!(content(200, "article"), (false, false));
    assert_eq!(content(200, "article+teasers"), (true, false));
    // switched on
    assert_eq!(content(3, "article"), (true, true));
}

#[test]
fn an_added_text_that_the_page_has_too_changes_no_label() {
    let blocks = |html: &str| {
        Blocks::of(&page::parse_str(html), threshr_html::blocks::REGISTRY[0], Recipe::default().visibility())
    };
    let old = blocks("<p>Menu<p>One two<p>Text");
    assert_eq!(num_added(&old, &[0, 1, 2], &blocks("<p>Menu<p>One two<p>More<p>One two<p>Text"), 1), Some(2));
    assert_eq!(num_added(&old, &[0, 1, 2], &blocks("<p>Menu<p>Other<p>More<p>Text"), 1), None);
    assert_eq!(num_added(&old, &[0, 1, 2], &old, 1), None);
    assert_eq!(num_added(&old, &[0, 2], &blocks("<p>Menu<p>Other<p>More<p>Text"), 1), Some(2));
}

#[test]
fn which_pages_grow_rests_on_their_bytes_and_type() {
    let recipe = AugmentationRecipe { insert_comments: 0.5, insert_stories: 0.25, ..AugmentationRecipe::default() };
    let of = |byte, page_type| match Plan::of(&[byte; 32], page_type, &recipe) {
        Some(Plan::Beside(insertions)) => insertions,
        other => {
            assert!(other.is_none());
            Vec::new()
        }
    };
    assert_eq!(of(0, None), [Insertion::Stories, Insertion::Comments]);
    assert_eq!(of(100, Some("article")), [Insertion::Comments]);
    assert_eq!(of(128, None), []);
    assert_eq!(of(0, Some("forum")), []);
    let recipe = AugmentationRecipe { replace_content: 0.9, ..recipe };
    let of = |byte, page_type| match Plan::of(&[byte; 32], page_type, &recipe) {
        Some(Plan::Instead(replacement, beside)) => Some((replacement, beside.len())),
        _ => None,
    };
    assert_eq!(of(0, None), Some((Replacement::Entries, 2)));
    assert_eq!(of(120, Some("article")), Some((Replacement::Thread, 1)));
    assert_eq!(of(200, None), Some((Replacement::Parts, 0)));
    assert_eq!((of(240, None), of(0, Some("service"))), (None, None));
}

#[test]
fn nothing_is_added_where_there_is_no_place_or_no_text() {
    assert!(grown("<p>Menu", &[Insertion::Comments], 9, "main").is_none());
    assert!(
        grown("<table><tr><td>One two three.<td>Four</table>", &[Insertion::Comments], 9, "main").is_none()
    );
}

#[test]
fn temporary_hash() {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    let own = "<ul class=comment-list><li>Great stuff!<li>Thanks a lot!</ul>";
    let other = PAGE.replace("<div class=foot>", &format!("{own}<div class=foot>"));
    for byte in 0..=255u8 {
        for on in ["article", "main", "article+comments"] {
            for html in [PAGE, &other] {
                let (c, s) = (Insertion::Comments, Insertion::Stories);
                for plan in [
                    Plan::Beside(vec![s]),
                    Plan::Beside(vec![s, c]),
                    Plan::Instead(Replacement::Thread, vec![s]),
                    Plan::Instead(Replacement::Parts, vec![s]),
                    Plan::Instead(Replacement::Entries, vec![s]),
                ] {
                    let found = grown_by(&plan, html, byte, on).map(|(labels, g)| {
                        (labels, g.labels, g.masked, g.num_tokens, g.class, g.values, g.keys)
                    });
                    hash.update(format!("{found:?}"));
                }
            }
        }
    }
    eprintln!("HASHG {}", threshr_core::hex(&hash.finalize()));
}
