//! A trained system: its choice, what it learned, and what it was trained on.

use super::{Method, SystemChoice, SystemGold, SystemInput, project};
use crate::block::{self, Blocks};
use crate::error::{Error, Result};
use crate::page::{Document, Visibility};
use crate::pipeline::{Corpus, CorpusPage, HeldOut, Pipeline, Prediction, Recipe, TrainingSummary};
use crate::policy::LeftOut;
use serde_json::Value;

/// A trained system.
#[derive(Debug)]
pub struct TrainedSystem {
    choice: SystemChoice,
    data: Value,
    method: Box<dyn Method>,
    summary: TrainingSummary,
}

/// What a model file holds.
#[derive(Debug)]
pub enum Trained {
    /// A model: features and a classifier.
    Model(Box<Pipeline>),
    /// A trained system.
    System(Box<TrainedSystem>),
}

impl Trained {
    /// What it was trained on.
    pub fn summary(&self) -> &TrainingSummary {
        match self {
            Trained::Model(model) => model.summary(),
            Trained::System(system) => system.summary(),
        }
    }

    /// The model.
    ///
    /// # Errors
    /// Where it is a trained system.
    pub fn into_model(self) -> Result<Pipeline> {
        match self {
            Trained::Model(model) => Ok(*model),
            Trained::System(system) => Err(Error::model(format!(
                "the file holds the trained system `{}`",
                system.choice.system().name
            ))
            .expected("a model of features and a classifier")),
        }
    }
}

impl TrainedSystem {
    /// Trains a system on the pages with gold of a corpus that was read for it.
    ///
    /// # Errors
    /// Where it cannot be trained on these pages.
    pub fn train(choice: &SystemChoice, corpus: &Corpus, recipe: &Recipe) -> Result<Self> {
        let pages = corpus.trainable(recipe);
        let data = train_on(choice, corpus, &pages, recipe)?;
        let summary = TrainingSummary::of(corpus, &pages, recipe, HeldOut::default());
        Self::assemble(choice.clone(), data, summary)
    }

    /// Joins what a model file holds.
    ///
    /// # Errors
    /// Where the data are not what the system's training gives.
    pub(crate) fn assemble(choice: SystemChoice, data: Value, summary: TrainingSummary) -> Result<Self> {
        let method = choice.load(&data)?;
        Ok(Self { choice, data, method, summary })
    }

    /// The system with its options and its filter.
    pub fn choice(&self) -> &SystemChoice {
        &self.choice
    }
    /// What it learned.
    pub fn data(&self) -> &Value {
        &self.data
    }
    /// The system ready to run.
    pub fn method(&self) -> &dyn Method {
        &*self.method
    }
    /// What it was trained on.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
}

/// Trains a system on some pages of a corpus; gives what it learned.
///
/// # Errors
/// Where it cannot be trained on these pages.
pub(crate) fn train_on(
    choice: &SystemChoice,
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
) -> Result<Value> {
    let visibility = recipe.visibility().unweighed();
    let seen = |page: &CorpusPage| {
        let blocks = seen(page, recipe)?;
        let labels = project(&page.doc, &page.blocks, &page.labels, None, &blocks).0;
        Some((blocks, labels))
    };
    let seen: Vec<Option<(Blocks, Vec<bool>)>> = pages.iter().map(|&p| seen(&corpus.pages[p])).collect();
    let input = |(&p, seen)| -> SystemInput<'_> {
        let page: &CorpusPage = &corpus.pages[p];
        let (input, gold) = (SystemInput::of(page, visibility), gold_of(page));
        let Some((blocks, labels)): &Option<(Blocks, Vec<bool>)> = seen else {
            return SystemInput { gold: Some(gold), ..input };
        };
        SystemInput { blocks, gold: Some(SystemGold { labels, classes: &[], ..gold }), ..input }
    };
    let inputs: Vec<SystemInput<'_>> = pages.iter().zip(&seen).map(input).collect();
    choice.train(&inputs, recipe.seed)
}

/// Blocks of a page without hidden text, where those of the corpus have it for models to weigh: a system sees what a reader sees.
pub(crate) fn seen(page: &CorpusPage, recipe: &Recipe) -> Option<Blocks> {
    let visibility = recipe.visibility().unweighed();
    // the corpus was read by this segmentation
    let segmentation = block::by_name(&recipe.block.segmentation).ok()?;
    (visibility != recipe.visibility()).then(|| Blocks::of(&page.doc, segmentation, visibility))
}

/// The gold of a page.
pub(crate) fn gold_of(page: &CorpusPage) -> SystemGold<'_> {
    SystemGold {
        labels: &page.labels,
        classes: &page.alignment.class,
        text: page.gold.as_deref().unwrap_or_default(),
    }
}

impl<'a> SystemInput<'a> {
    /// A page of a corpus, without its gold.
    pub fn of(page: &'a CorpusPage, visibility: Visibility) -> Self {
        let (html, lang) = (page.html.as_deref(), page.lang.as_deref());
        Self { doc: &page.doc, blocks: &page.blocks, visibility, html, lang, gold: None }
    }
}

impl SystemChoice {
    /// Runs a method of this choice on a page, with the choice's filter after it.
    pub fn predict(
        &self,
        method: &dyn Method,
        doc: &Document,
        html: Option<&str>,
        visibility: Visibility,
    ) -> Prediction {
        let blocks = Blocks::of(doc, block::REGISTRY[0], visibility);
        let input = SystemInput { html, visibility, ..SystemInput::new(doc, &blocks) };
        let mut kept = method.keep(&input);
        let classes = method.classes(&input);
        // a filter that was asked for beside no policy is to do what it is for
        let left_out = LeftOut::ALL;
        self.filter().apply(doc, &blocks, None, left_out, &mut kept);
        let scores = kept.iter().map(|&k| f32::from(u8::from(k))).collect();
        Prediction { blocks, scores, least_score: 1.0, kept, classes, left_out }
    }
}
