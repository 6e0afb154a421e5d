//! `threshr evaluate`: scores of models, systems and predictions of other tools against gold.

mod args;
mod formats;
mod report;
mod rows;
mod speed;
mod tables;

pub(super) use args::Args;

use crate::args::trained as load_trained;
use crate::policy_args::PolicyArgs;
use crate::predict::CHECKSUM_DIGITS;
use crate::train::{report_failures, report_geometry, report_gold, report_unknown_sites};
use crate::{Status, remark, write_file, write_text};
use args::{
    bar, check, check_decided, check_outputs, check_versus, decisions, filters, format, is_called,
    predictions_file,
};
use report::Report;
use rows::{Rows, stem};
use speed::Speed;
use std::path::Path;
use threshr::{SHIPPED, shipped_model};
use threshr_core::policy::PolicyChoice;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_evaluate as experiment;
use threshr_evaluate::metrics;
use threshr_evaluate::metrics::{Metric, SNIPPET};
use threshr_evaluate::{Entry, Outcome, Predictions};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::SetInfo;
use threshr_extract::model::Trained;
use threshr_extract::recipe::{AugmentationRecipe, PolicyRecipe, Recipe};
use threshr_extract::{Extractor, Labeller, Model, Options};
use threshr_features::FeatureSet;
use threshr_html::{ParseOptions, Visibility};
use threshr_sets::gold;
use threshr_sets::gold::DataSet;
use threshr_train::{Corpus, Needs, Overlap};

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let write = formats::writer(format(args)?, !args.verbose && args.out.is_none());
    check(args)?;
    let metrics =
        if args.metrics.is_empty() { metrics::REGISTRY.to_vec() } else { metrics::by_names(&args.metrics)? };
    let bars = args.bar.iter().map(|b| bar(b, &metrics)).collect::<Result<Vec<_>>>()?;
    let plan = Plan::new(args)?;
    let rows = Rows { args, plan: &plan, progress };
    let names = rows.names()?;
    check_versus(args, &names)?;
    check_outputs(args, &plan.sets, &names)?;
    let corpus = plan.corpus(args, progress)?;
    let pages = pages(args, &corpus, &plan, &metrics)?;
    let entries = rows.entries(&corpus, &pages)?;
    debug_assert!(entries.len() == names.len() && entries.iter().all(|e| names.contains(&e.name)));
    let mut reports = Vec::new();
    for set in 0..corpus.sets.len() {
        let (recipe, has_model) = (&plan.recipe, plan.trained.is_some());
        reports.push(report_of(args, &corpus, set, &pages, &entries, &metrics, recipe, has_model)?);
    }
    if args.speed {
        for (report, set) in reports.iter_mut().zip(&plan.sets) {
            report.speeds = speeds(args, set, &plan.recipe, &plan.choices)?;
        }
    }
    emit(args, &reports, write)?;
    if let Some(dir) = &args.write_predictions {
        write_predictions(dir, &corpus, &pages, &entries)?;
    }
    Ok(status(&reports, &bars, &corpus))
}

/// The models, systems and predictions that the options select, and the sets to evaluate them on.
struct Plan {
    trained: Option<Trained>,
    choices: Vec<SystemChoice>,
    /// Whether a model is trained with the recipe for each fold.
    trains_model: bool,
    recipe: Recipe,
    /// Filters that are applied after models.
    filters: Vec<FilterChoice>,
    /// Filters that are applied after systems. The filter of the recipe does not apply to systems.
    system_filters: Vec<FilterChoice>,
    decisions: Vec<DecisionOptions>,
    sets: Vec<DataSet>,
    /// Feature columns of the model, if there is one.
    features: Option<FeatureSet>,
    /// Content of the files of `--predictions`, in order.
    predictions: Vec<Predictions>,
}

