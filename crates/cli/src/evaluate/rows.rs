//! The rows of `evaluate`: floor, systems, models, predictions of other tools, ceiling.

use crate::evaluate::{Args, Plan};
use crate::remark;
use std::path::Path;
use threshr::registries;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_evaluate as experiment;
use threshr_evaluate::{
    Entry, Kind, Outcome, Predictions, Scored, cross_validate, rounds_by_site, run_system, train_and_run,
};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::decision::DecisionOptions;
use threshr_extract::filters::FilterChoice;
use threshr_extract::model::Trained;
use threshr_train::Corpus;

/// Everything from which the rows are computed.
pub(super) struct Rows<'a> {
    pub args: &'a Args,
    pub plan: &'a Plan,
    pub progress: &'a dyn Progress,
}

impl Rows<'_> {
    /// Returns the names of the rows.
    ///
    /// # Errors
    /// If two rows have the same name. Only floor and oracle may also be given as systems.
    pub(super) fn names(&self) -> Result<Vec<String>> {
        let plan = self.plan;
        let mut systems: Vec<String> = plan.choices.iter().map(|c| c.name().to_owned()).collect();
        let mut models = Vec::new();
        let scored =
            |name: &str| self.plan.decisions.iter().map(|d| decided_name(name, d)).collect::<Vec<_>>();
        match &plan.trained {
            Some(Trained::Model(_)) => models.extend(scored(&self.stem())),
            Some(Trained::System(_)) => systems.push(self.stem()),
            None => {}
        }
        if plan.trains_model {
            models.extend(scored(&self.plan.recipe.classifier.name));
        }
        let filtered = |names: &[String], filters: &[FilterChoice]| -> Vec<String> {
            names.iter().flat_map(|name| filters.iter().map(move |&f| row_name(name, f, filters))).collect()
        };
        let mut names = filtered(&systems, &self.plan.system_filters);
        names.extend(filtered(&models, &self.plan.filters));
        names.extend(self.args.predictions.iter().map(|path| stem(path)));
        let mut files = self.args.predictions.iter().chain(&self.args.model);
        if let Some(file) = files.find(|path| BOUNDS.contains(&stem(path).as_str())) {
            return Err(Error::invalid_option(format!(
                "the file name gives the row name `{}`, which every table already has",
                stem(file)
            ))
            .expected("a file with another name")
            .at_path(file));
        }
        let is_twice = |&(i, name): &(usize, &String)| names[..i].contains(name);
        if let Some((_, twice)) = names.iter().enumerate().find(is_twice) {
            return Err(Error::invalid_option(format!("two rows have the name `{twice}`"))
                .expected("different names; the row of a file has the name of the file"));
        }
        // Added after the check, because floor and oracle may also be given as systems.
        Ok(BOUNDS.map(str::to_owned).into_iter().chain(names).collect())
    }

    /// Returns the name of the row of `--model`.
    fn stem(&self) -> String {
        self.args.model.as_deref().map(stem).unwrap_or_default()
    }

    /// Computes all rows, from the floor to the oracle.
    pub(super) fn entries(&self, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Entry>> {
        let plan = self.plan;
        let held_out = match self.args.folds {
            Some(folds) if plan.trains_model => Some(cross_validate(
                corpus,
                pages,
                &self.plan.recipe,
                folds,
                &registries().classifiers,
                self.progress,
            )?),
            _ => None,
        };
        let mut entries = vec![self.bound(BOUNDS[0], corpus, pages)?];
        for choice in &plan.choices {
            entries.extend(self.system(choice, corpus, pages)?);
        }
        match &plan.trained {
            None => {}
            Some(Trained::Model(model)) => {
                let scored = experiment::score_with(model, corpus, pages)?;
                entries.extend(self.scored(&self.stem(), &scored, corpus, pages));
            }
            Some(Trained::System(system)) => {
                let run = |choice: &SystemChoice| {
                    Ok(experiment::run_method(choice, system.method(), corpus, pages, &self.plan.recipe))
                };
                let mut choice = system.choice().clone();
                choice.rename(&self.stem());
                entries.extend(self.filtered(&choice, run)?);
            }
        }
        if let Some(held_out) = held_out {
            entries.extend(self.scored(&self.plan.recipe.classifier.name, &held_out, corpus, pages));
        }
        for (path, read) in self.args.predictions.iter().zip(&self.plan.predictions) {
            entries.push(predictions(path, read, corpus, pages)?);
        }
        entries.push(self.bound(BOUNDS[1], corpus, pages)?);
        Ok(entries)
    }

    fn bound(&self, name: &str, corpus: &Corpus, pages: &[usize]) -> Result<Entry> {
        let choice = SystemChoice::parse(name, &registries().systems)?;
        let outcomes = run_system(&choice, corpus, pages, &self.plan.recipe)?;
        Ok(Entry { name: name.to_owned(), filter: choice.filter().name(), kind: Kind::Bound, outcomes })
    }

    /// Computes the rows of a system. If the system can be trained and `--folds` is given, it is
    /// cross-validated.
    fn system(&self, choice: &SystemChoice, corpus: &Corpus, pages: &[usize]) -> Result<Vec<Entry>> {
        let rounds = match self.args.folds.filter(|_| choice.system().is_trainable()) {
            Some(folds) => {
                let trainable = corpus.trainable(&self.plan.recipe);
                Some(rounds_by_site(corpus, &trainable, pages, folds, self.plan.recipe.seed)?)
            }
            None => None,
        };
        self.filtered(choice, |choice| match &rounds {
            Some(rounds) => train_and_run(
                choice,
                corpus,
                &self.plan.sets,
                pages,
                rounds,
                &self.plan.recipe,
                &registries(),
                self.progress,
            ),
            None => run_system(choice, corpus, pages, &self.plan.recipe),
        })
    }

    /// Computes a row for every filter. If the name of the system contains a filter, that filter runs
    /// first.
    fn filtered(
        &self,
        choice: &SystemChoice,
        mut run: impl FnMut(&SystemChoice) -> Result<Vec<Outcome>>,
    ) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for &filter in &self.plan.system_filters {
            let choice = if filter.is_none() { choice.clone() } else { choice.with_filter(filter) };
            let outcomes = run(&choice)?;
            let name = row_name(choice.name(), filter, &self.plan.system_filters);
            entries.push(Entry { name, filter: choice.filter().name(), kind: Kind::Other, outcomes });
        }
        Ok(entries)
    }

    fn scored(&self, name: &str, scored: &[Scored], corpus: &Corpus, pages: &[usize]) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (options, &filter) in
            self.plan.decisions.iter().flat_map(|d| self.plan.filters.iter().map(move |f| (d, f)))
        {
            let decide = |(&page, s): (&usize, &Scored)| s.decide(corpus, page, options, filter);
            let outcomes = pages.iter().zip(scored).map(decide).collect();
            entries.push(Entry {
                name: row_name(&decided_name(name, options), filter, &self.plan.filters),
                filter: filter.name(),
                kind: Kind::Model,
                outcomes,
            });
        }
        entries
    }
}

