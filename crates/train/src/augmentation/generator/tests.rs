//! Tests for labels, masks and policies of generated pages.

use crate::augmentation::generator::*;
use threshr_extract::recipe::LabelRecipe;

const PAGE: &str = "<title>News</title><div class=menu><a href=/>Home</a></div><div class=main><h1>On rain</h1>\
    <p>It rained all day in the north.<p>Tomorrow the sun will shine.</div><div class=foot>Imprint</div>";

const FEATURES: &str = "shallow+density.link_density+metadata.body_overlap+policy+words";

const GOLD: &str = "It rained all day in the north.\nTomorrow the sun will shine. Nobody went out. \
    The rivers rose by a foot. Two roads were closed. A bridge is gone! Who pays for it? The town does.";

fn insert(html: &str, insertions: &[Insertion], byte: u8, on: &str) -> Option<(Vec<bool>, Generated)> {
    generate(&Plan { insertions: insertions.to_vec(), ..Plan::default() }, html, byte, on)
}

fn replace(replacement: Replacement, insertions: &[Insertion]) -> Plan {
    Plan { content: ContentChange::Replaced(replacement), insertions: insertions.to_vec() }
}

fn generate(plan: &Plan, html: &str, byte: u8, on: &str) -> Option<(Vec<bool>, Generated)> {
    generate_from(plan, html, byte, on, GOLD)
}

fn generate_from(plan: &Plan, html: &str, byte: u8, on: &str, gold: &str) -> Option<(Vec<bool>, Generated)> {
    let labels = LabelRecipe { mask_repeats: true, ..LabelRecipe::default() };
    let recipe = Recipe { labels, ..Recipe::default() };
    generate_by_recipe(&recipe, plan, html, byte, on, gold)
}

fn generate_by_recipe(
    recipe: &Recipe,
    plan: &Plan,
    html: &str,
    byte: u8,
    on: &str,
    gold: &str,
) -> Option<(Vec<bool>, Generated)> {
    with_source(recipe, html, byte, on, gold, |generator, source| {
        Some((source.labels.to_vec(), generator.generate(source, plan)?))
    })
}

/// Calls `each` with a page. Blocks that end with a period are its content.
fn with_source<R>(
    recipe: &Recipe,
    html: &str,
    byte: u8,
    on: &str,
    gold: &str,
    each: impl FnOnce(&Generator<'_>, &Source<'_>) -> R,
) -> R {
    let parts = recipe.parts().expect("a recipe");
    let features = FeatureSet::parse(FEATURES, &[]).expect("a set");
    let doc = page::parse_str(html);
    let blocks = Blocks::new(&doc, parts.segmentation, recipe.visibility());
    let labels: Vec<bool> = (0..blocks.len()).map(|i| blocks.text(i).ends_with('.')).collect();
    let generator = Generator { recipe, parts: &parts, features: &features };
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
    each(&generator, &original)
}

#[test]
fn inserted_blocks_are_boilerplate_and_other_labels_stay() {
    for byte in COMMENTS_COUNT..=255 {
        let Some((labels, generated)) =
            insert(PAGE, &[Insertion::Stories, Insertion::Comments], byte, "article")
        else {
            panic!("no insertion with {byte}");
        };
        assert!(generated.labels.len() > labels.len(), "{byte}");
        assert_eq!(generated.labels.iter().filter(|&&l| l).count(), 2, "{byte}");
        assert_eq!(generated.values.len() % generated.labels.len(), 0);
        assert_eq!(generated.terms["words"].num_blocks(), generated.labels.len());
        assert!(generated.num_tokens.iter().any(|&n| n > 1));
    }
}

