use super::*;
use threshr_html::blocks::REGISTRY;
use threshr_html::{Visibility, parse_str};

fn read(html: &str, url: Option<&str>) -> Metadata {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    of(&doc, &blocks, url)
}

fn value(field: &Option<Sourced>) -> (&str, Option<Source>) {
    field.as_ref().map_or(("", None), |f| (f.value.as_str(), Some(f.source)))
}

fn authors(metadata: &Metadata) -> Vec<&str> {
    metadata.authors.iter().map(|a| a.value.as_str()).collect()
}

const TEXT: &str = "<p>It rained all day in the north of the country, and some rivers rose by two metres.";

#[test]
fn headline_and_byline_decide() {
    let html = format!(
        "<html lang=en-us><title>Rain in May | The Daily</title><meta property=og:site_name content='The Daily'>\
         <meta property=og:type content=article><meta name=author content='The Daily'>\
         <link rel=canonical href=/rain><meta property=og:image content=/i.png>\
         <article><h1>Rain in the north in May</h1><p>By Ann Miller | May 3, 2024</p>{TEXT}</article>"
    );
    let m = read(&html, Some("https://daily.example.com/a/rain"));
    assert_eq!(value(&m.title), ("Rain in the north in May", Some(Source::Headline)));
    assert_eq!(authors(&m), ["Ann Miller"]);
    assert_eq!(m.authors[0].source, Source::Byline);
    assert_eq!(value(&m.date_published), ("2024-05-03", Some(Source::Byline)));
    assert_eq!(value(&m.site_name), ("The Daily", Some(Source::OpenGraph)));
    assert_eq!(value(&m.language), ("en-US", Some(Source::Html)));
    assert_eq!(value(&m.canonical_url).0, "https://daily.example.com/rain");
    assert_eq!(value(&m.image).0, "https://daily.example.com/i.png");
}

#[test]
fn bylines_in_many_languages_are_read() {
    for (lang, byline, author, date) in [
        ("de", "Von Anna Müller, 3. Mai 2024", "Anna Müller", "2024-05-03"),
        ("fr", "Par Anne Meunier – Publié le 3 mai 2024", "Anne Meunier", "2024-05-03"),
        ("ru", "Автор: Анна Иванова, 3 мая 2024", "Анна Иванова", "2024-05-03"),
        ("pl", "Autor: Anna Nowak, 3 maja 2024", "Anna Nowak", "2024-05-03"),
        ("zh", "2024年5月3日 10:20 作者：王攀", "王攀", "2024-05-03"),
        ("ja", "2024年5月3日 山田太郎記者", "山田太郎", "2024-05-03"),
        ("ko", "홍길동 기자 2024.05.03", "홍길동", "2024-05-03"),
    ] {
        let title = "Rain in the north in May";
        let html = format!("<html lang={lang}><title>{title}</title><h1>{title}</h1><p>{byline}</p>{TEXT}");
        let m = read(&html, None);
        assert_eq!((authors(&m), value(&m.date_published).0), (vec![author], date), "{byline}");
    }
}

#[test]
fn what_nothing_says_is_empty() {
    let text = TEXT.repeat(9);
    let m = read(&format!("<h1>Our services</h1>{text}<p>© 2024 The Company<footer>by Ann Miller"), None);
    assert_eq!((m.authors.len(), &m.date_published, &m.site_name), (0, &None, &None));
    assert_eq!(read("", None), Metadata::default());
    let owner = "<title>Our services</title><meta name=author content='The Company'><h1>Our services</h1>";
    assert!(read(owner, None).authors.is_empty());
}

#[test]
fn dates_have_an_order() {
    let dates = |head: &str, url| {
        let m = read(&format!("{head}<h1>Rain in the north</h1>{TEXT}"), url);
        (value(&m.date_published).0.to_owned(), value(&m.date_modified).0.to_owned())
    };
    let ld = r#"<script type=application/ld+json>{"@type": "Article", "headline": "Rain in the north",
              "datePublished": "2024-05-03T10:00:00Z", "dateModified": "2024-05-04"}</script>"#;
    let both = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(dates(ld, Some("https://a.com/2020/01/01/x")), both("2024-05-03T10:00:00Z", "2024-05-04"));
    assert_eq!(dates("", Some("https://a.com/2020/01/01/x")), both("2020-01-01", ""));
    let changed = "<meta property=article:modified_time content=2024-05-04>";
    assert_eq!(dates(changed, None), both("2024-05-04", "2024-05-04"));
    // a modification date before the publication date is ignored
    assert_eq!(dates(&ld.replace("2024-05-04", "2023-05-04"), None), both("2024-05-03T10:00:00Z", ""));
}

#[test]
fn the_page_tells_the_order_of_day_and_month() {
    let date = |lang: &str, text: &str, url| {
        let html = format!(
            "<html{lang}><h1>{}</h1><time>3/5/2024</time><p>{text}",
            &text[..text.find(' ').unwrap_or(0)]
        );
        value(&read(&html, url).date_published).0.to_owned()
    };
    let (day_first, month_first) = ("2024-05-03", "2024-03-05");
    let english = "It rained all day in the north of the country, and some of the rivers rose by two metres.";
    let greek =
        "Όλη την ημέρα έβρεχε στα βόρεια της χώρας και η στάθμη μερικών ποταμών ανέβηκε κατά δύο μέτρα.";
    assert_eq!(date("", english, None), month_first);
    assert_eq!(date(" lang=en", english, Some("https://a.co.uk/")), day_first);
    assert_eq!(date("", greek, None), day_first);
    // the template states the wrong language
    assert_eq!(date(" lang=en", greek, None), day_first);
    assert_eq!(date(" lang=en-us", &format!("{english}<p>Before: 23/4/2024"), None), day_first);
    assert_eq!(date(" lang=en-gb", &format!("{english}<p>Before: 4/23/2024"), None), month_first);
}

#[test]
fn languages_are_tags() {
    for (value, expected) in [
        ("en_us", Some("en-US")),
        ("zh-hans-CN", Some("zh-Hans-CN")),
        ("DE", Some("de")),
        ("de, en", Some("de")),
        ("es-419", Some("es-419")),
        ("English", None),
        ("", None),
        ("de_DE.UTF-8", Some("de-DE")),
    ] {
        assert_eq!(language_tag(value).as_deref(), expected, "{value}");
    }
}

#[test]
fn hostile_pages_are_read_in_bounded_time() {
    let started = std::time::Instant::now();
    let deep = "{\"@graph\":[".repeat(50_000);
    for html in [
        format!("<script type=application/ld+json>{deep}</script>"),
        format!("<script type=application/ld+json>[{}]</script>", "{\"@type\":\"Article\"},".repeat(50_000)),
        "<time>3 May 2024</time><b class=author>Ann Miller</b>".repeat(20_000),
        "<i itemprop=author itemscope><b itemprop=name>x</b></i>".repeat(20_000),
        "<div itemscope itemprop=author>".repeat(20_000),
        "<div class=hentry>".repeat(20_000),
        "<meta name=author content='a, b'>".repeat(50_000),
        format!("<h1>Rain</h1><p>{}", "by ".repeat(200_000)),
        format!("<title>{}</title><h1>a | b</h1>", "a | ".repeat(100_000)),
        "<a href=/author/x>Ann Miller</a>".repeat(50_000),
    ] {
        read(&html, Some("https://a.com/"));
    }
    // each page takes much less; a quadratic step would take minutes
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
