//! The stages joined: a [`Recipe`] and annotated pages give a [`Pipeline`]; a pipeline and a page give labels.

mod cache;
mod classes;
mod columns;
mod corpus;
mod decision;
mod explain;
mod fit;
mod gather;
mod learn;
mod reading;
mod recipe;
mod summary;
mod switches;
mod variants;
mod weights;

pub(crate) use cache::program;
pub(crate) use classes::CLASSIFIER as PARAGRAPH_CLASSIFIER;
pub use classes::ClassModels;
pub use corpus::{Corpus, CorpusPage, Needs, SetInfo};
pub use decision::{Decision, Fate};
pub use explain::{Explanation, Move};
pub use fit::{Fit, SecondPass};
pub use reading::read_geometry;
pub use recipe::{
    BlockRecipe, BlockWeight, ClassWeight, ClassifierRecipe, DecisionRecipe, FeatureRecipe, LabelRecipe,
    PageRecipe, PageWeight, PolicyRecipe, Recipe, VariantRecipe, WeightRecipe,
};
pub use summary::{HeldOut, TrainingSummary};

use crate::block::{Blocks, ParagraphClass, Segmentation};
use crate::decision::{DecisionOptions, Rule, RuleChoice};
use crate::error::{Error, Result};
use crate::features::{
    FeatureMatrix, FeatureSet, PageContext, SiteStats, block_keys, told_apart, told_column,
};
use crate::filter::{FilterChoice, Page};
use crate::page::{Document, Visibility};
use crate::policy::{LeftOut, PROPERTIES, PolicyChoice, Property};
use crate::progress::Progress;
use crate::rescore::Structure;
pub(crate) use decision::without_told;
use recipe::Parts;
use switches::Confined;

/// A trained model with all that is needed to use it.
#[derive(Debug)]
pub struct Pipeline {
    recipe: Recipe,
    parts: Parts,
    fit: Fit,
    summary: TrainingSummary,
    /// The features, those alone computed that the models look at.
    lean: FeatureSet,
    /// That of the file it was read from.
    pub(crate) checksum: Option<String>,
}

/// What to do otherwise than the model's recipe says.
#[derive(Debug, Clone, Copy, Default)]
pub struct PredictOptions {
    /// Which decision rule, and what it favours.
    pub decision: DecisionOptions,
    /// Filter after the rule.
    pub filter: Option<FilterChoice>,
    /// What is to count as content.
    pub policy: Option<PolicyChoice>,
    /// Whether hidden text is kept.
    pub visibility: Option<Visibility>,
}

/// What a pipeline says of a page.
#[derive(Debug, Clone)]
pub struct Prediction {
    /// The page's blocks.
    pub blocks: Blocks,
    /// Score of each block, `0.0..=1.0`, calibrated.
    pub scores: Vec<f32>,
    /// The score that the decision rule asks of the page's blocks.
    pub least_score: f32,
    /// Class of each block, where the model tells classes of paragraphs apart.
    pub classes: Option<Vec<ParagraphClass>>,
    /// Whether each block is kept: its score reaches what the decision rule asks for, and the filter lets it pass.
    pub kept: Vec<bool>,
    /// What a filter is to know of the page's policy.
    pub left_out: LeftOut,
}

impl Pipeline {
    /// Trains on the pages of a corpus that [`Corpus::into_training`] keeps.
    ///
    /// # Errors
    /// Where the recipe cannot be used, or the pages do not hold blocks of both classes.
    pub fn train(corpus: Corpus, recipe: &Recipe, progress: &dyn Progress) -> Result<Self> {
        let parts = recipe.parts()?;
        if corpus.columns() != &parts.features.names()[..] {
            return Err(
                Error::features("the pages were read with other columns").expected("those of the recipe")
            );
        }
        let mut corpus = corpus.into_training(recipe)?;
        let pages: Vec<usize> = (0..corpus.pages.len()).collect();
        let fit = fit::fit(&mut corpus, &pages, recipe, &parts, progress)?;
        let summary = TrainingSummary::of(&corpus, &pages, recipe, fit.held_out.clone());
        let lean = lean(&parts.features, &fit);
        let mut recipe = recipe.clone();
        recipe.policy.declare(&corpus.sets);
        Ok(Self { recipe, parts, fit, summary, lean, checksum: None })
    }

