//! Author names: removes labels such as `By`, cleans the values and splits lists.

use super::text::{folded, is_invisible, key, phrases, plain};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Maximum number of characters and of words of a name.
const MAX_CHARS: usize = 90;
const MAX_WORDS: usize = 9;
/// Maximum number of bytes of a short word such as `on`. Such a word is part of a name only if it begins with
/// a capital.
const MAX_SMALL_WORD: usize = 3;
/// Maximum number of authors of a page.
pub(super) const MAX_AUTHORS: usize = 50;

const FILE: &str = include_str!("../../data/metadata/author_words.tsv");

struct Words {
    labels: Labels,
    unspaced: Labels,
    /// The first words of the labels of two or more words.
    long_starts: FxHashSet<&'static str>,
    suffixes: Vec<&'static str>,
    date_labels: FxHashSet<&'static str>,
    and: Vec<&'static str>,
    nobody: FxHashSet<&'static str>,
    roles: FxHashSet<&'static str>,
    post_nominals: FxHashSet<&'static str>,
}

/// Author labels in lower case, by their first character; the longest first, so that `written by` is tried before `by`.
struct Labels(FxHashMap<char, Vec<&'static str>>);

impl Labels {
    fn new(list: Vec<&'static str>) -> Self {
        let mut labels: FxHashMap<char, Vec<&'static str>> = FxHashMap::default();
        for label in list {
            labels.entry(label.chars().next().unwrap_or_default()).or_default().push(label);
        }
        labels.values_mut().for_each(|labels| labels.sort_by_key(|label| std::cmp::Reverse(label.len())));
        Labels(labels)
    }

    /// Returns the labels that begin with the first character of `text`; case is ignored.
    fn at(&self, text: &str) -> impl Iterator<Item = &'static str> {
        let first = text.chars().next().and_then(|c| c.to_lowercase().next());
        first.and_then(|first| self.0.get(&first)).into_iter().flatten().copied()
    }
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let list = |name| phrases(FILE, name, ", ");
    let longest_first = |mut list: Vec<&'static str>| {
        list.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        list
    };
    Words {
        labels: Labels::new(list("labels")),
        unspaced: Labels::new(list("labels_unspaced")),
        long_starts: list("labels").into_iter().filter_map(|label| Some(label.split_once(' ')?.0)).collect(),
        suffixes: longest_first(list("suffixes")),
        date_labels: list("date_labels").into_iter().collect(),
        and: list("and"),
        nobody: list("nobody").into_iter().collect(),
        roles: list("roles").into_iter().collect(),
        post_nominals: list("post_nominals").into_iter().collect(),
    }
});

/// How a value may list authors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One person or organization, as in an item of a list of authors.
    One,
    /// One or several names.
    Many,
    /// Like [`Form::One`], but the family name may come first, followed by a comma: `Miller, Ann`.
    FamilyFirst,
}

/// Returns the names in a value of an author field.
pub(super) fn names(value: &str, form: Form) -> Vec<String> {
    let value = plain(value);
    let value = without_labels(&value);
    let parts = match form {
        Form::One => vec![value.to_owned()],
        Form::Many => split(value),
        Form::FamilyFirst => vec![family_last(value)],
    };
    let mut names: Vec<String> = Vec::new();
    for name in parts.iter().filter_map(|part| name(part)).take(MAX_AUTHORS) {
        if !names.iter().any(|n| key(n) == key(&name)) {
            names.push(name);
        }
    }
    names
}

/// Returns the names that follow an author label in a text, such as `By Ann Miller | 3 May 2024`.
pub(super) fn labelled(text: &str) -> Vec<String> {
    let text = folded(text);
    let (label, rest) = match label(&text) {
        Some(len) => text.split_at(len),
        None => match inner_label(&text) {
            Some(range) => (&text[range.clone()], &text[range.end..]),
            None => return with_suffix(&text),
        },
    };
    let is_spaced = label.ends_with(|c: char| c.is_alphabetic() && c < '\u{2e80}');
    let name = before_rest(rest.trim_start_matches([':', '：', ' ', '／', '/', '・', '-']));
    // a label without a colon must be followed by a text with the form of a name, unlike "by the sea"
    let is_named =
        |n: &String| !is_spaced || rest.trim_start().starts_with([':', '：']) || looks_like_name(n);
    shown(name).into_iter().filter(is_named).collect()
}

