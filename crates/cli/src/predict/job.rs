//! What `threshr predict` does with one page.

use crate::predict::render::Render;
use crate::predict::selection::{Destination, Selection};
use crate::predict::{explain, side_output};
use sha2::{Digest, Sha256};
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_crawl::LoadedPage;
use threshr_extract::formats::{Entry, Format, PageOutput};
use threshr_extract::model::file;
use threshr_extract::{Extractor, Labeller};
use threshr_features::SiteStats;
use threshr_io::{RawPage, site_of};

/// Labels and writes pages.
pub(super) struct Job {
    extractor: Extractor,
    selection: Selection,
    /// Name and checksum of the model or trained system, or name of the system and version of the program.
    pub model: String,
}

/// A labelled page.
pub(super) struct Extracted {
    /// Its entry in the output or in the side output.
    pub entry: Option<Entry>,
    pub destination: Destination,
    /// Whether any block is kept.
    pub has_content: bool,
    /// What is wrong with the page although it could be read.
    pub defect: Option<Error>,
    /// The charset that it declares, if that is unknown.
    pub unknown_charset: Option<String>,
}

/// Number of digits of a checksum in the name of a model.
const CHECKSUM_DIGITS: usize = 12;

impl Job {
    /// Creates a job; `name` is the name of the model file.
    pub(super) fn new(extractor: Extractor, name: &str, selection: Selection) -> Result<Job> {
        let short = |checksum: &str| checksum.get(..CHECKSUM_DIGITS).unwrap_or_default().to_owned();
        let of_bytes = |bytes: &[u8]| short(&threshr_core::hex(&Sha256::digest(bytes)));
        let model = match extractor.labeller() {
            Labeller::Model(model) => format!("{name}@{}", short(model.checksum().unwrap_or_default())),
            Labeller::System(choice, _) => format!("{}@threshr-{}", choice.name(), env!("CARGO_PKG_VERSION")),
            Labeller::Trained(system) => {
                format!("{}@{}", system.choice().name(), of_bytes(&file::system_to_bytes(system)?))
            }
        };
        Ok(Job { extractor, selection, model })
    }

    /// Adds the statistics of sites.
    pub(super) fn with_sites(self, stats: SiteStats) -> Job {
        Job { extractor: self.extractor.with_sites(stats, site_of), ..self }
    }

    /// Everything that the labels depend on, as text.
    pub(super) fn settings(&self) -> Result<String> {
        let system = match self.extractor.labeller() {
            Labeller::System(choice, _) => choice.settings()?.to_string(),
            Labeller::Model(..) | Labeller::Trained(_) => String::new(),
        };
        let options = self.extractor.options();
        Ok(format!("{} {system} {options:?} {:?}", self.model, self.selection))
    }

    /// The output of a page, in `format` or in that of the side output.
    pub(super) fn write(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        format: &Format,
        render: &Render,
        budget: &Budget,
    ) -> Result<Extracted> {
        let (id, date) = (raw.id.clone(), raw.date.clone());
        let mut loaded = LoadedPage::of(raw, most_bytes, render.url.as_deref())?;
        budget.check()?;
        let extraction = self.extractor.extract(&loaded.input(), budget).map_err(with_hint)?;
        let url = loaded.url.clone().or_else(|| extraction.document().url());
        let page = PageOutput {
            id: &id,
            url: url.as_deref(),
            date: date.as_deref(),
            model: &self.model,
            added: render.added,
            options: render.options,
            budget: *budget,
            ..extraction.output()
        };
        let destination = self.selection.of(|| page.text(), page.doc.language(), page.page_level)?;
        let entry = match destination {
            Destination::Written => Some((format.page)(&page)?),
            Destination::LowQuality => Some((side_output::format()?.page)(&page)?),
            Destination::OtherLanguage => None,
        };
        let has_content = extraction.has_content();
        let unknown_charset = threshr_html::unknown_charset(&loaded.bytes, loaded.charset.as_deref());
        Ok(Extracted { entry, destination, has_content, defect: loaded.defect.take(), unknown_charset })
    }

    /// The explanation of the blocks of a page; `url` is its address if the input has none.
    pub(super) fn explain(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        blocks: Option<&[usize]>,
        url: Option<&str>,
        budget: &Budget,
    ) -> Result<String> {
        let id = raw.id.clone();
        let loaded = LoadedPage::of(raw, most_bytes, url)?;
        let explained = self.extractor.explain(&loaded.input(), blocks, budget).map_err(with_hint);
        let (extraction, explanations) = explained?;
        Ok(explain::page(&id, &extraction, &explanations))
    }

    /// Whether blocks have scores.
    pub(super) fn has_scores(&self) -> bool {
        self.extractor.model().is_some()
    }

    /// Whether the model has columns that depend on the other pages of a site.
    pub(super) fn needs_sites(&self) -> bool {
        self.extractor.needs_sites()
    }

    /// For the first pass of `--site-stats`: the site of a page and the keys of its blocks; `None` for an
    /// unknown site. `url` is its address if the input has none.
    pub(super) fn site_keys(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        url: Option<&str>,
        budget: &Budget,
    ) -> Result<Option<(String, Vec<u64>)>> {
        let loaded = LoadedPage::of(raw, most_bytes, url)?;
        self.extractor.site_keys(&loaded.input(), site_of, budget)
    }
}

/// Names the option for files of many pages in the error of a page that is not HTML.
pub(crate) fn with_hint(error: Error) -> Error {
    match error.kind {
        ErrorKind::NotHtml => error.expected("an HTML page, or --input-format for files of many pages"),
        _ => error,
    }
}
