//! Markdown.

use crate::formats::grid::Grid;
use crate::formats::inline::{Context, inline, longest_backticks};
use crate::formats::{Entry, Format, Layout, code, no_row, with_line_end};
use rustc_hash::{FxHashMap, FxHashSet};
use threshr_core::{Budget, Result};
use threshr_html::blocks::Blocks;
use threshr_html::{Document, Kind, NodeId, Tag};

/// CommonMark with the tables and `~~` of GitHub. The elements of the blocks decide between headings, lists,
/// quotations, code, tables and paragraphs. A line `---` separates pages.
pub(super) static FORMAT: Format = Format {
    name: "markdown",
    summary: "Markdown: headings, lists, quotations, verbatim code, tables, paragraphs, emphasis",
    endings: &["md", "markdown"],
    head: "",
    between: "\n---\n\n",
    layout: Layout::Stream,
    page: |page| Ok(Entry::Text(with_line_end(markdown(page.doc, page.blocks, page.kept, &page.budget)?))),
    failed: no_row,
};

/// Maximum number of characters of a cell. A table with longer cells is a layout table.
const MAX_CELL: usize = 200;

/// The kept blocks as Markdown, without a line end after the last one.
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is used up.
pub fn markdown(doc: &Document, blocks: &Blocks, kept: &[bool], budget: &Budget) -> Result<String> {
    let mut out = String::new();
    let mut last = Piece::default();
    let (mut open, mut numbers) = (Vec::new(), Numbers::default());
    let indices: Vec<usize> = (0..blocks.len()).filter(|&i| kept[i]).collect();
    let mut at = 0;
    let mut grids: FxHashMap<NodeId, Grid> = FxHashMap::default();
    // Rows that cannot be written as table rows. The rest of such a row is not one either.
    let mut rejected: FxHashSet<NodeId> = FxHashSet::default();
    while at < indices.len() {
        budget.check_at(at)?;
        let node = blocks.get(indices[at]).map_or(doc.root(), |b| b.node);
        let mut piece = Piece::of(doc, node, &mut numbers);
        let goes_on = last.is_row && last.table == piece.table;
        let row = piece.row.filter(|row| !rejected.contains(row));
        let cells = row.zip(piece.table).filter(|_| piece.heading == 0 && piece.code.is_none());
        let cells = cells.and_then(|(row, table)| {
            let grid = grids.entry(table).or_insert_with(|| Grid::of(doc, table));
            cells_of(doc, blocks, &indices[at..], grid, row, if goes_on { 1 } else { 2 })
        });
        if let (Some(row), None) = (row, &cells) {
            rejected.insert(row);
        }
        if let (Some(row), Some((num_blocks, cells))) = (row, cells) {
            // Elements inside a cell are not around the row.
            piece = Piece { is_row: true, table: piece.table, ..Piece::of(doc, row, &mut numbers) };
            piece.text = format!("| {} |", cells.join(" | "));
            if !goes_on {
                piece.text += &format!("\n|{}", " --- |".repeat(cells.len()));
            }
            at += num_blocks;
        } else if let Some(pre) = piece.code {
            let (num_blocks, text) = code::take_pre(doc, blocks, &indices[at..], pre);
            piece.text = text;
            piece.language = code::language(doc, pre).to_owned();
            at += num_blocks;
        } else {
            let context = if piece.heading > 0 { Context::Heading } else { Context::Lines };
            piece.text = inline(doc, blocks, indices[at], context);
            at += 1;
        }
        piece.write(&mut out, &last, &mut open);
        last = piece;
    }
    Ok(out)
}

/// The table row at the start of `indices`: its number of blocks, and the text of its cells, one per column
/// of the table.
///
/// `None` if fewer than `min_cells` cells have text, a cell is so long that the table is a layout table, or a
/// cell contains a table or code.
fn cells_of(
    doc: &Document,
    blocks: &Blocks,
    indices: &[usize],
    grid: &Grid,
    row: NodeId,
    min_cells: usize,
) -> Option<(usize, Vec<String>)> {
    let mut texts = vec![String::new(); grid.num_columns];
    // Counted without escapes and markup.
    let mut num_chars = vec![0; grid.num_columns];
    let mut num_blocks = 0;
    for &index in indices {
        let Some(block) = blocks.get(index) else { break };
        let inside = || doc.ancestors_and_self(block.node).take_while(|&n| n != row);
        // The block is after the row, or is the row itself.
        let Some(cell) = inside().last().filter(|&cell| doc.parent(cell) == Some(row)) else { break };
        if inside().any(|n| matches!(doc.tag(n), Tag::TABLE | Tag::PRE)) {
            return None;
        }
        let column = grid.row(row).iter().find(|c| c.0 == cell)?.1;
        let text = &mut texts[column];
        let is_first = text.is_empty();
        num_chars[column] += usize::from(!is_first) + blocks.text(index).chars().count();
        if num_chars[column] > MAX_CELL {
            return None;
        }
        if !is_first {
            text.push(' ');
        }
        text.push_str(&inline(doc, blocks, index, Context::Cell));
        num_blocks += 1;
    }
    let is_row = texts.len() >= 2 && texts.iter().filter(|t| !t.is_empty()).count() >= min_cells;
    is_row.then_some((num_blocks, texts))
}