impl Plan {
    fn new(args: &Args) -> Result<Self> {
        let trained = args.model.as_deref().map(load_trained).transpose()?;
        let model = model_of(trained.as_ref());
        let choices = args.system.choices()?;
        let trains_model = args.folds.is_some()
            && (args.recipe.is_given() || !choices.iter().any(|c| c.system().is_trainable()));
        let mut recipe = model.map_or_else(|| args.recipe.recipe(), |m| Ok(m.recipe().clone()))?;
        let filters = filters(args, &recipe)?;
        let policy = policy(args, model, filters[0])?;
        if let Some(default) = policy {
            recipe.policy = PolicyRecipe { default, ..PolicyRecipe::default() };
        }
        if args.recipe.is_given() && args.folds.is_none() {
            return Err(Error::invalid_option("training options have no effect without --folds")
                .expected("--folds K, or --model without training options"));
        }
        check_decided(args, model.is_some() || trains_model)?;
        let system_filters =
            if args.filter.is_empty() { vec![FilterChoice::default()] } else { filters.clone() };
        let decisions = decisions(args);
        let mut sets = args.data.open()?;
        args.recipe.check_set_policies(&sets)?;
        if policy.is_some() {
            sets.iter_mut().for_each(|set| set.policy = None);
        }
        let features = match model {
            Some(model) => Some(model.features().clone()),
            None => trains_model.then(|| recipe.feature_set(&threshr::registries().families)).transpose()?,
        };
        let predictions =
            args.predictions.iter().map(|p| read_predictions(args, p)).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            trained,
            choices,
            trains_model,
            recipe,
            filters,
            system_filters,
            decisions,
            sets,
            features,
            predictions,
        })
    }

    /// Reads the pages. Augmented examples are read only if a model is trained.
    fn corpus(&self, args: &Args, progress: &dyn Progress) -> Result<Corpus> {
        let trained_choice = match &self.trained {
            Some(Trained::System(system)) => Some(system.choice()),
            _ => None,
        };
        let needs = experiment::needs(self.choices.iter().chain(trained_choice));
        let of_model = model_of(self.trained.as_ref()).map(experiment::needs_of_model).unwrap_or_default();
        let needs = Needs { attributes: needs.attributes || of_model.attributes, html: needs.html };
        let augmentation =
            if self.trains_model { self.recipe.augmentation.clone() } else { AugmentationRecipe::default() };
        let recipe = Recipe { augmentation, ..self.recipe.clone() };
        let corpus = Corpus::read(&self.sets, &recipe, self.features.as_ref(), needs, progress)?;
        report_failures(&corpus);
        report_gold(&corpus);
        report_geometry(self.features.as_ref(), &self.sets);
        if args.folds.is_some() {
            report_unknown_sites(&corpus);
        }
        Ok(corpus)
    }
}

/// Reads a file of predictions. Prints which fields are read if their names are not the usual ones.
fn read_predictions(args: &Args, path: &Path) -> Result<Predictions> {
    let (id, text) = (args.prediction_id.as_deref(), args.prediction_text.as_deref());
    let predictions = Predictions::read(path, id, text)?;
    predictions.remarks().iter().for_each(|text| remark(&format!("{}: {text}", path.display())));
    Ok(predictions)
}

fn model_of(trained: Option<&Trained>) -> Option<&Model> {
    match trained {
        Some(Trained::Model(model)) => Some(model),
        _ => None,
    }
}

/// Returns the policy of `--policy`.
fn policy(args: &Args, model: Option<&Model>, first: FilterChoice) -> Result<Option<PolicyChoice>> {
    match (&args.policy, model) {
        // The filter of the first row may implement properties that the model does not depend on.
        (Some(text), Some(model)) => PolicyArgs::named(text).choice(model, first),
        (Some(text), None) => PolicyChoice::parse(text).map(Some),
        (None, _) => Ok(None),
    }
}

/// Prints the means that are below their bars, and returns the status of the command.
fn status(reports: &[Report], bars: &[(String, f64)], corpus: &Corpus) -> Status {
    let below: Vec<String> = reports.iter().flat_map(|r| r.below(bars)).collect();
    below.iter().for_each(|b| remark(b));
    match below.is_empty() {
        false => Status::BelowBar,
        true if corpus.failures.is_empty() => Status::Success,
        true => Status::Failures,
    }
}

