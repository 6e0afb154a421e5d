//! Pages that show no content without their scripts.
//!
//! Scripts fill an element of such a page: its root. Until then, the page shows nothing, a notice that asks the reader
//! to enable scripts, or a placeholder such as `Loading…`. Such a text stands in the root or next to an empty root. The
//! text of a short page stands elsewhere.

use crate::names::known_number;
use crate::tag::Tag;
use crate::text::name_words;
use crate::text::word_list::word_list;
use crate::tree::{Document, Kind, NodeId};
use crate::visibility::notices::{NOTICE, has_notice, has_scripts, names_scripts};
use crate::visibility::{EXCLUDED, letters};
use rustc_hash::FxHashSet;

/// Maximum number of letters of a page that shows no content, outside its menus and its footer.
const SHELL: usize = 400;
/// Maximum number of letters of such a page with its menus and its footer.
const WHOLE: usize = 1500;
/// Maximum number of letters of one text in or next to a root.
const MESSAGE: usize = 150;
/// A text with fewer letters than this may be a placeholder.
const STAND_IN: usize = 30;
/// Words in the ids and tag names of roots. Common libraries use them.
const ROOTS: &[&str] = &word_list!("notices/roots.txt");
/// Maximum length in bytes of the id of a root.
const MAX_ROOT_NAME: usize = 24;
/// Words that may stand next to a word of [`ROOTS`]. Other words name a part of the page, as in `modal-root`.
const BESIDE_ROOTS: [&str; 5] = ["container", "wrapper", "shell", "mount", "main"];
/// Ids of attribute names.
const ID: u16 = known_number("id");
const ROLE: u16 = known_number("role");
/// Words in the names of placeholders.
const LOADING: &[&str] = &word_list!("notices/loading.txt");
/// Words in the names of pages that check whether the reader is human.
const CHECKS: [&str; 2] = ["challenge", "captcha"];

/// A visible text node.
struct Text {
    node: NodeId,
    letters: usize,
    /// Whether the text is in a menu, a footer or a button, or a link outside the roots.
    is_apart: bool,
    in_root: bool,
}

/// Excludes the text of a page that shows no content without its scripts. Returns whether the page is such a page.
pub(crate) fn exclude(doc: &mut Document) -> bool {
    let Some(texts) = few_texts(doc).filter(|_| has_scripts(doc)) else { return false };
    if !is_shell(doc, &texts) {
        return false;
    }
    for text in texts {
        doc.nodes[text.node as usize].hidden |= EXCLUDED;
    }
    true
}

fn is_shell(doc: &Document, texts: &[Text]) -> bool {
    let with_text: FxHashSet<NodeId> = texts.iter().flat_map(|text| doc.ancestors(text.node)).collect();
    let has_empty_root =
        || doc.elements_with(|_| true).any(|node| !with_text.contains(&node) && is_root(doc, node));
    let own: Vec<&Text> = texts.iter().filter(|text| !text.is_apart).collect();
    if own.is_empty() {
        return texts.is_empty() || !has_loose_text(doc, texts) && has_empty_root();
    }
    let letters: usize = own.iter().map(|text| text.letters).sum();
    let names = || names_scripts(&own.iter().map(|text| doc.text(text.node)).collect::<String>());
    let is_one = || own.iter().all(|text| block(doc, text.node) == block(doc, own[0].node));
    let is_in = |tags: &[Tag]| own.iter().any(|t| doc.ancestors(t.node).any(|n| tags.contains(&doc.tag(n))));
    let is_plain = || !is_in(&[Tag::A]);
    let has_title = || is_in(&[Tag::H1, Tag::H2, Tag::H3]);
    let is_message = || letters <= MESSAGE && is_one() && !has_title() || letters <= NOTICE && names();
    // the notice or placeholder is in the root
    if own.iter().all(|text| text.in_root) {
        return letters < STAND_IN || is_plain() && is_message();
    }
    // it is next to an empty root
    let is_content = || is_in(&[Tag::MAIN, Tag::ARTICLE, Tag::BLOCKQUOTE]);
    if !is_content() && is_plain() && is_message() && has_empty_root() {
        return true;
    }
    let asks = || names() && letters <= NOTICE && is_plain();
    if has_notice(doc) && !is_content() && (letters < STAND_IN || asks()) || has_empty_box(doc) && asks() {
        return true;
    }
    let waits = || {
        let is_busy = || is_named_loading(doc, own[0].node) || is_status(doc, own[0].node);
        is_one() && !is_content() && letters <= MESSAGE && is_busy()
    };
    // the only text of the page, such as `Loading…`
    let is_open = || {
        let end = own.last().map_or("", |text| doc.text(text.node).trim_end());
        own.len() == texts.len()
            && letters < STAND_IN
            && is_one()
            && is_plain()
            && !has_title()
            && ends_open(end)
    };
    waits() || is_open() || is_check(doc)
}

