//! `threshr data convert`: converts a set of annotated pages in any supported format to a folder.

use crate::args::GoldArgs;
use crate::guard::Guard;
use crate::train::{report_failures, report_gold};
use crate::{Status, remark};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use threshr_core::progress::Progress;
use threshr_core::{Error, Result};
use threshr_extract::recipe::Recipe;
use threshr_sets::gold::{Content, Gold, GoldPage, SetWriter};
use threshr_train::{Corpus, Needs};

/// Reads a set and writes it as a folder with gold.jsonl and pages/.
pub(super) fn run(data: &PathBuf, gold: &GoldArgs, out: &Path, progress: &dyn Progress) -> Result<Status> {
    Guard::reading([data]).folder("--out", out, false)?;
    let sets = gold.open(std::slice::from_ref(data))?;
    let [set] = &sets[..] else {
        return Err(Error::invalid_option("convert takes one set").expected("a folder or a file of records"));
    };
    let mut writer = SetWriter::create(out, set.policy)?;
    let needs = Needs { html: true, attributes: false };
    let corpus = Corpus::read(&sets, &Recipe::default(), None, needs, progress)?;
    report_failures(&corpus);
    report_gold(&corpus);
    let by_id: HashMap<&str, &GoldPage> = set.pages.iter().map(|page| (page.id.as_str(), page)).collect();
    for read in corpus.pages.iter() {
        let Some(page) = by_id.get(read.id.as_str()) else { continue };
        let (gold, markup) = (read.gold.as_deref(), read.gold_markup.as_deref());
        match (&page.gold, &read.html) {
            (Some(Gold::InPage(_)), Some(html)) => {
                let content = Content { html: html.as_bytes(), charset: Some("utf-8"), gold, markup };
                writer.add(page, content)?;
            }
            _ => {
                let html = page.load()?;
                writer.add(page, Content { html: &html, charset: page.charset.as_deref(), gold, markup })?;
            }
        }
    }
    writer.finish()?;
    let num_with_gold = corpus.with_gold().len();
    let (num, form) = (corpus.pages.len(), set.format);
    remark(&format!(
        "{num} pages of the format `{form}`, {num_with_gold} with gold, are in {}",
        out.display()
    ));
    Ok(if corpus.failures.is_empty() { Status::Success } else { Status::Failures })
}