/// A block or table row with the elements around it.
#[derive(Default)]
struct Piece {
    text: String,
    is_row: bool,
    /// Level 1 to 6; 0 if it is not a heading.
    heading: u16,
    /// The list items around it, innermost first.
    items: Vec<NodeId>,
    /// The marker of the innermost item.
    marker: String,
    /// The quotations around the innermost item, or around the piece if there is no item; innermost first.
    quotations: Vec<NodeId>,
    /// The quotations inside the innermost item.
    item_quotations: Vec<NodeId>,
    code: Option<NodeId>,
    /// The language of code.
    language: String,
    row: Option<NodeId>,
    table: Option<NodeId>,
}

/// An open list item.
#[derive(Debug, Clone, Copy)]
struct Item {
    node: NodeId,
    /// Indentation of its content; 0 after a heading or a quotation has ended the written list.
    indent: usize,
}

/// Maximum depth of written quotations. With more, the prefixes would be longer than the text.
const MAX_QUOTATIONS: usize = 8;

impl Piece {
    fn of(doc: &Document, node: NodeId, numbers: &mut Numbers) -> Piece {
        // For code only the elements around it count.
        let code = code::pre_of(doc, node);
        let node = code.unwrap_or(node);
        let mut piece = Piece { row: row_of(doc, node), code, ..Piece::default() };
        for at in doc.ancestors_and_self(node) {
            match doc.tag(at) {
                tag if tag.is_heading() && piece.heading == 0 => piece.heading = tag.0 - Tag::H1.0 + 1,
                Tag::LI | Tag::DD => {
                    if piece.items.is_empty() {
                        piece.marker = numbers.marker(doc, at);
                        piece.item_quotations = std::mem::take(&mut piece.quotations);
                    }
                    piece.items.push(at);
                }
                Tag::BLOCKQUOTE => piece.quotations.push(at),
                Tag::TABLE if piece.table.is_none() => piece.table = Some(at),
                _ => {}
            }
        }
        for quotations in [&mut piece.quotations, &mut piece.item_quotations] {
            let num_inner = quotations.len().saturating_sub(MAX_QUOTATIONS);
            quotations.drain(..num_inner);
        }
        piece
    }

    /// The prefixes of its first line and of its other lines. Open items continue; a new item starts in the
    /// innermost one.
    fn prefixes(&self, last: &Piece, open: &mut Vec<Item>) -> (String, String) {
        while open.pop_if(|item| !self.items.contains(&item.node)).is_some() {}
        if self.heading > 0 || self.quotations != last.quotations {
            open.iter_mut().for_each(|item| item.indent = 0);
        }
        let indent = open.last().map_or(0, |item| item.indent);
        let hang = " ".repeat(indent);
        let Some(&node) = self.items.first().filter(|&&node| open.last().is_none_or(|o| o.node != node))
        else {
            return (hang.clone(), hang);
        };
        if self.heading > 0 {
            // A heading ends the written list. It is the head of its item.
            open.push(Item { node, indent: 0 });
            return (String::new(), String::new());
        }
        open.push(Item { node, indent: indent + self.marker.len() });
        (hang.clone() + &self.marker, hang + &" ".repeat(self.marker.len()))
    }