/// Returns the names in a visible text. The role of a person may follow the name: `Ann Miller, Editor`.
pub(super) fn shown(text: &str) -> Vec<String> {
    let mut names = names(before_rest(text), Form::Many);
    // the first item is a name, even if it contains a role
    let mut is_first = true;
    names.retain(|name| std::mem::take(&mut is_first) || !has_role(name));
    names
}

/// Whether one of the words of a text is a role, such as `editor`.
fn has_role(text: &str) -> bool {
    text.split([' ', '/', '-']).any(|w| WORDS.roles.contains(w.to_lowercase().as_str()))
}

/// Returns whether the whole text is an author label: `By`, `Written by:`. The author is then in the next
/// text.
pub(crate) fn is_label(text: &str) -> bool {
    let shown = text.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c));
    let mut labels =
        [&WORDS.labels, &WORDS.unspaced].into_iter().flat_map(|labels| labels.at(shown)).peekable();
    if labels.peek().is_none() {
        return false;
    }
    let text = folded(text).to_lowercase();
    let text = text.trim_end_matches([':', '：', ' ']);
    labels.any(|label| label == text)
}

/// Returns the text after an author label of two or more words, such as `Written by`, at the start of a text.
pub(super) fn after_long_label(text: &str) -> Option<&str> {
    let is_long = |label: &&str| label.contains(' ');
    let rest =
        WORDS.labels.at(text).filter(is_long).find_map(|label| Some(&text[prefix_len(text, label)?..]))?;
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix([' ', ':', '：'])? };
    Some(rest.trim_start_matches([':', '：', ' ']))
}

/// Whether a text may begin with a label of two or more words. Only the first word is checked, which excludes most
/// texts.
pub(super) fn may_have_long_label(text: &str) -> bool {
    let Some(first) = text.split_whitespace().next() else { return false };
    let first: String = first.chars().filter(|&c| !is_invisible(c)).flat_map(char::to_lowercase).collect();
    first.is_empty() || WORDS.long_starts.contains(first.as_str())
}

/// Returns the length in bytes up to the end of an author label at the start of a text.
fn label(text: &str) -> Option<usize> {
    let start =
        text.len() - text.trim_start_matches(['-', '–', '—', '•', '|', '/', '✍', ' ', '(', '[', '【']).len();
    let text = &text[start..];
    let spaced = WORDS.labels.at(text).find_map(|label| {
        let len = prefix_len(text, label)?;
        text[len..].starts_with([' ', ':', '：']).then_some(len)
    });
    spaced
        .or_else(|| WORDS.unspaced.at(text).find_map(|label| prefix_len(text, label)))
        .map(|len| start + len)
}

/// Returns the length in bytes of `prefix` at the start of a text; the comparison ignores case.
fn prefix_len(text: &str, prefix: &str) -> Option<usize> {
    let mut chars = text.chars();
    let mut len = 0;
    for expected in prefix.chars() {
        let c = chars.next()?;
        if c != expected && !c.to_lowercase().eq(std::iter::once(expected)) {
            return None;
        }
        len += c.len_utf8();
    }
    Some(len)
}

/// Finds an author label inside a line, after a divider or a date: `3 May 2024 | By Ann Miller`,
/// `2024-05-03 作者：王攀`.
fn inner_label(text: &str) -> Option<std::ops::Range<usize>> {
    let has_colon = text.contains([':', '：']);
    for (at, c) in text.char_indices() {
        let after = at + c.len_utf8();
        let rest = &text[after..];
        let found = match c {
            '|' | '•' | '·' | '/' | '–' | '—' | '(' | '丨' => label(rest),
            // after a space, only a label with a colon (except `by`), and `by` after a date count
            ' ' if has_colon || prefix_len(rest, "by ").is_some() => label(rest).filter(|&len| {
                let is_sure = rest[len..].starts_with([':', '：']) && prefix_len(rest, "by").is_none();
                is_sure || prefix_len(rest, "by ").is_some() && ends_date(&text[..at])
            }),
            _ => None,
        };
        if let Some(len) = found {
            return Some(after..after + len);
        }
    }
    None
}

