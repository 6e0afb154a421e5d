//! Markdown.

use super::grid::Grid;
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
            let Piece { item, marker, depth, quotation, .. } = Piece::of(doc, row);
            piece = Piece { item, marker, depth, quotation, is_row: true, ..piece };
            piece.text = format!("| {} |", cells.join(" | "));
            if !goes_on {
                piece.text += &format!("\n|{}", " --- |".repeat(cells.len()));
            }
            at += num_blocks;
        } else if let Some(pre) = piece.code {
            let is_in = |&&i: &&usize| blocks.get(i).is_some_and(|b| code::pre_of(doc, b.node) == Some(pre));
            let num = indices[at..].iter().take_while(is_in).count().max(1);
            piece.text = code::verbatim(doc, blocks, &indices[at..at + num], pre);
            piece.language = code::language(doc, pre).to_owned();
            at += num;
        } else {
            piece.text = blocks.text(indices[at]).to_owned();
            at += 1;
        }
        piece.write(&mut out, &last);
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
    let mut num_blocks = 0;
    for &index in indices {
        let Some(block) = blocks.get(index) else { break };
        let inside = || doc.ancestors_and_self(block.node).take_while(|&n| n != row);
        // behind the row, or the row itself
        let Some(cell) = inside().last().filter(|&cell| doc.parent(cell) == Some(row)) else { break };
        if inside().any(|n| matches!(doc.tag(n), Tag::TABLE | Tag::PRE)) {
            return None;
        }
        let text = &mut texts[grid.row(row).iter().find(|c| c.0 == cell)?.1];
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(blocks.text(index));
        if text.len() > LONGEST_CELL && text.chars().nth(LONGEST_CELL).is_some() {
            return None;
        }
        num_blocks += 1;
    }
    let is_row = texts.len() >= 2 && texts.iter().filter(|t| !t.is_empty()).count() >= least;
    let cell = |text: &String| escape(text, "").replace('|', "\\|").replace('\n', " ");
    is_row.then(|| (num_blocks, texts.iter().map(cell).collect()))
}

/// A block, or a row of a table, with what stands around it.
#[derive(Default)]
struct Piece {
    text: String,
    is_row: bool,
    /// 1 to 6; 0 for none.
    heading: u16,
    /// The list item around it, nearest first with its kind and depth.
    item: Option<NodeId>,
    marker: String,
    depth: usize,
    /// The outermost quotation around it.
    quotation: Option<NodeId>,
    code: Option<NodeId>,
    /// That of code; empty for others.
    language: String,
    row: Option<NodeId>,
    table: Option<NodeId>,
}

impl Piece {
    fn of(doc: &Document, node: NodeId) -> Piece {
        // of code what stands around it, as a fence has nothing inside
        let code = code::pre_of(doc, node);
        let node = code.unwrap_or(node);
        let mut piece = Piece { row: row_of(doc, node), code, ..Piece::default() };
        for at in doc.ancestors_and_self(node) {
            match doc.tag(at) {
                tag if tag.is_heading() && piece.heading == 0 => piece.heading = tag.0 - Tag::H1.0 + 1,
                Tag::LI | Tag::DD if piece.item.is_none() => {
                    piece.item = Some(at);
                    piece.marker = marker(doc, at);
                }
                Tag::LI | Tag::DD => piece.depth += 1,
                Tag::BLOCKQUOTE => piece.quotation = Some(at),
                Tag::TABLE if piece.table.is_none() => piece.table = Some(at),
                _ => {}
            }
        }
        piece
    }

    fn write(&self, out: &mut String, last: &Piece) {
        let goes_on = self.item.is_some() && self.item == last.item;
        if !out.is_empty() {
            let is_tight = (self.is_row && last.is_row && self.table == last.table)
                || (self.item.is_some()
                    && last.item.is_some()
                    && !goes_on
                    && self.quotation == last.quotation);
            let is_one_quotation = self.quotation.is_some() && self.quotation == last.quotation;
            out.push_str(match (is_tight, is_one_quotation) {
                (true, _) => "\n",
                (false, true) => "\n>\n",
                (false, false) => "\n\n",
            });
        }
        let quote = if self.quotation.is_some() { "> " } else { "" };
        let indent = "  ".repeat(self.depth);
        let (first, next) = match self.item {
            _ if self.heading > 0 => (format!("{} ", "#".repeat(usize::from(self.heading))), String::new()),
            Some(_) => {
                let hang = " ".repeat(self.marker.len());
                (format!("{indent}{}", if goes_on { &hang } else { &self.marker }), indent + &hang)
            }
            None => (String::new(), String::new()),
        };
        let text = if self.code.is_some() {
            // a fence longer than any in the text
            let ticks = self.text.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1;
            let fence = "`".repeat(ticks);
            format!("{fence}{}\n{}\n{fence}", self.language, self.text)
        } else if self.is_row {
            self.text.clone()
        } else if self.heading > 0 {
            escape(&self.text.replace('\n', " "), "")
        } else {
            escape(&self.text, "\\")
        };
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                out.push('\n');
            }
            if line.is_empty() {
                out.push_str(quote.trim_end());
                continue;
            }
            out.push_str(quote);
            out.push_str(if number == 0 { &first } else { &next });
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

/// The text with a backslash before what Markdown would read as markup; `line_end` before line ends.
fn escape(text: &str, line_end: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push_str(line_end);
            out.push('\n');
        }
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let behind = line[digits..].strip_prefix(['.', ')']);
        let is_numbered =
            (1..=9).contains(&digits) && behind.is_some_and(|b| b.is_empty() || b.starts_with([' ', '\t']));
        for (at, c) in line.char_indices() {
            let is_markup = match c {
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' => true,
                '#' | '+' | '-' | '>' | '=' | '~' | '|' => at == 0,
                '.' | ')' => is_numbered && at == digits,
                _ => false,
            };
            if is_markup {
                out.push('\\');
            }
            out.push(c);
        }
    }
    out
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
