//! Notices on pages whose content is written by scripts, such as `Please enable JavaScript`.

use crate::tag::Tag;
use crate::tree::{Document, Kind, NodeId};
use crate::visibility::{EXCLUDED, letters};

/// Maximum number of letters of a page that shows no content without its scripts.
const SHELL: usize = 400;
/// A text with fewer letters than this may be a notice.
const NOTICE: usize = 300;
/// A text that contains [`SCRIPTS`] and has fewer letters than this may be a notice.
const NAMING_NOTICE: usize = 1500;
/// A text with fewer letters than this may be a placeholder, such as `Loading…`.
const STAND_IN: usize = 30;
/// The word for scripts in notices of all languages.
const SCRIPTS: &str = "javascript";
/// Ids and tag names of the elements that scripts of common libraries fill with the content.
const ROOTS: &[&str] = &["root", "app", "__next", "__nuxt", "___gatsby", "app-root", "svelte", "react-root"];

/// Whether the text of a `<noscript>` is a notice that asks the reader to enable scripts. Otherwise, it is content.
pub(super) fn is_notice(doc: &Document, text: &str) -> bool {
    let num_letters = letters::outside_tags(text);
    has_scripts(doc) && (num_letters < NOTICE || num_letters < NAMING_NOTICE && names_scripts(text))
}

fn has_scripts(doc: &Document) -> bool {
    doc.elements_with(|tag| tag == Tag::SCRIPT).next().is_some()
}

fn names_scripts(text: &str) -> bool {
    text.as_bytes().windows(SCRIPTS.len()).any(|word| word.eq_ignore_ascii_case(SCRIPTS.as_bytes()))
}

/// Excludes the text of a page that shows no content without its scripts. Returns whether the page is such a
/// page.
///
/// Such a page has scripts. Its text is empty, a placeholder, or short and without links. If the text is
/// short, the page also has an empty element that its scripts fill, or a notice in `<noscript>`.
pub(crate) fn exclude(doc: &mut Document) -> bool {
    let Some(texts) = few_texts(doc).filter(|_| has_scripts(doc)) else { return false };
    let num_letters: usize = texts.iter().map(|text| text.1).sum();
    let is_stand_in = || num_letters < STAND_IN && texts.iter().all(|&(text, _)| is_in_root(doc, text));
    let is_link = |&(text, _): &(NodeId, usize)| doc.ancestors(text).take(3).any(|n| doc.tag(n) == Tag::A);
    let is_shell =
        || num_letters < NOTICE && !texts.iter().any(is_link) && (has_empty_root(doc) || has_notice(doc));
    if num_letters > 0 && !is_stand_in() && !is_shell() {
        return false;
    }
    for (text, _) in texts {
        doc.nodes[text as usize].hidden |= EXCLUDED;
    }
    true
}

/// Whether a child of `<body>` is an empty element with an id or a custom element, which scripts can fill.
fn has_empty_root(doc: &Document) -> bool {
    let Some(body) = doc.elements_with(|tag| tag == Tag::BODY).next() else { return false };
    let is_named =
        |node: NodeId| doc.attribute(node, "id").is_some() || doc.tag_name(doc.tag(node)).contains('-');
    let is_root = |&node: &NodeId| {
        let is_box = matches!(doc.tag(node), Tag::DIV | Tag::MAIN | Tag::SECTION)
            || usize::from(doc.tag(node).0) >= Tag::NUM_KNOWN;
        doc.kind(node) == Kind::Element && is_box && is_named(node) && doc.is_visible(node)
    };
    let is_empty = |node: NodeId| {
        doc.children(node).all(|child| doc.text(child).trim().is_empty() && doc.kind(child) == Kind::Text)
    };
    doc.children(body).filter(is_root).any(is_empty)
}

/// Whether a `<noscript>` contains [`SCRIPTS`].
fn has_notice(doc: &Document) -> bool {
    let noscript = doc.elements_with(|tag| tag == Tag::NOSCRIPT).flat_map(|node| doc.children(node));
    noscript.map(|text| doc.text(text)).any(names_scripts)
}

/// Returns the visible text nodes of a page, each with its number of letters. Returns `None` if the page has more than
/// [`SHELL`] letters.
fn few_texts(doc: &Document) -> Option<Vec<(NodeId, usize)>> {
    let (mut texts, mut sum) = (Vec::new(), 0);
    for node in doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Text && doc.is_visible(n)) {
        let num_letters = letters::of_node(doc, node);
        sum += num_letters;
        if sum > SHELL {
            return None;
        }
        if num_letters > 0 {
            texts.push((node, num_letters));
        }
    }
    Some(texts)
}

/// Whether a node is inside an element that scripts fill ([`ROOTS`]).
fn is_in_root(doc: &Document, node: NodeId) -> bool {
    doc.ancestors(node)
        .any(|n| doc.attribute(n, "id").is_some_and(|id| ROOTS.contains(&id)) || ROOTS.contains(&doc.name(n)))
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
        ] {
            let page = format!("<title>App</title>{notice}{script}");
            assert_eq!(text(&page).trim(), "", "{notice}");
            assert!(needs_rendering(&page), "{notice}");
        }
    }

    #[test]
    fn texts_are_not_notices() {
        let script = "<script src=main.js></script>";
        let long = "The canal joins the town and the sea. ".repeat(12);
        for page in [
            format!("<p>Hello world</p>{script}"),
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
        ] {
            assert!(!text(&page).is_empty() && !needs_rendering(&page), "{page}");
        }
    }
}
