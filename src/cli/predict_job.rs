//! What `threshr predict` does with each page.

use super::explain;
use crate::crawl::RawPage;
use crate::deadline;
use crate::error::{Error, Result};
use crate::features::SiteStats;
use crate::filter::FilterChoice;
use crate::gold::site_of;
use crate::model_file;
use crate::output::{Entry, Format, PageOutput};
use crate::page::{self, Document, ParseOptions, Selector};
use crate::pipeline::{Pipeline, PredictOptions, Prediction, read_geometry};
use crate::systems::{Method, SystemChoice, TrainedSystem};
use sha2::{Digest, Sha256};
use std::path::Path;

/// How pages are labelled.
pub struct Job {
    way: Way,
    pub options: PredictOptions,
    pub parse: ParseOptions,
    select: Option<Selector>,
    /// What the pages of each site have in common, after a first pass.
    pub sites: Option<SiteStats>,
    /// What labels: name and check sum of the model or trained system, or name of the system and version.
    pub model: String,
}

/// What labels the blocks.
pub enum Way {
    /// A model with its name.
    Model(String, Box<Pipeline>),
    System(SystemChoice, Box<dyn Method>),
    Trained(Box<TrainedSystem>),
}

/// Digits of a check sum that tell a model from others.
const CHECKSUM_DIGITS: usize = 12;

impl Job {
    pub fn new(
        way: Way,
        options: PredictOptions,
        parse: ParseOptions,
        select: Option<Selector>,
    ) -> Result<Job> {
        let short = |checksum: &str| checksum.get(..CHECKSUM_DIGITS).unwrap_or_default().to_owned();
        let of_bytes = |bytes: &[u8]| short(&crate::hex(&Sha256::digest(bytes)));
        let model = match &way {
            Way::Model(name, pipeline) => {
                format!("{name}@{}", short(pipeline.checksum().unwrap_or_default()))
            }
            Way::System(choice, _) => format!("{}@threshr-{}", choice.name(), env!("CARGO_PKG_VERSION")),
            Way::Trained(system) => {
                format!("{}@{}", system.choice().name(), of_bytes(&model_file::system_to_bytes(system)?))
            }
        };
        Ok(Job { way, options, parse, select, sites: None, model })
    }

    /// Everything that the labels depend on, as text.
    pub fn settings(&self) -> Result<String> {
        let system = match &self.way {
            Way::System(choice, _) => choice.settings()?.to_string(),
            Way::Model(..) | Way::Trained(_) => String::new(),
        };
        Ok(format!("{} {system} {:?} {:?}", self.model, self.options, self.parse))
    }

    /// What a page gives in a format, and whether any of its blocks is kept.
    pub fn write(
        &self,
        raw: RawPage,
        most_bytes: Option<u64>,
        format: &Format,
        with_markdown: bool,
    ) -> Result<(Entry, bool)> {
        let (id, url, date) = (raw.id.clone(), raw.url.clone(), raw.date.clone());
        let (doc, bytes, parse) = self.read(raw, most_bytes)?;
        deadline::check();
        let url = url.or_else(|| doc.url());
        let site = url.as_deref().and_then(site_of);
        let prediction = self.predict(&doc, site.as_deref(), &bytes, &parse)?;
        deadline::check();
        let Prediction { blocks, scores, kept, classes, .. } = &prediction;
        let page = PageOutput {
            id: &id,
            url: url.as_deref(),
            date: date.as_deref(),
            doc: &doc,
            blocks,
            scores,
            kept,
            classes: classes.as_deref(),
            model: &self.model,
            with_markdown,
        };
        Ok(((format.page)(&page), kept.contains(&true)))
    }

    /// Why a page's blocks have their scores.
    pub fn explain(&self, raw: RawPage, most_bytes: Option<u64>, blocks: Option<&[usize]>) -> Result<String> {
        let Way::Model(_, pipeline) = &self.way else {
            return Err(Error::recipe("--explain explains models").expected("no --system"));
        };
        let id = raw.id.clone();
        let (doc, ..) = self.read(raw, most_bytes)?;
        explain::page(&id, &doc, pipeline, &self.options, blocks)
    }

