//! A line of text with code, emphasis, links, images, formulas and note references.

use crate::formats::WriteOptions;
use crate::formats::markdown::escape::{Context, Insert, Marked, tex_without_tags};
use crate::formats::markdown::marks::{self, Mark, Run};
use crate::units::{self, AtomKind, Inlines, Script};
use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

/// Returns the text of a unit with inline markup. Characters that Markdown would read as markup are escaped.
pub(super) fn inline(inlines: &Inlines, context: Context, options: WriteOptions) -> String {
    let runs = runs_of(inlines, context, options);
    let mut out = Inserts::default();
    let marked = marks::marked_of(&inlines.text, &runs);
    let mut marked = marked.iter().peekable();
    let mut open: Vec<marks::Marked> = Vec::new();
    let mut atoms = inlines.atoms.iter().peekable();
    let links = links_of(&runs);
    let mut next_link = 0;
    for (at, run) in runs.iter().enumerate() {
        while let Some(atom) = atoms.next_if(|atom| atom.text.is_empty() && atom.text.start <= run.text.start)
        {
            out.atom(atom, &inlines.text, context, options);
        }
        let link = links.get(next_link).filter(|link| link.first == at);
        let covers = |m: &marks::Marked| link.is_some_and(|link| m.last >= link.last);
        while let Some(next) = marked.next_if(|m| m.first == at && (link.is_none() || covers(m))) {
            out.push(run.text.start, next.mark.text(next.uses_underscores));
            open.push(*next);
        }
        if link.is_some() {
            out.push(run.text.start, "[");
            out.in_link = true;
        }
        while let Some(next) = marked.next_if(|m| m.first == at) {
            out.push(run.text.start, next.mark.text(next.uses_underscores));
            open.push(*next);
        }
        out.run(&inlines.text, run, run_style(inlines, run));
        while let Some(atom) = atoms.next_if(|atom| atom.text.start < run.text.end) {
            out.atom(atom, &inlines.text, context, options);
        }
        let ending = links.get(next_link).filter(|link| link.last == at);
        while let Some(last) = open.pop_if(|m| m.last == at && ending.is_none_or(|link| m.first > link.first))
        {
            out.push(run.text.end, last.mark.text(last.uses_underscores));
        }
        if let Some(link) = ending {
            (out.in_link, next_link) = (false, next_link + 1);
            if let Some(target) = run_at(inlines, run.text.start).and_then(|r| r.link.as_ref()) {
                out.push(run.text.end, &destination(&target.url, &target.title));
                out.links.push(runs[link.first].text.start..run.text.end);
            }
        }
        while let Some(last) = open.pop_if(|m| m.last == at) {
            out.push(run.text.end, last.mark.text(last.uses_underscores));
        }
    }
    atoms.for_each(|atom| out.atom(atom, &inlines.text, context, options));
    // The sort must be stable, so that inserts at the same position keep their order.
    out.inserts.sort_by_key(|insert| insert.at);
    out.verbatim.sort_by_key(|range| range.start);
    out.replaced.sort_by_key(|range| range.start);
    Marked {
        text: &inlines.text,
        inserts: &out.inserts,
        verbatim: &out.verbatim,
        replaced: &out.replaced,
        links: &out.links,
        context,
        has_formulas: options.formulas,
    }
    .write()
}

/// Returns the length of the longest sequence of backticks.
pub(super) fn longest_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns the delimiters around inline code: more backticks than the longest sequence of backticks in the
/// code.
pub(super) fn delimiters_of_code(line: &str) -> [String; 2] {
    let space = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
    let ticks = "`".repeat(longest_backticks(line) + 1);
    [format!("{ticks}{space}"), format!("{space}{ticks}")]
}

/// Returns the end of a link or an image: `](address "title")`.
fn destination(url: &str, title: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '<' | '>' | '(' | ')' | '\\' | '$' | '|');
    let url = if url.chars().all(is_plain) {
        url.to_owned()
    } else {
        let escape = |c: char| match c {
            '(' => "%28".to_owned(),
            ')' => "%29".to_owned(),
            '<' => "%3C".to_owned(),
            '>' => "%3E".to_owned(),
            '\\' => "%5C".to_owned(),
            '$' => "%24".to_owned(),
            '|' => "%7C".to_owned(),
            c if c.is_whitespace() => "%20".to_owned(),
            c => c.to_string(),
        };
        url.chars().map(escape).collect()
    };
    if title.is_empty() {
        format!("]({url})")
    } else {
        format!("]({url} \"{}\")", title.replace(['"', '\\'], "'").replace('$', "\\$").replace('|', "\\|"))
    }
}

