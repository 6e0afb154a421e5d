//! Titles without the site name.

use super::text::{key, plain};

/// Characters that separate a title from the site name, with white space around them.
const DIVIDERS: [char; 14] = ['|', '–', '—', '-', '·', '•', '»', '«', '›', '‹', '/', '~', '⋆', '|'];
/// Separators that need no white space around them.
const TIGHT: [char; 5] = ['|', '»', '«', '|', '_'];
/// Minimum number of words of a title after a section name of one word.
const MIN_TITLE_WORDS: usize = 3;
/// Maximum number of words of a title segment that resembles the site name.
const MAX_NAME_WORDS: usize = 4;
/// Maximum number of words in the name of the program that generated the page.
const MAX_PLATFORM_WORDS: usize = 3;

/// Names of platforms, as letters and digits in lower case. Their pages name them as the author by default.
const PLATFORMS: [&str; 16] = [
    "blogger",
    "blogspot",
    "medium",
    "wordpress",
    "tumblr",
    "substack",
    "squarespace",
    "wix",
    "weebly",
    "livejournal",
    "facebook",
    "twitter",
    "youtube",
    "instagram",
    "linkedin",
    "telegram",
];

/// Known names of the site.
#[derive(Debug, Clone, Default)]
pub(super) struct SiteNames {
    /// Names of the site, as letters and digits in lower case.
    keys: Vec<String>,
    /// Labels of the host name without the top-level domain, as letters and digits in lower case.
    host: Vec<String>,
    /// Names of the program that generated the page, as letters and digits in lower case.
    platforms: Vec<String>,
}

impl SiteNames {
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str>, url: Option<&str>) -> Self {
        let host = url.and_then(super::url::host).unwrap_or_default();
        let mut labels: Vec<&str> = host.split('.').filter(|l| *l != "www").collect();
        labels.pop();
        let host: Vec<String> = labels.iter().map(|l| key(l)).filter(|l| l.len() > 2).collect();
        let keys = names.map(key).filter(|k| !k.is_empty()).collect();
        SiteNames { keys, host, platforms: Vec::new() }
    }

    /// Adds the names of the program that generated the page: the first words of `generator`, such as
    /// `WordPress 6.5`.
    pub(super) fn with_platform(mut self, generator: &str) -> Self {
        let words: Vec<&str> = generator.split_whitespace().take(MAX_PLATFORM_WORDS).collect();
        let starts = (1..=words.len()).map(|len| key(&words[..len].join(" ")));
        self.platforms.extend(starts.filter(|start| !start.is_empty()));
        self
    }

    /// Returns whether a name is the name of the program that generated the page.
    pub(super) fn is_platform(&self, name: &str) -> bool {
        self.platforms.contains(&key(name))
    }

    /// Whether a name that the page states as an author is the name of the site or of a platform: a site name, a domain,
    /// the program that generated the page, or a segment of `title`, the title in the head, that is not its first.
    pub(super) fn is_no_author(&self, name: &str, title: &str) -> bool {
        let own = key(name);
        let is_domain = || {
            let end = name.rsplit_once('.').map_or("", |(_, end)| end);
            end.len() > 1 && name.contains('.') && end.chars().all(char::is_alphabetic) && !name.contains(' ')
        };
        let is_segment = || {
            parts(title).into_iter().skip(1).any(|part| key(title[part].trim_end_matches(DIVIDERS)) == own)
        };
        // a person may be the name of a site
        let is_unspaced = name.starts_with(|c: char| c >= '\u{2e80}');
        let is_personal = || match name.split_whitespace().count() {
            1 => is_unspaced && name.chars().count() <= 3,
            words => words <= 4 && name.split_whitespace().all(|word| word.starts_with(char::is_uppercase)),
        };
        self.is_platform(name)
            || PLATFORMS.contains(&own.as_str())
            || self.is_site(name)
            || is_domain()
            || is_segment() && !is_personal()
    }

    /// Whether a segment of a title is a site name.
    pub(super) fn is_site(&self, part: &str) -> bool {
        let part = key(part);
        if part.is_empty() {
            return false;
        }
        let part_end =
            ["com", "org", "net", "de"].iter().find_map(|end| part.strip_suffix(end)).unwrap_or(&part);
        self.keys.contains(&part) || self.host.iter().any(|h| *h == part || h == part_end)
    }

    /// Returns whether a segment of a title resembles a site name, because one of them contains the other.
    fn resembles_site(&self, part: &str) -> bool {
        let part = key(part);
        let is_alike = |name: &String| {
            name.len() > 3 && part.contains(name.as_str()) || part.len() > 3 && name.contains(part.as_str())
        };
        self.is_site(&part) || self.keys.iter().any(is_alike) || self.host.iter().any(is_alike)
    }
}

