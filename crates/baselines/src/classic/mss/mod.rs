//! Maximum subsequence segmentation (MSS): a token classifier and the subsequence with the largest sum of its
//! scores.

mod bayes;
mod subsequence;

use crate::shared::fitted;
use crate::shared::stream::{Token, tokens};
use bayes::{Bayes, Trainer};
use serde::Deserialize;
use serde_json::Value;
use threshr_core::{Error, Result};
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, Method, System, SystemInput};

/// Every token, a word or a tag, has a score from -1/2 to 1/2: its probability to be content, minus 1/2. A
/// block is kept if at least half of its words lie in the contiguous subsequence with the largest sum.
///
/// The classifier learns from the words of content blocks. All numbers are one token. Words are not stemmed,
/// so that all languages are treated alike; the published classifier stems English.
pub(crate) static SYSTEM: System = System {
    name: "mss",
    summary: "keeps the contiguous part of the page with the highest content scores, by naive Bayes over token trigrams",
    source: "Pasternack and Roth, WWW 2009, Extracting article text from the web with maximum subsequence segmentation",
    needs_gold: false,
    needs_html: false,
    options: &[
        SystemOption {
            name: "min_count",
            default: "3",
            help: "minimum occurrences of a token, and of an n-gram of tokens, in the training pages",
        },
        SystemOption {
            name: "max_ngrams",
            default: "150000",
            help: "maximum number of n-grams of the model; the rarest are pruned",
        },
        SystemOption {
            name: "strength",
            default: "3.0",
            help: "strength of the smoothing by the shorter n-gram, in occurrences",
        },
    ],
    how: How::Fitted { train, load, untrained: None },
};

/// The options.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Settings {
    min_count: u32,
    max_ngrams: usize,
    strength: f64,
}

impl Settings {
    fn read(settings: &Value) -> Result<Self> {
        let settings: Self = option::read(settings)?;
        if !(0.0..=1e6).contains(&settings.strength) {
            return Err(Error::recipe(format!("`mss.strength` is {}", settings.strength))
                .expected("a number from 0 to 1000000"));
        }
        Ok(settings)
    }
}

fn train(pages: &[SystemInput<'_>], settings: &Value, _seed: u64) -> Result<Value> {
    let settings = Settings::read(settings)?;
    let mut trainer = Trainer::default();
    for page in pages {
        if let Some(gold) = page.gold {
            trainer.add(page.doc, page.blocks, &tokens(page.doc, page.blocks), gold.labels);
        }
    }
    fitted::write(SYSTEM.name, &trainer.fit(&settings)?.data())
}

fn load(settings: &Value, data: &Value) -> Result<Box<dyn Method>> {
    let settings = Settings::read(settings)?;
    Ok(Box::new(Mss { local: Bayes::load(fitted::read(SYSTEM.name, data)?, settings.strength)? }))
}

#[derive(Debug)]
struct Mss {
    local: Bayes,
}

impl Method for Mss {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let tokens = tokens(page.doc, page.blocks);
        let kept = subsequence::maximum(&self.local.scores(page.doc, page.blocks, &tokens));
        // Words of each block inside the subsequence, and in all.
        let mut counts = vec![[0u32; 2]; page.blocks.len()];
        for (i, token) in tokens.iter().enumerate() {
            if let Token::Word { block, .. } = token {
                let counts = &mut counts[*block as usize];
                counts[0] += u32::from(kept.contains(&i));
                counts[1] += 1;
            }
        }
        counts.into_iter().map(|[inside, all]| inside > 0 && 2 * inside >= all).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (num_tokens, num_ngrams) = self.local.size();
        vec![("local classifier", format!("{num_tokens} tokens, {num_ngrams} n-grams"))]
    }
}