#[test]
fn the_page_s_own_comments_are_masked_if_the_new_policy_counts_comments() {
    let own = "<ul class=comment-list><li>Great stuff!<li>Thanks a lot!</ul>";
    let html = PAGE.replace("<div class=foot>", &format!("{own}<div class=foot>"));
    for (byte, on, is_masked) in [
        (COMMENTS_COUNT - 1, "article", true),
        (COMMENTS_COUNT, "article", false),
        // annotators who count comments as content did not label these as content
        (COMMENTS_COUNT - 1, "article+comments", false),
    ] {
        let (labels, generated) = insert(&html, &[Insertion::Stories], byte, on).expect("an example");
        assert!(generated.labels.len() > labels.len());
        let num_masked = generated.masked.iter().filter(|&&m| m).count();
        assert_eq!(num_masked, if is_masked { 2 } else { 0 }, "{byte} {on}");
    }
}

#[test]
fn replacements_are_content_and_other_blocks_boilerplate() {
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let column = |name: &str| names.iter().position(|n| n == name).expect("a column");
    for byte in 0..=255 {
        for replacement in [Replacement::Entries, Replacement::Thread, Replacement::Parts] {
            let generated = generate(&replace(replacement, &[]), PAGE, byte, "article-headings");
            let (labels, generated) = generated.expect("a page");
            // blocks: menu, headline, replacement, footer
            let num_added = generated.labels.len() - 3;
            assert_eq!(labels, [false, false, true, true, false]);
            let kept = generated.labels.iter().enumerate().filter(|l| !l.1).map(|l| l.0);
            assert_eq!(
                (kept.collect(), num_added > 0),
                (vec![0, 1, num_added + 2], true),
                "{byte} {replacement:?}"
            );
            for name in ["policy.headings", "policy.posts", "policy.items", "policy.fragments"] {
                assert!(generated.values.chunks(names.len()).all(|row| row[column(name)] == 1.0), "{name}");
            }
            assert!(generated.values.chunks(names.len()).all(|row| row[column("policy.comments")] == 0.0));
        }
    }
}

#[test]
fn blocks_between_replaced_content_are_kept_and_masked() {
    let html = "<div id=main><p>It rained.</p><div>Advertisement</div><p>It rained more.</p></div><p>Foot";
    let (labels, generated) = generate(&replace(Replacement::Thread, &[]), html, 9, "main").expect("a page");
    assert_eq!(labels, [true, false, true, false]);
    let kept: Vec<usize> = (0..generated.labels.len()).filter(|&i| !generated.labels[i]).collect();
    let num = generated.labels.len();
    // both blocks follow the replacement; the first one was between two content blocks
    assert_eq!(kept, [num - 2, num - 1]);
    assert_eq!([generated.masked[num - 2], generated.masked[num - 1]], [true, false]);
    assert_eq!([generated.num_tokens[num - 2], generated.num_tokens[num - 1]], [1, 1]);
    // a page that contains only content
    let (_, generated) =
        generate(&replace(Replacement::Thread, &[]), "<div><p>It rained.</div>", 9, "main").expect("a page");
    assert!(generated.labels.len() > 1 && generated.labels.iter().all(|&l| l));
    // no thread is generated if content shares an element with boilerplate, or if the page has no content
    for html in ["<div>It rained.<p>Menu</p></div>", "<p>Menu"] {
        assert!(generate(&replace(Replacement::Thread, &[]), html, 9, "main").is_none(), "{html}");
    }
}

#[test]
fn pages_without_a_replacement_get_insertions() {
    let replace = |insertions: &[Insertion]| replace(Replacement::Thread, insertions);
    let html = "<div>It rained.<p>Menu</p></div>";
    assert!(generate(&replace(&[]), html, 9, "main").is_none());
    // content keeps its label; inserted stories are boilerplate
    let num_content = |labels: &[bool]| labels.iter().filter(|&&l| l).count();
    let (labels, generated) =
        generate(&replace(&[Insertion::Stories]), html, 100, "article").expect("stories");
    assert!(generated.labels.len() > labels.len());
    assert_eq!(num_content(&generated.labels), num_content(&labels));
    // two sentences are too few for a replacement
    let few = "It rained all day in the north. Tomorrow the sun will shine.";
    assert!(generate_from(&replace(&[]), PAGE, 9, "main", few).is_none());
    let comments = replace(&[Insertion::Comments]);
    for (policy, is_content) in [("article", false), ("article+comments", true)] {
        let (labels, generated) = generate_from(&comments, PAGE, 100, policy, few).expect("comments");
        let (num_before, num_added) = (num_content(&labels), generated.labels.len() - labels.len());
        let num_counted = if is_content { num_added } else { 0 };
        assert_eq!(num_content(&generated.labels), num_before + num_counted, "{policy}");
    }
}

