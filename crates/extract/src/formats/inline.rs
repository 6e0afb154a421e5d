//! What stands inside a block, in Markdown: code, emphasis, what is struck out, raised and lowered signs.

use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// What stands around a stretch of text, outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Struck,
    Strong,
    Emphasis,
}

impl Mark {
    const ALL: [Mark; 3] = [Mark::Struck, Mark::Strong, Mark::Emphasis];

    /// As it is written; two marks of stars that meet would be read as one, so that the outer one has lines instead.
    fn text(self, has_lines: bool) -> &'static str {
        match (self, has_lines) {
            (Mark::Struck, _) => "~~",
            (Mark::Strong, false) => "**",
            (Mark::Strong, true) => "__",
            (Mark::Emphasis, false) => "*",
            (Mark::Emphasis, true) => "_",
        }
    }
}

/// What the elements between a piece of text and its block make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Style {
    is_code: bool,
    /// By [`Mark`].
    marks: [bool; Mark::ALL.len()],
    /// `<sup>` or `<sub>`.
    raised: Option<Tag>,
}

impl Style {
    /// The signs that its text is written with first and last, where those are not the text's own.
    fn edges(self) -> Option<[char; 2]> {
        if self.is_code { Some(['`', '`']) } else { self.raised.map(|_| ['<', '>']) }
    }
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
    mark: Mark,
    has_lines: bool,
    first: usize,
    last: usize,
}

/// What the text of a block becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Lines, where each may be the first of something.
    Lines,
    /// A heading, which is one line; nothing in it is strong, as all is.
    Heading,
    /// A cell of a table, or a part of one: one line without bars.
    Cell,
}

/// The text of the block at `index` with its markup, and a backslash before what Markdown would read as such.
pub(crate) fn inline(doc: &Document, blocks: &Blocks, index: usize, part: Part) -> String {
    let text = blocks.text(index);
    let runs = runs_of(doc, blocks, index, part);
    if runs.iter().all(|run| run.style == Style::default()) {
        return write(text, &[], &[], part);
    }
    let (inserts, code) = markup(text, &runs);
    write(text, &inserts, &code, part)
}

/// The longest row of backticks in a text.
pub(crate) fn most_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn runs_of(doc: &Document, blocks: &Blocks, index: usize, part: Part) -> Vec<Run> {
    let Some(block) = blocks.get(index) else { return Vec::new() };
    let mut runs: Vec<Run> = Vec::new();
    for span in blocks.spans(index) {
        let mut style = style_of(doc, span.node, block.node);
        style.marks[Mark::Strong as usize] &= part != Part::Heading;
        let [start, end] = [span.text.start, span.text.end].map(|at| (at - block.text.start) as usize);
        match runs.last_mut() {
            // white space between two elements of code is no code
            Some(run) if run.style == style && (!style.is_code || run.text.end == start) => {
                run.text.end = end
            }
            _ => runs.push(Run { style, text: start..end }),
        }
    }
    // a note's number, which its brackets tell from the text as well
    let text = blocks.text(index);
    for note in runs.chunk_by_mut(|a, b| a.style.raised == b.style.raised && a.text.end == b.text.start) {
        if text[note[0].text.clone()].starts_with('[') {
            note.iter_mut().for_each(|run| run.style.raised = None);
        }
    }
    runs
}

fn style_of(doc: &Document, text: NodeId, block: NodeId) -> Style {
    let mut style = Style::default();
    for node in doc.ancestors(text).take_while(|&n| n != block && !doc.tag(n).is_block_level()) {
        let mark = match doc.tag(node) {
            // there is no markup in code
            Tag::CODE | Tag::KBD | Tag::SAMP | Tag::TT => {
                style = Style { is_code: true, ..Style::default() };
                continue;
            }
            tag @ (Tag::SUP | Tag::SUB) => {
                style.raised = Some(tag).filter(|_| !style.is_code);
                continue;
            }
            Tag::DEL | Tag::S | Tag::STRIKE => Mark::Struck,
            Tag::STRONG | Tag::B => Mark::Strong,
            Tag::EM | Tag::I => Mark::Emphasis,
            _ => continue,
        };
        style.marks[mark as usize] = true;
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
            inserts.push((run.text.start, next.mark.text(next.has_lines).to_owned()));
            open.push(*next);
        }
        let name = run.style.raised.map(|tag| if tag == Tag::SUP { "sup" } else { "sub" });
        if let Some(name) = name {
            inserts.push((run.text.start, format!("<{name}>")));
        }
        // backticks that meet would be read as one mark: the second piece is text then
        let meets = |i: &(usize, String)| i.0 == run.text.start && i.1.ends_with('`');
        if run.style.is_code && !inserts.last().is_some_and(meets) {
            let mut start = run.text.start;
            // a piece of code is one line
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
            inserts.push((run.text.end, last.mark.text(last.has_lines).to_owned()));
        }
    }
    (inserts, code)
}

