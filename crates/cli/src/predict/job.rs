//! The work of `threshr predict` on one page.

use crate::predict::render::Render;
use crate::predict::selection::Selection;
use crate::predict::{explain, inputs};
use sha2::{Digest, Sha256};
use threshr_core::site_of;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_crawl::LoadedPage;
use threshr_extract::RawExtraction;
use threshr_extract::model::file;
use threshr_extract::{Extractor, Labeller};
use threshr_features::SiteStats;
use threshr_io::RawPage;
use threshr_output::formats::{Entry, Format, PageOutput};

/// Labels and writes pages.
pub(super) struct Job {
    extractor: Extractor,
    selection: Selection,
    /// Name and checksum of the model or trained system. For an untrained system, its name and the version
    /// of the program.
    pub model: String,
}

/// A labelled page.
pub(super) struct Extracted {
    /// The entry in the output, or the reason why the page is not written.
    pub entry: std::result::Result<Entry, &'static str>,
    /// Whether at least one block is kept.
    pub has_content: bool,
    /// Defect of a page that could still be read.
    pub defect: Option<Error>,
    /// The charset that the page declares, if it is unknown.
    pub unknown_charset: Option<String>,
    /// Description of the bytes, if they contain no HTML.
    pub looks_like: Option<&'static str>,
}

/// Number of hexadecimal digits of the checksum in the name of a model.
pub(crate) const CHECKSUM_DIGITS: usize = 12;

impl Job {
    /// Creates a job. `name` is the name of the model file.
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

    /// Adds site statistics.
    pub(super) fn with_sites(self, stats: SiteStats) -> Job {
        Job { extractor: self.extractor.with_sites(stats, site_of), ..self }
    }

    /// Returns a description of everything that affects the labels.
    pub(super) fn settings(&self) -> Result<String> {
        let system = match self.extractor.labeller() {
            Labeller::System(choice, _) => choice.settings()?.to_string(),
            Labeller::Model(..) | Labeller::Trained(_) => String::new(),
        };
        let options = self.extractor.options();
        Ok(format!("{} {system} {options:?} {:?}", self.model, self.selection))
    }

    /// Extracts a page and formats it in `format`.
    pub(super) fn write(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        format: &Format,
        render: &Render,
        budget: &Budget,
    ) -> Result<Extracted> {
        let (id, date) = (raw.id.clone(), raw.date.clone());
        let mut loaded = LoadedPage::new(raw, most_bytes, render.url.as_deref())?;
        budget.check()?;
        let extraction = self.extractor.extract(&loaded.input(), budget).map_err(with_hint)?;
        let url = loaded.url.clone().or_else(|| extraction.document().url());
        if let Some(defect) = extraction.defect(&loaded.bytes) {
            loaded.defect.get_or_insert_with(|| defect.at_page(&id));
        }
        let defect = loaded.defect.as_ref().map(Error::with_causes);
        let page = PageOutput {
            id: &id,
            defect: defect.as_deref(),
            url: url.as_deref(),
            date: date.as_deref(),
            model: &self.model,
            added: render.added,
            options: render.options,
            budget: *budget,
            ..extraction.output()
        };
        let left_out = self.selection.left_out(|| page.text(), page.doc.language(), page.type_and_quality)?;
        let entry = match left_out {
            Some(why) => Err(why),
            None => Ok((format.page)(&page)?),
        };
        let has_content = extraction.has_content();
        let unknown_charset = threshr_html::unknown_charset(&loaded.bytes, loaded.charset.as_deref());
        let (looks_like, defect) = (inputs::no_html(&loaded.bytes), loaded.defect.take());
        Ok(Extracted { entry, has_content, defect, unknown_charset, looks_like })
    }

    /// Explains the blocks of a page. `url` is the URL of the page if the input contains none.
    pub(super) fn explain(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        blocks: Option<&[usize]>,
        url: Option<&str>,
        budget: &Budget,
    ) -> Result<String> {
        let id = raw.id.clone();
        let loaded = LoadedPage::new(raw, most_bytes, url)?;
        let explained = self.extractor.explain(&loaded.input(), blocks, budget).map_err(with_hint);
        let (extraction, explanations) = explained?;
        Ok(explain::page(&id, &extraction, &explanations))
    }

    /// Returns whether blocks have scores.
    pub(super) fn has_scores(&self) -> bool {
        self.extractor.model().is_some()
    }

    /// Returns whether the model has columns that depend on the other pages of a site.
    pub(super) fn needs_sites(&self) -> bool {
        self.extractor.needs_sites()
    }

    /// Returns the site of a page and the keys of its blocks, for the first pass of `--site-stats`. Returns
    /// `None` if the site is unknown. `url` is the URL of the page if the input contains none.
    pub(super) fn site_keys(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        url: Option<&str>,
        budget: &Budget,
    ) -> Result<Option<(String, Vec<u64>)>> {
        let loaded = LoadedPage::new(raw, most_bytes, url)?;
        self.extractor.site_keys(&loaded.input(), site_of, budget)
    }
}

/// If the page is not HTML, adds a hint at the option for files of many pages to the error.
pub(crate) fn with_hint(error: Error) -> Error {
    match error.kind {
        ErrorKind::NotHtml => error.expected("an HTML page, or --input-format for files of many pages"),
        _ => error,
    }
}
