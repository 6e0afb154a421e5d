use super::*;
use threshr_html::parse_str;

fn read_json(json: &str) -> JsonLd {
    read(
        &parse_str(&format!("<script type='application/ld+json'>{json}</script>")),
        Some("https://a.com/x"),
        "Rain",
    )
}

#[test]
fn graphs_and_references_are_read() {
    let found = read_json(
        r##"{"@context": "https://schema.org", "@graph": [
          {"@type": "WebSite", "name": "The Daily", "inLanguage": "en-GB"},
          {"@type": ["NewsArticle"], "headline": "Rain &amp; snow", "author": [{"@id": "#ann"}, {"name": "Bo Berg"}],
           "datePublished": "2024-05-03", "dateModified": "2024-05-04", "keywords": "rain, snow", "image": {"@id": "#i"},
           "publisher": {"@type": "Organization", "name": "Daily Ltd"}, "license": "https://l.org/"},
          {"@type": "Person", "@id": "#ann", "name": "Ann Miller"},
          {"@type": "ImageObject", "@id": "#i", "url": "https://a.com/i.png"}]}"##,
    );
    let work = found.work;
    assert_eq!(work.title.as_deref(), Some("Rain & snow"));
    assert_eq!(work.authors, ["Ann Miller", "Bo Berg"]);
    assert_eq!(
        [work.published.as_deref(), work.modified.as_deref()],
        [Some("2024-05-03"), Some("2024-05-04")]
    );
    assert_eq!(work.tags, ["rain", "snow"]);
    assert_eq!(
        [work.image.as_deref(), work.licence.as_deref()],
        [Some("https://a.com/i.png"), Some("https://l.org/")]
    );
    assert_eq!(
        (work.site_name.as_deref(), found.page.language.as_deref()),
        (Some("Daily Ltd"), Some("en-GB"))
    );
}

#[test]
fn forms_of_authors_are_read() {
    for (author, expected) in [
        (r#""Ann Miller""#, "Ann Miller"),
        (r#""Ann Miller and Bo Berg""#, "Ann Miller + Bo Berg"),
        (r#"{"@type": "Person", "name": ["Ann Miller", "Bo Berg"]}"#, "Ann Miller + Bo Berg"),
        (r#"{"@type": "Person", "name": "Ann Miller, MD"}"#, "Ann Miller, MD"),
        (r#"[["x"], 1, null, {"name": {"@value": "Ann Miller"}}]"#, "Ann Miller"),
        (r#"{"name": {"name": {"name": "deep"}}}"#, ""),
        (r#"{"url": "https://a.com/ann"}"#, ""),
        (r#"{"givenName": "Ada", "familyName": "Fenn"}"#, "Ada Fenn"),
        (
            r#"[{"name": "", "givenName": "Tom", "additionalName": ["J.", "K."], "familyName": "Agar"}, "Bo Berg"]"#,
            "Tom J. K. Agar + Bo Berg",
        ),
        (r#"{"name": "A. Fenn", "givenName": "Ada", "familyName": "Fenn"}"#, "A. Fenn"),
        (r#"{"givenName": "小明", "familyName": "王"}"#, "王小明"),
        (r#"{"schema:givenName": {"@value": "Zoë"}, "schema:familyName": "Ødegård"}"#, "Zoë Ødegård"),
        (r#"{"givenName": "", "familyName": null}"#, ""),
    ] {
        let found =
            read_json(&format!(r#"[{{"@type": "BlogPosting", "headline": "Rain", "author": {author}}}]"#));
        assert_eq!(found.work.authors.join(" + "), expected, "{author}");
    }
}

#[test]
fn parts_of_names_are_found_by_reference() {
    let found = read_json(
        r##"{"@graph": [{"@type": "Article", "headline": "Rain", "author": {"@type": "Person", "@id": "#a"}},
          {"@type": "Person", "@id": "#a", "givenName": "Ada", "familyName": "Fenn"}]}"##,
    );
    assert_eq!(found.work.authors, ["Ada Fenn"]);
}

#[test]
fn lists_have_no_work_of_the_page() {
    let items: Vec<String> = (0..5)
        .map(|i| format!(r#"{{"@type": "Article", "headline": "Snow {i}", "author": "Ann Miller"}}"#))
        .collect();
    let found = read_json(&format!("[{}]", items.join(",")));
    assert!(found.work.authors.is_empty());
    let listed = read_json(&format!(r#"{{"@type": "ItemList", "itemListElement": {}}}"#, items[0]));
    assert!(listed.work.authors.is_empty());
    let product = read_json(r#"{"@type": "Product", "name": "Shoe", "author": "Ann Miller"}"#);
    assert!(product.is_offer && product.work.authors.is_empty());
}