    /// Whether blocks are labelled by scores.
    pub fn has_scores(&self) -> bool {
        matches!(self.way, Way::Model(..))
    }

    /// Whether the model has columns that rest on the pages of a site.
    pub fn needs_sites(&self) -> bool {
        matches!(&self.way, Way::Model(_, pipeline) if pipeline.features().needs_crawl())
    }

    /// For the first pass: the site of a page and the keys of its blocks; nothing where the site is not known.
    pub fn site_keys(&self, raw: RawPage, most_bytes: Option<u64>) -> Result<Option<(String, Vec<u64>)>> {
        let Way::Model(_, pipeline) = &self.way else { return Ok(None) };
        let url = raw.url.clone();
        let (doc, ..) = self.read(raw, most_bytes)?;
        let site = url.or_else(|| doc.url()).as_deref().and_then(site_of);
        Ok(site.map(|site| (site, pipeline.site_keys(&doc, &self.options))))
    }

    /// A page with its bytes, and how they were parsed.
    fn read(&self, mut raw: RawPage, most_bytes: Option<u64>) -> Result<(Document, Vec<u8>, ParseOptions)> {
        let path = raw.path().map(Path::to_path_buf);
        let charset = self.parse.charset.clone().or(raw.charset.take());
        let bytes = raw.load(most_bytes)?.bytes;
        if let Some(kind) = page::other_kind(&bytes) {
            return Err(Error::data(format!("this looks like {kind}"))
                .expected("an HTML page, or --input-format for what holds pages"));
        }
        deadline::check();
        let parse = ParseOptions { charset, ..self.parse.clone() };
        let mut doc = page::parse(&bytes, &parse);
        if let Some(path) = path {
            read_geometry(&path, &mut doc)?;
        }
        Ok((doc, bytes, parse))
    }

    fn predict(
        &self,
        doc: &Document,
        site: Option<&str>,
        bytes: &[u8],
        parse: &ParseOptions,
    ) -> Result<Prediction> {
        let none = FilterChoice::default();
        let system = |choice: &SystemChoice, method: &dyn Method| {
            let html = choice.system().needs_html.then(|| page::plain_html(bytes, parse));
            let visibility = self.options.visibility.unwrap_or_default();
            let prediction = choice.with_filter(none).predict(method, doc, html.as_deref(), visibility);
            (prediction, self.options.filter.unwrap_or(choice.filter()))
        };
        let (mut prediction, filter) = match &self.way {
            Way::Model(_, pipeline) => {
                let options = PredictOptions { filter: Some(none), ..self.options };
                let site = site.zip(self.sites.as_ref());
                (
                    pipeline.predict_on_site(doc, &options, site)?,
                    self.options.filter.unwrap_or(pipeline.filter()),
                )
            }
            Way::System(choice, method) => system(choice, &**method),
            Way::Trained(trained) => system(trained.choice(), trained.method()),
        };
        // first what is asked for, then the filter among it
        if let Some(selector) = &self.select {
            keep_inside(selector, doc, &mut prediction);
        }
        let Prediction { blocks, scores, kept, left_out, .. } = &mut prediction;
        filter.apply(doc, blocks, Some(scores), *left_out, kept);
        Ok(prediction)
    }
}

/// Drops blocks that stand in none of the elements that match.
fn keep_inside(selector: &Selector, doc: &Document, prediction: &mut Prediction) {
    let mut inside = vec![false; doc.num_nodes()];
    selector.matches(doc).into_iter().for_each(|n| inside[n as usize] = true);
    for node in doc.descendants(doc.root()) {
        inside[node as usize] |= doc.parent(node).is_some_and(|p| inside[p as usize]);
    }
    for (block, kept) in prediction.blocks.iter().zip(&mut prediction.kept) {
        *kept &= inside[block.leaf as usize];
    }
}
