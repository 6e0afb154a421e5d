//! What `threshr annotate` and `threshr inspect` share: models, limits of pages, and the application in the browser.

use crate::cli::policy_args::PolicyArgs;
use crate::cli::predict::PAGE_SECONDS;
use crate::cli::{Status, args, print_error, remark, write_stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;
use threshr_annotate::{Labeller, Mode, PageLimits, Session, bind};
use threshr_core::policy::PolicyChoice;
use threshr_core::{Error, Result};
use threshr_extract::{Extractor, Labeller as Method, Options};
use threshr_html::ParseOptions;
use threshr_io::sources;

/// The model that labels the pages, and the application.
#[derive(Debug, clap::Args)]
pub(super) struct ViewArgs {
    /// Model file; `default` is the model that is compiled in
    #[arg(long, value_name = "FILE", default_value = "default")]
    pub(super) model: PathBuf,
    #[command(flatten)]
    pub(super) policy: PolicyArgs,
    /// Port of the application on 127.0.0.1 [default: a free port]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Only print the address; do not open a browser
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
    fn limits(&self) -> Result<PageLimits> {
        let limit =
            |name: &str, value: f64| match value {
                0.0 => Ok(None),
                v if v > 0.0 && v < 1e9 => Ok(Some(v)),
                v => Err(Error::recipe(format!("--{name} is {v}"))
                    .expected("a positive number, or 0 for no limit")),
            };
        Ok(PageLimits {
            time: limit("page-seconds", self.page_seconds)?.map(Duration::from_secs_f64),
            bytes: limit("page-mb", self.page_mb)?.map(|mb| (mb * f64::from(1 << 20)) as u64),
            memory: None,
        })
    }

    /// The model with its policy.
    pub(super) fn labeller(&self) -> Result<Labeller> {
        labeller(&self.model, |method| match method {
            Method::Model(model) => self.policy.choice(model, model.filter()),
            _ if self.policy.is_given() => {
                Err(Error::recipe("a trained system has no policy").expected("no --policy"))
            }
            _ => Ok(None),
        })
    }
}

/// A model or trained system. `policy` gives the policy that replaces that of its recipe.
pub(super) fn labeller(
    path: &Path,
    policy: impl FnOnce(&Method) -> Result<Option<PolicyChoice>>,
) -> Result<Labeller> {
    let method = Method::from(args::trained(path)?);
    let policy = policy(&method)?;
    let strict_visibility = matches!(&method, Method::Model(model) if model.recipe().page.strict_visibility);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = policy.map_or_else(|| name.to_string(), |policy| format!("{name}, {}", policy.name()));
    let options = Options {
        policy,
        parse: ParseOptions { strict_visibility, source_map: true, ..ParseOptions::default() },
        page_level: true,
        ..Options::default()
    };
    Ok(Labeller { name, extractor: Extractor::new(method, options) })
}

/// Runs the application for the pages of a file or folder, until the process ends.
pub(super) fn run(mode: Mode, input: &Path, labellers: Vec<Labeller>, args: &ViewArgs) -> Result<Status> {
    if input.as_os_str() == "-" {
        return Err(Error::recipe("standard input cannot be read again").expected("a file or a folder"));
    }
    let found = sources(&[input.to_path_buf()], None)?;
    if let Some(error) = found.failures.into_iter().next() {
        return Err(error);
    }
    let num_pages = found.sources.len();
    let session =
        Session::open(mode, found.sources, labellers, args.limits()?).map_err(|e| e.at_path(input))?;
    let server = bind(session, args.port)?;
    if let Some(text) = server.remark() {
        remark(&text);
    }
    let address = server.address();
    write_stdout(|out| writeln!(out, "{address}"))?;
    remark(&format!("{num_pages} pages; press Ctrl-C to stop"));
    if !args.no_open
        && let Err(e) = open::that_detached(&address)
    {
        let error = Error::recipe("no browser could be opened").because(e);
        print_error(&error.expected("the address above in a browser"));
    }
    // one thread is left for the person
    server.run(rayon::current_num_threads().saturating_sub(1).max(1)).map(|()| Status::Success)
}
