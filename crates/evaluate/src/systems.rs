//! Runs published systems on the pages of a corpus. Trainable systems are trained in each round.

use crate::{Outcome, Registries, Scored};
use rayon::prelude::*;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::baseline as systems;
use threshr_extract::baseline::{Method, SystemChoice};
use threshr_extract::decision;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::flow;
use threshr_extract::recipe::Recipe;
use threshr_sets::gold::DataSet;
use threshr_train::baseline as training;
use threshr_train::{Corpus, CorpusPage, Needs, fit_pages};

/// Training pages and test pages, as indices into a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Pages to train on.
    pub train: Vec<usize>,
    /// Pages to test on.
    pub test: Vec<usize>,
    /// Number of pages excluded from training because they are copies of tested pages or belong to a tested site.
    pub num_overlapping: usize,
}

/// Returns the parts of pages that these systems need.
pub fn needs<'a>(choices: impl IntoIterator<Item = &'a SystemChoice>) -> Needs {
    choices.into_iter().fold(Needs::default(), |needs, choice| Needs {
        attributes: true,
        html: needs.html || choice.system().needs_html,
    })
}

/// Runs a system with its filter on `pages`, without training.
///
/// # Errors
/// If the system must be trained, or the value of an option is invalid.
pub fn run_system(
    choice: &SystemChoice,
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
) -> Result<Vec<Outcome>> {
    let method = choice.method()?;
    Ok(run_method(choice, &*method, corpus, pages, recipe))
}

/// Runs a system, trained or untrained, and its filter on `pages`.
pub fn run_method(
    choice: &SystemChoice,
    method: &dyn Method,
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
) -> Vec<Outcome> {
    let run = |&page: &usize| {
        let page = &corpus.pages[page];
        let mut input = training::input_of(page, recipe.visibility());
        if choice.system().needs_gold {
            input.gold = Some(training::gold_of(page));
        }
        let tree = (&page.doc, &page.blocks);
        let kept =
            flow::label_kept(method.keep(&input), None, choice.filter(), tree, Some(&page.controls), None)
                .kept;
        let classes = method.classes(&input);
        Outcome::Blocks { kept, scores: None, classes }
    };
    pages.par_iter().map(run).collect()
}

/// Trains a system in every round and runs it on the round's test pages. Returns one outcome for each page of
/// `pages`. Each of these pages must be a test page of one round.
///
/// A system that is defined by a recipe has its own columns and blocks. Its labels are projected onto the blocks of
/// the corpus.
///
/// # Errors
/// If the system cannot be trained on the pages of a round, or a page of `pages` is not in any round.
#[allow(clippy::too_many_arguments)]
pub fn train_and_run(
    choice: &SystemChoice,
    corpus: &Corpus,
    sets: &[DataSet],
    pages: &[usize],
    rounds: &[Round],
    recipe: &Recipe,
    registries: &Registries,
    progress: &dyn Progress,
) -> Result<Vec<Outcome>> {
    let mut out: Vec<Option<Outcome>> = vec![None; corpus.pages.len()];
    match choice.recipe(recipe.seed)? {
        Some(own) => run_recipe(&own, corpus, sets, rounds, &mut out, registries, progress)?,
        None => {
            for round in rounds {
                let method = choice.load(&training::train_on(choice, corpus, &round.train, recipe)?)?;
                let outcomes = run_method(choice, &*method, corpus, &round.test, recipe);
                round.test.iter().zip(outcomes).for_each(|(&p, o)| out[p] = Some(o));
            }
        }
    }
    let missing =
        || Error::data("a page is in no round").expected("each page in the test pages of one round");
    pages.iter().map(|&p| out[p].take().ok_or_else(missing)).collect()
}

fn run_recipe(
    own: &Recipe,
    corpus: &Corpus,
    sets: &[DataSet],
    rounds: &[Round],
    out: &mut [Option<Outcome>],
    registries: &Registries,
    progress: &dyn Progress,
) -> Result<()> {
    let read =
        Corpus::read(sets, own, Some(&own.feature_set(&registries.families)?), Needs::default(), progress)?;
    let same = |(a, b): (&CorpusPage, &CorpusPage)| a.id == b.id && a.set == b.set;
    if read.pages.len() != corpus.pages.len() || !read.pages.iter().zip(corpus.pages.iter()).all(same) {
        return Err(Error::data("a page changed while the sets were read")
            .expected("the same pages in both readings"));
    }
    let (rule, filter) = (decision::by_name(&own.decision.rule)?, FilterChoice::parse(&own.decision.filter)?);
    let trainable = read.trainable(own);
    for round in rounds {
        let train: Vec<usize> =
            round.train.iter().copied().filter(|p| trainable.binary_search(p).is_ok()).collect();
        let fit = fit_pages(&read, &train, own, &registries.classifiers, progress)?;
        let read = &read;
        let test = |&page: &usize| -> Result<Outcome> {
            let scored = Scored::by(&fit, rule, read, page)?;
            let kept = scored.keep(read, page, &DecisionOptions::default(), filter);
            let (from, onto) = (&read.pages[page], &corpus.pages[page]);
            let classes = scored.classes.as_deref();
            let (kept, classes) = systems::project(&from.doc, &from.blocks, &kept, classes, &onto.blocks);
            Ok(Outcome::Blocks { kept, scores: None, classes })
        };
        let outcomes: Vec<Outcome> = round.test.par_iter().map(test).collect::<Result<_>>()?;
        round.test.iter().zip(outcomes).for_each(|(&p, o)| out[p] = Some(o));
    }
    Ok(())
}
