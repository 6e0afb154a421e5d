//! Word lists for generated HTML: phrases by language, person names, class names used by comment systems, and
//! prefixes of class names.

use crate::augmentation::word_lists::rows;
use std::sync::LazyLock;

/// Class names of the elements of a comment section or list, as pairs (role, class name).
pub(crate) type ClassList = Vec<(&'static str, &'static str)>;

/// Phrases of a language. The placeholder `{}` is replaced by a number.
#[derive(Debug, Default)]
pub(crate) struct Phrases {
    /// Language code.
    pub lang: &'static str,
    /// Headings above comments.
    pub comments: Vec<&'static str>,
    /// Texts of links below a comment.
    pub actions: Vec<&'static str>,
    /// Texts before and after the name of a comment's author.
    pub by: Vec<(&'static str, &'static str)>,
    /// Headings above other stories.
    pub stories: Vec<&'static str>,
    /// Texts of links to the full story.
    pub more: Vec<&'static str>,
    /// Whether dates begin with the year.
    pub is_year_first: bool,
}

/// Returns the phrases of a language, or the English phrases if the language is unknown.
pub(crate) fn of(lang: &str) -> &'static Phrases {
    let code = lang.get(..2).unwrap_or("").to_ascii_lowercase();
    let code = if matches!(code.as_str(), "nb" | "nn") { "no" } else { &code };
    ALL.iter().find(|p| p.lang == code).unwrap_or(&ALL[0])
}

const FILE: &str = include_str!("../../data/phrases.tsv");

/// Phrases of all languages; English is first.
static ALL: LazyLock<Vec<Phrases>> = LazyLock::new(|| {
    let mut all: Vec<Phrases> = Vec::new();
    for [lang, list, phrase] in rows(FILE) {
        if all.last().is_none_or(|last| last.lang != lang) {
            all.push(Phrases { lang, ..Phrases::default() });
        }
        let Some(phrases) = all.last_mut() else { continue };
        match list {
            "comments" => phrases.comments.push(phrase),
            "actions" => phrases.actions.push(phrase),
            "by" => phrases.by.extend(phrase.split_once("{}")),
            "stories" => phrases.stories.push(phrase),
            "more" => phrases.more.push(phrase),
            "date_order" => phrases.is_year_first = phrase == "year_first",
            _ => {}
        }
    }
    all
});

/// English month names.
pub(crate) static MONTHS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    rows(FILE).filter(|r| r[0] == "en" && r[1] == "months").map(|[_, _, month]| month).collect()
});

fn names(list: &str) -> Vec<&'static str> {
    rows(include_str!("../../data/names.tsv")).filter(|row| row[0] == list).map(|[_, name]| name).collect()
}

/// First names of authors.
pub(crate) static FIRST_NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| names("first"));
/// Last names of authors.
pub(crate) static LAST_NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| names("last"));
/// Nicknames of authors.
pub(crate) static NICKNAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| names("nickname"));

/// Class names of each comment system.
pub(crate) static COMMENT_SYSTEMS: LazyLock<Vec<ClassList>> = LazyLock::new(|| {
    let rows: Vec<[&str; 3]> = rows(include_str!("../../data/comment_systems.tsv")).collect();
    let classes =
        |system: &[[&'static str; 3]]| system.iter().map(|&[_, part, class]| (part, class)).collect();
    rows.chunk_by(|a, b| a[0] == b[0]).map(classes).collect()
});

fn class_prefixes(list: &str) -> Vec<&'static str> {
    let all = rows(include_str!("../../data/class_prefixes.tsv"));
    all.filter(|row| row[0] == list).map(|[_, prefix]| prefix).collect()
}

/// Prefixes for class names of comments.
pub(crate) static COMMENT_PREFIXES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| class_prefixes("comments"));
/// Prefixes for class names in lists of stories.
pub(crate) static STORY_PREFIXES: LazyLock<Vec<&'static str>> = LazyLock::new(|| class_prefixes("stories"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_list_once() {
        assert_eq!((ALL[0].lang, MONTHS.len()), ("en", 12));
        let mut codes: Vec<&str> = ALL.iter().map(|p| p.lang).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
        for p in ALL.iter() {
            let lists = [&p.comments, &p.actions, &p.stories, &p.more];
            assert!(lists.iter().all(|list| !list.is_empty()) && !p.by.is_empty(), "{}", p.lang);
        }
        let lists = ["comments", "actions", "by", "stories", "more", "months", "date_order"];
        assert!(rows::<3>(FILE).all(|row| lists.contains(&row[1])));
        assert_eq!((FIRST_NAMES.len(), LAST_NAMES.len(), NICKNAMES.len()), (30, 20, 24));
        assert_eq!([COMMENT_PREFIXES.len(), STORY_PREFIXES.len()], [5, 6]);
        assert!(COMMENT_SYSTEMS.iter().all(|system| system.iter().any(|class| class.0 == "text")));
    }
}
