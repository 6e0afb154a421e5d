//! Drops controls: buttons, alerts, toolbars, ratings, and subscription boxes.

use crate::filters::{Filter, Page};
use std::ops::Range;
use threshr_html::blocks::Blocks;
use threshr_html::structure::callouts::is_callout_by_name as is_callout;
use threshr_html::text::name_words;
use threshr_html::{Document, Kind, NodeId, Tag, known_number};

/// Drops blocks that are controls of the page: user-interface elements instead of content. The elements
/// around a block determine whether it is a control.
///
/// - Buttons: `<button>`, `role=button`, and links that have no target or a target on the same page. A button
///   is kept if it is in a heading, or if it opens a text (`aria-expanded`, `aria-controls`), because it is
///   then the title of the text. Three or more buttons next to each other are also kept, because they are
///   options, such as sizes of a product.
/// - Toolbars: elements with the role of a toolbar or a menu.
/// - Alerts: elements with the role of an alert or a status line, outside the content or directly after the headline.
/// - Images made of elements, such as maps: `role=img` with buttons inside.
/// - Ratings: short texts with numbers that begin with stars, or in elements that microdata or class names call a
///   rating or votes. If a
///   page has more than two ratings, they belong to the items of a list and are kept.
/// - Subscription boxes: a form with a field for an e-mail address and without a `<textarea>`, together with the short
///   text around it.
///
/// An element with more than [`MAX_SHARE`] of the kept text is not a control.
pub(super) static FILTER: Filter = Filter {
    name: "controls",
    summary: "drops buttons, alerts, toolbars, ratings and subscription boxes",
    source: "threshr; roles of WAI-ARIA 1.2",
    max_depth: 0,
    default_depth: 0,
    reads_tree: false,
    is_for: |_| true,
    apply,
};

/// Maximum number of characters of a button, of a link that is used as a button, and of a rating.
const MAX_BUTTON: usize = 40;
/// Maximum number of characters of a subscription box.
const MAX_BOX: usize = 250;
/// Maximum number of characters of a subscription box with a heading.
const MAX_TITLED_BOX: usize = 600;
/// Maximum share of the kept text that a control may contain.
const MAX_SHARE: f64 = 0.2;
/// Maximum number of ancestors of a form that may be its subscription box.
const MAX_LEVELS: usize = 6;
/// Minimum number of buttons next to each other that are options.
const MIN_CHOICE: usize = 3;
/// Maximum number of ratings on a page. If there are more, the ratings belong to the items of a list.
const MAX_RATINGS: usize = 2;
/// Maximum number of elements around a text whose names may state that it is a rating.
const MAX_RATING_LEVELS: usize = 3;
/// Maximum length in bytes of an attribute value with names. Longer values are not read.
const MAX_NAME: usize = 200;
/// Words in the names of elements with ratings, as in microdata of schema.org.
const RATINGS: [&str; 3] = ["rating", "ratings", "votes"];
/// Roles of elements that are always controls.
const ROLES: [&str; 4] = ["toolbar", "menubar", "application", "progressbar"];
/// Maximum number of nodes that are searched per element.
const MAX_NODES: usize = 200;
const ROLE: u16 = known_number("role");

/// The blocks of a page that are controls.
#[derive(Debug, Clone, Default)]
pub struct Controls {
    /// The block ranges of elements that are controls, unless they contain much of the kept text.
    boxes: Vec<Range<usize>>,
    /// The blocks that are ratings or links used as buttons.
    blocks: Vec<usize>,
}

