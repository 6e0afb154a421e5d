//! WCC's trees of regular expressions, optimised by a genetic algorithm.

mod genes;
mod search;

use crate::shared::{fitted, patterns, range};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use regex::RegexSet;
use search::{Examples, Search};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use threshr_core::{Error, Result};
use threshr_extract::baseline::SystemOption;
use threshr_extract::baseline::option;
use threshr_extract::baseline::{How, Method, System, SystemInput};
use threshr_html::text;

/// A block is kept if its HTML matches a positive expression of the tree and no negative expression.
///
/// The HTML of a block consists of the start tags of up to eight ancestors, with class and id, and its text. The
/// fitness is that of the published quick search: 2 for every kept word of content, -1 for every other kept word.
/// The expressions match tags, class names, words, lengths and punctuation that are frequent in the training pages.
/// Parents are selected by tournaments of size three. Crossover exchanges subtrees. Mutation adds, drops, replaces,
/// negates or concatenates leaves. The fittest trees survive unchanged. Population sizes and rates are not
/// published.
pub(crate) static SYSTEM: System = System {
    name: "wcc-genetic",
    summary: "positive and negative regular expressions over the HTML of a block, found by a genetic algorithm",
    source: "Hofmann and Weerkamp, CleanEval 2007, Web corpus cleaning using content and structure (genetic algorithms)",
    options: &[
        SystemOption::new("population", "100", "number of trees, 2 to 10000"),
        SystemOption::new("generations", "150", "number of generations, 0 to 100000"),
        SystemOption::new("elite", "5", "number of the fittest trees that survive unchanged"),
        SystemOption::new("crossover", "0.8", "share of new trees with two parents"),
        SystemOption::new("mutation", "0.4", "share of new trees with a mutation"),
        SystemOption::new("max_leaves", "24", "maximum number of expressions of a tree, 1 to 200"),
        SystemOption::new("max_length", "120", "maximum length of an expression in bytes"),
        SystemOption::new(
            "max_blocks",
            "20000",
            "maximum number of blocks for the fitness, at least 1; pages are sampled up to it",
        ),
    ],
    ..System::new(How::Fitted { train, load, untrained: None })
};

/// The options.
#[derive(Debug, Clone, Deserialize)]
struct Settings {
    population: usize,
    generations: usize,
    elite: usize,
    crossover: f64,
    mutation: f64,
    max_leaves: usize,
    max_length: usize,
    max_blocks: usize,
}

impl Settings {
    fn read(settings: &Value) -> Result<Self> {
        let read: Self = option::read(settings)?;
        let check = |name: &str, value, range| range::check(&format!("wcc-genetic.{name}"), value, range);
        check("population", read.population as f64, 2.0..=1e4)?;
        check("generations", read.generations as f64, 0.0..=1e5)?;
        check("crossover", read.crossover, 0.0..=1.0)?;
        check("mutation", read.mutation, 0.0..=1.0)?;
        check("max_leaves", read.max_leaves as f64, 1.0..=200.0)?;
        check("max_blocks", read.max_blocks as f64, 1.0..=1e9)?;
        check("max_length", read.max_length as f64, 1.0..=1e4)?;
        Ok(read)
    }
}

/// A leaf of the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Leaf {
    /// Whether the expression is positive.
    keep: bool,
    pattern: String,
}

/// The trained data.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    leaves: Vec<Leaf>,
    /// Fitness of the tree on the sampled blocks, and the maximum possible fitness.
    fitness: [i64; 2],
}

fn train(pages: &[SystemInput<'_>], settings: &Value, seed: u64) -> Result<Value> {
    let settings = Settings::read(settings)?;
    let mut order: Vec<&SystemInput<'_>> = pages.iter().collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let mut examples = Examples::default();
    for page in order {
        let Some(gold) = page.gold else { continue };
        let room = settings.max_blocks.saturating_sub(examples.html.len());
        if gold.labels.len() > room && !examples.html.is_empty() {
            continue;
        }
        for (index, &content) in gold.labels.iter().enumerate().take(room) {
            let num_words = text::words(page.blocks.text(index)).count() as i64;
            examples.html.push(genes::html_of(page, index));
            examples.gain.push(if content { 2 * num_words } else { -num_words });
        }
    }
    let best: i64 = examples.gain.iter().filter(|&&gain| gain > 0).sum();
    if best == 0 {
        return Err(Error::data("no block of the training pages is content")
            .expected("blocks of both classes; check that the gold text belongs to these pages"));
    }
    let pool = genes::pool(&examples.html);
    let (leaves, fitness) = Search::new(&examples, pool, &settings, seed).run();
    fitted::write(SYSTEM.name, &Data { leaves, fitness: [fitness, best] })
}

fn load(_: &Value, data: &Value) -> Result<Box<dyn Method>> {
    let Data { leaves, fitness } = fitted::read(SYSTEM.name, data)?;
    let set = |keep: bool| {
        let of_kind: Vec<String> =
            leaves.iter().filter(|l| l.keep == keep).map(|l| l.pattern.clone()).collect();
        patterns::set("leaves", &of_kind).map_err(|e| {
            Error::model("a regular expression of the system `wcc-genetic` is invalid").because(e)
        })
    };
    Ok(Box::new(WccGenetic { positive: set(true)?, negative: set(false)?, fitness }))
}

#[derive(Debug)]
struct WccGenetic {
    positive: RegexSet,
    negative: RegexSet,
    fitness: [i64; 2],
}

impl Method for WccGenetic {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let keep = |index: usize| {
            let html = genes::html_of(page, index);
            self.positive.is_match(&html) && !self.negative.is_match(&html)
        };
        (0..page.blocks.len()).map(keep).collect()
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let [found, best] = self.fitness;
        let leaves = |name, set: &RegexSet| -> Vec<_> {
            set.patterns().iter().map(|pattern| (name, pattern.clone())).collect()
        };
        let mut facts = vec![("fitness", format!("{found} of {best}"))];
        facts.extend(leaves("positive", &self.positive));
        facts.extend(leaves("negative", &self.negative));
        facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use threshr_extract::baseline::{SystemChoice, SystemGold};
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn what_is_learned_keeps_blocks() {
        let html = "<ul class=menu><li>Home<li>News</ul><div class=story><p>A long text of many words.</div>";
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let labels = [false, false, true];
        let gold = SystemGold { labels: &labels, classes: &[], text: "" };
        let input = SystemInput::new(&doc, &blocks);
        let choice = SystemChoice::parse("wcc-genetic", &crate::systems()).expect("it exists");
        let data = choice.train(&[SystemInput { gold: Some(gold), ..input }], 3).expect("trained");
        // six words of content, 2 for each
        assert_eq!(data["fitness"], json!([12, 12]));
        assert_eq!(choice.load(&data).expect("loaded").keep(&input), labels);
    }

    #[test]
    fn damaged_expressions_are_errors() {
        for pattern in ["(", "(?:a{1000}){1000}"] {
            let data = json!({"leaves": [{"keep": true, "pattern": pattern}], "fitness": [1, 1]});
            let error = load(&Value::Null, &data).expect_err(pattern).to_string();
            assert!(error.contains("wcc-genetic"), "{error}");
        }
    }
}
