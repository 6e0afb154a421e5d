//! HTML for the content of other page types: listing entries, posts of a thread, sections of a landing page. It
//! is generated from the sentences of the page.

use crate::augmentation::phrases::{COMMENT_SYSTEMS, ENTRY_PREFIXES, PART_PREFIXES};
use crate::augmentation::text_generator::{ClassNames, Linked, TextGenerator, element, escaped, item, link};

/// HTML that can replace a page's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replacement {
    /// Entries of a listing: titles, usually with a lead, sometimes with price, author and date.
    Entries,
    /// Posts of a thread.
    Thread,
    /// Sections of a landing page: headings with paragraphs, cards, bullet points or property lists.
    Parts,
}

/// An image element.
const IMAGE: &str = "<img src=\"/i\">";

/// The HTML style of listing entries.
struct EntryStyle {
    item: &'static str,
    title: &'static str,
    lead: &'static str,
    lead_words: Option<usize>,
    classes: ClassNames,
    linked: Linked,
    more: Option<&'static str>,
    /// Index of the date format, if entries have dates.
    date: Option<usize>,
    /// Currency sign, if entries have prices.
    price: Option<&'static str>,
    has_image: bool,
    has_author: bool,
    /// Whether author and date precede the title.
    is_dated_first: bool,
}

/// The HTML style of landing page sections.
struct PartStyle {
    classes: ClassNames,
    title: &'static str,
    card_title: &'static str,
    body: &'static str,
    button: &'static str,
}

