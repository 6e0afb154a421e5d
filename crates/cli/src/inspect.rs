//! `threshr inspect`: shows in the browser how pages are labelled, and why.

use crate::Status;
use crate::page_view::{self, ViewArgs};
use std::path::PathBuf;
use threshr_annotate::Mode;
use threshr_core::policy::PolicyChoice;
use threshr_core::{Error, Result};
use threshr_extract::Labeller as Method;

/// Show in the browser how pages are labelled, and why
///
/// Shows every block with its score and label, the columns and filters that decide, the units, and the metadata with
/// their sources. Nothing is written. Two models or two policies are shown side by side.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr inspect page.html
  threshr inspect pages/ --model my.json
  threshr inspect pages/ --model default --against my.json      two models side by side
  threshr inspect page.html --policy full --against-policy article")]
pub(super) struct Args {
    /// HTML file, saved page (MHTML), or folder of such pages
    #[arg(value_name = "PAGE")]
    input: PathBuf,
    /// Second model, shown next to the first one [default: with --against-policy, the same model]
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Policy of the second model [default: the policy of its recipe]
    #[arg(long, value_name = "POLICY")]
    against_policy: Option<String>,
    #[command(flatten)]
    view: ViewArgs,
}

pub(super) fn run(args: &Args) -> Result<Status> {
    let mut labellers = vec![args.view.labeller()?];
    if args.against.is_some() || args.against_policy.is_some() {
        let path = args.against.as_ref().unwrap_or(&args.view.model);
        let policy = args.against_policy.as_deref().map(PolicyChoice::parse).transpose()?;
        labellers.push(page_view::labeller(path, |method| match (method, policy) {
            (Method::System(..) | Method::Trained(_), Some(_)) => {
                Err(Error::invalid_option("a trained system has no policy").expected("no --against-policy"))
            }
            _ => Ok(policy),
        })?);
    }
    page_view::run(Mode::Inspect, &args.input, labellers, &args.view)
}
