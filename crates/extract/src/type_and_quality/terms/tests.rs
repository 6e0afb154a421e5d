//! Tests of all terms of a page.

use super::*;
use threshr_html::blocks::{Blocks, REGISTRY};
use threshr_html::{Visibility, parse_str};

#[test]
fn terms_of_each_channel() {
    let html = r#"<title>Red Shoe</title><meta property=og:type content=Product>
        <meta name=generator content="Word Press 6.1">
        <script type="application/ld+json">{"@graph": [{"@type": ["Product"], "sku": 1}]}</script>
        <script type="application/ld+json">{broken</script>
        <body class="single-post"><h1>A <b>Shoe</b></h1><p class="productCard lead productCard" role=note itemprop=name
        itemtype="https://schema.org/Offer/">Text<button>Add to <i>cart</i></button>
        <a href=/>A link whose text is much too long for a label</a><h2>Reviews</h2><input><label>Size</label>"#;
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let terms = PageTerms::new(&doc, &blocks, Some("https://www.shop.example/p/red-shoe?x=1"));
    let found: Vec<String> =
        terms.iter().map(|(channel, term, _)| format!("{}:{term}", CHANNELS[channel].name)).collect();
    for expected in [
        "url_word:p",
        "url_word:shoe",
        "url_first:p",
        "host_word:shop",
        "title_word:red",
        "headline_word:shoe",
        "og_type:product",
        "meta_name:og:type",
        "generator:press",
        "ld_type:product",
        "ld_key:sku",
        "itemtype:offer",
        "itemprop:name",
        "role:note",
        "input_type:text",
        "body_name:single",
        "name:product",
        "name:card",
        "button:add_to_cart",
        "button_word:cart",
        "heading:reviews",
        "heading_word:reviews",
        "label:size",
        "word:text",
    ] {
        assert!(found.iter().any(|f| f == expected), "{expected} is not in {found:?}");
    }
    assert!(!found.iter().any(|f| f.starts_with("button_word:much") || f == "generator:6"));
    let products = terms.iter().find(|t| t.0 == at::NAME && t.1 == "product");
    assert_eq!(products.map(|t| t.2), Some(1), "once per element");
    assert!(found.iter().all(|f| !f.contains(char::is_whitespace)));
    let counted = PageTerms::new(&doc, &blocks, None);
    let shoes: Vec<_> = counted.iter().filter(|t| t.1 == "shoe" && t.0 == at::WORD).collect();
    assert_eq!(shoes, [(at::WORD, "shoe", 1)]);
}

#[test]
fn terms_of_kept_blocks() {
    let doc = parse_str("<main><section><h2>Big Shoe</h2><p>Text</p></section></main><p>no<custom-x>yes");
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let terms = PageTerms::new(&doc, &blocks, None).with_kept(&[true, true, false]);
    let kept: Vec<(&str, &str)> =
        terms.iter().filter(|t| t.0 >= at::KEPT_WORD).map(|t| (CHANNELS[t.0].name, t.1)).collect();
    let words = |channel: &'static str, terms: &[&'static str]| -> Vec<(&'static str, &'static str)> {
        terms.iter().map(|term| (channel, *term)).collect()
    };
    let expected = [
        words("kept_word", &["big", "shoe", "text"]),
        words("kept_heading", &["big", "shoe"]),
        words("kept_first", &["big", "shoe", "text"]),
        words("kept_element", &["body", "h2", "main", "p", "section", "section>h2", "section>p"]),
    ];
    assert_eq!(kept, expected.concat());
    let mut path = String::from("x");
    path_of(&doc, doc.root(), &mut path);
    assert_eq!(path, "");
}
