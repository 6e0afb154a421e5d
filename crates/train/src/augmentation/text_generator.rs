//! Components of generated HTML: sentences of the page, names, dates, elements.

use crate::augmentation::phrases;
use crate::augmentation::phrases::{ClassList, FIRST_NAMES, LAST_NAMES, MONTHS, NICKNAMES, Phrases};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use threshr_html::escape;
use threshr_html::text::words;

/// Maximum number of characters in a sentence. Longer sentences are truncated.
const MAX_CHARS: usize = 300;

/// Generates HTML. Equal seeds and texts give equal HTML.
pub(crate) struct TextGenerator<'t> {
    random: ChaCha8Rng,
    sentences: Vec<&'t str>,
    pub phrases: &'static Phrases,
}

/// Class names of generated elements. The role of an element is a word such as `title` or `list`.
pub(crate) enum ClassNames {
    /// No class names.
    None,
    /// The element's role.
    Part,
    /// A prefix and the element's role.
    Prefixed(String),
    /// The class names of a comment system. If the system has no class name for a role, its elements have no
    /// class.
    System(&'static ClassList),
}

impl ClassNames {
    /// Returns the `class` attribute for an element with the role `part`. It may be empty.
    pub(crate) fn of(&self, part: &str) -> String {
        match self {
            ClassNames::None => String::new(),
            ClassNames::Part => format!(" class=\"{part}\""),
            ClassNames::Prefixed(prefix) => format!(" class=\"{prefix}-{part}\""),
            ClassNames::System(parts) => {
                let name = parts.iter().find(|p| p.0 == part);
                name.map(|p| format!(" class=\"{}\"", p.1)).unwrap_or_default()
            }
        }
    }
}

/// Which texts of a story are links.
#[derive(Clone, Copy)]
pub(crate) enum Linked {
    /// The title.
    Title,
    /// The title and the lead.
    All,
    /// A separate link after the lead.
    More,
    /// No links.
    Nothing,
}

impl Linked {
    /// Whether the title is a link.
    pub(crate) fn has_title(self) -> bool {
        matches!(self, Linked::Title | Linked::All)
    }
}

/// Returns a link to a page of the same site.
pub(crate) fn link(to: &str, text: &str) -> String {
    format!("<a href=\"/{to}\">{text}</a>")
}

/// Returns an element with the inner HTML `inside`. If the name is empty, returns only the inner HTML.
pub(crate) fn element(name: &str, attributes: &str, inside: &str) -> String {
    match name {
        "" => inside.to_owned(),
        _ => format!("<{name}{attributes}>{inside}</{name}>"),
    }
}

/// Returns a list item. A table row gets one cell.
pub(crate) fn item(name: &str, attributes: &str, inside: &str) -> String {
    match name {
        "tr" => element(name, attributes, &element("td", "", inside)),
        _ => element(name, attributes, inside),
    }
}

/// Escapes a text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

impl<'t> TextGenerator<'t> {
    /// Creates a generator for a page with the content `text` in the language `lang`. Returns `None` if no
    /// sentence of the content has at least two words.
    pub(crate) fn new(seed: u64, text: &'t str, lang: &str) -> Option<Self> {
        let ends = ['.', '!', '?', '。', '！', '？'];
        let sentences = text.lines().flat_map(|line| line.split_inclusive(ends)).map(str::trim);
        // without punctuation, a sentence may have any length
        let begin = |s: &'t str| s.char_indices().nth(MAX_CHARS).map_or(s, |(end, _)| &s[..end]);
        let sentences: Vec<_> = sentences.map(begin).filter(|s| words(s).nth(1).is_some()).collect();
        let random = ChaCha8Rng::seed_from_u64(seed);
        (!sentences.is_empty()).then(|| TextGenerator { random, sentences, phrases: phrases::of(lang) })
    }

    /// Returns a random number less than `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n.max(1))
    }

    /// Returns true with probability `p`.
    pub(crate) fn chance(&mut self, p: f64) -> bool {
        self.random.random_bool(p)
    }

    /// Returns a random element of `list`.
    pub(crate) fn choose(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }

    /// Returns a log-uniform random number from `min` to `max`. The ranges 2 to 4 and 20 to 40 are equally
    /// probable.
    pub(crate) fn log_uniform(&mut self, min: f64, max: f64) -> usize {
        self.random.random_range(min.ln()..max.ln()).exp() as usize
    }

    /// Returns a random number of words for a comment: 3 plus an exponentially distributed number with this
    /// mean.
    pub(crate) fn comment_length(&mut self, mean: f64) -> usize {
        (3.0 - mean * self.random.random_range(1e-3..1.0f64).ln()) as usize
    }

    /// Replaces `{}` in a phrase by a random number.
    pub(crate) fn with_number(&mut self, phrase: &str) -> String {
        let number = 1 + self.below(90);
        phrase.replace("{}", &number.to_string())
    }

