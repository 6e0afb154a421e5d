//! `threshr render`: pages → pages as a browser draws them, with geometry.

mod folder;
mod inputs;

use crate::guard::{Guard, resolve};
use crate::{Status, is_forced, print_error, remark, say_at_interrupt};
use folder::{Folder, Row, State};
use inputs::{Inputs, Page};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use threshr_browser::{Browser, Drawn, Settings};
use threshr_core::progress::Progress;
use threshr_core::{Error, Result, guard};

/// Draw pages with an installed Chromium: write each page as it is after its scripts, and where its elements
/// are drawn
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr render page.html --out drawn               files are drawn without network
  threshr render https://example.org/a --out drawn   an address needs the network
  threshr render pages/ --out drawn --network        pages may load styles and images
  threshr render SET --out DRAWN-SET                 an annotated set: gold and policy are kept
  threshr predict drawn/pages                        read the drawn pages")]
pub(crate) struct Args {
    /// Addresses (http:// or https://), HTML files, folders of pages, annotated sets, archives. An address
    /// needs the network by its nature: it and what it loads are fetched
    #[arg(required = true, value_name = "URL|FILE|FOLDER")]
    inputs: Vec<PathBuf>,
    /// Folder for the drawn pages, their geometry, and the gold of an annotated set. Pages in it that the
    /// same options drew before are skipped; --force draws them again
    #[arg(long, short, required = true, value_name = "DIR")]
    out: PathBuf,
    /// Width of the window in CSS pixels
    #[arg(long, value_name = "PX", default_value_t = 1280)]
    width: u32,
    /// Height of the window in CSS pixels
    #[arg(long, value_name = "PX", default_value_t = 1024)]
    height: u32,
    /// Time for scripts after a page is loaded, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500)]
    wait: u64,
    /// Let pages from files use the network, for styles, images and scripts. They may reach every address that this
    /// machine can reach
    #[arg(long)]
    network: bool,
    /// Longest time for a page, in seconds. A page that still loads after 60 % of it is drawn as it is then
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    timeout: f64,
    /// The program of Chromium [default: $CHROMIUM, else a usual name in $PATH]
    #[arg(long, value_name = "PATH")]
    chromium: Option<PathBuf>,
    /// Switch off Chromium's sandbox. It is off for the user root, for whom Chromium has none
    #[arg(long)]
    no_sandbox: bool,
}

impl Args {
    fn settings(&self, is_web: bool) -> Result<Settings> {
        let is_size = |px: u32| (1..=20_000).contains(&px);
        if !is_size(self.width) || !is_size(self.height) {
            return Err(Error::recipe(format!("the window has {} x {} pixels", self.width, self.height))
                .expected("--width and --height from 1 to 20000"));
        }
        if !(1.0..=3600.0).contains(&self.timeout) {
            return Err(Error::recipe(format!("--timeout is {}", self.timeout)).expected("1 to 3600 seconds"));
        }
        let timeout = Duration::from_secs_f64(self.timeout);
        let wait = Duration::from_millis(self.wait);
        if wait >= timeout.mul_f64(0.4) {
            return Err(
                Error::recipe(format!("--wait is {} ms", self.wait)).expected("less than 40 % of --timeout")
            );
        }
        let is_root = threshr_browser::is_root();
        if is_root && !self.no_sandbox {
            remark("Chromium runs without its sandbox, because the user is root");
        }
        Ok(Settings {
            width: self.width,
            height: self.height,
            wait,
            timeout,
            network: self.network || is_web,
            sandbox: !self.no_sandbox && !is_root,
            ..Settings::new(threshr_browser::find(self.chromium.as_deref())?)
        })
    }
}