#[test]
fn the_recipe_bounds_the_length_of_story_lists() {
    let stories = Plan { insertions: vec![Insertion::Stories], ..Plan::default() };
    let num_added = |max_stories, byte| {
        let augmentation = AugmentationRecipe { max_stories, ..AugmentationRecipe::default() };
        let recipe = Recipe { augmentation, ..Recipe::default() };
        let text = "It rained all day in the north. Nobody went out. The rivers rose by a foot.";
        let generated = generate_by_recipe(&recipe, &stories, PAGE, byte, "article", text);
        generated.map_or(0, |(labels, generated)| generated.labels.len() - labels.len())
    };
    let max = |max_stories| (0..=255).map(|byte| num_added(max_stories, byte)).max();
    // a story adds a few blocks, and the list one heading
    assert!(max(5) < Some(25) && max(500) > Some(400), "{:?}, {:?}", max(5), max(500));
}

#[test]
fn buttons_below_posts_are_masked() {
    let thread = replace(Replacement::Thread, &[]);
    let num_masked = |byte| {
        let (_, generated) = generate(&thread, PAGE, byte, "main").expect("a thread");
        generated.masked.iter().zip(&generated.num_tokens).filter(|m| *m.0 && *m.1 <= 2).count()
    };
    assert!((0..=255).any(|byte| num_masked(byte) > 5));
}

#[test]
fn post_dates_detected_as_bylines_are_masked_if_bylines_do_not_count() {
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let byline = names.iter().position(|n| n == "policy.byline_block").expect("a column");
    let mut num_detected = 0;
    for byte in 0..=255 {
        let plan = replace(Replacement::Thread, &[]);
        for (policy, sign) in [("article", -1.0), ("article+byline", 1.0)] {
            let (_, generated) = generate(&plan, PAGE, byte, policy).expect("a page");
            let detected = (0..generated.labels.len())
                .filter(|&i| generated.labels[i] && generated.values[i * names.len() + byline] == sign);
            let detected: Vec<usize> = detected.collect();
            num_detected += detected.len();
            assert!(sign > 0.0 || detected.iter().all(|&i| generated.masked[i]), "{byte}");
            assert!(
                sign < 0.0 || detected.is_empty() || !detected.iter().all(|&i| generated.masked[i]),
                "{byte}"
            );
        }
    }
    assert!(num_detected > 0);
}

#[test]
fn links_without_attributes_stay_links() {
    let html = PAGE.replace(" href=/", "");
    let (_, generated) = insert(&html, &[Insertion::Stories], 100, "article").expect("stories");
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let column = names.iter().position(|n| n == "density.link_density").expect("a column");
    // the link in the menu
    assert_eq!(generated.values[column], 1.0);
    assert!(generated.values.chunks(names.len()).skip(1).any(|row| row[column] > 0.0));
}

#[test]
fn the_article_body_of_json_ld_is_not_read() {
    let body = r#"{"articleBody": "It rained all day in the north. Tomorrow the sun will shine."}"#;
    let html = format!("<script type=application/ld+json>{body}</script>{PAGE}");
    let (_, generated) = insert(&html, &[Insertion::Comments], 100, "article").expect("comments");
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let column = names.iter().position(|n| n == "metadata.body_overlap").expect("a column");
    assert!(generated.values.chunks(names.len()).all(|row| row[column] == 0.0));
}

