//! Recogniser of formulas: MathML, TeX in scripts, images of formulas, and the output of rendering scripts.

use crate::structure::mathml::{self, local_name};
use crate::structure::names::{Role, Roles, has_role};
use crate::structure::tex::{self, Delimiters};
use crate::style;
use crate::{Document, Kind, NodeId, Tag};
use std::ops::Range;

/// A formula as TeX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The TeX, without delimiters.
    pub tex: String,
    /// Whether the formula is a display formula.
    pub is_display: bool,
}

/// The result for an element that belongs to a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A formula.
    Formula(Formula),
    /// The element is not written. It duplicates the formula of a neighbouring element, or its TeX is empty, too
    /// long, or renders nothing.
    OtherForm,
}

/// Maximum number of ancestors of a formula that are searched for signs of a display formula.
const MAX_AROUND: usize = 6;
/// Maximum length of TeX, in bytes.
const MAX_TEX: usize = 20_000;

/// Returns the formula that an element with these roles represents. Formulas are `<math>`, `<script>`,
/// `<img>`, elements whose attribute or text contains TeX, and elements that scripts render.
pub fn formula(doc: &Document, node: NodeId, roles: Roles) -> Option<Found> {
    match doc.tag(node) {
        Tag::MATH => Some(of_mathml(doc, node)),
        Tag::SCRIPT => of_script(doc, node),
        Tag::IMG => of_image(doc, node),
        Tag::SPAN | Tag::DIV | Tag::NOBR if roles.has(Role::RenderedFormula) && is_drawn(doc, node) => {
            Some(Found::OtherForm)
        }
        Tag::SPAN | Tag::DIV | Tag::P | Tag::CODE | Tag::PRE => of_text(doc, node, roles),
        tag if is_custom(tag) => of_custom(doc, node),
        _ => None,
    }
}

/// Whether a tag is not an HTML tag.
fn is_custom(tag: Tag) -> bool {
    usize::from(tag.0) >= Tag::NUM_KNOWN
}

/// The formula of an element that has TeX in an attribute or as its only text.
fn of_text(doc: &Document, node: NodeId, roles: Roles) -> Option<Found> {
    let is_block = doc.tag(node).is_block_level() || is_in_display(doc, node);
    let style = doc.attribute(node, "data-math-style");
    if let Some(tex) = tex::of_attribute(doc, node).filter(|_| style.is_none()) {
        return has_little_text(doc, node, tex).then(|| found(tex, is_block));
    }
    if !roles.has(Role::Tex) {
        return None;
    }
    if let Some(tex) = doc.attribute(node, "data-value").filter(|tex| !tex.trim().is_empty()) {
        return has_little_text(doc, node, tex).then(|| found(tex, is_block));
    }
    if let Some(style) = style {
        let text: String = doc.descendants(node).map(|n| doc.text(n)).collect();
        return Some(found(&text, style == "display"));
    }
    let text = own_text(doc, node)?;
    let class = doc.attribute(node, "class").unwrap_or_default();
    let is_display = class.split_ascii_whitespace().any(|name| name == "display") || is_block;
    let has_style = is_display || class.split_ascii_whitespace().any(|name| name == "inline");
    let (tex, is_between) = match delimited(text.trim()) {
        Some((tex, display)) => (tex, Some(display)),
        None => (text.trim(), None),
    };
    // Without delimiters, other evidence must show that the text is TeX.
    let is_tex = is_between.is_some()
        || tex.contains(['\\', '^', '_', '='])
            && !tex.contains(['$', '\n'])
            && !tex::begins_with_delimiter(tex)
        || has_style && !tex::is_words(tex) && !tex::begins_with_delimiter(tex);
    let typesets =
        || is_between.is_some() || has_style && !doc.tag(node).is_block_level() || typesets_text(doc);
    (is_tex && typesets()).then(|| found(tex, is_between == Some(true) || is_display))
}

/// The text of an element whose only child is a text node.
fn own_text(doc: &Document, node: NodeId) -> Option<&str> {
    let text = doc.first_child(node)?;
    (doc.kind(text) == Kind::Text && doc.next_sibling(text).is_none()).then(|| doc.text(text))
}

/// Returns whether an element has little text in addition to its TeX. This is the case after a script has
/// rendered the TeX in the element.
fn has_little_text(doc: &Document, node: NodeId, tex: &str) -> bool {
    let most = 8 * tex.len() + 80;
    let mut num = 0;
    doc.descendants(node).all(|n| {
        num += doc.text(n).len();
        num <= most
    })
}

/// The TeX between delimiters that enclose the whole text, and whether it is a display formula.
fn delimited(text: &str) -> Option<(&str, bool)> {
    let pairs = [("$$", "$$", true), ("\\[", "\\]", true), ("\\(", "\\)", false), ("$", "$", false)];
    let (inner, display) = pairs
        .into_iter()
        .find_map(|(open, close, display)| Some((text.strip_prefix(open)?.strip_suffix(close)?, display)))?;
    let is_one =
        !inner.trim().is_empty() && !inner.contains("\\)") && !inner.contains("\\]") && !inner.contains('$');
    is_one.then(|| (inner.trim(), display))
}

