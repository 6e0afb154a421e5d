//! `threshr adapt`: a few annotated pages of a site → a correction of the model for the pages of this site.

use crate::args::{self, DataArgs, GoldArgs};
use crate::guard::Guard;
use crate::train::{report_failures, report_gold};
use crate::{Status, remark, write_file};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_evaluate::{MIN_SITE_PAGES, SitePoint, site_curve};
use threshr_extract::correction::Corrections;
use threshr_io::atomic::AtomicFile;
use threshr_train::{Corpus, SiteFit, SiteFits, SiteSettings, TermKinds, site_name};

/// Teach a model a site by a few annotated pages of it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  threshr adapt --data pages-of-a-site --out my.json       from the model that is compiled in
  threshr adapt --model my.json --data other-site --out my.json --force    add another site
  threshr adapt --data pages --site example.org --out my.json      pages whose address is unknown
  threshr adapt --model my.json --remove example.org --out my.json --force
  threshr adapt --data SET --curve curve.csv               what 1, 2 and 3 pages give on sites of 6 pages or more

`threshr predict --model my.json` applies the correction to pages of the site. For pages without an address,
give the address of the page by --url. All other pages are extracted as before.")]
pub(super) struct Args {
    /// Model to begin with: a file, or `default` for the model that is compiled in
    #[arg(long, short, value_name = "FILE", default_value = "default")]
    model: PathBuf,
    /// Annotated pages, of one site or of several: a folder, or a file of records (see --gold-format); repeatable
    #[arg(long, required_unless_present = "remove", num_args = 1.., value_name = "SET")]
    data: Vec<PathBuf>,
    #[command(flatten)]
    gold: GoldArgs,
    /// Model file to write, atomically; with --force it may be the file of --model
    #[arg(long, short, value_name = "FILE", required_unless_present = "curve")]
    out: Option<PathBuf>,
    /// The site of all pages, such as example.org [default: the site of the address of each page]
    #[arg(long, value_name = "NAME", conflicts_with = "curve")]
    site: Option<String>,
    /// Remove the correction of a site; repeatable
    #[arg(long, value_name = "NAME", conflicts_with = "curve")]
    remove: Vec<String>,
    /// Write the correction even if left-out pages do not show that it helps
    #[arg(long)]
    always: bool,
    /// What of a block is learned: none (only how all scores of the site shift), template (the elements around the
    /// block), template+texts (and texts that the pages repeat)
    #[arg(long, value_name = "KIND", default_value = "template+texts", help_heading = "Learning")]
    terms: String,
    /// Strength of the prior that nothing changes; greater is more careful
    #[arg(long, value_name = "X", default_value_t = SiteSettings::default().ridge, help_heading = "Learning")]
    prior: f64,
    /// Measure instead: for every site with 6 pages or more, draw 1, 2 and 3 pages, learn, and test on the others;
    /// CSV with one line a draw
    #[arg(long, value_name = "FILE", conflicts_with = "out", help_heading = "Measuring")]
    curve: Option<PathBuf>,
    /// Number of draws of --curve
    #[arg(long, value_name = "N", default_value_t = 5, requires = "curve", help_heading = "Measuring")]
    draws: usize,
    /// Random seed of --curve
    #[arg(long, value_name = "N", default_value_t = 0, requires = "curve", help_heading = "Measuring")]
    seed: u64,
}

pub(super) fn run(args: &Args, progress: &dyn Progress) -> Result<Status> {
    let settings = args.settings()?;
    let sets = match args.data.is_empty() {
        true => Vec::new(),
        false => DataArgs { data: args.data.clone(), gold: args.gold.clone() }.open()?,
    };
    let mut guard = Guard::default();
    guard.reads_sets(&sets);
    for (option, path) in [("--out", &args.out), ("--curve", &args.curve)] {
        if let Some(path) = path {
            guard.file(option, path, false)?;
            // fails before the work if the folder cannot be written to
            drop(AtomicFile::create(path)?);
        }
    }
    let model = args::model(Some(&args.model))?;
    let mut corrections = model.fitted().corrections.clone();
    for site in &args.remove {
        remove(site, &mut corrections)?;
    }
    let mut status = Status::Success;
    if !sets.is_empty() {
        let corpus = Corpus::read_to_correct(&sets, &model, None, progress)?;
        report_failures(&corpus);
        report_gold(&corpus);
        if !corpus.failures.is_empty() {
            status = Status::Failures;
        }
        if let Some(path) = &args.curve {
            let points = site_curve(&model, &corpus, settings, args.draws, args.seed)?;
            write_file(path, curve_table(&points).as_bytes())?;
            report_curve(&points);
            return Ok(status);
        }
        let fits = SiteFits::learn(&model, (&corpus, &sets), args.site.as_deref(), settings, report)?;
        if fits.num_unusable > 0 {
            remark(&format!(
                "{} pages left out: too little of their gold text was found on the page",
                fits.num_unusable
            ));
        }
        fits.add_to(&mut corrections)?;
    }
    if let Some(out) = &args.out {
        threshr_train::save(&model.with_corrections(corrections)?, out)?;
    }
    Ok(status)
}