/// Returns the alternative text of an image, escaped so that it does not close the brackets and contains no tags or
/// code.
fn alternative(alt: &str, options: WriteOptions) -> String {
    let mut out = String::with_capacity(alt.len());
    for c in alt.chars() {
        match c {
            '<' | '`' | '|' | '[' | ']' | '\\' => out.extend(['\\', c]),
            '\n' => out.push(' '),
            '$' if options.formulas => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The insertions into a text, and the ranges that need special treatment.
#[derive(Default)]
struct Inserts {
    inserts: Vec<Insert>,
    verbatim: Vec<Range<usize>>,
    replaced: Vec<Range<usize>>,
    links: Vec<Range<usize>>,
    /// Whether the position is between the brackets of a link.
    in_link: bool,
}

/// The delimiters of a run: whether it is code, and its tag for superscript or subscript.
struct RunStyle {
    is_code: bool,
    script: Option<&'static str>,
}

impl Inserts {
    fn push(&mut self, at: usize, markup: &str) {
        self.inserts.push(Insert { at, markup: markup.to_owned() });
    }

    /// Adds the markup of code, superscript and subscript.
    fn run(&mut self, text: &str, run: &Run, style: RunStyle) {
        if let Some(name) = style.script {
            self.push(run.text.start, &format!("<{name}>"));
        }
        // Adjacent backticks would be read as one delimiter, so the second run is written without delimiters.
        let is_adjacent = |i: &Insert| i.at == run.text.start && i.markup.ends_with('`');
        if style.is_code && !self.inserts.last().is_some_and(is_adjacent) {
            let mut start = run.text.start;
            // Inline code must be on one line.
            for line in text[run.text.clone()].split('\n') {
                self.code(line, start);
                start += line.len() + 1;
            }
        }
        if let Some(name) = style.script {
            self.push(run.text.end, &format!("</{name}>"));
        }
    }

    /// Adds backticks around one line of code that starts at byte `start`.
    fn code(&mut self, line: &str, start: usize) {
        if line.is_empty() {
            return;
        }
        let [open, close] = delimiters_of_code(line);
        self.push(start, &open);
        self.push(start + line.len(), &close);
        self.verbatim.push(start..start + line.len());
    }

    fn atom(&mut self, atom: &units::Atom, text: &str, context: Context, options: WriteOptions) {
        let markup = match &atom.kind {
            AtomKind::Image { url, alt, title } if options.images => {
                let image = format!("![{}{}", alternative(alt, options).trim(), destination(url, title));
                // An image outside link text needs its own link.
                let link = atom.link.as_ref().filter(|_| options.links && !self.in_link);
                match link {
                    Some(link) => format!("[{image}{}", destination(&link.url, &link.title)),
                    None => image,
                }
            }
            AtomKind::Math { tex, display } if options.formulas => {
                let tex = tex_without_tags(tex).replace('\n', " ");
                let tex = if context == Context::Cell { tex.replace('|', "\\|") } else { tex };
                if *display { format!("$${tex}$$") } else { format!("${tex}$") }
            }
            AtomKind::FootnoteReference { label } if options.links => format!("[^{label}]"),
            AtomKind::Math { .. } => {
                let tex = &text[atom.text.clone()];
                match tex_without_tags(tex) {
                    // the text after the formula could complete a tag
                    Cow::Borrowed(_) if tex.ends_with('<') => format!("{tex} "),
                    Cow::Borrowed(_) => return self.verbatim.push(atom.text.clone()),
                    Cow::Owned(tex) => tex,
                }
            }
            _ => return,
        };
        // Images do not change the text, so the space between two images is not in the text.
        let follows_image = |i: &Insert| {
            i.at == atom.text.start && (i.markup.starts_with("![") || i.markup.starts_with("[!["))
        };
        if matches!(atom.kind, AtomKind::Image { .. }) && self.inserts.last().is_some_and(follows_image) {
            self.push(atom.text.start, " ");
        }
        self.push(atom.text.start, &markup);
        let is_image = matches!(atom.kind, AtomKind::Image { .. });
        let (before, after) = text.split_at(atom.text.start);
        let is_after_space = before.is_empty() || before.ends_with(char::is_whitespace);
        if is_image && is_after_space && after.starts_with(char::is_alphanumeric) {
            self.push(atom.text.start, " ");
        }
        if !atom.text.is_empty() {
            self.replaced.push(atom.text.clone());
        }
    }
}

/// Returns the run at a byte position of the text.
fn run_at(inlines: &Inlines, at: usize) -> Option<&units::Run> {
    inlines.runs.get(inlines.runs.partition_point(|run| run.text.end <= at))
}

fn run_style(inlines: &Inlines, run: &Run) -> RunStyle {
    let style = run_at(inlines, run.text.start).map(|r| r.style).unwrap_or_default();
    let script = style.script.filter(|_| run.edges == Some(['<', '>'])).map(|script| match script {
        Script::Sup => "sup",
        Script::Sub => "sub",
    });
    RunStyle { is_code: run.edges == Some(['`', '`']), script }
}

/// Returns the runs for writing. White space at the ends of marks is moved outside, and adjacent runs with
/// equal markup are merged.
fn runs_of(inlines: &Inlines, context: Context, options: WriteOptions) -> Vec<Run> {
    let text = &inlines.text;
    let mut links: Vec<Rc<units::Link>> = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut in_note = false;
    for run in &*whole_code(&inlines.runs, options) {
        let style = run.style;
        let is_code = style.code || style.keyboard;
        let content = &text[run.text.clone()];
        // A note reference in brackets needs no superscript.
        in_note = style.script.is_some() && (in_note || content.starts_with('['));
        let edges =
            if is_code { Some(['`', '`']) } else { style.script.filter(|_| !in_note).map(|_| ['<', '>']) };
        let marks = [style.strike, style.strong && context != Context::Heading, style.emphasis];
        let link = run.link.as_ref().filter(|_| options.links).map(|link| {
            if links.last().is_none_or(|last| !Rc::ptr_eq(last, link)) {
                links.push(Rc::clone(link));
            }
            links.len() - 1
        });
        // White space at the ends of a run must be outside the delimiters.
        let inner = content.trim_matches(char::is_whitespace);
        let lead = content.len() - content.trim_start().len();
        let plain = |range: Range<usize>| Run { text: range, marks: [false; 3], edges: None, link };
        if inner.is_empty() {
            let is_between = runs.last().is_some_and(|last| last.link == link && last.marks == marks);
            let marks = if is_between && edges.is_none() { marks } else { [false; 3] };
            runs.push(Run { marks, ..plain(run.text.clone()) });
            continue;
        }
        if lead > 0 {
            let continues = runs.last().is_some_and(|last| last.marks == marks && last.link == link);
            let marks = if continues { marks } else { [false; 3] };
            runs.push(Run { marks, ..plain(run.text.start..run.text.start + lead) });
        }
        let start = run.text.start + lead;
        let end = start + inner.len();
        runs.push(Run { text: start..end, marks, edges, link });
        if end < run.text.end {
            runs.push(plain(end..run.text.end));
        }
    }
    trim_links(&mut runs, text);
    punctuation_outside(merge(runs, text), text)
}

/// Joins adjacent runs of code with the same link, or with any links if links are not written. Markdown has no emphasis
/// inside code, so emphasis of only a part is left out.
fn whole_code(runs: &[units::Run], options: WriteOptions) -> Cow<'_, [units::Run]> {
    let is_code = |run: &units::Run| run.style.code || run.style.keyboard;
    let is_one = |a: &units::Run, b: &units::Run| {
        let has_same_link = match (&a.link, &b.link) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        is_code(a) && is_code(b) && a.text.end == b.text.start && (has_same_link || !options.links)
    };
    if !runs.array_windows().any(|[a, b]| is_one(a, b)) {
        return Cow::Borrowed(runs);
    }
    let mut out: Vec<units::Run> = Vec::with_capacity(runs.len());
    for run in runs {
        match out.last_mut() {
            Some(last) if is_one(last, run) => {
                last.text.end = run.text.end;
                last.style.strong &= run.style.strong;
                last.style.emphasis &= run.style.emphasis;
                last.style.strike &= run.style.strike;
            }
            _ => out.push(run.clone()),
        }
    }
    Cow::Owned(out)
}

/// Moves white space at the ends of links out of the links.
fn trim_links(runs: &mut [Run], text: &str) {
    for at in 0..runs.len() {
        let is_space = text[runs[at].text.clone()].trim().is_empty();
        let beside = |other: Option<usize>| other.and_then(|o| runs.get(o)).and_then(|r| r.link);
        let link = runs[at].link;
        if is_space && link.is_some() && (beside(at.checked_sub(1)) != link || beside(Some(at + 1)) != link) {
            runs[at].link = None;
        }
    }
}

/// Merges adjacent runs with equal markup. White space between two runs with the same mark gets that mark.
fn merge(mut runs: Vec<Run>, text: &str) -> Vec<Run> {
    for at in 1..runs.len().saturating_sub(1) {
        let is_space = text[runs[at].text.clone()].trim().is_empty() && runs[at].edges.is_none();
        if is_space {
            let both: [bool; 3] = std::array::from_fn(|m| runs[at - 1].marks[m] && runs[at + 1].marks[m]);
            runs[at].marks = both;
        }
    }
    let mut out: Vec<Run> = Vec::new();
    for run in runs {
        match out.last_mut() {
            Some(last)
                if last.marks == run.marks
                    && last.edges == run.edges
                    && last.link == run.link
                    && last.text.end == run.text.start =>
            {
                last.text.end = run.text.end
            }
            _ => out.push(run),
        }
    }
    out
}

/// Moves punctuation at the ends of marks outside if a letter is adjacent, because CommonMark reads
/// `**Note:**text` as plain text.
fn punctuation_outside(runs: Vec<Run>, text: &str) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::with_capacity(runs.len());
    for (at, run) in runs.iter().enumerate() {
        let content = &text[run.text.clone()];
        let is_marked = run.marks.contains(&true) && run.edges.is_none();
        let ends = |other: Option<&Run>| other.is_none_or(|o| (0..3).all(|m| !(o.marks[m] && run.marks[m])));
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_inside = |c: char| c.is_alphanumeric() || c.is_whitespace() || c == '\\';
        let begins_here = is_marked && ends(at.checked_sub(1).map(|i| &runs[i]));
        let (mut start, mut end) = (0, content.len());
        if begins_here && is_word(text[..run.text.start].chars().next_back()) {
            start = content.find(is_inside).unwrap_or(0);
        }
        let is_before_word = is_word(text[run.text.end..].chars().next());
        if is_marked && ends(runs.get(at + 1)) && (is_before_word || start > 0) {
            end = content
                .rfind(is_inside)
                .map_or(content.len(), |i| i + content[i..].chars().next().map_or(0, char::len_utf8));
        }
        if start >= end {
            (start, end) = (0, content.len());
        }
        let piece = |range: Range<usize>, marks| Run {
            text: run.text.start + range.start..run.text.start + range.end,
            marks,
            ..run.clone()
        };
        let pieces = [(0..start, [false; 3]), (start..end, run.marks), (end..content.len(), [false; 3])];
        out.extend(pieces.into_iter().filter(|p| !p.0.is_empty()).map(|(range, marks)| piece(range, marks)));
    }
    out
}

/// A link around the runs `first` to `last`.
struct LinkRuns {
    first: usize,
    last: usize,
}

fn links_of(runs: &[Run]) -> Vec<LinkRuns> {
    let mut out: Vec<LinkRuns> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let continues = at > 0 && run.link.is_some() && runs[at - 1].link == run.link;
        match out.last_mut() {
            Some(last) if continues => last.last = at,
            _ if run.link.is_some() => out.push(LinkRuns { first: at, last: at }),
            _ => {}
        }
    }
    out
}

/// `runs_of` lists the marks of a run in the order of [`Mark`].
const _: () = assert!(Mark::ALL.len() == 3 && Mark::Emphasis as usize == 2);
