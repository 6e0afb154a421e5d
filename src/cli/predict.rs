//! `threshr predict`: pages → content.

use super::args::{self, SystemArgs};
use super::{Ending, explain, remark};
use crate::atomic::AtomicFile;
use crate::crawl::{Input, Listing, inputs};
use crate::error::{Error, Result};
use crate::filter::FilterChoice;
use crate::output::{self, Format, PageOutput};
use crate::page::{self, Document, ParseOptions, Parser, Selector, Visibility};
use crate::pipeline::{PageRecipe, Pipeline, PredictOptions, Prediction, guard, read_geometry};
use crate::policy::Policy;
use crate::progress::Progress;
use crate::systems::{Method, SystemChoice, Trained, TrainedSystem};
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write the content of pages
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr predict page.html
  curl -s URL | threshr predict - --charset utf-8
  threshr predict pages/ --model my.json --filter tree --format jsonl --out pages.jsonl
  threshr predict page.html --favor recall           rather too much than too little
  threshr predict page.html --format blocks          what was thought of every block
  threshr predict page.html --explain=0,3            which columns moved the scores of blocks 0 and 3
  threshr predict page.html --policy article         the running text of the article alone
  threshr predict page.html --system boilerpipe-article+tree2    a published method, with a filter after it
  threshr predict page.html --system justext --system-param justext.language=de")]
pub struct Args {
    /// HTML files, folders of them, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Model file; `default` is the one compiled in [default: default]
    #[arg(long, value_name = "FILE", conflicts_with = "system")]
    model: Option<PathBuf>,
    #[command(flatten)]
    system: SystemArgs,
    /// Filter after it: none, tree, tree-confident, smooth, largest-run, repeats; NAME:DEPTH:SHARE sets its numbers [default: as the model's recipe says]
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// How far the filter looks; for tree the ancestor whose groups it compares: 1 parent, 2 grandparent, … 5
    #[arg(long, value_name = "N")]
    filter_depth: Option<u32>,
    /// Least score of a block that is kept, 0 to 1, on every page [default: by the model's decision rule]
    #[arg(long, value_name = "T", conflicts_with_all = ["system", "decision", "favor"])]
    threshold: Option<f32>,
    /// What is to count as content: main, article, full, with switches such as main+comments-title [default: the model's]
    #[arg(long, value_name = "POLICY", conflicts_with = "system")]
    policy: Option<String>,
    /// How the least score is found: threshold, expected-f1 (page by page) [default: as the model's recipe says]
    #[arg(long, value_name = "NAME", conflicts_with = "system")]
    decision: Option<String>,
    /// Which errors to avoid: precision (fewer blocks, for the best F0.5), recall (more blocks, for the best F2)
    #[arg(long, value_name = "WHAT", conflicts_with = "system")]
    favor: Option<String>,
    /// Write why blocks have their scores instead: all blocks, or those with these numbers (see --format blocks)
    #[arg(long, value_name = "BLOCK,…", num_args = 0..=1, require_equals = true, default_missing_value = "all", conflicts_with_all = ["system", "format", "select"])]
    explain: Option<String>,
    /// What is written: text, jsonl, cleaneval, blocks
    #[arg(long, value_name = "NAME", default_value = "text")]
    format: String,
    /// File to write, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep only what stands inside these elements
    #[arg(long, value_name = "CSS")]
    select: Option<String>,
    /// Charset of the pages, as an HTTP header would give it
    #[arg(long, value_name = "LABEL")]
    charset: Option<String>,
    /// Look at text that the page hides, too
    #[arg(long)]
    keep_hidden: bool,
    /// Leave hidden text out even where it is nearly all there is (else a page is read as if its scripts had run)
    #[arg(long, conflicts_with = "keep_hidden")]
    strict_visibility: bool,
    /// What builds the tree of a page: fast, conforming, html5ever [default: as the model was trained]
    #[arg(long, value_name = "NAME")]
    parser: Option<String>,
}

enum Way {
    Model(Box<Pipeline>),
    System(SystemChoice, Box<dyn Method>),
    Trained(Box<TrainedSystem>),
}

struct Job {
    way: Way,
    options: PredictOptions,
    parse: ParseOptions,
    select: Option<Selector>,
}

/// Pages worked on at a time: enough for every core, few enough to hold in memory.
const CHUNK: usize = 64;

pub fn run(args: &Args, progress: &dyn Progress) -> Result<Ending> {
    let job = job(args)?;
    let format = output::by_name(&args.format)?;
    let explain = args.explain.as_deref().map(explain::blocks).transpose()?;
    let Listing { inputs, failures } = inputs(&args.inputs);
    failures.iter().for_each(super::print_error);
    warn_of_equal_ids(&inputs);
    if let Some(out) = &args.out {
        refuse_input_as_output(out, &inputs)?;
    }
    if inputs.is_empty() {
        return Ok(Ending::PagesFailed);
    }
    let ending = match &explain {
        Some(blocks) => explain_pages(args, &job, blocks.as_deref(), &inputs)?,
        None => write(args, &job, format, &inputs, progress)?,
    };
    Ok(if failures.is_empty() { ending } else { Ending::PagesFailed })
}

