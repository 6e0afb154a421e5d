//! Stop words of a page's language, for systems that count stop words. As in the publications, words between
//! white space or punctuation are looked up in lower case.

use rustc_hash::FxHashSet;
use threshr_core::{Error, Result};
use threshr_extract::baseline::{SystemInput, SystemOption};
use threshr_html::text::{is_nospace, stop_words};
use threshr_page::language;

/// The option that selects a stop-word list by language.
pub(crate) const LANGUAGE: SystemOption = SystemOption::new(
    "language",
    "\"auto\"",
    "language of the stop-word list, such as en; auto: the language of the page; none: no list",
);
/// The option that contains a list of stop words.
pub(crate) const STOP_WORDS: SystemOption =
    SystemOption::new("stop_words", "[]", "stop words that replace the list of the language");

/// A set of stop words in lower case.
pub(crate) type StopList = FxHashSet<String>;

/// The source of stop words.
#[derive(Debug)]
pub(crate) enum StopWords {
    /// The same list for all pages, or no list.
    Fixed(Option<StopList>),
    /// The list for the language of each page.
    OfPage,
}

impl StopWords {
    /// Reads the options [`LANGUAGE`] and [`STOP_WORDS`].
    ///
    /// # Errors
    /// If there is no list for the language.
    pub(crate) fn new(language: &str, words: &[String]) -> Result<Self> {
        if !words.is_empty() {
            return Ok(Self::Fixed(Some(words.iter().map(|w| w.to_lowercase()).collect())));
        }
        match language {
            "auto" => Ok(Self::OfPage),
            "none" => Ok(Self::Fixed(None)),
            code => list_of(code).map(|list| Self::Fixed(Some(list))).ok_or_else(|| {
                Error::invalid_option(format!(
                    "there is no stop-word list for the language `{code}`, or it is written without spaces"
                ))
                .expected(format!("auto, none, or one of {}", stop_words::codes().join(", ")))
            }),
        }
    }

    /// Calls `then` with the list for a page. The language is given by the data set; otherwise it is detected. The
    /// list is `None` for languages without a list and for languages that are written without spaces.
    pub(crate) fn with<T>(&self, page: &SystemInput<'_>, then: impl FnOnce(Option<&StopList>) -> T) -> T {
        match self {
            Self::Fixed(list) => then(list.as_ref()),
            Self::OfPage => {
                let named = page.lang.map(|l| l.split(['-', '_']).next().unwrap_or(l).to_lowercase());
                let code = named.or_else(|| language::language_of(page.doc, page.blocks).map(str::to_owned));
                then(code.as_deref().and_then(list_of).as_ref())
            }
        }
    }
}

/// Returns the stop words of a language that is written with spaces; `None` if there is no list.
fn list_of(code: &str) -> Option<StopList> {
    let list = stop_words::list(code)?;
    let spaced = list.iter().filter(|w| !w.chars().any(is_nospace));
    let words: StopList = spaced.map(|w| w.to_lowercase()).collect();
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_code() {
        let has = |code: &str, word: &str| matches!(StopWords::new(code, &[]), Ok(StopWords::Fixed(Some(l))) if l.contains(word));
        assert!(has("en", "the") && has("de", "und") && !has("none", "the"));
        assert!(StopWords::new("zh", &[]).is_err() && StopWords::new("xx", &[]).is_err());
        assert!(
            matches!(StopWords::new("xx", &["A".into()]), Ok(StopWords::Fixed(Some(l))) if l.contains("a"))
        );
    }
}
