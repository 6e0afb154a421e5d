//! `threshr train`: trains a model on annotated pages and writes it to a file.

use crate::args::{DataArgs, RecipeArgs, SystemArgs};
use crate::data::doubts;
use crate::guard::Guard;
use crate::{Status, held_out, out_format, remark};
use std::path::{Path, PathBuf};
use threshr::{registries, training};
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_evaluate::needs;
use threshr_extract::Model;
use threshr_extract::baseline::SystemChoice;
use threshr_extract::recipe::{Recipe, TypeAndQualityRecipe};
use threshr_features::FeatureSet;
use threshr_io::atomic::AtomicFile;
use threshr_io::readers::{Source, Sources};
use threshr_sets::gold::{DataSet, GoldPage};
use threshr_train::Corpus;

/// Train a model on annotated pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr train --data datasets/sample --out my.json
  threshr train --data cleaneval-en-final --features all --classifier tree --param max_depth=10 --out tree.json
  threshr train --data SET1 SET2 --recipe models/default.toml --seed 7 --out my.json
  threshr train --data SET --recipe old.json --out new.json    with the recipe of another model
  threshr train --data SET --recipe student.toml --unlabelled pages/ --out student.json
  threshr train --data SET --system genieknows --out genieknows.json    a published method that learns

The same pages, recipe and seed give the same bytes.")]
pub(super) struct Args {
    #[command(flatten)]
    data: DataArgs,
    /// HTML files and folders without gold, as the set `unlabelled`: training learns the scores of the recipe's
    /// `labels.teacher` on them
    #[arg(long, num_args = 1.., value_name = "INPUT", conflicts_with = "system")]
    unlabelled: Vec<PathBuf>,
    #[command(flatten)]
    recipe: RecipeArgs,
    #[command(flatten)]
    system: SystemArgs,
    /// Model file to write, atomically
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Write the predicted page types and quality of held-out pages as CSV (for recipes with `page_level`)
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    held_out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    out_format::of(None, args.held_out.as_deref(), out_format::CSV)?;
    let recipe = match args.system.choice()? {
        None => args.recipe.recipe()?,
        Some(_) if args.recipe.is_given() => {
            return Err(Error::invalid_option(
                "a system has its own recipe, so training options have no effect",
            )
            .expected("only --system-param and --seed"));
        }
        Some(choice) => match choice.recipe(args.recipe.seed.unwrap_or(0))? {
            Some(recipe) => recipe,
            None => return train_system(args, &choice, progress),
        },
    };
    if args.held_out.is_some() && recipe.type_and_quality == TypeAndQualityRecipe::default() {
        return Err(Error::invalid_option(
            "--held-out has nothing to write: the recipe has no model of page type or quality",
        )
        .expected("a recipe with `page_level.types` or `page_level.quality`"));
    }
    let mut sets = open_sets(args)?;
    if !args.unlabelled.is_empty() {
        if recipe.labels.teacher.is_none() {
            return Err(Error::invalid_option("--unlabelled has no effect: the recipe has no teacher")
                .expected("a recipe with `labels.teacher`"));
        }
        sets.push(unlabelled(&args.unlabelled)?);
    }
    args.recipe.check_set_policies(&sets)?;
    RecipeArgs::warn_of_missing_policies(&recipe, &sets);
    let registries = registries();
    let features = recipe.feature_set(&registries.families)?;
    report_geometry(Some(&features), &sets);
    let teacher = training::teacher(&recipe, &registries)?;
    let corpus = Corpus::read_to_train(&sets, &recipe, &features, teacher.as_ref(), progress)?;
    report_failures(&corpus);
    let failed = !corpus.failures.is_empty();
    report_gold(&corpus);
    doubts(&corpus).iter().for_each(|doubt| remark(doubt));
    report_unknown_sites(&corpus);
    let all_text = all_text_f1(&corpus, &recipe);
    let (model, held_out) =
        threshr_train::train_with_pages(corpus, &recipe, &registries.classifiers, progress)?;
    threshr_train::save(&model, &args.out)?;
    if let Some(path) = &args.held_out {
        held_out::write(&held_out, path)?;
    }
    report_model(&model, &recipe, all_text);
    Ok(if failed { Status::Failures } else { Status::Success })
}

/// Returns the pages of `--unlabelled` as a set without gold.
fn unlabelled(inputs: &[PathBuf]) -> Result<DataSet> {
    let Sources { sources, failures, .. } = threshr_io::sources(inputs, Some("html"))?;
    if let Some(error) = failures.into_iter().next() {
        return Err(error);
    }
    let page = |source: &Source| GoldPage::in_file(source.path.display().to_string(), source.path.clone());
    Ok(DataSet {
        name: "unlabelled".into(),
        path: inputs.first().cloned().unwrap_or_default(),
        format: "html",
        pages: sources.iter().map(page).collect(),
        ..DataSet::default()
    })
}

/// Opens the sets and checks all outputs before any page is read.
fn open_sets(args: &Args) -> Result<Vec<DataSet>> {
    let sets = args.data.open()?;
    let mut guard = Guard::reading(args.unlabelled.iter().chain(&args.recipe.recipe));
    guard.reads_sets(&sets);
    guard.file("--out", &args.out, false)?;
    if let Some(path) = &args.held_out {
        guard.file("--held-out", path, false)?;
    }
    // Fails before the training if the output folder is not writable.
    drop(AtomicFile::create(&args.out)?);
    Ok(sets)
}