/// Whether a text ends in a number or in `am`, `pm` or `ago`, as before `by` in `3 May 2024 by Ann Miller`.
fn ends_date(text: &str) -> bool {
    let last = text.rsplit(' ').next().unwrap_or_default().trim_matches([',', '.', ':']);
    last.ends_with(|c: char| c.is_ascii_digit())
        || ["am", "pm", "ago"].contains(&last.to_lowercase().as_str())
}

/// Returns the name before a suffix for reporters such as 記者 or 기자.
fn with_suffix(text: &str) -> Vec<String> {
    let mut words =
        text.split([' ', '　', '=', '|', '·', '/', '【', '[', '】', ']']).filter(|w| !w.is_empty());
    let mut last = "";
    let found = words.find_map(|word| {
        let suffix = WORDS.suffixes.iter().find(|s| word.ends_with(**s));
        let name = suffix.map(|s| &word[..word.len() - s.len()]);
        let name = name.map(|n| if n.is_empty() { last } else { n });
        last = word;
        name
    });
    let Some(found) = found else { return Vec::new() };
    let is_short = (2..=8).contains(&found.chars().count()) && found.chars().all(char::is_alphabetic);
    if is_short { names(found, Form::Many) } else { Vec::new() }
}

/// Returns the start of a byline, up to a date, a divider or a date label.
fn before_rest(text: &str) -> &str {
    let whole = text.len();
    let (mut end, mut at) = (whole, 0);
    while let Some(word) = text[at..].split(' ').next() {
        let bare = word.trim_matches([',', '.', ':', '|', '(', ')', '：']).to_lowercase();
        let is_divider = matches!(
            word,
            "|" | "•"
                | "·"
                | "⋅"
                | "●"
                | "◦"
                | "∙"
                | "・"
                | "–"
                | "—"
                | "-"
                | "／"
                | "/"
                | "//"
                | "丨"
                | "»"
                | ">"
        );
        let is_date = bare.starts_with(|c: char| c.is_ascii_digit()) && !bare.ends_with(char::is_alphabetic);
        // `on` ends the name, but a capitalized `On` may be part of it
        let is_word = bare.len() > MAX_SMALL_WORD || !word.starts_with(char::is_uppercase);
        let is_label = at > 0
            && (is_word && WORDS.date_labels.contains(bare.as_str())
                || WORDS
                    .date_labels
                    .iter()
                    .any(|l| l.starts_with(|c| c >= '\u{2e80}') && word.starts_with(l)));
        if !word.is_empty() && (is_divider || is_date || is_label) {
            end = at;
            break;
        }
        // a word may end in a divider: `Miller|`
        if let Some(cut) = word
            .find(['|', '•', '·', '⋅', '●', '（', '【'])
            .or(word.starts_with('(').then_some(0).filter(|_| at > 0))
        {
            end = at + cut;
            break;
        }
        if at + word.len() >= text.len() {
            break;
        }
        at += word.len() + 1;
    }
    // `Ann Miller May 3`: the month belongs to the date
    let text = text[..end].trim_end_matches(is_between);
    let before_month = text.rsplit_once([' ', ',']).filter(|(_, last)| end < whole && is_month(last));
    before_month.map_or(text, |(before, _)| before).trim_end_matches(is_between)
}

fn is_between(c: char) -> bool {
    matches!(c, ' ' | ',' | '-' | '|' | ':' | '&' | '.')
}

fn is_month(word: &str) -> bool {
    crate::dates::months::month(word, None).is_some()
}

fn without_labels(value: &str) -> &str {
    let mut value = value.trim();
    for _ in 0..2 {
        match label(value) {
            // a name may equal a label (`Texta`, `Di`), so a text must follow the label
            Some(len) if value[len..].trim().chars().count() > 1 => {
                value = value[len..].trim_start_matches([':', '：', ' ', '／', '/', '・']);
            }
            _ => break,
        }
    }
    value
}

