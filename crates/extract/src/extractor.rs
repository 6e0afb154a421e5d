//! Extracts the content of pages with a model or a system.

use crate::baseline::{Method, SystemChoice, SystemInput, TrainedSystem};
use crate::decision::{Decision, DecisionOptions};
use crate::extraction::{Counts, Extraction, RawExtraction};
use crate::filters::FilterChoice;
use crate::flow::{self, DecisionFacts, GeometryFile, Labels, Page, PageFeatures, PageOptions, Site};
use crate::model::{Model, Trained};
use crate::type_and_quality::LabelledPage;
use std::borrow::Cow;
use std::fmt;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Budget, Error, Result, site_of};
use threshr_features::{SiteStats, block_keys};
#[cfg(feature = "selectors")]
use threshr_html::Selector;
use threshr_html::blocks::REGISTRY as SEGMENTATIONS;
use threshr_html::structure::notes::Notes;
use threshr_html::{ParseOptions, Visibility, plain_html};
use threshr_output::{Quality, TypeAndQuality};
use threshr_page::{BlockStats, PageWords};

/// The classifier of an extractor: a model or a system.
#[derive(Debug)]
pub enum Labeller {
    /// A trained model.
    Model(Box<Model>),
    /// A system that needs no training.
    System(SystemChoice, Box<dyn Method>),
    /// A trained system.
    Trained(Box<TrainedSystem>),
}

impl From<Trained> for Labeller {
    fn from(trained: Trained) -> Self {
        match trained {
            Trained::Model(model) => Labeller::Model(model),
            Trained::System(system) => Labeller::Trained(system),
        }
    }
}

impl Labeller {
    /// Returns a system that needs no training.
    ///
    /// # Errors
    /// If the system requires training or gold annotations, or the value of an option is invalid.
    pub fn system(choice: SystemChoice) -> Result<Self> {
        if choice.system().needs_gold {
            return Err(Error::invalid_option(format!(
                "the system `{}` needs gold annotations",
                choice.name()
            ))
            .expected("another system; `threshr evaluate` can run this one"));
        }
        let method = choice.method()?;
        Ok(Labeller::System(choice, method))
    }

    /// Returns the model, or `None` for a system.
    pub fn model(&self) -> Option<&Model> {
        match self {
            Labeller::Model(model) => Some(model),
            Labeller::System(..) | Labeller::Trained(_) => None,
        }
    }
}

/// Options that replace settings of the recipe of the model.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The decision rule, and whether precision or recall has more weight.
    pub decision: DecisionOptions,
    /// The filter after the decision rule.
    pub filter: Option<FilterChoice>,
    /// The content policy.
    pub policy: Option<PolicyChoice>,
    /// Whether hidden text may be kept.
    pub visibility: Option<Visibility>,
    /// How pages are parsed.
    pub parse: ParseOptions,
    /// Whether to predict the type of the page, if the model supports this.
    pub page_type: bool,
    /// Whether to predict the quality of the page's text, if the model supports this. This takes a tenth of the time
    /// that predicting the type takes.
    pub quality: bool,
    /// Whether extractions store the counts from which [`Extractor::type_and_quality_of`] predicts type and quality
    /// later.
    pub keep_counts: bool,
    /// CSS selector: only blocks inside matching elements are kept.
    #[cfg(feature = "selectors")]
    pub select: Option<Selector>,
    /// CSS selector: blocks inside matching elements are not kept.
    #[cfg(feature = "selectors")]
    pub drop: Option<Selector>,
}

/// A page to extract from.
#[derive(Debug, Clone, Copy, Default)]
pub struct Input<'a> {
    /// The bytes of the page.
    pub bytes: &'a [u8],
    /// Charset from outside the page (HTTP header, data set). A charset in the options takes precedence.
    pub charset: Option<&'a str>,
    /// URL of the page. It is used for the metadata and to find the site, which selects the crawl statistics
    /// and the correction of the model. If `None`, the URL in the HTML of the page is used.
    pub url: Option<&'a str>,
    /// The geometry file, if there is one.
    pub geometry: Option<GeometryFile<'a>>,
}

/// A stage of the flow, reported to observers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Bytes → document and blocks.
    Prepare,
    /// Blocks → feature matrix.
    Features,
    /// Feature matrix → labels.
    Decide,
}

