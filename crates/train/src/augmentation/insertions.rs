//! HTML to insert next to an article: readers' comments and lists of other stories. It is generated from the
//! sentences of the page.

use crate::augmentation::phrases::{COMMENT_PREFIXES, COMMENT_SYSTEMS, STORY_PREFIXES};
use crate::augmentation::text_generator::{ClassNames, Linked, TextGenerator, element, escaped, item, link};

/// HTML that can be inserted into a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Insertion {
    /// Readers' comments.
    Comments,
    /// A list of other stories: titles, usually with leads.
    Stories,
}

/// The HTML style of a page's comments. An empty element name means that there is no element.
struct CommentStyle {
    /// Element around all comments.
    outer: &'static str,
    /// Element around each comment.
    item: &'static str,
    /// Element around author name and date.
    head: &'static str,
    /// Element around each paragraph.
    body: &'static str,
    classes: ClassNames,
    /// Index of the order in which author, date and text appear.
    order: usize,
    /// Index of the date format.
    date: usize,
    /// Texts before and after the author's name.
    by: (&'static str, &'static str),
    /// Text between author and date.
    between: &'static str,
    /// Link below each comment.
    action: Option<&'static str>,
    mean_words: f64,
    is_numbered: bool,
    is_linked: bool,
    is_full_name: bool,
    is_nested: bool,
}

/// The HTML style of a list of stories.
struct StoryStyle {
    /// Element around the list.
    outer: &'static str,
    /// Element around each title.
    title: &'static str,
    /// Element around each lead.
    lead: &'static str,
    has_lead: bool,
    classes: ClassNames,
    lead_words: usize,
    linked: Linked,
    /// Index of the date format, if stories have dates.
    date: Option<usize>,
    more: &'static str,
}

