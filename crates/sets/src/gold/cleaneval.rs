//! The folder layout of CleanEval: `input/N.html` and `GoldStandard/N-cleaned.txt` (or `N.txt`).

use crate::gold::form;
use crate::gold::{Gold, GoldPage, Listing, Match, Probe, ReadOptions, Reader, html_files, segments};
use std::path::{Path, PathBuf};
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_html::decode;
use threshr_io::names;
use threshr_io::read_bytes;

/// The folder layout of CleanEval 2007.
pub(super) static READER: Reader = Reader {
    name: "cleaneval",
    summary: "input/N.html and GoldStandard/N-cleaned.txt or N.txt, with the markup <p>, <h>, <l>",
    source: "Baroni, Chantree, Kilgarriff & Sharoff, LREC 2008",
    rank: 8,
    detect: |probe: &Probe, _| match (probe.folder("input"), probe.folder("GoldStandard")) {
        (Some(_), Some(_)) => Match::Yes,
        (Some(_), None) => {
            Match::Near(4, "input/ exists, but the folder GoldStandard/ is missing".to_owned())
        }
        (None, Some(_)) => {
            Match::Near(5, "GoldStandard/ exists, but the folder input/ is missing".to_owned())
        }
        (None, None) => Match::No,
    },
    read,
};

fn read(dir: &Path, _: &ReadOptions) -> Result<Listing> {
    let folder = |name: &str| form::folder(dir, name).unwrap_or_else(|| dir.join(name));
    let gold_dir = folder("GoldStandard");
    let pages: Vec<GoldPage> =
        html_files(&folder("input"))?.into_iter().map(|path| page(&gold_dir, path)).collect::<Result<_>>()?;
    // the final CleanEval set has pages without gold, but a set without any gold file is an error
    match pages.iter().any(|p| p.gold.is_some()) {
        true => Ok(pages.into()),
        false => Err(Error::data("no page has a gold file")
            .expected("GoldStandard/N-cleaned.txt or GoldStandard/N.txt for input/N.html")
            .at_path(dir)),
    }
}

fn page(gold_dir: &Path, path: PathBuf) -> Result<GoldPage> {
    let id = names::stem(&path);
    let names = [format!("{id}-cleaned.txt"), format!("{id}.txt")];
    let gold = names.iter().map(|n| gold_dir.join(n)).find(|p| p.is_file());
    let bytes = gold.as_deref().map(read_bytes).transpose()?;
    let raw = decode(bytes.as_deref().unwrap_or_default(), None).text;
    let url =
        raw.trim_start().lines().next().and_then(|l| l.strip_prefix("URL:")).map(|u| u.trim().to_owned());
    let (text, markup) = lines(&raw);
    Ok(GoldPage {
        site: url.as_deref().and_then(site_of),
        id,
        path,
        url,
        gold: gold.is_some().then_some(Gold::Text { text, markup: Some(markup) }),
        ..GoldPage::default()
    })
}

/// Returns the gold with one segment per line, without and with markup.
fn lines(raw: &str) -> (String, String) {
    let (mut text, mut markup) = (Vec::new(), Vec::new());
    for segment in segments(raw) {
        let line = segment.text.split_whitespace().collect::<Vec<_>>().join(" ");
        markup.push(format!("{}{line}", segment.class.tag()));
        text.push(line);
    }
    (text.join("\n"), markup.join("\n"))
}
