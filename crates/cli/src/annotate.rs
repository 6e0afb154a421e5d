//! `threshr annotate`: label the blocks of pages in the browser.

use crate::Status;
use crate::page_view::{self, ViewArgs};
use std::path::{Path, PathBuf};
use threshr::SHIPPED;
use threshr_annotate::Mode;
use threshr_core::{Error, Result};

/// Label the blocks of pages in the browser
///
/// Opens an application for the pages of a folder. A model proposes the labels; pages with the least certain
/// labels come first. Every change is saved in the file annotations.jsonl of the folder. `train` and
/// `evaluate` read this file. The application listens on this machine only, and stops with Ctrl-C.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr annotate pages/
  threshr annotate pages/ --model my.json            first labels by your own model
  threshr annotate pages/ --policy article           only the text of the article counts as content
  threshr annotate pages/ --annotator ada            a second annotator, whose labels are kept apart
  threshr annotate pages/ --port 8080 --no-open      for a browser that forwards the port
  threshr train --data pages/ --out my.json          train on the pages that are done")]
pub(super) struct Args {
    /// Folder of pages: HTML files and saved pages (MHTML)
    #[arg(value_name = "DIR")]
    dir: PathBuf,
    /// Name of the annotator [default: the name of the user]
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,
    #[command(flatten)]
    view: ViewArgs,
}

pub(super) fn run(args: &Args) -> Result<Status> {
    if !args.dir.is_dir() {
        if args.dir.to_str().is_some_and(threshr_io::is_address) {
            return Err(Error::data("this is an address, and threshr reads files")
                .expected("a folder of saved pages: `curl -fsSLo pages/1.html ADDRESS`, then `threshr annotate pages`")
                .at_path(&args.dir));
        }
        let error = if args.dir.exists() { "this is not a folder" } else { "no such folder" };
        return Err(Error::data(error).expected("a folder of pages").at_path(&args.dir));
    }
    let annotator = args.annotator.clone().unwrap_or_else(user);
    if annotator.trim().is_empty() {
        return Err(Error::invalid_option("--annotator is empty").expected("a name"));
    }
    let labeller = args.view.labeller()?;
    let model = Some(args.view.model.clone()).filter(|model| *model != Path::new(SHIPPED[0]));
    let mode = Mode::Annotate { folder: args.dir.clone(), annotator, model };
    page_view::run(mode, &args.dir, vec![labeller], &args.view)
}

/// Returns the login name of the user.
fn user() -> String {
    let name = |variable| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(name).unwrap_or_else(|| "annotator".to_owned())
}
