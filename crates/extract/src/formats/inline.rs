//! Markdown inside a block: code, emphasis, strikethrough, superscript and subscript.

use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::{Document, NodeId, Tag};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Markup around a stretch of text, outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Strikethrough,
    Strong,
    Emphasis,
}

impl Mark {
    const ALL: [Mark; 3] = [Mark::Strikethrough, Mark::Strong, Mark::Emphasis];

    /// The delimiter. Adjacent delimiters of asterisks would be read as one, so the outer one uses
    /// underscores.
    fn text(self, uses_underscores: bool) -> &'static str {
        match (self, uses_underscores) {
            (Mark::Strikethrough, _) => "~~",
            (Mark::Strong, false) => "**",
            (Mark::Strong, true) => "__",
            (Mark::Emphasis, false) => "*",
            (Mark::Emphasis, true) => "_",
        }
    }
}

/// The style of a piece of text by the elements between it and its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Style {
    is_code: bool,
    /// Indexed by [`Mark`].
    marks: [bool; Mark::ALL.len()],
    /// `<sup>` or `<sub>`.
    script: Option<Tag>,
}

impl Style {
    /// The first and last character of the written text, if markup adds them.
    fn edges(self) -> Option<[char; 2]> {
        if self.is_code { Some(['`', '`']) } else { self.script.map(|_| ['<', '>']) }
    }
}

/// A stretch of text with one style; `text` is its range in the text of the block.
#[derive(Debug, Clone)]
struct Run {
    style: Style,
    text: Range<usize>,
}

/// A mark around the runs `first` to `last`.
#[derive(Debug, Clone, Copy)]
struct Marked {
    mark: Mark,
    uses_underscores: bool,
    first: usize,
    last: usize,
}

/// The context in which the text of a block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// Lines, where each line could start a heading, a list or the like.
    Lines,
    /// A heading: one line, without strong text.
    Heading,
    /// A cell of a table, or a part of one: one line without vertical bars.
    Cell,
}

/// The text of the block at `index` with its markup. Characters that Markdown would read as markup are
/// escaped.
pub(crate) fn inline(doc: &Document, blocks: &Blocks, index: usize, context: Context) -> String {
    let text = blocks.text(index);
    let runs = runs_of(doc, blocks, index, context);
    if runs.iter().all(|run| run.style == Style::default()) {
        return write(text, &[], &[], context);
    }
    let (inserts, code) = markup(text, &runs);
    write(text, &inserts, &code, context)
}

/// The length of the longest sequence of backticks.
pub(crate) fn longest_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn runs_of(doc: &Document, blocks: &Blocks, index: usize, context: Context) -> Vec<Run> {
    let Some(block) = blocks.get(index) else { return Vec::new() };
    let mut runs: Vec<Run> = Vec::new();
    for span in blocks.spans(index) {
        let mut style = style_of(doc, span.node, block.node);
        style.marks[Mark::Strong as usize] &= context != Context::Heading;
        let [start, end] = [span.text.start, span.text.end].map(|at| (at - block.text.start) as usize);
        match runs.last_mut() {
            // White space between two code elements is not code.
            Some(run) if run.style == style && (!style.is_code || run.text.end == start) => {
                run.text.end = end
            }
            _ => runs.push(Run { style, text: start..end }),
        }
    }
    // The number of a note in brackets needs no superscript.
    let text = blocks.text(index);
    for note in runs.chunk_by_mut(|a, b| a.style.script == b.style.script && a.text.end == b.text.start) {
        if text[note[0].text.clone()].starts_with('[') {
            note.iter_mut().for_each(|run| run.style.script = None);
        }
    }
    runs
}

fn style_of(doc: &Document, text: NodeId, block: NodeId) -> Style {
    let mut style = Style::default();
    for node in doc.ancestors(text).take_while(|&n| n != block && !doc.tag(n).is_block_level()) {
        let mark = match doc.tag(node) {
            // Code has no other markup.
            Tag::CODE | Tag::KBD | Tag::SAMP | Tag::TT => {
                style = Style { is_code: true, ..Style::default() };
                continue;
            }
            tag @ (Tag::SUP | Tag::SUB) => {
                style.script = Some(tag).filter(|_| !style.is_code);
                continue;
            }
            Tag::DEL | Tag::S | Tag::STRIKE => Mark::Strikethrough,
            Tag::STRONG | Tag::B => Mark::Strong,
            Tag::EM | Tag::I => Mark::Emphasis,
            _ => continue,
        };
        style.marks[mark as usize] = true;
    }
    style
}