/// Splits a list of names: `Ann Miller, Bo Berg and Cy Young`. A title after a comma remains part of the
/// name.
fn split(value: &str) -> Vec<String> {
    let hard = [';', '|', '\n', '、', '；', '，', '／'];
    let mut names = Vec::new();
    for part in value.split(hard).flat_map(|part| part.split(" / ")).flat_map(|part| part.split(" & ")) {
        for part in split_words(part) {
            names.extend(split_commas(part));
        }
    }
    names
}

/// Returns whether a text ends in a word or character that joins two authors, other than a comma: `Ann Miller
/// and `.
pub(super) fn ends_in_joint(text: &str) -> bool {
    let text = text.trim_end();
    text.ends_with(['&', '、', ';', '；', '，', '／'])
        || text.rsplit_once([' ', ',']).is_some_and(|(_, word)| WORDS.and.contains(&word))
}

/// Splits a text at words for "and" between two names.
fn split_words(part: &str) -> Vec<&str> {
    for and in &WORDS.and {
        let found = part.match_indices(' ').find_map(|(at, _)| {
            let len = prefix_len(&part[at + 1..], and)?;
            let (before, after) = (&part[..at], &part[at + 1 + len..]);
            let is_between = after.starts_with(' ') && part[at + 1..at + 1 + len] == **and;
            // `Department of Health and Safety` is one organization
            let last = before.rsplit([',']).next().unwrap_or(before).trim();
            let next = after.trim().split(',').next().unwrap_or_default();
            (is_between && is_person(last) && is_person(next)).then_some((before, after))
        });
        if let Some((before, after)) = found {
            let mut parts = split_words(before.trim_end_matches([',', ' ']));
            parts.push(after.trim());
            return parts;
        }
    }
    vec![part]
}

/// Whether a text has the shape of a person's name: one to five words, few of them in lower case, without `of`
/// and `for`.
fn is_person(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').filter(|w| !w.is_empty()).collect();
    let is_small = |w: &&str| w.starts_with(char::is_lowercase);
    (1..=5).contains(&words.len())
        && words.iter().filter(|w| is_small(w)).count() <= 2
        && !words.contains(&"of")
        && !words.contains(&"for")
}

fn split_commas(part: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for piece in part.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        match names.last_mut() {
            Some(name) if is_title(piece) => {
                name.push_str(", ");
                name.push_str(piece);
            }
            _ => names.push(piece.to_owned()),
        }
    }
    names
}

/// Whether the text after a comma is a title such as `PhD` or `MS, RD`, and not a name.
fn is_title(piece: &str) -> bool {
    let lower = piece.to_lowercase();
    let all_short = || piece.split(' ').all(|w| WORDS.post_nominals.contains(w.to_lowercase().as_str()));
    WORDS.post_nominals.contains(lower.as_str()) || all_short()
}

/// Converts `Miller, Ann` to `Ann Miller`.
fn family_last(value: &str) -> String {
    let mut parts = value.split(',').map(str::trim);
    let (family, given, rest) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let Some(given) = given.filter(|g| rest.is_none() && !g.is_empty() && !is_title(g)) else {
        return value.to_owned();
    };
    let is_short = |part: &str, most| part.split(' ').count() <= most;
    if is_short(family, 3) && is_short(given, 3) { format!("{given} {family}") } else { value.to_owned() }
}