impl TextGenerator<'_> {
    /// Returns the HTML of an insertion. A list has fewer than `max_stories` stories.
    pub(crate) fn insertion(&mut self, insertion: Insertion, max_stories: u32) -> String {
        match insertion {
            Insertion::Comments => self.comments(),
            Insertion::Stories => self.stories(max_stories),
        }
    }

    fn comments(&mut self) -> String {
        let num = if self.chance(0.15) { 1 + self.below(3) } else { self.log_uniform(2.0, 50.0) };
        let style = self.comment_style();
        let items: String = (0..num).map(|index| self.comment(&style, index)).collect();
        let list = element(style.outer, &style.classes.of("list"), &items);
        let mut whole = self.under_heading(&self.phrases.comments, 0.7, &list);
        if !style.outer.is_empty() && self.chance(0.5) {
            whole = element("div", &style.classes.of("area"), &whole);
        }
        if self.chance(0.3) {
            whole.push_str("<form><input><input><textarea></textarea></form>");
        }
        whole
    }

    /// Returns a random style for comments. In some cases, it uses the class names of a comment system.
    fn comment_style(&mut self) -> CommentStyle {
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
        // ensures valid nesting: no block element inside `<p>`, and no bare text between paragraphs
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
            classes: if self.chance(0.4) {
                ClassNames::System(&COMMENT_SYSTEMS[self.below(COMMENT_SYSTEMS.len())])
            } else {
                self.class_names(&COMMENT_PREFIXES)
            },
            order: self.below(4),
            date: self.below(60),
            by: self.phrases.by[self.below(self.phrases.by.len())],
            between: self.choose(&[" | ", ", ", " - ", " ", " · "]),
            action: if self.chance(0.5) { Some(self.choose(&self.phrases.actions)) } else { None },
            mean_words: [10.0, 20.0, 40.0, 70.0][self.below(4)],
            is_numbered: self.chance(0.15),
            is_linked: self.chance(0.4),
            is_full_name: self.chance(0.5),
            is_nested: !outer.is_empty() && outer != "table" && self.chance(0.2),
        }
    }

    /// Returns the HTML of a comment.
    fn comment(&mut self, style: &CommentStyle, index: usize) -> String {
        let name = self.author(style.is_full_name);
        let name = if style.is_linked { link(&format!("user/{}", self.random_name()), &name) } else { name };
        let number = if style.is_numbered { format!("{}. ", index + 1) } else { String::new() };
        let (who, date) = (format!("{number}{}{name}{}", style.by.0, style.by.1), self.date(style.date));
        let line = |text: &str| element(style.head, &style.classes.of("meta"), text);
        let num_paragraphs = if self.chance(0.75) { 1 } else { 2 + self.below(3) };
        let paragraphs: Vec<String> = (0..num_paragraphs)
            .map(|_| {
                let length = self.comment_length(style.mean_words);
                escaped(&self.text(length))
            })
            .collect();
        let (text, gap): (String, _) = match style.body {
            "" => (paragraphs.join("<br><br>"), "<br>"),
            body => (paragraphs.iter().map(|p| element(body, &style.classes.of("text"), p)).collect(), ""),
        };
        let both = format!("{who}{}{date}", style.between);
        let mut inside = match style.order {
            0 | 1 => format!("{}{gap}{text}", line(&both)),
            2 => format!("{text}{gap}{}", line(&both)),
            _ => format!("{}{gap}{text}{gap}{}", line(&who), line(&date)),
        };
        if let Some(action) = style.action {
            let action = self.with_number(action);
            inside.extend([" ", &link(&self.random_name(), &action)]);
        }
        let whole = item(style.item, &style.classes.of("item"), &inside);
        if !style.is_nested || index == 0 || self.chance(0.7) {
            return whole;
        }
        let item = if style.item == "li" { style.item } else { "" };
        element(item, "", &element(style.outer, "", &whole))
    }

    /// Returns the HTML of a list, preceded by a heading with probability `chance`.
    fn under_heading(&mut self, phrases: &[&'static str], chance: f64, list: &str) -> String {
        if !self.chance(chance) {
            return list.to_owned();
        }
        let name = self.choose(&["h2", "h3", "h4", "div", "p", "h3", "strong"]);
        let phrase = self.choose(phrases);
        let heading = self.with_number(phrase);
        format!("{}{list}", element(name, "", &escaped(&heading)))
    }

    fn stories(&mut self, max: u32) -> String {
        let num = self.log_uniform(3.0, f64::from(max));
        let outer = self.choose(&["ul", "ol", "div", "div", "dl", "table", "section", "", "select"]);
        let style = StoryStyle {
            outer,
            has_lead: outer != "select" && self.chance(0.75),
            title: self.choose(&["h2", "h3", "h4", "strong", "p", "div", "b"]),
            lead: self.choose(&["p", "p", "div", "span"]),
            classes: self.class_names(&STORY_PREFIXES),
            lead_words: [12, 20, 30, 45][self.below(4)],
            linked: self.linked(),
            date: if self.chance(0.3) { Some(self.below(60)) } else { None },
            more: self.choose(&self.phrases.more),
        };
        let items: String = (0..num).map(|_| self.story(&style)).collect();
        let list = element(outer, &style.classes.of("list"), &items);
        let whole = self.under_heading(&self.phrases.stories, 0.6, &list);
        let has_box = outer.is_empty() || self.chance(0.6);
        if has_box { element("div", &style.classes.of("box"), &whole) } else { whole }
    }

    fn story(&mut self, style: &StoryStyle) -> String {
        let title = self.heading(5, 7);
        if style.outer == "select" {
            return element("option", "", &title);
        }
        let to = format!("{}/{}", self.random_name(), self.random_name());
        let title = if style.linked.has_title() { link(&to, &title) } else { title };
        let date =
            style.date.map(|format| format!("<span>{}</span> ", self.date(format))).unwrap_or_default();
        let lead = style.has_lead.then(|| {
            let lead = self.lead(style.lead_words);
            match style.linked {
                Linked::All => link(&to, &lead),
                Linked::More => format!("{lead} {}", link(&to, style.more)),
                Linked::Title | Linked::Nothing => lead,
            }
        });
        let classes = &style.classes;
        let inside = match &lead {
            Some(lead) if style.outer == "dl" => return format!("<dt>{date}{title}</dt><dd>{lead}</dd>"),
            None if style.outer == "dl" => return format!("<dt>{date}{title}</dt>"),
            Some(lead) => {
                let title = element(style.title, &classes.of("title"), &title);
                format!("{title}{date}{}", element(style.lead, &classes.of("lead"), lead))
            }
            None => format!("{date}{title}"),
        };
        match style.outer {
            "ul" | "ol" => element("li", &classes.of("item"), &inside),
            "table" => format!("<tr><td>{inside}</td></tr>"),
            _ => element("div", &classes.of("item"), &inside),
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
    fn the_same_seed_gives_the_same_html() {
        let text = "It rained all day. Nobody went out & about!\nThe <b> was bold?";
        for seed in 0..200 {
            for insertion in [Insertion::Comments, Insertion::Stories] {
                let html = generator(seed, text).insertion(insertion, 25);
                assert_eq!(generator(seed, text).insertion(insertion, 25), html);
                // special characters are escaped exactly once
                let doc = parse_str(&html);
                let shown: String = doc.descendants(doc.root()).map(|n| doc.text(n)).collect();
                assert!(!shown.contains("&amp;") && !html.contains("The <b>"), "{html}");
                assert!(html.matches('<').count() < 20_000);
            }
        }
        assert_ne!(
            generator(1, text).insertion(Insertion::Comments, 25),
            generator(2, text).insertion(Insertion::Comments, 25)
        );
    }

    #[test]
    fn the_recipe_bounds_the_length_of_story_lists() {
        let text = "It rained all day. Nobody went out. The rivers rose by a foot.";
        for most in [5, 25, 100] {
            // a story has one or two links
            let num_links = |seed| generator(seed, text).stories(most).matches("<a ").count();
            let found: Vec<usize> = (0..200).map(num_links).filter(|&n| n > 0).collect();
            assert!(found.iter().any(|&n| (3..10).contains(&n)), "{most}: {found:?}");
            assert!(found.iter().any(|&n| n + n / 2 > most as usize), "{most}: {found:?}");
            assert!(found.iter().all(|&n| n < 2 * most as usize), "{most}: {found:?}");
        }
    }

    #[test]
    fn phrases_are_in_the_page_s_language() {
        let text = "Es regnete den ganzen Tag. Niemand ging aus dem Haus.";
        let german = |seed| {
            TextGenerator::new(seed, text, "de-AT").expect("sentences").insertion(Insertion::Comments, 25)
        };
        let all: String = (0..40).map(german).collect();
        assert!(all.contains("Kommentare") && !all.contains("Comments"));
    }
}
