//! Markdown.

use super::grid::Grid;
use super::inline::{Part, inline};
use super::{Entry, Format, Layout, code, no_row, with_line_end};
use crate::block::Blocks;
use crate::page::{Document, Kind, NodeId, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

/// Headings, lists, quotations, code, tables and paragraphs by the elements of the blocks (CommonMark; tables as GitHub
/// has them); a line `---` between pages.
pub static FORMAT: Format = Format {
    name: "markdown",
    summary: "Markdown: headings, lists, quotations, code as it stands, tables, paragraphs",
    endings: &["md", "markdown"],
    head: "",
    between: "\n---\n\n",
    layout: Layout::Stream,
    page: |page| Entry::Text(with_line_end(markdown(page.doc, page.blocks, page.kept))),
    failed: no_row,
};

/// Most characters of a cell; a table with longer ones is there for layout.
const LONGEST_CELL: usize = 200;

/// The kept blocks as Markdown; no line end after the last.
pub fn markdown(doc: &Document, blocks: &Blocks, kept: &[bool]) -> String {
    let mut out = String::new();
    let mut last = Piece::default();
    let mut open = Vec::new();
    let indices: Vec<usize> = (0..blocks.len()).filter(|&i| kept[i]).collect();
    let mut at = 0;
    let mut grids: FxHashMap<NodeId, Grid> = FxHashMap::default();
    // rows that are none of a table: what is left of one is none either
    let mut refused: FxHashSet<NodeId> = FxHashSet::default();
    while at < indices.len() {
        let node = blocks.get(indices[at]).map_or(doc.root(), |b| b.node);
        let mut piece = Piece::of(doc, node);
        let goes_on = last.is_row && last.table == piece.table;
        let row = piece.row.filter(|row| !refused.contains(row));
        let cells = row.zip(piece.table).filter(|_| piece.heading == 0 && piece.code.is_none());
        let cells = cells.and_then(|(row, table)| {
            let grid = grids.entry(table).or_insert_with(|| Grid::of(doc, table));
            cells_of(doc, blocks, &indices[at..], grid, row, if goes_on { 1 } else { 2 })
        });
        if let (Some(row), None) = (row, &cells) {
            refused.insert(row);
        }
        if let (Some(row), Some((num_blocks, cells))) = (row, cells) {
            // what stands inside a cell stands around no row
            piece = Piece { is_row: true, table: piece.table, ..Piece::of(doc, row) };
            piece.text = format!("| {} |", cells.join(" | "));
            if !goes_on {
                piece.text += &format!("\n|{}", " --- |".repeat(cells.len()));
            }
            at += num_blocks;
        } else if let Some(code) = code::at(doc, blocks, &indices[at..]) {
            piece.text = code.text;
            piece.language = code::language(doc, code.pre).to_owned();
            at += code.num_blocks;
        } else {
            let part = if piece.heading > 0 { Part::Heading } else { Part::Lines };
            piece.text = inline(doc, blocks, indices[at], part);
            at += 1;
        }
        piece.write(&mut out, &last, &mut open);
        last = piece;
    }
    out
}

/// How many of the first blocks stand in a row, and what its cells say, one for each column of the table; `None` where fewer than
/// `least` cells have text, one has so much that the table is there for layout, or one has a table or code of its own.
fn cells_of(
    doc: &Document,
    blocks: &Blocks,
    indices: &[usize],
    grid: &Grid,
    row: NodeId,
    least: usize,
) -> Option<(usize, Vec<String>)> {
    let mut texts = vec![String::new(); grid.num_columns];
    let mut written = texts.clone();
    let mut num_blocks = 0;
    for &index in indices {
        let Some(block) = blocks.get(index) else { break };
        let inside = || doc.ancestors_and_self(block.node).take_while(|&n| n != row);
        // behind the row, or the row itself
        let Some(cell) = inside().last().filter(|&cell| doc.parent(cell) == Some(row)) else { break };
        if inside().any(|n| matches!(doc.tag(n), Tag::TABLE | Tag::PRE)) {
            return None;
        }
        let column = grid.row(row).iter().find(|c| c.0 == cell)?.1;
        let text = &mut texts[column];
        if !text.is_empty() {
            text.push(' ');
            written[column].push(' ');
        }
        text.push_str(blocks.text(index));
        written[column].push_str(&inline(doc, blocks, index, Part::Cell));
        if text.len() > LONGEST_CELL && text.chars().nth(LONGEST_CELL).is_some() {
            return None;
        }
        num_blocks += 1;
    }
    let is_row = texts.len() >= 2 && texts.iter().filter(|t| !t.is_empty()).count() >= least;
    is_row.then_some((num_blocks, written))
}

/// A block, or a row of a table, with what stands around it.
#[derive(Default)]
struct Piece {
    text: String,
    is_row: bool,
    /// 1 to 6; 0 for none.
    heading: u16,
    /// The list items around it, nearest first.
    items: Vec<NodeId>,
    /// That of the nearest.
    marker: String,
    /// The outermost quotation around it.
    quotation: Option<NodeId>,
    /// Whether that stands in the nearest item.
    is_quoted_in_item: bool,
    code: Option<NodeId>,
    /// That of code; empty for others.
    language: String,
    row: Option<NodeId>,
    table: Option<NodeId>,
}

/// A list item that is being written, and how far its text is indented.
type Item = (NodeId, usize);

impl Piece {
    fn of(doc: &Document, node: NodeId) -> Piece {
        // of code what stands around it, as a fence has nothing inside
        let code = code::pre_of(doc, node);
        let node = code.unwrap_or(node);
        let mut piece = Piece { row: row_of(doc, node), code, ..Piece::default() };
        for at in doc.ancestors_and_self(node) {
            match doc.tag(at) {
                tag if tag.is_heading() && piece.heading == 0 => piece.heading = tag.0 - Tag::H1.0 + 1,
                Tag::LI | Tag::DD => {
                    if piece.items.is_empty() {
                        piece.marker = marker(doc, at);
                        piece.is_quoted_in_item = piece.quotation.is_some();
                    }
                    piece.items.push(at);
                }
                Tag::BLOCKQUOTE => {
                    piece.quotation = Some(at);
                    piece.is_quoted_in_item = false;
                }
                Tag::TABLE if piece.table.is_none() => piece.table = Some(at),
                _ => {}
            }
        }
        piece
    }

    /// The quotation that its list items stand in, if it has such.
    fn quotation_around(&self) -> Option<NodeId> {
        self.quotation.filter(|_| !self.is_quoted_in_item)
    }

    /// What its first line begins with, and its others: items that are being written go on, another begins in the nearest of them.
    fn begins(&self, last: &Piece, open: &mut Vec<Item>) -> (String, String) {
        if self.quotation_around() != last.quotation_around() {
            open.clear();
        }
        while open.pop_if(|item| !self.items.contains(&item.0)).is_some() {}
        let nearest = self.items.first().copied();
        if self.heading > 0 {
            // it stands in no list, and so does what follows it in its item
            open.clear();
            open.extend(nearest.map(|item| (item, 0)));
            return (format!("{} ", "#".repeat(usize::from(self.heading))), String::new());
        }
        let indent = open.last().map_or(0, |item| item.1);
        let Some(item) = nearest.filter(|&item| open.last().is_none_or(|o| o.0 != item)) else {
            return (" ".repeat(indent), " ".repeat(indent));
        };
        open.push((item, indent + self.marker.len()));
        (" ".repeat(indent) + &self.marker, " ".repeat(indent + self.marker.len()))
    }

    fn write(&self, out: &mut String, last: &Piece, open: &mut Vec<Item>) {
        let goes_on = self.items.first().is_some_and(|item| open.iter().any(|o| o.0 == *item));
        let follows_item = open.last().is_some_and(|item| item.1 > 0);
        let (mut first, mut next) = self.begins(last, open);
        let is_one_quotation = self.quotation.is_some() && self.quotation == last.quotation;
        if !out.is_empty() {
            let is_row = self.is_row && last.is_row && self.table == last.table;
            let is_item = follows_item && !self.items.is_empty() && !goes_on;
            out.push('\n');
            if !is_row && !(is_item && self.quotation == last.quotation) {
                if is_one_quotation {
                    out.push_str(if self.is_quoted_in_item { &next } else { "" });
                    out.push('>');
                }
                out.push('\n');
            }
        }
        if self.is_quoted_in_item {
            first.push_str("> ");
            next.push_str("> ");
        } else if self.quotation.is_some() {
            first.insert_str(0, "> ");
            next.insert_str(0, "> ");
        }
        let text = if self.code.is_some() {
            // a fence longer than any in the text
            let ticks = self.text.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1;
            let fence = "`".repeat(ticks);
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
}

/// `- `, or the number of an item in its ordered list.
fn marker(doc: &Document, item: NodeId) -> String {
    let list = doc.parent(item).filter(|&p| doc.tag(p) == Tag::OL);
    let Some(list) = list else { return "- ".to_owned() };
    let start = doc.attribute(list, "start").and_then(|s| s.trim().parse::<u32>().ok()).unwrap_or(1);
    let before = doc
        .children(list)
        .take_while(|&n| n != item)
        .filter(|&n| doc.kind(n) == Kind::Element && doc.tag(n) == Tag::LI)
        .count();
    format!("{}. ", start.saturating_add(before as u32))
}

/// The row that a block is in, where the block is a cell or in one.
fn row_of(doc: &Document, node: NodeId) -> Option<NodeId> {
    doc.ancestors_and_self(node).take_while(|&n| doc.tag(n) != Tag::TABLE).find(|&n| doc.tag(n) == Tag::TR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block;
    use crate::page::{Visibility, parse_str};

    fn of(html: &str) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        markdown(&doc, &blocks, &vec![true; blocks.len()])
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
    fn items_stand_in_those_that_are_written() {
        let html =
            "<ol><li value=1>a<ul><li>b<ol><li>c</ol></ul>d<li>e<blockquote><p>f<p>g</blockquote>h</ol>";
        assert_eq!(of(html), "1. a\n   - b\n     1. c\n\n   d\n2. e\n\n   > f\n   >\n   > g\n\n   h");
        assert_eq!(of("<blockquote>a<ul><li>b<li>c</ul></blockquote>"), "> a\n>\n> - b\n> - c");
        // a heading ends the list, and is the head of its item
        assert_eq!(of("<ul><li>a<h3>b</h3><p>c<li>d</ul>"), "- a\n\n### b\n\nc\n\n- d");
        let doc = parse_str("<ul><li>a<ul><li>b<ul><li>c</ul></ul></ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(markdown(&doc, &blocks, &[false, false, true]), "- c");
        assert_eq!(markdown(&doc, &blocks, &[true, false, true]), "- a\n  - c");
    }

    #[test]
    fn columns_stay_where_cells_are_empty_or_wide() {
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
        // tables for layout
        let nested = "<table><tr><td>a<td><table><tr><td>b</table><td>c<td>d";
        assert_eq!(of(nested), "a\n\nb\n\nc\n\nd");
        let long = "Many words. ".repeat(30);
        assert!(!of(&format!("<table><tr><td>{long}<td>b<td>c")).contains('|'));
        assert!(!of("<table><tr><td><pre>a</pre><td>b<td>c").contains('|'));
        // of columns that no cell begins in nothing is seen
        assert_eq!(of("<table><tr><td colspan=2>a<td colspan=99>b"), "| a | b |\n| --- | --- |");
        assert!(!of(&format!("<table><tr>{}", "<td>a".repeat(65))).contains('|'));
    }

    #[test]
    fn lists_and_quotations_in_cells_are_none_around_them() {
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
    fn tables_are_tables_unless_they_are_for_layout() {
        let table = "<table><tr><th>a<th>b|c<tr><td>1<td>2</table>";
        assert_eq!(of(table), "| a | b\\|c |\n| --- | --- |\n| 1 | 2 |");
        assert_eq!(of(&format!("{table}{table}")).matches("---").count(), 4);
        let long = "word ".repeat(60);
        assert!(!of(&format!("<table><tr><td>menu<td>{long}</table>")).contains('|'));
    }

    #[test]
    fn what_is_no_markup_stays_text() {
        assert_eq!(of("<p>1. a_b *c* [d] &lt;e>"), "1\\. a\\_b \\*c\\* \\[d\\] \\<e>");
        assert_eq!(of("<p>61.59 %<p>2)"), "61.59 %\n\n2\\)");
        assert_eq!(of("<p># x<p>- y<p>2020 was 1-2"), "\\# x\n\n\\- y\n\n2020 was 1-2");
    }
}