/// Backticks around a line of code that begins at `start`: more than stand in it.
fn code_marks(line: &str, start: usize, inserts: &mut Vec<(usize, String)>) {
    if line.is_empty() {
        return;
    }
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    let ticks = "`".repeat(most_backticks(line) + 1);
    inserts.push((start, format!("{ticks}{space}")));
    inserts.push((start + line.len(), format!("{space}{ticks}")));
}

/// What stands between marks, by its begin and the longest first; without what would not be read so: marks that do not open or
/// close beside these signs, cross others, or follow them directly.
fn marked_of(text: &str, runs: &[Run]) -> Vec<Marked> {
    let mut all: Vec<Marked> = Vec::new();
    for mark in Mark::ALL {
        let mut at = 0;
        while at < runs.len() {
            let num = runs[at..].iter().take_while(|run| run.style.marks[mark as usize]).count();
            if num > 0 {
                all.push(Marked { mark, has_lines: false, first: at, last: at + num - 1 });
            }
            at += num + 1;
        }
    }
    all.sort_by_key(|m| (m.first, usize::MAX - m.last, m.mark as usize));
    let mut last_with_end = vec![0; runs.len()];
    all.iter().enumerate().for_each(|(at, m)| last_with_end[m.last] = at);

    let mut kept: Vec<Marked> = Vec::new();
    let mut around: Vec<Marked> = Vec::new();
    let mut ends = vec![false; runs.len()];
    for (at, &m) in all.iter().enumerate() {
        while around.pop_if(|outer| outer.last < m.first).is_some() {}
        let outer = around.last().copied();
        let follows =
            m.first > 0 && ends[m.first - 1] && runs[m.first - 1].text.end == runs[m.first].text.start;
        if follows || outer.is_some_and(|outer| outer.last < m.last) {
            continue;
        }
        // whether a mark outside, and one inside that may come, begins and ends where this one does
        let outer_meets = outer.map_or([false; 2], |o| [o.first == m.first, o.last == m.last]);
        let inner_meets = [all.get(at + 1).is_some_and(|i| i.first == m.first), last_with_end[m.last] > at];
        let signs = Signs::around(text, runs, m, outer_meets, inner_meets);
        let meets = |meets: [bool; 2]| meets[0] || meets[1];
        let has_stars = |m: Marked| m.mark != Mark::Struck && !m.has_lines;
        let stars_meet = has_stars(m) && outer.is_some_and(has_stars) && meets(outer_meets);
        if !signs.are_read() || stars_meet || is_drop_cap(text, runs, m) {
            continue;
        }
        let m = Marked { has_lines: has_stars(m) && meets(inner_meets) && signs.let_lines_be_read(), ..m };
        ends[m.last] = true;
        around.push(m);
        kept.push(m);
    }
    kept
}

/// The signs outside and inside of two marks; `None` outside at the ends of the block.
#[derive(Debug, Clone, Copy)]
struct Signs {
    outside: [Option<char>; 2],
    inside: [Option<char>; 2],
}

impl Signs {
    fn around(text: &str, runs: &[Run], m: Marked, outer_meets: [bool; 2], inner_meets: [bool; 2]) -> Signs {
        let (first, last) = (&runs[m.first], &runs[m.last]);
        let within = &text[first.text.start..last.text.end];
        let inside = [within.chars().next(), within.chars().next_back()];
        let outside = [text[..first.text.start].chars().next_back(), text[last.text.end..].chars().next()];
        let before = m.first.checked_sub(1).map(|at| &runs[at]).filter(|r| r.text.end == first.text.start);
        let after = runs.get(m.last + 1).filter(|r| r.text.start == last.text.end);
        // what stands nearest: another mark, what the run there is written with, its text
        let nearest = |meets: bool, run: Option<&Run>, edge: usize, text: Option<char>| {
            let written = || run.and_then(|run| run.style.edges()).map(|edges| edges[edge]);
            if meets { Some('*') } else { written().or(text) }
        };
        Signs {
            outside: [
                nearest(outer_meets[0], before, 1, outside[0]),
                nearest(outer_meets[1], after, 0, outside[1]),
            ],
            inside: [
                nearest(inner_meets[0], Some(first), 0, inside[0]),
                nearest(inner_meets[1], Some(last), 1, inside[1]),
            ],
        }
    }

    /// Whether CommonMark takes both for marks of what is inside.
    fn are_read(self) -> bool {
        (0..2).all(|side| {
            self.inside[side]
                .is_some_and(|c| !c.is_whitespace() && (c.is_alphanumeric() || is_apart(self.outside[side])))
        })
    }

