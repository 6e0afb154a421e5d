//! Escapes characters of the text that Markdown would read as markup.

use std::borrow::Cow;
use std::ops::Range;

/// The context in which text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Lines. Each line could be read as the start of a heading, a list or another block.
    Lines,
    /// A heading: one line, in which strong emphasis is not written.
    Heading,
    /// A table cell: one line, with escaped vertical bars, and `<br>` for line breaks.
    Cell,
}

/// Markup that is inserted at a position of the text.
#[derive(Debug, Clone)]
pub(super) struct Insert {
    /// Byte position in the text.
    pub(super) at: usize,
    /// The markup.
    pub(super) markup: String,
}

/// A text with the markup to insert.
pub(super) struct Marked<'t> {
    pub(super) text: &'t str,
    /// The markup to insert, sorted by position.
    pub(super) inserts: &'t [Insert],
    /// Sorted ranges of text that is not escaped, such as code.
    pub(super) verbatim: &'t [Range<usize>],
    /// Sorted ranges of text that an insertion replaces.
    pub(super) replaced: &'t [Range<usize>],
    /// Sorted ranges of text between the brackets of links.
    pub(super) links: &'t [Range<usize>],
    pub(super) context: Context,
    /// Whether `$` delimits formulas.
    pub(super) has_formulas: bool,
}

impl Marked<'_> {
    /// Returns the text with all insertions, and with escapes outside code.
    pub(super) fn write(&self) -> String {
        let &Marked { text, context, .. } = self;
        let mut out = String::with_capacity(text.len() + text.len() / 16);
        let mut inserts = self.inserts.iter().peekable();
        let mut insert_until = |out: &mut String, place: usize| {
            while let Some(insert) = inserts.next_if(|i| i.at <= place) {
                out.push_str(&insert.markup);
            }
        };
        let (mut verbatim, mut replaced, mut links) =
            (Within::new(self.verbatim), Within::new(self.replaced), Within::new(self.links));
        let signs = Signs::new(text, self.inserts);
        // `$` is only escaped where it could close a formula: after another `$`, and directly after text
        let markup_has_dollar = self.inserts.iter().any(|insert| insert.markup.contains('$'));
        let mut has_dollar = false;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let (line, has_end) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
            // The position of a character that would make the line a heading, a list item or a similar block.
            let line_marker = if context == Context::Lines { line_marker(line, start == 0) } else { None };
            for (at, c) in line.char_indices() {
                let place = start + at;
                insert_until(&mut out, place);
                if replaced.contains(place) {
                    continue;
                }
                let in_code = verbatim.contains(place);
                let inserted = || inserts_at(self.inserts, place + c.len_utf8());
                let around = Around::new(text, place, c);
                let is_markup = match c {
                    '|' => context == Context::Cell || line_marker == Some(at),
                    // Trailing `#` characters would be removed from a heading.
                    '#' if context == Context::Heading => place + 1 == text.len(),
                    '[' | ']' if links.contains(place) => true,
                    '$' => {
                        let has_other = std::mem::replace(&mut has_dollar, true) || markup_has_dollar;
                        self.has_formulas && has_other && out.ends_with(|c: char| !c.is_whitespace())
                    }
                    '!' => inserted().is_some_and(|markup| markup.starts_with('[')),
                    '\\' if inserted().is_some() => true,
                    _ => line_marker == Some(at) || signs.is_markup(c, place, &around),
                };
                // A vertical bar separates cells even in code.
                if is_markup && (!in_code || c == '|' && context == Context::Cell) {
                    out.push('\\');
                }
                out.push(c);
            }
            start += line.len();
            if has_end {
                insert_until(&mut out, start);
                if !replaced.contains(start) {
                    out.push_str(match context {
                        Context::Lines => "\\\n",
                        Context::Heading => " ",
                        Context::Cell => "<br>",
                    });
                }
                start += 1;
            }
        }
        insert_until(&mut out, text.len());
        out
    }
}

/// Sorted ranges that are queried at ascending positions.
struct Within<'r>(std::iter::Peekable<std::slice::Iter<'r, Range<usize>>>);

impl<'r> Within<'r> {
    fn new(ranges: &'r [Range<usize>]) -> Self {
        Within(ranges.iter().peekable())
    }
    fn contains(&mut self, place: usize) -> bool {
        while self.0.next_if(|range| range.end <= place).is_some() {}
        self.0.peek().is_some_and(|range| range.start <= place)
    }
}

/// The characters before and after a character.
struct Around<'t> {
    before: Option<char>,
    after: Option<char>,
    rest: &'t str,
}

impl<'t> Around<'t> {
    fn new(text: &'t str, place: usize, c: char) -> Self {
        let rest = &text[place + c.len_utf8()..];
        Around { before: text[..place].chars().next_back(), after: rest.chars().next(), rest }
    }
    fn is_before_space(&self) -> bool {
        self.after.is_none_or(char::is_whitespace)
    }
    fn is_after_space(&self) -> bool {
        self.before.is_none_or(char::is_whitespace)
    }
    fn is_between_spaces(&self) -> bool {
        self.is_after_space() && self.is_before_space()
    }
}