/// Returns the pages to evaluate on: pages with gold, except pages of sites on which the model was trained.
/// If snippets are the only metric, returns the pages with snippets.
fn pages(args: &Args, corpus: &Corpus, plan: &Plan, metrics: &[&Metric]) -> Result<Vec<usize>> {
    let has_snippets = |&page: &usize| !corpus.pages[page].snippets.is_empty();
    let pages = match metrics.iter().all(|metric| metric.name == SNIPPET.name) {
        true => (0..corpus.pages.len()).filter(has_snippets).collect(),
        false => corpus.with_gold(),
    };
    if pages.is_empty() {
        let error = gold::no_gold(&args.data.data[0]);
        return Err(match (0..corpus.pages.len()).any(|page| has_snippets(&page)) {
            true => error.expected("pages with gold; --metrics snippet for sets that have only snippets"),
            false => error,
        });
    }
    let num = pages.len();
    let mut unseen = pages;
    if let Some(trained) = &plan.trained {
        let corrections = model_of(Some(trained)).map(|model| &model.fitted().corrections);
        unseen = args.overlap()?.pages_to_score((trained.summary(), corrections), corpus, unseen)?;
    }
    for predictions in &plan.predictions {
        unseen = unseen_by_tool(args, corpus, predictions, unseen)?;
    }
    if unseen.len() < num {
        remark(&format!(
            "{} pages left out: the model was trained on them or on their sites",
            num - unseen.len()
        ));
    }
    Ok(unseen)
}

/// Applies `--overlap` to predictions of shipped models. Reports if the training pages of another model are unknown.
fn unseen_by_tool(
    args: &Args,
    corpus: &Corpus,
    predictions: &Predictions,
    mut pages: Vec<usize>,
) -> Result<Vec<usize>> {
    let overlap = args.overlap()?;
    if overlap == Overlap::Allow {
        return Ok(pages);
    }
    // Systems without training have a version instead of a checksum.
    let is_checksum = |of: &str| of.len() == CHECKSUM_DIGITS && of.bytes().all(|b| b.is_ascii_hexdigit());
    let checksums = predictions
        .models()
        .filter_map(|name| Some((name, name.rsplit_once('@')?.1)))
        .filter(|c| is_checksum(c.1));
    for (name, checksum) in checksums {
        let has_checksum = |model: &Model| model.checksum().is_some_and(|of| of.starts_with(checksum));
        let shipped = SHIPPED.iter().find_map(|name| shipped_model(name).ok().filter(has_checksum));
        match &shipped {
            Some(model) => {
                let trained = (model.summary(), Some(&model.fitted().corrections));
                let unseen = overlap.pages_to_score(trained, corpus, pages);
                pages = unseen.map_err(|e| e.at_path(predictions.path()))?;
            }
            None => remark(&format!(
                "{}: the training pages of the model `{name}` are unknown; scores are too high if it was trained on \
                 these pages or their sites",
                predictions.path().display()
            )),
        }
    }
    Ok(pages)
}

/// Measures the speed of the model and of the systems that need no training.
fn speeds(args: &Args, set: &DataSet, recipe: &Recipe, choices: &[SystemChoice]) -> Result<Vec<Speed>> {
    let mut found = Vec::new();
    let measure = |name: &str, labeller: Labeller, visibility: Option<Visibility>| {
        let parse = ParseOptions { unwrap: Some(&gold::CleanevalWrapper), ..ParseOptions::default() };
        let extractor = Extractor::new(labeller, Options { parse, visibility, ..Options::default() });
        Speed::measure(name, set, recipe, &extractor)
    };
    if let Some(path) = args.model.as_deref() {
        found.push(measure(&stem(path), load_trained(path)?.into(), None)?);
    }
    let runs = |c: &&SystemChoice| !c.system().must_be_trained() && !c.system().needs_gold;
    for choice in choices.iter().filter(runs) {
        found.push(measure(choice.name(), Labeller::system(choice.clone())?, Some(recipe.visibility()))?);
    }
    Ok(found)
}

