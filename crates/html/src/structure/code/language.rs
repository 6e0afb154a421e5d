//! The language of a code block.

use crate::text::word_list::word_list;
use crate::{Document, Kind, NodeId, Tag};

/// Maximum number of descendants and of ancestors of a code block that are searched for a language.
const MAX_NAMED: usize = 4;
const MAX_AROUND: usize = 6;
/// Maximum number of elements of a code block that are searched for `<pre>` and `<code>` with a language.
const MAX_INSIDE: usize = 400;

/// Sorted names of languages that syntax highlighters write as a class name without prefix.
static LANGUAGES: &[&str] = &word_list!("code_languages.txt");

/// The language of a code block; empty if unknown.
///
/// First reads the classes and attributes of the element and of its first descendants, in the notations of
/// highlighters (`language-rust`, `data-language`, `brush: js`). Then reads those of its ancestors
/// (`language-rust`, `highlight-rust notranslate`).
pub fn language(doc: &Document, code: NodeId) -> &str {
    let is_element = |&n: &NodeId| doc.kind(n) == Kind::Element;
    let is_code = |&n: &NodeId| matches!(doc.tag(n), Tag::PRE | Tag::CODE);
    let inside = || {
        let elements = || doc.descendants(code).filter(is_element).take(MAX_INSIDE);
        let others = elements().skip(MAX_NAMED).filter(is_code).take(MAX_NAMED);
        std::iter::once(code).chain(elements().take(MAX_NAMED)).chain(others)
    };
    // On elements around the whole page, `lang-` is a prefix of the natural language.
    let is_local = |&n: &NodeId| !matches!(doc.tag(n), Tag::HTML | Tag::BODY | Tag::MAIN | Tag::ARTICLE);
    let around = || doc.ancestors(code).take(MAX_AROUND).take_while(is_local);
    inside()
        .find_map(|n| {
            of_class(doc, n, &["language-", "lang-", "highlight-source-", "brush:", "ltx_lst_language_"])
        })
        .or_else(|| inside().chain(around()).find_map(|n| of_attribute(doc, n)))
        .or_else(|| around().find_map(|n| of_class(doc, n, ancestor_prefixes(doc, n))))
        .or_else(|| {
            inside().chain(around().filter(|&n| is_highlighter(doc, n))).find_map(|n| of_bare_class(doc, n))
        })
        .map_or("", |name| if name == "ipython3" || name == "ipython" { "python" } else { name })
}

/// The prefixes of language names in the class attribute of an element around the code.
fn ancestor_prefixes(doc: &Document, node: NodeId) -> &'static [&'static str] {
    let names = doc.attribute(node, "class").unwrap_or_default().split_ascii_whitespace();
    let has = |wanted: &str| names.clone().any(|name| name == wanted);
    // Sphinx also writes `notranslate`. Without it, `highlight-NAME` may be the name of a style.
    if has("notranslate") {
        &["highlight-source-", "highlight-text-", "highlight-"]
    } else if has("blob-wrapper") {
        &["type-"]
    } else if has("highlight") {
        &["language-", "highlight-source-", "highlight-text-", "hl-"]
    } else {
        &["language-", "highlight-source-", "highlight-text-"]
    }
}

/// Whether a string can be the name of a language. Excludes names of plain text and of defaults.
fn is_language(name: &str) -> bool {
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "+#-_.".contains(c);
    !name.is_empty()
        && name.len() <= 20
        && name.chars().all(is_name_char)
        && !["default", "none", "text", "plain", "plaintext", "nohighlight"].contains(&name)
}

/// The language after one of `prefixes` in the class attribute of an element.
fn of_class<'d>(doc: &'d Document, node: NodeId, prefixes: &[&str]) -> Option<&'d str> {
    let class = doc.attribute(node, "class")?;
    // `brush: js; toolbar: false`
    if prefixes.contains(&"brush:") && class.contains("brush:") {
        return of_brush(class);
    }
    let language = |name: &'d str| prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    class.split_ascii_whitespace().filter_map(language).find(|name| is_language(name))
}