/// The formula of an element whose tag is not an HTML tag.
fn of_custom(doc: &Document, node: NodeId) -> Option<Found> {
    match doc.name(node) {
        "mjx-container" => {
            let math =
                doc.descendants(node).find(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::MATH);
            if let Some(math) = math {
                return Some(of_mathml(doc, math));
            }
            let tex = mathml::to_tex(doc, node);
            (!tex.is_empty()).then(|| found(&tex, is_in_display(doc, node)))
        }
        "math-renderer" | "tex-math" => {
            let text = own_text(doc, node)?.trim();
            let (tex, is_between) = delimited(text).unwrap_or((text, false));
            let is_block = is_between
                || has_role(doc, node, Role::DisplayFormula)
                || style::is_one_of(doc, node, "display", &["block"]);
            Some(found(tex, is_block))
        }
        "d-math" => Some(found(own_text(doc, node)?, doc.attribute(node, "block").is_some())),
        name if name.ends_with(":math") => Some(of_mathml(doc, node)),
        _ => {
            let tex = tex::of_attribute(doc, node)?;
            has_little_text(doc, node, tex).then(|| found(tex, is_in_display(doc, node)))
        }
    }
}

fn of_mathml(doc: &Document, math: NodeId) -> Found {
    let is_tex = |&n: &NodeId| {
        doc.kind(n) == Kind::Element
            && local_name(doc, n) == "annotation"
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

/// The lower-case type of a `<script>` that contains TeX.
fn tex_type(doc: &Document, node: NodeId) -> Option<String> {
    let kind = doc.attribute(node, "type").filter(|_| doc.tag(node) == Tag::SCRIPT)?.to_ascii_lowercase();
    kind.starts_with("math/tex").then_some(kind)
}

fn of_script(doc: &Document, script: NodeId) -> Option<Found> {
    let kind = tex_type(doc, script)?;
    let tex: String = doc.children(script).map(|n| doc.text(n)).collect();
    Some(found(&tex, kind.contains("mode=display")))
}

/// Whether an element is the rendered form of the TeX in a `<script>` after it.
fn is_drawn(doc: &Document, node: NodeId) -> bool {
    let is_space = |&n: &NodeId| doc.kind(n) == Kind::Text && doc.text(n).trim().is_empty();
    let mut after = doc.next_siblings(node);
    after.by_ref().filter(|n| !is_space(n)).take(2).any(|n| tex_type(doc, n).is_some())
}

fn of_image(doc: &Document, image: NodeId) -> Option<Found> {
    let source = doc.attribute(image, "src").unwrap_or_default();
    let alt = doc.attribute(image, "alt").map(str::trim).filter(|alt| !alt.is_empty());
    let is_formula = has_role(doc, image, Role::Formula)
        || tex::is_service(source)
        || alt.is_some_and(|alt| {
            tex::begins_with_command(alt)
                || delimited(alt)
                    .is_some_and(|(tex, _)| is_tex(tex) || !(alt.starts_with('$') && is_price(tex)))
                || source.contains("/latex/") && is_tex(alt)
        });
    if !is_formula {
        return None;
    }
    // The image duplicates the MathML beside it.
    let is_math = |&n: &NodeId| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::MATH;
    if doc.parent(image).is_some_and(|parent| doc.descendants(parent).take(200).any(|n| is_math(&n))) {
        return Some(Found::OtherForm);
    }
    let of_address = || tex::of_address(source);
    let tex = alt.filter(|alt| is_tex(alt)).map(str::to_owned).or_else(of_address);
    let tex = tex.or_else(|| alt.filter(|alt| !tex::is_words(alt)).map(str::to_owned))?;
    let is_display = alt.is_some_and(|alt| {
        alt.starts_with("\\begin{") || delimited(alt).is_some_and(|(_, is_display)| is_display)
    });
    Some(found(&tex, is_display || is_in_display(doc, image)))
}

/// Whether the text between two `$` is words or begins with an amount.
fn is_price(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) || tex::is_words(text)
}

/// Whether an alternative text contains TeX syntax. Words around an equals sign are no TeX.
fn is_tex(alt: &str) -> bool {
    alt.contains(['\\', '^', '_', '=', '{', '$']) && !tex::is_words(&alt.replace('=', " "))
}

/// Returns a formula with cleaned TeX, or [`Found::OtherForm`] if the TeX is empty, too long or renders
/// nothing.
fn found(tex: &str, is_display: bool) -> Found {
    let tex = tex::without_last_space(&clean(tex)).to_owned();
    if tex.is_empty() || tex.len() > MAX_TEX || tex::is_definition(&tex) {
        return Found::OtherForm;
    }
    Found::Formula(Formula { tex, is_display })
}

/// Removes delimiters, CDATA comments and the wrapper of MediaWiki from TeX.
fn clean(tex: &str) -> String {
    // The alternative text may contain `<br>` tags.
    let without_breaks;
    let mut tex = tex.trim();
    if tex.contains("<br") {
        without_breaks =
            ["<br />", "<br/>", "<br>"].iter().fold(tex.to_owned(), |tex, tag| tex.replace(tag, ""));
        tex = without_breaks.trim();
    }
    for (open, close) in [
        ("% <![CDATA[", "%]]>"),
        ("<![CDATA[", "]]>"),
        ("$$", "$$"),
        ("$", "$"),
        ("\\(", "\\)"),
        ("\\[", "\\]"),
        ("\\begin{displaymath}", "\\end{displaymath}"),
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

/// Maximum number of ancestors of a text node that are searched for a formula.
const MAX_ABOVE: usize = 16;

/// Finds the blocks that are display formulas.
pub(crate) struct Blocks<'d> {
    doc: &'d Document,
    /// The TeX delimiters of the page, read when the first block looks like a formula.
    delimiters: Option<Delimiters>,
}

impl<'d> Blocks<'d> {
    pub(crate) fn new(doc: &'d Document) -> Self {
        Blocks { doc, delimiters: None }
    }

    /// Whether a block consists of one formula. `first` and `last` are its first and last text nodes. An inline
    /// formula that is a whole `<dd>` counts as a display formula, since MediaWiki indents display formulas this
    /// way.
    pub(crate) fn is_formula(&mut self, text: &str, first: NodeId, last: NodeId) -> bool {
        let doc = self.doc;
        let begins = text.as_bytes().first().is_some_and(|&byte| byte.is_ascii_punctuation());
        let ends = text.as_bytes().last().is_some_and(|&byte| byte.is_ascii_punctuation());
        if begins && ends && text.len() > 4 {
            let delimiters = self.delimiters.get_or_insert_with(|| Delimiters::new(doc));
            if delimiters.is_formula(text) {
                return true;
            }
        }
        let is_block = |n: NodeId| doc.kind(n) == Kind::Element && doc.tag(n).is_block_level();
        let found = doc.ancestors(first).take(MAX_ABOVE).take_while(|&n| !is_block(n)).find_map(|n| {
            match formula(doc, n, Roles::new(doc, n)) {
                Some(Found::Formula(found)) => Some((n, found.is_display)),
                _ => None,
            }
        });
        let Some((node, is_display)) = found else { return false };
        let is_definition =
            || doc.ancestors(node).find(|&n| is_block(n)).is_some_and(|n| doc.tag(n) == Tag::DD);
        let has_all = first == last || doc.ancestors(last).take(MAX_ABOVE).any(|n| n == node);
        has_all && (is_display || is_definition())
    }
}

/// The byte range of the text that an equation number precedes or follows; `None` if there is no number.
pub fn without_number(text: &str) -> Option<Range<usize>> {
    if text.starts_with('(')
        && let Some(end) = text.find(')').filter(|&end| is_number(&text[..=end]))
    {
        let rest = text[end + 1..].trim_start();
        return (!rest.is_empty()).then(|| text.len() - rest.len()..text.len());
    }
    if !text.ends_with(')') {
        return None;
    }
    let start = text.rfind('(').filter(|&start| is_number(&text[start..]))?;
    let rest = text[..start].trim_end();
    (!rest.is_empty()).then_some(0..rest.len())
}

/// Whether `text` is an equation number, such as `(2.1)`.
pub fn is_number(text: &str) -> bool {
    let inner = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.is_some_and(|inner| {
        (1..=8).contains(&inner.len())
            && inner.contains(|c: char| c.is_ascii_digit())
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '′' | '\''))
    })
}

