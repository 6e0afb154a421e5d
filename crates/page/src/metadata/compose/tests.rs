use super::*;
use threshr_html::blocks::REGISTRY;
use threshr_html::{Visibility, parse_str};

fn read(html: &str, url: Option<&str>) -> Metadata {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let found = of(&doc, &blocks, url, Known::default());
    // values are the same if earlier results are known, and if only some fields are read
    let mut facts = crate::PageFacts::new(&doc, &blocks);
    let thread = facts.take_thread();
    let known = Known { thread: Some(&thread), article: Some(facts.article_metadata()), notes: None };
    let main = main_fields(&doc, &blocks, url, known);
    assert_eq!((&main.title, &main.authors), (&found.title, &found.authors), "{html}");
    assert_eq!(main.date_published, found.date_published, "{html}");
    assert_eq!(title(&doc, &blocks, url, known), found.title, "{html}");
    found
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
fn bylines_keep_every_author() {
    let link = |name: &str| format!("<a href=/p/{}>{name}</a>", name.len());
    for (lang, byline, expected) in [
        ("en", format!("By {} and Bo Berg", link("Ann Miller")), vec!["Ann Miller", "Bo Berg"]),
        (
            "de",
            format!("Von Anna Müller, {} und Bernd Berg", link("Cy Jung")),
            vec!["Anna Müller", "Cy Jung", "Bernd Berg"],
        ),
        (
            "fr",
            format!("Par {} et {}", link("Anne Meunier"), link("Luc Roy")),
            vec!["Anne Meunier", "Luc Roy"],
        ),
        ("zh", format!("作者：{}、李丽", link("王攀")), vec!["王攀", "李丽"]),
        ("en", format!("By {}, The Daily", link("Ann Miller")), vec!["Ann Miller"]),
    ] {
        let html = format!(
            "<html lang={lang}><title>Rain in the north in May</title><h1>Rain in the north in May</h1><p>{byline}</p>{TEXT}"
        );
        assert_eq!(authors(&read(&html, None)), expected, "{byline}");
    }
    let beside =
        "<div><span class=author><a href=/p/1>Ann Miller</a></span>, <span class=author>Bo Berg</span></div>";
    assert_eq!(
        authors(&read(&format!("<h1>Rain in the north</h1>{beside}{TEXT}"), None)),
        ["Ann Miller", "Bo Berg"]
    );
}

#[test]
fn sites_platforms_and_labels_are_no_authors() {
    let page = |head: &str, byline: &str| {
        let html = format!(
            "<title>Rain in the north</title><meta property=og:type content=article>{head}<h1>Rain in the north</h1>{byline}{TEXT}"
        );
        authors(&read(&html, None)).join(" + ")
    };
    let site = "<meta property=og:site_name content='The Daily'>";
    assert_eq!(page(&format!("{site}<meta name=author content='The Daily, Ann Miller'>"), ""), "Ann Miller");
    for generator in
        ["WordPress 6.5", "Drupal 10 (https://drupal.org)", "TYPO3 CMS", "Joomla! - Open Source", "Hugo"]
    {
        let name = generator.split(' ').next().unwrap_or_default();
        let head = format!("<meta name=generator content='{generator}'><meta name=author content='{name}'>");
        assert_eq!(page(&head, ""), "", "{generator}");
        let head =
            format!("<meta name=generator content='{generator}'><meta name=author content='Ann Miller'>");
        assert_eq!(page(&head, ""), "Ann Miller", "{generator}");
    }
    for (head, name) in [
        ("", "Medium"),
        ("", "Blogger"),
        ("", "daily.example"),
        ("<meta property=og:site_name content='The Daily'>", "The Daily"),
        ("<title>Rain in the north | Dziennik</title>", "Dziennik"),
        ("<title>Rain in the north | 河边日报</title>", "河边日报"),
    ] {
        let html = format!(
            "{head}<title>Rain in the north</title><meta property=og:type content=article>\
             <meta name=author content='{name}'><h1>Rain in the north</h1>{TEXT}"
        );
        assert!(authors(&read(&html, None)).is_empty(), "{name}");
    }
    for byline in [
        "Posts",
        "Posts by",
        "Alle Beiträge von",
        "Voir tous les articles de",
        "Tutti gli articoli",
        "Записи автора",
        "記事一覧",
        "Администратор",
        "管理员",
        "Gość",
    ] {
        assert_eq!(
            page("", &format!("<span class=author><a href=/author/x>{byline}</a></span>")),
            "",
            "{byline}"
        );
    }
    for (byline, expected) in [
        ("Posts by Ann Miller", "Ann Miller"),
        ("Alle Beiträge von Anna Müller", "Anna Müller"),
        ("Tous les articles de Luc Roy", "Luc Roy"),
        ("Записи автора Анна Иванова", "Анна Иванова"),
    ] {
        assert_eq!(page("", &format!("<span class=author><a href=/author/x>{byline}</a></span>")), expected);
    }
}

#[test]
fn values_that_were_encoded_twice_are_mended() {
    let html = "<title>Gość | Dziennik</title><meta name=author content='Anna JaroÅ„'><meta property=og:type content=article>\
                <meta property=og:title content='GoÅ›Ä‡ w Å\u{81}odzi'><meta property=og:site_name content='CafÃ© Ã\u{a0} deux'>\
                <meta name=description content='Sie sagt: schÃ¶n'><meta name=keywords content='MarÃ\u{ad}a, rain'>";
    let m = read(&format!("{html}{TEXT}"), None);
    assert_eq!(authors(&m), ["Anna Jaroń"]);
    assert_eq!(value(&m.title).0, "Gość w Łodzi");
    assert_eq!(value(&m.site_name).0, "Café à deux");
    assert_eq!(value(&m.description).0, "Sie sagt: schön");
    assert_eq!(m.tags.iter().map(|t| t.value.as_str()).collect::<Vec<_>>(), ["María", "rain"]);
}

#[test]
fn dates_of_teasers_are_not_those_of_the_page() {
    let date = |teaser: &str| {
        let html = format!("<html lang=en><h1>Rain in the north</h1>{TEXT}<section>{teaser}</section>");
        value(&read(&html, Some("https://a.com/rain")).date_published).0.to_owned()
    };
    assert_eq!(
        date("<a href=/snow><h3>Snow in the south</h3><time datetime=2024-05-03>May 3</time></a>"),
        ""
    );
    assert_eq!(date("<a href=/snow><p>Schnee im Süden</p><span class=date>3. Mai 2024</span></a>"), "");
    assert_eq!(date("<a href=/snow>北京今天下大雪很多人<time>2024年5月3日</time></a>"), "");
    assert_eq!(date("<a href=/rain#top>Rain in the north <time>3 May 2024</time></a>"), "2024-05-03");
}

#[test]
fn the_first_poster_is_the_author_of_a_thread() {
    let texts = [
        "My rear wheel makes a ticking noise when I pedal uphill.",
        "Look at the lockring, mine came loose.",
        "That was it, the hill is silent again since yesterday.",
    ];
    let post = |(name, text): (&str, &&str)| {
        format!(
            "<div class=post><a class=username href=/members/x>{name}</a> <time datetime=2024-05-03>3. 5. 2024</time>\
                 <div class=post-body>{text}</div></div>"
        )
    };
    let page = |names: [&str; 3], head: &str| {
        let posts: String = names.into_iter().zip(&texts).map(post).collect();
        let html = format!("{head}<title>Ticking noise</title><h1>Ticking noise</h1>{posts}");
        authors(&read(&html, None)).join(" + ")
    };
    let site = "<meta name=author content='Cycling Club'><meta property=og:type content=article>";
    assert_eq!(page(["marten", "Torque", "Paula"], site), "marten");
    assert_eq!(page(["Łukasz", "山田", "Łukasz"], ""), "Łukasz");
    let ld = r#"<script type=application/ld+json>{"@type": "DiscussionForumPosting", "headline": "Ticking noise",
              "author": {"name": "Zoë"}}</script><link rel=prev href=/t?page=1>"#;
    assert_eq!(page(["marten", "Torque", "Paula"], ld), "Zoë");
    assert_eq!(page(["marten", "Torque", "Paula"], "<link rel=prev href=/t?page=1>"), "");
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
    // each page takes much less time; a quadratic step would take minutes
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}
