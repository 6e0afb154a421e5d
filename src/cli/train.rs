//! `threshr train`: annotated pages → a model file.

use crate::cli::args::{DataArgs, RecipeArgs, SystemArgs};
use crate::cli::{Ending, remark};
use crate::registries;
use std::path::{Path, PathBuf};
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_evaluate::needs;
use threshr_extract::baseline::SystemChoice;
use threshr_extract::recipe::Recipe;
use threshr_io::atomic::AtomicFile;
use threshr_train::Corpus;

/// Train a model on annotated pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr train --data datasets/sample --out my.json
  threshr train --data cleaneval-en-final --features all --classifier tree --param max_depth=10 --out tree.json
  threshr train --data SET1 SET2 --recipe models/default.toml --seed 7 --out my.json
  threshr train --data SET --recipe old.json --out new.json    with the settings of another model
  threshr train --data SET --system genieknows --out genieknows.json    a published method that learns

The same pages, recipe and seed give the same bytes.")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    system: SystemArgs,
    /// Model file to write, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Keep the pages' feature rows and alignments in this file, and take them from there the next time
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
}

pub fn run(args: &Args, progress: &dyn Progress) -> Result<Ending> {
    if args.cache.as_ref().is_some_and(|cache| *cache == args.out) {
        return Err(Error::recipe("the model would replace the cache")
            .expected("two files")
            .at_path(&args.out));
    }
    // an hour's training is not to be lost to a folder that cannot be written
    drop(AtomicFile::create(&args.out)?);
    let recipe = match args.system.choice()? {
        None => args.recipe.recipe()?,
        Some(_) if args.recipe.is_given() => {
            return Err(Error::recipe("a system has its own recipe")
                .expected("--system-param, and --seed, but no other training option"));
        }
        Some(choice) => match choice.recipe(args.recipe.seed.unwrap_or(0))? {
            Some(recipe) => recipe,
            None => return train_system(args, &choice, progress),
        },
    };
    let sets = args.data.open()?;
    args.recipe.check_set_policies(&sets)?;
    RecipeArgs::remark_unsaid_policies(&recipe, &sets);
    let corpus = Corpus::read_to_train(&sets, &recipe, args.cache.as_deref(), progress)?;
    report_failures(&corpus);
    report_cache(&corpus, args.cache.as_deref());
    let failed = !corpus.failures.is_empty();
    let num_bare = corpus.pages.len() - corpus.with_gold().len();
    if num_bare > 0 {
        remark(&format!("{num_bare} of {} pages have no gold and are not trained on", corpus.pages.len()));
    }
    let model = threshr_train::train(corpus, &recipe, &registries().classifiers, progress)?;
    threshr_train::save(&model, &args.out)?;
    let summary = model.summary();
    let held = &summary.held_out;
    remark(&format!(
        "{} on {} pages, {} blocks of which {} content, {} columns",
        recipe.classifier.name,
        summary.num_pages,
        summary.num_blocks,
        summary.num_content,
        model.columns().len()
    ));
    if summary.num_left_out > 0 {
        let share = recipe.labels.min_aligned;
        remark(&format!(
            "{} pages left out: less than {share} of their gold stands in them",
            summary.num_left_out
        ));
    }
    let how = if held.folds == 0 {
        "the training pages themselves (no site could be held out)".into()
    } else {
        format!("{} folds held out by site", held.folds)
    };
    remark(&format!(
        "token F1 {:.4}, log loss {:.4} on {how}; {} {:.2}",
        held.token_f1,
        held.log_loss,
        model.rule().name,
        model.fitted().threshold
    ));
    Ok(if failed { Ending::PagesFailed } else { Ending::Fine })
}

fn train_system(args: &Args, choice: &SystemChoice, progress: &dyn Progress) -> Result<Ending> {
    if !choice.system().is_trainable() {
        choice.train(&[], 0)?;
    }
    if args.cache.is_some() {
        return Err(nothing_to_cache());
    }
    let recipe = Recipe { seed: args.recipe.seed.unwrap_or(0), ..Recipe::default() };
    let corpus = Corpus::read_keeping(&args.data.open()?, &recipe, None, needs([choice]), None, progress)?;
    report_failures(&corpus);
    let system = threshr_train::baseline::train(choice, &corpus, &recipe)?;
    threshr_train::save_system(&system, &args.out)?;
    let summary = system.summary();
    remark(&format!(
        "{} on {} pages, {} blocks of which {} content",
        choice.name(),
        summary.num_pages,
        summary.num_blocks,
        summary.num_content
    ));
    system.method().facts().iter().for_each(|(name, value)| remark(&format!("{name}: {value}")));
    Ok(if corpus.failures.is_empty() { Ending::Fine } else { Ending::PagesFailed })
}

/// Says what a cache was good for.
pub fn report_cache(corpus: &Corpus, cache: Option<&Path>) {
    if let Some((path, number)) = cache.zip(corpus.num_cached) {
        remark(&format!("{number} of {} pages taken from {}", corpus.pages.len(), path.display()));
    }
}

/// The error of a cache for what has no feature rows.
pub fn nothing_to_cache() -> Error {
    Error::recipe("a cache keeps rows of features, and there are none").expected("a model, or no --cache")
}

/// Lists the pages that could not be read.
pub fn report_failures(corpus: &Corpus) {
    corpus.failures.iter().for_each(crate::cli::print_error);
    if !corpus.failures.is_empty() {
        remark(&format!("{} pages could not be read", corpus.failures.len()));
    }
}