    /// Joins what a model file holds; names and definitions of the columns must be those of this version.
    pub(crate) fn assemble(
        recipe: Recipe,
        fit: Fit,
        summary: TrainingSummary,
        columns: &[String],
        definitions: &str,
    ) -> Result<Self> {
        let parts = Parts { features: FeatureSet::from_names(columns)?, ..recipe.parts()? };
        if fit.model.num_columns() != columns.len() {
            return Err(Error::model(format!("the model has {} columns", columns.len()))
                .expected(fit.model.num_columns().to_string()));
        }
        if !parts.features.is_defined_by(definitions) {
            return Err(Error::model("the model was trained with other definitions of its columns")
                .expected("a model trained by this version; `threshr train --recipe MODEL` makes one"));
        }
        let lean = lean(&parts.features, &fit);
        Ok(Self { recipe, parts, fit, summary, lean, checksum: None })
    }

    /// The settings it was trained with.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }
    /// The fitted classifier, its calibration and what the decision rules learned.
    pub fn fit(&self) -> &Fit {
        &self.fit
    }
    /// What it was trained on, and how well it did on held-out pages.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
    /// The check sum of the model file that it was read from, in hexadecimal digits; `None` where it was just trained.
    pub fn checksum(&self) -> Option<&str> {
        self.checksum.as_deref()
    }
    /// Its columns.
    pub fn features(&self) -> &FeatureSet {
        &self.parts.features
    }
    /// Names of its columns.
    pub fn columns(&self) -> &[String] {
        self.parts.features.names()
    }
    /// Hash of the definitions of its columns.
    pub(crate) fn definitions_hash(&self) -> &str {
        self.parts.features.definitions_hash()
    }
    /// The filter of its recipe.
    pub fn filter(&self) -> FilterChoice {
        self.parts.filter
    }

