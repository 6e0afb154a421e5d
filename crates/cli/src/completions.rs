//! `threshr completions`: shell scripts that complete options and their values.

use crate::option_names::names_of;
use crate::{command, write_stdout};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;
use threshr_core::Result;

/// Prints the completion script for a shell.
pub(super) fn run(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(command()), "threshr", &mut script);
    write_stdout(|out| out.write_all(&script))
}

/// Adds the possible values of options to the command. Used for completion scripts only: values that a user
/// types are checked by the registries.
fn with_names(command: Command) -> Command {
    command.mut_subcommands(|sub| {
        let name = sub.get_name().to_owned();
        with_names(sub).mut_args(|arg| with_names_of(&name, arg))
    })
}

fn with_names_of(command: &str, arg: Arg) -> Arg {
    if !arg.get_action().takes_values() {
        return arg;
    }
    match names_of(command, arg.get_id().as_str()) {
        // Options whose value is not a file do not complete file names.
        None if arg.get_value_names().is_some_and(|n| n.iter().all(|n| !is_file(n))) => {
            arg.value_hint(ValueHint::Other)
        }
        None => arg,
        Some(names) => arg.value_parser(PossibleValuesParser::new(names)),
    }
}

/// Returns whether an option value with this placeholder may be a file or a folder.
fn is_file(value_name: &str) -> bool {
    // the two sides of `diff`
    if ["A", "B"].contains(&value_name) {
        return true;
    }
    ["FILE", "DIR", "PAGE", "SET", "PATH", "EXPERIMENT", "INPUT", "MODEL"]
        .iter()
        .any(|f| value_name.contains(f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_complete_their_names() {
        let command = with_names(command());
        let values = |sub: &str, option: &str| -> Vec<String> {
            let sub = command.find_subcommand(sub).expect("a command");
            let arg = sub.get_arguments().find(|a| a.get_id() == option).expect("an option");
            arg.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect()
        };
        assert!(values("predict", "policy").contains(&"article".to_owned()));
        assert!(values("predict", "format").contains(&"parquet".to_owned()));
        assert!(values("train", "classifier").contains(&"blend".to_owned()));
        assert!(values("evaluate", "overlap").contains(&"skip".to_owned()));
        assert!(values("predict", "model").is_empty());
    }
}
