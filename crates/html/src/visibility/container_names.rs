//! Ids and class names of cookie banners and tool marks.

use crate::tag::Tag;
use crate::text::name_words;
use crate::text::prefix_filter::PrefixFilter;
use crate::text::swar::packed;
use crate::text::word_list::word_list;

/// The kind of a container name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContainerName {
    /// A name used by a cookie-banner product and by no other element.
    Product,
    /// A name that sites use for their own cookie banners. An element with content about cookies may also have it.
    Site,
    /// A name with words that suggest a cookie banner. The element is a banner only if it contains one of the
    /// controls in the list.
    Likely(&'static [Tag]),
    /// The name of a tool mark. The element is a tool mark only if its text matches [`MarkText`].
    Mark(MarkText),
}

/// The text that a tool mark may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MarkText {
    /// Any text: links to editors and sources.
    Anything,
    /// At most one letter or digit: permalinks of headings. Some sites put the whole heading into such a
    /// link; this text is content.
    Sign,
    /// Digits: line numbers next to code.
    Numbers,
}

/// Words for the subject of a cookie banner, such as `cookie` and `gdpr`.
///
/// [`attribute_scan`](crate::visibility::attribute_scan) searches for substrings of these words.
pub(crate) const TOPICS: &[&str] = &word_list!("cookie_banners/topics.tsv", 1);
/// Words for dialogs and messages.
const DIALOGS: &[&str] = &word_list!("cookie_banners/dialogs.tsv", 1);
/// Words for containers, which may have any content. Such a word is weaker evidence than a word of
/// [`DIALOGS`].
const CONTAINERS: &[&str] = &word_list!("cookie_banners/containers.tsv", 1);
/// Prefixes of class names that content management systems derive from the tags and categories of a page.
const TOPIC_PREFIXES: &[&str] = &word_list!("cookie_banners/topic_prefixes.txt");

/// Names of products, in lower case and without `-` and `_`, sorted.
const PRODUCTS: &[&str] = &word_list!("cookie_banners/products.txt");
/// Names that sites use for their own banners, in the same format.
const SITES: &[&str] = &word_list!("cookie_banners/sites.txt");
/// Names of tool marks, in the same format.
const MARKS: &[&str] = &word_list!("tool_marks.tsv");
/// The texts of the tool marks, in the order of [`MARKS`].
static MARK_TEXTS: [MarkText; MARKS.len()] = {
    let words: [&str; MARKS.len()] = word_list!("tool_marks.tsv", 1);
    let mut texts = [MarkText::Anything; MARKS.len()];
    let mut i = 0;
    while i < words.len() {
        texts[i] = match words[i].as_bytes() {
            b"anything" => MarkText::Anything,
            b"sign" => MarkText::Sign,
            b"numbers" => MarkText::Numbers,
            _ => panic!("expected anything, sign or numbers"),
        };
        i += 1;
    }
    texts
};

/// The first eight letters of each name, packed as in [`first_letters`].
static PRODUCTS_FIRST: [u64; PRODUCTS.len()] = first_eight(PRODUCTS);
static SITES_FIRST: [u64; SITES.len()] = first_eight(SITES);
static MARKS_FIRST: [u64; MARKS.len()] = first_eight(MARKS);

const fn first_eight<const N: usize>(names: &[&str]) -> [u64; N] {
    let mut first = [0; N];
    let mut i = 0;
    while i < N {
        first[i] = packed(names[i].as_bytes()).swap_bytes();
        i += 1;
    }
    first
}

/// The two-letter prefixes of the known names.
static PREFIXES: PrefixFilter = PrefixFilter::new(&[PRODUCTS, SITES, MARKS]);

impl ContainerName {
    /// Returns the kind of the first name in a value of `id` or `class`. Returns `None` if this name is unknown.
    pub(super) fn known(value: &str) -> Option<Self> {
        let names = value.trim_ascii_start().trim_start_matches(['-', '_']).as_bytes();
        // the first two letters are enough to reject most names
        let may_be = match *names {
            [first, second, ..] => matches!(second, b'-' | b'_') || PREFIXES.has(first, second),
            _ => false,
        };
        if may_be { find(names.split(u8::is_ascii_whitespace).next()?) } else { None }
    }