    /// Returns a random name of 3 to 8 letters.
    pub(crate) fn random_name(&mut self) -> String {
        let length = 3 + self.below(6);
        (0..length).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    fn sentence(&mut self) -> &'t str {
        let index = self.below(self.sentences.len());
        self.sentences[index]
    }

    /// Returns whole sentences with at least `num` words in total. If `num` is small, the text is truncated
    /// to `num` words.
    pub(crate) fn text(&mut self, num: usize) -> String {
        const FEW: usize = 12;
        let (mut text, mut found) = (String::new(), 0);
        while found < num {
            let sentence = self.sentence();
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(sentence);
            found += words(sentence).count();
        }
        if num < FEW { self.cut(&text, num) } else { text }
    }

    /// Returns the first `num` words of a text. If the text is truncated, an ellipsis is sometimes added.
    fn cut(&mut self, text: &str, num: usize) -> String {
        let Some(end) = words(text).nth(num).map(|(start, _)| start) else { return text.to_owned() };
        let dots = if self.chance(0.4) { "..." } else { "" };
        format!("{}{dots}", text[..end].trim_end())
    }

    /// Returns the start of a text, with about `num_words` words.
    pub(crate) fn lead(&mut self, num_words: usize) -> String {
        let max = num_words * (50 + self.below(101)) / 100;
        let text = self.text(num_words * 2);
        escaped(&self.cut(&text, max.max(5)))
    }

    /// Returns the first words of a sentence; their number is random in `min..min + range`.
    pub(crate) fn heading(&mut self, min: usize, range: usize) -> String {
        let (sentence, num_words) = (self.sentence(), min + self.below(range));
        escaped(self.cut(sentence, num_words).trim_end_matches(['.', '。']))
    }

    /// Selects which texts of the stories in a list are links.
    pub(crate) fn linked(&mut self) -> Linked {
        [Linked::Title, Linked::Title, Linked::All, Linked::More, Linked::Nothing][self.below(5)]
    }

    /// Returns a random date in the format with the index `format`. All dates of a list have the same format.
    pub(crate) fn date(&mut self, format: usize) -> String {
        let (year, month, day) = (2004 + self.below(22), 1 + self.below(12), 1 + self.below(28));
        let (hour, minute) = (self.below(24), self.below(60));
        let name = MONTHS[month - 1];
        let half = if hour < 12 { "am" } else { "PM" };
        if self.phrases.is_year_first {
            return match format % 3 {
                0 => format!("{year}年{month}月{day}日 {hour}:{minute:02}"),
                1 => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}"),
                _ => format!("{year}/{month:02}/{day:02}"),
            };
        }
        // the last four formats are used only for English
        match format % if self.phrases.lang == "en" { 10 } else { 6 } {
            0 => format!("{day}.{month}.{year} {hour:02}:{minute:02}"),
            1 => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}"),
            2 => format!("{day:02}/{month:02}/{year}"),
            3 => format!("{day:02}.{month:02}.{year}, {hour}:{minute:02}"),
            4 => format!("{hour}:{minute:02}"),
            5 => format!("{day}/{month}/{year} {hour}:{minute:02}"),
            6 => format!("{name} {day}, {year}"),
            7 => format!("{} {day}, {year} at {}:{minute:02} {half}", &name[..3], hour % 12 + 1),
            8 => format!("{day} {name} {year} {hour}:{minute:02}"),
            _ => format!("{} hours ago", 2 + self.below(21)),
        }
    }

    /// Returns a random author name: first and last name if `is_full` is true, otherwise a nickname.
    pub(crate) fn author(&mut self, is_full: bool) -> String {
        if is_full {
            return format!("{} {}", self.choose(&FIRST_NAMES), self.choose(&LAST_NAMES));
        }
        let name = self.choose(&NICKNAMES);
        if self.chance(0.3) { format!("{name}{}", self.below(100)) } else { name.to_owned() }
    }

    /// Returns random class names. `usual` lists common prefixes.
    pub(crate) fn class_names(&mut self, usual: &[&'static str]) -> ClassNames {
        let prefix = match self.below(4) {
            0 | 1 => None,
            2 => Some(self.choose(usual).to_owned()),
            _ => Some(self.random_name()),
        };
        let has_prefix = self.chance(0.7);
        match prefix {
            Some(prefix) if has_prefix => ClassNames::Prefixed(prefix),
            Some(_) => ClassNames::Part,
            None => ClassNames::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_without_punctuation_is_cut() {
        let text = "word ".repeat(1_000_000);
        assert!(TextGenerator::new(1, &text, "en").expect("a sentence").text(1).len() < 1000);
        assert!(TextGenerator::new(1, "One.\nTwo", "en").is_none());
    }
}