    fn write(&self, out: &mut String, last: &Piece, open: &mut Vec<Item>) {
        // Computed before finished items are closed.
        let continues_item =
            self.items.first().is_some_and(|node| open.iter().any(|item| item.node == *node));
        let last_indent = open.last().map_or(0, |item| item.indent);
        let (mut first, mut next) = self.prefixes(last, open);
        if !out.is_empty() {
            let is_row = self.is_row && last.is_row && self.table == last.table;
            let is_quoted_as_last =
                self.quotations == last.quotations && self.item_quotations == last.item_quotations;
            let is_item = last_indent > 0 && !self.items.is_empty() && !continues_item && is_quoted_as_last;
            // Directly below the text of an item, a list can only start with 1.
            let column = next.len().saturating_sub(self.marker.len());
            let can_start = column < last_indent || ["- ", "1. "].contains(&self.marker.as_str());
            out.push('\n');
            if !(is_row || is_item && can_start) {
                out.push_str(&self.between(last, &next));
                out.push('\n');
            }
        }
        let heading = "#".repeat(usize::from(self.heading)) + if self.heading > 0 { " " } else { "" };
        for begin in [&mut first, &mut next] {
            let quotes = |quotations: &[NodeId]| "> ".repeat(quotations.len());
            *begin = quotes(&self.quotations) + begin + &quotes(&self.item_quotations);
        }
        first += &heading;
        let text = if self.code.is_some() {
            // The fence is longer than all backticks in the text.
            let fence = "`".repeat(longest_backticks(&self.text).max(2) + 1);
            &format!("{fence}{}\n{}\n{fence}", self.language, self.text)
        } else {
            &self.text
        };
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            let begin = if number == 0 { &first } else { &next };
            out.push_str(if line.is_empty() { begin.trim_end() } else { begin });
            out.push_str(line);
        }
    }

    /// The line between the last piece and this one, with the quotation markers that both have. `hang` is the
    /// indentation of the item.
    fn between(&self, last: &Piece, hang: &str) -> String {
        let common = |a: &[NodeId], b: &[NodeId]| {
            ">".repeat(a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count())
        };
        let around = common(&self.quotations, &last.quotations);
        let inside = common(&self.item_quotations, &last.item_quotations);
        let space = if around.is_empty() { "" } else { " " };
        if inside.is_empty() { around } else { format!("{around}{space}{hang}{inside}") }
    }
}

/// The numbers of the items of ordered lists, computed once per list.
#[derive(Debug, Default)]
struct Numbers(FxHashMap<NodeId, FxHashMap<NodeId, u32>>);

impl Numbers {
    /// `- `, or the number of an item in its ordered list.
    fn marker(&mut self, doc: &Document, item: NodeId) -> String {
        // CommonMark allows nine digits.
        const MAX: u32 = 999_999_999;
        let Some(list) = doc.parent(item).filter(|&p| doc.tag(p) == Tag::OL) else { return "- ".to_owned() };
        let numbers = self.0.entry(list).or_insert_with(|| numbers_of(doc, list));
        numbers.get(&item).filter(|&&n| n <= MAX).map_or("- ".to_owned(), |n| format!("{n}. "))
    }
}

fn numbers_of(doc: &Document, list: NodeId) -> FxHashMap<NodeId, u32> {
    let value = |node, name| doc.attribute(node, name).and_then(|s| s.trim().parse::<u32>().ok());
    let mut next = value(list, "start").unwrap_or(1);
    let items = doc.children(list).filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::LI);
    let number = |item| {
        let number = value(item, "value").unwrap_or(next);
        next = number.saturating_add(1);
        (item, number)
    };
    items.map(number).collect()
}