    /// Returns the likely name in a value of `id` or `class`. If there are several, returns the name that
    /// allows the most kinds of controls.
    ///
    /// A likely name contains a topic and a word for a dialog or container (`uhf-cookie-alert`). Names like
    /// `cookie-alert` also occur on recipe pages, so the element must also contain a control.
    pub(super) fn likely(value: &str) -> Option<Self> {
        let names = value
            .split_ascii_whitespace()
            .filter(|name| !TOPIC_PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
        let controls = names.filter_map(controls_of).max_by_key(|controls| controls.len());
        controls.map(ContainerName::Likely)
    }
}

/// Returns the tags of controls: a banner with this name must contain a control with one of them. Returns `None` if
/// the name is not a likely name.
fn controls_of(name: &str) -> Option<&'static [Tag]> {
    let (mut has_topic, mut is_dialog, mut is_container) = (false, false, false);
    name_words::for_each(name, char::is_alphanumeric, |word| {
        let mut read = |part: &str| {
            is_dialog |= DIALOGS.contains(&part);
            is_container |= CONTAINERS.contains(&part);
        };
        read(word);
        // if a word contains a topic (`gdprpopup`), the rest of the word is read as another word
        for (before, after) in TOPICS.iter().filter_map(|topic| word.split_once(topic)) {
            has_topic = true;
            [before, after, after.trim_start_matches('s')].into_iter().for_each(&mut read);
        }
    });
    match (has_topic, is_dialog, is_container) {
        (true, true, _) => Some(&[Tag::BUTTON, Tag::INPUT, Tag::A]),
        (true, false, true) => Some(&[Tag::BUTTON, Tag::INPUT]),
        _ => None,
    }
}

/// Finds a name in the sorted lists.
fn find(name: &[u8]) -> Option<ContainerName> {
    let first = first_letters(name);
    let place = |names: &[&str], firsts: &[u64]| {
        let from = firsts.partition_point(|&letters| letters < first);
        let mut candidates = (from..names.len()).take_while(|&i| firsts[i] == first);
        candidates.find(|&i| names[i].bytes().eq(letters(name)))
    };
    if place(PRODUCTS, &PRODUCTS_FIRST).is_some() {
        Some(ContainerName::Product)
    } else if let Some(at) = place(MARKS, &MARKS_FIRST) {
        Some(ContainerName::Mark(MARK_TEXTS[at]))
    } else {
        place(SITES, &SITES_FIRST).map(|_| ContainerName::Site)
    }
}

/// Returns the characters of a name in lower case, without `-` and `_`.
fn letters(name: &[u8]) -> impl Iterator<Item = u8> {
    name.iter().filter(|b| !b"-_".contains(b)).map(u8::to_ascii_lowercase)
}

/// Packs the first eight letters of a name into an integer, padded with 0. Integers have the same order as their names.
fn first_letters(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(letters(name)).for_each(|(to, letter)| *to = letter);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn num_controls(value: &str) -> Option<usize> {
        ContainerName::likely(value).map(|name| match name {
            ContainerName::Likely(controls) => controls.len(),
            other => panic!("{other:?} is not a likely name"),
        })
    }

    #[test]
    fn likely_names_are_recognised_by_words() {
        for name in
            ["uhf-cookie-alert", "x js-CookieNotice", "gdprPopup", "my_cookies_banner", "jscookienotice x"]
        {
            assert_eq!(num_controls(name), Some(3), "{name}");
        }
        for name in ["wp-consent-root", "cookie-box", "cookie_tooltip_kontener cookieBarBody"] {
            assert!(num_controls(name).is_some(), "{name}");
        }
        assert_eq!(num_controls("wp-consent-root"), Some(2));
        for name in [
            "lemon-cookie-bars",
            "tag-cookie-notice",
            "cookie-recipes",
            "comment-form-cookies-consent",
            "alert",
        ] {
            assert_eq!(num_controls(name), None, "{name}");
        }
    }

    #[test]
    fn known_names_are_found_in_all_spellings() {
        for (list, kind) in [(PRODUCTS, ContainerName::Product), (SITES, ContainerName::Site)] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|name| ContainerName::known(name) == Some(kind)));
        }
        assert!(MARKS.is_sorted());
        assert!(
            MARKS
                .iter()
                .zip(MARK_TEXTS)
                .all(|(name, text)| ContainerName::known(name) == Some(ContainerName::Mark(text)))
        );
        assert_eq!(ContainerName::known("mw-editsection"), Some(ContainerName::Mark(MarkText::Anything)));
        for product in
            ["onetrust-consent-sdk", "CybotCookiebotDialog", " cky-consent-container box", "_evidon_banner"]
        {
            assert_eq!(ContainerName::known(product), Some(ContainerName::Product), "{product}");
        }
        assert_eq!(ContainerName::known("Cookie_Notice"), Some(ContainerName::Site));
        for other in [
            "",
            "-",
            "box cookie-banner",
            "cookie",
            "cookie-policy",
            "cookies-recipe",
            "content",
            "consent-form",
            "klaro2",
            "é",
        ] {
            assert_eq!(ContainerName::known(other), None, "{other}");
        }
        assert_eq!(ContainerName::known("klar"), None);
        assert_eq!(ContainerName::known(&"cookie-".repeat(40)), None);
    }
}
