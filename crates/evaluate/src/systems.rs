//! Systems over the pages of a corpus, trained round by round where they learn.

use crate::{Outcome, Scored};
use rayon::prelude::*;
use threshr_core::policy::LeftOut;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::baseline as systems;
use threshr_extract::baseline::{Method, SystemChoice, SystemInput};
use threshr_extract::decision;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::recipe::Recipe;
use threshr_html::blocks::Blocks;
use threshr_io::gold::DataSet;
use threshr_models::Classifiers;
use threshr_train::baseline as training;
use threshr_train::{Corpus, CorpusPage, Needs, fit_pages};

/// Pages to train on and pages to test, by index into a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// Pages to train on.
    pub train: Vec<usize>,
    /// Pages to test.
    pub test: Vec<usize>,
}

/// What pages must be read with for these systems.
pub fn needs<'a>(choices: impl IntoIterator<Item = &'a SystemChoice>) -> Needs {
    choices.into_iter().fold(Needs::default(), |needs, choice| Needs {
        attributes: true,
        html: needs.html || choice.system().needs_html,
    })
}

/// What a system keeps of `pages`, after its filter, without training.
///
/// # Errors
/// Where it must be trained, or an option's value does not fit.
pub fn run_system(
    choice: &SystemChoice,
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
) -> Result<Vec<Outcome>> {
    let method = choice.method()?;
    Ok(run_method(choice, &*method, corpus, pages, recipe))
}

/// The same of a method that the system gave, trained or not.
pub fn run_method(
    choice: &SystemChoice,
    method: &dyn Method,
    corpus: &Corpus,
    pages: &[usize],
    recipe: &Recipe,
) -> Vec<Outcome> {
    let needs_gold = choice.system().needs_gold;
    let run = |&page: &usize| {
        let page = &corpus.pages[page];
        let mut input = training::input_of(page, recipe.visibility());
        if needs_gold {
            input.gold = Some(training::gold_of(page));
        }
        // as in prediction, whatever the set counts: a filter beside a method does what it is for
        let filter = |blocks: &Blocks, kept: &mut Vec<bool>| {
            choice.filter().apply(&page.doc, blocks, None, LeftOut::ALL, kept);
        };
        // bounds are those of all blocks
        let seen = if needs_gold { None } else { training::seen(page, recipe) };
        let (kept, classes) = if let Some(seen) = seen {
            let visibility = recipe.visibility().unweighed();
            let input = SystemInput { blocks: &seen, visibility, ..input };
            let mut kept = method.keep(&input);
            filter(&seen, &mut kept);
            systems::project(&page.doc, &seen, &kept, method.classes(&input).as_deref(), &page.blocks)
        } else {
            let mut kept = method.keep(&input);
            filter(&page.blocks, &mut kept);
            (kept, method.classes(&input))
        };
        Outcome::Blocks { kept, scores: None, classes }
    };
    pages.par_iter().map(run).collect()
}

/// Trains a system in every round and tests it; gives one outcome for each of `pages`, each of which is tested once.
///
/// A system that is a recipe is read with its own columns and blocks, and what it keeps is carried over to those of the
/// corpus.
///
/// # Errors
/// Where it cannot be trained on the pages of a round.
#[allow(clippy::too_many_arguments)]
pub fn train_and_run(
    choice: &SystemChoice,
    corpus: &Corpus,
    sets: &[DataSet],
    pages: &[usize],
    rounds: &[Round],
    recipe: &Recipe,
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<Vec<Outcome>> {
    let mut out: Vec<Option<Outcome>> = vec![None; corpus.pages.len()];
    match choice.recipe(recipe.seed)? {
        Some(own) => run_recipe(&own, corpus, sets, rounds, &mut out, classifiers, progress)?,
        None => {
            for round in rounds {
                let method = choice.load(&training::train_on(choice, corpus, &round.train, recipe)?)?;
                let outcomes = run_method(choice, &*method, corpus, &round.test, recipe);
                round.test.iter().zip(outcomes).for_each(|(&p, o)| out[p] = Some(o));
            }
        }
    }
    let missing = || Error::data("a page is tested in no round");
    pages.iter().map(|&p| out[p].take().ok_or_else(missing)).collect()
}

fn run_recipe(
    own: &Recipe,
    corpus: &Corpus,
    sets: &[DataSet],
    rounds: &[Round],
    out: &mut [Option<Outcome>],
    classifiers: &Classifiers,
    progress: &dyn Progress,
) -> Result<()> {
    let read = Corpus::read(sets, own, Some(&own.feature_set()?), progress)?;
    let same = |(a, b): (&CorpusPage, &CorpusPage)| a.id == b.id && a.set == b.set;
    if read.pages.len() != corpus.pages.len() || !read.pages.iter().zip(corpus.pages.iter()).all(same) {
        return Err(Error::data("the pages have changed since they were read"));
    }
    let (rule, filter) = (decision::by_name(&own.decision.rule)?, FilterChoice::parse(&own.decision.filter)?);
    let trainable = read.trainable(own);
    for round in rounds {
        let train: Vec<usize> =
            round.train.iter().copied().filter(|p| trainable.binary_search(p).is_ok()).collect();
        let fit = fit_pages(&read, &train, own, classifiers, progress)?;
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