impl Controls {
    /// Finds the controls of a page. The document must have been parsed with attributes.
    pub fn new(doc: &Document, blocks: &Blocks) -> Self {
        let page = Tree::new(doc, blocks);
        let mut boxes = Vec::new();
        for &element in blocks.elements() {
            let tag = doc.tag(element);
            if tag == Tag::FORM && asks_for_address(doc, element) {
                boxes.extend(page.subscription_box(element));
            }
            let own = blocks.inside(element);
            let role = doc.numbered_attribute(element, ROLE);
            if own.is_empty() || tag != Tag::BUTTON && role.is_none() {
                continue;
            }
            let is_control = match is_button(doc, element) {
                true => {
                    page.num_chars(own.clone()) <= MAX_BUTTON
                        && page.only_acts(element, &own)
                        && !is_choice(doc, element)
                }
                false => page.is_control_by_role(element, role.unwrap_or_default(), &own),
            };
            if is_control {
                boxes.push(own);
            }
        }
        let has_bare_links = doc.has_bare_links();
        let short: Vec<usize> =
            (0..blocks.len()).filter(|&i| page.num_chars(i..i + 1) <= MAX_BUTTON).collect();
        let is_link = |&i: &usize| !has_bare_links && page.is_link_button(i) || page.is_only_buttons(i);
        let mut found: Vec<usize> = short.iter().copied().filter(is_link).collect();
        let ratings: Vec<usize> = short.into_iter().filter(|&i| page.is_rating(i)).collect();
        if ratings.len() <= MAX_RATINGS {
            found.extend(ratings);
        }
        Controls { boxes, blocks: found }
    }
}

fn apply(page: &Page<'_>, keep: &mut [bool], _: u32) {
    let of_page;
    let controls = match page.controls {
        Some(controls) => controls,
        None => {
            of_page = Controls::new(page.doc, page.blocks);
            &of_page
        }
    };
    let num_chars = |blocks: Range<usize>| -> usize { blocks.map(|i| page.num_chars(i)).sum() };
    let all: usize = (0..keep.len()).filter(|&i| keep[i]).map(|i| page.num_chars(i)).sum();
    for blocks in &controls.boxes {
        if num_chars(blocks.clone()) as f64 <= MAX_SHARE * all as f64 {
            keep[blocks.clone()].fill(false);
        }
    }
    if controls.blocks.iter().map(|&i| page.num_chars(i)).sum::<usize>() as f64 <= MAX_SHARE * all as f64 {
        controls.blocks.iter().for_each(|&i| keep[i] = false);
    }
}

/// Whether a value of `role` contains one of `wanted`.
fn names_role(value: &str, wanted: &[&str]) -> bool {
    value.split_ascii_whitespace().any(|role| wanted.iter().any(|w| role.eq_ignore_ascii_case(w)))
}

fn has_role(doc: &Document, element: NodeId, wanted: &str) -> bool {
    doc.attribute(element, "role").is_some_and(|role| names_role(role, &[wanted]))
}

fn is_button(doc: &Document, element: NodeId) -> bool {
    doc.tag(element) == Tag::BUTTON || has_role(doc, element, "button")
}

/// Returns whether a button is one of several buttons next to each other. Each button may be in a separate
/// element.
fn is_choice(doc: &Document, button: NodeId) -> bool {
    let holds_button = |&node: &NodeId| {
        is_button(doc, node) || doc.first_child(node).is_some_and(|child| is_button(doc, child))
    };
    let is_one_of_many = |node: NodeId| {
        let is_blank = |&n: &NodeId| doc.kind(n) == Kind::Text && doc.text(n).trim().is_empty();
        let run = |siblings: &mut dyn Iterator<Item = NodeId>| {
            siblings.filter(|n| !is_blank(n)).take_while(holds_button).take(MIN_CHOICE).count()
        };
        1 + run(&mut doc.previous_siblings(node)) + run(&mut doc.next_siblings(node)) >= MIN_CHOICE
    };
    std::iter::once(button).chain(doc.parent(button)).any(is_one_of_many)
}

