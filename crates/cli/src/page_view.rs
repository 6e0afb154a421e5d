//! Code that `threshr annotate` and `threshr inspect` share: models, limits for each page, and the web
//! application.

use crate::page_args::{megabytes, seconds};
use crate::policy_args::PolicyArgs;
use crate::predict::PAGE_SECONDS;
use crate::{Status, labeller, print_error, read_again, remark, say_at_interrupt, write_stdout};
use std::path::{Path, PathBuf};
use threshr_annotate::{Labeller, Mode, Session, bind};
use threshr_core::Limits;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Error, Result};
use threshr_extract::Labeller as Method;
use threshr_io::sources;

/// Options for the model that labels the pages, and for the web application.
#[derive(Debug, clap::Args)]
pub(super) struct ViewArgs {
    /// Model: a file, or `default`, `fast` or `tiny` (compiled in)
    #[arg(long, value_name = "FILE", default_value = "default")]
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
    /// Port of the application on 127.0.0.1 [default: a free port]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Only print the URL; do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Limit of CPU time for a page, in seconds; 0 for no limit
    #[arg(long, value_name = "S", default_value_t = PAGE_SECONDS, allow_negative_numbers = true)]
    page_seconds: f64,
    /// Limit of the size of a page, in MB after decompression; 0 for no limit
    #[arg(long, value_name = "MB", default_value_t = 16.0, allow_negative_numbers = true)]
    page_mb: f64,
}

impl ViewArgs {
    fn limits(&self) -> Result<Limits> {
        Ok(Limits {
            time: seconds("page-seconds", self.page_seconds)?,
            bytes: megabytes("page-mb", self.page_mb)?,
            memory: None,
        })
    }

    /// Loads the model with its policy.
    pub(super) fn labeller(&self) -> Result<Labeller> {
        labeller(&self.model, |method| match method {
            Method::Model(model) => self.policy.choice(model, model.filter()),
            _ if self.policy.is_given() => {
                Err(Error::invalid_option("a trained system has no policy").expected("no --policy"))
            }
            _ => Ok(None),
        })
    }
}

/// Loads a model or trained system. `policy` returns the policy that replaces the default of the recipe.
pub(super) fn labeller(
    path: &Path,
    policy: impl FnOnce(&Method) -> Result<Option<PolicyChoice>>,
) -> Result<Labeller> {
    let (name, extractor) = labeller::named(path, true, policy)?;
    Ok(Labeller { name, extractor })
}

/// Runs the web application for the pages of a file or folder until the process ends.
pub(super) fn run(mode: Mode, input: &Path, labellers: Vec<Labeller>, args: &ViewArgs) -> Result<Status> {
    if threshr_io::readers::is_read_once(input) {
        return Err(read_again(input).expected("a file or a folder"));
    }
    let found = sources(&[input.to_path_buf()], None)?;
    if let Some(error) = found.failures.into_iter().next() {
        return Err(error);
    }
    let num_pages = found.sources.len();
    let session =
        Session::open(mode, found.sources, labellers, args.limits()?).map_err(|e| e.at_path(input))?;
    let server = bind(session, args.port)?;
    server.remarks().iter().for_each(|text| remark(text));
    let summary = server.summary();
    say_at_interrupt(move || summary.text());
    let address = server.address();
    write_stdout(|out| writeln!(out, "{address}"))?;
    remark(&format!("{num_pages} pages; press Ctrl-C to stop"));
    if !args.no_open
        && let Err(e) = open::that_detached(&address)
    {
        let error = Error::invalid_option("no browser could be opened").because(e);
        print_error(&error.expected("the address above in a browser"));
    }
    // Keeps one thread free for interactive use.
    server.run(rayon::current_num_threads().saturating_sub(1).max(1)).map(|()| Status::Success)
}
