//! What made-up HTML is put together from: sentences of the page, names, dates, elements.

use crate::augmentation::phrases;
use crate::augmentation::phrases::{FIRST_NAMES, LAST_NAMES, MONTHS, NICKNAMES, Phrases};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use threshr_html::escape;
use threshr_html::text::words;

/// Characters of a sentence that are taken.
const MOST_CHARS: usize = 300;

/// Makes HTML; the same seed and the same text make the same ones.
pub(crate) struct TextGenerator<'t> {
    random: ChaCha8Rng,
    sentences: Vec<&'t str>,
    pub phrases: &'static Phrases,
}

/// What a system calls the parts of what is made.
pub(crate) type Parts = &'static [(&'static str, &'static str)];

/// How the elements of what is made name themselves.
pub(crate) enum Names {
    None,
    /// By their parts alone.
    Parts,
    /// By a prefix and their parts.
    Joined(String),
    /// As a system does, if at all.
    System(Parts),
}

impl Names {
    /// The attribute of an element that is a `part` of it.
    pub fn of(&self, part: &str) -> String {
        match self {
            Names::None => String::new(),
            Names::Parts => format!(" class=\"{part}\""),
            Names::Joined(prefix) => format!(" class=\"{prefix}-{part}\""),
            Names::System(parts) => {
                let name = parts.iter().find(|p| p.0 == part);
                name.map(|p| format!(" class=\"{}\"", p.1)).unwrap_or_default()
            }
        }
    }
}

/// What of a story or an entry is a link.
#[derive(Clone, Copy)]
pub(crate) enum Linked {
    Title,
    All,
    More,
    Nothing,
}

impl Linked {
    /// Whether the title is one.
    pub fn has_title(self) -> bool {
        matches!(self, Linked::Title | Linked::All)
    }
}

pub(crate) fn link(to: &str, text: &str) -> String {
    format!("<a href=\"/{to}\">{text}</a>")
}

/// An element and what it is made of; an empty name stands for no element.
pub(crate) fn element(name: &str, attributes: &str, inside: &str) -> String {
    match name {
        "" => inside.to_owned(),
        _ => format!("<{name}{attributes}>{inside}</{name}>"),
    }
}

/// An item of a list; that of a table has a cell.
pub(crate) fn item(name: &str, attributes: &str, inside: &str) -> String {
    match name {
        "tr" => element(name, attributes, &element("td", "", inside)),
        _ => element(name, attributes, inside),
    }
}

pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

impl<'t> TextGenerator<'t> {
    /// For a page in the language `lang` whose content is `text`; `None` where that has no sentence.
    pub fn new(seed: u64, text: &'t str, lang: &str) -> Option<Self> {
        let ends = ['.', '!', '?', '。', '！', '？'];
        let sentences = text.lines().flat_map(|line| line.split_inclusive(ends)).map(str::trim);
        // text without signs has sentences of any length
        let begin = |s: &'t str| s.char_indices().nth(MOST_CHARS).map_or(s, |(end, _)| &s[..end]);
        let sentences: Vec<_> = sentences.map(begin).filter(|s| words(s).nth(1).is_some()).collect();
        let random = ChaCha8Rng::seed_from_u64(seed);
        (!sentences.is_empty()).then(|| TextGenerator { random, sentences, phrases: phrases::of(lang) })
    }

