//! Equations: rows of tables that each show one formula, and the numbers of formulas.

use crate::units::builder::{Builder, container};
use crate::units::inline::{AtomKind, Inlines};
use crate::units::{Kind, Unit};
use threshr_html::structure::formulas::{Found, formula, is_number};
use threshr_html::structure::names::{Role, Roles, has_role};
use threshr_html::{Kind as NodeKind, NodeId, Tag};

/// Commands at the start of a cell that only set the size of the formula.
const SIZES: [&str; 2] = ["\\displaystyle", "\\ds"];

impl Builder<'_> {
    /// Writes the formula of a row of a table of equations: the formulas of its first cells, joined. Later cells, such
    /// as the number, are read as usual.
    pub(super) fn equation_row(&mut self, row: NodeId) {
        let doc = self.context.doc;
        let is_equations = |n: NodeId| doc.kind(n) == NodeKind::Element && has_role(doc, n, Role::Equations);
        if !doc.ancestors(row).take(2).any(is_equations) {
            return;
        }
        let (mut parts, mut last) = (Vec::new(), None);
        for cell in doc.children(row).filter(|&n| matches!(doc.tag(n), Tag::TD | Tag::TH)) {
            let Some(tex) = self.tex_of_cell(cell) else { break };
            if !tex.is_empty() {
                (parts, last) = ([parts, tex].concat(), Some(cell));
            }
        }
        let Some(last) = last else { return };
        let start = self.context.blocks.extent(row).blocks.start as usize;
        let end = self.context.blocks.extent(last).blocks.end as usize;
        if !self.all && !self.context.kept[start..end].contains(&true) {
            return;
        }
        self.close_leaf();
        (self.joined, self.next_block) = (last, end);
        let mut unit = container(Kind::Math, row);
        unit.inlines = Inlines::plain(parts.join(" "));
        unit.blocks = start..end;
        self.add(self.with_score(unit));
    }

    /// The formulas of a cell; `None` if the cell has other text.
    fn tex_of_cell(&self, cell: NodeId) -> Option<Vec<String>> {
        let doc = self.context.doc;
        let mut parts = Vec::new();
        let mut at = doc.first_child(cell);
        while let Some(node) = at {
            let found = match doc.kind(node) {
                NodeKind::Text if self.context.span(node).is_some() && !doc.text(node).trim().is_empty() => {
                    let text = doc.text(node).trim();
                    let found = self.context.delimiters().formula_at(text);
                    Some(Some(found.filter(|found| found.len == text.len())?.tex))
                }
                NodeKind::Element => match formula(doc, node, Roles::new(doc, node)) {
                    Some(Found::Formula(found)) => Some(Some(found.tex)),
                    Some(Found::OtherForm) => Some(None),
                    None => None,
                },
                _ => None,
            };
            if let Some(Some(tex)) = &found {
                parts.push(without_size(tex).trim().to_owned());
                // a cell with only a size
                parts.pop_if(|part| part.is_empty());
            }
            let inside = if found.is_none() { doc.first_child(node) } else { None };
            at = inside.or_else(|| doc.next_outside(node, cell));
        }
        Some(parts)
    }
}

/// TeX without the command at its start that only sets the size.
fn without_size(tex: &str) -> &str {
    let is_end = |rest: &&str| !rest.starts_with(|c: char| c.is_ascii_alphabetic());
    SIZES.iter().find_map(|&size| tex.strip_prefix(size).filter(is_end)).unwrap_or(tex)
}

/// Removes the number of an equation from a line that shows nothing else. Returns the number, and whether it precedes
/// the formula.
pub(super) fn take_number(inlines: &mut Inlines) -> Option<(Inlines, bool)> {
    let [atom] = &inlines.atoms[..] else { return None };
    let AtomKind::Math { display: true, .. } = atom.kind else { return None };
    let (before, after) = (inlines.text[..atom.text.start].trim(), inlines.text[atom.text.end..].trim());
    let is_before = match (before.is_empty(), after.is_empty()) {
        (false, true) if is_number(before) => true,
        (true, false) if is_number(after) => false,
        _ => return None,
    };
    let number = Inlines::plain(if is_before { before } else { after }.to_owned());
    let rest = if is_before { 0..atom.text.start } else { atom.text.end..inlines.text.len() };
    inlines.remove(rest);
    Some((number, is_before))
}

/// Adds a number before or after the unit of its formula.
pub(super) fn with_number(unit: Unit, number: Option<(Inlines, bool)>) -> Vec<Unit> {
    let Some((inlines, is_before)) = number else { return vec![unit] };
    let number = Unit { kind: Kind::Paragraph, inlines, ..unit.clone() };
    if is_before { vec![number, unit] } else { vec![unit, number] }
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::written;

    #[test]
    fn a_row_is_one_formula() {
        let row = |a: &str, b: &str, n: u32| {
            let math = |tex: &str| format!("<td><math alttext='\\displaystyle {tex}'><mi>x</mi></math>");
            format!("<tr><td>{}{}<td>({n})", math(a), math(b))
        };
        let html =
            format!("<table class=ltx_equationgroup>{}{}</table>", row("x^2", "=a_1", 2), row("", "=b^c", 3));
        assert_eq!(written("markdown", &html).trim(), "$$\nx^2 =a_1\n$$\n\n(2)\n\n$$\n=b^c\n$$\n\n(3)");
        let raw = "<table class=eqn><tr><td>\\(\\ds a^2\\)<td>\\(=\\)<td>\\(b\\)<td>by squaring</table>";
        assert_eq!(written("markdown", raw).trim(), "$$\na^2 = b\n$$\n\nby squaring");
    }

    #[test]
    fn the_number_of_a_formula_is_beside_it() {
        assert_eq!(
            written("markdown", "<div><span>(1)</span>\\[a^2 = b\\]</div>").trim(),
            "(1)\n\n$$\na^2 = b\n$$"
        );
        assert_eq!(written("markdown", "<p>\\[a\\] (2.1)").trim(), "$$\na\n$$\n\n(2.1)");
        assert_eq!(written("markdown", "<p>in \\[a\\] (2)").trim(), "in $$a$$ (2)");
    }
}
