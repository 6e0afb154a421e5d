//! HTML that pages have beside an article: readers' comments, and lists of other stories. Made up, of the page's own sentences.

use super::phrases::{self, FIRST_NAMES, LAST_NAMES, MONTHS, NICKNAMES, Phrases};
use crate::page::escape;
use crate::text::words;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Characters of a sentence that are taken.
const MOST_CHARS: usize = 300;

/// What can be added to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Addition {
    /// Readers' comments.
    Comments,
    /// Other stories: their titles, and mostly the begin of each.
    Stories,
}

/// Makes additions; the same seed and the same text make the same ones.
pub(super) struct Maker<'t> {
    random: ChaCha8Rng,
    sentences: Vec<&'t str>,
    pub phrases: &'static Phrases,
}

/// How the elements of an addition name themselves.
pub(super) struct Names {
    prefix: Option<String>,
    /// Whether all begin with the prefix.
    joined: bool,
}

impl Names {
    /// The attribute of an element that is a `part` of the addition.
    pub fn of(&self, part: &str) -> String {
        match &self.prefix {
            None => String::new(),
            Some(prefix) if self.joined => format!(" class=\"{prefix}-{part}\""),
            Some(_) => format!(" class=\"{part}\""),
        }
    }
}

/// How the comments of a page are written; an empty name of an element stands for none.
pub(super) struct CommentStyle {
    /// Around all, around each, around its author and date, around each paragraph.
    pub outer: &'static str,
    pub item: &'static str,
    head: &'static str,
    body: &'static str,
    pub names: Names,
    /// Which of author, date and text comes first.
    order: usize,
    /// The form of dates.
    date: usize,
    by: (&'static str, &'static str),
    between: &'static str,
    action: Option<&'static str>,
    pub mean_words: f64,
    is_numbered: bool,
    is_linked: bool,
    is_full_name: bool,
    is_nested: bool,
}

/// How a list of stories is written.
struct StoryStyle {
    /// Around all, around a title, around its lead.
    outer: &'static str,
    title: &'static str,
    lead: &'static str,
    has_lead: bool,
    names: Names,
    lead_words: usize,
    linked: Linked,
    /// The form of dates, if there are any.
    date: Option<usize>,
    more: &'static str,
}