pub(crate) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let files: Vec<PathBuf> = args.inputs.iter().filter(|p| inputs::address(p).is_none()).cloned().collect();
    let is_web = files.len() < args.inputs.len();
    let mut guard = Guard::reading(&files);
    // a folder of addresses and a folder of files have different rules
    if is_web && !files.is_empty() && !args.network {
        return Err(Error::recipe("addresses and files are drawn by different rules")
            .expected("addresses alone, files alone, or --network for both"));
    }
    let settings = args.settings(is_web)?;
    let inputs = Inputs::open(&args.inputs, &mut guard)?;
    guard.folder("--out", &args.out, Folder::is_at(&args.out))?;
    if let Some(file) = files.iter().find(|file| resolve(file).starts_with(resolve(&args.out))) {
        return Err(Error::recipe(format!("--out would write beside the input {}", file.display()))
            .expected("another folder")
            .at_path(&args.out));
    }
    let folder = Folder::open(&args.out, &settings, inputs.policy(), is_forced())?;
    let (dir, how) = (args.out.display().to_string(), if is_forced() { "without --force " } else { "" });
    say_at_interrupt(move || {
        Some(format!("drawn pages are in {dir}; repeat the command {how}to draw the others"))
    });
    let num_failures = inputs.failures.len();
    inputs.failures.iter().for_each(print_error);
    progress.start("drawing", inputs.num() as u64);
    let jobs = inputs.most_pages().map_or(usize::MAX, |most| most.max(1)).min(rayon::current_num_threads());
    let (queue, rows) = (Mutex::new(inputs), Mutex::new(BTreeMap::new()));
    let work = || -> Result<()> {
        let mut browser = None;
        loop {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some(page) = next else { return Ok(()) };
            let row = draw(&page, &folder, &settings, &mut browser);
            let row = row.inspect_err(|_| {
                queue.lock().unwrap_or_else(PoisonError::into_inner).end();
            })?;
            rows.lock().unwrap_or_else(PoisonError::into_inner).insert(page.number, row);
            progress.step();
        }
    };
    let ended: Vec<Result<()>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        let panicked = |_| Err(Error::data("an internal error; please report it"));
        threads.into_iter().map(|t| t.join().unwrap_or_else(panicked)).collect()
    });
    progress.finish();
    let rows: Vec<Row> = rows.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect();
    // also if the run ends by an error, so that what is drawn is of use
    folder.finish(&rows)?;
    ended.into_iter().collect::<Result<()>>()?;
    report(&rows, &folder);
    let num_failed = rows.iter().filter(|r| matches!(r.state, State::Failed(_))).count();
    Ok(if num_failed + num_failures == 0 { Status::Success } else { Status::Failures })
}

/// Draws a page and writes it. An error of the page is in the row; an error of writing, or of starting Chromium, ends
/// the run.
fn draw(page: &Page, folder: &Folder, settings: &Settings, browser: &mut Option<Browser>) -> Result<Row> {
    let row = |url, state| Row { id: page.id.clone(), file: page.file.clone(), url, state };
    let html = match guard(&page.id, || page.html()) {
        Ok(html) => html,
        Err(e) => return failed(page, folder, e),
    };
    if let Some(defect) = page.defect() {
        remark(&format!("warning: page {}: {defect}", page.id));
    }
    let source = html.source();
    match folder.has(page, &source) {
        Ok(true) => return Ok(row(html.address(), State::Skipped)),
        Ok(false) => {}
        // what is there stays
        Err(e) => {
            let e = e.at_page(&page.id);
            print_error(&e);
            return Ok(row(html.address(), State::Failed(e.with_causes())));
        }
    }
    let running = match browser {
        Some(running) => running,
        None => browser.insert(Browser::start(settings)?),
    };
    let draw = || running.draw(html.input()).and_then(|drawn| Ok((drawn.geometry.to_json()?, drawn)));
    match guard(&page.id, draw) {
        Ok((json, drawn)) => {
            folder.write(page, source, &drawn.html, &json)?;
            let Drawn { is_incomplete, num_lost, geometry, address, .. } = drawn;
            let num_elements = geometry.elements.len();
            Ok(row(address, State::Drawn { is_incomplete, num_lost, num_elements, size: geometry.page }))
        }
        Err(e) => {
            // what such a page left running must not reach the next one
            *browser = None;
            failed(page, folder, e)
        }
    }
}

/// The row of a page that fails. What an earlier run drew of it is removed.
fn failed(page: &Page, folder: &Folder, error: Error) -> Result<Row> {
    print_error(&error);
    folder.remove(page)?;
    let state = State::Failed(error.with_causes());
    Ok(Row { id: page.id.clone(), file: page.file.clone(), url: None, state })
}

/// Says what happened.
fn report(rows: &[Row], folder: &Folder) {
    let count = |is: fn(&State) -> bool| rows.iter().filter(|r| is(&r.state)).count();
    let num_failed = count(|s| matches!(s, State::Failed(_)));
    let num_skipped = count(|s| matches!(s, State::Skipped));
    let num_incomplete = count(|s| matches!(s, State::Drawn { is_incomplete: true, .. }));
    let place = folder.path().display();
    let pages = |num: usize, one: &str, many: &str| match num {
        1 => format!("1 page {one}"),
        num => format!("{num} pages {many}"),
    };
    let num_drawn = rows.len() - num_failed - num_skipped;
    remark(&format!("{} drawn in {place}", pages(num_drawn, "is", "are")));
    if num_skipped > 0 {
        remark(&pages(num_skipped, "was there and is skipped", "were there and are skipped"));
    }
    if num_incomplete > 0 {
        let (one, many) = ("still loaded when it was drawn", "still loaded when they were drawn");
        remark(&pages(num_incomplete, one, many));
    }
    if num_failed > 0 {
        remark(&format!("{num_failed} of {} pages failed; {place}/render.csv names them", rows.len()));
    }
}