/// Returns the first segment of a title in the head that is not a site name. A first segment of one word before
/// a longer segment is skipped as a section name.
pub(super) fn without_site(title: &str, site: &SiteNames) -> String {
    let title = plain(title);
    let all: Vec<&str> = parts(&title).into_iter().map(|part| title[part].trim()).collect();
    let words = |text: &str| text.split_whitespace().count();
    let is_name =
        |part: &&str| site.is_site(part) || site.resembles_site(part) && words(part) <= MAX_NAME_WORDS;
    let own: Vec<&str> = all.iter().copied().filter(|part| !is_name(part)).collect();
    match own.as_slice() {
        [] => all.first().map_or(title.clone(), |first| (*first).to_owned()),
        [section, second, ..] if words(section) == 1 && words(second) >= MIN_TITLE_WORDS => {
            (*second).to_owned()
        }
        [first, ..] => (*first).to_owned(),
    }
}

/// Returns a headline without the site name. A segment after `|` or a spaced hyphen is also removed if it has no
/// more words than the text before it. Other dashes are part of the text.
pub(super) fn headline(text: &str, site: &SiteNames) -> String {
    let words = |text: &str| text.split_whitespace().count();
    let mut text = text;
    while let Some(last) = parts(text).pop().filter(|last| last.start > 0) {
        let (before, part) = (&text[..last.start], &text[last]);
        let divider = before.trim_end().chars().next_back();
        let before = before.trim_end().trim_end_matches(DIVIDERS).trim_end();
        let is_cut = site.is_site(part) || matches!(divider, Some('|' | '-')) && words(part) <= words(before);
        if !is_cut || before.is_empty() {
            break;
        }
        text = before;
    }
    text.trim().to_owned()
}

/// Returns the segments of a title between separators, as byte ranges.
pub(super) fn parts(title: &str) -> Vec<std::ops::Range<usize>> {
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, c) in title.char_indices() {
        let end = at + c.len_utf8();
        let spaced = DIVIDERS.contains(&c) && title[..at].ends_with(' ') && title[end..].starts_with(' ');
        let is_colon_pair =
            c == ':' && title[..at].ends_with([' ', ':']) && title[end..].starts_with([' ', ':']);
        let is_tight =
            TIGHT.contains(&c) && (c != '_' || at > 0 && !title[..at].ends_with(|c: char| c.is_ascii()));
        if (spaced || is_tight || is_colon_pair) && at > start {
            if !title[start..at].trim().is_empty() {
                parts.push(start..at);
            }
            start = end;
        }
    }
    if !title[start..].trim().is_empty() {
        parts.push(start..title.len());
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sites_are_cut_off() {
        let site =
            SiteNames::new(["The Daily Rain"].into_iter(), Some("https://www.dailyrain.example.com/x"));
        for (title, expected) in [
            ("Red shoes - The Daily Rain", "Red shoes"),
            ("Rain: red shoes", "Rain: red shoes"),
            ("The Daily Rain | Red shoes", "Red shoes"),
            ("Red shoes | dailyrain", "Red shoes"),
            ("Red shoes for rain – Weather", "Red shoes for rain"),
            ("News - Red shoes for rain - The Daily Rain", "Red shoes for rain"),
            ("Low-cost shoes for rain", "Low-cost shoes for rain"),
            ("Shoes &amp; rain | Other Site", "Shoes & rain"),
            ("雨の日の靴|新聞", "雨の日の靴"),
            ("新闻标题_新闻", "新闻标题"),
            ("Shoes", "Shoes"),
            ("", ""),
        ] {
            assert_eq!(without_site(title, &site), expected, "{title}");
        }
        for (title, expected) in [
            ("Red shoes – new and dry", "Red shoes – new and dry"),
            ("Red shoes for rain | Tested", "Red shoes for rain"),
            ("Shoes - which are dry?", "Shoes - which are dry?"),
            ("Red shoes – The Daily Rain", "Red shoes"),
            ("-", "-"),
            ("", ""),
        ] {
            assert_eq!(headline(title, &site), expected, "{title}");
        }
    }
}