fn write(
    args: &Args,
    job: &Job,
    format: &Format,
    inputs: &[Input],
    progress: &dyn Progress,
) -> Result<Ending> {
    match args.out.as_deref().filter(|p| *p != Path::new("-")) {
        None => {
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            let ending = write_pages(job, format, inputs, &mut out, progress)?;
            out.flush().map_err(|e| Error::io("-", e))?;
            Ok(ending)
        }
        Some(path) => {
            let mut out = AtomicFile::create(path)?;
            let ending = write_pages(job, format, inputs, &mut out, progress).map_err(|e| e.at_path(path))?;
            out.finish()?;
            Ok(ending)
        }
    }
}

/// Explains page after page; a page that cannot be read does not stop the others.
fn explain_pages(args: &Args, job: &Job, blocks: Option<&[usize]>, inputs: &[Input]) -> Result<Ending> {
    let Way::Model(pipeline) = &job.way else {
        return Err(Error::recipe("--explain explains models").expected("no --system"));
    };
    let (mut text, mut ending) = (String::new(), Ending::Fine);
    for input in inputs {
        let explained = guard(&input.id, || {
            let (doc, _) = parse(job, input)?;
            explain::page(&input.id, &doc, pipeline, &job.options, blocks)
        });
        match explained {
            Ok(page) => text.push_str(&page),
            Err(e) => {
                super::print_error(&e);
                ending = Ending::PagesFailed;
            }
        }
    }
    match args.out.as_deref().filter(|p| *p != Path::new("-")) {
        None => super::write_stdout(|out| out.write_all(text.as_bytes()))?,
        Some(path) => super::write_file(path, text.as_bytes())?,
    }
    Ok(ending)
}

fn refuse_input_as_output(out: &Path, inputs: &[Input]) -> Result<()> {
    let Ok(out) = out.canonicalize() else { return Ok(()) };
    let is_out = |i: &&Input| i.path.as_ref().and_then(|p| p.canonicalize().ok()).as_ref() == Some(&out);
    match inputs.iter().find(is_out) {
        Some(_) if out.is_file() => Err(Error::recipe("the output would replace an input").at_path(out)),
        _ => Ok(()),
    }
}

/// Pages of one name in two folders cannot be told apart in the output.
fn warn_of_equal_ids(inputs: &[Input]) {
    let mut ids: Vec<&str> = inputs.iter().map(|i| i.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        remark(&format!("several pages have the id `{}`, the name of their files", twice[0]));
    }
}

fn job(args: &Args) -> Result<Job> {
    // a depth alone asks for the filter that has one
    let name = args.filter.as_deref().or(args.filter_depth.map(|_| "tree"));
    let filter = name.map(|name| match args.filter_depth {
        None => FilterChoice::parse(name),
        Some(depth) => FilterChoice::new(name.split(':').next().unwrap_or(name), Some(depth)),
    });
    if let Some(label) = args.charset.as_deref().filter(|l| !page::is_charset(l)) {
        return Err(Error::recipe(format!("`{label}` is no charset"))
            .expected("a label such as utf-8 or windows-1252"));
    }
    let decision = args::decision(args.threshold, args.decision.as_deref(), args.favor.as_deref())?;
    let way = way(args)?;
    let page = match &way {
        Way::Model(pipeline) => pipeline.recipe().page.clone(),
        Way::System(..) | Way::Trained(_) => PageRecipe::default(),
    };
    Ok(Job {
        way,
        options: PredictOptions {
            decision,
            filter: filter.transpose()?,
            policy: args.policy.as_deref().map(Policy::parse).transpose()?,
            visibility: args.keep_hidden.then_some(Visibility::WithHidden),
        },
        parse: ParseOptions {
            charset: args.charset.clone(),
            annotation: None,
            strict_visibility: page.strict_visibility || args.strict_visibility,
            parser: args.parser.as_deref().map_or(Ok(page.parser), Parser::parse)?,
        },
        select: args.select.as_deref().map(Selector::parse).transpose()?,
    })
}

/// What labels the pages.
fn way(args: &Args) -> Result<Way> {
    let Some(choice) = args.system.choice()? else {
        let Some(path) = args.model.as_deref() else { return Ok(Way::Model(Box::new(args::model(None)?))) };
        let has_model_options = args.policy.is_some()
            || args.decision.is_some()
            || args.favor.is_some()
            || args.threshold.is_some()
            || args.explain.is_some();
        return match args::trained(path)? {
            Trained::Model(model) => Ok(Way::Model(model)),
            Trained::System(system) if has_model_options => {
                system_has_no_scores(system.choice().name()).map(|()| Way::Trained(system))
            }
            Trained::System(system) => Ok(Way::Trained(system)),
        };
    };
    if choice.system().needs_gold {
        return Err(Error::recipe(format!("the system `{}` needs gold", choice.name()))
            .expected("it in `threshr evaluate`"));
    }
    let method = choice.method()?;
    Ok(Way::System(choice, method))
}

