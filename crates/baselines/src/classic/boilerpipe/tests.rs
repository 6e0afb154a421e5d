//! Expected labels are derived by hand from the definitions.

use crate::classic::boilerpipe::*;
use serde_json::json;
use threshr_extract::baseline::SystemChoice;
use threshr_html::blocks as block;
use threshr_html::blocks::Blocks;
use threshr_html::{Visibility, parse_str};

fn kept(system: &str, html: &str) -> Vec<String> {
    kept_with(system, &json!({}), html)
}

fn kept_with(system: &str, options: &Value, html: &str) -> Vec<String> {
    let doc = parse_str(html);
    let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
    let mut choice = SystemChoice::parse(system, &crate::systems()).expect("a system");
    choice.set_all(options).expect("options");
    let method = choice.method().expect("ready");
    let kept = method.keep(&SystemInput::new(&doc, &blocks));
    (0..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.text(i).to_owned()).collect()
}

/// `n` words that name their position.
fn words(name: &str, n: usize) -> String {
    vec![name; n].join(" ")
}

fn page(blocks: &[(&str, usize)]) -> String {
    blocks.iter().map(|(name, n)| format!("<p>{}</p>", words(name, *n))).collect()
}

#[test]
fn words_of_a_block_and_its_neighbours_decide() {
    // Before each block stand no links (density 0 <= .555556), so it is content iff words > 16, or next > 15,
    // or prev > 4. a: 3, next 4, no block before: no. b: 4, next 2, prev 3: no. c: 2, next 17 > 15: yes. d:
    // 17 > 16: yes. e: 1, prev 17 > 4: yes. f: 5, next 2, prev 1: no. g: 2, prev 5 > 4: yes.
    let html = page(&[("a", 3), ("b", 4), ("c", 2), ("d", 17), ("e", 1), ("f", 5), ("g", 2)]);
    assert_eq!(kept("boilerpipe-numwords", &html), ["c c", &words("d", 17), "e", "g g"]);
    // After links (density 1 > .555556) it takes more than 40 words, or more than 17 after it.
    let after = |n: usize, next: usize| {
        let html = format!("<p><a href=/>x y z</a></p>{}", page(&[("a", n), ("b", next)]));
        kept("boilerpipe-numwords", &html).iter().any(|t| t.starts_with('a'))
    };
    assert_eq!([after(40, 17), after(41, 1), after(1, 18)], [false, true, true]);
    // 2 of 6 words in links are .333333…, just above the published .333333
    let linked = |all: usize| {
        let html = format!("<p><a href=/>l l</a> {}</p>{}", words("a", all - 2), page(&[("b", 20)]));
        kept("boilerpipe-numwords", &html).len() == 2
    };
    assert_eq!([linked(6), linked(7)], [false, true]);
}

#[test]
fn densities_of_a_block_and_its_neighbours_decide() {
    // A block of one line has as many words in it as text density. a: 3, next 12 > 10: yes. b: 12 > 9, next 2
    // != 0: yes. c: 2, prev 12 > 4: yes. d: 2 and prev 2, next 10 is not > 10: no. e: 10 > 9, but nothing
    // follows: no.
    let html = page(&[("a", 3), ("b", 12), ("c", 2), ("d", 2), ("e", 10)]);
    assert_eq!(kept("boilerpipe-density", &html), ["a a a", &words("b", 12), "c c"]);
    // The default extractor first fuses neighbours of equal density: c and d are one block then, of density
    // 4/2 = 2, which follows b (12 > 4): so d is kept with it.
    assert_eq!(kept("boilerpipe-default", &html), ["a a a", &words("b", 12), "c c", "d d"]);
}

#[test]
fn canola() {
    // a: 2, next 20 > 6 without links, nothing before: next > 19: yes. b: 20 > 19: yes. c: 3, next 7 > 6,
    // prev 20 > 7: yes. d: 7, next 1: no. e: 1: no. f has a link and next 12 > 11: yes. g: 12, nothing after:
    // no.
    let html = page(&[("a", 2), ("b", 20), ("c", 3), ("d", 7), ("e", 1)])
        + "<p><a href=/>f</a></p>"
        + &page(&[("g", 12)]);
    assert_eq!(kept("boilerpipe-canola", &html), ["a a", &words("b", 20), "c c c", "f"]);
}