/// Maximum number of descendants that are searched for a display formula.
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
    // The formula must be the last text of the element.
    let has_text = |n: NodeId| doc.descendants(n).any(|n| !is_blank(doc, n)) || !is_blank(doc, n);
    is_display
        && doc.ancestors_and_self(math).take_while(|&n| n != node).all(|n| {
            doc.next_siblings(n).all(|n| {
                doc.kind(n) == Kind::Element && matches!(doc.tag(n), Tag::SCRIPT | Tag::IMG) || !has_text(n)
            })
        })
}

/// Whether a text node is white space.
fn is_blank(doc: &Document, node: NodeId) -> bool {
    let text = doc.text(node);
    // most text nodes are decided by their first character
    text.as_bytes().first().is_none_or(|first| !first.is_ascii_graphic())
        && text.trim_ascii_start().trim_start().is_empty()
}

/// Whether a script of the page renders TeX in its text.
pub fn typesets_text(doc: &Document) -> bool {
    Delimiters::new(doc).typesets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    fn formulas(html: &str) -> Vec<(String, bool)> {
        let doc = parse_str(html);
        let elements = doc.descendants(0).filter(|&n| doc.kind(n) == Kind::Element);
        let found = elements.filter_map(|n| formula(&doc, n, Roles::new(&doc, n)));
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