fn system_has_no_scores(name: &str) -> Result<()> {
    Err(Error::recipe(format!("the trained system `{name}` has no scores"))
        .expected("no --threshold, --decision, --favor, --policy or --explain"))
}

fn write_pages(
    job: &Job,
    format: &Format,
    inputs: &[Input],
    out: &mut dyn Write,
    progress: &dyn Progress,
) -> Result<Ending> {
    let failed = |e: std::io::Error| Error::io("-", e);
    (format.begin)(out).map_err(failed)?;
    let (mut num_written, mut num_failed, mut any_kept) = (0, 0, false);
    progress.start("predicting", inputs.len() as u64);
    for chunk in inputs.chunks(CHUNK) {
        let done: Vec<_> = chunk
            .par_iter()
            .map(|input| {
                let done = guard(&input.id, || predict(job, input));
                progress.step();
                done
            })
            .collect();
        for (input, result) in chunk.iter().zip(done) {
            match result {
                Ok((doc, prediction)) => {
                    let url = doc.url();
                    let Prediction { blocks, scores, kept, classes } = &prediction;
                    any_kept |= kept.contains(&true);
                    let (id, url, classes) = (&input.id, url.as_deref(), classes.as_deref());
                    let page = PageOutput { id, url, doc: &doc, blocks, scores, kept, classes };
                    (format.page)(out, &page, num_written).map_err(failed)?;
                    num_written += 1;
                }
                Err(e) => {
                    num_failed += 1;
                    super::print_error(&e);
                    (format.failed)(out, &input.id, &e.to_string()).map_err(failed)?;
                }
            }
        }
    }
    progress.finish();
    if inputs.len() == 1 && num_written == 1 && !any_kept {
        remark("no content was found (--format blocks shows every block, --threshold 0 keeps all)");
    }
    if num_failed == 0 {
        return Ok(Ending::Fine);
    }
    remark(&format!("{num_failed} of {} pages could not be read", inputs.len()));
    Ok(Ending::PagesFailed)
}

fn parse(job: &Job, input: &Input) -> Result<(Document, Vec<u8>)> {
    let bytes = read(input)?;
    let mut doc = page::parse(&bytes, &job.parse);
    if let Some(path) = &input.path {
        read_geometry(path, &mut doc)?;
    }
    Ok((doc, bytes))
}

fn read(input: &Input) -> Result<Vec<u8>> {
    let bytes = input.read()?;
    if let Some(kind) = page::other_kind(&bytes) {
        return Err(Error::data(format!("this looks like {kind}")).expected("an HTML page"));
    }
    Ok(bytes)
}

fn predict(job: &Job, input: &Input) -> Result<(Document, Prediction)> {
    let (doc, bytes) = parse(job, input)?;
    let none = FilterChoice::default();
    let system = |choice: &SystemChoice, method: &dyn Method| {
        let html = choice.system().needs_html.then(|| page::plain_html(&bytes, &job.parse));
        let visibility = job.options.visibility.unwrap_or_default();
        let prediction = choice.with_filter(none).predict(method, &doc, html.as_deref(), visibility);
        (prediction, job.options.filter.unwrap_or(choice.filter()))
    };
    let (mut prediction, filter) = match &job.way {
        Way::Model(pipeline) => {
            let options = PredictOptions { filter: Some(none), ..job.options };
            (pipeline.predict_with(&doc, &options)?, job.options.filter.unwrap_or(pipeline.filter()))
        }
        Way::System(choice, method) => system(choice, &**method),
        Way::Trained(trained) => system(trained.choice(), trained.method()),
    };
    // first what is asked for, then the filter among it
    if let Some(selector) = &job.select {
        keep_inside(selector, &doc, &mut prediction);
    }
    let Prediction { blocks, scores, kept, .. } = &mut prediction;
    filter.apply(&doc, blocks, Some(scores), kept);
    Ok((doc, prediction))
}

/// Drops blocks that stand in none of the elements that match.
fn keep_inside(selector: &Selector, doc: &Document, prediction: &mut Prediction) {
    let mut inside = vec![false; doc.num_nodes()];
    selector.matches(doc).into_iter().for_each(|n| inside[n as usize] = true);
    for node in doc.descendants(doc.root()) {
        inside[node as usize] |= doc.parent(node).is_some_and(|p| inside[p as usize]);
    }
    for (block, kept) in prediction.blocks.iter().zip(&mut prediction.kept) {
        *kept &= inside[block.leaf as usize];
    }
}
