//! jusText: classifies paragraphs by length, links and stop words. Neighbours determine the class of the remaining
//! paragraphs.

use crate::shared::events::{Event, events};
use crate::shared::stop_list::{LANGUAGE, STOP_WORDS, StopList, StopWords};
use serde::Deserialize;
use std::ops::Range;
use threshr_core::Result;
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use threshr_html::{Document, Kind, Tag, Visibility};

/// jusText with the published thresholds.
///
/// A paragraph is the text between paragraph tags or two consecutive `<br>`. Form controls are skipped. A block is
/// kept if half of it lies in good paragraphs. The stop words are those of the page's language, which is given by
/// the data set or detected. If there is no list, or the language is written without spaces, both stop-word
/// thresholds are 0. This is the published language-independent mode.
pub(crate) static SYSTEM: System = System {
    name: "justext",
    summary: "classifies paragraphs by length, links and stop words, then by their neighbours",
    source: "Pomikálek, PhD thesis, Brno 2011; jusText 3.0",
    options: &[
        SystemOption::new("length_low", "70", "a paragraph with fewer characters is short"),
        SystemOption::new(
            "length_high",
            "200",
            "a paragraph with more characters and enough stop words is good",
        ),
        SystemOption::new("stopwords_low", "0.30", "minimum share of stop words of a near-good paragraph"),
        SystemOption::new("stopwords_high", "0.32", "minimum share of stop words of a good paragraph"),
        SystemOption::new(
            "max_link_density",
            "0.2",
            "a paragraph with a greater share of characters in links is bad",
        ),
        SystemOption::new(
            "max_heading_distance",
            "200",
            "a heading is kept if a good paragraph follows within this number of characters",
        ),
        SystemOption::new("no_headings", "false", "treat headings like other paragraphs"),
        LANGUAGE,
        STOP_WORDS,
    ],
    ..System::new(How::Plain(|settings| Ok(Box::new(JusText::new(option::read(settings)?)?))))
};

#[derive(Debug, Deserialize)]
struct Settings {
    length_low: usize,
    length_high: usize,
    stopwords_low: f64,
    stopwords_high: f64,
    max_link_density: f64,
    max_heading_distance: usize,
    no_headings: bool,
    language: String,
    stop_words: Vec<String>,
}

#[derive(Debug)]
struct JusText {
    settings: Settings,
    stop_words: StopWords,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Good,
    NearGood,
    Short,
    Bad,
}

#[derive(Debug, Default)]
struct Paragraph {
    ranges: Vec<Range<u32>>,
    text: String,
    num_chars_linked: usize,
    in_heading: bool,
}

impl Paragraph {
    fn num_chars(&self) -> usize {
        self.text.chars().count()
    }
}

impl JusText {
    fn new(settings: Settings) -> Result<Self> {
        let stop_words = StopWords::new(&settings.language, &settings.stop_words)?;
        Ok(Self { settings, stop_words })
    }

    /// Returns the context-free class of a paragraph.
    fn class(&self, paragraph: &Paragraph, list: Option<&StopList>) -> Class {
        let s = &self.settings;
        let length = paragraph.num_chars();
        let stop_share = list.map_or(0.0, |list| share_of_stop_words(&paragraph.text, list));
        // if there is no list, both thresholds are 0
        let (low, high) = if list.is_some() { (s.stopwords_low, s.stopwords_high) } else { (0.0, 0.0) };
        if paragraph.num_chars_linked as f64 / length.max(1) as f64 > s.max_link_density
            || paragraph.text.contains(['©'])
            || paragraph.text.contains("&copy")
        {
            Class::Bad
        } else if length < s.length_low {
            if paragraph.num_chars_linked > 0 { Class::Bad } else { Class::Short }
        } else if stop_share >= high {
            if length > s.length_high { Class::Good } else { Class::NearGood }
        } else if stop_share >= low {
            Class::NearGood
        } else {
            Class::Bad
        }
    }