#[allow(clippy::too_many_arguments)] // a report needs all these values
fn report_of(
    args: &Args,
    corpus: &Corpus,
    set: usize,
    pages: &[usize],
    entries: &[Entry],
    metrics: &[&'static Metric],
    recipe: &Recipe,
    has_model: bool,
) -> Result<Report> {
    let of_set: Vec<usize> = (0..pages.len()).filter(|&i| corpus.pages[pages[i]].set == set).collect();
    let ids: Vec<usize> = of_set.iter().map(|&i| pages[i]).collect();
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            let outcomes: Vec<&Outcome> = of_set.iter().map(|&i| &entry.outcomes[i]).collect();
            experiment::score(corpus, &ids, entry, &outcomes, metrics, recipe.seed)
        })
        .collect();
    let num_failed = |entry: &Entry| {
        let num = of_set.iter().filter(|&&i| matches!(entry.outcomes[i], Outcome::Failed)).count();
        (num > 0).then(|| (entry.name.clone(), num))
    };
    let failed = entries.iter().filter_map(num_failed).collect();
    let versus = args.versus.as_ref().and_then(|name| rows.iter().find(|r| is_called(&r.name, name)));
    let comparisons = versus
        .map(|row| experiment::compare(&rows, row, experiment::COMPARED, recipe.seed))
        .unwrap_or_default();
    let folds: Option<Vec<usize>> = args.folds.map(|k| {
        let fold_of = corpus.folds(pages, k, recipe.seed);
        of_set.iter().map(|&i| fold_of[i]).collect()
    });
    let split = match (args.folds, has_model) {
        (Some(k), _) => {
            let sizes = fold_sizes(folds.as_deref().unwrap_or_default(), k);
            format!("{k} folds by site ({} pages)", sizes.join("+"))
        }
        (None, true) if args.overlap == "allow" => "all pages, overlap with training allowed".to_owned(),
        (None, true) => "all pages, no overlap with training pages or sites".to_owned(),
        (None, false) => "all pages".to_owned(),
    };
    let split = match &corpus.sets[set].labels_of_models {
        Some(sentence) => format!("{split}; {sentence}"),
        None => split,
    };
    let groups = args.by.as_deref().map(|field| report::groups(corpus, &ids, &rows, field)).transpose()?;
    Ok(Report {
        set: corpus.sets[set].clone(),
        split,
        options: options_of(args, recipe, &corpus.sets[set]),
        recipe: recipe.clone(),
        metrics: metrics.to_vec(),
        page_ids: ids.iter().map(|&p| corpus.pages[p].id.clone()).collect(),
        folds,
        rows,
        failed,
        comparisons,
        groups,
        speeds: Vec::new(),
    })
}

/// Describes the policy of a set, and the threshold if one is given, for the heading of its report.
fn options_of(args: &Args, recipe: &Recipe, set: &SetInfo) -> String {
    let policy = recipe.policy.of_set(&set.name, set.policy).name();
    let threshold = args.threshold.map(|t| format!("threshold {t}, "));
    format!("policy {policy}, {}", threshold.unwrap_or_default())
}

/// Returns the number of pages in each fold.
fn fold_sizes(fold_of: &[usize], num_folds: usize) -> Vec<String> {
    let size = |fold| fold_of.iter().filter(|&&f| f == fold).count().to_string();
    (0..num_folds).map(size).collect()
}

fn emit(args: &Args, reports: &[Report], write: formats::Writer) -> Result<()> {
    write_text(args.out.as_deref(), &write(reports)?)?;
    match &args.per_page {
        Some(path) => write_file(path, formats::per_page(reports)?.as_bytes()),
        None => Ok(()),
    }
}

fn write_predictions(dir: &Path, corpus: &Corpus, pages: &[usize], entries: &[Entry]) -> Result<()> {
    std::fs::create_dir_all(dir).map_err(|e| Error::io(dir, e))?;
    for (index, set) in corpus.sets.iter().enumerate() {
        for entry in entries {
            let mut out = Vec::new();
            for (&page, outcome) in
                pages.iter().zip(&entry.outcomes).filter(|p| corpus.pages[*p.0].set == index)
            {
                let text = (!matches!(outcome, Outcome::Failed)).then(|| outcome.text(corpus, page));
                let line = serde_json::json!({"id": corpus.pages[page].id, "text": text});
                out.extend_from_slice(format!("{line}\n").as_bytes());
            }
            write_file(&predictions_file(dir, &set.name, &entry.name), &out)?;
        }
    }
    Ok(())
}
