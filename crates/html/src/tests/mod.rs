//! Tests of the crate and their shared code: random pages, and comparison with html5ever.

mod agreement;
pub(crate) mod random_pages;

use super::*;
use std::time::Instant;

/// Returns the visible text of a page.
pub(crate) fn text(html: &str) -> String {
    let doc = parse_str(html);
    let mut out = String::new();
    for node in doc.descendants(doc.root()) {
        if doc.kind(node) == Kind::Text && doc.is_visible(node) {
            out.push_str(doc.text(node));
        }
    }
    out
}

#[test]
fn leaves_out_hidden_text() {
    let html = "<title>T</title><p>a<script>x()</script><style>s</style><noscript>n</noscript>\
        <template><p>t</p></template><svg><text>v</text></svg><!-- c --><i hidden>h</i>\
        <b style='color:red; DISPLAY : none'>d</b><b style='visibility:hidden'>e</b>z";
    assert_eq!(text(html), "az");
}

#[test]
fn pages_of_frames_give_their_text_for_browsers_without_frames() {
    let page = "<title>T</title><frameset><frame src=a><NOFRAMES><body><p>text</body>\
        </noframes></frameset>";
    assert_eq!(text(page), "text");
    assert_eq!(text("<frameset><frame src=a></frameset>"), "");
}

#[test]
fn pages_are_read_from_their_wrapper() {
    #[derive(Debug)]
    struct Brackets;
    impl Unwrap for Brackets {
        fn page(&self, text: &str) -> Option<(Wrapper, Range<usize>)> {
            let wrapper = Wrapper { url: "http://a.example/".to_owned(), title: "T".to_owned() };
            Some((wrapper, text.find('[')? + 1..text.rfind(']')?))
        }
    }
    let options = ParseOptions { unwrap: Some(&Brackets), source_map: true, ..ParseOptions::default() };
    let page = "é [\r\n<p>a</p>] y";
    let doc = parse(page.as_bytes(), &options);
    assert_eq!((doc.source_text(), doc.title().as_str()), ("a", "T"));
    assert_eq!(doc.url().as_deref(), Some("http://a.example/"));
    let p = doc.elements_with(|tag| tag == Tag::P).next().expect("an element");
    assert_eq!(doc.source_of(p).map(|range| &page[range]), Some("<p>a</p>"));
    assert_eq!(plain_html(page.as_bytes(), &options), "\r\n<p>a</p>");
    // the input has no wrapper, or the wrapper contains no page
    assert_eq!(plain_html(b"<p>a", &options), "<p>a");
    assert_eq!(plain_html(b"] <p>a [", &options), "] <p>a [");
}

#[test]
fn text_that_scripts_show_is_read() {
    let long = "a long text that is the page ".repeat(3);
    assert_eq!(text(&format!("<body hidden><p>{long}<b style='display:none'>x</b>")), long);
    assert_eq!(text(&format!("<p>Loading</p><noscript><p>{long}</p></noscript>")), format!("Loading{long}"));
    assert_eq!(
        text(&format!("<p>{long}</p><noscript><p>Please enable</p></noscript><div hidden>menu</div>")),
        long
    );
    assert_eq!(
        text("<title>BBC<body><p>text of a page whose title is never closed"),
        "text of a page whose title is never closed"
    );
}

#[test]
fn raw_text_closed_in_itself_is_empty_on_pages_of_xml_serialisers() {
    let voids = "<br/>".repeat(10);
    for (tag, html) in [
        ("script", "<script src='a'/>a"),
        ("title", "<head><title/></head><body>a</body>"),
        ("iframe", "<p><iframe src='b'/>a</p><noscript><iframe src='b'/></noscript>"),
        ("textarea", "<form><textarea name='c'/></form>a"),
    ] {
        assert_eq!(text(&format!("{html}{voids}")).trim(), "a", "{tag}");
        assert_ne!(text(&format!("{html}</{tag}>")).trim(), "a", "{tag}");
    }
    assert_eq!(text(&format!("<style/>a<br>{voids}</style>")), "");
}

#[test]
fn hostile_pages_are_parsed_in_bounded_time() {
    let deep = "<div>".repeat(100_000) + "end";
    let table = "<table>".to_owned() + &"<div>".repeat(50_000) + "end";
    let attrs = format!("<p {}>end", (0..100_000).map(|i| format!("a{i}='x' ")).collect::<String>());
    let formatting = format!(
        "<p>{}</p>{}end",
        (0..600).map(|i| format!("<b id={i}>")).collect::<String>(),
        "<p>x</p>".repeat(20_000)
    );
    let misnested =
        format!("<b><div>{}{}end", "<p>y".repeat(20_000), "<a></div><b></a></b><div>".repeat(2_000));
    for (name, html) in [
        ("deep", deep),
        ("table", table),
        ("attributes", attrs),
        ("formatting", formatting),
        ("misnested", misnested),
        ("nul", "\0<p>\0end\0".into()),
        ("lt", "<".repeat(300_000) + " end"),
        ("entities", "&amp;".repeat(200_000) + "end"),
        ("unclosed", "<p".repeat(100_000) + ">end"),
        ("comment", "end<!--".to_owned() + &"<!-".repeat(100_000)),
        ("comments", "end".to_owned() + &"<!--".repeat(400_000)),
        ("scripts", "<SCRIPT>x</SCRIPT>".repeat(200_000) + "end"),
        ("styles", "<style>a</STYLE>".repeat(200_000) + "end"),
        ("open script", "end".to_owned() + &"<script>".repeat(200_000)),
    ] {
        let started = Instant::now();
        assert!(text(&html).contains("end"), "{name}");
        // each page takes much less time; a quadratic algorithm would take minutes
        assert!(started.elapsed().as_secs() < 20, "{name} took {:?}", started.elapsed());
    }
    assert_eq!(text(""), "");
}

#[test]
fn depth_has_a_limit() {
    let html = format!("{}deep{}<p>after</p>", "<div>".repeat(2_000), "</div>".repeat(2_000));
    let doc = parse_str(&html);
    let after = doc.descendants(doc.root()).find(|&n| doc.kind(n) == Kind::Text && doc.text(n) == "after");
    let depth = doc.ancestors(after.expect("the text is there")).count();
    assert_eq!(depth, 4, "p, body, html, document");
    for nested in [
        "<div>",
        "<div/>",
        "<table><td>",
        "<table><col><tr><td><br>",
        "<noscript><img>",
        "<svg><style>",
        "<math><mi><svg><desc><script></script>",
        "<form><div></form>",
        "<b><div></b>",
        "<a><table><a><tr><td>",
        "<b><i><u><p>x<table></b>",
        "<template><table>",
    ] {
        // the elements stay open, or end in the other order
        for end in ["", "</p></b></i></u></td></table></div></form>"] {
            let doc = parse_str(&format!("{}x{}<p>after", nested.repeat(700), end.repeat(700)));
            let texts = doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Text);
            let deepest = doc.descendants(doc.root()).map(|n| doc.ancestors(n).count()).max();
            assert!(deepest <= Some(MAX_DEPTH as usize + 1), "{nested}: {deepest:?}");
            assert!(texts.last().is_some_and(|n| doc.text(n).ends_with("after")), "{nested}");
        }
    }
}

#[test]
fn reads_truncated_bytes_and_any_charset() {
    assert!(parse(b"<p>caf\xc3", &ParseOptions::default()).source_text().contains("caf"));
    for n in 0..40u8 {
        parse(&[n, 0xff, 0xfe, n.wrapping_mul(17), 0x1b, b'$', b'B'], &ParseOptions::default());
    }
}