    fn classes(&self, paragraphs: &[Paragraph], list: Option<&StopList>) -> Vec<Class> {
        let alone: Vec<Class> = paragraphs.iter().map(|p| self.class(p, list)).collect();
        let lengths: Vec<usize> = paragraphs.iter().map(Paragraph::num_chars).collect();
        let heading = |i: usize| !self.settings.no_headings && paragraphs[i].in_heading;
        // whether a good paragraph follows within the maximum heading distance
        let leads = |classes: &[Class], i: usize| {
            let mut distance = 0;
            for j in i + 1..classes.len() {
                if distance > self.settings.max_heading_distance {
                    return false;
                }
                if classes[j] == Class::Good {
                    return true;
                }
                distance += lengths[j];
            }
            false
        };
        let mut classes = alone.clone();
        for i in 0..classes.len() {
            if classes[i] == Class::Short && heading(i) && leads(&classes, i) {
                classes[i] = Class::NearGood;
            }
        }
        classes = short_by_neighbours(&classes);
        near_good_by_neighbours(&mut classes);
        for i in 0..classes.len() {
            let was_demoted = classes[i] == Class::Bad && alone[i] != Class::Bad;
            if was_demoted && heading(i) && leads(&classes, i) {
                classes[i] = Class::Good;
            }
        }
        classes
    }
}

/// Returns, for every paragraph, the class of the nearest paragraph before it that is good or bad. If `near_good`
/// is true, near-good paragraphs are also considered. If there is no such paragraph, the class is bad.
fn before(classes: &[Class], near_good: bool) -> Vec<Class> {
    let mut last = Class::Bad;
    let step = |&class: &Class| {
        let found = last;
        if matches!(class, Class::Good | Class::Bad) || near_good && class == Class::NearGood {
            last = class;
        }
        found
    };
    classes.iter().map(step).collect()
}

/// Like [`before`], for the nearest paragraph after each paragraph.
fn after(classes: &[Class], near_good: bool) -> Vec<Class> {
    let reversed: Vec<Class> = classes.iter().rev().copied().collect();
    let mut found = before(&reversed, near_good);
    found.reverse();
    found
}

/// Assigns the class of the neighbours to short paragraphs. A short paragraph between a good and a bad
/// neighbour becomes good if a near-good paragraph is next to it on the side of the bad neighbour. Otherwise,
/// it becomes bad.
fn short_by_neighbours(classes: &[Class]) -> Vec<Class> {
    use Class::{Bad, Good, NearGood, Short};
    let [prev, next] = [before(classes, false), after(classes, false)];
    let [near_prev, near_next] = [before(classes, true), after(classes, true)];
    let class = |i: usize| match (classes[i], prev[i], next[i]) {
        (Short, Good, Good) => Good,
        (Short, Bad, Bad) => Bad,
        (Short, Bad, _) if near_prev[i] == NearGood => Good,
        (Short, _, Bad) if near_next[i] == NearGood => Good,
        (Short, ..) => Bad,
        (other, ..) => other,
    };
    (0..classes.len()).map(class).collect()
}

/// Near-good paragraphs between two bad paragraphs become bad; all other near-good paragraphs become good.
/// Each change affects the paragraphs after it.
fn near_good_by_neighbours(classes: &mut [Class]) {
    let next = after(classes, false);
    let mut prev = Class::Bad;
    for (class, next) in classes.iter_mut().zip(next) {
        if *class == Class::NearGood {
            *class = if (prev, next) == (Class::Bad, Class::Bad) { Class::Bad } else { Class::Good };
        }
        if matches!(class, Class::Good | Class::Bad) {
            prev = *class;
        }
    }
}

fn share_of_stop_words(text: &str, list: &StopList) -> f64 {
    let (mut stops, mut all) = (0u32, 0u32);
    for word in text.split_whitespace() {
        all += 1;
        stops += u32::from(list.contains(&word.to_lowercase()));
    }
    f64::from(stops) / f64::from(all.max(1))
}

impl Method for JusText {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let paragraphs = paragraphs(page.doc);
        let classes = self.stop_words.with(page, |list| self.classes(&paragraphs, list));
        let good = paragraphs.into_iter().zip(classes).filter(|p| p.1 == Class::Good);
        let ranges: Vec<Range<u32>> = good.flat_map(|p| p.0.ranges).collect();
        page.keep_ranges(&ranges)
    }
}