/// First and last row of every table: floor and ceiling.
const BOUNDS: [&str; 2] = ["keep-everything", "oracle"];

/// Maximum number of failed pages that are named.
const MAX_NAMED: usize = 10;

/// Returns the name of the row of a file.
pub(super) fn stem(path: &Path) -> String {
    threshr_io::names::stem(path)
}

/// Appends the decision options to `name`.
fn decided_name(name: &str, options: &DecisionOptions) -> String {
    let options = options.name();
    if options.is_empty() { name.to_owned() } else { format!("{name}+{options}") }
}

/// Appends the filter to `name`, if there are several filters or the filter is not `none`.
fn row_name(name: &str, filter: FilterChoice, filters: &[FilterChoice]) -> String {
    if filters.len() < 2 && filter.name() == "none" {
        name.to_owned()
    } else {
        format!("{name}+{}", filter.name())
    }
}

fn predictions(path: &Path, predictions: &Predictions, corpus: &Corpus, pages: &[usize]) -> Result<Entry> {
    let missing = predictions.missing(corpus, pages);
    let outcomes = predictions.outcomes(corpus, pages)?;
    if let Some(first) = missing.first() {
        remark(&format!(
            "{}: {} of {} pages are missing; they count as failed and score 0, such as {first}",
            path.display(),
            missing.len(),
            pages.len()
        ));
    }
    let failed = predictions.failed(corpus, pages);
    if !failed.is_empty() {
        let (path, num, all) = (path.display(), failed.len(), pages.len());
        let named = failed[..num.min(MAX_NAMED)].join(", ");
        let more = if num > MAX_NAMED { ", …" } else { "" };
        remark(&format!("{path}: {num} of {all} pages failed and score 0: {named}{more}"));
    }
    let extra = predictions.extra(corpus);
    if let Some(first) = extra.first() {
        let num = extra.len();
        remark(&format!("{}: {num} ids match no page of the sets, such as {first}", path.display()));
    }
    Ok(Entry { name: stem(path), filter: "none".into(), kind: Kind::Other, outcomes })
}