/// Whether a form has a field for an e-mail address and no `<textarea>`.
fn asks_for_address(doc: &Document, form: NodeId) -> bool {
    let has = |node: NodeId, name: &str, word: &str| {
        doc.attribute(node, name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
    };
    let is_address = |node: NodeId| {
        doc.tag(node) == Tag::INPUT
            && ["type", "name", "autocomplete"].iter().any(|name| has(node, name, "mail"))
    };
    doc.descendants(form).any(is_address) && !doc.descendants(form).any(|node| doc.tag(node) == Tag::TEXTAREA)
}

/// Data about a page. `chars` and `pages` are cumulative: entry i is the sum over all blocks or elements before index i.
struct Tree<'a> {
    doc: &'a Document,
    blocks: &'a Blocks,
    /// Cumulative number of characters.
    chars: Vec<usize>,
    /// Cumulative number of elements that contain the main content: `<body>`, `<main>`, `<article>`, `<h1>`.
    pages: Vec<u32>,
    /// The first block of the first `<h1>`.
    headline: Option<usize>,
    /// Whether each block is inside an `<article>`, and whether at least one block is.
    in_article: Vec<bool>,
    has_article: bool,
}

impl<'a> Tree<'a> {
    fn new(doc: &'a Document, blocks: &'a Blocks) -> Self {
        let sums = |state: &mut usize, value: usize| {
            *state += value;
            Some(*state)
        };
        let chars = std::iter::once(0).chain((0..blocks.len()).map(|i| blocks.num_chars(i)));
        let holds_page = |&node: &NodeId| {
            u32::from(matches!(doc.tag(node), Tag::MAIN | Tag::ARTICLE | Tag::BODY | Tag::H1))
        };
        let mut tree = Tree {
            doc,
            blocks,
            chars: chars.scan(0, sums).collect(),
            pages: vec![0],
            headline: None,
            in_article: vec![false; blocks.len()],
            has_article: false,
        };
        for element in blocks.elements() {
            tree.pages.push(tree.pages.last().copied().unwrap_or(0) + holds_page(element));
            match doc.tag(*element) {
                Tag::H1 if tree.headline.is_none() => tree.headline = Some(blocks.inside(*element).start),
                Tag::ARTICLE => {
                    let own = blocks.inside(*element);
                    // an article inside another article is already marked
                    if tree.in_article.get(own.start) == Some(&false) {
                        tree.in_article[own].fill(true);
                        tree.has_article = true;
                    }
                }
                _ => {}
            }
        }
        tree
    }

    fn num_chars(&self, blocks: Range<usize>) -> usize {
        self.chars[blocks.end] - self.chars[blocks.start]
    }

    /// Whether an element is, or contains, an element with the main content.
    fn holds_page(&self, element: NodeId) -> bool {
        let elements = &self.blocks.extent(element).elements;
        self.pages[elements.end as usize] > self.pages[elements.start as usize]
    }

    /// Returns whether a button is only a control. Other buttons are words in a sentence, or titles of the
    /// texts that they open.
    fn only_acts(&self, element: NodeId, blocks: &Range<usize>) -> bool {
        let doc = self.doc;
        let opens =
            ["aria-expanded", "aria-controls"].iter().any(|name| doc.attribute(element, name).is_some());
        let is_title =
            |node: NodeId| doc.tag(node).is_heading() || matches!(doc.tag(node), Tag::SUMMARY | Tag::DT);
        let inside = doc.descendants(element).take(MAX_NODES).any(|node| doc.tag(node).is_heading());
        let is_text = |node: Option<NodeId>| node.is_some_and(|node| !doc.text(node).trim().is_empty());
        let is_word = is_text(doc.previous_sibling(element)) || is_text(doc.next_sibling(element));
        let is_question =
            blocks.clone().any(|i| self.blocks.text(i).trim_end().ends_with(['?', '？', '؟', ';']));
        !opens && !inside && !is_word && !is_question && !doc.ancestors(element).take(3).any(is_title)
    }

