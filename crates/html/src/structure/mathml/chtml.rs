//! The elements that MathJax renders: `<mjx-msup>` holds the arguments of `<msup>`, wrapped in layout elements.

use super::local_name;
use crate::{Document, Kind, NodeId};

/// Maximum number of layout elements around an argument.
const MAX_BOXES: usize = 5;

/// Whether an element is used for layout only and has no content.
pub(super) fn is_space(doc: &Document, node: NodeId) -> bool {
    const SPACES: [&str; 12] = [
        "assistive-mml",
        "break",
        "copytext",
        "dstrut",
        "labels",
        "line",
        "linestrut",
        "nstrut",
        "spacer",
        "strut",
        "surd",
        "tstrut",
    ];
    doc.name(node).strip_prefix("mjx-").is_some_and(|name| SPACES.contains(&name))
}

/// The arguments of an element in the order of MathML; `None` if the order is that of its child elements.
pub(super) fn arguments(doc: &Document, node: NodeId) -> Option<Vec<NodeId>> {
    let name = doc.name(node).strip_prefix("mjx-")?;
    let inside = |name: &str| part(doc, node, name, MAX_BOXES);
    match name {
        "mfrac" => fraction(doc, node).map(Vec::from),
        "msubsup" | "munderover" | "munder" | "mover" => {
            if let Some(base) = inside("base") {
                let scripts = [inside("under"), inside("over")];
                return Some([Some(base)].into_iter().chain(scripts).flatten().collect());
            }
            // Without `<mjx-base>`, the scripts are in one element, and the superscript is first.
            let [base, script] = contents(doc, node)[..] else { return None };
            let scripts = match contents(doc, script)[..] {
                [up, low] => vec![low, up],
                _ => vec![script],
            };
            Some(std::iter::once(base).chain(scripts).collect())
        }
        "mroot" => Some(vec![inside("sqrt")?, inside("root")?]),
        "mtable" => {
            let rows = inside("itable").or_else(|| inside("table"))?;
            Some(contents(doc, rows))
        }
        _ => None,
    }
}

/// The numerator and the denominator of a fraction.
pub(super) fn fraction(doc: &Document, fraction: NodeId) -> Option<[NodeId; 2]> {
    let inside = |name: &str| part(doc, fraction, name, MAX_BOXES);
    Some([inside("num")?, inside("den")?])
}

/// Whether a fraction has no fraction line.
pub(super) fn has_no_line(doc: &Document, fraction: NodeId) -> bool {
    part(doc, fraction, "frac", 1).is_some_and(|n| doc.attribute(n, "atop") == Some("true"))
}

/// The first element called `name` inside `node`. Does not search inside other arguments.
fn part(doc: &Document, node: NodeId, name: &str, depth: usize) -> Option<NodeId> {
    const PARTS: [&str; 8] = ["num", "den", "base", "under", "over", "root", "sqrt", "itable"];
    contents(doc, node).into_iter().find_map(|child| {
        let own = local_name(doc, child);
        if own == name {
            return Some(child);
        }
        if PARTS.contains(&own) || depth == 0 { None } else { part(doc, child, name, depth - 1) }
    })
}

/// The child elements that have content.
fn contents(doc: &Document, node: NodeId) -> Vec<NodeId> {
    doc.children(node).filter(|&n| doc.kind(n) == Kind::Element && !is_space(doc, n)).collect()
}

/// The characters of elements that a style sheet fills: their class is `mjx-c` and the code point in hexadecimal.
pub(super) fn characters(doc: &Document, node: NodeId) -> String {
    let character = |n: NodeId| {
        let mut names = doc.attribute(n, "class")?.split_ascii_whitespace();
        let number = names.find_map(|name| u32::from_str_radix(name.strip_prefix("mjx-c")?, 16).ok())?;
        char::from_u32(number)
    };
    doc.descendants(node).chain([node]).filter_map(character).collect()
}

#[cfg(test)]
mod tests {
    use crate::parse_str;
    use crate::structure::mathml::to_tex;

    #[test]
    fn drawn_formulas_are_read() {
        let c = |code: &str| format!("<mjx-mi><mjx-c class=\"mjx-c{code} TEX-I\"></mjx-c></mjx-mi>");
        let (x, n, two) = (c("1D465"), c("1D45B"), "<mjx-mn><mjx-c class=mjx-c32>2</mjx-c></mjx-mn>");
        for (drawn, tex) in [
            (format!("<mjx-msup>{x}<mjx-script>{two}</mjx-script></mjx-msup>"), "x^2"),
            (format!("<mjx-msub>{x}<mjx-script>{n}</mjx-script></mjx-msub>"), "x_n"),
            (
                format!(
                    "<mjx-msubsup>{x}<mjx-script>{two}<mjx-spacer></mjx-spacer>{n}</mjx-script></mjx-msubsup>"
                ),
                "x_n^2",
            ),
            (
                format!(
                    "<mjx-mfrac><mjx-frac><mjx-num><mjx-nstrut></mjx-nstrut><mjx-mfrac><mjx-frac><mjx-num>{x}</mjx-num>\
                     <mjx-dbox><mjx-den>{n}</mjx-den></mjx-dbox></mjx-frac></mjx-mfrac></mjx-num><mjx-dbox><mjx-dtable>\
                     <mjx-line></mjx-line><mjx-row><mjx-den>{two}</mjx-den></mjx-row></mjx-dtable></mjx-dbox></mjx-frac></mjx-mfrac>"
                ),
                "\\frac{\\frac{x}{n}}{2}",
            ),
            (
                format!(
                    "<mjx-msqrt><mjx-sqrt><mjx-surd><mjx-mo>√</mjx-mo></mjx-surd><mjx-box>{x}{n}</mjx-box></mjx-sqrt></mjx-msqrt>"
                ),
                "\\sqrt{xn}",
            ),
            (
                format!(
                    "<mjx-munderover><mjx-over>{n}</mjx-over><mjx-box><mjx-munder><mjx-row><mjx-base><mjx-mo>\
                     <mjx-c class=mjx-c2211></mjx-c></mjx-mo></mjx-base></mjx-row><mjx-row><mjx-under>{x}</mjx-under>\
                     </mjx-row></mjx-munder></mjx-box></mjx-munderover>"
                ),
                "\\sum_x^n",
            ),
            (
                format!(
                    "<mjx-mtable><mjx-table><mjx-itable><mjx-mtr><mjx-mtd>{x}<mjx-tstrut></mjx-tstrut></mjx-mtd>\
                     <mjx-mtd>{n}</mjx-mtd></mjx-mtr></mjx-itable></mjx-table></mjx-mtable>"
                ),
                "\\begin{matrix} x & n \\end{matrix}",
            ),
        ] {
            let doc = parse_str(&format!("<mjx-container><mjx-math>{drawn}</mjx-math></mjx-container>"));
            let container = doc.descendants(0).find(|&n| doc.name(n) == "mjx-container").expect("a formula");
            assert_eq!(to_tex(&doc, container), tex, "{drawn}");
        }
    }
}
