//! `threshr systems`: lists everything that options accept by name.

use crate::{Status, table, write_stdout};
use threshr::registries;
use threshr_core::policy;
use threshr_core::{Error, Result};
use threshr_evaluate::metrics;
use threshr_extract::baseline::{System, SystemOption};
use threshr_extract::{decision, filters as filter};
use threshr_html::blocks as block;
use threshr_sets::gold;

/// List systems, classifiers, decision rules, filters, policies, segmentations, metrics and formats
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  threshr systems | grep classifier\n  threshr systems justext    the options of a system and their defaults"
)]
pub(super) struct Args {
    /// Name of one entry, to show it in full
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

pub(super) fn run(args: &Args) -> Result<Status> {
    if let Some(name) = &args.name {
        // Recipes and `--explain` append parameters to the name of a filter: NAME:DEPTH:SHARE.
        let name = name.split_once(':').map_or(&**name, |parts| parts.0);
        let others = everything().into_iter().filter(|row| row[1] == name && row[0] != SYSTEM);
        let others: Vec<String> = others.map(|row| facts(&[&row[0], "does", "source"], &row[1..])).collect();
        let all: Vec<String> =
            registries().systems.by_name(name).ok().map(describe).into_iter().chain(others).collect();
        if all.is_empty() {
            return Err(Error::invalid_option(format!("there is no entry `{name}`"))
                .expected("a name that `threshr systems` lists"));
        }
        return write_stdout(|out| out.write_all(all.join("\n").as_bytes())).map(|()| Status::Success);
    }
    let row = |r: &Vec<String>| [&r[..2], &[table::with_source(&r[2], &r[3])]].concat();
    let rows: Vec<Vec<String>> = everything().iter().map(row).collect();
    let text = table::plain(&["kind", "name", "what it does [source]"], &rows, 3);
    write_stdout(|out| out.write_all(text.as_bytes())).map(|()| Status::Success)
}

const SYSTEM: &str = "system";

/// Returns all rows with kind, name, summary and source.
fn everything() -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut add = |kind: &str, name: &str, summary: &str, source: &str| {
        rows.push(vec![kind.to_owned(), name.to_owned(), summary.to_owned(), source.to_owned()]);
    };
    registries().systems.all().iter().for_each(|s| add(SYSTEM, s.name, s.summary, s.source));
    for c in registries().classifiers.all() {
        let settings: Vec<String> =
            (c.defaults)().as_object().into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
        add("classifier", c.name(), &format!("{}; settings: {}", c.summary, settings.join(" ")), c.source);
    }
    decision::REGISTRY.iter().for_each(|d| add("decision rule", d.name, d.summary, d.source));
    filter::REGISTRY.iter().for_each(|f| add("filter", f.name, f.summary, f.source));
    for p in policy::NAMED {
        add("policy", p.name, &format!("{}: {}", p.summary, p.properties.join(", ")), "");
    }
    add(
        "policy",
        policy::PolicyChoice::BY_PAGE,
        "main; but article on pages of running text if comments are excluded",
        "",
    );
    policy::PROPERTIES.iter().for_each(|p| add("policy property", p.name, p.definition, ""));
    block::REGISTRY.iter().for_each(|s| add("segmentation", s.name, s.summary, s.source));
    metrics::REGISTRY.iter().for_each(|m| add("metric", m.name, m.summary, m.source));
    gold::REGISTRY.iter().for_each(|r| add("gold format", r.name, r.summary, r.source));
    threshr_crawl::formats().iter().for_each(|f| add("output format", f.name, f.summary, ""));
    rows
}

/// Formats lines of name and value. Skips empty values.
fn facts(names: &[&str], values: &[String]) -> String {
    let has_value = |f: &(&&str, &String)| !f.1.is_empty();
    let rows = names.iter().zip(values).filter(has_value).map(|(n, v)| vec![(*n).to_owned(), v.clone()]);
    table::plain(&["", ""], &rows.collect::<Vec<_>>(), 2).trim_start().to_owned()
}

/// Describes a system with its options.
fn describe(system: &System) -> String {
    let training = match (system.is_trainable(), system.must_be_trained()) {
        (false, _) => "none",
        (true, false) => "possible",
        (true, true) => "needed",
    };
    let values = [system.name, system.summary, system.source, training].map(str::to_owned);
    let mut text = facts(&[SYSTEM, "does", "source", "training"], &values);
    let option = |o: &SystemOption| vec![o.name.to_owned(), o.default.to_owned(), o.help.to_owned()];
    let rows: Vec<_> = system.options.iter().map(option).collect();
    if !rows.is_empty() {
        text.push('\n');
        text.push_str(&table::plain(&["option", "default", "what it does"], &rows, 3));
    }
    text
}