    fn is_control_by_role(&self, element: NodeId, role: &str, blocks: &Range<usize>) -> bool {
        let doc = self.doc;
        let has_button = || doc.descendants(element).take(MAX_NODES).any(|node| is_button(doc, node));
        if names_role(role, &ROLES) {
            return true;
        }
        if names_role(role, &["menu"]) {
            return doc.descendants(element).take(MAX_NODES).any(|node| has_role(doc, node, "menuitem"));
        }
        if names_role(role, &["alert", "status"]) {
            // an alert with the class names of an admonition is content
            let is_apart = self.is_beside_content(blocks) || self.is_below_headline(blocks);
            return is_apart && !is_callout(doc, element);
        }
        // an image made of elements that contains buttons
        names_role(role, &["img"]) && has_button()
    }

    /// Whether one short block is directly after the headline.
    fn is_below_headline(&self, blocks: &Range<usize>) -> bool {
        let follows = |headline: usize| blocks.start == headline + 1;
        blocks.len() == 1 && self.num_chars(blocks.clone()) <= MAX_BOX && self.headline.is_some_and(follows)
    }

    /// Returns whether blocks are before the headline, or outside all `<article>` elements of a page with
    /// `<article>` elements.
    fn is_beside_content(&self, blocks: &Range<usize>) -> bool {
        let is_outside = || self.has_article && !self.in_article[blocks.clone()].contains(&true);
        self.headline.is_some_and(|headline| blocks.end <= headline) || is_outside()
    }

    /// Returns the blocks of the largest element around a form that is short enough to be a subscription box.
    fn subscription_box(&self, form: NodeId) -> Option<Range<usize>> {
        let is_box =
            |&node: &NodeId| self.num_chars(self.blocks.inside(node)) <= MAX_BOX && !self.holds_page(node);
        let around = self.doc.ancestors_and_self(form).take(MAX_LEVELS);
        let small = around.take_while(is_box).last().map(|node| self.blocks.inside(node));
        // a longer box begins with a heading and ends with the form
        let is_titled = |&node: &NodeId| {
            let own = self.blocks.inside(node);
            let has_title = self.blocks.is_in(self.doc, own.start, Tag::is_heading);
            let is_box = has_title && own.end == self.blocks.inside(form).end;
            is_box && self.num_chars(own) <= MAX_TITLED_BOX && !self.holds_page(node)
        };
        let titled = self.doc.ancestors(form).take(2).find(is_titled).map(|node| self.blocks.inside(node));
        titled.or(small)
    }

    /// Whether all text of a block is in one or two inline elements with the role of a button, which open nothing.
    fn is_only_buttons(&self, index: usize) -> bool {
        let doc = self.doc;
        let Some(block) = self.blocks.get(index) else { return false };
        let button = |node: NodeId| {
            let mut inside = doc.ancestors(node).take(3).take_while(|&n| n != block.node);
            inside.find(|&n| has_role(doc, n, "button"))
        };
        let all: Option<Vec<NodeId>> =
            self.blocks.spans(index).iter().map(|span| button(span.node)).collect();
        let mut buttons = all.unwrap_or_default();
        buttons.dedup();
        let acts = |&button: &NodeId| self.only_acts(button, &(index..index + 1));
        (1..MIN_CHOICE).contains(&buttons.len()) && buttons.iter().all(acts)
    }

    /// Whether a block is a link that has no target or a target on the same page. Links in lists, tables and headings
    /// are excluded.
    fn is_link_button(&self, index: usize) -> bool {
        let Tree { doc, blocks, .. } = *self;
        let mut spans = blocks.spans(index).iter();
        let link = |node: NodeId| doc.ancestors(node).take(4).find(|&n| doc.tag(n) == Tag::A);
        let Some(first) = spans.next().and_then(|span| link(span.node)) else { return false };
        let acts = match doc.attribute(first, "href").map(str::trim) {
            None => {
                // exclude anchors (`name`, `id`), and `<a>` without attributes, which is plain text
                doc.attributes(first).next().is_some()
                    && ["name", "id"].iter().all(|name| doc.attribute(first, name).is_none())
            }
            Some(href) => {
                let (script, place) = (href.get(..11), href.strip_prefix('#'));
                script.is_some_and(|start| start.eq_ignore_ascii_case("javascript:"))
                    || place.is_some_and(|place| place.is_empty() || self.is_alone(index))
            }
        };
        let is_text = |node: NodeId| {
            doc.tag(node).is_heading()
                || matches!(doc.tag(node), Tag::LI | Tag::DT | Tag::DD | Tag::TD | Tag::TH | Tag::SUP)
        };
        acts && spans.all(|span| link(span.node) == Some(first)) && !doc.ancestors(first).any(is_text)
    }

