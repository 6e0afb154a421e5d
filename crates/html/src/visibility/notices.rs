//! Notices of pages that show their content only after scripts have run.

use crate::tag::Tag;
use crate::tree::{Document, Kind, NodeId};
use crate::visibility::{EXCLUDED, letters};

/// Maximum number of letters of a page that shows nothing without its scripts.
const SHELL: usize = 400;
/// Maximum number of letters of a notice that does not name scripts, and of one that does.
const NOTICE: usize = 300;
const NAMING_NOTICE: usize = 1500;
/// Maximum number of letters of a text that stands in for the content, such as `Loading…`.
const STAND_IN: usize = 30;
/// How notices in all languages name scripts.
const SCRIPTS: &str = "javascript";
/// Ids of the elements into which scripts of common libraries write a page.
const ROOTS: &[&str] = &["root", "app", "__next", "__nuxt", "___gatsby", "app-root", "svelte", "react-root"];

/// Whether the text of `<noscript>` asks the reader to turn scripts on. Other texts replace the content.
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

/// Excludes the notices of a page that shows nothing else without its scripts. Returns whether it is such a page.
pub(crate) fn exclude(doc: &mut Document) -> bool {
    let Some(texts) = few_texts(doc).filter(|_| has_scripts(doc)) else { return false };
    let (notices, others): (Vec<_>, Vec<_>) = texts
        .into_iter()
        .partition(|&(text, num_letters)| num_letters < NOTICE && names_scripts(doc.text(text)));
    let num_others: usize = others.iter().map(|text| text.1).sum();
    let stands_in = |&(text, _): &(NodeId, usize)| !notices.is_empty() || is_in_root(doc, text);
    if num_others >= STAND_IN || !others.iter().all(stands_in) {
        return false;
    }
    for (text, _) in notices.into_iter().chain(others) {
        doc.nodes[text as usize].hidden |= EXCLUDED;
    }
    true
}

/// Returns the visible texts of a page, each with its number of letters. Returns `None` if the page has too many
/// letters.
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

/// Whether a node is inside an element into which scripts write the page.
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
            "<div class=x><h1>Please enable JavaScript and cookies to continue</h1></div>",
            "<div id=app>Loading…</div><noscript>Pour continuer, activez <b>JavaScript</b>.</noscript>",
            "<app-root>読み込み中</app-root>",
            "<div id=__next></div>",
        ] {
            let page = format!("<title>App</title>{notice}{script}");
            assert_eq!(text(&page), "", "{notice}");
            assert!(needs_rendering(&page), "{notice}");
        }
    }

    #[test]
    fn texts_are_not_notices() {
        let script = "<script src=main.js></script>";
        let long = "The canal joins the town and the sea. ".repeat(12);
        for page in [
            format!("<p>Hello world</p>{script}"),
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