/// Returns the cleaned name, or `None` if the value is not a name.
fn name(value: &str) -> Option<String> {
    let value = value.trim().trim_start_matches('@');
    let value =
        value.trim_matches([' ', ',', ';', ':', '-', '–', '—', '|', '•', '·', '"', '“', '”', '*', '/', '：']);
    let value = value
        .strip_suffix('.')
        .filter(|v| !v.contains('.') && v.rsplit(' ').next().is_some_and(|w| w.len() > 3))
        .unwrap_or(value);
    let lower = value.to_lowercase();
    let is_url = lower.contains("://") || lower.starts_with("www.") || lower.contains(".html");
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let is_name = letters >= 1
        && (letters >= 2 || value.chars().any(|c| c >= '\u{2e80}'))
        && value.chars().count() <= MAX_CHARS
        && value.split(' ').count() <= MAX_WORDS + 4
        && !is_url
        && !value.contains(['{', '}', '<', '>', '=', '[', ']', '?', '!'])
        && !WORDS.nobody.contains(lower.as_str())
        && !WORDS.nobody.iter().any(|n| n.contains(' ') && lower.starts_with(n))
        && !is_label(value)
        && value.matches('(').count() == value.matches(')').count()
        && !is_month(value);
    is_name.then(|| value.to_owned())
}

/// Whether a text looks like the name of a person or an organization: few words, at least two thirds of which
/// begin with capitals.
pub(super) fn looks_like_name(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').filter(|w| w.chars().any(char::is_alphabetic)).collect();
    let is_capital = |w: &&str| !w.trim_start_matches(['(', '"', '\'']).starts_with(char::is_lowercase);
    let capitals = words.iter().filter(|w| is_capital(w)).count();
    (1..=MAX_WORDS).contains(&words.len())
        && words.first().is_some_and(is_capital)
        && 3 * capitals >= 2 * words.len()
        && !text.ends_with(['!', '?', ':', '…'])
        && !text.split(' ').any(|w| w.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(value: &str) -> String {
        names(value, Form::Many).join(" + ")
    }

    #[test]
    fn lists_are_split() {
        for (value, expected) in [
            ("By Ann Miller", "Ann Miller"),
            ("Written by: Ann Miller and Bo Berg", "Ann Miller + Bo Berg"),
            ("Ann Miller, Bo Berg &amp; Cy Young", "Ann Miller + Bo Berg + Cy Young"),
            ("Ann Miller, MD, PhD; Bo Berg, RD", "Ann Miller, MD, PhD + Bo Berg, RD"),
            ("Von Anna Müller und Bernd Berg", "Anna Müller + Bernd Berg"),
            ("Автор: Анна Иванова", "Анна Иванова"),
            ("作者：王攀", "王攀"),
            ("王攀、李丽", "王攀 + 李丽"),
            ("Center for Health and Safety", "Center for Health and Safety"),
            ("ann miller", "ann miller"),
            ("admin, Ann Miller", "Ann Miller"),
            ("https://example.com/ann", ""),
            ("Anonymous", ""),
            ("{{author}}", ""),
            ("12", ""),
            ("", ""),
        ] {
            assert_eq!(many(value), expected, "{value}");
        }
        assert_eq!(names("Miller, Ann", Form::FamilyFirst), ["Ann Miller"]);
        assert_eq!(names("Ann Miller, Editor of Rain", Form::One), ["Ann Miller, Editor of Rain"]);
    }

    #[test]
    fn bylines_are_read() {
        for (text, expected) in [
            ("By Ann Miller | 3 May 2024", "Ann Miller"),
            ("By Ann Miller, Updated May 3, 2024", "Ann Miller"),
            ("May 3, 2024 by Ann Miller", "Ann Miller"),
            ("3. Mai 2024 | Von Anna Müller", "Anna Müller"),
            ("Ann Miller on May 3", ""),
            ("By the end of the day", ""),
            ("Par Anne Meunier et Bo Berg Publié le 3 mai 2024", "Anne Meunier + Bo Berg"),
            ("2024年05月03日 10:20 来源：新华社 作者：王小明 责任编辑：李丽", "王小明"),
            ("홍길동 기자", "홍길동"),
            ("홍길동 기자 hong@example.com", "홍길동"),
            ("山田太郎記者", "山田太郎"),
            ("Autor: Anna Nowak Opublikowano: 3 maja 2024", "Anna Nowak"),
            ("Γράφει ο Νίκος Παππάς", "Νίκος Παππάς"),
            ("Rain fell", ""),
        ] {
            assert_eq!(labelled(text).join(" + "), expected, "{text}");
        }
        assert!(is_label("Written by:") && !is_label("Written by Ann"));
    }
}
