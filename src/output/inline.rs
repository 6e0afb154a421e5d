//! What stands inside a block, in Markdown: code, emphasis, what is struck out, raised and lowered signs.

use crate::block::Blocks;
use crate::page::{Document, NodeId, Tag};
use std::ops::Range;

/// Marks around a stretch of text, those that stand outside first.
const MARKS: [&str; 3] = ["~~", "**", "*"];
const STRONG: usize = 1;

/// What the elements between a piece of text and its block make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Style {
    is_code: bool,
    /// By [`MARKS`].
    marked: [bool; MARKS.len()],
    /// `<sup>` or `<sub>`.
    raised: Option<Tag>,
}

/// A stretch of one style, with its place in the text of the block.
#[derive(Debug, Clone)]
struct Run {
    style: Style,
    text: Range<usize>,
}

/// Runs `first` to `last` between two marks.
#[derive(Debug, Clone, Copy)]
struct Marked {
    mark: usize,
    first: usize,
    last: usize,
}

/// What the text of a block becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Lines, where each may be the first of something.
    Lines,
    /// A heading, which is one line; nothing in it is strong, as all is.
    Heading,
    /// A cell of a table, or a part of one: one line without bars.
    Cell,
}

/// The text of the block at `index` with its markup, and a backslash before what Markdown would read as such.
pub(super) fn inline(doc: &Document, blocks: &Blocks, index: usize, part: Part) -> String {
    let text = blocks.text(index);
    let runs = runs_of(doc, blocks, index, part);
    if runs.iter().all(|run| run.style == Style::default()) {
        return write(text, &[], &[], part);
    }
    let (inserts, code) = markup(text, &runs);
    write(text, &inserts, &code, part)
}

fn runs_of(doc: &Document, blocks: &Blocks, index: usize, part: Part) -> Vec<Run> {
    let Some(block) = blocks.get(index) else { return Vec::new() };
    let mut runs: Vec<Run> = Vec::new();
    for span in blocks.spans(index) {
        let mut style = style_of(doc, span.node, block.node);
        style.marked[STRONG] &= part != Part::Heading;
        let [start, end] = [span.text.start, span.text.end].map(|at| (at - block.text.start) as usize);
        match runs.last_mut() {
            // pieces of code are not one for standing side by side
            Some(run) if run.style == style && (!style.is_code || run.text.end == start) => {
                run.text.end = end
            }
            _ => runs.push(Run { style, text: start..end }),
        }
    }
    runs
}

fn style_of(doc: &Document, text: NodeId, block: NodeId) -> Style {
    let mut style = Style::default();
    for node in doc.ancestors(text).take_while(|&n| n != block && !doc.tag(n).is_block_level()) {
        match doc.tag(node) {
            // there is no markup in code
            Tag::CODE | Tag::KBD | Tag::SAMP | Tag::TT => style = Style { is_code: true, ..Style::default() },
            Tag::DEL | Tag::S | Tag::STRIKE => style.marked[0] = true,
            Tag::STRONG | Tag::B => style.marked[STRONG] = true,
            Tag::EM | Tag::I => style.marked[2] = true,
            tag @ (Tag::SUP | Tag::SUB) => style.raised = Some(tag),
            _ => {}
        }
    }
    style
}

/// What is put in, with its place, in order; and where code stands.
fn markup(text: &str, runs: &[Run]) -> (Vec<(usize, String)>, Vec<Range<usize>>) {
    let (mut inserts, mut code) = (Vec::new(), Vec::new());
    let marked = marked_of(text, runs);
    let mut marked = marked.iter().peekable();
    let mut open: Vec<Marked> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        while let Some(next) = marked.next_if(|m| m.first == at) {
            inserts.push((run.text.start, MARKS[next.mark].to_owned()));
            open.push(*next);
        }
        // a sign beside letters is raised; a note's number in brackets is told from them anyway
        let raised =
            run.style.raised.filter(|_| !run.style.is_code && !text[run.text.clone()].starts_with('['));
        let name = raised.map(|tag| if tag == Tag::SUP { "sup" } else { "sub" });
        if let Some(name) = name {
            inserts.push((run.text.start, format!("<{name}>")));
        }
        // backticks that meet would be one mark
        let meets = |i: &(usize, String)| i.0 == run.text.start && i.1.ends_with('`');
        if run.style.is_code && !inserts.last().is_some_and(meets) {
            let mut start = run.text.start;
            // code has no line ends
            for line in text[run.text.clone()].split('\n') {
                code_marks(line, start, &mut inserts);
                code.push(start..start + line.len());
                start += line.len() + 1;
            }
        }
        if let Some(name) = name {
            inserts.push((run.text.end, format!("</{name}>")));
        }
        while let Some(last) = open.pop_if(|m| m.last == at) {
            inserts.push((run.text.end, MARKS[last.mark].to_owned()));
        }
    }
    (inserts, code)
}