/// Extracts the content of pages. It is `Send + Sync`, so threads can share it.
pub struct Extractor {
    labeller: Labeller,
    options: Options,
    sites: Option<Sites>,
}

/// Statistics about the pages of each site, counted in a first pass over a crawl.
struct Sites {
    stats: SiteStats,
    site_of: SiteOf,
}

/// Computes the site of a URL: its registrable domain.
pub type SiteOf = fn(&str) -> Option<String>;

impl fmt::Debug for Extractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extractor").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Extractor {
    /// Creates an extractor with options.
    pub fn new(labeller: impl Into<Labeller>, options: Options) -> Self {
        Extractor { labeller: labeller.into(), options, sites: None }
    }

    /// Adds the statistics of a crawl. `site_of` must be the function that was used to count the statistics.
    #[must_use]
    pub fn with_sites(self, stats: SiteStats, site_of: SiteOf) -> Self {
        Extractor { sites: Some(Sites { stats, site_of }), ..self }
    }

    /// The model or system that labels the blocks.
    pub fn labeller(&self) -> &Labeller {
        &self.labeller
    }
    /// The options that were given.
    pub fn options(&self) -> &Options {
        &self.options
    }
    /// The model, if a model labels the blocks.
    pub fn model(&self) -> Option<&Model> {
        self.labeller.model()
    }

    /// Returns the settings for reading a page.
    fn page_options(&self, charset: Option<&str>) -> PageOptions {
        let given = self.options.visibility;
        let mut parse = self.options.parse.clone();
        parse.charset = parse.charset.or_else(|| charset.map(str::to_owned));
        let Some(model) = self.model() else {
            return PageOptions {
                parse,
                segmentation: SEGMENTATIONS[0],
                visibility: given.unwrap_or_default(),
            };
        };
        parse.strict_visibility |= model.recipe().page.strict_visibility;
        let visibility = given.unwrap_or_else(|| model.recipe().visibility());
        PageOptions { parse, segmentation: model.segmentation(), visibility }
    }

    /// Extracts the content of a page.
    ///
    /// # Errors
    /// [`ErrorKind::NotHtml`](threshr_core::ErrorKind::NotHtml) if the bytes have another known format.
    /// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
    pub fn extract(&self, input: &Input<'_>, budget: &Budget) -> Result<Extraction> {
        self.extract_observed(input, budget, &mut |_| {})
    }

    /// Extracts the content of a page; `observe` is called after each stage.
    ///
    /// # Errors
    /// As [`Extractor::extract`].
    pub fn extract_observed(
        &self,
        input: &Input<'_>,
        budget: &Budget,
        observe: &mut dyn FnMut(Stage),
    ) -> Result<Extraction> {
        let options = self.page_options(input.charset);
        let page = flow::prepare(input.bytes, input.geometry, &options, budget)?;
        observe(Stage::Prepare);
        let (mut type_and_quality, mut counts) = (None, None);
        let (mut thread, mut article, mut notes) = (None, None, None);
        let labels = match &self.labeller {
            Labeller::Model(model) => {
                let decision = self.decision(model);
                let features = self.features(model, &page, &decision, input.url, budget)?;
                observe(Stage::Features);
                let rows = features.rows(model.columns())?;
                let inside = self.inside(&page);
                let found = Notes::new(&page.doc);
                let facts = facts(&page, &features, &found);
                let labels =
                    flow::decide(model.fitted(), &decision, rows, &facts, inside.as_deref(), budget)?;
                budget.check()?;
                let wanted @ (page_type, quality) = (self.options.page_type, self.options.quality);
                if page_type || quality {
                    let words = features.words.as_ref();
                    type_and_quality =
                        predict(model, &page, &features.stats, words, &labels, input.url, wanted);
                }
                if self.options.keep_counts {
                    counts = Some(Counts { stats: features.stats, words: features.words });
                }
                thread = Some(features.thread);
                article = features.article;
                notes = Some(found);
                labels
            }
            Labeller::System(choice, method) => self.run(choice, &**method, &page, input.bytes, &options),
            Labeller::Trained(system) => {
                self.run(system.choice(), system.method(), &page, input.bytes, &options)
            }
        };
        budget.check()?;
        observe(Stage::Decide);
        Ok(Extraction::new(page, labels, type_and_quality, input.url)
            .with_counts(counts)
            .with_known(thread, article, notes))
    }

    /// Returns the type and the quality of a page that this extractor has extracted. Each call computes the
    /// predictions, unless [`Options::page_type`] or [`Options::quality`] is set. `None` if the model predicts neither, or
    /// [`Options::keep_counts`] is not set.
    pub fn type_and_quality_of(&self, extraction: &Extraction) -> Option<TypeAndQuality> {
        if let Some(type_and_quality) = extraction.type_and_quality() {
            return Some(type_and_quality.clone());
        }
        let (model, counts) = (self.model()?, extraction.counts()?);
        let page = extraction.page();
        let words = counts.words.as_ref();
        predict(model, page, &counts.stats, words, extraction.labels(), extraction.url(), (true, true))
    }

    /// Returns the decision settings of the model, with the given options applied.
    pub(crate) fn decision(&self, model: &Model) -> Decision {
        model.decision(&self.options.decision, self.options.filter)
    }

    pub(crate) fn features(
        &self,
        model: &Model,
        page: &Page,
        decision: &Decision,
        url: Option<&str>,
        budget: &Budget,
    ) -> Result<PageFeatures> {
        let policy = self.options.policy.unwrap_or(model.recipe().policy.default);
        let name = self.site(model, page, url);
        let stats = self.sites.as_ref().map(|sites| &sites.stats);
        let site = name.as_deref().map(|name| Site { name, stats });
        flow::features(model, page, policy, decision, site, budget)
    }

    /// Returns the site of a page; `None` if it is unknown, or neither features nor corrections depend on it.
    pub(crate) fn site(&self, model: &Model, page: &Page, url: Option<&str>) -> Option<String> {
        match &self.sites {
            Some(sites) => site(page, url, sites.site_of),
            None if model.fitted().corrections.sites.is_empty() => None,
            None => site(page, url, site_of),
        }
    }

    pub(crate) fn prepare(&self, input: &Input<'_>, budget: &Budget) -> Result<Page> {
        flow::prepare(input.bytes, input.geometry, &self.page_options(input.charset), budget)
    }

    fn run(
        &self,
        choice: &SystemChoice,
        method: &dyn Method,
        page: &Page,
        bytes: &[u8],
        options: &PageOptions,
    ) -> Labels {
        let html = choice.system().needs_html.then(|| plain_html(bytes, &options.parse));
        let input = SystemInput {
            html: html.as_deref(),
            visibility: options.visibility,
            ..SystemInput::new(&page.doc, &page.blocks)
        };
        let filter = self.options.filter.unwrap_or(choice.filter());
        let inside = self.inside(page);
        flow::label_kept(
            method.keep(&input),
            method.classes(&input),
            filter,
            (&page.doc, &page.blocks),
            None,
            inside.as_deref(),
        )
    }

    /// Returns whether each block is inside the selected elements and outside the dropped ones; `None` without
    /// selectors.
    #[cfg(feature = "selectors")]
    pub(crate) fn inside(&self, page: &Page) -> Option<Vec<bool>> {
        let Options { select, drop, .. } = &self.options;
        if select.is_none() && drop.is_none() {
            return None;
        }
        let selected = select.as_ref().map(|selector| blocks_inside(page, selector));
        let dropped = drop.as_ref().map(|selector| blocks_inside(page, selector));
        let is_in = |blocks: &Option<Vec<bool>>, i: usize, default| blocks.as_ref().map_or(default, |b| b[i]);
        Some(
            (0..page.blocks.len()).map(|i| is_in(&selected, i, true) && !is_in(&dropped, i, false)).collect(),
        )
    }

    #[cfg(not(feature = "selectors"))]
    pub(crate) fn inside(&self, _page: &Page) -> Option<Vec<bool>> {
        None
    }

    /// Whether the model has columns that depend on other pages of the site.
    pub fn needs_sites(&self) -> bool {
        self.model().is_some_and(|model| model.features().needs_crawl())
    }

    /// Returns the site of a page and the keys of its blocks, for the first pass over a crawl. `None` if the site
    /// is unknown.
    ///
    /// # Errors
    /// As [`Extractor::extract`].
    pub fn site_keys(
        &self,
        input: &Input<'_>,
        site_of: SiteOf,
        budget: &Budget,
    ) -> Result<Option<(String, Vec<u64>)>> {
        let page = self.prepare(input, budget)?;
        Ok(site(&page, input.url, site_of).map(|site| (site, block_keys(&page.blocks))))
    }
}