    /// Whether a block is a text with numbers in an element whose names contain a word for ratings.
    fn is_rating(&self, index: usize) -> bool {
        let text = self.blocks.text(index);
        let has_number = text.contains(char::is_numeric);
        if !has_number || text.starts_with(['★', '☆']) {
            return has_number;
        }
        let Some(block) = self.blocks.get(index) else { return false };
        self.doc.ancestors_and_self(block.leaf).take(MAX_RATING_LEVELS).any(|node| {
            let mut is_rating = false;
            for name in ["itemprop", "class"].iter().filter_map(|name| self.doc.attribute(node, name)) {
                if name.len() <= MAX_NAME {
                    let mut read = |word: &str| is_rating |= RATINGS.contains(&word);
                    name.split_ascii_whitespace()
                        .for_each(|name| name_words::for_each(name, char::is_alphanumeric, &mut read));
                }
            }
            is_rating
        })
    }

    /// Whether neither the block before nor the block after is a link to a target on the same page. Such links next to
    /// each other are a table of contents.
    fn is_alone(&self, index: usize) -> bool {
        let leads_to_place = |i: usize| {
            let span = self.blocks.spans(i).first();
            let link = span.and_then(|span| span.link).and_then(|link| self.doc.attribute(link, "href"));
            link.is_some_and(|href| href.starts_with('#'))
        };
        let beside = [index.checked_sub(1), Some(index + 1).filter(|&next| next < self.blocks.len())];
        !beside.into_iter().flatten().any(leads_to_place)
    }
}

#[cfg(test)]
mod tests {
    use crate::filters::{FilterChoice, Page};
    use threshr_html::blocks::{Blocks, REGISTRY};
    use threshr_html::{Visibility, parse_str};

    const BODY: &str = "<p>It rained on all days of this week, and the river rose over the old bridge, which nobody in the town had seen \
                        before.<p>The mayor said that the bridge is closed for a week, and that the people of the town may use the \
                        other one, and that the schools are closed, and the trains are late again on all lines to the north.";

