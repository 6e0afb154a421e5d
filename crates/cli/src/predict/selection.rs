//! Selection of the pages that are written, by language and by expected quality.

use threshr_core::{Error, Result};
use threshr_output::TypeAndQuality;
use threshr_page::language::language;

/// Reason for skipping pages in other languages.
pub(super) const OTHER_LANGUAGE: &str = "pages in other languages";
/// Reason for skipping pages of low quality.
pub(super) const LOW_QUALITY: &str = "pages of low quality";

/// Criteria for the pages that are written.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    /// Languages of the pages that are written. If empty, all languages are written.
    pub languages: Vec<String>,
    /// Minimum expected quality of the pages that are written.
    pub min_quality: Option<f32>,
}

impl Selection {
    /// Parses `--language` and `--min-quality`.
    pub(super) fn new(languages: &[String], min_quality: Option<f32>) -> Result<Self> {
        let languages = languages.iter().map(|tag| primary(tag)).collect::<Result<_>>()?;
        Ok(Selection { languages, min_quality })
    }

    /// Returns the reason why a page is not written, or `None` if it is written. `text` returns the kept
    /// text. `declared` is the language that the page declares.
    pub(super) fn left_out(
        &self,
        text: impl FnOnce() -> Result<String>,
        declared: Option<&str>,
        type_and_quality: Option<&TypeAndQuality>,
    ) -> Result<Option<&'static str>> {
        if !self.languages.is_empty() {
            let found = language(&text()?, declared);
            if !found.is_some_and(|found| self.languages.iter().any(|l| *l == found)) {
                return Ok(Some(OTHER_LANGUAGE));
            }
        }
        let quality = type_and_quality.and_then(|page| page.quality).map(|q| q.expected);
        let is_low = self.min_quality.zip(quality).is_some_and(|(least, quality)| quality < least);
        Ok(is_low.then_some(LOW_QUALITY))
    }
}

/// Returns the primary subtag of a BCP 47 tag, such as `de` for `de-AT`.
fn primary(tag: &str) -> Result<String> {
    let primary = tag.trim().split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase();
    if matches!(primary.len(), 2 | 3) && primary.bytes().all(|b| b.is_ascii_lowercase()) {
        return Ok(primary);
    }
    Err(Error::invalid_option(format!("`{tag}` is not a language"))
        .expected("BCP 47 tags such as de, fr or pt-BR"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_output::Quality;

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
        let page = |expected| TypeAndQuality {
            quality: Some(Quality { expected, low: 0.0, high: 1.0 }),
            ..TypeAndQuality::default()
        };
        let select = |languages: &[&str], least, quality| {
            let languages: Vec<String> = languages.iter().map(|t| (*t).to_owned()).collect();
            let selection = Selection::new(&languages, least).expect("a selection");
            selection.left_out(|| Ok(german.to_owned()), Some("en"), Some(&page(quality))).expect("decided")
        };
        assert_eq!(select(&["fr", "de"], None, 0.1), None);
        assert_eq!(select(&["en"], None, 0.9), Some(OTHER_LANGUAGE));
        assert_eq!(select(&[], Some(0.5), 0.4), Some(LOW_QUALITY));
        assert_eq!(select(&["de"], Some(0.5), 0.5), None);
        assert_eq!(select(&["en"], Some(0.5), 0.4), Some(OTHER_LANGUAGE));
        let selection = Selection::new(&[], Some(0.5)).expect("a selection");
        assert_eq!(selection.left_out(|| Ok(String::new()), None, None).expect("decided"), None);
    }
}
