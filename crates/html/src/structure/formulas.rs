//! Recogniser of formulas: MathML, TeX in scripts, pictures of formulas, and what scripts draw.

use crate::structure::mathml;
use crate::structure::names::{Role, Roles, has_role};
use crate::{Document, Kind, NodeId, Tag};

/// A formula as TeX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The TeX, without delimiters.
    pub tex: String,
    /// Whether it is on lines of its own.
    pub is_display: bool,
}

/// What an element of a formula gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A formula.
    Formula(Formula),
    /// Another form of a formula that a neighbouring element gives.
    OtherForm,
}

/// Number of elements around a formula that may say that it is a display formula.
const MAX_AROUND: usize = 6;
/// Longest TeX, in bytes.
const MAX_TEX: usize = 20_000;

/// The formula that an element with these roles gives. Only `<math>`, `<script>`, `<img>` and elements that scripts draw are read.
pub fn formula(doc: &Document, node: NodeId, roles: Roles) -> Option<Found> {
    match doc.tag(node) {
        Tag::MATH => Some(of_mathml(doc, node)),
        Tag::SCRIPT => of_script(doc, node),
        Tag::IMG => of_image(doc, node),
        Tag::SPAN | Tag::DIV | Tag::NOBR if roles.has(Role::RenderedFormula) && is_drawn(doc, node) => {
            Some(Found::OtherForm)
        }
        _ => None,
    }
}

fn of_mathml(doc: &Document, math: NodeId) -> Found {
    let is_tex = |&n: &NodeId| {
        doc.kind(n) == Kind::Element
            && doc.name(n) == "annotation"
            && doc.attribute(n, "encoding").is_some_and(|e| e.to_ascii_lowercase().contains("tex"))
    };
    let annotation = doc.descendants(math).find(is_tex);
    let text: String =
        annotation.map(|n| doc.descendants(n).map(|n| doc.text(n)).collect()).unwrap_or_default();
    let alternative = || doc.attribute(math, "alttext").map(str::to_owned);
    let tex = Some(text)
        .filter(|text| !text.trim().is_empty())
        .or_else(|| alternative().filter(|text| text.contains('\\') || text.contains('^')))
        .unwrap_or_else(|| mathml::to_tex(doc, math));
    let is_display = doc.attribute(math, "display").is_some_and(|d| d.eq_ignore_ascii_case("block"))
        || doc.attribute(math, "mode").is_some_and(|d| d.eq_ignore_ascii_case("display"))
        || is_in_display(doc, math);
    found(&tex, is_display)
}

fn is_in_display(doc: &Document, node: NodeId) -> bool {
    doc.ancestors_and_self(node).take(MAX_AROUND).any(|n| {
        has_role(doc, n, Role::DisplayFormula)
            || doc.name(n) == "mjx-container" && doc.attribute(n, "display") == Some("true")
    })
}

/// The type of a script with TeX, in lower case.
fn tex_type(doc: &Document, node: NodeId) -> Option<String> {
    let kind = doc.attribute(node, "type").filter(|_| doc.tag(node) == Tag::SCRIPT)?.to_ascii_lowercase();
    kind.starts_with("math/tex").then_some(kind)
}

fn of_script(doc: &Document, script: NodeId) -> Option<Found> {
    let kind = tex_type(doc, script)?;
    let tex: String = doc.children(script).map(|n| doc.text(n)).collect();
    Some(found(&tex, kind.contains("mode=display")))
}

/// Whether a script drew an element for the TeX that follows in a script.
fn is_drawn(doc: &Document, node: NodeId) -> bool {
    let is_space = |&n: &NodeId| doc.kind(n) == Kind::Text && doc.text(n).trim().is_empty();
    let mut after = std::iter::successors(doc.next_sibling(node), |&n| doc.next_sibling(n));
    after.by_ref().filter(|n| !is_space(n)).take(2).any(|n| tex_type(doc, n).is_some())
}

/// Parts of the addresses of services that draw formulas.
const SERVICES: [&str; 7] =
    ["latex.php", "codecogs.com", "/math/render/", "mathtex.cgi", "mimetex.cgi", "/latex/", "chart?cht=tx"];

fn of_image(doc: &Document, image: NodeId) -> Option<Found> {
    let source = doc.attribute(image, "src").unwrap_or_default();
    let is_formula =
        has_role(doc, image, Role::Formula) || SERVICES.iter().any(|service| source.contains(service));
    if !is_formula {
        return None;
    }
    // The picture is a second form of MathML beside it.
    let is_math = |&n: &NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::MATH;
    if doc.parent(image).is_some_and(|parent| doc.descendants(parent).take(200).any(|n| is_math(&n))) {
        return Some(Found::OtherForm);
    }
    let alt = doc.attribute(image, "alt").map(str::trim).filter(|alt| !alt.is_empty())?;
    Some(found(alt, is_in_display(doc, image)))
}

/// A formula with trimmed TeX; the other form for empty TeX.
fn found(tex: &str, is_display: bool) -> Found {
    let tex = clean(tex);
    if tex.is_empty() || tex.len() > MAX_TEX {
        return Found::OtherForm;
    }
    Found::Formula(Formula { tex, is_display })
}

