//! What `threshr predict` does with each page.

use super::{args, explain};
use crate::block::{self, Blocks};
use crate::crawl::RawPage;
use crate::deadline;
use crate::error::{Error, Result};
use crate::features::SiteStats;
use crate::filter::FilterChoice;
use crate::gold::site_of;
use crate::output::{Entry, Format, PageOutput};
use crate::page::{self, Document, ParseOptions, Selector};
use crate::pipeline::{Pipeline, PredictOptions, Prediction};
use crate::systems::{self, System, SystemInput};
use std::path::Path;

/// How pages are labelled.
pub struct Job {
    method: Method,
    pub options: PredictOptions,
    pub parse: ParseOptions,
    select: Option<Selector>,
    /// What the pages of each site have in common, after a first pass.
    pub sites: Option<SiteStats>,
    /// What labels: name and check sum of the model, or name of the system and version.
    pub model: String,
}

enum Method {
    Model(Box<Pipeline>),
    System(&'static System),
}

/// Digits of a model's check sum that tell it from others.
const CHECKSUM_DIGITS: usize = 12;

impl Job {
    /// By a model file.
    pub fn model(
        path: Option<&Path>,
        options: PredictOptions,
        mut parse: ParseOptions,
        select: Option<Selector>,
    ) -> Result<Job> {
        let pipeline = args::model(path)?;
        parse.strict_visibility |= pipeline.recipe().page.strict_visibility;
        let name = path.and_then(Path::file_stem).map_or("default".into(), |s| s.to_string_lossy());
        let checksum = pipeline.checksum().and_then(|c| c.get(..CHECKSUM_DIGITS)).unwrap_or_default();
        let model = format!("{name}@{checksum}");
        Ok(Job { method: Method::Model(Box::new(pipeline)), options, parse, select, sites: None, model })
    }

    /// By a method without a model.
    pub fn system(
        name: &str,
        options: PredictOptions,
        parse: ParseOptions,
        select: Option<Selector>,
    ) -> Result<Job> {
        let system = systems::by_name(name)?;
        if system.needs_gold {
            return Err(
                Error::recipe(format!("the system `{name}` needs gold")).expected("it in `threshr evaluate`")
            );
        }
        let model = format!("{name}@threshr-{}", env!("CARGO_PKG_VERSION"));
        Ok(Job { method: Method::System(system), options, parse, select, sites: None, model })
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
        let doc = self.read(raw, most_bytes)?;
        deadline::check();
        let url = url.or_else(|| doc.url());
        let prediction = self.predict(&doc, url.as_deref())?;
        deadline::check();
        let Prediction { blocks, scores, kept, classes } = &prediction;
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
        let Method::Model(pipeline) = &self.method else {
            return Err(Error::recipe("--explain explains models").expected("no --system"));
        };
        let id = raw.id.clone();
        let doc = self.read(raw, most_bytes)?;
        explain::page(&id, &doc, pipeline, &self.options, blocks)
    }

    /// Whether the model has columns that rest on the pages of a site.
    pub fn needs_sites(&self) -> bool {
        matches!(&self.method, Method::Model(pipeline) if pipeline.features().needs_crawl())
    }

    /// For the first pass: the site of a page and the keys of its blocks; nothing where the site is not known.
    pub fn site_keys(&self, raw: RawPage, most_bytes: Option<u64>) -> Result<Option<(String, Vec<u64>)>> {
        let Method::Model(pipeline) = &self.method else { return Ok(None) };
        let url = raw.url.clone();
        let doc = self.read(raw, most_bytes)?;
        let site = url.or_else(|| doc.url()).as_deref().and_then(site_of);
        Ok(site.map(|site| (site, pipeline.site_keys(&doc, &self.options))))
    }

    fn read(&self, mut raw: RawPage, most_bytes: Option<u64>) -> Result<Document> {
        let charset = self.parse.charset.clone().or(raw.charset.take());
        let bytes = raw.load(most_bytes)?.bytes;
        if let Some(kind) = page::other_kind(&bytes) {
            return Err(Error::data(format!("this looks like {kind}")).expected("an HTML page"));
        }
        deadline::check();
        Ok(page::parse(&bytes, &ParseOptions { charset, ..self.parse.clone() }))
    }

    fn predict(&self, doc: &Document, url: Option<&str>) -> Result<Prediction> {
        let none = FilterChoice::default();
        let (mut prediction, filter) = match &self.method {
            Method::Model(pipeline) => {
                let options = PredictOptions { filter: Some(none), ..self.options };
                let site = url.and_then(site_of);
                let site = site.as_deref().zip(self.sites.as_ref());
                (
                    pipeline.predict_on_site(doc, &options, site)?,
                    self.options.filter.unwrap_or(pipeline.filter()),
                )
            }
            Method::System(system) => {
                (run_system(system, doc, &self.options), self.options.filter.unwrap_or(none))
            }
        };
        // first what is asked for, then the filter among it
        if let Some(selector) = &self.select {
            keep_inside(selector, doc, &mut prediction);
        }
        let Prediction { blocks, scores, kept, .. } = &mut prediction;
        filter.apply(doc, blocks, Some(scores), kept);
        Ok(prediction)
    }
}

fn run_system(system: &System, doc: &Document, options: &PredictOptions) -> Prediction {
    let blocks = Blocks::of(doc, block::REGISTRY[0], options.visibility.unwrap_or_default());
    let kept = (system.run)(&SystemInput { doc, blocks: &blocks, gold: None });
    let scores = kept.iter().map(|&k| f32::from(u8::from(k))).collect();
    Prediction { blocks, scores, kept, classes: None }
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
