//! No label leakage: the feature matrix of an annotated page is bitwise identical to that of the page without
//! annotation.

use crate::support::sample;
use std::sync::Arc;
use threshr_features::{FeatureMatrix, FeatureSet, PageContext};
use threshr_html::blocks::{self as block, Blocks};
use threshr_html::{Labelling, ParseOptions, Selector, Visibility, parse};
use threshr_sets::labelling::Annotation;

fn matrix(html: &str, annotation: Option<Annotation>) -> (Vec<String>, FeatureMatrix, usize) {
    let labelling = annotation.map(|a| Arc::new(a) as Arc<dyn Labelling>);
    let options = ParseOptions { charset: Some("utf-8".into()), labelling, ..ParseOptions::default() };
    let doc = parse(html.as_bytes(), &options);
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let set = FeatureSet::parse("all", &[1, 2, 3]).expect("a set");
    let texts = (0..blocks.len()).map(|i| blocks.text(i).to_owned()).collect();
    (texts, set.extract(&PageContext::new(&doc, &blocks)), doc.labels().len())
}

/// Applies `wrap` to every non-empty text of a page that is a visible text node in a browser.
fn annotate(html: &str, wrap: impl Fn(usize, &str) -> String) -> String {
    const RAW: [&str; 8] = ["script", "style", "title", "textarea", "noscript", "iframe", "xmp", "noframes"];
    let (mut out, mut rest, mut n) = (String::new(), html, 0);
    while !rest.is_empty() {
        let text = &rest[..rest.find('<').unwrap_or(rest.len())];
        if text.trim().is_empty() {
            out.push_str(text);
        } else {
            out.push_str(&wrap(n, text));
            n += 1;
        }
        rest = &rest[text.len()..];
        let raw = RAW.iter().find(|r| rest.get(1..1 + r.len()).is_some_and(|t| t.eq_ignore_ascii_case(r)));
        let end = match raw {
            _ if rest.starts_with("<!--") => rest.find("-->").map(|i| i + 3),
            Some(name) => {
                let end_tag = rest.to_ascii_lowercase().find(&format!("</{name}"));
                end_tag.and_then(|i| rest[i..].find('>').map(|j| i + j + 1))
            }
            None => tag_end(rest),
        };
        let end = end.unwrap_or(rest.len());
        out.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

/// Returns the end of the tag at the start of `text`. Ignores `>` inside quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '>') => return Some(i + 1),
            _ => {}
        }
    }
    None
}

#[test]
fn the_matrix_of_an_annotated_page_is_that_of_the_plain_page() {
    let mut num_pages = 0;
    let mut files: Vec<_> = std::fs::read_dir(sample().join("pages"))
        .expect("listed")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    for file in files {
        let html = std::fs::read_to_string(&file).expect("UTF-8");
        let (texts, plain, _) = matrix(&html, None);
        let forms: [(&str, String, Annotation); 5] = [
            (
                "l3s",
                annotate(&html, |n, t| {
                    format!("<span class=\"x-nc-sel{}\" x-link-density=\"0.5\">{t}</span>", n % 6)
                }),
                Annotation::l3s(),
            ),
            (
                "krdwrd",
                annotate(&html, |n, t| format!("<kw class=\"krdwrd-tag-{}\">{t}</kw>", 1 + n % 3)),
                Annotation::krdwrd(),
            ),
            (
                "markers",
                annotate(&html, |n, t| {
                    if n % 2 == 0 { format!("<!-- content -->{t}<!-- /content -->") } else { t.to_owned() }
                }),
                Annotation::markers("content", "/content"),
            ),
            (
                "boilernet",
                annotate(&html, |n, t| format!("<span __boilernet_label=\"{}\">{t}</span>", n % 2)),
                Annotation::boilernet(),
            ),
            (
                "webmainbench",
                annotate(&html, |n, t| {
                    let label = if n % 2 == 0 { " cc-select=\"true\" class=\"mark-selected\"" } else { "" };
                    format!("<marked-text data-anno-uid=\"anno-uid-{n}\"{label}>{t}</marked-text>")
                }),
                Annotation::webmainbench(),
            ),
        ];
        for (name, annotated, annotation) in forms {
            let (annotated_texts, annotated, num_labels) = matrix(&annotated, Some(annotation));
            assert!(num_labels > 10, "{name}: {}", file.display());
            assert_eq!(annotated_texts, texts, "{name}: {}", file.display());
            assert!(annotated == plain, "{name}: {}", file.display());
        }
        num_pages += 1;
    }
    assert!(num_pages > 30);
}

#[test]
fn what_a_gold_selector_names_is_gone() {
    let page = |class: &str, data: &str| {
        format!(
            "<div class='{class}'><h1>Title</h1><p{data}>Some text, and more of it.</p></div><div class='menu'><p>Menu</div>"
        )
    };
    let annotation =
        || Annotation::selector(Selector::parse("div.gold-content, p[data-gold='1']").expect("a selector"));
    let (_, annotated, num_labels) = matrix(&page("gold-content story", " data-gold=1"), Some(annotation()));
    let (_, plain, _) = matrix(&page("story", ""), None);
    assert!(annotated == plain && num_labels > 1);
}
