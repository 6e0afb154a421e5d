//! `threshr data`: checks annotated sets, describes their content, and converts them from other formats.

mod check;
mod convert;
mod stats;

use crate::args::GoldArgs;
use crate::train::report_failures;
use crate::{Status, table, write_stdout};
pub(crate) use check::doubts;
use check::{check, worst_pages};
use stats::stats;
use std::path::PathBuf;
use threshr_core::Result;
use threshr_core::progress::Progress;
use threshr_extract::recipe::Recipe;
use threshr_train::{Corpus, Needs};

/// Check, describe and convert annotated sets
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr data check datasets/sample
  threshr data stats datasets/sample
  threshr data convert export.json --out my-pages      from any supported format")]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Check whether gold is read correctly: floor, oracle and unalignable share
    ///
    /// The oracle keeps exactly the blocks that are content in the gold: the best result that the
    /// segmentation allows. A low oracle or a high unalignable share usually means that the gold format or
    /// the charset is wrong. The last column is the verdict: good, doubtful or wrong. Exit code 2 if
    /// a set is wrong: its gold is empty, or most of it is not on its page.
    #[command(
        after_help = "Examples:\n  threshr data check cleaneval-en-final l3s-gn1\n  threshr data check SET --worst 20 --least-oracle 0.98"
    )]
    Check {
        #[command(flatten)]
        what: What,
        /// Also list the N pages with the lowest oracle
        #[arg(long, default_value_t = 0, value_name = "N")]
        worst: usize,
        /// Exit with code 1 if the oracle token F1 of a set is below this value
        #[arg(long, value_name = "F1")]
        least_oracle: Option<f64>,
    },
    /// Show the number of pages, sites, languages, types, sizes and content shares
    #[command(after_help = "Example:\n  threshr data stats datasets/sample")]
    Stats {
        #[command(flatten)]
        what: What,
    },
    /// Write a set of any format as a folder: gold.jsonl and pages/
    ///
    /// Pages are written decompressed. Labels inside pages become gold text and are removed from the pages;
    /// nothing else is changed.
    #[command(after_help = "\
Examples:
  threshr data convert pairs/ --out my-pages                         x.html and x.txt
  threshr data convert pages.jsonl --text-field body --out my-pages  records with html and body
  threshr data convert export.json --gold-labels Title,Body --out my-pages    Label Studio
  threshr data convert table.csv --out my-pages                      path and text in CSV
  threshr data convert WebMainBench.jsonl --out my-pages
  threshr systems wcxb                                               describes a format")]
    Convert {
        /// The set: a folder, or a file of records
        #[arg(value_name = "SET")]
        data: PathBuf,
        /// Folder to write, which is empty or does not exist
        #[arg(long, short, value_name = "DIR")]
        out: PathBuf,
        #[command(flatten)]
        gold: GoldArgs,
    },
}

#[derive(Debug, clap::Args)]
struct What {
    /// Annotated sets: folders, or files of records
    #[arg(required = true, value_name = "SET")]
    data: Vec<PathBuf>,
    /// How pages are split into blocks: {names}
    #[arg(long, value_name = "NAME", default_value = "paragraph")]
    segmentation: String,
    /// Also read hidden text
    #[arg(long)]
    keep_hidden: bool,
    #[command(flatten)]
    gold: GoldArgs,
}

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    match &args.command {
        Command::Check { what, worst, least_oracle } => {
            let mut status = Status::Success;
            let (mut rows, mut lists) = (Vec::new(), String::new());
            for dir in &what.data {
                let corpus = what.read(dir, progress)?;
                let checked = check(&corpus)?;
                if least_oracle.is_some_and(|least| checked.oracle < least) {
                    status = Status::BelowBar;
                }
                if let Some(error) = &checked.error {
                    crate::print_error(error);
                    status = Status::Failures;
                }
                lists.push_str(&worst_pages(&corpus, &checked, *worst));
                rows.push(checked.row);
                if status == Status::Success && !corpus.failures.is_empty() {
                    status = Status::Failures;
                }
            }
            let head = [
                "set",
                "pages",
                "with gold",
                "blocks",
                "content",
                "unalignable",
                "floor F1",
                "oracle F1",
                "oracle 95 % interval",
                "verdict",
            ];
            let text = table::plain(&head, &rows, 1) + &lists;
            write_stdout(|out| out.write_all(text.as_bytes()))?;
            Ok(status)
        }
        Command::Stats { what } => {
            let mut text = String::new();
            for dir in &what.data {
                text.push_str(&stats(&what.read(dir, progress)?));
            }
            write_stdout(|out| out.write_all(text.as_bytes())).map(|()| Status::Success)
        }
        Command::Convert { data, out, gold } => convert::run(data, gold, out, progress),
    }
}

impl What {
    fn read(&self, dir: &std::path::Path, progress: &dyn Progress) -> Result<Corpus> {
        let sets = self.gold.open(&[dir.to_path_buf()])?;
        let mut recipe = Recipe::default();
        recipe.block.segmentation.clone_from(&self.segmentation);
        recipe.page.keep_hidden = self.keep_hidden;
        let corpus = Corpus::read(&sets, &recipe, None, Needs::default(), progress)?;
        report_failures(&corpus);
        Ok(corpus)
    }
}