/// Returns whether each block is inside an element that matches a selector.
#[cfg(feature = "selectors")]
fn blocks_inside(page: &Page, selector: &Selector) -> Vec<bool> {
    let doc = &page.doc;
    let mut inside = vec![false; doc.num_nodes()];
    selector.matches(doc).into_iter().for_each(|n| inside[n as usize] = true);
    for node in doc.descendants(doc.root()) {
        inside[node as usize] |= doc.parent(node).is_some_and(|p| inside[p as usize]);
    }
    page.blocks.iter().map(|block| inside[block.leaf as usize]).collect()
}

/// Returns the site of `url`, or else the site of the URL in the HTML of the page.
fn site(page: &Page, url: Option<&str>, of_url: SiteOf) -> Option<String> {
    match url {
        Some(url) => of_url(url),
        None => page.doc.url().as_deref().and_then(of_url),
    }
}

/// Predicts type and quality of a page, if they are wanted and the model supports this.
fn predict(
    model: &Model,
    page: &Page,
    stats: &[BlockStats],
    words: Option<&PageWords>,
    labels: &Labels,
    url: Option<&str>,
    (page_type, quality): (bool, bool),
) -> Option<TypeAndQuality> {
    let models = &model.fitted().type_and_quality;
    if models.is_empty() {
        return None;
    }
    let own = if url.is_none() && page_type { page.doc.url() } else { None };
    let labelled = LabelledPage {
        doc: &page.doc,
        blocks: &page.blocks,
        stats,
        words,
        scores: &labels.scores,
        kept: &labels.kept,
        url: url.or(own.as_deref()),
    };
    let mut predicted = models.predict(&labelled, page_type, quality);
    if page.doc.needs_rendering() || page.blocks.is_empty() {
        // the content is not on the page
        predicted.quality = predicted.quality.map(|_| Quality { expected: 0.0, low: 0.0, high: 0.0 });
    }
    Some(predicted)
}

