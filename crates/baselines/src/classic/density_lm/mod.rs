//! A density filter over lines of HTML, followed by character language models of content and boilerplate.

mod lines;
#[cfg(test)]
mod tests;

use crate::shared::ngrams::characters::{CharacterModel, MAX_ORDER};
use crate::shared::ngrams::{Counter, NgramData};
use crate::shared::{fitted, range};
use lines::Chunk;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use threshr_core::lcs;
use threshr_core::{Error, Result};
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, Method, System, SystemInput};
use threshr_html::blocks::Blocks;
use threshr_html::text::Interner;

/// Every chunk that is long and dense enough is classified as keep or discard by the higher posterior probability.
/// The likelihood comes from one language model per class. The prior is the number of training chunks of the class,
/// as in LingPipe's dynamic classifier.
///
/// A training chunk has the class keep if more than half of its words are in content blocks. If the gold comes from
/// markers in the page, such as `<!-- content -->` (formats `markers`, `googleoff`, `selector`), the markers are
/// removed from the chunks. Lines are aligned with blocks by the longest common subsequence of words. A block is
/// kept if at least half of its words are in kept lines.
///
/// The option `held_out` gives the published protocol. With the value 0.1, the models are trained on the first 90 %
/// of the pages, and the error rate on the chunks of the last 10 % is saved with the model.
pub(crate) static SYSTEM: System = System {
    name: "density-lm",
    summary: "dense lines of HTML, classified by character 6-gram language models",
    source: "Pal 2009, Extracting useful text from HTML; LingPipe's DynamicLMClassifier",
    needs_html: true,
    options: &[
        SystemOption::new(
            "unit",
            "\"line\"",
            "unit of filtering and classification: `line` of the HTML, or `block`",
        ),
        SystemOption::new("min_chars", "60", "minimum number of characters of text of a chunk"),
        SystemOption::new(
            "min_density",
            "0.5",
            "a chunk passes if its density is greater than this value minus the standard deviation of the densities of the page",
        ),
        SystemOption::new("order", "6", "length of the longest n-gram in characters, 1 to 12"),
        SystemOption::new(
            "min_count",
            "1",
            "minimum occurrences of an n-gram; 2 halves the size of the model file",
        ),
        SystemOption::new(
            "max_ngrams",
            "3000000",
            "maximum number of n-grams of both classes; the rarest are pruned",
        ),
        SystemOption::new(
            "held_out",
            "0.0",
            "share of the pages, from the end, that are held out to measure the error rate of chunks",
        ),
    ],
    ..System::new(How::Fitted { train, load, untrained: None })
};

/// The options.
#[derive(Debug, Clone, Deserialize)]
struct Settings {
    unit: Unit,
    min_chars: usize,
    min_density: f64,
    order: u32,
    min_count: u32,
    max_ngrams: usize,
    held_out: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Line,
    Block,
}

impl Settings {
    fn read(settings: &Value) -> Result<Self> {
        let settings: Self = option::read(settings)?;
        range::check("density-lm.order", settings.order.into(), 1.0..=MAX_ORDER.into())?;
        range::check("density-lm.held_out", settings.held_out, 0.0..=0.99)?;
        Ok(settings)
    }

    /// Returns the chunks of a page that pass the density filter.
    fn chunks(&self, page: &SystemInput<'_>) -> Vec<Chunk> {
        let chunks = match self.unit {
            Unit::Line => lines::lines(page.html.unwrap_or_default()),
            Unit::Block => lines::blocks(page.blocks),
        };
        lines::dense(chunks, self.min_chars, self.min_density)
    }
}

/// The trained data.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    keep: ClassData,
    discard: ClassData,
    held_out: HeldOut,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClassData {
    num_chunks: u32,
    ngrams: NgramData,
}

/// Classification results on the chunks of held-out pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeldOut {
    num_pages: u32,
    num_chunks: u32,
    num_errors: u32,
    /// Number of errors divided by number of chunks; 0 if there are no chunks.
    error_rate: f64,
}

