//! Names from the registries that options accept, for help texts and completions.

use clap::{Arg, Command};
use threshr::registries;
use threshr_core::policy::{self, PolicyChoice};
use threshr_evaluate::metrics;
use threshr_extract::{decision, filters};
use threshr_features as features;
use threshr_html::blocks;
use threshr_sets::gold;

/// Placeholder in a help text for the names that the option accepts.
const NAMES: &str = "{names}";

/// Replaces the placeholder in all help texts of a command.
pub(super) fn in_help(command: Command) -> Command {
    command.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        in_help(sub).mut_args(|arg| in_help_of(&name, arg))
    })
}

fn in_help_of(command: &str, arg: Arg) -> Arg {
    let Some(help) = arg.get_help().map(ToString::to_string).filter(|help| help.contains(NAMES)) else {
        return arg;
    };
    let names = names_of(command, arg.get_id().as_str()).unwrap_or_default();
    arg.help(help.replace(NAMES, &names.join(", ")))
}

/// Returns the names that an option of a command accepts, if they are known.
pub(super) fn names_of(command: &str, option: &str) -> Option<Vec<&'static str>> {
    let names: Vec<&'static str> = match option {
        "classifier" => registries().classifiers.all().iter().map(|c| c.name()).collect(),
        "decision" => decision::REGISTRY.iter().map(|d| d.name).collect(),
        "favor" => vec!["precision", "balance", "recall"],
        "segmentation" => blocks::REGISTRY.iter().map(|s| s.name).collect(),
        "filter" => filters::REGISTRY.iter().map(|f| f.name).collect(),
        "policy" | "a_policy" | "b_policy" => {
            policy::NAMED.iter().map(|p| p.name).chain([PolicyChoice::BY_PAGE]).collect()
        }
        "system" => registries().systems.all().iter().map(|s| s.name).collect(),
        "metrics" => metrics::REGISTRY.iter().map(|m| m.name).collect(),
        "features" => features::NAMED_SETS
            .iter()
            .map(|s| s.name)
            .chain(features::REGISTRY.iter().map(|f| f.name()))
            .collect(),
        "input_format" => threshr_io::READERS.iter().map(|r| r.name).collect(),
        "gold_format" => gold::REGISTRY.iter().map(|r| r.name).collect(),
        "format" => match command {
            "predict" => threshr_crawl::formats().iter().map(|f| f.name).collect(),
            "diff" => vec!["table", "json", "jsonl"],
            "evaluate" | "bench" => vec!["table", "markdown", "json", "csv"],
            _ => return None,
        },
        _ => return None,
    };
    Some(names)
}

#[cfg(test)]
mod tests {
    use crate::command;

    #[test]
    fn help_texts_have_the_names() {
        let mut command = command();
        for (sub, name) in [("predict", "headings"), ("train", "svm-rff"), ("evaluate", "cleaneval")] {
            let help = command.find_subcommand_mut(sub).expect("a command").render_help().to_string();
            assert!(help.contains(name) && !help.contains(super::NAMES), "{help}");
        }
    }
}
