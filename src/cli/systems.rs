//! `threshr systems`: what can be asked for by name.

use super::{Ending, table, write_stdout};
use crate::error::Result;
use crate::{block, classifier, decision, filter, gold, metrics, output, policy, systems};

/// List systems, classifiers, decision rules, filters, policies, segmentations, metrics and formats
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  threshr systems | grep classifier")]
pub struct Args {}

pub fn run(_: &Args) -> Result<Ending> {
    let mut rows = Vec::new();
    let mut add = |kind: &str, name: &str, summary: &str, source: &str| {
        rows.push(vec![kind.to_owned(), name.to_owned(), summary.to_owned(), source.to_owned()]);
    };
    systems::REGISTRY.iter().for_each(|s| add("system", s.name, s.summary, s.source));
    for c in classifier::REGISTRY {
        let settings: Vec<String> =
            (c.defaults)().as_object().into_iter().flatten().map(|(k, v)| format!("{k}={v}")).collect();
        add("classifier", c.name, &format!("{}; settings: {}", c.summary, settings.join(" ")), c.source);
    }
    decision::REGISTRY.iter().for_each(|d| add("decision rule", d.name, d.summary, d.source));
    filter::REGISTRY.iter().for_each(|f| add("filter", f.name, f.summary, f.source));
    for p in policy::NAMED {
        add("policy", p.name, &format!("{}: {}", p.summary, p.properties.join(", ")), "");
    }
    policy::PROPERTIES.iter().for_each(|p| add("policy switch", p.name, p.definition, ""));
    block::REGISTRY.iter().for_each(|s| add("segmentation", s.name, s.summary, s.source));
    metrics::REGISTRY.iter().for_each(|m| add("metric", m.name, m.summary, m.source));
    gold::REGISTRY.iter().for_each(|r| add("gold format", r.name, r.summary, r.source));
    output::REGISTRY.iter().for_each(|f| add("output format", f.name, f.summary, ""));
    let text = table::plain(&["kind", "name", "what it does", "source"], &rows, 4);
    write_stdout(|out| out.write_all(text.as_bytes())).map(|()| Ending::Fine)
}
