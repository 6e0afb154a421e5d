//! Maximum subsequence segmentation (MSS): a token classifier, and the token sequence with the largest sum of
//! scores.

mod bayes;
mod subsequence;

use crate::shared::stream::{Token, tokens};
use crate::shared::{fitted, range};
use bayes::{Bayes, Trainer};
use serde::Deserialize;
use serde_json::Value;
use threshr_core::Result;
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, Method, System, SystemInput};

/// Every token (a word or a tag) has a score from -1/2 to 1/2: the probability that it is content, minus 1/2. A
/// block is kept if at least half of its words are in the contiguous subsequence with the largest sum of scores.
///
/// The classifier is trained on words labelled by their blocks. All numbers share one token. Words are not
/// stemmed, so that the method does not depend on the language. The published classifier stems English words.
pub(crate) static SYSTEM: System = System {
    name: "mss",
    summary: "keeps the contiguous part of the page with the highest content scores, by naive Bayes over token trigrams",
    source: "Pasternack and Roth, WWW 2009, Extracting article text from the web with maximum subsequence segmentation",
    options: &[
        SystemOption::new(
            "min_count",
            "3",
            "minimum occurrences of a token, and of an n-gram of tokens, in the training pages",
        ),
        SystemOption::new(
            "max_ngrams",
            "150000",
            "maximum number of n-grams of the model; the rarest are pruned",
        ),
        SystemOption::new(
            "strength",
            "3.0",
            "weight of the probability of the shorter n-gram in the smoothing, in occurrences",
        ),
    ],
    ..System::new(How::Fitted { train, load, untrained: None })
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
        range::check("mss.strength", settings.strength, 0.0..=1e6)?;
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
        // for each block, the number of words inside the subsequence and the total number of words
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