/// The table row of a block inside a cell.
fn row_of(doc: &Document, node: NodeId) -> Option<NodeId> {
    doc.ancestors_and_self(node).take_while(|&n| doc.tag(n) != Tag::TABLE).find(|&n| doc.tag(n) == Tag::TR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    fn of(html: &str) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        markdown(&doc, &blocks, &vec![true; blocks.len()], &Budget::UNLIMITED).expect("no limit")
    }

    #[test]
    fn elements_become_markup() {
        assert_eq!(of("<h2>A <b>b</b><br>c</h2><p>one<br>two<p>three"), "## A b c\n\none\\\ntwo\n\nthree");
        assert_eq!(
            of("<p>x<ul><li>a<li>b<ul><li>c</ul><li><p>d<p>e</ul><ol start=3><li>f<li>g</ol><p>y"),
            "x\n\n- a\n- b\n  - c\n- d\n\n  e\n3. f\n4. g\n\ny"
        );
        assert_eq!(of("<blockquote><p>a<br>b<p>c</blockquote>d"), "> a\\\n> b\n>\n> c\n\nd");
        assert_eq!(of("<pre>a *b*\n```\nc</pre>"), "````\na *b*\n```\nc\n````");
        assert_eq!(of("<pre><h2>A</h2>b</pre>c"), "```\nA\nb\n```\n\nc");
        let code = "<ul><li>x<pre>a {\n\n  b\n}</pre></ul><pre><div>c</div><div>  d</div></pre>";
        assert_eq!(of(code), "- x\n\n  ```\n  a {\n\n    b\n  }\n  ```\n\n```\nc\n  d\n```");
        assert_eq!(of(""), "");
    }

    #[test]
    fn items_are_nested() {
        let html =
            "<ol><li value=1>a<ul><li>b<ol><li>c</ol></ul>d<li>e<blockquote><p>f<p>g</blockquote>h</ol>";
        assert_eq!(of(html), "1. a\n   - b\n     1. c\n\n   d\n2. e\n\n   > f\n   >\n   > g\n\n   h");
        assert_eq!(of("<blockquote>a<ul><li>b<li>c</ul></blockquote>"), "> a\n>\n> - b\n> - c");
        let nested = "<blockquote>a<blockquote>b<p>c</blockquote>d<ul><li>e<blockquote>f<p>g</blockquote></ul></blockquote>";
        assert_eq!(of(nested), "> a\n>\n> > b\n>>\n> > c\n>\n> d\n>\n> - e\n>\n>   > f\n>   >\n>   > g");
        assert_eq!(of("<ul><li><blockquote><h3>a</h3>b</blockquote></ul>"), "> ### a\n>\n> b");
        // directly below text a list can only start with 1
        assert_eq!(
            of("<ul><li>a<ol start=3><li>b<li value=7>c<li>d</ol></ul>"),
            "- a\n\n  3. b\n  7. c\n  8. d"
        );
        assert_eq!(of("<ol start=1234567890><li>a</ol>"), "- a");
        let open = "<ol><li>a<ul><li>b<h3>x</h3></ul>e<li>f</ol>";
        assert_eq!(of(open), "1. a\n   - b\n\n### x\n\ne\n\n2. f");
        let quoted = "<ul><li>a<blockquote>q<ul><li>b</ul>r</blockquote>s</ul>";
        assert_eq!(of(quoted), "- a\n\n  > q\n\n> - b\n\n> r\n\ns");
        // a heading ends the list and is the head of its item
        assert_eq!(of("<ul><li>a<h3>b</h3><p>c<li>d</ul>"), "- a\n\n### b\n\nc\n\n- d");
        let doc = parse_str("<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(
            markdown(&doc, &blocks, &[false, false, true], &Budget::UNLIMITED).expect("no limit"),
            "- c"
        );
        assert_eq!(
            markdown(&doc, &blocks, &[true, false, true], &Budget::UNLIMITED).expect("no limit"),
            "- a\n  - c"
        );
    }

    #[test]
    fn empty_and_wide_cells_keep_columns() {
        let head = "<table><tr><th>a<th>b<th>c<tr>";
        for (row, written) in [
            ("<td>1<td><td>3", "| 1 |  | 3 |"),
            ("<td colspan=2>1<td>3", "| 1 |  | 3 |"),
            ("<td>1<td rowspan=2>2<td>3<tr><td>4<td>6", "| 1 | 2 | 3 |\n| 4 |  | 6 |"),
            ("<td><ul><li>x<li>y</ul><td><p>p<p>q", "| x y | p q |  |"),
            ("<td colspan=3>all", "| all |  |  |"),
            ("<td rowspan=99999999999999999999 colspan=0>1<td>2", "| 1 | 2 |  |"),
        ] {
            assert_eq!(
                of(&format!("{head}{row}")),
                format!("| a | b | c |\n| --- | --- | --- |\n{written}"),
                "{row}"
            );
        }
        // layout tables
        let nested = "<table><tr><td>a<td><table><tr><td>b</table><td>c<td>d";
        assert_eq!(of(nested), "a\n\nb\n\nc\n\nd");
        let long = "Many words. ".repeat(30);
        assert!(!of(&format!("<table><tr><td>{long}<td>b<td>c")).contains('|'));
        assert!(!of("<table><tr><td><pre>a</pre><td>b<td>c").contains('|'));
        // columns in which no cell starts are not written
        assert_eq!(of("<table><tr><td colspan=2>a<td colspan=99>b"), "| a | b |\n| --- | --- |");
        assert!(!of(&format!("<table><tr>{}", "<td>a".repeat(65))).contains('|'));
    }

    #[test]
    fn lists_and_quotations_in_cells_are_ignored() {
        let row = "<tr><td>1<td>2";
        assert_eq!(
            of(&format!("<table><tr><td><blockquote>q</blockquote><td>x{row}")),
            "| q | x |\n| --- | --- |\n| 1 | 2 |"
        );
        assert_eq!(
            of(&format!("<ul><li>i<table><tr><td><ul><li>a<li>b</ul><td>c{row}</table></ul>")),
            "- i\n\n  | a b | c |\n  | --- | --- |\n  | 1 | 2 |"
        );
    }

    #[test]
    fn layout_tables_are_not_tables() {
        let table = "<table><tr><th>a<th>b|c<tr><td>1<td>2</table>";
        assert_eq!(of(table), "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |");
        assert_eq!(of(&format!("{table}{table}")).matches("---").count(), 4);
        let long = "word ".repeat(60);
        assert!(!of(&format!("<table><tr><td>menu<td>{long}</table>")).contains('|'));
    }

    #[test]
    fn text_that_looks_like_markup_is_escaped() {
        assert_eq!(of("<p>1. a_b *c* [d] &lt;e>"), "1\\. a\\_b \\*c\\* \\[d\\] \\<e>");
        assert_eq!(of("<p>61.59 %<p>2)"), "61.59 %\n\n2\\)");
        assert_eq!(of("<p># x<p>- y<p>2020 was 1-2"), "\\# x\n\n\\- y\n\n2020 was 1-2");
    }
}
