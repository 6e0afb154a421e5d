//! `threshr bench`: CPU time of each stage.

use crate::guard::Guard;
use crate::{Status, args, out_format, table};
use cpu_time::ThreadTime;
use std::path::{Path, PathBuf};
use std::time::Duration;
use threshr_core::progress::Progress;
use threshr_core::{Budget, Error, Result};
use threshr_crawl as crawl;
use threshr_extract::RawExtraction;
use threshr_extract::flow::{self, PageOptions};
use threshr_extract::{Extractor, Input, Labeller, Model, Options, Stage};
use threshr_features::{FeatureSet, PageContext, REGISTRY as FAMILIES};
use threshr_html::{self as page, NodeId, ParseOptions};
use threshr_io::RawPage;
use threshr_io::readers::{Source, Sources};

/// Measure the CPU time of each stage on one core, with html5ever's parser as a reference
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Times are CPU times of one thread. Every round measures all pages. The fastest round of a page counts,
because other work on the machine only makes a measurement slower. In each round, threshr processes all
pages first, then html5ever, then each feature family.

The row `html5ever` is a reference: the tokenizer and tree builder of html5ever parse the same decoded
pages into scraper's tree. `all stages` writes plain text. `type and quality` is the additional time for
page type and text quality, which JSONL and other formats with metadata contain.

Examples:
  threshr bench pages/
  threshr bench pages/ --model models/tiny.json --format json
  threshr bench pages/ --families                    also each feature family")]
pub(super) struct Args {
    /// HTML files and folders of HTML files
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Model: a file, or `default`, `fast` or `tiny` (compiled in) [default: default]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Number of measurements of every page
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = args::count)]
    rounds: u64,
    /// Also measure each feature family with all its columns
    #[arg(long)]
    families: bool,
    /// Output format [default: by the file extension of --out, else table]
    #[arg(long, value_name = "NAME", value_parser = ["table", "markdown", "json", "csv"])]
    format: Option<String>,
    /// Output file, written atomically [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Args {
    fn format(&self) -> Result<&str> {
        out_format::of(self.format.as_deref(), self.out.as_deref(), out_format::TABLES)
    }
}

/// Names of the measurements: the reference, then the stages in order of execution.
const STAGES: [&str; 5] = ["html5ever", "prepare", "features", "decide", "output"];

/// Number of measurements before those of feature families: [`STAGES`], and [`TYPE_AND_QUALITY`] as the
/// last one.
const NUM_MEASURES: usize = STAGES.len() + 1;

/// Name of the measurement of page type and quality, which JSONL and other formats with metadata need.
const TYPE_AND_QUALITY: &str = "type and quality";

/// Maximum nesting depth of a page that is measured. The time of html5ever is quadratic in the depth.
/// threshr limits the depth to 512.
const MAX_DEPTH: usize = 500;

/// Fastest times of a page, by the index of the measurement.
struct Times(Vec<Duration>);

impl Times {
    /// Runs `work` and records its time for the measurement `index`.
    fn take<T>(&mut self, index: usize, work: impl FnOnce() -> T) -> T {
        let start = ThreadTime::now();
        let result = std::hint::black_box(work());
        self.0[index] = start.elapsed().min(self.0[index]);
        result
    }
}

/// A page and its measurements.
struct Measured {
    times: Times,
    num_bytes: usize,
    num_blocks: usize,
    /// Content of an input that cannot be read again, such as standard input or a pipe.
    buffered: Option<Vec<u8>>,
}

impl Measured {
    /// Reads a page for the first time, and checks that it can be measured.
    fn open(path: &Path, num_measures: usize) -> Result<Self> {
        let bytes = RawPage::at(path).load(None)?.bytes;
        let refused =
            |what: String, expected: String| Err(Error::data(what).expected(expected).at_path(path));
        if let Some(kind) = page::other_kind(&bytes) {
            return refused(format!("this looks like {kind}"), "an HTML page".to_owned());
        }
        let doc = page::parse(&bytes, &ParseOptions::default());
        if (0..doc.num_nodes()).any(|node| doc.ancestors_and_self(node as NodeId).nth(MAX_DEPTH).is_some()) {
            let what = "elements are nested too deep for html5ever, which takes quadratic time in the depth";
            return refused(what.to_owned(), format!("elements nested at most {MAX_DEPTH} deep"));
        }
        let times = Times(vec![Duration::MAX; num_measures]);
        let num_bytes = bytes.len();
        Ok(Measured { times, num_bytes, num_blocks: 0, buffered: (!path.is_file()).then_some(bytes) })
    }