#[test]
fn the_largest_block_alone() {
    // By words b, c (after 20 words) and e, f are content; d (3 words, before: 2, after: 30 > 15) too. Then
    // everything that touches is fused: all of a..f is near. With two blocks of links between, it is not.
    let links = "<p><a href=/>x</a></p>".repeat(2);
    let html = page(&[("b", 20), ("c", 2)]) + &links + &page(&[("d", 3), ("e", 50), ("f", 2)]);
    // after links d needs next > 17: 50. The gap of two blocks is more than 1, but content is also fused with
    // the block of links right before it, which becomes content: d, e, f with the second link.
    assert_eq!(kept("boilerpipe-largest", &html), ["x", "d d d", &words("e", 50), "f f"]);
}

#[test]
fn an_article_from_its_title_to_its_comments() {
    let html = format!(
        "<title>Big news of the day | Site</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul>\
         <h1>Big news of the day</h1><p>By A. Writer<p>{}<p>{}<p>12 comments<p>{}<p>{}",
        words("one", 80),
        words("two", 80),
        words("three", 5),
        words("four", 30)
    );
    // The title matches the heading. "12 comments" ends the article: one and two are 160 words of full text
    // (their density is above 9), more than 60. one and two are fused with what is near: one takes in "By A.
    // Writer" (content already: its next has 80 words), which takes in the heading (not content by words:
    // next 3, before 1) that stands before it.
    assert_eq!(
        kept("boilerpipe-article", &html),
        ["Big news of the day", "By A. Writer", &words("one", 80), &words("two", 80)]
    );
    // without the end, what follows is an article as well
    let open = html.replace("12 comments", "12 more words");
    assert_eq!(kept("boilerpipe-article", &open).len(), 7);
}

#[test]
fn the_released_chain_takes_no_title_or_heading_in() {
    // By words content: the paragraph before the heading (its next has 2 words, but it has 30), the heading
    // (before: 30) and what follows it. All touch, so all is one block, on the least level; the released
    // chain keeps that one. Cut apart by three blocks of links, the largest part alone is kept, while the
    // later chain adds the part of 160 words on the same level.
    let links = "<p><a href=/>x y</a></p>".repeat(4);
    let html = format!("<title>t</title><body>{}{links}{}", page(&[("a", 160)]), page(&[("b", 200)]));
    let kept = |release: &str| {
        let kept = kept_with("boilerpipe-article", &json!({"release": release}), &html);
        kept.iter().map(|text| text[..1].to_owned()).collect::<Vec<_>>()
    };
    // the link right before b is fused with it: proximity takes in what is near before content
    assert_eq!(kept("1.2.0"), ["x", "b"]);
    assert_eq!(kept("later"), ["a", "x", "b"]);
}

#[test]
fn everything_is_what_is_text() {
    assert_eq!(kept("boilerpipe-keep-everything", "<p>a<select><option>b</select><p>c"), ["a", "c"]);
}

#[test]
fn the_port_passes_over_a_space_between_blocks() {
    // In the library the `&nbsp;` is a block of no words between a and b: a: 3, next 0: no. b: 17 > 16: yes.
    // The bullet is one after it: 0 words, before 17 > 4: yes, but nothing of a page's text. c: 2, before 0,
    // next nothing: no. In the port there is neither: a: next 17 > 15: yes. c: before 17 > 4: yes.
    let html = format!("{}<p>&nbsp;{}<p>&bull;<p>c c", page(&[("a", 3)]), page(&[("b", 17)]));
    let of = |reading: &str| kept_with("boilerpipe-numwords", &json!({"reading": reading}), &html);
    let found = of("java");
    assert!(!found.contains(&"a a a".to_owned()) && !found.contains(&"c c".to_owned()), "{found:?}");
    let found = of("python");
    assert!(found.contains(&"a a a".to_owned()) && found.contains(&"c c".to_owned()), "{found:?}");
}

#[test]
fn the_port_finds_a_title_in_another_case() {
    // The heading and b are content (before 20 words; 20 words) and fused; so are the last block of links and
    // a, the largest. Three blocks of links part the two, so that b stays only where the title is found
    // before a.
    let links = "<p><a href=/>x y</a></p>".repeat(4);
    let html = format!(
        "<title>BIG NEWS | Site</title><h1>Big news</h1>{}{links}{}",
        page(&[("b", 20)]),
        page(&[("a", 80)])
    );
    let of = |reading: &str| {
        kept_with("boilerpipe-article", &json!({"release": "1.2.0", "reading": reading}), &html)
    };
    assert_eq!(of("java"), ["x y", &words("a", 80)]);
    assert_eq!(of("python"), ["Big news", &words("b", 20), "x y", &words("a", 80)]);
}