    pub fn num_sentences(&self) -> usize {
        self.sentences.len()
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n.max(1))
    }

    /// True with this chance.
    pub fn chance(&mut self, p: f64) -> bool {
        self.random.random_bool(p)
    }

    pub fn choose(&mut self, list: &[&'static str]) -> &'static str {
        list[self.below(list.len())]
    }

    /// A number from `least` to `most`, as often between 2 and 4 as between 20 and 40.
    pub fn spread(&mut self, least: f64, most: f64) -> usize {
        self.random.random_range(least.ln()..most.ln()).exp() as usize
    }

    /// How many words a comment has: three, and a number drawn from the exponential distribution with this mean.
    pub fn length(&mut self, mean: f64) -> usize {
        (3.0 - mean * self.random.random_range(1e-3..1.0f64).ln()) as usize
    }

    pub fn number_in(&mut self, phrase: &str) -> String {
        let number = 1 + self.below(90);
        phrase.replace("{}", &number.to_string())
    }

    /// A made-up name of letters.
    pub fn token(&mut self) -> String {
        let length = 3 + self.below(6);
        (0..length).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
    }

    fn sentence(&mut self) -> &'t str {
        let index = self.below(self.sentences.len());
        self.sentences[index]
    }

    /// About `num` words, of whole sentences; cut where there are to be few.
    pub fn text(&mut self, num: usize) -> String {
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

    /// The first `num` words, sometimes with dots where more were.
    fn cut(&mut self, text: &str, num: usize) -> String {
        let Some(end) = words(text).nth(num).map(|(start, _)| start) else { return text.to_owned() };
        let dots = if self.chance(0.4) { "..." } else { "" };
        format!("{}{dots}", text[..end].trim_end())
    }

    /// The beginning of a text, around `num_words` words long.
    pub fn lead(&mut self, num_words: usize) -> String {
        let most = num_words * (50 + self.below(101)) / 100;
        let text = self.text(num_words * 2);
        escaped(&self.cut(&text, most.max(5)))
    }

    /// From `least` to `least + more - 1` words of the beginning of a sentence.
    pub fn heading(&mut self, least: usize, more: usize) -> String {
        let (sentence, num_words) = (self.sentence(), least + self.below(more));
        escaped(self.cut(sentence, num_words).trim_end_matches(['.', '。']))
    }

    /// What of a list's stories or entries is a link.
    pub fn linked(&mut self) -> Linked {
        [Linked::Title, Linked::Title, Linked::All, Linked::More, Linked::Nothing][self.below(5)]
    }

    /// The form of a date, by its number; all of one list have the same.
    pub fn date(&mut self, form: usize) -> String {
        let (year, month, day) = (2004 + self.below(22), 1 + self.below(12), 1 + self.below(28));
        let (hour, minute) = (self.below(24), self.below(60));
        let name = MONTHS[month - 1];
        let half = if hour < 12 { "am" } else { "PM" };
        if self.phrases.is_marked {
            return match form % 3 {
                0 => format!("{year}年{month}月{day}日 {hour}:{minute:02}"),
                1 => format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}"),
                _ => format!("{year}/{month:02}/{day:02}"),
            };
        }
        // the last four are English
        match form % if self.phrases.lang == "en" { 10 } else { 6 } {
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

    pub fn author(&mut self, is_full: bool) -> String {
        if is_full {
            return format!("{} {}", self.choose(FIRST_NAMES), self.choose(LAST_NAMES));
        }
        let name = self.choose(NICKNAMES);
        if self.chance(0.3) { format!("{name}{}", self.below(100)) } else { name.to_owned() }
    }

    pub fn names(&mut self, usual: &[&'static str]) -> Names {
        let prefix = match self.below(4) {
            0 | 1 => None,
            2 => Some(self.choose(usual).to_owned()),
            _ => Some(self.token()),
        };
        let is_joined = self.chance(0.7);
        prefix.map_or(Names::None, |prefix| if is_joined { Names::Joined(prefix) } else { Names::Parts })
    }

    /// The same, in four of ten cases as one of some systems has them, if there are any.
    pub fn names_or(&mut self, systems: &[Parts], usual: &[&'static str]) -> Names {
        if !systems.is_empty() && self.chance(0.4) {
            Names::System(systems[self.below(systems.len())])
        } else {
            self.names(usual)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_without_signs_is_cut() {
        let text = "word ".repeat(1_000_000);
        assert!(TextGenerator::new(1, &text, "en").expect("a sentence").text(1).len() < 1000);
        assert!(TextGenerator::new(1, "One.\nTwo", "en").is_none());
    }
}
