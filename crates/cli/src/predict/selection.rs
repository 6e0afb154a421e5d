//! Which pages of a run are written: by language and by expected quality.

use threshr_core::{Error, Result};
use threshr_extract::page_level::PageLevel;
use threshr_features::language;

/// The count of skipped pages in other languages.
pub(super) const OTHER_LANGUAGE: &str = "pages in other languages";
/// The count of pages in the side output.
pub(super) const LOW_QUALITY: &str = "pages of low quality";

/// What happens to a labelled page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    /// It is written to the output.
    Written,
    /// Its expected quality is low: it is written to the side output.
    LowQuality,
    /// It is in another language: it is not written.
    OtherLanguage,
}

/// Selects pages.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    /// Languages of the pages that are written; empty for all.
    pub languages: Vec<String>,
    /// Least expected quality.
    pub min_quality: Option<f32>,
}

impl Selection {
    /// Reads `--language` and `--min-quality`.
    pub(super) fn new(languages: &[String], min_quality: Option<f32>) -> Result<Self> {
        let languages = languages.iter().map(|tag| primary(tag)).collect::<Result<_>>()?;
        Ok(Selection { languages, min_quality })
    }

    /// The destination of a page. `text` is its kept text, `declared` the language that the page states.
    pub(super) fn of(
        &self,
        text: impl FnOnce() -> Result<String>,
        declared: Option<&str>,
        page_level: Option<&PageLevel>,
    ) -> Result<Destination> {
        if !self.languages.is_empty() {
            let found = language(&text()?, declared);
            if !found.is_some_and(|found| self.languages.iter().any(|l| *l == found)) {
                return Ok(Destination::OtherLanguage);
            }
        }
        let quality = page_level.and_then(|page| page.quality).map(|q| q.expected);
        let is_low = self.min_quality.zip(quality).is_some_and(|(least, quality)| quality < least);
        Ok(if is_low { Destination::LowQuality } else { Destination::Written })
    }
}

/// The primary subtag of a BCP 47 tag: `de` of `de-AT`.
fn primary(tag: &str) -> Result<String> {
    let primary = tag.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    if matches!(primary.len(), 2 | 3) && primary.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(primary);
    }
    Err(Error::recipe(format!("`{tag}` is no language")).expected("BCP 47 tags such as de, fr or pt-BR"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::page_level::Quality;

    #[test]
    fn languages_are_read() {
        let read = |tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(|t| (*t).to_owned()).collect();
            Selection::new(&tags, None).map(|s| s.languages)
        };
        assert_eq!(read(&["de", "pt-BR", "ZH_hant", "yue"]).expect("tags"), ["de", "pt", "zh", "yue"]);
        for bad in ["", "german", "d", "d1"] {
            assert!(read(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn pages_are_selected() {
        let german = "Das ist ein Text, der auf Deutsch geschrieben ist, und er ist lang genug, damit man die Sprache \
                      erkennt. Es regnete den ganzen Tag, und niemand ging aus dem Haus.";
        let page = |expected| PageLevel {
            quality: Some(Quality { expected, low: 0.0, high: 1.0 }),
            ..PageLevel::default()
        };
        let select = |languages: &[&str], least, quality| {
            let languages: Vec<String> = languages.iter().map(|t| (*t).to_owned()).collect();
            let selection = Selection::new(&languages, least).expect("a selection");
            selection.of(|| Ok(german.to_owned()), Some("en"), Some(&page(quality))).expect("a destination")
        };
        assert_eq!(select(&["fr", "de"], None, 0.1), Destination::Written);
        assert_eq!(select(&["en"], None, 0.9), Destination::OtherLanguage);
        assert_eq!(select(&[], Some(0.5), 0.4), Destination::LowQuality);
        assert_eq!(select(&["de"], Some(0.5), 0.5), Destination::Written);
        assert_eq!(select(&["en"], Some(0.5), 0.4), Destination::OtherLanguage);
        let selection = Selection::new(&[], Some(0.5)).expect("a selection");
        assert_eq!(
            selection.of(|| Ok(String::new()), None, None).expect("a destination"),
            Destination::Written
        );
    }
}