/// Whether scripts fill an element: a custom element in `<body>`, or an element with a word of [`ROOTS`] in its id or
/// tag name, such as `app-shell` and `q-app`.
fn is_root(doc: &Document, node: NodeId) -> bool {
    let tag = doc.tag(node);
    let is_custom = usize::from(tag.0) >= Tag::NUM_KNOWN && doc.tag_name(tag).contains('-');
    if !is_custom && !matches!(tag, Tag::DIV | Tag::MAIN | Tag::SECTION) {
        return false;
    }
    let in_body = || doc.parent(node).is_some_and(|parent| doc.tag(parent) == Tag::BODY);
    is_custom && in_body() || is_root_name(doc.numbered_attribute(node, ID).unwrap_or_else(|| doc.name(node)))
}

fn is_root_name(name: &str) -> bool {
    if name.len() > MAX_ROOT_NAME || !ROOTS.iter().any(|root| name.contains(root)) {
        return false;
    }
    let (mut is_root, mut has_other) = (false, false);
    name_words::for_each(name, char::is_alphanumeric, |word| {
        let is_own = ROOTS.contains(&word);
        is_root |= is_own;
        has_other |= !is_own && !BESIDE_ROOTS.contains(&word) && word.len() > 2;
    });
    is_root && !has_other
}

/// Whether a child of `<body>` is an empty element with an id, which scripts can fill.
fn has_empty_box(doc: &Document) -> bool {
    let Some(body) = doc.elements_with(|tag| tag == Tag::BODY).next() else { return false };
    let is_box = |&node: &NodeId| {
        matches!(doc.tag(node), Tag::DIV | Tag::MAIN | Tag::SECTION)
            && doc.attribute(node, "id").is_some()
            && doc.is_visible(node)
    };
    let is_empty = |node: NodeId| {
        doc.children(node).all(|child| doc.text(child).trim().is_empty() && doc.kind(child) == Kind::Text)
    };
    doc.children(body).filter(is_box).any(is_empty)
}

/// Whether a text is outside the menus, footers and buttons of the page.
fn has_loose_text(doc: &Document, texts: &[Text]) -> bool {
    texts.iter().any(|text| doc.ancestors(text.node).all(|n| !is_frame(doc, n)))
}

/// Whether the notice in `<noscript>` or the id of a form contains a word of [`CHECKS`].
fn is_check(doc: &Document) -> bool {
    let has = |value: &str| CHECKS.iter().any(|word| value.contains(word));
    doc.elements_with(|tag| tag == Tag::NOSCRIPT || tag == Tag::FORM).any(|node| match doc.tag(node) {
        Tag::NOSCRIPT => doc.children(node).any(|text| has(doc.text(text))),
        _ => doc.attribute(node, "id").is_some_and(has),
    })
}

/// Whether the name of one of the three elements around a text contains a word of [`LOADING`].
fn is_named_loading(doc: &Document, text: NodeId) -> bool {
    doc.ancestors(text)
        .take(3)
        .filter(|&n| doc.tag(n) != Tag::BODY && doc.tag(n) != Tag::HTML)
        .flat_map(|n| [doc.attribute(n, "id"), doc.attribute(n, "class")])
        .flatten()
        .any(|name| name_words::any(name, char::is_alphabetic, |word| LOADING.contains(&word)))
}