/// TeX without delimiters, comments of CDATA and the wrapper of MediaWiki.
fn clean(tex: &str) -> String {
    let mut tex = tex.trim();
    for (open, close) in [
        ("% <![CDATA[", "%]]>"),
        ("<![CDATA[", "]]>"),
        ("$$", "$$"),
        ("$", "$"),
        ("\\(", "\\)"),
        ("\\[", "\\]"),
        ("{\\displaystyle", "}"),
        ("{\\textstyle", "}"),
    ] {
        if tex.len() >= open.len() + close.len()
            && let Some(inner) = tex.strip_prefix(open).and_then(|tex| tex.strip_suffix(close))
        {
            tex = inner.trim();
        }
    }
    let lines = tex.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n").replace('\u{a0}', " ")
}

/// Elements below a paragraph that are searched for a display formula.
const MAX_BELOW: usize = 12;

/// Whether an element contains a display formula and no other text.
pub(crate) fn is_display(doc: &Document, node: NodeId, roles: Roles) -> bool {
    if roles.has(Role::DisplayFormula) {
        return true;
    }
    let mut below = doc.descendants(node).take(MAX_BELOW);
    let math = below.find(|&n| match doc.kind(n) {
        Kind::Text => !is_blank(doc, n),
        _ => doc.tag(n) == Tag::MATH || has_role(doc, n, Role::DisplayFormula),
    });
    let Some(math) = math.filter(|&n| doc.kind(n) == Kind::Element) else { return false };
    let is_display = doc.attribute(math, "display") == Some("block") || is_in_display(doc, math);
    // No text after the formula.
    let has_text = |n: NodeId| doc.descendants(n).any(|n| !is_blank(doc, n)) || !is_blank(doc, n);
    is_display
        && doc.ancestors_and_self(math).take_while(|&n| n != node).all(|n| {
            std::iter::successors(doc.next_sibling(n), |&n| doc.next_sibling(n)).all(|n| {
                doc.kind(n) == Kind::Element && matches!(doc.tag(n), Tag::SCRIPT | Tag::IMG) || !has_text(n)
            })
        })
}

/// Whether a text node is white space.
fn is_blank(doc: &Document, node: NodeId) -> bool {
    let text = doc.text(node);
    // most texts end this at their first character
    text.as_bytes().first().is_none_or(|first| !first.is_ascii_graphic()) && text.trim().is_empty()
}

/// Whether scripts of a page turn TeX in its text into formulas.
pub fn typesets_text(doc: &Document) -> bool {
    const NAMES: [&str; 4] = ["mathjax", "katex", "renderMathInElement", "MathJax"];
    doc.elements_with(|tag| tag == Tag::SCRIPT).any(|script| {
        let source = doc.attribute(script, "src").unwrap_or_default().to_ascii_lowercase();
        NAMES.iter().any(|name| source.contains(name))
            || tex_type(doc, script).is_some()
            || doc.children(script).any(|n| NAMES.iter().any(|name| doc.text(n).contains(name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    fn formulas(html: &str) -> Vec<(String, bool)> {
        let doc = parse_str(html);
        let elements = doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element);
        let found = elements.filter_map(|n| formula(&doc, n, Roles::of(&doc, n)));
        let formula = |found| match found {
            Found::Formula(Formula { tex, is_display }) => Some((tex, is_display)),
            Found::OtherForm => None,
        };
        found.filter_map(formula).collect()
    }

    #[test]
    fn each_formula_is_found_once() {
        let one = |tex: &str, is_display| vec![(tex.to_owned(), is_display)];
        let mathml = "<math><semantics><mi>E</mi><annotation encoding='application/x-tex'>E_0</annotation></semantics></math>";
        assert_eq!(formulas(mathml), one("E_0", false));
        assert_eq!(formulas(&format!("<span class=katex-display>{mathml}</span>")), one("E_0", true));
        assert_eq!(formulas("<math display=block><mi>x</mi></math>"), one("x", true));
        let drawn = "<div class=MathJax_Display><span class=MathJax>s</span></div><script type='math/tex; mode=display'>s = 1</script>";
        assert_eq!(formulas(drawn), one("s = 1", true));
        assert_eq!(formulas("<script type=math/tex>a\n b</script>"), one("a\nb", false));
        let wiki = format!("<span>{mathml}<img class=mwe-math-fallback-image-inline alt=E_0></span>");
        assert_eq!(formulas(&wiki), one("E_0", false));
        assert_eq!(formulas("<img class=latex alt='\\lambda'>"), one("\\lambda", false));
        assert_eq!(formulas("<img src=//latex.codecogs.com/x alt='$x^2$'>"), one("x^2", false));
        assert_eq!(formulas("<img src=x.png alt=photo>"), []);
    }

    #[test]
    fn wrappers_are_removed() {
        assert_eq!(clean("{\\displaystyle x^{2}}"), "x^{2}");
        assert_eq!(clean(" $$ a $$ "), "a");
        assert_eq!(clean("$"), "$");
    }

    #[test]
    fn pages_that_typeset_their_text_are_told() {
        assert!(typesets_text(&parse_str("<script src=https://x/MathJax.js></script>")));
        assert!(!typesets_text(&parse_str("<script>var a = '$1';</script>")));
    }
}