/// Backticks around a line of code that begins at `start`: more than stand in it.
fn code_marks(line: &str, start: usize, inserts: &mut Vec<(usize, String)>) {
    if line.is_empty() {
        return;
    }
    let num = line.split(|c| c != '`').map(str::len).max().unwrap_or(0) + 1;
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    let ticks = "`".repeat(if line.contains('`') { num } else { 1 });
    inserts.push((start, format!("{ticks}{space}")));
    inserts.push((start + line.len(), format!("{space}{ticks}")));
}

/// What stands between marks, by its begin and the longest first; without what CommonMark would not read so: where marks do not
/// open or close beside these signs, cross others, or follow them directly.
fn marked_of(text: &str, runs: &[Run]) -> Vec<Marked> {
    let mut all: Vec<Marked> = Vec::new();
    for mark in 0..MARKS.len() {
        let mut at = 0;
        while at < runs.len() {
            let num = runs[at..].iter().take_while(|run| run.style.marked[mark]).count();
            if num > 0 {
                all.push(Marked { mark, first: at, last: at + num - 1 });
            }
            at += num + 1;
        }
    }
    all.sort_by_key(|m| (m.first, usize::MAX - m.last, m.mark));
    let mut ends = vec![false; runs.len()];
    let mut around: Vec<Marked> = Vec::new();
    all.retain(|m| {
        while around.pop_if(|other| other.last < m.first).is_some() {}
        let touches =
            m.first > 0 && ends[m.first - 1] && runs[m.first - 1].text.end == runs[m.first].text.start;
        let is_read = !touches
            && around.last().is_none_or(|other| m.last <= other.last)
            && is_mark_there(text, runs, *m);
        if is_read {
            ends[m.last] = true;
            around.push(*m);
        }
        is_read
    });
    all
}

/// Whether marks around these runs open and close beside the signs that stand there, and not around a part of a word that is one sign.
fn is_mark_there(text: &str, runs: &[Run], m: Marked) -> bool {
    let (first, last) = (&runs[m.first], &runs[m.last]);
    let inside = &text[first.text.start..last.text.end];
    let sign = |run: &Run, sign: Option<char>, raised: char| match run.style {
        Style { is_code: true, .. } => Some('`'),
        Style { raised: Some(_), .. } => Some(raised),
        _ => sign,
    };
    let neighbour =
        |place: Option<usize>, is_beside: &dyn Fn(&Run) -> bool, plain: Option<char>, raised| match place
            .and_then(|at| runs.get(at))
            .filter(|run| is_beside(run))
        {
            Some(run) => sign(run, plain, raised),
            None => plain,
        };
    let before = text[..first.text.start].chars().next_back();
    let after = text[last.text.end..].chars().next();
    let begins = sign(first, inside.chars().next(), '<');
    let ends = sign(last, inside.chars().next_back(), '>');
    let left = neighbour(m.first.checked_sub(1), &|run| run.text.end == first.text.start, before, '>');
    let right = neighbour(Some(m.last + 1), &|run| run.text.start == last.text.end, after, '<');
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_drop_cap = inside.chars().nth(1).is_none() && (is_word(left) || is_word(right));
    !is_drop_cap && is_flank(left, begins) && is_flank(right, ends)
}

/// Whether a mark between these two signs belongs to the second.
fn is_flank(outside: Option<char>, inside: Option<char>) -> bool {
    let is_word = |c: char| c.is_alphanumeric();
    inside.is_some_and(|c| !c.is_whitespace() && (is_word(c) || !outside.is_some_and(is_word)))
}