/// Returns whether the start and end of an element separate paragraphs.
fn parts(doc: &Document, node: u32) -> bool {
    const PARTING: [Tag; 25] = [
        Tag::BODY,
        Tag::BLOCKQUOTE,
        Tag::CAPTION,
        Tag::CENTER,
        Tag::COL,
        Tag::COLGROUP,
        Tag::DD,
        Tag::DIV,
        Tag::DL,
        Tag::DT,
        Tag::FIELDSET,
        Tag::FORM,
        Tag::LEGEND,
        Tag::OPTGROUP,
        Tag::OPTION,
        Tag::P,
        Tag::PRE,
        Tag::TABLE,
        Tag::TD,
        Tag::TFOOT,
        Tag::TH,
        Tag::THEAD,
        Tag::TR,
        Tag::UL,
        Tag::LI,
    ];
    let tag = doc.tag(node);
    PARTING.contains(&tag) || tag.is_heading()
}

/// Returns the paragraphs that have text. Hidden paragraphs are included, because the library does not read
/// styles.
fn paragraphs(doc: &Document) -> Vec<Paragraph> {
    let mut out = Vec::new();
    let mut open = Paragraph::default();
    let mut num_headings = 0u32;
    let (mut in_link, mut after_br) = (false, false);
    let cut = |open: &mut Paragraph, out: &mut Vec<Paragraph>, num_headings: u32| {
        let next = Paragraph { in_heading: num_headings > 0, ..Paragraph::default() };
        let mut done = std::mem::replace(open, next);
        if !done.ranges.is_empty() {
            done.text = done.text.trim().to_owned();
            out.push(done);
        }
    };
    let is_control =
        |node| matches!(doc.tag(node), Tag::SELECT | Tag::BUTTON | Tag::TEXTAREA | Tag::OBJECT | Tag::EMBED);
    let enter = |node| {
        doc.is_shown(node, Visibility::WithHidden) && !(doc.kind(node) == Kind::Element && is_control(node))
    };
    for event in events(doc, doc.root(), enter) {
        if let Event::Text(node) = event
            && !doc.text(node).trim().is_empty()
        {
            let num_before = open.text.len();
            append(&mut open.text, doc.text(node));
            if in_link {
                open.num_chars_linked += open.text[num_before..].chars().count();
            }
            open.ranges.push(doc.text_range(node));
            after_br = false;
        }
        if let Event::Start(node) | Event::Skipped(node) = event {
            let tag = doc.tag(node);
            num_headings += u32::from(tag.is_heading());
            if parts(doc, node) || tag == Tag::BR && after_br {
                cut(&mut open, &mut out, num_headings);
            } else {
                after_br = tag == Tag::BR;
                in_link |= tag == Tag::A;
                if after_br {
                    append(&mut open.text, " ");
                }
            }
        }
        if let Event::End(node) | Event::Skipped(node) = event {
            let tag = doc.tag(node);
            num_headings -= u32::from(tag.is_heading());
            if parts(doc, node) {
                cut(&mut open, &mut out, num_headings);
            }
            in_link &= tag != Tag::A;
        }
    }
    cut(&mut open, &mut out, 0);
    out
}

