//! `threshr model`: describes the content of model files.

use crate::{Status, args, table, write_stdout};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use threshr_core::Result;
use threshr_extract::baseline::TrainedSystem;
use threshr_extract::correction::{Corrections, LearnedFrom};
use threshr_extract::model::Trained;
use threshr_extract::model::{Model, TrainingSummary, file};

/// Inspect model files
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  threshr model show my.json")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show the training data, the recipe and the most important columns of a model
    #[command(
        after_help = "Examples:\n  threshr model show\n  threshr model show my.json --columns 40\n  threshr model show my.json --recipe > my.toml\n  threshr model show default --json > default.json"
    )]
    Show {
        /// Model: a file, or `default`, `fast` or `tiny` (compiled in) [default: default]
        model: Option<PathBuf>,
        /// Number of columns to show, the most important first
        #[arg(long, default_value_t = 20, value_name = "N")]
        columns: usize,
        /// Show only the recipe, as TOML
        #[arg(long)]
        recipe: bool,
        /// Write the model as the JSON of a model file
        #[arg(long, conflicts_with_all = ["recipe", "columns"])]
        json: bool,
    },
}

pub(super) fn run(args: &Args) -> Result<Status> {
    let Command::Show { model, columns, recipe, json } = &args.command;
    let bytes = match args::trained(model.as_deref().unwrap_or(Path::new("default")))? {
        Trained::System(system) if *json => file::system_to_bytes(&system)?,
        Trained::System(system) if !*recipe => describe_system(&system).into_bytes(),
        trained => {
            let model = trained.into_model()?;
            match (*json, *recipe) {
                (true, _) => file::to_bytes(&model)?,
                (_, true) => model.recipe().to_toml().into_bytes(),
                _ => describe(&model, *columns).into_bytes(),
            }
        }
    };
    write_stdout(|out| out.write_all(&bytes)).map(|()| Status::Success)
}

fn training(summary: &TrainingSummary) -> [(String, String); 2] {
    [
        ("pages".into(), format!("{} of {} sites", summary.num_pages, summary.num_sites)),
        ("blocks".into(), format!("{}, {} of them content", summary.num_blocks, summary.num_content)),
    ]
}

fn describe_system(system: &TrainedSystem) -> String {
    let (choice, summary) = (system.choice(), system.summary());
    let mut facts = vec![("system".to_owned(), choice.name().to_owned())];
    let settings = choice.settings().unwrap_or_default();
    let option = |(key, value): (&String, &serde_json::Value)| (format!("option {key}"), value.to_string());
    facts.extend(settings.as_object().into_iter().flatten().map(option));
    facts.extend(system.method().facts().into_iter().map(|(n, v)| (n.to_owned(), v)));
    facts.extend(training(summary));
    for set in &summary.sets {
        facts.push(("set".into(), format!("{}, {} pages, sha256 {}", set.name, set.pages, set.sha256)));
    }
    let rows: Vec<_> = facts.into_iter().map(|(n, v)| vec![n, v]).collect();
    table::plain(&["", ""], &rows, 2).trim_start().to_owned()
}

/// Maximum number of listed sites with a correction.
const MAX_SITES: usize = 100;

/// Describes the site corrections of a model. Calls `fact` with each name and value.
fn describe_corrections(corrections: &Corrections, fact: &mut dyn FnMut(&str, String)) {
    let of = |learned: &LearnedFrom| {
        let f1 = learned.left_out_f1.map_or(String::new(), |[before, after]| {
            format!("; left out: token F1 {before:.4} before, {after:.4} after")
        });
        format!("{} pages{f1}", learned.num_pages)
    };
    for (site, correction) in corrections.sites.iter().take(MAX_SITES) {
        fact("site", format!("{site}: {} terms from {}", correction.terms.len(), of(&correction.learned)));
    }
    if corrections.sites.len() > MAX_SITES {
        fact("further sites", (corrections.sites.len() - MAX_SITES).to_string());
    }
}

/// Describes training data, recipe and the most important columns of a model as text.
pub fn describe(model: &Model, num_columns: usize) -> String {
    let (fit, summary) = (model.fitted(), model.summary());
    let mut facts = vec![("classifier".to_owned(), model.recipe().classifier.name.clone())];
    facts.extend(fit.classifier.facts().into_iter().map(|(n, v)| (n.to_owned(), v)));
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    fact("columns", model.columns().len().to_string());
    let decided = |parameter: f32| format!("{}, parameter {parameter:.2}", model.rule().name);
    fact("decision", decided(fit.threshold));
    for (name, l) in fit.learned.iter() {
        fact(
            name,
            format!("{:.2}; favouring precision {:.2}, recall {:.2}", l.balance, l.precision, l.recall),
        );
    }
    fact("calibration", format!("1 / (1 + exp(-({:.4} d + {:.4})))", fit.sigmoid.a, fit.sigmoid.b));
    facts.extend(training(summary));
    let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
    let held = &summary.held_out;
    fact(
        "held out",
        format!("{} folds: token F1 {:.4}, log loss {:.4}", held.folds, held.token_f1, held.log_loss),
    );
    let measured = |value: Option<f64>| value.map_or("not measured".to_owned(), |v| format!("{v:.4}"));
    if let Some(types) = &fit.type_and_quality.page_type {
        let names = types.classes().join(", ");
        fact("page types", format!("{names}: accuracy {} held out", measured(types.held_out_accuracy)));
    }
    if let Some(quality) = &fit.type_and_quality.quality {
        fact("quality", format!("rank correlation {} held out", measured(quality.held_out_correlation)));
    }
    describe_corrections(&fit.corrections, &mut fact);
    for set in &summary.sets {
        fact("set", format!("{}, {} pages, sha256 {}", set.name, set.pages, set.sha256));
    }
    let rows: Vec<_> = facts.into_iter().map(|(n, v)| vec![n, v]).collect();
    let mut out = table::plain(&["", ""], &rows, 2).trim_start().to_owned();
    let _ = write!(out, "\nrecipe\n\n{}", model.recipe().to_toml());
    if let Some(importance) = fit.classifier.importance() {
        let mut order: Vec<usize> = (0..importance.len()).filter(|&i| importance[i] > 0.0).collect();
        order.sort_by(|&a, &b| importance[b].total_cmp(&importance[a]));
        let row = |&i: &usize| vec![model.columns()[i].clone(), format!("{:.4}", importance[i])];
        let rows: Vec<_> = order.iter().take(num_columns).map(row).collect();
        let _ = write!(out, "\n{}", table::plain(&["column", "share of the fit"], &rows, 1));
    }
    out
}