/// Whether one of the three elements around a text tells its reader that the page is busy.
fn is_status(doc: &Document, text: NodeId) -> bool {
    let is = |node, name, value| doc.attribute(node, name).is_some_and(|v| v.eq_ignore_ascii_case(value));
    doc.ancestors(text).take(3).any(|n| is(n, "role", "status") || is(n, "aria-busy", "true"))
}

/// Whether a text ends with an ellipsis.
fn ends_open(text: &str) -> bool {
    text.ends_with('…') || text.ends_with("...")
}

/// Returns the block-level element around a text node.
fn block(doc: &Document, text: NodeId) -> Option<NodeId> {
    doc.ancestors(text).find(|&n| doc.tag(n).is_block_level())
}

/// Whether an element is a menu, a footer or a button.
fn is_frame(doc: &Document, node: NodeId) -> bool {
    matches!(doc.tag(node), Tag::NAV | Tag::HEADER | Tag::FOOTER | Tag::BUTTON)
        || matches!(
            doc.numbered_attribute(node, ROLE),
            Some("button" | "navigation" | "banner" | "contentinfo")
        )
}

/// Returns the visible text nodes of a page. Returns `None` if the page has more than [`SHELL`] letters outside its
/// menus, its footer and its links.
fn few_texts(doc: &Document) -> Option<Vec<Text>> {
    let (mut texts, mut own, mut all) = (Vec::new(), 0, 0);
    let mut at = Some(doc.root());
    // inside a root, and inside an element whose text is apart: the first node after it
    let (mut after_root, mut after) = (None, None);
    while let Some(node) = at {
        let ends = |end: &mut Option<Option<NodeId>>| *end = end.filter(|&end| end != Some(node));
        ends(&mut after_root);
        ends(&mut after);
        let is_text = doc.kind(node) == Kind::Text && doc.is_visible(node);
        let letters = if is_text { letters::of_node(doc, node) } else { 0 };
        if letters > 0 {
            let is_apart = after.is_some() || doc.text(node).contains('©');
            all += letters;
            own += if is_apart { 0 } else { letters };
            // a long text is content, wherever it stands
            if own > SHELL || all > WHOLE || is_apart && letters > NOTICE {
                return None;
            }
            texts.push(Text { node, letters, is_apart, in_root: after_root.is_some() });
        }
        if doc.kind(node) == Kind::Element {
            let next = || Some(doc.next_outside(node, doc.root()));
            if after_root.is_none() && is_root(doc, node) {
                after_root = next();
            }
            let is_link = doc.tag(node) == Tag::A && after_root.is_none();
            if after.is_none() && (is_link || is_frame(doc, node)) {
                after = next();
            }
        }
        at = doc.first_child(node).or_else(|| doc.next_outside(node, doc.root()));
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use crate::{ParseOptions, parse, tests::text};

    fn needs_rendering(html: &str) -> bool {
        parse(html.as_bytes(), &ParseOptions::default()).needs_rendering()
    }

    #[test]
    fn notices_are_not_content() {
        let script = "<script src=main.js></script>";
        for notice in [
            "<noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>",
            "<noscript>Bitte schalten Sie Skripte ein.</noscript><div></div>",
            "<noscript><p>يرجى تفعيل جافا سكريبت</p></noscript><main></main>",
            "<div class=x><h1>Please enable JavaScript and cookies to continue</h1></div><noscript>JavaScript</noscript>",
            "<div id=app>Loading…</div><noscript>Pour continuer, activez <b>JavaScript</b>.</noscript>",
            "<app-root>読み込み中</app-root>",
            "<div class=warn>このサイトを表示するにはスクリプトを有効にしてください。</div><div id=q-app></div>",
            "<h1>JavaScript is required</h1><p>Please change the settings of your browser.</p><div id=x></div>",
            "<p>Please <b>enable</b> <i>JavaScript</i> in your browser.</p><my-app></my-app>",
            "<noscript>Turn on JavaScript.</noscript><p>Just a moment…</p><div id=y><i></i></div>",
            "<div id=__next></div>",
            "<header><a href=/>Home</a></header><main id=app><p>Bitte aktivieren Sie JavaScript.</p></main>\
             <footer>© Canal</footer>",
            "<nav><a href=/>ホーム</a></nav><main><div id=app></div></main><footer><p>All rights</p></footer>",
            "<app-root><div><p>Приложение загружается, пожалуйста, подождите немного</p></div></app-root>",
            "<p id=loading>Starting the engine, please wait a moment</p>",
            "<div class=wrap><div id=app><div>您的浏览器未启用脚本，请启用后重试。</div></div></div>",
            "<p>Loading...</p>",
            "<main><div class=animate-spin></div><p>Wird geladen…</p></main>",
            "<p role=status>Your page comes in a moment</p>",
            "<div aria-busy=true><p>読み込んでいます</p></div>",
            "<div id=app></div><p class=browserupgrade>Your <a href=/b>browser</a> is old.</p>",
            "<div role=main><h1>example.org</h1><h2>We check your browser</h2><div id=x></div>\
             <noscript><b id=challenge-text>Enable JavaScript</b></noscript></div>",
        ] {
            let page = format!("<title>App</title>{notice}{script}");
            assert_eq!(text(&page).trim(), "", "{notice}");
            assert!(needs_rendering(&page), "{notice}");
        }
    }

    #[test]
    fn many_roots_take_linear_time() {
        let roots = format!("{}{}", "<div id=app>".repeat(200), "</div>".repeat(200)).repeat(500);
        let links = "<a href=/>a</a>".repeat(400);
        assert!(needs_rendering(&format!("<script></script>{links}{roots}<p>Please wait a moment.")));
    }

    #[test]
    fn texts_are_not_notices() {
        let script = "<script src=main.js></script>";
        let long = "The canal joins the town and the sea. ".repeat(12);
        for page in [
            format!("<p>Hello world</p>{script}"),
            format!("<h1>To be continued…</h1>{script}"),
            format!("<p>We went home…</p><p>And we slept…</p>{script}"),
            "<p>Loading…</p>".to_owned(),
            format!("<h1>JavaScript</h1><p>JavaScript is a programming language of the web.</p>{script}"),
            format!(
                "<p>Why I left JavaScript for Rust after ten years of work in it</p><p>Ann Miller</p>{script}"
            ),
            format!("<p><a href=/a>JavaScript-Kurs</a> ab Mai</p><div id=x></div>{script}"),
            format!("<p>JavaScript is a language. {long}</p>{script}"),
            format!("<div id=root><p>{long}</p></div><noscript>Please enable JavaScript</noscript>{script}"),
            format!("<p>Loading</p><noscript><p>{long}</p></noscript>{script}"),
            format!("<h1>Learn JavaScript</h1><p>The course begins in May, and is free.</p>{script}"),
            "<p>Learn JavaScript</p>".to_owned(),
            format!(
                "<h1>Joinery</h1><p>We build windows. The workshop is open on Monday.</p><div id=map></div>{script}"
            ),
            format!(
                "<h1>停水通知</h1><p>因管道检修，本小区将停水，请提前储水。</p><div id=toast></div>{script}"
            ),
            format!("<p>The shop is closed until Monday.</p><div id=modal-root></div>{script}"),
            format!(
                "<blockquote>He who counts forgets.</blockquote><p>Old saying</p><div id=portal></div>{script}"
            ),
            format!(
                "<noscript>This site works best with JavaScript.</noscript><main><h1>Open kilns</h1>\
                <p>The potters fire their kilns until midnight.</p></main>{script}"
            ),
            format!(
                "<div id=app><h1>Open kilns</h1><p>The potters fire their kilns until midnight.</p></div>{script}"
            ),
            format!("<header><p>{long}</p></header><div id=app></div>{script}"),
            format!("<form><p>{long}</p></form><div id=app></div>{script}"),
            format!("<ul><li><a href=/a>Kilns</a><li><a href=/b>Boats</a></ul><div id=app></div>{script}"),
        ] {
            assert!(!text(&page).is_empty() && !needs_rendering(&page), "{page}");
        }
    }
}
