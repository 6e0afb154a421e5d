//! Adds a feature family, a classifier and a system to those of threshr, trains a model and the system on annotated pages,
//! and compares both.
//!
//! `cargo run --manifest-path examples/own-parts/Cargo.toml -- datasets/sample`

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threshr::training::own::{
    ArrayView2, Budget, Classifier, Classifiers, Column, Family, FittedClassifier, Grid, How, Method, ModelKind,
    PageContext, Settings, Stored, System, SystemInput, TrainingSet,
};
use threshr::training::{PageScore, Recipe, Registries};
use threshr::training::{cross_validate, evaluate_system, open, save, save_system, train, train_system};
use threshr::{Error, Extractor, Result, registries};

/// Question marks.
struct Questions;

impl Family for Questions {
    fn name(&self) -> &'static str {
        "questions"
    }
    fn summary(&self) -> &'static str {
        "question marks of a block"
    }
    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("num_marks", "signs", "question marks in the block", "this program"),
            Column::new("per_word", "ratio", "question marks / words; 0 without words", "this program"),
        ]
    }
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for block in 0..page.len() {
            let num_marks = page.blocks.text(block).matches('?').count() as f32;
            let num_words = page.stats[block].num_words as f32;
            out.set(0, block, num_marks);
            out.set(1, block, if num_words > 0.0 { num_marks / num_words } else { 0.0 });
        }
    }
}

/// The means of the columns over content blocks and over the other blocks, as stored in a model file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Means {
    content: Vec<f32>,
    other: Vec<f32>,
}

/// A block is content if it is nearer to the mean of content.
#[derive(Debug)]
struct NearestMean(Means);

impl Stored for NearestMean {
    type Data = Means;

    // The data come from a model file, which can be truncated or changed.
    fn new(means: Means, num_columns: usize) -> Result<Self> {
        let is_sound = |mean: &[f32]| mean.len() == num_columns && mean.iter().all(|value| value.is_finite());
        if is_sound(&means.content) && is_sound(&means.other) {
            return Ok(NearestMean(means));
        }
        let expected = format!("two lists of {num_columns} finite numbers");
        Err(Error::model("the means in the model file are not valid").expected(expected))
    }
}

impl FittedClassifier for NearestMean {
    fn num_columns(&self) -> usize {
        self.0.content.len()
    }
    fn decide(&self, x: ArrayView2<'_, f32>, out: &mut [f32], budget: &Budget) -> Result<()> {
        let distance = |row: &mut dyn Iterator<Item = &f32>, mean: &[f32]| -> f32 {
            row.zip(mean).map(|(value, mean)| (value - mean).powi(2)).sum()
        };
        for (row, out) in x.rows().into_iter().zip(out) {
            budget.check()?;
            *out = distance(&mut row.iter(), &self.0.other) - distance(&mut row.iter(), &self.0.content);
        }
        Ok(())
    }
    fn to_json(&self) -> Value {
        json!(self.0)
    }
    fn facts(&self) -> Vec<(&'static str, String)> {
        vec![("columns", self.0.content.len().to_string())]
    }
}

static KIND: ModelKind = ModelKind::new::<NearestMean>("nearest-mean");
static NEAREST_MEAN: Classifier = Classifier {
    summary: "the class whose mean is nearer",
    source: "this program",
    limits: "Columns are not scaled.",
    ..Classifier::new::<NoSettings>()
};

/// The settings of the classifier.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoSettings {}

impl Settings for NoSettings {
    const KIND: &'static ModelKind = &KIND;

    fn fit(&self, set: &TrainingSet<'_>, _: u64, _: &Classifiers) -> Result<Box<dyn FittedClassifier>> {
        let mean_of = |class: bool| -> Vec<f32> {
            let (mut sum, mut weight) = (vec![0.0; set.columns.len()], 0.0);
            set.x.for_rows(0..set.x.nrows(), |i, row| {
                if set.y[i] == class {
                    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * set.weight[i]);
                    weight += set.weight[i];
                }
            });
            sum.iter().map(|sum| sum / weight).collect()
        };
        let means = Means { content: mean_of(true), other: mean_of(false) };
        Ok(Box::new(NearestMean::new(means, set.columns.len())?))
    }
}

/// Keeps blocks that have at least this number of words.
#[derive(Debug)]
struct LongBlocks(u64);

impl Method for LongBlocks {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let num_words = |block| page.blocks.text(block).split_whitespace().count() as u64;
        (0..page.blocks.len()).map(|block| num_words(block) >= self.0).collect()
    }
}

/// A system that learns the minimum number of words of a content block. It chooses the number whose labels agree
/// with the gold on the largest number of blocks.
static LONG_BLOCKS: System = System {
    name: "long-blocks",
    summary: "blocks of at least a number of words",
    source: "this program",
    ..System::new(How::Fitted {
        train: |pages, _settings, _seed| {
            let num_right = |least: &u64| -> usize {
                let of_page = |page: &SystemInput<'_>| {
                    let labels = page.gold.map_or(&[][..], |gold| gold.labels);
                    LongBlocks(*least).keep(page).iter().zip(labels).filter(|(kept, label)| kept == label).count()
                };
                pages.iter().map(of_page).sum()
            };
            Ok(json!((1..=40).max_by_key(num_right)))
        },
        load: |_settings, data| match data.as_u64() {
            Some(least) => Ok(Box::new(LongBlocks(least))),
            None => Err(Error::model("the data of the system are not valid").expected("a number of words")),
        },
        untrained: None,
    })
};

fn mean(scores: &[PageScore]) -> f64 {
    scores.iter().map(|page| page.f1).sum::<f64>() / scores.len() as f64
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "datasets/sample".to_owned());
    let sets = [open(folder)?];
    let all = registries();
    let registries = Registries {
        families: all.families.with(&[&Questions])?,
        classifiers: all.classifiers.with(&[&NEAREST_MEAN]),
        systems: all.systems.with(&[&LONG_BLOCKS]),
    };
    let recipe = Recipe::from_toml(
        "features.set = 'density+questions'\nclassifier.name = 'nearest-mean'\ndecision.rule = 'expected-f1'",
    )?;
    println!("nearest-mean: {:.2}", mean(&cross_validate(&sets, &recipe, 3, &registries)?));
    println!("long-blocks: {:.2}", mean(&evaluate_system(&sets, "long-blocks", Some(3), &registries)?));

    // model files, which this program can read
    let (model, system) = (std::env::temp_dir().join("own-model.json"), std::env::temp_dir().join("own-system.json"));
    save(&train(&sets, &recipe, &registries)?, &model)?;
    save_system(&train_system(&sets, "long-blocks", &registries)?, &system)?;
    for file in [model, system] {
        let extractor = Extractor::builder().registries(&registries).model_file(&file)?.build()?;
        let page = "<a href=/>Home</a><h1>Rain</h1><p>Why did it rain all day in the north of the country?";
        println!("{}", extractor.extract(page)?.text());
    }
    Ok(())
}
