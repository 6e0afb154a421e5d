//! Selects the emphasis marks to write: those that CommonMark parses as intended.

use std::ops::Range;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Markup around a span of text, outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Strikethrough,
    Strong,
    Emphasis,
}

impl Mark {
    pub(super) const ALL: [Mark; 3] = [Mark::Strikethrough, Mark::Strong, Mark::Emphasis];

    /// The delimiter. Adjacent delimiters of asterisks would be read as one, so the outer one uses
    /// underscores.
    pub(super) fn text(self, uses_underscores: bool) -> &'static str {
        match (self, uses_underscores) {
            (Mark::Strikethrough, _) => "~~",
            (Mark::Strong, false) => "**",
            (Mark::Strong, true) => "__",
            (Mark::Emphasis, false) => "*",
            (Mark::Emphasis, true) => "_",
        }
    }
}

/// A span of text with one style.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Byte range in the text.
    pub(super) text: Range<usize>,
    /// The marks of the span, indexed by [`Mark`].
    pub(super) marks: [bool; Mark::ALL.len()],
    /// The first and the last character of the run as written, if markup encloses it.
    pub(super) edges: Option<[char; 2]>,
    /// The number of the link that contains the run.
    pub(super) link: Option<usize>,
}

/// A mark around the runs `first` to `last`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marked {
    pub(super) mark: Mark,
    pub(super) uses_underscores: bool,
    pub(super) first: usize,
    pub(super) last: usize,
}

/// Returns the ranges of runs with a mark. A range that begins or ends inside a link is split at the boundary of
/// the link.
fn stretches(runs: &[Run], mark: Mark) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let num = runs[at..].iter().take_while(|run| run.marks[mark as usize]).count();
        if num > 0 {
            divide(runs, at, at + num - 1, &mut out);
        }
        at += num + 1;
    }
    out
}

fn divide(runs: &[Run], first: usize, last: usize, out: &mut Vec<(usize, usize)>) {
    let same_link = |a: usize, b: usize| runs[a].link.is_some() && runs[a].link == runs[b].link;
    let begins_inside = first > 0 && same_link(first - 1, first);
    let ends_inside = last + 1 < runs.len() && same_link(last, last + 1);
    if same_link(first, last) || !(begins_inside || ends_inside) {
        return out.push((first, last));
    }
    let first_end = (first..=last).take_while(|&i| begins_inside && same_link(first, i)).last();
    let last_start = (first..=last).rev().take_while(|&i| ends_inside && same_link(last, i)).last();
    if let Some(end) = first_end {
        out.push((first, end));
    }
    let inner = first_end.map_or(first, |end| end + 1)..last_start.unwrap_or(last + 1);
    if !inner.is_empty() {
        out.push((inner.start, inner.end - 1));
    }
    if let Some(start) = last_start {
        out.push((start, last));
    }
}

/// Returns the marks to write, by start position, and the longest first. Omits marks that CommonMark would
/// not parse: marks that cannot open or close at this position, overlap another mark, or directly follow
/// another mark.
pub(super) fn marked_of(text: &str, runs: &[Run]) -> Vec<Marked> {
    let mut all: Vec<Marked> = Vec::new();
    for mark in Mark::ALL {
        let of = |(first, last)| Marked { mark, uses_underscores: false, first, last };
        all.extend(stretches(runs, mark).into_iter().map(of));
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
        // Whether the enclosing mark, or an inner mark, begins and ends at the same position.
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

/// The characters directly outside and inside a pair of delimiters. An outer character is `None` at the start
/// or end of the text.
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
        let link = |at: Option<usize>| at.and_then(|at| runs.get(at)).and_then(|run| run.link);
        // Whether the brackets of a link are directly inside, or directly outside, the delimiters.
        let is_covered = |edge: usize| {
            let own = link(Some([m.first, m.last][edge]));
            let other = link(if edge == 0 { m.first.checked_sub(1) } else { Some(m.last + 1) });
            let reaches = runs[m.first..=m.last].iter().all(|run| run.link == own);
            let is_whole = link(m.first.checked_sub(1)) != own && link(Some(m.last + 1)) != own;
            (own.is_some() && other != own && (!reaches || is_whole), own != other)
        };
        let covered = [is_covered(0), is_covered(1)];
        let bracket = |edge: usize| ['[', ')'][edge];
        let inside = [within.chars().next(), within.chars().next_back()];
        let inside = [0, 1].map(|e| if covered[e].0 { Some(bracket(e)) } else { inside[e] });
        let outside = [text[..first.text.start].chars().next_back(), text[last.text.end..].chars().next()];
        // At the boundary of a link, the adjacent character is a bracket.
        let outside =
            [0, 1].map(|e| if covered[e].1 && !covered[e].0 { Some(bracket(1 - e)) } else { outside[e] });
        let before = m.first.checked_sub(1).map(|at| &runs[at]).filter(|r| r.text.end == first.text.start);
        let after = runs.get(m.last + 1).filter(|r| r.text.start == last.text.end);
        // The adjacent character belongs to another delimiter, to the markup of the adjacent run, or to the
        // text.
        let nearest = |meets: bool, run: Option<&Run>, edge: usize, text: Option<char>| {
            let written = || run.and_then(|run| run.edges).map(|edges| edges[edge]);
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

    /// Whether CommonMark accepts both delimiters around this text.
    fn allow_mark(self) -> bool {
        (0..2).all(|side| {
            self.inside[side].is_some_and(|c| {
                !c.is_whitespace() && (c.is_alphanumeric() || is_space_or_punctuation(self.outside[side]))
            })
        })
    }

    /// Returns whether CommonMark accepts underscores at this position. Inside words, it does not accept
    /// them.
    fn allow_underscores(self) -> bool {
        self.outside.into_iter().all(is_space_or_punctuation)
    }
}

/// Whether a character is white space or punctuation in all versions of CommonMark; true for `None`.
fn is_space_or_punctuation(character: Option<char>) -> bool {
    character.is_none_or(|c| {
        c.is_whitespace()
            || c.is_ascii_punctuation()
            || c.general_category_group() == GeneralCategoryGroup::Punctuation
    })
}

/// Whether a mark contains only the first letter of a word, in upper case: a drop cap.
fn is_drop_cap(text: &str, runs: &[Run], m: Marked) -> bool {
    let (start, end) = (runs[m.first].text.start, runs[m.last].text.end);
    let mut inside = text[start..end].chars();
    let is_capital = inside.next().is_some_and(char::is_uppercase) && inside.next().is_none();
    is_capital && text[end..].chars().next().is_some_and(char::is_alphabetic)
}
