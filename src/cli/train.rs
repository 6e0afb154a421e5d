//! `threshr train`: annotated pages → a model file.

use super::args::{DataArgs, RecipeArgs};
use super::{Ending, remark};
use crate::atomic::AtomicFile;
use crate::error::Result;
use crate::model_file;
use crate::pipeline::{Corpus, Pipeline};
use crate::progress::Progress;
use std::path::PathBuf;

/// Train a model on annotated pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr train --data datasets/sample --out my.json
  threshr train --data cleaneval-en-final --features all --classifier tree --param max_depth=10 --out tree.json
  threshr train --data SET1 SET2 --recipe models/default.toml --seed 7 --out my.json
  threshr train --data SET --recipe old.json --out new.json    with the settings of another model

The same pages, recipe and seed give the same bytes.")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    recipe: RecipeArgs,
    /// Model file to write, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(args: &Args, progress: &dyn Progress) -> Result<Ending> {
    let recipe = args.recipe.recipe()?;
    // an hour's training is not to be lost to a folder that cannot be written
    drop(AtomicFile::create(&args.out)?);
    let corpus = Corpus::read_to_train(&args.data.open()?, &recipe, progress)?;
    report_failures(&corpus);
    let failed = !corpus.failures.is_empty();
    let pipeline = Pipeline::train(corpus, &recipe, progress)?;
    model_file::save(&pipeline, &args.out)?;
    let summary = pipeline.summary();
    let held = &summary.held_out;
    remark(&format!(
        "{} on {} pages, {} blocks of which {} content, {} columns",
        recipe.classifier.name,
        summary.num_pages,
        summary.num_blocks,
        summary.num_content,
        pipeline.columns().len()
    ));
    if summary.num_left_out > 0 {
        let share = recipe.labels.least_aligned;
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
        pipeline.rule().name,
        pipeline.fit().threshold
    ));
    Ok(if failed { Ending::PagesFailed } else { Ending::Fine })
}

/// Lists the pages that could not be read.
pub fn report_failures(corpus: &Corpus) {
    corpus.failures.iter().for_each(super::print_error);
    if !corpus.failures.is_empty() {
        remark(&format!("{} pages could not be read", corpus.failures.len()));
    }
}