/// The text with what is put in, and backslashes outside code.
fn write(text: &str, inserts: &[(usize, String)], code: &[Range<usize>], part: Part) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let (mut inserts, mut code) = (inserts.iter().peekable(), code.iter().peekable());
    let mut put_until = |out: &mut String, place: usize| {
        while let Some((_, insert)) = inserts.next_if(|i| i.0 <= place) {
            out.push_str(insert);
        }
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let behind = line[digits..].strip_prefix(['.', ')']);
        let is_numbered = (1..=9).contains(&digits)
            && behind.is_some_and(|b| b.is_empty() || b.starts_with([' ', '\t', '\n']));
        for (at, c) in line.char_indices() {
            let place = start + at;
            put_until(&mut out, place);
            while code.next_if(|range| range.end <= place).is_some() {}
            let in_code = code.peek().is_some_and(|range| range.start <= place);
            let is_markup = match c {
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' => true,
                '~' => at == 0 || line[..at].ends_with('~') || line[at + 1..].starts_with('~'),
                '&' => is_reference(&line[at + 1..]),
                '|' if part == Part::Cell => true,
                // a row of these ends a heading
                '#' if part == Part::Heading && place + 1 == text.len() => true,
                '#' | '+' | '-' | '>' | '=' | '|' => at == 0,
                '.' | ')' => is_numbered && at == digits,
                _ => false,
            };
            match c {
                '\n' if part == Part::Lines => out.push_str("\\\n"),
                '\n' => out.push(' '),
                // a bar ends a cell in code, too
                _ if is_markup && (!in_code || c == '|' && part == Part::Cell) => out.extend(['\\', c]),
                _ => out.push(c),
            }
        }
        start += line.len();
    }
    put_until(&mut out, text.len());
    out
}

/// Whether a character reference goes on so behind its `&`.
fn is_reference(text: &str) -> bool {
    let name = text.strip_prefix('#').unwrap_or(text);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && name[end..].starts_with(';'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block;
    use crate::page::{Visibility, parse_str};

    fn of(html: &str, part: Part) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.len(), 1, "{html}");
        inline(&doc, &blocks, 0, part)
    }

    #[test]
    fn elements_become_marks() {
        for (html, written) in [
            ("a <em>b</em> <strong>c d</strong>, <del>e</del>", "a *b* **c d**, ~~e~~"),
            ("<b>a <i>b</i></b>, <i><b>c</b> d</i>", "**a *b***, ***c** d*"),
            ("<b>a</b> <b>b</b><br><b>c</b>", "**a b\\\nc**"),
            ("<b> a </b>b", "**a** b"),
            ("6 &times; 10<sup>23</sup>, H<sub>2</sub>O", "6 × 10<sup>23</sup>, H<sub>2</sub>O"),
            ("said<sup>[1]</sup>", "said\\[1\\]"),
            ("<a href=x>a <i>b</i></a>", "a *b*"),
            ("<i></i>a", "a"),
        ] {
            assert_eq!(of(&format!("<p>{html}</p>"), Part::Lines), written, "{html}");
        }
        assert_eq!(of("<p>|a<br><code>b|c</code>", Part::Cell), "\\|a `b\\|c`");
        assert_eq!(of("<h2>a #</h2>", Part::Heading), "a \\#");
        assert_eq!(of("<p>&amp;amp; &amp;#x26; &amp; a;</p>", Part::Lines), "\\&amp; \\&#x26; & a;");
        assert_eq!(of("<h2><b>a</b> <i>b</i></h2>", Part::Heading), "a *b*");
        // of a block's own elements, none around it
        assert_eq!(of("<b><div>a</div></b>", Part::Lines), "a");
    }

    #[test]
    fn code_stands_as_it_is() {
        for (html, written) in [
            ("call <code>a_b(*c)</code>.", "call `a_b(*c)`."),
            ("<code>a`b</code> <kbd>`</kbd>", "``a`b`` `` ` ``"),
            ("<code>a<br>b</code> c_d", "`a`\\\n`b` c\\_d"),
            ("<b><code>a</code></b> b", "**`a`** b"),
            ("<b><code>a</code></b>b", "`a`b"),
            ("<code>x<sup>2</sup></code>", "`x2`"),
            ("<code>a</code><s><b>b</b></s><kbd>c</kbd>", "`a`~~**b**~~`c`"),
            ("<code>a<b>b</b></code><i><code>c</code></i>d", "`ab`cd"),
            ("<tt>1.</tt> a", "`1.` a"),
        ] {
            assert_eq!(of(&format!("<p>{html}</p>"), Part::Lines), written, "{html}");
        }
    }

    #[test]
    fn marks_that_would_not_be_read_are_left_out() {
        for (html, written) in [
            ("<b>T</b>he end", "The end"),
            ("un<b>do</b>ne", "un**do**ne"),
            ("这是<b>重要</b>的", "这是**重要**的"),
            ("这是<b>“重要”</b>的", "这是“重要”的"),
            ("<b>aa</b><i>bb</i>", "**aa**bb"),
            ("<b>aa<i>bb</i></b><i>cc</i>", "**aabb**cc"),
            ("<b>a</b>(<i>b</i>)", "**a**(*b*)"),
        ] {
            assert_eq!(of(&format!("<p>{html}</p>"), Part::Lines), written, "{html}");
        }
    }
}