    /// Reads the content of the page again.
    fn load(&self, path: &Path) -> Result<Vec<u8>> {
        if let Some(buffered) = &self.buffered {
            return Ok(buffered.clone());
        }
        let bytes = RawPage::at(path).load(None)?.bytes;
        if bytes.len() == self.num_bytes {
            return Ok(bytes);
        }
        let changed = Error::data("the file has changed during the measurement");
        Err(changed.expected(format!("{} bytes", self.num_bytes)).at_path(path))
    }
}

/// A pass over all pages. Passes are separate, because alternating between html5ever and threshr would
/// evict the code and tables of one of them from the processor's caches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Stages,
    Html5ever,
    Families,
}

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    args.format()?;
    if let Some(path) = &args.out {
        Guard::reading(args.inputs.iter().chain(&args.model)).file("--out", path, false)?;
    }
    let model = args::model(args.model.as_deref())?;
    let has_type_and_quality = !model.fitted().type_and_quality.is_empty();
    let options = Options { keep_counts: has_type_and_quality, ..Options::default() };
    let extractor = Extractor::new(Labeller::Model(Box::new(model)), options);
    let families = if args.families { each_family()? } else { Vec::new() };
    let Sources { sources, failures, .. } = threshr_io::sources(&args.inputs, Some("html"))?;
    failures.iter().for_each(crate::print_error);
    let mut status = if failures.is_empty() { Status::Success } else { Status::Failures };
    let num_measures = NUM_MEASURES + families.len();
    let pages = measure_pages(args, &sources, &extractor, &families, &mut status, progress)?;
    let num_pages = u32::try_from(pages.len()).unwrap_or(u32::MAX);
    if num_pages == 0 {
        return Err(Error::data("no page could be measured"));
    }
    let num_bytes: usize = pages.iter().map(|page| page.num_bytes).sum();
    let num_blocks: usize = pages.iter().map(|page| page.num_blocks).sum();
    let sums = (0..num_measures).map(|i| pages.iter().map(|page| page.times.0[i]).sum());
    let names = STAGES.into_iter().chain([TYPE_AND_QUALITY]).chain(families.iter().map(|f| f.0));
    let mut rows: Vec<(String, Duration)> = names.map(str::to_owned).zip(sums).collect();
    let all = rows[1..STAGES.len()].iter().map(|r| r.1).sum();
    rows.insert(STAGES.len(), ("threshr, all stages".to_owned(), all));
    rows.retain(|row| has_type_and_quality || row.0 != TYPE_AND_QUALITY);
    let reference = rows[0].1.as_secs_f64();
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|(name, time)| {
            let seconds = time.as_secs_f64();
            vec![
                name.clone(),
                format!("{:.3}", seconds * 1e3 / f64::from(num_pages)),
                format!("{:.1}", num_bytes as f64 / 1e6 / seconds.max(1e-9)),
                format!("{:.2}", seconds / reference.max(1e-9)),
            ]
        })
        .collect();
    let text = table_of(args, &cells, [num_pages as usize, num_bytes, num_blocks])?;
    crate::write_text(args.out.as_deref(), &text).map(|()| status)
}