    /// Whether it does so of marks of lines, which stand in no word.
    fn let_lines_be_read(self) -> bool {
        self.outside.into_iter().all(is_apart)
    }
}

/// Whether a sign is white space or punctuation, as all versions of CommonMark say.
fn is_apart(sign: Option<char>) -> bool {
    sign.is_none_or(|c| {
        c.is_whitespace()
            || c.is_ascii_punctuation()
            || c.general_category_group() == GeneralCategoryGroup::Punctuation
    })
}

/// Whether what is marked is the capital that a word begins with, drawn larger.
fn is_drop_cap(text: &str, runs: &[Run], m: Marked) -> bool {
    let (start, end) = (runs[m.first].text.start, runs[m.last].text.end);
    let mut inside = text[start..end].chars();
    let is_capital = inside.next().is_some_and(char::is_uppercase) && inside.next().is_none();
    is_capital && text[end..].chars().next().is_some_and(char::is_alphabetic)
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
        let (line, has_end) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
        // what begins something: one sign at the begin, or behind a number
        let begins = if part == Part::Lines { begin_of_line(line) } else { None };
        for (at, c) in line.char_indices() {
            let place = start + at;
            put_until(&mut out, place);
            while code.next_if(|range| range.end <= place).is_some() {}
            let in_code = code.peek().is_some_and(|range| range.start <= place);
            let is_markup = match c {
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' => true,
                '&' => is_reference(&line[at + 1..]),
                '|' => part == Part::Cell || begins == Some(at),
                // a row of these ends a heading
                '#' if part == Part::Heading => place + 1 == text.len(),
                _ => begins == Some(at),
            };
            // a bar ends a cell in code, too
            if is_markup && (!in_code || c == '|' && part == Part::Cell) {
                out.push('\\');
            }
            out.push(c);
        }
        start += line.len();
        if has_end {
            put_until(&mut out, start);
            out.push_str(if part == Part::Lines { "\\\n" } else { " " });
            start += 1;
        }
    }
    put_until(&mut out, text.len());
    out
}

/// Where the sign stands that makes a line the begin of a heading, an item, a quotation, a table or the like.
fn begin_of_line(line: &str) -> Option<usize> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let first = line.chars().next()?;
    let is_begin = match first {
        '>' | '|' => true,
        '#' => ends(line.trim_start_matches('#')),
        '+' => ends(&line[1..]),
        // or a rule, or a line under a heading
        '-' => ends(&line[1..]) || line.starts_with("--"),
        '=' => line.trim_matches('=').trim().is_empty(),
        _ => false,
    };
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = (1..=9).contains(&digits) && line[digits..].strip_prefix(['.', ')']).is_some_and(ends);
    is_begin.then_some(0).or(is_numbered.then_some(digits))
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
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

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
            ("<b>a <i>b</i></b>, <i><b>c</b> d</i>", "__a *b*__, _**c** d_"),
            ("<b>a</b> <b>b</b><br><b>c</b>", "**a b\\\nc**"),
            ("<b> a </b>b", "**a** b"),
            ("6 &times; 10<sup>23</sup>, H<sub>2</sub>O", "6 × 10<sup>23</sup>, H<sub>2</sub>O"),
            ("said<sup><a href=x><i>[</i>1<i>]</i></a></sup>", "said\\[1\\]"),
            ("said<sup><span>[</span>1]</sup>", "said\\[1\\]"),
            (
                "-5<br>- 5<br>+3<br>1) a<br>#tag<br># b<br>---<br>= = 4<br>==",
                "-5\\\n\\- 5\\\n+3\\\n1\\) a\\\n#tag\\\n\\# b\\\n\\---\\\n= = 4\\\n\\==",
            ),
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
            ("<sup><code>b*</code></sup>", "`b*`"),
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
            // three stars would be read in another way
            ("<i><b>Note</b> un<b>do</b>ne</i>", "_**Note** un**do**ne_"),
            ("x<i><b>aa</b> bb</i>", "x**aa** bb"),
            ("<b><i>aa</i></b>b", "*aa*b"),
            // another mark stands where a letter does in the page
            ("a<del><b>bb</b></del>", "a**bb**"),
            ("<b>aa <del>bb</del></b>cc", "aa ~~bb~~cc"),
            ("<b>aa <del>b\"</del></b>", "__aa ~~b\"~~__"),
            // neither letter nor punctuation
            ("ที่<b>“ดี”</b>", "ที่“ดี”"),
            ("a&#8203;<b>(b)</b>", "a\u{200b}(b)"),
            ("a~<del>b ~</del>", "a\\~~~b \\~~~"),
            ("2<i>x</i> <i>n</i>th", "2*x n*th"),
        ] {
            assert_eq!(of(&format!("<p>{html}</p>"), Part::Lines), written, "{html}");
        }
    }
}