/// The insertions with their positions, in order, and the ranges of code.
fn markup(text: &str, runs: &[Run]) -> (Vec<(usize, String)>, Vec<Range<usize>>) {
    let (mut inserts, mut code) = (Vec::new(), Vec::new());
    let marked = marked_of(text, runs);
    let mut marked = marked.iter().peekable();
    let mut open: Vec<Marked> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        while let Some(next) = marked.next_if(|m| m.first == at) {
            inserts.push((run.text.start, next.mark.text(next.uses_underscores).to_owned()));
            open.push(*next);
        }
        let name = run.style.script.map(|tag| if tag == Tag::SUP { "sup" } else { "sub" });
        if let Some(name) = name {
            inserts.push((run.text.start, format!("<{name}>")));
        }
        // Adjacent backticks would be read as one delimiter, so the second piece is written as text.
        let is_adjacent = |i: &(usize, String)| i.0 == run.text.start && i.1.ends_with('`');
        if run.style.is_code && !inserts.last().is_some_and(is_adjacent) {
            let mut start = run.text.start;
            // Inline code is on one line.
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
            inserts.push((run.text.end, last.mark.text(last.uses_underscores).to_owned()));
        }
    }
    (inserts, code)
}

/// Puts backticks around a line of code that starts at `start`: more than the line contains.
fn code_marks(line: &str, start: usize, inserts: &mut Vec<(usize, String)>) {
    if line.is_empty() {
        return;
    }
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    let ticks = "`".repeat(longest_backticks(line) + 1);
    inserts.push((start, format!("{ticks}{space}")));
    inserts.push((start + line.len(), format!("{space}{ticks}")));
}