/// Measures all pages, pass by pass. Pages that cannot be measured are reported and skipped.
fn measure_pages(
    args: &Args,
    sources: &[Source],
    extractor: &Extractor,
    families: &[(&'static str, FeatureSet)],
    status: &mut Status,
    progress: &dyn Progress,
) -> Result<Vec<Measured>> {
    let mut passes = vec![Pass::Stages, Pass::Html5ever];
    passes.extend(args.families.then_some(Pass::Families));
    progress.start("measuring", sources.len() as u64 * (1 + args.rounds * passes.len() as u64));
    let mut report = |e: Error| {
        crate::print_error(&e);
        *status = Status::Failures;
    };
    // `None` for a page that cannot be measured.
    let open = |source: &Source| {
        progress.step();
        Measured::open(&source.path, NUM_MEASURES + families.len()).map_err(&mut report).ok()
    };
    let mut pages: Vec<_> = sources.iter().map(open).collect();
    for &pass in (0..args.rounds).flat_map(|_| &passes) {
        for (source, entry) in sources.iter().zip(&mut pages) {
            progress.step();
            let Some(page) = entry else { continue };
            let bytes = match page.load(&source.path) {
                Ok(bytes) => bytes,
                Err(e) => {
                    report(e);
                    *entry = None;
                    continue;
                }
            };
            match pass {
                Pass::Stages => measure(&bytes, extractor, page)?,
                Pass::Html5ever => measure_html5ever(&bytes, &mut page.times),
                Pass::Families => {
                    if let Some(model) = extractor.model() {
                        measure_families(&bytes, model, families, &mut page.times)?;
                    }
                }
            }
        }
    }
    progress.finish();
    Ok(pages.into_iter().flatten().collect())
}

/// Formats the table in the requested format. `totals` contains the numbers of pages, bytes and blocks.
fn table_of(args: &Args, cells: &[Vec<String>], totals: [usize; 3]) -> Result<String> {
    let [num_pages, num_bytes, num_blocks] = totals;
    let head = ["stage", "ms_per_page", "mb_per_s", "of_html5ever"];
    Ok(match args.format()? {
        "csv" => table::csv(&head, cells)?,
        "markdown" => table::markdown(&head, cells),
        "json" => {
            let row = |c: &Vec<String>| serde_json::json!({ "stage": c[0], "ms_per_page": number(&c[1]), "mb_per_s": number(&c[2]), "of_html5ever": number(&c[3]) });
            let stages: Vec<_> = cells.iter().map(row).collect();
            let whole = serde_json::json!({ "pages": num_pages, "bytes": num_bytes, "blocks": num_blocks, "stages": stages });
            format!("{whole:#}\n")
        }
        _ => format!(
            "{num_pages} pages, {:.1} MB, {num_blocks} blocks; CPU time of one thread, the fastest of {} rounds\n\n{}",
            num_bytes as f64 / 1e6,
            args.rounds,
            table::plain(&head, cells, 1)
        ),
    })
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Returns every feature family with all its columns.
fn each_family() -> Result<Vec<(&'static str, FeatureSet)>> {
    FAMILIES.iter().map(|f| Ok((f.name(), FeatureSet::parse(f.name(), &[])?))).collect()
}

/// Measures html5ever on one page.
fn measure_html5ever(bytes: &[u8], times: &mut Times) {
    let text = page::decode(bytes, None).text;
    times.take(0, || scraper::Html::parse_document(&text));
}

/// Measures each feature family on one page.
fn measure_families(
    bytes: &[u8],
    model: &Model,
    families: &[(&'static str, FeatureSet)],
    times: &mut Times,
) -> Result<()> {
    let options = PageOptions {
        parse: ParseOptions::default(),
        segmentation: model.segmentation(),
        visibility: model.recipe().visibility(),
    };
    let flow::Page { doc, blocks } = flow::prepare(bytes, None, &options, &Budget::UNLIMITED)?;
    for (i, (_, set)) in families.iter().enumerate() {
        // The time to create the context does not belong to any family.
        let context = PageContext::new(&doc, &blocks)
            .under(model.recipe().policy.default)
            .with_vocabularies(&model.fitted().vocabularies);
        times.take(NUM_MEASURES + i, || set.extract(&context));
    }
    Ok(())
}

/// Measures all stages of `predict` on one page with text output, and afterwards page type and quality.
fn measure(bytes: &[u8], extractor: &Extractor, measured: &mut Measured) -> Result<()> {
    let times = &mut measured.times;
    let mut last = ThreadTime::now();
    let mut lap = |index: usize| {
        times.0[index] = last.elapsed().min(times.0[index]);
        last = ThreadTime::now();
    };
    let input = Input { bytes, ..Input::default() };
    let extraction = extractor.extract_observed(&input, &Budget::UNLIMITED, &mut |stage| match stage {
        Stage::Prepare => lap(1),
        Stage::Features => lap(2),
        Stage::Decide => lap(3),
    })?;
    std::hint::black_box((crawl::formats()[0].page)(&extraction.output())?);
    lap(4);
    std::hint::black_box(extractor.type_and_quality_of(&extraction));
    lap(NUM_MEASURES - 1);
    measured.num_blocks = extraction.page_blocks().len();
    Ok(())
}
