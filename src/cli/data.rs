//! `threshr data`: the content of annotated folders, and how well gold and blocks agree.

use crate::cli::args::{DataArgs, GoldArgs};
use crate::cli::table;
use crate::cli::table::number;
use crate::cli::train::report_failures;
use crate::cli::{Status, write_stdout};
use crate::registries;
use std::collections::BTreeMap;
use std::path::PathBuf;
use threshr_core::Result;
use threshr_core::progress::Progress;
use threshr_evaluate::metrics;
use threshr_evaluate::{Entry, Kind, run_system, score};
use threshr_extract::baseline::SystemChoice;
use threshr_extract::filters::FilterChoice;
use threshr_extract::recipe::Recipe;
use threshr_io::gold;
use threshr_train::Corpus;

/// Check and describe annotated folders
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  threshr data check datasets/sample\n  threshr data stats datasets/sample"
)]
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
    /// the charset is wrong.
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
}

#[derive(Debug, clap::Args)]
struct What {
    /// Folders of annotated pages
    #[arg(required = true, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// How pages are split into blocks: {names}
    #[arg(long, value_name = "NAME", default_value = "paragraph")]
    segmentation: String,
    /// Read hidden text, too
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
    }
}

impl What {
    fn read(&self, dir: &std::path::Path, progress: &dyn Progress) -> Result<Corpus> {
        let sets = DataArgs { data: vec![dir.to_path_buf()], gold: self.gold.clone() }.open()?;
        let mut recipe = Recipe::default();
        recipe.block.segmentation.clone_from(&self.segmentation);
        recipe.page.keep_hidden = self.keep_hidden;
        let corpus = Corpus::read(&sets, &recipe, None, progress)?;
        report_failures(&corpus);
        Ok(corpus)
    }
}

struct Checked {
    row: Vec<String>,
    oracle: f64,
    /// Oracle token F1 of each page with gold.
    pages: Vec<(usize, f64)>,
}

fn check(corpus: &Corpus) -> Result<Checked> {
    let pages = corpus.with_gold();
    if pages.is_empty() {
        return Err(gold::no_gold(&corpus.sets[0].name));
    }
    let metrics = metrics::by_names(&["token"])?;
    let none = FilterChoice::default();
    let run = |name: &str| -> Result<_> {
        let outcomes = run_system(
            &SystemChoice::parse(name, &registries().systems)?,
            corpus,
            &pages,
            &Recipe::default(),
        )?;
        let entry = Entry { name: name.into(), filter: none.name(), kind: Kind::Bound, outcomes };
        Ok(score(corpus, &pages, &entry, &entry.outcomes.iter().collect::<Vec<_>>(), &metrics, 0))
    };
    let (floor, oracle) = (run("keep-everything")?, run("oracle")?);
    let f1 = floor.summaries.iter().position(|s| s.column == "token_f1").unwrap_or_default();
    let (f, o) = (&floor.summaries[f1], &oracle.summaries[f1]);
    let sum = |value: fn(&threshr_train::Alignment) -> u32| -> f64 {
        pages.iter().map(|&p| f64::from(value(&corpus.pages[p].alignment))).sum()
    };
    let num_blocks: usize = corpus.pages.iter().map(|p| p.blocks.len()).sum();
    let num_content: usize = corpus.pages.iter().map(|p| p.labels.iter().filter(|&&l| l).count()).sum();
    let row = vec![
        corpus.sets[0].name.clone(),
        corpus.pages.len().to_string(),
        pages.len().to_string(),
        num_blocks.to_string(),
        number(num_content as f64 / num_blocks.max(1) as f64),
        format!("{:.4}", sum(|a| a.num_unaligned) / sum(|a| a.num_gold_tokens).max(1.0)),
        format!("{:.4}", f.mean),
        format!("{:.4}", o.mean),
        format!("{:.4}–{:.4}", o.ci_low, o.ci_high),
    ];
    let of_pages = pages.iter().zip(&oracle.pages).map(|(&p, s)| (p, s.values[f1])).collect();
    Ok(Checked { row, oracle: o.mean, pages: of_pages })
}

fn worst_pages(corpus: &Corpus, checked: &Checked, num: usize) -> String {
    if num == 0 {
        return String::new();
    }
    let mut pages = checked.pages.clone();
    pages.sort_by(|a, b| a.1.total_cmp(&b.1));
    let row = |&(p, f1): &(usize, f64)| {
        let page = &corpus.pages[p];
        let a = &page.alignment;
        vec![
            page.id.clone(),
            format!("{f1:.4}"),
            a.num_gold_tokens.to_string(),
            a.num_unaligned.to_string(),
            page.blocks.len().to_string(),
            page.url.clone().unwrap_or_default(),
        ]
    };
    let rows: Vec<_> = pages.iter().take(num).map(row).collect();
    format!(
        "\n{}\n{}",
        corpus.sets[0].name,
        table::plain(&["page", "oracle F1", "gold tokens", "unaligned", "blocks", "url"], &rows, 1)
    )
}

fn stats(corpus: &Corpus) -> String {
    let set = &corpus.sets[0];
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    let pages = &corpus.pages;
    let mut sites: Vec<&str> = pages.iter().map(|p| p.site.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    let bytes: usize = pages.iter().map(|p| p.num_bytes).sum();
    let tokens =
        |p: &threshr_train::CorpusPage| p.alignment.num_tokens.iter().map(|&n| u64::from(n)).sum::<u64>();
    let kept = |p: &threshr_train::CorpusPage| -> f64 {
        p.alignment
            .share
            .iter()
            .zip(&p.alignment.num_tokens)
            .map(|(&s, &n)| f64::from(s) * f64::from(n))
            .sum()
    };
    let all: u64 = pages.iter().map(tokens).sum();
    add("sha256", set.sha256.clone());
    add("pages", format!("{}, {} with gold", pages.len(), corpus.with_gold().len()));
    add("sites", sites.len().to_string());
    add("bytes", format!("{bytes}, {:.1} KB a page", bytes as f64 / 1e3 / pages.len().max(1) as f64));
    add("blocks", pages.iter().map(|p| p.blocks.len()).sum::<usize>().to_string());
    add(
        "tokens",
        format!(
            "{all}, content share {}",
            number(pages.iter().map(kept).sum::<f64>() / (all as f64).max(1.0))
        ),
    );
    let mut count = |name: &str, value: &dyn Fn(&threshr_train::CorpusPage) -> Option<String>| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        pages.iter().filter_map(value).for_each(|v| *counts.entry(v).or_default() += 1);
        let list: Vec<String> = counts.iter().map(|(k, n)| format!("{k} {n}")).collect();
        if !list.is_empty() {
            add(name, list.join(", "));
        }
    };
    count("languages", &|p| p.lang.clone());
    count("page types", &|p| p.page_type.clone());
    count("read as", &|p| Some(p.doc.encoding().to_owned()));
    format!("{}\n{}\n", set.name, table::plain(&["", ""], &rows, 2).trim_start_matches([' ', '\n']))
}
