//! StupidOS: two word trigram models, one of clean text and one of boilerplate.

use crate::shared::ngrams::Counter;
use crate::shared::ngrams::words::{FIRST_WORD, UNKNOWN, WordData, WordModel};
use crate::shared::vocabulary::Vocabulary;
use crate::shared::{fitted, patterns};
use regex::RegexSet;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use threshr_core::{Error, Result};
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, Method, System, SystemInput};
use threshr_html::text;

/// Regular expressions drop blocks such as footers. A remaining block is kept if it is more probable under the
/// model of clean text than under the model of boilerplate. The model of boilerplate is trained on the text of
/// training pages outside their gold.
///
/// A published line corresponds to a block. Both models share one vocabulary, so that unknown words have little
/// effect. Only the published expression with `|` is known; the others are simple substitutes.
pub(crate) static SYSTEM: System = System {
    name: "stupidos",
    summary: "keeps blocks that are more probable under a trigram model of clean text than of boilerplate; patterns drop footers",
    source: "StupidOS, CleanEval 2007, A high-precision approach to boilerplate removal; weights of the \
             interpolation as in Brants, ANLP 2000",
    options: &[
        SystemOption::new(
            "drop",
            r#"["\\|[^|]*\\|[^|]*\\|", "(?i)^\\W*(©|\\(c\\)|copyright)", "(?i)all rights reserved", "^\\W*$"]"#,
            "regular expressions; a block that matches one of them is dropped",
        ),
        SystemOption::new(
            "min_word_count",
            "2",
            "minimum occurrences of a word in the vocabulary; rarer words count as unknown",
        ),
        SystemOption::new("min_count", "1", "minimum occurrences of an n-gram of the models"),
        SystemOption::new(
            "max_ngrams",
            "1000000",
            "maximum number of n-grams of both models; the rarest are pruned",
        ),
    ],
    ..System::new(How::Fitted { train, load, untrained: None })
};

/// The options.
#[derive(Debug, Clone, Deserialize)]
struct Settings {
    drop: Vec<String>,
    min_word_count: u32,
    min_count: u32,
    max_ngrams: usize,
}

/// The trained data.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    vocabulary: Vec<String>,
    clean: WordData,
    boilerplate: WordData,
}