/// Collects the inputs of [`flow::decide`] other than the feature rows.
pub(crate) fn facts<'a>(page: &'a Page, features: &'a PageFeatures, notes: &'a Notes) -> DecisionFacts<'a> {
    DecisionFacts {
        doc: &page.doc,
        blocks: &page.blocks,
        num_tokens: Cow::Borrowed(&features.num_tokens),
        article: Cow::Borrowed(&features.decided),
        left_out: features.left_out,
        thread: features.thread.parts(),
        controls: &features.controls,
        notes: Some(notes),
        shift: features.shift.as_ref().map(Cow::Borrowed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Known;
    use crate::model::file;
    use std::path::Path;

    #[test]
    fn type_and_quality_is_the_same_later() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let bytes = std::fs::read(root.join("datasets/sample/pages/4565.html")).expect("a page");
        let extract = |options: Options| {
            let model = file::load(&root.join("models/default.bin"), &Known::default()).expect("a model");
            let extractor = Extractor::new(model, options);
            let input = Input { bytes: &bytes, url: Some("https://example.org/a"), ..Input::default() };
            let extraction = extractor.extract(&input, &Budget::UNLIMITED).expect("a page");
            (extractor.type_and_quality_of(&extraction), extraction.type_and_quality().cloned())
        };
        let (of_now, now) = extract(Options { page_type: true, quality: true, ..Options::default() });
        let (later, nothing) = extract(Options { keep_counts: true, ..Options::default() });
        assert!(now.as_ref().is_some_and(|page| page.quality.is_some() && page.page_type().is_some()));
        assert_eq!((&of_now, &later, nothing), (&now, &now, None));
        assert_eq!(extract(Options::default()), (None, None));
        let only = extract(Options { quality: true, ..Options::default() }).1.expect("a quality");
        assert_eq!((only.page_type(), only.quality), (None, now.and_then(|page| page.quality)));
    }
}