#[test]
fn comments_are_content_if_the_policy_counts_them() {
    let content = |byte, policy| {
        let (_, generated) = insert(PAGE, &[Insertion::Comments], byte, policy).expect("comments");
        let num_content = generated.labels.iter().filter(|&&l| l).count();
        // the first block differs only in the column `policy.comments`
        (num_content > 2, generated.values[0..generated.values.len() / generated.labels.len()].to_vec())
    };
    let (with, without) = (content(200, "article+comments"), content(200, "article"));
    assert!(with.0 && !without.0);
    let differing: Vec<_> = with.1.iter().zip(&without.1).filter(|(a, b)| a != b).collect();
    assert_eq!(differing, [(&1.0, &0.0)]);
    // for byte 3, the random choice adds the property to the policy
    assert!(content(3, "article+comments").0 && content(3, "article").0);
}

#[test]
fn stories_are_content_if_the_policy_counts_teasers() {
    let menu = PAGE.replace("Home", "Something else that happened in town");
    let content = |byte, policy| {
        let (_, generated) = insert(&menu, &[Insertion::Stories], byte, policy).expect("stories");
        // the text of the menu's link may be a teaser
        (generated.labels.iter().filter(|&&l| l).count() > 2, generated.masked[0])
    };
    assert_eq!(content(200, "article"), (false, false));
    assert_eq!(content(200, "article+teasers"), (true, false));
    // for byte 3, the random choice adds the property to the policy
    assert_eq!(content(3, "article"), (true, true));
}

#[test]
fn blocks_are_counted_when_inserted_text_repeats_the_page() {
    let blocks = |html: &str| {
        Blocks::new(&page::parse_str(html), threshr_html::blocks::REGISTRY[0], Recipe::default().visibility())
    };
    let old = blocks("<p>Menu<p>One two<p>Text");
    assert_eq!(num_added(&old, &[0, 1, 2], &blocks("<p>Menu<p>One two<p>More<p>One two<p>Text"), 1), Some(2));
    assert_eq!(num_added(&old, &[0, 1, 2], &blocks("<p>Menu<p>Other<p>More<p>Text"), 1), None);
    assert_eq!(num_added(&old, &[0, 1, 2], &old, 1), None);
    assert_eq!(num_added(&old, &[0, 2], &blocks("<p>Menu<p>Other<p>More<p>Text"), 1), Some(2));
}

#[test]
fn the_plan_depends_on_the_bytes_and_type_of_the_page() {
    let recipe =
        AugmentationRecipe { insert_comments: 0.5, insert_stories: 0.25, ..AugmentationRecipe::default() };
    let of = |byte, page_type| {
        let plan = Plan::new(&[byte; 32], page_type, &recipe);
        assert!(plan.as_ref().is_none_or(|p| p.content == ContentChange::None && !p.insertions.is_empty()));
        plan.map(|p| p.insertions).unwrap_or_default()
    };
    assert_eq!(of(0, None), [Insertion::Stories, Insertion::Comments]);
    assert_eq!(of(100, Some("article")), [Insertion::Comments]);
    assert_eq!(of(128, None), []);
    assert_eq!(of(0, Some("forum")), []);
    let recipe = AugmentationRecipe { replace_content: 0.9, ..recipe };
    let of = |byte, page_type| match Plan::new(&[byte; 32], page_type, &recipe) {
        Some(Plan { content: ContentChange::Replaced(replacement), insertions }) => {
            Some((replacement, insertions.len()))
        }
        _ => None,
    };
    assert_eq!(of(0, None), Some((Replacement::Entries, 2)));
    assert_eq!(of(120, Some("article")), Some((Replacement::Thread, 1)));
    assert_eq!(of(200, None), Some((Replacement::Parts, 0)));
    assert_eq!((of(240, None), of(0, Some("service"))), (None, None));
}

#[test]
fn no_place_or_no_text_gives_no_example() {
    assert!(insert("<p>Menu", &[Insertion::Comments], 9, "main").is_none());
    assert!(
        insert("<table><tr><td>One two three.<td>Four</table>", &[Insertion::Comments], 9, "main").is_none()
    );
}
