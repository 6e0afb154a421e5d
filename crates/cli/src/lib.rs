//! The command line. No other crate prints or exits.
//!
//! Each subcommand is a file or, if it needs several files, a folder. Modules that several subcommands
//! share: `args`, `page_args`, `policy_args`, `table` and `progress`.

mod adapt;
#[cfg(feature = "annotate")]
mod annotate;
mod args;
mod bench;
pub mod block_features;
mod block_table;
mod compare;
mod completions;
mod data;
mod diff;
mod evaluate;
mod features;
mod guard;
mod held_out;
#[cfg(feature = "annotate")]
mod inspect;
mod labeller;
mod man;
mod model;
mod option_hints;
mod option_names;
mod out_format;
mod page_args;
#[cfg(feature = "annotate")]
mod page_view;
mod policy_args;
mod predict;
mod progress;
mod signals;
mod stdout;
mod systems;
mod table;
mod tips;
mod train;

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::OnceLock;
use threshr_core::{Error, Result};

pub use model::describe as describe_model;

/// Extract the content of web pages; train and evaluate the models that do it
#[derive(Debug, Parser)]
#[command(name = "threshr", version, max_term_width = 100, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Number of threads [default: one for each core]
    // Starting far more threads than 1,024 would fail or take long.
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Show no progress bars and no remarks, only errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Replace existing outputs. Inputs are never replaced, and nothing is written into a folder that is read
    #[arg(long, global = true)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  threshr predict page.html                          extract the content of a page
  curl -fsSL URL | threshr predict -                 read the page from standard input
  threshr predict pages/ --out all.jsonl
  threshr predict crawl/*.warc.gz --out all.parquet --resume
  threshr inspect page.html                          show in the browser why blocks are kept
  threshr annotate pages/                            label the blocks of pages in the browser
  threshr train --data datasets/sample --out my.json train a model on annotated pages
  threshr adapt --data pages-of-a-site --out my.json teach the shipped model a site
  threshr evaluate --data SET --model my.json        evaluate the model
  threshr evaluate --data SET --folds 5 --classifier tree
  threshr compare experiment.toml --out DIR          run a grid of settings and write a report
  threshr diff default bte pages/ --out diff.html    blocks that two models or tools label differently";

#[derive(Debug, Subcommand)]
enum Command {
    Predict(Box<predict::Args>),
    Train(train::Args),
    Adapt(adapt::Args),
    Evaluate(Box<evaluate::Args>),
    Compare(Box<compare::Args>),
    Diff(Box<diff::Args>),
    Features(features::Args),
    #[cfg(feature = "annotate")]
    Annotate(annotate::Args),
    #[cfg(feature = "annotate")]
    Inspect(inspect::Args),
    Model(model::Args),
    Data(data::Args),
    Bench(bench::Args),
    Systems(systems::Args),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  threshr completions bash > ~/.local/share/bash-completion/completions/threshr"
    )]
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Write a manual page for each command
    #[command(after_help = "Example:\n  threshr man --out ~/.local/share/man/man1 --force")]
    Man {
        /// Folder of the manual pages
        #[arg(long, value_name = "DIR")]
        out: std::path::PathBuf,
    },
}

/// Options that apply to the whole run.
#[derive(Debug, Default)]
struct Global {
    quiet: bool,
    force: bool,
}

static GLOBAL: OnceLock<Global> = OnceLock::new();

/// The options of the subcommand that the user gave, with their values.
static GIVEN: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Returns the options of the subcommand that the user gave, with their values. Options that do not affect the
/// results are left out.
fn given() -> BTreeMap<String, String> {
    GIVEN.get().cloned().unwrap_or_default()
}

fn given_in(command: &clap::Command, matches: &ArgMatches) -> BTreeMap<String, String> {
    const OTHERS: [&str; 2] = ["out", "resume"];
    let Some((name, of_command)) = matches.subcommand() else { return BTreeMap::new() };
    let args = command.find_subcommand(name).into_iter().flat_map(clap::Command::get_arguments);
    let given = args.filter_map(|arg| {
        let (id, long) = (arg.get_id().as_str(), arg.get_long().filter(|long| !OTHERS.contains(long))?);
        let is_given = of_command.value_source(id) == Some(ValueSource::CommandLine);
        let values =
            || of_command.get_raw(id).into_iter().flatten().map(|v| v.to_string_lossy().into_owned());
        // A switch has the value `true`.
        let text = if arg.get_action().takes_values() {
            values().collect::<Vec<_>>().join(" ")
        } else {
            String::new()
        };
        is_given.then(|| (format!("--{long}"), text))
    });
    given.collect()
}

/// Returns whether `--force` is given.
fn is_forced() -> bool {
    GLOBAL.get().is_some_and(|global| global.force)
}

/// Status of a command that did not end with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Success,
    /// A score is below a `--bar`.
    BelowBar,
    /// Some pages, or some cells of an experiment, failed. An error was printed for each.
    Failures,
}

/// Returns the command line parser. Its help texts contain the names in the registries.
fn command() -> clap::Command {
    option_names::in_help(Cli::command())
}

/// Runs the program with the arguments of the process. Exit codes: 0 success, 1 a score below its bar, 2 an
/// error.
pub fn main() -> ExitCode {
    ExitCode::from(run_with(std::env::args_os()))
}

/// Runs the program with these arguments and returns the exit code. The first argument is the name of the
/// program.
pub fn run_with<A: Into<OsString> + Clone>(args: impl IntoIterator<Item = A>) -> u8 {
    let command = command();
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let words: Vec<String> = args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let matches = command.clone().try_get_matches_from(args);
    let cli = match matches.and_then(|mut matches| {
        let _ = GIVEN.set(given_in(&command, &matches));
        Cli::from_arg_matches_mut(&mut matches)
    }) {
        Ok(cli) => cli,
        Err(mut e) => {
            tips::add(&mut e, &command, &words);
            // Clap also returns the output of --help and --version as errors.
            let is_error = e.use_stderr();
            let printed = match is_error {
                true => e.print().map_err(|e| Error::io("-", e)),
                false => stdout::stdout().and_then(|_| e.print().map_err(|e| Error::io("-", e))),
            };
            return match printed {
                Err(e) if !is_error && !is_closed_pipe(&e) => {
                    print_error(&e);
                    2
                }
                _ if is_error => 2,
                _ => 0,
            };
        }
    };
    signals::handle();
    match run(cli) {
        Ok(Status::Success) => 0,
        Ok(Status::BelowBar) => 1,
        Ok(Status::Failures) => 2,
        Err(e) if is_closed_pipe(&e) => 0,
        Err(e) => {
            print_error(&e);
            print_resumable();
            2
        }
    }
}

fn run(cli: Cli) -> Result<Status> {
    if let Some(jobs) = cli.jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global();
        pool.map_err(|e| Error::invalid_option("the thread pool cannot be started").because(e))?;
    }
    let _ = GLOBAL.set(Global { quiet: cli.quiet, force: cli.force });
    let progress = progress::Bar::new(cli.quiet);
    match cli.command {
        Command::Predict(args) => predict::run(&args, &progress),
        Command::Train(args) => train::run(&args, &progress),
        Command::Adapt(args) => adapt::run(&args, &progress),
        Command::Evaluate(args) => evaluate::run(&args, &progress),
        Command::Compare(args) => compare::run(&args, &progress),
        Command::Diff(args) => diff::run(&args, &progress),
        Command::Features(args) => features::run(&args, &progress),
        #[cfg(feature = "annotate")]
        Command::Annotate(args) => annotate::run(&args),
        #[cfg(feature = "annotate")]
        Command::Inspect(args) => inspect::run(&args),
        Command::Model(args) => model::run(&args),
        Command::Data(args) => data::run(&args, &progress),
        Command::Bench(args) => bench::run(&args, &progress),
        Command::Systems(args) => systems::run(&args),
        Command::Completions { shell } => completions::run(shell).map(|()| Status::Success),
        Command::Man { out } => man::run(&out).map(|()| Status::Success),
    }
}

/// Prints an error and its causes to standard error.
fn print_error(error: &Error) {
    let text = format!("threshr: {error}{}\n", option_hints::of(error));
    let add = |text, cause| format!("{text}  because: {cause}{}\n", option_hints::of(cause));
    write_stderr(&error.causes().fold(text, add));
}

/// Writes to standard error. Failures are ignored, because they must not stop the run.
fn write_stderr(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints which output files can be resumed after an interruption.
fn print_resumable() {
    for path in threshr_io::atomic::resumable() {
        remark(&format!("{} is incomplete; repeat the command with --resume to continue it", path.display()));
    }
}

/// Prints a message to standard error, unless `--quiet` is given.
fn remark(text: &str) {
    if !GLOBAL.get().is_some_and(|global| global.quiet) {
        write_stderr(&format!("threshr: {text}\n"));
    }
}

/// Writes to standard output through a buffer.
fn write_stdout(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let mut out = std::io::BufWriter::new(stdout::stdout()?);
    write(&mut out).and_then(|()| out.flush()).map_err(|e| Error::io("-", e))
}

/// Returns the error for standard input or a pipe as an input that is read more than once.
fn read_again(path: &std::path::Path) -> Error {
    let what = if path.as_os_str() == "-" { "standard input" } else { "a pipe" };
    Error::invalid_option(format!("{what} cannot be read again")).at_path(path)
}

/// Returns whether the reader of the output closed the pipe, as in `threshr … | head`.
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

/// Writes text to a file. If `out` is `None` or `-`, writes to standard output.
fn write_text(out: Option<&std::path::Path>, text: &str) -> Result<()> {
    match out.filter(|path| path.as_os_str() != "-") {
        None => write_stdout(|out| out.write_all(text.as_bytes())),
        Some(path) => write_file(path, text.as_bytes()),
    }
}

/// Writes a file atomically.
fn write_file(path: &std::path::Path, bytes: &[u8]) -> Result<()> {
    let mut file = threshr_io::atomic::AtomicFile::create(path)?;
    file.write_all(bytes).map_err(|e| Error::io(path, e))?;
    file.finish()
}

/// Returns the message that the running command prints on Ctrl-C and other signals that end it.
static AT_INTERRUPT: OnceLock<Box<dyn Fn() -> Option<String> + Send + Sync>> = OnceLock::new();

/// Sets the message that the running command prints on Ctrl-C, such as how to continue. Only the first call
/// has an effect, because a process runs one command.
fn say_at_interrupt(text: impl Fn() -> Option<String> + Send + Sync + 'static) {
    let _ = AT_INTERRUPT.set(Box::new(text));
}

/// Removes temporary files, prints how to continue, and ends the program.
fn end_of_run(code: i32) {
    threshr_io::atomic::abandon_unfinished();
    print_resumable();
    if let Some(text) = AT_INTERRUPT.get().and_then(|text| text()) {
        remark(&text);
    }
    std::process::exit(code);
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