fn train(pages: &[SystemInput<'_>], settings: &Value, _seed: u64) -> Result<Value> {
    let settings = Settings::read(settings)?;
    let num_train = ((pages.len() as f64 * (1.0 - settings.held_out)).floor() as usize).clamp(1, pages.len());
    let (to_learn, to_test) = pages.split_at(num_train);
    let mut classes = [(); 2].map(|()| (0, Counter::new(settings.order as usize)));
    for page in to_learn {
        for (chunk, keep) in labelled(&settings, page) {
            let (num_chunks, counter) = &mut classes[usize::from(keep)];
            *num_chunks += 1;
            CharacterModel::count(counter, &chunk.text);
        }
    }
    let counters = [&classes[0].1, &classes[1].1];
    let least = Counter::least_of(&counters, settings.min_count, settings.max_ngrams);
    let classes =
        classes.map(|(num_chunks, counter)| Class { num_chunks, model: CharacterModel::new(counter, least) });
    let [discard, keep] = classes;
    if keep.num_chunks == 0 || discard.num_chunks == 0 {
        let what = format!("{} chunks of content and {} of boilerplate", keep.num_chunks, discard.num_chunks);
        return Err(Error::data(what).expected("chunks of both classes that pass the density filter"));
    }
    let mut method = DensityLm { settings, keep, discard, held_out: HeldOut::default() };
    method.held_out = method.test(to_test);
    let data = |class: &Class| ClassData { num_chunks: class.num_chunks, ngrams: class.model.data().clone() };
    let data = Data { keep: data(&method.keep), discard: data(&method.discard), held_out: method.held_out };
    fitted::write(SYSTEM.name, &data)
}

fn load(settings: &Value, data: &Value) -> Result<Box<dyn Method>> {
    let settings = Settings::read(settings)?;
    let Data { keep, discard, held_out } = fitted::read(SYSTEM.name, data)?;
    let class = |data: ClassData| match data.num_chunks {
        0 => Err(Error::model("a class of the system `density-lm` has no chunks")),
        num_chunks => Ok(Class { num_chunks, model: CharacterModel::load(data.ngrams)? }),
    };
    Ok(Box::new(DensityLm { settings, keep: class(keep)?, discard: class(discard)?, held_out }))
}

#[derive(Debug)]
struct Class {
    num_chunks: u32,
    model: CharacterModel,
}

#[derive(Debug)]
struct DensityLm {
    settings: Settings,
    keep: Class,
    discard: Class,
    held_out: HeldOut,
}

impl DensityLm {
    fn keeps(&self, text: &str) -> bool {
        let joint = |class: &Class| class.model.log2(text) + f64::from(class.num_chunks).log2();
        joint(&self.keep) > joint(&self.discard)
    }

    fn test(&self, pages: &[SystemInput<'_>]) -> HeldOut {
        let mut out = HeldOut { num_pages: pages.len() as u32, ..HeldOut::default() };
        for (chunk, keep) in pages.iter().flat_map(|page| labelled(&self.settings, page)) {
            out.num_chunks += 1;
            out.num_errors += u32::from(self.keeps(&chunk.text) != keep);
        }
        out.error_rate = f64::from(out.num_errors) / f64::from(out.num_chunks.max(1));
        out
    }
}

impl Method for DensityLm {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let kept: Vec<Chunk> =
            self.settings.chunks(page).into_iter().filter(|c| self.keeps(&c.text)).collect();
        match self.settings.unit {
            Unit::Block => {
                let mut out = vec![false; page.blocks.len()];
                kept.iter().for_each(|c| out[c.index] = true);
                out
            }
            Unit::Line => {
                let lines = lines::lines(page.html.unwrap_or_default());
                let mut is_kept = vec![false; lines.last().map_or(0, |l| l.index + 1)];
                kept.iter().for_each(|c| is_kept[c.index] = true);
                blocks_of_lines(page.blocks, &lines, &is_kept)
            }
        }
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let of_class = |c: &Class| format!("{} chunks, {} n-grams", c.num_chunks, c.model.len());
        let mut facts = vec![("keep", of_class(&self.keep)), ("discard", of_class(&self.discard))];
        let HeldOut { num_pages, num_chunks, num_errors, error_rate } = self.held_out;
        if num_pages > 0 {
            let rate = 100.0 * error_rate;
            let of = format!("{num_errors} of {num_chunks} chunks of the last {num_pages} pages");
            facts.push(("error rate", format!("{rate:.1} %, {of}")));
        }
        facts
    }
}

/// Returns the chunks of a training page that pass the density filter, each with its class (true for keep).
fn labelled(settings: &Settings, page: &SystemInput<'_>) -> Vec<(Chunk, bool)> {
    let Some(gold) = page.gold else { return Vec::new() };
    let chunks = settings.chunks(page);
    if settings.unit == Unit::Block {
        return chunks.into_iter().map(|c| (gold.labels[c.index], c)).map(|(keep, c)| (c, keep)).collect();
    }
    let lines = lines::lines(page.html.unwrap_or_default());
    // for each line, the number of words in content blocks and in all blocks
    let mut words = vec![[0u32; 2]; lines.last().map_or(0, |l| l.index + 1)];
    for (line, block) in shared_words(page.blocks, &lines).pairs {
        words[line][0] += u32::from(gold.labels[block]);
        words[line][1] += 1;
    }
    chunks
        .into_iter()
        .map(|c| (2 * words[c.index][0] > words[c.index][1], c))
        .map(|(keep, c)| (c, keep))
        .collect()
}

/// Returns, for each block, whether at least half of its words are in kept lines.
fn blocks_of_lines(blocks: &Blocks, lines: &[Chunk], is_kept: &[bool]) -> Vec<bool> {
    let shared = shared_words(blocks, lines);
    let mut inside = vec![0u32; blocks.len()];
    for (line, block) in shared.pairs {
        inside[block] += u32::from(is_kept[line]);
    }
    inside.iter().zip(shared.num_words).map(|(&inside, all)| inside > 0 && 2 * inside >= all).collect()
}

/// Words that occur both in lines of HTML and in blocks.
struct SharedWords {
    /// Line index and block index of each common word.
    pairs: Vec<(usize, usize)>,
    /// Number of words in each block.
    num_words: Vec<u32>,
}

/// Aligns the words of lines and blocks. Both have the text of the page in the same order, except for entities,
/// scripts and text that the parser moved.
fn shared_words(blocks: &Blocks, lines: &[Chunk]) -> SharedWords {
    let mut interner = Interner::new();
    let (mut of_blocks, mut block_of) = (Vec::new(), Vec::new());
    let mut num_words = Vec::with_capacity(blocks.len());
    for block in 0..blocks.len() {
        let words = interner.encode(blocks.text(block));
        num_words.push(words.len() as u32);
        block_of.resize(block_of.len() + words.len(), block);
        of_blocks.extend(words);
    }
    let (mut of_lines, mut line_of) = (Vec::new(), Vec::new());
    // words that occur in no block, mostly from scripts, are removed first to save time
    let num_known = interner.len() as u32;
    for line in lines {
        let mut words = interner.encode(&line.text);
        words.retain(|&word| word < num_known);
        line_of.resize(line_of.len() + words.len(), line.index);
        of_lines.extend(words);
    }
    let pairs = lcs::lcs_pairs(&of_lines, &of_blocks);
    let pairs = pairs.into_iter().map(|(l, b)| (line_of[l as usize], block_of[b as usize])).collect();
    SharedWords { pairs, num_words }
}