/// The marks to write, by their start and the longest first. Leaves out marks that CommonMark would not read:
/// those that cannot open or close beside these characters, cross other marks, or directly follow one.
fn marked_of(text: &str, runs: &[Run]) -> Vec<Marked> {
    let mut all: Vec<Marked> = Vec::new();
    for mark in Mark::ALL {
        let mut at = 0;
        while at < runs.len() {
            let num = runs[at..].iter().take_while(|run| run.style.marks[mark as usize]).count();
            if num > 0 {
                all.push(Marked { mark, uses_underscores: false, first: at, last: at + num - 1 });
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
        // Whether the outer mark, and a possible inner mark, starts and ends at the same position.
        let outer_meets = outer.map_or([false; 2], |o| [o.first == m.first, o.last == m.last]);
        let inner_meets = [all.get(at + 1).is_some_and(|i| i.first == m.first), last_with_end[m.last] > at];
        let neighbours = Neighbours::around(text, runs, m, outer_meets, inner_meets);
        let any = |meets: [bool; 2]| meets[0] || meets[1];
        let has_asterisks = |m: Marked| m.mark != Mark::Strikethrough && !m.uses_underscores;
        let asterisks_meet = has_asterisks(m) && outer.is_some_and(has_asterisks) && any(outer_meets);
        if !neighbours.allow_mark() || asterisks_meet || is_drop_cap(text, runs, m) {
            continue;
        }
        let uses_underscores = has_asterisks(m) && any(inner_meets) && neighbours.allow_underscores();
        let m = Marked { uses_underscores, ..m };
        ends[m.last] = true;
        around.push(m);
        kept.push(m);
    }
    kept
}

/// The characters outside and inside of a pair of delimiters; `None` outside at the ends of the block.
#[derive(Debug, Clone, Copy)]
struct Neighbours {
    outside: [Option<char>; 2],
    inside: [Option<char>; 2],
}

impl Neighbours {
    fn around(
        text: &str,
        runs: &[Run],
        m: Marked,
        outer_meets: [bool; 2],
        inner_meets: [bool; 2],
    ) -> Neighbours {
        let (first, last) = (&runs[m.first], &runs[m.last]);
        let within = &text[first.text.start..last.text.end];
        let inside = [within.chars().next(), within.chars().next_back()];
        let outside = [text[..first.text.start].chars().next_back(), text[last.text.end..].chars().next()];
        let before = m.first.checked_sub(1).map(|at| &runs[at]).filter(|r| r.text.end == first.text.start);
        let after = runs.get(m.last + 1).filter(|r| r.text.start == last.text.end);
        // The nearest character: of another mark, of the markup of the adjacent run, or of its text.
        let nearest = |meets: bool, run: Option<&Run>, edge: usize, text: Option<char>| {
            let written = || run.and_then(|run| run.style.edges()).map(|edges| edges[edge]);
            if meets { Some('*') } else { written().or(text) }
        };
        Neighbours {
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

    /// Whether CommonMark reads both delimiters as a mark around the text inside.
    fn allow_mark(self) -> bool {
        (0..2).all(|side| {
            self.inside[side].is_some_and(|c| {
                !c.is_whitespace() && (c.is_alphanumeric() || is_space_or_punctuation(self.outside[side]))
            })
        })
    }

    /// Whether CommonMark reads underscores as a mark here. It does not inside words.
    fn allow_underscores(self) -> bool {
        self.outside.into_iter().all(is_space_or_punctuation)
    }
}

/// Whether a character is white space or punctuation in all versions of CommonMark; true for none.
fn is_space_or_punctuation(character: Option<char>) -> bool {
    character.is_none_or(|c| {
        c.is_whitespace()
            || c.is_ascii_punctuation()
            || c.general_category_group() == GeneralCategoryGroup::Punctuation
    })
}

/// Whether the marked text is a drop cap: the capital at the start of a word, in a larger font.
fn is_drop_cap(text: &str, runs: &[Run], m: Marked) -> bool {
    let (start, end) = (runs[m.first].text.start, runs[m.last].text.end);
    let mut inside = text[start..end].chars();
    let is_capital = inside.next().is_some_and(char::is_uppercase) && inside.next().is_none();
    is_capital && text[end..].chars().next().is_some_and(char::is_alphabetic)
}

/// The text with the insertions, and with escapes outside code.
fn write(text: &str, inserts: &[(usize, String)], code: &[Range<usize>], context: Context) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let (mut inserts, mut code) = (inserts.iter().peekable(), code.iter().peekable());
    let mut insert_until = |out: &mut String, place: usize| {
        while let Some((_, insert)) = inserts.next_if(|i| i.0 <= place) {
            out.push_str(insert);
        }
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (line, has_end) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
        // A character at the start of the line, or after a number, that would start a list or the like.
        let line_marker = if context == Context::Lines { line_marker(line) } else { None };
        for (at, c) in line.char_indices() {
            let place = start + at;
            insert_until(&mut out, place);
            while code.next_if(|range| range.end <= place).is_some() {}
            let in_code = code.peek().is_some_and(|range| range.start <= place);
            let is_markup = match c {
                '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '~' => true,
                '&' => is_reference(&line[at + 1..]),
                '|' => context == Context::Cell || line_marker == Some(at),
                // A sequence of these would end a heading.
                '#' if context == Context::Heading => place + 1 == text.len(),
                _ => line_marker == Some(at),
            };
            // A vertical bar ends a cell even in code.
            if is_markup && (!in_code || c == '|' && context == Context::Cell) {
                out.push('\\');
            }
            out.push(c);
        }
        start += line.len();
        if has_end {
            insert_until(&mut out, start);
            out.push_str(if context == Context::Lines { "\\\n" } else { " " });
            start += 1;
        }
    }
    insert_until(&mut out, text.len());
    out
}

/// Position of the character that makes a line the start of a heading, item, quotation, table or the like.
fn line_marker(line: &str) -> Option<usize> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let first = line.chars().next()?;
    let is_marker = match first {
        '>' | '|' => true,
        '#' => ends(line.trim_start_matches('#')),
        '+' => ends(&line[1..]),
        // Also a horizontal rule, or the underline of a heading.
        '-' => ends(&line[1..]) || line.starts_with("--"),
        '=' => line.trim_matches('=').trim().is_empty(),
        _ => false,
    };
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = (1..=9).contains(&digits) && line[digits..].strip_prefix(['.', ')']).is_some_and(ends);
    is_marker.then_some(0).or(is_numbered.then_some(digits))
}

/// Whether `text` after a `&` completes a character reference.
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

    fn of(html: &str, context: Context) -> String {
        let doc = parse_str(html);
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        assert_eq!(blocks.len(), 1, "{html}");
        inline(&doc, &blocks, 0, context)
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
            assert_eq!(of(&format!("<p>{html}</p>"), Context::Lines), written, "{html}");
        }
        assert_eq!(of("<p>|a<br><code>b|c</code>", Context::Cell), "\\|a `b\\|c`");
        assert_eq!(of("<h2>a #</h2>", Context::Heading), "a \\#");
        assert_eq!(of("<p>&amp;amp; &amp;#x26; &amp; a;</p>", Context::Lines), "\\&amp; \\&#x26; & a;");
        assert_eq!(of("<h2><b>a</b> <i>b</i></h2>", Context::Heading), "a *b*");
        // only elements inside the block count
        assert_eq!(of("<b><div>a</div></b>", Context::Lines), "a");
    }

    #[test]
    fn code_is_verbatim() {
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
            assert_eq!(of(&format!("<p>{html}</p>"), Context::Lines), written, "{html}");
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
            // three asterisks would be read in another way
            ("<i><b>Note</b> un<b>do</b>ne</i>", "_**Note** un**do**ne_"),
            ("x<i><b>aa</b> bb</i>", "x**aa** bb"),
            ("<b><i>aa</i></b>b", "*aa*b"),
            // another mark is between this mark and the letter
            ("a<del><b>bb</b></del>", "a**bb**"),
            ("<b>aa <del>bb</del></b>cc", "aa ~~bb~~cc"),
            ("<b>aa <del>b\"</del></b>", "__aa ~~b\"~~__"),
            // neither letter nor punctuation
            ("ที่<b>“ดี”</b>", "ที่“ดี”"),
            ("a&#8203;<b>(b)</b>", "a\u{200b}(b)"),
            ("a~<del>b ~</del>", "a\\~~~b \\~~~"),
            ("2<i>x</i> <i>n</i>th", "2*x n*th"),
        ] {
            assert_eq!(of(&format!("<p>{html}</p>"), Context::Lines), written, "{html}");
        }
    }
}
