//! Determines the languages of units.

use crate::formats::PageOutput;
use crate::units::{Kind, Unit};
use threshr_html::{Document, Tag};
use threshr_page::language::{language, primary_subtag as primary};

/// Minimum number of letters in a unit for language detection.
const MIN_LETTERS: usize = 80;

/// The language of a page, with which the languages of its units are compared.
pub(super) struct Languages<'a> {
    doc: &'a Document,
    /// The language of the kept text, if known.
    page: Option<String>,
}

impl<'a> Languages<'a> {
    pub(super) fn new(page: &PageOutput<'a>) -> Self {
        let text = page.blocks.join(|block| page.kept[block]);
        Languages { doc: page.doc, page: language(&text, page.doc.language()).map(String::from) }
    }

    /// Returns the language of a unit if it differs from the language of the page. A `lang` attribute of the unit's
    /// element or an ancestor has precedence over detection.
    pub(super) fn of_unit(&self, unit: &Unit) -> Option<String> {
        let is_text = !matches!(unit.kind, Kind::Code { .. } | Kind::Math) && !unit.inlines.text.is_empty();
        let mut around = self.doc.ancestors_and_self(unit.node).filter(|&n| self.doc.tag(n) != Tag::HTML);
        let declared = around
            .find_map(|n| self.doc.attribute(n, "lang"))
            .map(primary)
            .filter(|code| is_text && !code.is_empty());
        let found = declared.or_else(|| {
            let num_letters = || unit.inlines.text.chars().filter(|c| c.is_alphabetic()).count();
            let detects = is_text && num_letters() >= MIN_LETTERS;
            detects.then(|| language(&unit.inlines.text, None)).flatten().map(String::from)
        });
        found.filter(|code| self.page.as_ref() != Some(code))
    }
}