/// Appends text. White space is collapsed, also at the boundary to the existing text.
fn append(out: &mut String, text: &str) {
    for c in text.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use threshr_html::parse_str;

    fn system(given: Value) -> JusText {
        let settings = SYSTEM.settings(&given).expect("options");
        JusText::new(option::read(&settings).expect("fits")).expect("a list")
    }

    fn english() -> (JusText, StopList) {
        let StopWords::Fixed(Some(list)) = StopWords::new("en", &[]).expect("a list") else { unreachable!() };
        (system(json!({})), list)
    }

    /// A paragraph of `n` characters in which the stop word `the` alternates with a word that is not a stop word.
    fn half(n: usize) -> String {
        "the wxyz ".repeat(n / 9 + 1).chars().take(n - 1).chain(['.']).collect()
    }

    #[test]
    fn paragraphs_are_classed_by_themselves() {
        use Class::{Bad, Good, NearGood, Short};
        let (english, list) = english();
        let class = |html: &str| {
            let found = paragraphs(&parse_str(html));
            assert_eq!(found.len(), 1, "{html}");
            english.class(&found[0], Some(&list))
        };
        // 69 and 70 characters; 200 and 201 characters; half of the words are stop words, more than .32
        assert_eq!(class(&format!("<p>{}", half(69))), Short);
        assert_eq!(class(&format!("<p>{}", half(70))), NearGood);
        assert_eq!(class(&format!("<p>{}", half(200))), NearGood);
        assert_eq!(class(&format!("<p>{}", half(201))), Good);
        // no stop words
        assert_eq!(class(&format!("<p>{}", "wxyz ".repeat(50))), Bad);
        // 3 of 10 words are stop words: .30, so near-good at any length; 3 of 11 are too few
        assert_eq!(class(&format!("<p>{}", "the the the a1 b2 c3 d4 e5 f6 g7 ".repeat(10))), NearGood);
        assert_eq!(class(&format!("<p>{}", "the the the a1 b2 c3 d4 e5 f6 g7 h8 ".repeat(10))), Bad);
        // a link in a short paragraph; 41 of 201 characters in a link; a copyright sign
        assert_eq!(class("<p>short <a href=/>x</a>"), Bad);
        assert_eq!(class(&format!("<p>{} <a href=/>{}</a>", half(159), half(41))), Bad);
        assert_eq!(class(&format!("<p>{} ©", half(201))), Bad);
    }

    #[test]
    fn neighbours_decide_the_rest() {
        use Class::{Bad, Good, NearGood, Short};
        // short paragraphs: between good neighbours; between bad neighbours; between good and bad; the same
        // with a near-good paragraph next to the bad neighbour
        assert_eq!(short_by_neighbours(&[Good, Short, Good])[1], Good);
        assert_eq!(short_by_neighbours(&[Short, Bad, Short])[2], Bad);
        assert_eq!(short_by_neighbours(&[Good, Short, Bad])[1], Bad);
        assert_eq!(short_by_neighbours(&[Good, Short, NearGood, Bad])[1], Good);
        // a short paragraph does not see the new classes of other short paragraphs
        assert_eq!(short_by_neighbours(&[Good, Short, Short, Good]), [Good; 4]);
        // a near-good paragraph becomes bad between bad neighbours, and good next to a good neighbour, even
        // if the neighbour has just become good
        let mut classes = [Bad, NearGood, Bad, Good, NearGood, NearGood, Bad, NearGood];
        near_good_by_neighbours(&mut classes);
        assert_eq!(classes, [Bad, Bad, Bad, Good, Good, Good, Bad, Bad]);
    }

    #[test]
    fn a_heading_near_good_text_is_kept() {
        let (english, list) = english();
        let classes = |gap: usize| {
            // the gap paragraph is bad, because it has no stop words
            let gap: String = "wxyz ".repeat(gap / 5);
            let html = format!("<h2>Heading</h2><p>{gap}</p><p>{}</p>", half(300));
            english.classes(&paragraphs(&parse_str(&html)), Some(&list))
        };
        // a gap of 199 characters (the trailing space is trimmed) is within the distance of 200; a gap of 204 is
        // not
        assert_eq!(classes(200), [Class::Good, Class::Bad, Class::Good]);
        assert_eq!(classes(205), [Class::Bad, Class::Bad, Class::Good]);
    }

    #[test]
    fn paragraphs_are_parted_by_tags_and_two_br() {
        let found = paragraphs(&parse_str("<div>a <b>b</b>\n c<br>d<br> <br>e<p>f<a>g h</a></p></div>"));
        let texts: Vec<_> = found.iter().map(|p| p.text.as_str()).collect();
        assert_eq!(texts, ["a b c d", "e", "fg h"]);
        assert_eq!(found[2].num_chars_linked, 3);
    }

    #[test]
    fn without_a_list_length_and_links_decide() {
        let free = system(json!({"language": "none"}));
        let found = paragraphs(&parse_str(&format!("<p>{}", "wxyz ".repeat(50))));
        assert_eq!(free.class(&found[0], None), Class::Good);
    }
}