/// What of a story is a link.
#[derive(Clone, Copy)]
pub(super) enum Linked {
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

pub(super) fn link(to: &str, text: &str) -> String {
    format!("<a href=\"/{to}\">{text}</a>")
}

/// An element and what it is made of; an empty name stands for no element.
pub(super) fn element(name: &str, attributes: &str, inside: &str) -> String {
    match name {
        "" => inside.to_owned(),
        _ => format!("<{name}{attributes}>{inside}</{name}>"),
    }
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    escape(text, &mut out);
    out
}

impl<'t> Maker<'t> {
    /// For a page in the language `lang` whose content is `text`; `None` where that has no sentence.
    pub fn new(seed: u64, text: &'t str, lang: &str) -> Option<Self> {
        let ends = ['.', '!', '?', '。', '！', '？'];
        let sentences = text.lines().flat_map(|line| line.split_inclusive(ends)).map(str::trim);
        // text without signs has sentences of any length
        let begin = |s: &'t str| s.char_indices().nth(MOST_CHARS).map_or(s, |(end, _)| &s[..end]);
        let sentences: Vec<_> = sentences.map(begin).filter(|s| words(s).nth(1).is_some()).collect();
        let random = ChaCha8Rng::seed_from_u64(seed);
        (!sentences.is_empty()).then(|| Maker { random, sentences, phrases: phrases::of(lang) })
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

    fn number_in(&mut self, phrase: &str) -> String {
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

    /// The form of a date, by its number; all of an addition have the same.
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
        Names { joined: self.chance(0.7), prefix }
    }

    /// The HTML of an addition.
    pub fn make(&mut self, addition: Addition) -> String {
        match addition {
            Addition::Comments => self.comments(),
            Addition::Stories => self.stories(),
        }
    }

    fn comments(&mut self) -> String {
        let num = if self.chance(0.15) { 1 + self.below(3) } else { self.spread(2.0, 50.0) };
        let style = self.comment_style();
        let items: String = (0..num).map(|index| self.comment(&style, index)).collect();
        let list = element(style.outer, &style.names.of("list"), &items);
        let mut whole = self.under_heading(self.phrases.comments, 0.7, &list);
        if !style.outer.is_empty() && self.chance(0.5) {
            whole = element("div", &style.names.of("area"), &whole);
        }
        if self.chance(0.3) {
            whole.push_str("<form><input><input><textarea></textarea></form>");
        }
        whole
    }

    pub fn comment_style(&mut self) -> CommentStyle {
        const BOXES: &[(&str, &str)] = &[
            ("div", "div"),
            ("div", "div"),
            ("ol", "li"),
            ("ul", "li"),
            ("section", "article"),
            ("div", "p"),
            ("table", "tr"),
            ("", ""),
            ("", ""),
        ];
        let (outer, item) = BOXES[self.below(BOXES.len())];
        // what may stand where: no blocks in a <p>, no bare text between an article's paragraphs
        let (head, body) = match item {
            "p" => (self.choose(&["b", "span", "cite"]), ""),
            "" => (self.choose(&["div", "p", "h5"]), self.choose(&["p", "p", "div"])),
            _ => (
                self.choose(&["div", "p", "span", "h4", "h5", "b", "cite", "small", "div"]),
                self.choose(&["p", "div", "p", "", "blockquote", "span"]),
            ),
        };
        CommentStyle {
            outer,
            item,
            head,
            body,
            names: self.names(&["comment", "comments", "post", "item", "entry"]),
            order: self.below(4),
            date: self.below(60),
            by: self.phrases.by[self.below(self.phrases.by.len())],
            between: self.choose(&[" | ", ", ", " - ", " ", " · "]),
            action: if self.chance(0.5) { Some(self.choose(self.phrases.actions)) } else { None },
            mean_words: [10.0, 20.0, 40.0, 70.0][self.below(4)],
            is_numbered: self.chance(0.15),
            is_linked: self.chance(0.4),
            is_full_name: self.chance(0.5),
            is_nested: !outer.is_empty() && outer != "table" && self.chance(0.2),
        }
    }

    pub fn comment(&mut self, style: &CommentStyle, index: usize) -> String {
        let name = self.author(style.is_full_name);
        let name = if style.is_linked { link(&format!("user/{}", self.token()), &name) } else { name };
        let number = if style.is_numbered { format!("{}. ", index + 1) } else { String::new() };
        let (who, date) = (format!("{number}{}{name}{}", style.by.0, style.by.1), self.date(style.date));
        let line = |text: &str| element(style.head, &style.names.of("meta"), text);
        let num_paragraphs = if self.chance(0.75) { 1 } else { 2 + self.below(3) };
        let paragraphs: Vec<String> = (0..num_paragraphs)
            .map(|_| {
                let length = 3.0 - style.mean_words * self.random.random_range(1e-3..1.0f64).ln();
                escaped(&self.text(length as usize))
            })
            .collect();
        let (text, gap): (String, _) = match style.body {
            "" => (paragraphs.join("<br><br>"), "<br>"),
            body => (paragraphs.iter().map(|p| element(body, &style.names.of("text"), p)).collect(), ""),
        };
        let both = format!("{who}{}{date}", style.between);
        let mut inside = match style.order {
            0 | 1 => format!("{}{gap}{text}", line(&both)),
            2 => format!("{text}{gap}{}", line(&both)),
            _ => format!("{}{gap}{text}{gap}{}", line(&who), line(&date)),
        };
        if let Some(action) = style.action {
            let action = self.number_in(action);
            inside.extend([" ", &link(&self.token(), &action)]);
        }
        if style.item == "tr" {
            inside = element("td", "", &inside);
        }
        let whole = element(style.item, &style.names.of("item"), &inside);
        if !style.is_nested || index == 0 || self.chance(0.7) {
            return whole;
        }
        let item = if style.item == "li" { style.item } else { "" };
        element(item, "", &element(style.outer, "", &whole))
    }

    /// A list, with this chance under a heading.
    fn under_heading(&mut self, phrases: &[&'static str], chance: f64, list: &str) -> String {
        if !self.chance(chance) {
            return list.to_owned();
        }
        let name = self.choose(&["h2", "h3", "h4", "div", "p", "h3", "strong"]);
        let phrase = self.choose(phrases);
        let heading = self.number_in(phrase);
        format!("{}{list}", element(name, "", &escaped(&heading)))
    }

    fn stories(&mut self) -> String {
        let num = self.spread(3.0, 25.0);
        let outer = self.choose(&["ul", "ol", "div", "div", "dl", "table", "section", "", "select"]);
        let style = StoryStyle {
            outer,
            has_lead: outer != "select" && self.chance(0.75),
            title: self.choose(&["h2", "h3", "h4", "strong", "p", "div", "b"]),
            lead: self.choose(&["p", "p", "div", "span"]),
            names: self.names(&["news", "teaser", "story", "item", "related", "post"]),
            lead_words: [12, 20, 30, 45][self.below(4)],
            linked: self.linked(),
            date: if self.chance(0.3) { Some(self.below(60)) } else { None },
            more: self.choose(self.phrases.more),
        };
        let items: String = (0..num).map(|_| self.story(&style)).collect();
        let list = element(outer, &style.names.of("list"), &items);
        let whole = self.under_heading(self.phrases.stories, 0.6, &list);
        let is_apart = outer.is_empty() || self.chance(0.6);
        if is_apart { element("div", &style.names.of("box"), &whole) } else { whole }
    }

    fn story(&mut self, style: &StoryStyle) -> String {
        let title = self.heading(5, 7);
        if style.outer == "select" {
            return element("option", "", &title);
        }
        let to = format!("{}/{}", self.token(), self.token());
        let title = if style.linked.has_title() { link(&to, &title) } else { title };
        let date = style.date.map(|form| format!("<span>{}</span> ", self.date(form))).unwrap_or_default();
        let lead = style.has_lead.then(|| {
            let lead = self.lead(style.lead_words);
            match style.linked {
                Linked::All => link(&to, &lead),
                Linked::More => format!("{lead} {}", link(&to, style.more)),
                Linked::Title | Linked::Nothing => lead,
            }
        });
        let names = &style.names;
        let inside = match &lead {
            Some(lead) if style.outer == "dl" => return format!("<dt>{date}{title}</dt><dd>{lead}</dd>"),
            None if style.outer == "dl" => return format!("<dt>{date}{title}</dt>"),
            Some(lead) => {
                let title = element(style.title, &names.of("title"), &title);
                format!("{title}{date}{}", element(style.lead, &names.of("lead"), lead))
            }
            None => format!("{date}{title}"),
        };
        match style.outer {
            "ul" | "ol" => element("li", &names.of("item"), &inside),
            "table" => format!("<tr><td>{inside}</td></tr>"),
            _ => element("div", &names.of("item"), &inside),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::parse_str;

    fn maker(seed: u64, text: &str) -> Maker<'_> {
        Maker::new(seed, text, "en").expect("sentences")
    }

    #[test]
    fn the_same_seed_makes_the_same() {
        let text = "It rained all day. Nobody went out & about!\nThe <b> was bold?";
        for seed in 0..200 {
            for addition in [Addition::Comments, Addition::Stories] {
                let html = maker(seed, text).make(addition);
                assert_eq!(maker(seed, text).make(addition), html);
                // what is a sign in the text is one on the page
                let doc = parse_str(&html);
                let shown: String = doc.descendants(doc.root()).map(|n| doc.text(n)).collect();
                assert!(!shown.contains("&amp;") && !html.contains("The <b>"), "{html}");
                assert!(html.matches('<').count() < 20_000);
            }
        }
        assert_ne!(maker(1, text).make(Addition::Comments), maker(2, text).make(Addition::Comments));
    }

    #[test]
    fn long_text_without_signs_makes_no_long_comments() {
        let text = "word ".repeat(1_000_000);
        assert!(maker(1, &text).make(Addition::Comments).len() < 1_000_000);
        assert!(Maker::new(1, "One.\nTwo", "en").is_none());
    }

    #[test]
    fn words_are_those_of_the_language() {
        let text = "Es regnete den ganzen Tag. Niemand ging aus dem Haus.";
        let german = |seed| Maker::new(seed, text, "de-AT").expect("sentences").make(Addition::Comments);
        let all: String = (0..40).map(german).collect();
        assert!(all.contains("Kommentare") && !all.contains("Comments"));
    }
}
