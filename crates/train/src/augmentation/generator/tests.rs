//! Tests for labels, masks and policies of generated pages.

use crate::augmentation::generator::*;
use threshr_extract::recipe::LabelRecipe;

const PAGE: &str = "<title>News</title><div class=menu><a href=/>Home</a></div><div class=main><h1>On rain</h1>\
    <p>It rained all day in the north.<p>Tomorrow the sun will shine.</div><div class=foot>Imprint</div>";

const FEATURES: &str = "shallow+density.link_density+metadata.body_overlap+policy+words";

const GOLD: &str = "It rained all day in the north.\nTomorrow the sun will shine. Nobody went out. \
    The rivers rose by a foot. Two roads were closed. A bridge is gone! Who pays for it? The town does.";

fn insert(html: &str, insertions: &[Insertion], byte: u8, on: &str) -> Option<(Vec<bool>, Generated)> {
    let labels = LabelRecipe { mask_repeats: true, ..LabelRecipe::default() };
    let recipe = Recipe { labels, ..Recipe::default() };
    generate_by_recipe(&recipe, insertions, html, byte, on, GOLD)
}

fn generate_by_recipe(
    recipe: &Recipe,
    insertions: &[Insertion],
    html: &str,
    byte: u8,
    on: &str,
    gold: &str,
) -> Option<(Vec<bool>, Generated)> {
    with_source(recipe, html, byte, on, gold, |generator, source| {
        Some((source.labels.to_vec(), generator.generate(source, insertions)?))
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
fn the_recipe_bounds_the_length_of_story_lists() {
    let num_added = |max_stories, byte| {
        let augmentation = AugmentationRecipe { max_stories, ..AugmentationRecipe::default() };
        let recipe = Recipe { augmentation, ..Recipe::default() };
        let text = "It rained all day in the north. Nobody went out. The rivers rose by a foot.";
        let generated = generate_by_recipe(&recipe, &[Insertion::Stories], PAGE, byte, "article", text);
        generated.map_or(0, |(labels, generated)| generated.labels.len() - labels.len())
    };
    let max = |max_stories| (0..=255).map(|byte| num_added(max_stories, byte)).max();
    // a story adds a few blocks, and the list one heading
    assert!(max(5) < Some(25) && max(500) > Some(400), "{:?}, {:?}", max(5), max(500));
}

#[test]
fn post_dates_detected_as_bylines_are_masked_if_bylines_do_not_count() {
    let names = FeatureSet::parse(FEATURES, &[]).expect("a set").names().clone();
    let byline = names.iter().position(|n| n == "policy.byline_block").expect("a column");
    let mut num_detected = 0;
    for byte in 0..=255 {
        for (policy, sign) in [("article+comments", -1.0), ("article+comments+byline", 1.0)] {
            let (_, generated) = insert(PAGE, &[Insertion::Comments], byte, policy).expect("a page");
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
    assert_eq!(num_added(&old, &blocks("<p>Menu<p>One two<p>More<p>One two<p>Text"), 1), Some(2));
    assert_eq!(num_added(&old, &blocks("<p>Menu<p>Other<p>More<p>Text"), 1), None);
    assert_eq!(num_added(&old, &old, 1), None);
}

#[test]
fn insertions_depend_on_the_bytes_and_type_of_the_page() {
    let recipe =
        AugmentationRecipe { insert_comments: 0.5, insert_stories: 0.25, ..AugmentationRecipe::default() };
    let of = |byte, page_type| insertions(&[byte; 32], page_type, &recipe);
    assert_eq!(of(0, None), [Insertion::Stories, Insertion::Comments]);
    assert_eq!(of(100, Some("article")), [Insertion::Comments]);
    assert_eq!(of(128, None), []);
    assert_eq!(of(0, Some("forum")), []);
}

#[test]
fn no_place_or_no_text_gives_no_example() {
    assert!(insert("<p>Menu", &[Insertion::Comments], 9, "main").is_none());
    assert!(
        insert("<table><tr><td>One two three.<td>Four</table>", &[Insertion::Comments], 9, "main").is_none()
    );
}
