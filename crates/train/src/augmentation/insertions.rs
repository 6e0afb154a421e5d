//! HTML that pages have beside an article: readers' comments, and lists of other stories. Made up, of the page's own sentences.

use crate::augmentation::text_generator::{
    Linked, Names, Parts, TextGenerator, element, escaped, item, link,
};

/// What can be added to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// Readers' comments.
    Comments,
    /// Other stories: their titles, and mostly the begin of each.
    Stories,
}

/// What systems for comments call the parts of them: around all with what stands above, around all, each, who and when, and what is said.
pub(crate) const COMMENT_SYSTEMS: &[Parts] = &[
    &[
        ("area", "comments-area"),
        ("list", "comment-list"),
        ("item", "comment depth-1"),
        ("meta", "comment-meta commentmetadata"),
        ("text", "comment-content"),
    ],
    &[
        ("area", "comments"),
        ("list", "commentlist"),
        ("item", "comment even thread-even"),
        ("meta", "comment-author vcard"),
        ("text", "comment-body"),
    ],
    &[
        ("area", "comment-wrapper"),
        ("item", "comment clearfix"),
        ("meta", "submitted"),
        ("text", "content field-name-comment-body"),
    ],
    &[("list", "disqus_thread"), ("item", "post"), ("meta", "post-byline"), ("text", "post-message")],
    &[
        ("area", "discussion"),
        ("list", "comments__list"),
        ("item", "comments__item"),
        ("meta", "comments__author"),
        ("text", "comments__text"),
    ],
];

/// How the comments of a page are written; an empty name of an element stands for none.
pub(crate) struct CommentStyle {
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

impl TextGenerator<'_> {
    /// The HTML of an insertion; a list has fewer than `most_stories`.
    pub fn make(&mut self, insertion: Insertion, most_stories: u32) -> String {
        match insertion {
            Insertion::Comments => self.comments(),
            Insertion::Stories => self.stories(most_stories),
        }
    }

    fn comments(&mut self) -> String {
        let num = if self.chance(0.15) { 1 + self.below(3) } else { self.spread(2.0, 50.0) };
        let style = self.comment_style(COMMENT_SYSTEMS);
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

    /// How comments or posts are written, the first at times as one of `systems` has them.
    pub fn comment_style(&mut self, systems: &[Parts]) -> CommentStyle {
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
            names: self.names_or(systems, &["comment", "comments", "post", "item", "entry"]),
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
                let length = self.length(style.mean_words);
                escaped(&self.text(length))
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
        let whole = item(style.item, &style.names.of("item"), &inside);
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

    fn stories(&mut self, most: u32) -> String {
        let num = self.spread(3.0, f64::from(most));
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
    use threshr_html::parse_str;

    fn generator(seed: u64, text: &str) -> TextGenerator<'_> {
        TextGenerator::new(seed, text, "en").expect("sentences")
    }

    #[test]
    fn the_same_seed_makes_the_same() {
        let text = "It rained all day. Nobody went out & about!\nThe <b> was bold?";
        for seed in 0..200 {
            for insertion in [Insertion::Comments, Insertion::Stories] {
                let html = generator(seed, text).make(insertion, 25);
                assert_eq!(generator(seed, text).make(insertion, 25), html);
                // what is a sign in the text is one on the page
                let doc = parse_str(&html);
                let shown: String = doc.descendants(doc.root()).map(|n| doc.text(n)).collect();
                assert!(!shown.contains("&amp;") && !html.contains("The <b>"), "{html}");
                assert!(html.matches('<').count() < 20_000);
            }
        }
        assert_ne!(generator(1, text).make(Insertion::Comments, 25), generator(2, text).make(Insertion::Comments, 25));
    }

    #[test]
    fn lists_of_stories_are_short_and_as_long_as_the_recipe_says() {
        let text = "It rained all day. Nobody went out. The rivers rose by a foot.";
        for most in [5, 25, 100] {
            // one or two a story
            let num_links = |seed| generator(seed, text).stories(most).matches("<a ").count();
            let found: Vec<usize> = (0..200).map(num_links).filter(|&n| n > 0).collect();
            assert!(found.iter().any(|&n| (3..10).contains(&n)), "{most}: {found:?}");
            assert!(found.iter().any(|&n| n + n / 2 > most as usize), "{most}: {found:?}");
            assert!(found.iter().all(|&n| n < 2 * most as usize), "{most}: {found:?}");
        }
    }

    #[test]
    fn temporary_hash() {
        use sha2::{Digest, Sha256};
        let text = "It rained all day. Nobody went out & about!\nThe <b> was bold? One more. Es regnete.";
        let mut hash = Sha256::new();
        for lang in ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "no", "nb", "fi", "tr", "ru", "ja", "zh", "ko", "xx"] {
            for seed in 0..300 {
                let mut g = TextGenerator::new(seed, text, lang).expect("sentences");
                hash.update(g.make(Insertion::Comments, 25));
                hash.update(g.make(Insertion::Stories, 25));
                use crate::augmentation::replacements::Replacement;
                for r in [Replacement::Entries, Replacement::Thread, Replacement::Parts] {
                    hash.update(g.make_substitute(r));
                }
            }
        }
        eprintln!("HASH {}", threshr_core::hex(&hash.finalize()));
    }

    #[test]
    fn words_are_those_of_the_language() {
        let text = "Es regnete den ganzen Tag. Niemand ging aus dem Haus.";
        let german =
            |seed| TextGenerator::new(seed, text, "de-AT").expect("sentences").make(Insertion::Comments, 25);
        let all: String = (0..40).map(german).collect();
        assert!(all.contains("Kommentare") && !all.contains("Comments"));
    }
}