/// Reports the number of pages without gold, and the number of pages with empty gold.
pub(super) fn report_gold(corpus: &Corpus) {
    let with_gold = corpus.with_gold();
    let (num_pages, num_with_gold) = (corpus.pages.len(), with_gold.len());
    let num_with_snippets = corpus.pages.iter().filter(|page| page.has_snippet_labels).count();
    if num_with_snippets > 0 {
        remark(&format!(
            "{num_with_snippets} of {num_pages} pages have no gold but snippets, which label only some blocks"
        ));
    }
    let num = num_pages - num_with_gold - num_with_snippets;
    if num > 0 {
        let use_of_them = match corpus.has_teacher() {
            true => "only the scores of the teacher are learned",
            false => "they are not used",
        };
        remark(&format!("{num} of {num_pages} pages have no gold annotation: {use_of_them}"));
    }
    let num_empty = with_gold.iter().filter(|&&p| corpus.pages[p].alignment.num_gold_tokens == 0).count();
    if num_empty > 0 {
        remark(&format!(
            "the gold of {num_empty} of {num_with_gold} pages is empty, so they have no content"
        ));
    }
}

/// Returns whether a feature column needs geometry files.
pub(super) fn reads_geometry(features: &FeatureSet) -> bool {
    features.names().iter().any(|name| name.starts_with("visual.") || name.starts_with("drawn."))
}

/// Reports the number of pages without a geometry file, if a column of `features` needs geometry files.
pub(super) fn report_geometry(features: Option<&FeatureSet>, sets: &[DataSet]) {
    if !features.is_some_and(reads_geometry) {
        return;
    }
    let has_geometry =
        |path: Option<&Path>| path.is_some_and(|path| threshr_html::geometry_path(path).is_file());
    let pages = || sets.iter().flat_map(|set| &set.pages);
    let num_without = pages().filter(|page| !has_geometry(page.own_file())).count();
    if num_without > 0 {
        let num = pages().count();
        remark(&format!(
            "{num_without} of {num} pages have no geometry file, so the columns of `visual` and `drawn` are 0 for them"
        ));
    }
}

/// Reports the number of pages whose site is unknown. The pages of such a site may be in several folds.
pub(super) fn report_unknown_sites(corpus: &Corpus) {
    let num_unknown = corpus.pages.iter().filter(|page| !page.has_known_site()).count();
    if num_unknown > 0 {
        remark(&format!(
            "{num_unknown} of {} pages have no url, domain or site; each of them counts as a separate site",
            corpus.pages.len()
        ));
    }
}

/// Computes the mean token F1 of keeping all text, over the training pages with gold.
fn all_text_f1(corpus: &Corpus, recipe: &Recipe) -> f64 {
    let pages = corpus.trainable_with_gold(recipe);
    let f1 = |&page: &usize| {
        let page = &corpus.pages[page];
        page.alignment.token_prf(&vec![true; page.labels.len()])[2]
    };
    pages.iter().map(f1).sum::<f64>() / pages.len().max(1) as f64
}

/// Reports the training data of a model, and how well it extracts held-out pages.
fn report_model(model: &Model, recipe: &Recipe, all_text: f64) {
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
            "{} pages left out: less than {share} of their gold text was found on the page",
            summary.num_left_out
        ));
    }
    let how = if held.folds == 0 {
        "the training pages (no site could be held out)".into()
    } else {
        format!("{} folds held out by site", held.folds)
    };
    remark(&format!(
        "token F1 {:.4} (all text: {all_text:.4}), log loss {:.4} on {how}; {} {:.2}",
        held.token_f1,
        held.log_loss,
        model.rule().name,
        model.fitted().threshold
    ));
    report_type_and_quality(model, recipe);
    if held.token_f1 < all_text + 1e-4 {
        remark(
            "the model is no better than keeping all text: check the gold (threshr data check), or use more pages or another classifier",
        );
    }
}

/// Reports how well the models of page type and quality predict held-out pages, and which of them are
/// missing.
fn report_type_and_quality(model: &Model, recipe: &Recipe) {
    let models = &model.fitted().type_and_quality;
    match &models.page_type {
        Some(types) => {
            let accuracy = types.held_out_accuracy.map_or("unknown".to_owned(), |a| format!("{a:.4}"));
            let names = types.classes().join(", ");
            remark(&format!("page types {names}: accuracy {accuracy} on pages held out by site"));
        }
        None if recipe.type_and_quality.types => {
            remark("no page types are learned: the sets declare too few, or no site could be held out");
        }
        None => {}
    }
    match &models.quality {
        Some(quality) => {
            let correlation =
                quality.held_out_correlation.map_or("unknown".to_owned(), |c| format!("{c:.4}"));
            remark(&format!("quality: rank correlation {correlation} on pages held out by site"));
        }
        None if recipe.type_and_quality.quality => {
            remark("quality is not learned: there are too few pages, or no site could be held out");
        }
        None => {}
    }
}

fn train_system(args: &Args, choice: &SystemChoice, progress: &dyn Progress) -> Result<Status> {
    if !choice.system().is_trainable() {
        choice.train(&[], 0)?;
    }
    let recipe = Recipe { seed: args.recipe.seed.unwrap_or(0), ..Recipe::default() };
    let sets = open_sets(args)?;
    let corpus = Corpus::read(&sets, &recipe, None, needs([choice]), progress)?;
    report_failures(&corpus);
    report_gold(&corpus);
    doubts(&corpus).iter().for_each(|doubt| remark(doubt));
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
    Ok(if corpus.failures.is_empty() { Status::Success } else { Status::Failures })
}

/// Prints the errors of the pages that failed.
pub(super) fn report_failures(corpus: &Corpus) {
    corpus.failures.iter().for_each(crate::print_error);
    if !corpus.failures.is_empty() {
        let num_failed = corpus.failures.len();
        remark(&format!("{num_failed} of {} pages failed", corpus.pages.len() + num_failed));
    }
}