    /// How it cuts pages into blocks.
    pub fn segmentation(&self) -> &'static Segmentation {
        self.parts.segmentation
    }
    /// What the features of a page are computed from.
    pub fn page<'a>(
        &'a self,
        doc: &'a Document,
        blocks: &'a Blocks,
        policy: PolicyChoice,
    ) -> PageContext<'a> {
        self.lean.page(doc, blocks).under(policy).with_vocabularies(&self.fit.vocabularies)
    }
    /// The matrix of a page; columns that the model does not look at are 0. Switches of what pages tell (headline, author and date, captions)
    /// stand in the rows of such blocks alone, and headings count in all where the recipe's filter leaves them out.
    pub fn extract(&self, page: &PageContext<'_>) -> FeatureMatrix {
        let mut matrix = self.lean.extract(page);
        let confined = Confined::of(self.columns(), page.policy, self.fit.filter);
        if !confined.is_empty() {
            confined.confine(matrix.values_mut(), page.told());
        }
        matrix
    }
    /// Scores of the blocks of a page, from the matrix of its columns.
    ///
    /// # Errors
    /// Where `matrix` has other columns than the model.
    pub fn score(&self, doc: &Document, blocks: &Blocks, matrix: &FeatureMatrix) -> Result<Vec<f32>> {
        let structure = match self.fit.second {
            Some(_) => Structure::of(&PageContext::without_words(doc, blocks)),
            None => Structure::default(),
        };
        self.fit.scores(matrix.values_for(self.columns())?, &structure)
    }

    /// The decision rule of its recipe.
    pub fn rule(&self) -> &'static Rule {
        self.parts.rule
    }
    /// Properties of policies that no column of the model looks at, or that are left to its filter: to switch them changes no score.
    pub fn unheeded_properties(&self) -> Vec<&'static Property> {
        let PolicyRecipe { switch, sets, declared, .. } = &self.recipe.policy;
        // of one sign alone it says which blocks are told, not whether they count
        let has_both_signs = |p: &Property| {
            let counts = || sets.values().chain(declared.values()).map(|policy| policy.has(p));
            *switch || counts().any(|c| c) && counts().any(|c| !c)
        };
        let heeds = |p: &&Property| {
            let told = told_column(p).is_some_and(|name| self.lean.computes(&name));
            told && has_both_signs(p) || self.lean.computes(&format!("policy.{}", p.name))
        };
        PROPERTIES.iter().filter(|p| self.fit.filter.drops(p) || !heeds(p)).collect()
    }
    /// From scores to labels: what the options ask for, and for the rest the model's own.
    pub fn decision(&self, options: &DecisionOptions, filter: Option<FilterChoice>) -> Decision {
        let rule = RuleChoice::new(self.parts.rule, self.fit.threshold, &self.fit.learned, options);
        Decision { rule, filter: filter.unwrap_or(self.parts.filter) }
    }

    /// Blocks that a decision leaves out of what it looks at: see [`without_told`].
    pub(crate) fn told_apart(&self, page: &PageContext<'_>, decision: &Decision) -> Vec<usize> {
        match decision.rule.rule.look {
            Some(_) => told_apart(|| page.told(), self.columns()),
            None => Vec::new(),
        }
    }

    /// Keys of a page's blocks for [`SiteStats`], as this pipeline cuts the page.
    pub fn site_keys(&self, doc: &Document, options: &PredictOptions) -> Vec<u64> {
        let visibility = options.visibility.unwrap_or(self.recipe.visibility());
        block_keys(&Blocks::of(doc, self.parts.segmentation, visibility))
    }

    /// Labels a page with the model's own decision rule and filter.
    ///
    /// # Errors
    /// Only where the model does not fit its own columns, which loading has checked.
    pub fn predict(&self, doc: &Document) -> Result<Prediction> {
        self.predict_with(doc, &PredictOptions::default())
    }

    /// Labels a page: blocks whose score is at least what the decision rule asks for and that the filter lets pass.
    ///
    /// # Errors
    /// As [`Pipeline::predict`].
    pub fn predict_with(&self, doc: &Document, options: &PredictOptions) -> Result<Prediction> {
        self.predict_on_site(doc, options, None)
    }

    /// The same for a page of a crawl: `site` is its site with what is known of its other pages.
    ///
    /// # Errors
    /// As [`Pipeline::predict`].
    pub fn predict_on_site(
        &self,
        doc: &Document,
        options: &PredictOptions,
        site: Option<(&str, &SiteStats)>,
    ) -> Result<Prediction> {
        Ok(self.predict_whole(doc, options, site)?.2)
    }

    /// The same with what it was predicted from.
    fn predict_whole(
        &self,
        doc: &Document,
        options: &PredictOptions,
        site: Option<(&str, &SiteStats)>,
    ) -> Result<(FeatureMatrix, Structure, Prediction)> {
        let visibility = options.visibility.unwrap_or(self.recipe.visibility());
        let blocks = Blocks::of(doc, self.parts.segmentation, visibility);
        let policy = options.policy.unwrap_or(self.recipe.policy.default);
        let page = self
            .page(doc, &blocks, policy)
            .on_site(site.map(|(site, stats)| stats.others(site, &block_keys(&blocks))));
        let matrix = self.extract(&page);
        let structure = if self.fit.second.is_some() { Structure::of(&page) } else { Structure::default() };
        let num_tokens: Vec<u32> = page.stats.iter().map(|s| s.num_words).collect();
        let left_out = policy.left_out(page.policy);
        let decision = self.decision(&options.decision, options.filter);
        let told = self.told_apart(&page, &decision);
        drop(page);
        let scores = self.fit.scores(matrix.values_for(self.columns())?, &structure)?;
        let judged = Page { doc, blocks: &blocks, scores: &scores, left_out };
        let (kept, least_score) =
            decision.keep(&judged, || without_told(&num_tokens, told.into_iter(), &scores));
        let classes = self.fit.classes(matrix.values_for(self.columns())?)?;
        Ok((matrix, structure, Prediction { blocks, scores, least_score, kept, classes, left_out }))
    }
}

/// The features with just those columns computed that a fit looks at.
fn lean(features: &FeatureSet, fit: &Fit) -> FeatureSet {
    let classes = fit.classes.iter().flat_map(|c| [&c.heading, &c.list]);
    let mut needed = vec![false; features.names().len()];
    for model in classes.chain([&fit.model]).chain(fit.second.iter().map(|s| &s.model)) {
        match model.looks_at() {
            // a second pass has columns of its own after these
            Some(asked) => needed.iter_mut().zip(asked).for_each(|(n, a)| *n |= a),
            None => return features.clone(),
        }
    }
    features.clone().computing(needed)
}

/// Fits the recipe's classifier on some pages of a corpus, without making a model file's pipeline of it.
///
/// # Errors
/// As [`Pipeline::train`].
pub fn fit_pages(
    corpus: &mut Corpus,
    pages: &[usize],
    recipe: &Recipe,
    progress: &dyn Progress,
) -> Result<Fit> {
    fit::fit(corpus, pages, recipe, &recipe.parts()?, progress)
}

/// Runs `work` on a page; a panic in it becomes an error of that page alone.
///
/// # Errors
/// Those of `work`, and that of a panic.
pub fn guard<T>(page: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::data("an internal fault; please report this page")))
        .map_err(|e| e.at_page(page))
}