    /// Returns the texts that the filter drops from a page whose blocks are all kept.
    fn dropped(html: &str) -> Vec<String> {
        let doc = parse_str(&format!("<main>{BODY}<div>{html}</div>{BODY}</main>"));
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let mut keep = vec![true; blocks.len()];
        let scores = vec![1.0; blocks.len()];
        let filter = FilterChoice::parse("controls").expect("a filter");
        filter.apply(&Page::new(&doc, &blocks, &scores), &mut keep);
        (0..blocks.len()).filter(|&i| !keep[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn buttons_are_dropped() {
        for html in [
            "<button>In den Warenkorb</button>",
            "<div role=button>In den Warenkorb</div>",
            "<p><a href=#rezept>In den Warenkorb</a></p>",
            "<p><a class=print>In den Warenkorb</a></p>",
            "<p><a href='javascript:print()'><b>In den</b> Warenkorb</a></p>",
        ] {
            assert_eq!(dropped(html), ["In den Warenkorb"], "{html}");
        }
        assert_eq!(dropped("<b role=button>Hear it</b><b role=button>Zoom</b>").len(), 1);
        assert_eq!(dropped("<p>★★★★☆ 4,8 (212 avis)</p>").len(), 1);
        for html in [
            "<h3><button>Wann kommt es?</button></h3>",
            "<button aria-expanded=false>Wann kommt es?</button>",
            "<button><h4>Wann kommt es?</h4></button>",
            "<button>It opens the lower gates when the first coal barge comes up from the estuary</button>",
            "<p><a href=/weg>Wann kommt es?</a></p>",
            "<p>Siehe <a href=#s>unten</a></p>",
            "<p><a name=s>Wann kommt es?</a></p>",
            "<p><a>Das Tor ist zu</a></p>",
            "<p>Die <button>Schleuse</button> ist zu.</p>",
            "<div><button>Wie tief ist es?</button><p>Zwei Meter.</p></div>",
            "<button>S</button><button>M</button><button>L</button>",
            "<i><button>S</button></i><i><button>M</button></i><i><button>L</button></i>",
            "<div role=alert class='alert alert-warning'>Wann kommt es?</div>",
            "<ul><li><a href=#s>Wann kommt es?</a></ul>",
            "<p><a href=#s>Wann?</a><p><a href=#t>Wo?</a>",
        ] {
            assert!(dropped(html).is_empty(), "{html}");
        }
    }

    #[test]
    fn buttons_in_different_places_are_no_choice() {
        let text = "<p>The gates open at six in the morning.</p>";
        let page =
            format!("<button>Read more</button>{text}<button>Copy</button>{text}<button>Print</button>");
        assert_eq!(dropped(&page), ["Read more", "Copy", "Print"]);
    }

    #[test]
    fn ratings_are_dropped() {
        for html in [
            "<p class=recipe-rating>4,9 von 44 Stimmen</p>",
            "<p><b itemprop=ratingValue>4,9</b> von <i itemprop=ratingCount>44</i> Stimmen</p>",
            "<div class=x_Votes><p>4,9 von 44 Stimmen</p></div>",
        ] {
            assert_eq!(dropped(html), ["4,9 von 44 Stimmen"], "{html}");
        }
        assert!(dropped(&"<p class=rating>4,9 von 44</p>".repeat(3)).is_empty(), "ratings of records");
        assert!(dropped("<p class=rating>Very good</p><p class=operating>4,9 von 44</p>").is_empty());
    }

    #[test]
    fn alerts_and_tools_are_dropped() {
        for role in ["toolbar", "MENUBAR"] {
            assert_eq!(
                dropped(&format!("<div role={role}><p>Wasser steigt</p></div>")),
                ["Wasser steigt"],
                "{role}"
            );
        }
        assert_eq!(dropped("<ul role=menu><li role=menuitem>Datei</ul>"), ["Datei"]);
        assert_eq!(dropped("<div role=img><button>+</button><i>Karte</i></div>"), ["+", "Karte"]);
        for html in [
            "<div role=img>Karte</div>",
            "<div role=note>Wasser</div>",
            "<div role=menu><p>Suppe</div>",
            "<div role=alert><h3>Achtung</h3><p>Schwimmen ist verboten.</div>",
        ] {
            assert!(dropped(html).is_empty(), "{html}");
        }
        assert_eq!(
            dropped("<p role=status>Convertiert</p><h1>Wasser</h1>"),
            ["Convertiert"],
            "before the headline"
        );
        assert_eq!(
            dropped("<article><p>Wasser</article><p role=alert>Cookies"),
            ["Cookies"],
            "beside the article"
        );
        assert!(dropped(&format!("<div role=toolbar>{BODY}</div>")).is_empty(), "most of the page");
    }

    #[test]
    fn subscription_boxes_are_dropped() {
        let form = "<form><input type=email><button>Los</button></form>";
        let around = format!("<div><h3>Unser Brief</h3><p>Jeden Freitag die Nachrichten.</p>{form}</div>");
        assert_eq!(dropped(&around), ["Unser Brief", "Jeden Freitag die Nachrichten.", "Los"]);
        let field = around.replace("<button>Los</button>", "");
        assert_eq!(dropped(&field), ["Unser Brief", "Jeden Freitag die Nachrichten."]);
        assert_eq!(dropped(&around.replace("<input", "<textarea></textarea><input")), ["Los"]);
        assert_eq!(dropped(&around.replace("email", "text")), ["Los"]);
    }
}
