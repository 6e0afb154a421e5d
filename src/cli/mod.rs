//! The command line: one file per subcommand. The only place that prints or exits.

mod args;
mod bench;
mod compare;
mod compare_models;
mod compare_table;
mod completions;
mod data;
mod evaluate;
mod evaluate_args;
mod evaluate_rows;
mod evaluate_table;
mod explain;
mod features;
mod model;
mod policy_args;
mod predict;
mod predict_args;
mod predict_inputs;
mod predict_job;
mod progress;
mod systems;
mod table;
mod train;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;
use threshr_core::{Error, Result};

/// Threshes the content of web pages from their boilerplate: trains, predicts, evaluates and compares.
#[derive(Debug, Parser)]
#[command(name = "threshr", version, max_term_width = 100, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Threads to work with [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    jobs: Option<usize>,
    /// Show no progress
    #[arg(long, short, global = true)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  threshr predict page.html                          the content of a page
  curl -s URL | threshr predict -                    … from standard input
  threshr predict pages/ --out all.jsonl
  threshr predict crawl/*.warc.gz --out all.parquet --resume
  threshr train --data datasets/sample --out my.json train a model on annotated pages
  threshr evaluate --data SET --model my.json        … and measure it
  threshr evaluate --data SET --folds 5 --classifier tree
  threshr compare experiment.toml --out DIR          grids of settings, with a report";

#[derive(Debug, Subcommand)]
enum Command {
    Predict(Box<predict::Args>),
    Train(train::Args),
    Evaluate(Box<evaluate::Args>),
    Compare(Box<compare::Args>),
    Features(features::Args),
    Model(model::Args),
    Data(data::Args),
    Bench(bench::Args),
    Systems(systems::Args),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  threshr completions bash > ~/.local/share/bash-completion/completions/threshr"
    )]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// How a command ended, other than by an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Fine,
    /// A bar that the user stated was not reached.
    BarFailed,
    /// Some pages, or cells of an experiment, could not be worked on; they have been listed.
    PagesFailed,
}

/// Runs the program: 0 fine, 1 a stated bar failed, 2 an error.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // clap's own texts; help and version are no errors
            let _ = e.print();
            return if e.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    on_interrupt();
    match run(cli) {
        Ok(Ending::Fine) => ExitCode::SUCCESS,
        Ok(Ending::BarFailed) => ExitCode::from(1),
        Ok(Ending::PagesFailed) => ExitCode::from(2),
        Err(e) if is_closed_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            print_error(&e);
            say_what_can_be_resumed();
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> Result<Ending> {
    if let Some(jobs) = cli.jobs {
        if jobs == 0 {
            return Err(Error::recipe("--jobs is 0").expected("1 or more"));
        }
        if jobs > MOST_JOBS {
            return Err(Error::recipe(format!("--jobs is {jobs}")).expected(format!("{MOST_JOBS} at most")));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build_global();
        pool.map_err(|e| Error::recipe("the threads cannot be started").because(e))?;
    }
    let progress = progress::Bar::new(cli.quiet);
    match cli.command {
        Command::Predict(args) => predict::run(&args, &progress),
        Command::Train(args) => train::run(&args, &progress),
        Command::Evaluate(args) => evaluate::run(&args, &progress),
        Command::Compare(args) => compare::run(&args, &progress),
        Command::Features(args) => features::run(&args, &progress),
        Command::Model(args) => model::run(&args),
        Command::Data(args) => data::run(&args, &progress),
        Command::Bench(args) => bench::run(&args, &progress),
        Command::Systems(args) => systems::run(&args),
        Command::Completions { shell } => completions::run(shell).map(|()| Ending::Fine),
    }
}

/// Most threads that can be asked for: more than any machine has, and few enough to begin at once.
const MOST_JOBS: usize = 1024;

/// Prints an error and what caused it on standard error.
fn print_error(error: &Error) {
    let text = format!("threshr: {error}\n");
    say(&error.causes().fold(text, |text, cause| format!("{text}  because: {cause}\n")));
}

/// Writes to standard error. That nobody reads it, or that it is full, is no reason to lose what is being made.
fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// After a run that was stopped: what is not lost.
fn say_what_can_be_resumed() {
    for path in threshr_io::atomic::resumable() {
        remark(&format!("{} is unfinished; the same command with --resume goes on with it", path.display()));
    }
}

/// Prints a remark on standard error.
fn remark(text: &str) {
    say(&format!("threshr: {text}\n"));
}

/// Writes to standard output, buffered.
fn write_stdout(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(|e| Error::io("-", e))
}

/// Whether the reader of our output has gone away (as in `threshr … | head`), which is its right.
fn is_closed_pipe(error: &Error) -> bool {
    let is_closed = |e: &(dyn std::error::Error + 'static)| match e
        .downcast_ref::<csv::Error>()
        .map(csv::Error::kind)
    {
        Some(csv::ErrorKind::Io(e)) => e.kind() == std::io::ErrorKind::BrokenPipe,
        _ => e.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe),
    };
    error.causes().any(is_closed)
}

/// Writes a file, whole or not at all.
fn write_file(path: &std::path::Path, bytes: &[u8]) -> Result<()> {
    let mut file = threshr_io::atomic::AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|e| Error::io(path, e))?;
    file.finish()
}

/// Ctrl-C removes what is half written, then ends the program as the signal would have.
fn on_interrupt() {
    let set = ctrlc::set_handler(|| {
        threshr_io::atomic::abandon_unfinished();
        say_what_can_be_resumed();
        compare::say_what_goes_on();
        std::process::exit(130);
    });
    // without a handler Ctrl-C still ends the program; only a temporary file may stay
    if set.is_err() {
        remark("Ctrl-C may leave a temporary file behind");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