/// The language in settings such as `brush: js; toolbar: false`.
fn of_brush(settings: &str) -> Option<&str> {
    let (_, rest) = settings.split_once("brush:")?;
    let name = rest.split(';').next()?.trim();
    is_language(name).then_some(name)
}

/// Whether an element around code belongs to a syntax highlighter. Its class name may be the language.
fn is_highlighter(doc: &Document, node: NodeId) -> bool {
    let mut names = doc.attribute(node, "class").unwrap_or_default().split_ascii_whitespace();
    names.any(|name| matches!(name, "highlight" | "codehilite" | "sourceCode" | "code" | "syntaxhighlighter"))
}

/// The language in a data attribute or in `lang`.
fn of_attribute(doc: &Document, node: NodeId) -> Option<&str> {
    let names = [
        "data-language",
        "data-lang",
        "data-code-language",
        "data-syntax",
        "data-enlighter-language",
        "language",
        "syntax",
    ];
    let own = names.iter().find_map(|name| doc.attribute(node, name)).filter(|name| is_language(name.trim()));
    let brush = || {
        let settings = ["data-syntaxhighlighter-params", "data-syntaxhighlighter"];
        settings.iter().find_map(|name| of_brush(doc.attribute(node, name)?))
    };
    // `lang` may name a natural language, with two letters, or a programming language.
    let lang = || {
        doc.attribute(node, "lang").filter(|lang| {
            matches!(doc.tag(node), Tag::PRE | Tag::CODE) && LANGUAGES.binary_search(lang).is_ok()
        })
    };
    own.or_else(brush).or_else(lang).map(str::trim).filter(|name| is_language(name))
}

/// Returns the language if a class name consists only of its name, as in `python` or `sourceCode python`.
fn of_bare_class(doc: &Document, node: NodeId) -> Option<&str> {
    let mut names = doc.attribute(node, "class")?.split_ascii_whitespace();
    names.find(|name| LANGUAGES.binary_search(&name.to_ascii_lowercase().as_str()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn classes_and_attributes_name_the_language() {
        for (html, expected) in [
            ("<pre><code class='hljs language-rust'>x", "rust"),
            ("<pre class=lang-c++>x", "c++"),
            ("<div class='highlight-python notranslate'><div class=highlight><pre>x", "python"),
            ("<div class='highlight-default notranslate'><pre>x", ""),
            ("<div class='highlight highlight-source-js notranslate'><pre>x", "js"),
            ("<pre class='highlight-lines language-'><b class='language-a`b'>x", ""),
            ("<body class='home lang-de'><pre>x", ""),
            ("<div class=lang-en><pre>x", ""),
            ("<div class='language-py extra'><pre><code>x", "py"),
            ("<pre data-language=go>x", "go"),
            ("<pre class='brush: js; toolbar: false'>x", "js"),
            ("<pre class='sourceCode haskell'>x", "haskell"),
            ("<pre lang=en>x", ""),
            ("<pre lang=python>x", "python"),
            ("<pre data-enlighter-language=python>x", "python"),
            ("<div language=tsx><pre>x", "tsx"),
            ("<pre data-syntaxhighlighter-params='brush: java; gutter: false'>x", "java"),
            ("<figure class='highlight ruby'><pre>x", "ruby"),
            ("<figure class='highlight ruby'><table><tr><td><pre>x", "ruby"),
            ("<div class='highlight hl-ipython3'><pre>x", "python"),
            ("<div class='blob-wrapper data type-go'><pre>x", "go"),
            ("<div class='page ruby'><pre>x", ""),
            ("<pre><i>a</i><i>b</i><i>c</i><i>d</i><div><code class=language-sh>x", "sh"),
            ("<pre>x", ""),
        ] {
            let doc = parse_str(html);
            let pre = doc.descendants(0).find(|&n| doc.tag(n) == Tag::PRE).expect("code");
            assert_eq!(language(&doc, pre), expected, "{html}");
        }
    }
}