/// Returns the first markup that is inserted at a position.
fn inserts_at(inserts: &[Insert], place: usize) -> Option<&str> {
    let at = inserts.partition_point(|insert| insert.at < place);
    inserts.get(at).filter(|insert| insert.at == place).map(|insert| insert.markup.as_str())
}

/// Characters that are markup only if they occur in pairs.
struct Signs {
    /// The first asterisk that may open emphasis, and the last one that may close it.
    stars: Option<(usize, usize)>,
    num_underscores: usize,
    num_tildes: usize,
    num_backticks: usize,
}

impl Signs {
    /// If markup is inserted, a single character could form a pair with the markup, so the counts are
    /// increased by one.
    fn new(text: &str, inserts: &[Insert]) -> Self {
        let has_markup = !inserts.is_empty();
        let count = |sign: u8| text.bytes().filter(|&b| b == sign).count() + usize::from(has_markup);
        let stars = || memchr::memchr_iter(b'*', text.as_bytes()).map(|at| (at, Around::new(text, at, '*')));
        let stars = if inserts.iter().any(|insert| insert.markup.contains('*')) {
            Some((0, text.len()))
        } else {
            let first = stars().find(|(_, around)| !around.is_before_space());
            let last = stars().rfind(|(_, around)| !around.is_after_space());
            first.zip(last).map(|(first, last)| (first.0, last.0)).filter(|(first, last)| first < last)
        };
        Signs { stars, num_underscores: count(b'_'), num_tildes: count(b'~'), num_backticks: count(b'`') }
    }

    /// Whether Markdown would read a character as markup.
    fn is_markup(&self, c: char, place: usize, around: &Around<'_>) -> bool {
        let &Around { before, after, rest } = around;
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '\\' => after.is_none_or(|c| c.is_ascii_punctuation() || c == '\n'),
            '`' => self.num_backticks > 1,
            '*' => {
                let is_paired = self.stars.is_some_and(|(first, last)| (first..=last).contains(&place));
                is_paired && !around.is_between_spaces()
                    || before.is_none_or(|c| c == '\n') && around.is_before_space()
            }
            '_' => {
                let is_inside_word = is_word(before) && is_word(after);
                self.num_underscores > 1 && !is_inside_word && !around.is_between_spaces()
            }
            '~' => self.num_tildes > 1,
            '[' => begins_link(rest),
            '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
            '&' => is_reference(rest),
            _ => false,
        }
    }
}

/// Inserts a space after each `<` that parsers without formula support would read as the start of an HTML tag or an
/// autolink. TeX ignores the space. Such a tag could extend beyond the formula.
pub(super) fn tex_without_tags(tex: &str) -> Cow<'_, str> {
    let begins_tag = |after: &str| {
        let name = after.strip_prefix('/').unwrap_or(after);
        let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
        let after_scheme = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "+.-".contains(c));
        let has_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        after.starts_with(['!', '?'])
            || has_name && after_scheme.starts_with([':', '@'])
            || has_name && rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '>'))
    };
    let mut parts = tex.split('<');
    let mut out = Cow::Borrowed(parts.next().unwrap_or_default());
    if out.len() == tex.len() {
        return out;
    }
    for part in parts {
        let text = out.to_mut();
        text.push('<');
        if begins_tag(part) {
            text.push(' ');
        }
        text.push_str(part);
    }
    if out == tex { tex.into() } else { out }
}

/// Maximum length of a link label in bytes. CommonMark allows 999 characters.
const MAX_LABEL: usize = 4000;

/// Returns whether a `[` before this text could start a link, an image, a note or a checkbox.
fn begins_link(rest: &str) -> bool {
    let near = &rest[..rest.floor_char_boundary(MAX_LABEL)];
    let Some(end) = near.find(']') else { return false };
    let is_box = || matches!(&rest[..end], " " | "x" | "X");
    rest.starts_with('^') || rest[end + 1..].starts_with(['(', '[', ':']) || is_box()
}

/// Returns the position of the character that would make a line the start of a heading, item, quotation,
/// table or similar block. If the line follows another line, a numbered item counts only if its number is 1.
fn line_marker(line: &str, is_first: bool) -> Option<usize> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let first = line.chars().next()?;
    let is_marker = match first {
        '>' | '|' => true,
        '#' => ends(line.trim_start_matches('#')),
        '+' => ends(&line[1..]),
        // These characters also start a thematic break or the underline of a heading.
        '-' => ends(&line[1..]) || line.starts_with("--"),
        '=' => line.trim_matches('=').trim().is_empty(),
        _ => false,
    };
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = (1..=9).contains(&digits) && line[digits..].strip_prefix(['.', ')']).is_some_and(ends);
    let may_begin = is_first || line[..digits].parse() == Ok(1);
    is_marker.then_some(0).or((is_numbered && may_begin).then_some(digits))
}

/// Whether `text` after a `&` completes a character reference.
fn is_reference(text: &str) -> bool {
    let name = text.strip_prefix('#').unwrap_or(text);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    end.is_some_and(|end| end > 0 && name[end..].starts_with(';'))
}