impl TextGenerator<'_> {
    /// Returns the HTML of a replacement.
    pub(crate) fn replacement(&mut self, replacement: Replacement) -> String {
        match replacement {
            Replacement::Entries => self.entries(),
            Replacement::Thread => self.thread(),
            Replacement::Parts => self.parts(),
        }
    }

    fn thread(&mut self) -> String {
        let num = self.log_uniform(2.0, 40.0);
        // posts of threads sometimes have the class names of a comment system
        let systems = if self.chance(0.5) { &COMMENT_SYSTEMS[..] } else { &[] };
        let mut style = self.comment_style(systems);
        if style.outer.is_empty() {
            (style.outer, style.item) = ("div", "div");
        }
        style.mean_words = [20.0, 40.0, 70.0, 120.0][self.below(4)];
        let posts: String = (0..num).map(|index| self.comment(&style, index)).collect();
        element(style.outer, &style.classes.of("list"), &posts)
    }

    fn entries(&mut self) -> String {
        const BOXES: &[(&str, &str)] = &[
            ("ul", "li"),
            ("ol", "li"),
            ("div", "div"),
            ("div", "div"),
            ("div", "article"),
            ("section", "div"),
            ("table", "tr"),
        ];
        let num = self.log_uniform(4.0, 60.0);
        let (outer, item) = BOXES[self.below(BOXES.len())];
        let classes = self.class_names(&ENTRY_PREFIXES);
        let title = self.choose(&["h2", "h3", "h3", "h4", "div", "p", "span", "strong"]);
        let lead = self.choose(&["p", "p", "div", "span"]);
        let linked = self.linked();
        let (has_lead, has_image, is_dated_first) = (self.chance(0.7), self.chance(0.6), self.chance(0.3));
        let date = if self.chance(0.35) { Some(self.below(60)) } else { None };
        let (has_price, has_author) = (self.chance(0.3), self.chance(0.25));
        let sign = self.choose(&["$", "€", "£", "$"]);
        let num_words = [8, 12, 20, 30, 45, 80][self.below(6)];
        let more = self.choose(&self.phrases.more);
        let has_more = matches!(linked, Linked::More) || self.chance(0.25);
        let style = EntryStyle {
            item,
            title,
            lead,
            lead_words: has_lead.then_some(num_words),
            classes,
            linked,
            more: has_more.then_some(more),
            date,
            price: has_price.then_some(sign),
            has_image,
            has_author,
            is_dated_first,
        };
        let entries: String = (0..num).map(|_| self.entry(&style)).collect();
        element(outer, &style.classes.of("list"), &entries)
    }

    fn entry(&mut self, style: &EntryStyle) -> String {
        let classes = &style.classes;
        let to = format!("{}/{}", self.random_name(), self.random_name());
        let title = self.heading(3, 8);
        let title = if style.linked.has_title() { link(&to, &title) } else { title };
        let image = if style.has_image { link(&to, IMAGE) } else { String::new() };
        let mut meta = String::new();
        if style.has_author {
            let author = self.author(true);
            meta.extend([&*element("span", &classes.of("author"), &author), " "]);
        }
        if let Some(format) = style.date {
            let date = self.date(format);
            meta.push_str(&element("span", &classes.of("date"), &date));
        }
        if !meta.is_empty() {
            meta = element("div", &classes.of("meta"), &meta);
        }
        let title = element(style.title, &classes.of("title"), &title);
        let (first, second) = if style.is_dated_first { (meta, title) } else { (title, meta) };
        let mut inside = format!("{image}{first}{second}");
        if let Some(sign) = style.price {
            let (whole, part) = (self.log_uniform(1.0, 900.0), self.below(100));
            inside.push_str(&element("div", &classes.of("price"), &format!("{sign}{whole}.{part:02}")));
        }
        if let Some(num_words) = style.lead_words {
            let lead = self.lead(num_words);
            let lead = if matches!(style.linked, Linked::All) { link(&to, &lead) } else { lead };
            inside.push_str(&element(style.lead, &classes.of("text"), &lead));
        }
        if let Some(more) = style.more {
            inside.push_str(&link(&to, more));
        }
        item(style.item, &classes.of("item"), &inside)
    }

    fn parts(&mut self) -> String {
        let num = self.log_uniform(2.0, 9.0);
        let outer = self.choose(&["div", "section", "div", "article"]);
        let style = PartStyle {
            classes: self.class_names(&PART_PREFIXES),
            title: self.choose(&["h2", "h2", "h3", "div", "h4"]),
            card_title: self.choose(&["h3", "h4", "div", "strong", "p", "span"]),
            body: self.choose(&["p", "p", "div"]),
            button: self.choose(&self.phrases.more),
        };
        let mut out = String::new();
        for index in 0..num {
            let mut inside = String::new();
            // the first section often has no heading, because it follows the headline of the page
            if index > 0 && self.chance(0.85) || self.chance(0.3) {
                let heading = self.heading(2, 6);
                inside.push_str(&element(style.title, &style.classes.of("title"), &heading));
            }
            if self.chance(0.6) {
                for _ in 0..self.log_uniform(1.0, 4.0) {
                    let num_words = [8, 20, 40, 70][self.below(4)];
                    inside.push_str(&self.paragraph(&style, num_words));
                }
            }
            inside.push_str(&match self.below(5) {
                0 => self.cards(&style),
                1 | 2 => self.points(&style),
                3 => self.properties(&style),
                _ => {
                    let num_words = [20, 40, 80][self.below(3)];
                    self.paragraph(&style, num_words)
                }
            });
            out.push_str(&element(outer, &style.classes.of("part"), &inside));
        }
        out
    }

    fn cards(&mut self, style: &PartStyle) -> String {
        let classes = &style.classes;
        let (has_lead, has_image, is_linked) = (self.chance(0.75), self.chance(0.5), self.chance(0.3));
        let num_words = [6, 10, 20, 30][self.below(4)];
        let mut cards = String::new();
        for _ in 0..self.log_uniform(2.0, 9.0) {
            let title = self.heading(2, 5);
            let title = if is_linked { link(&self.random_name(), &title) } else { title };
            let mut card = if has_image { IMAGE.to_owned() } else { String::new() };
            card.push_str(&element(style.card_title, &classes.of("name"), &title));
            if has_lead {
                let lead = self.lead(num_words);
                card.push_str(&element(style.body, &classes.of("text"), &lead));
            }
            if is_linked {
                card.push_str(&link(&self.random_name(), style.button));
            }
            cards.push_str(&element("div", &classes.of("item"), &card));
        }
        element("div", &classes.of("list"), &cards)
    }

    fn points(&mut self, style: &PartStyle) -> String {
        let list = self.choose(&["ul", "ul", "ol"]);
        let range = [4, 8, 15, 25][self.below(4)];
        let mut points = String::new();
        for _ in 0..self.log_uniform(2.0, 12.0) {
            let point = self.heading(2, range);
            points.push_str(&element("li", "", &point));
        }
        element(list, &style.classes.of("list"), &points)
    }

    fn properties(&mut self, style: &PartStyle) -> String {
        let (outer, is_table) = if self.chance(0.6) { ("table", true) } else { ("dl", false) };
        let mut rows = String::new();
        for _ in 0..self.log_uniform(3.0, 20.0) {
            let (key, value) = (self.heading(2, 2), self.heading(2, 4));
            rows.push_str(&if is_table {
                format!("<tr><th>{key}</th><td>{value}</td></tr>")
            } else {
                format!("<dt>{key}</dt><dd>{value}</dd>")
            });
        }
        element(outer, &style.classes.of("list"), &rows)
    }

    fn paragraph(&mut self, style: &PartStyle, num_words: usize) -> String {
        let text = escaped(&self.text(num_words));
        element(style.body, &style.classes.of("text"), &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    #[test]
    fn the_same_seed_gives_the_same_escaped_html() {
        let text = "It rained all day. Nobody went out & about!\nThe <b> was bold?";
        for seed in 0..200 {
            let html_of = |replacement| {
                TextGenerator::new(seed, text, "en").expect("sentences").replacement(replacement)
            };
            let all = [Replacement::Entries, Replacement::Thread, Replacement::Parts].map(|replacement| {
                let html = html_of(replacement);
                assert_eq!(html_of(replacement), html);
                let doc = parse_str(&html);
                let shown: String = doc.descendants(doc.root()).map(|n| doc.text(n)).collect();
                assert!(!shown.contains("&amp;") && !html.contains("The <b>"), "{html}");
                assert!(shown.split_whitespace().count() > 5, "{html}");
                html
            });
            assert!(all[0] != all[1] && all[1] != all[2]);
        }
    }
}