fn train(pages: &[SystemInput<'_>], settings: &Value, _seed: u64) -> Result<Value> {
    let settings: Settings = option::read(settings)?;
    let drop = patterns::set("stupidos.drop", &settings.drop)?;
    let mut all = Vocabulary::default();
    // for every block that is not dropped: its word ids, and whether it is clean
    let mut blocks = Vec::new();
    for page in pages {
        let Some(gold) = page.gold else { continue };
        for (index, &clean) in gold.labels.iter().enumerate() {
            let text = page.blocks.text(index);
            if !drop.is_match(text) {
                let symbols: Vec<u32> = text::tokens(text).iter().map(|word| all.learn(word)).collect();
                blocks.push((symbols, clean));
            }
        }
    }
    let (vocabulary, new) = all.frequent(settings.min_word_count);
    for symbol in blocks.iter_mut().flat_map(|b| &mut b.0) {
        *symbol = new[*symbol as usize].map_or(UNKNOWN, |id| id + FIRST_WORD);
    }
    let count = |clean: bool, what: &str| {
        let texts = blocks.iter().filter(|b| b.1 == clean && !b.0.is_empty()).map(|b| &b.0[..]);
        if texts.clone().next().is_none() {
            return Err(Error::data(format!("no block of the training pages is {what}"))
                .expected("blocks of both classes; check that the gold text belongs to these pages"));
        }
        Ok(WordModel::count(texts))
    };
    let (clean, boilerplate) = (count(true, "content")?, count(false, "boilerplate")?);
    let least = Counter::least_of(&[&clean, &boilerplate], settings.min_count, settings.max_ngrams);
    let [clean, boilerplate] =
        [clean, boilerplate].map(|c| WordModel::new(c, vocabulary.len(), least).data());
    fitted::write(SYSTEM.name, &Data { vocabulary: vocabulary.words(), clean, boilerplate })
}

fn load(settings: &Value, data: &Value) -> Result<Box<dyn Method>> {
    let settings: Settings = option::read(settings)?;
    let Data { vocabulary, clean, boilerplate } = fitted::read(SYSTEM.name, data)?;
    let vocabulary = Vocabulary::load(&vocabulary)?;
    let num_words = vocabulary.len();
    Ok(Box::new(StupidOs {
        drop: patterns::set("stupidos.drop", &settings.drop)?,
        clean: WordModel::load(clean, num_words)?,
        boilerplate: WordModel::load(boilerplate, num_words)?,
        vocabulary,
    }))
}

#[derive(Debug)]
struct StupidOs {
    drop: RegexSet,
    vocabulary: Vocabulary,
    clean: WordModel,
    boilerplate: WordModel,
}

impl Method for StupidOs {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let keep = |index: usize| {
            let text = page.blocks.text(index);
            let symbol = |word: &String| self.vocabulary.get(word).map_or(UNKNOWN, |id| id + FIRST_WORD);
            let symbols: Vec<u32> = text::tokens(text).iter().map(symbol).collect();
            !self.drop.is_match(text) && self.clean.log2(&symbols) > self.boilerplate.log2(&symbols)
        };
        (0..page.blocks.len()).map(keep).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let of_class = |m: &WordModel| {
            let [one, two, three] = m.lambda();
            format!("{} n-grams, weights {one:.3} {two:.3} {three:.3}", m.len())
        };
        vec![
            ("vocabulary", format!("{} words", self.vocabulary.len())),
            ("clean", of_class(&self.clean)),
            ("boilerplate", of_class(&self.boilerplate)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_extract::baseline::{SystemChoice, SystemGold};
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn run(choice: &SystemChoice, data: &Value, html: &str) -> Vec<bool> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        choice.load(data).expect("loaded").keep(&SystemInput::new(&doc, &blocks))
    }

    #[test]
    fn blocks_go_to_the_likelier_model() {
        let html = "<p>the old mill by the river<p>home news home contact<p>the river by the old mill";
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let gold = SystemGold { labels: &[true, false, true], classes: &[], text: "" };
        let input = SystemInput { gold: Some(gold), ..SystemInput::new(&doc, &blocks) };
        let mut choice = SystemChoice::parse("stupidos", &crate::systems()).expect("it exists");
        choice.set_all(&serde_json::json!({"min_word_count": 1, "min_count": 1})).expect("options");
        let data = choice.train(&[input], 1).expect("trained");
        // Vocabulary: the old mill by river home news contact. There are 12 clean words and 4 words of
        // boilerplate. The weights of words, bigrams and trigrams are 3, 6, 2 (of 11) for clean text and 2, 0, 2
        // (of 4) for boilerplate (see the tests of the word models). `mill`: clean 3/9 · (2+1)/(12+8+1) = 1/21,
        // since no text begins with it; boilerplate (0+1)/(4+8+1) = 1/13. `news`: clean 3/9 · 1/21, boilerplate
        // 2/13. `the mill`: clean (3/9 · 5/21 + 6/9 · 2/2) · 3/11 · 3/21 = 0.029, boilerplate 1/13².
        let page = "<p>mill<p>news<p>the mill<p>the | river | mill | old<p>© the old mill<p>...<p>unknown";
        // a single unknown word: clean 3/9 · 1/21, boilerplate 1/13
        assert_eq!(run(&choice, &data, page), [false, false, true, false, false, false, false]);
    }

    #[test]
    fn bad_patterns_and_gold_are_errors() {
        let mut choice = SystemChoice::parse("stupidos", &crate::systems()).expect("it exists");
        let doc = parse_str("<p>only content");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let gold = SystemGold { labels: &[true], classes: &[], text: "" };
        let input = SystemInput { gold: Some(gold), ..SystemInput::new(&doc, &blocks) };
        let error = choice.train(&[input], 1).expect_err("one class").to_string();
        assert!(error.contains("boilerplate"), "{error}");
        choice.set_all(&serde_json::json!({"drop": ["("]})).expect("a list");
        let error = choice.train(&[input], 1).expect_err("no pattern").to_string();
        assert!(error.contains("stupidos.drop"), "{error}");
    }
}