impl Args {
    fn settings(&self) -> Result<SiteSettings> {
        let terms = TermKinds::parse(&self.terms)?;
        let settings = SiteSettings { terms, ridge: self.prior, always: self.always };
        settings.check(self.site.as_deref())?;
        Ok(settings)
    }
}

fn remove(site: &str, corrections: &mut Corrections) -> Result<()> {
    let site = site_name(site);
    if corrections.sites.remove(&site).is_some() {
        remark(&format!("the correction of {site} is removed"));
        return Ok(());
    }
    let names: Vec<&str> = corrections.sites.keys().map(String::as_str).take(20).collect();
    let expected =
        if names.is_empty() { "a model with corrections of sites".into() } else { names.join(", ") };
    Err(Error::recipe(format!("the model has no correction of {site}")).expected(expected))
}

/// Says what a correction gives.
fn report(site: &str, fit: &SiteFit) {
    let SiteFit { correction, num_pages, token_f1: [before, after], is_left_out } = fit;
    let pages = if *num_pages == 1 { "1 page".to_owned() } else { format!("{num_pages} pages") };
    let of = match is_left_out {
        true => "each page left out in turn",
        false => "the page itself, since no other page can be left out",
    };
    let number = |correction: &threshr_extract::correction::SiteCorrection| correction.terms.len();
    let outcome = match correction {
        Some(correction) => format!("the correction is kept, with {} terms", number(correction)),
        None => "no gain is shown, so the site gets no new correction (--always writes it)".to_owned(),
    };
    remark(&format!("{site}: {pages}, token F1 {before:.4} before and {after:.4} after, {of}; {outcome}"));
}

/// The table of `--curve`.
fn curve_table(points: &[SitePoint]) -> String {
    let mut out = "set,site,num_pages,num_annotated,draw,is_kept,before,after,oracle\n".to_owned();
    for p in points {
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{:.6},{:.6},{:.6}",
            p.set.replace(',', "_"),
            p.site,
            p.num_pages,
            p.num_annotated,
            p.draw,
            u8::from(p.is_kept),
            p.before,
            p.after,
            p.oracle
        );
    }
    out
}

/// Says the means over sites.
fn report_curve(points: &[SitePoint]) {
    if points.is_empty() {
        remark(&format!(
            "no site has {MIN_SITE_PAGES} annotated pages with an address, so nothing is measured"
        ));
    }
    for num in 1..=3 {
        let mut by_site: BTreeMap<(&str, &str), Vec<&SitePoint>> = BTreeMap::new();
        for point in points.iter().filter(|p| p.num_annotated == num) {
            by_site.entry((&point.set, &point.site)).or_default().push(point);
        }
        if by_site.is_empty() {
            continue;
        }
        let mean = |value: fn(&SitePoint) -> f64| {
            let of_site =
                |own: &Vec<&SitePoint>| own.iter().map(|p| value(p)).sum::<f64>() / own.len() as f64;
            by_site.values().map(of_site).sum::<f64>() / by_site.len() as f64
        };
        remark(&format!(
            "{num} annotated pages, {} sites: token F1 of the other pages {:.4} before, {:.4} after, oracle {:.4}; kept in {:.0} % of draws",
            by_site.len(),
            mean(|p| p.before),
            mean(|p| p.after),
            mean(|p| p.oracle),
            100.0 * mean(|p| f64::from(u8::from(p.is_kept)))
        ));
    }
}
