//! `threshr adapt`: learns a site-specific correction of a model from a few annotated pages of the site.

use crate::args::{self, GoldArgs};
use crate::data::doubts;
use crate::guard::Guard;
use crate::train::{report_failures, report_gold};
use crate::{Status, remark};
use std::path::PathBuf;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::correction::Corrections;
use threshr_io::atomic::AtomicFile;
use threshr_train::{Corpus, SiteFit, SiteFits, SiteSettings, site_name};

/// Adapt a model to a site with a few annotated pages of the site
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr adapt --data pages-of-a-site --out my.json       from the model that is compiled in
  threshr adapt --model my.json --data other-site --out my.json --force    add another site
  threshr adapt --data pages --site example.org --out my.json      pages whose address is unknown
  threshr adapt --model my.json --remove example.org --out my.json --force

`threshr predict --model my.json` applies the correction to pages of the site. If the input contains no
address of the page, give it with --url. Pages of other sites are not affected.")]
pub(super) struct Args {
    /// Model to begin with: a file, or `default`, `fast` or `tiny` (compiled in)
    #[arg(long, short, value_name = "FILE", default_value = "default")]
    model: PathBuf,
    /// Annotated pages, of one site or of several: a folder, or a file of records (see --gold-format); repeatable
    #[arg(long, required_unless_present = "remove", num_args = 1.., value_name = "SET")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    gold: GoldArgs,
    /// Model file to write, atomically; with --force it may be the file of --model
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Site of the pages without a URL, such as example.org; pages with a URL of another site are left out
    /// [default: the site in the URL of each page]
    #[arg(long, value_name = "NAME")]
    site: Option<String>,
    /// Remove the correction of a site; repeatable
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Write the correction even if held-out pages do not show that it helps
    #[arg(long)]
    always: bool,
    /// Strength of the prior that the correction is zero; a greater value gives a smaller correction
    #[arg(long, value_name = "X", default_value_t = SiteSettings::default().ridge, help_heading = "Learning")]
    prior: f64,
}

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let settings = args.settings()?;
    let sets = args.gold.open(&args.data)?;
    let mut guard = Guard::default();
    guard.reads_sets(&sets);
    guard.file("--out", &args.out, false)?;
    // Fails before the work if the output folder is not writable.
    drop(AtomicFile::create(&args.out)?);
    let model = args::model(Some(&args.model))?;
    let mut corrections = model.fitted().corrections.clone();
    for site in &args.remove {
        remove(site, &mut corrections)?;
    }
    let mut status = Status::Success;
    if !sets.is_empty() {
        let corpus = Corpus::read_to_correct(&sets, &model, progress)?;
        for set in &sets {
            let policy = model.recipe().policy.of_set(&set.name, set.policy).name();
            remark(&format!("{}: the labels are read as the policy {policy}", set.name));
        }
        report_failures(&corpus);
        report_gold(&corpus);
        doubts(&corpus).iter().for_each(|doubt| remark(doubt));
        if !corpus.failures.is_empty() {
            status = Status::Failures;
        }
        let fits = SiteFits::learn(&model, (&corpus, &sets), args.site.as_deref(), settings, report)?;
        if fits.num_unusable > 0 {
            remark(&format!(
                "{} pages left out: too little of their gold text was found on the page",
                fits.num_unusable
            ));
        }
        say_left_out(&fits);
        fits.seen().iter().for_each(|text| remark(text));
        fits.add_to(&mut corrections)?;
    }
    threshr_train::save(&model.with_corrections(corrections)?, &args.out)?;
    Ok(status)
}

impl Args {
    fn settings(&self) -> Result<SiteSettings> {
        let settings = SiteSettings { ridge: self.prior, always: self.always };
        settings.check(self.site.as_deref())?;
        Ok(settings)
    }
}

fn num_pages(num: usize) -> String {
    if num == 1 { "1 page".to_owned() } else { format!("{num} pages") }
}

/// Prints which pages are left out because of their sites.
fn say_left_out(fits: &SiteFits) {
    if let Some(first) = fits.unknown.first() {
        let num = num_pages(fits.unknown.len());
        remark(&format!(
            "{num} left out, because their site is unknown, such as {first}; to use these pages, run the command on them alone with --site NAME"
        ));
    }
    if let Some((first, site)) = fits.of_other_sites.first() {
        let num = num_pages(fits.of_other_sites.len());
        remark(&format!(
            "{num} left out, because their site is not --site, such as {first} of {site}; without --site, the URL of each page decides"
        ));
    }
}

fn remove(site: &str, corrections: &mut Corrections) -> Result<()> {
    let site = site_name(site);
    if corrections.sites.remove(&site).is_some() {
        remark(&format!("the correction of {site} is removed"));
        return Ok(());
    }
    let names: Vec<&str> = corrections.sites.keys().map(String::as_str).take(20).collect();
    let expected = if names.is_empty() { "a model with site corrections".into() } else { names.join(", ") };
    Err(Error::invalid_option(format!("the model has no correction of {site}")).expected(expected))
}

/// Reports the effect of the correction of a site.
fn report(site: &str, fit: &SiteFit) {
    let SiteFit { correction, num_pages: num, token_f1: [before, after], is_left_out } = fit;
    let pages = num_pages(*num);
    let of = match is_left_out {
        true => "measured by leave-one-out cross-validation",
        false => "measured on the page itself",
    };
    let number = |correction: &threshr_extract::correction::SiteCorrection| correction.terms.len();
    let outcome = match correction {
        Some(correction) if before == after => format!(
            "the correction is kept, with {} terms: the scores of blocks fit the labels better (lower log loss)",
            number(correction)
        ),
        Some(correction) => format!("the correction is kept, with {} terms", number(correction)),
        None => "no gain is shown, so the site gets no new correction (--always writes it)".to_owned(),
    };
    remark(&format!("{site}: {pages}, token F1 {before:.4} before and {after:.4} after, {of}; {outcome}"));
}
