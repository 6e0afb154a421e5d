//! All settings of a training run, read from and written as TOML.

use super::SetInfo;
use crate::block::{self, Segmentation};
use crate::classifier;
use crate::decision;
use crate::error::{Error, Result};
use crate::features::FeatureSet;
use crate::filter::FilterChoice;
use crate::page::{Annotation, ParseOptions, Parser, Visibility};
use crate::policy::{Policy, PolicyChoice};
use crate::rescore;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// How a model is trained, complete: with the same pages and seed it gives the same bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// How pages are read.
    pub page: PageRecipe,
    /// How blocks are cut.
    pub block: BlockRecipe,
    /// Which columns.
    pub features: FeatureRecipe,
    /// What counts as a content block.
    pub labels: LabelRecipe,
    /// How much each block counts.
    pub weights: WeightRecipe,
    /// What is to count as content, set by set.
    #[serde(skip_serializing_if = "PolicyRecipe::is_default")]
    pub policy: PolicyRecipe,
    /// Which training pages are learned from in another form.
    #[serde(skip_serializing_if = "VariantRecipe::is_default")]
    pub variants: VariantRecipe,
    /// Which algorithm, with which settings.
    pub classifier: ClassifierRecipe,
    /// Which algorithm scores the blocks again, with the first pass's scores of neighbours, groups and page beside
    /// the features; left out: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rescore: Option<ClassifierRecipe>,
    /// How scores become labels.
    pub decision: DecisionRecipe,
    /// Seed of everything random.
    pub seed: u64,
}

/// How pages are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PageRecipe {
    /// Whether text hidden by `hidden` or an inline style is kept.
    pub keep_hidden: bool,
    /// Whether such text is cut into blocks too, for the model to tell which of it is content: closed panels and tabs that are
    /// not open, and closed dialogs. Dialogs for consent are left out all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weigh_hidden: bool,
    /// Whether a page that hides nearly all its text until a script runs is read as hidden.
    pub strict_visibility: bool,
    /// Which parser builds the tree: `fast`, `conforming` or `html5ever`.
    #[serde(skip_serializing_if = "Parser::is_default")]
    pub parser: Parser,
}

/// How blocks are cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BlockRecipe {
    /// Name of the segmentation.
    pub segmentation: String,
}

/// Which columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureRecipe {
    /// Feature-set expression.
    pub set: String,
    /// Distances at which neighbours' columns are added.
    pub neighbours: Vec<u32>,
}

/// What counts as a content block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelRecipe {
    /// Share of a block's tokens that must be content, `0.0..=1.0`.
    pub threshold: f32,
    /// Share of a page's gold that must be found in its blocks; pages below are not trained on.
    pub least_aligned: f32,
    /// Whether a block that is not in the gold, but has the text of one that is, is left out of training: annotators
    /// keep one copy of what a page says twice, and which one is chance.
    pub mask_repeats: bool,
}

/// How much each block counts: the product of the three.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WeightRecipe {
    /// Whether every page counts once, or every block.
    pub page: PageWeight,
    /// Whether both classes count the same.
    pub class: ClassWeight,
    /// Whether longer blocks count more.
    pub block: BlockWeight,
}

/// Weight of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageWeight {
    /// Every page has the same weight, shared by its blocks.
    Equal,
    /// Every block has the same weight, so that long pages count more.
    Blocks,
}

/// Weight of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeight {
    /// As the blocks are.
    None,
    /// Content and boilerplate have the same total weight.
    Balanced,
}

/// Weight of a block by its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockWeight {
    /// All the same.
    Equal,
    /// log2(2 + words).
    Log,
    /// sqrt(1 + words).
    Sqrt,
    /// 1 + words: what a block counts in token F1.
    Words,
}

/// What is to count as content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyRecipe {
    /// For pages that nothing is said of, and at prediction.
    pub default: PolicyChoice,
    /// Whether headline, author and date, and captions, and posts, items and fragments where a page has none, are switched on some
    /// training pages against their set's policy, so that the model learns what each switch does.
    pub switch: bool,
    /// By the name of the training set: how its annotators decided.
    pub sets: BTreeMap<String, Policy>,
    /// Written by training: what sets declared themselves (`policy.toml`) that `sets` says nothing of. Nothing reads it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub declared: BTreeMap<String, Policy>,
}

impl PolicyRecipe {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
    /// Writes down what sets declare, so that a model's recipe tells how it was trained.
    pub(super) fn declare(&mut self, sets: &[SetInfo]) {
        self.declared.clear();
        for (i, set) in sets.iter().enumerate().filter(|(_, set)| !self.sets.contains_key(&set.name)) {
            let Some(policy) = set.policy else { continue };
            let is_twice = sets[..i].iter().any(|other| other.name == set.name);
            let name = if is_twice { format!("{} ({})", set.name, i + 1) } else { set.name.clone() };
            self.declared.insert(name, policy);
        }
    }
    /// The policy of a set: the recipe's, else the one that it declares, else the default.
    pub fn of_set(&self, name: &str, declared: Option<Policy>) -> PolicyChoice {
        self.sets.get(name).copied().or(declared).map_or(self.default, PolicyChoice::Always)
    }
}

/// Which training pages are learned from in another form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VariantRecipe {
    /// Share of the training pages that lose their attributes, links' addresses among them, so that the model does not
    /// rest on what some pages, and data sets that store nodes alone, do not have; `0.0..=1.0`.
    pub bare: f32,
    /// Share of the training pages that are learned from a second time, with readers' comments added after the content: few
    /// annotated pages have some; `0.0..=1.0`. Pages of a type that is no article's, such as forums, and pages of more than
    /// 300 blocks, or with a geometry file, are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub comments: f32,
    /// The same with a list of other stories before or after the content; a page may get both.
    #[serde(skip_serializing_if = "is_zero")]
    pub stories: f32,
    /// Such a list has three stories or more and fewer than this, `5..=1000`; 25 where nothing is said, and not written then, so
    /// that older models have the same recipe. Longer ones are for pages that show a front page beside an article.
    #[serde(skip_serializing_if = "is_usual")]
    pub most_stories: u32,
    /// Share of the training pages of articles, and of sets that name no types, that are learned from a second time with the
    /// entries of a listing, the posts of a thread or the parts of a landing page in place of their content, counted as such: for
    /// sets that have no such pages, or few; `0.0..=1.0`. Such a page has neither comments nor stories beside it. Where nothing can be
    /// put in place of its content (fewer than eight sentences, an element shared with something else), it may get these as other pages
    /// do; and nothing where it has more than 300 blocks or a geometry file.
    #[serde(skip_serializing_if = "is_zero")]
    pub substitutes: f32,
}

/// What the stories of a list stay below where a recipe says nothing.
const MOST_STORIES: u32 = 25;

impl Default for VariantRecipe {
    fn default() -> Self {
        Self { bare: 0.0, comments: 0.0, stories: 0.0, most_stories: MOST_STORIES, substitutes: 0.0 }
    }
}

fn is_usual(most_stories: &u32) -> bool {
    *most_stories == MOST_STORIES
}

/// Whether a share is 0; it is not written then, so that older models have the same recipe.
fn is_zero(share: &f32) -> bool {
    *share == 0.0
}

impl VariantRecipe {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which algorithm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierRecipe {
    /// Its name in the registry.
    pub name: String,
    /// Its settings; what is left out has its default.
    pub params: Value,
}

/// How scores become labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DecisionRecipe {
    /// Folds, grouped by site, whose held-out pages calibrate the scores and teach the rule its number.
    pub folds: usize,
    /// How a page's least score of a kept block is found: `threshold`, `expected-f1` or `nested-f1`.
    #[serde(skip_serializing_if = "is_default_rule")]
    pub rule: String,
    /// The rule's number, for `threshold` the least score itself; left out: what gives the held-out pages the best mean
    /// token F1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// Filter after the rule: `none`, `tree`, `tree:DEPTH`, `tree-confident:DEPTH:SHARE` and so on.
    pub filter: String,
}

impl Default for BlockRecipe {
    fn default() -> Self {
        Self { segmentation: block::REGISTRY[0].name.into() }
    }
}
impl Default for FeatureRecipe {
    fn default() -> Self {
        Self { set: "all".into(), neighbours: vec![1, 2] }
    }
}
impl Default for LabelRecipe {
    fn default() -> Self {
        Self { threshold: 0.5, least_aligned: 0.3, mask_repeats: false }
    }
}
impl Default for WeightRecipe {
    fn default() -> Self {
        Self { page: PageWeight::Equal, class: ClassWeight::None, block: BlockWeight::Log }
    }
}
impl Default for ClassifierRecipe {
    fn default() -> Self {
        Self { name: classifier::REGISTRY[0].name.into(), params: Value::Object(serde_json::Map::new()) }
    }
}
impl Default for DecisionRecipe {
    fn default() -> Self {
        Self { folds: 3, rule: decision::REGISTRY[0].name.into(), threshold: None, filter: "none".into() }
    }
}

/// The default is not written: files of before there were rules stay as they are.
fn is_default_rule(name: &String) -> bool {
    name == decision::REGISTRY[0].name
}

/// A recipe's names looked up.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub segmentation: &'static Segmentation,
    pub features: FeatureSet,
    pub classifier: &'static classifier::Classifier,
    pub rescore: Option<&'static classifier::Classifier>,
    pub rule: &'static decision::Rule,
    pub filter: FilterChoice,
}

impl Parts {
    /// Columns that the second pass has beside those of the first.
    pub fn score_columns(&self) -> &'static [&'static str] {
        if self.rescore.is_some() { rescore::COLUMNS } else { &[] }
    }
}

impl Recipe {
    /// Reads TOML.
    ///
    /// # Errors
    /// With the line of what cannot be read.
    pub fn from_toml(text: &str) -> Result<Self> {
        toml::from_str(text).map_err(|e| {
            let line = e.span().map(|s| 1 + text[..s.start.min(text.len())].matches('\n').count() as u64);
            let error = Error::recipe(format!("the recipe cannot be read: {}", e.message()));
            line.map_or_else(|| Error::recipe(e.message()), |l| error.at_line(l))
        })
    }

    /// Writes TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|e| format!("# this recipe cannot be written as TOML: {e}\n"))
    }

    /// What is shown of a page.
    pub fn visibility(&self) -> Visibility {
        match self.page {
            PageRecipe { keep_hidden: true, .. } => Visibility::WithHidden,
            PageRecipe { weigh_hidden: true, .. } => Visibility::Weighed,
            _ => Visibility::Visible,
        }
    }

    /// How the recipe's pages are parsed.
    pub fn parse_options(&self, charset: Option<String>, annotation: Option<Annotation>) -> ParseOptions {
        let PageRecipe { strict_visibility, parser, .. } = self.page;
        ParseOptions { charset, annotation, strict_visibility, parser }
    }

    /// The columns that the recipe's expression stands for in this version.
    ///
    /// # Errors
    /// Where the expression cannot be read.
    pub fn feature_set(&self) -> Result<FeatureSet> {
        FeatureSet::parse(&self.features.set, &self.features.neighbours)
    }

    /// Looks every name up and checks every number.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub(crate) fn parts(&self) -> Result<Parts> {
        let share = |value: f32, name: &str| match value {
            v if (0.0..=1.0).contains(&v) => Ok(()),
            v => Err(Error::recipe(format!("`{name}` is {v}")).expected("a number from 0 to 1")),
        };
        if self.page.keep_hidden && self.page.weigh_hidden {
            return Err(
                Error::recipe("`page` says both keep_hidden and weigh_hidden").expected("one of them")
            );
        }
        share(self.labels.threshold, "labels.threshold")?;
        share(self.labels.least_aligned, "labels.least_aligned")?;
        share(self.variants.bare, "variants.bare")?;
        share(self.variants.comments, "variants.comments")?;
        share(self.variants.stories, "variants.stories")?;
        share(self.variants.substitutes, "variants.substitutes")?;
        if !(5..=1000).contains(&self.variants.most_stories) {
            let most = self.variants.most_stories;
            return Err(Error::recipe(format!("`variants.most_stories` is {most}"))
                .expected("a number from 5 to 1000"));
        }
        share(self.decision.threshold.unwrap_or(0.5), "decision.threshold")?;
        if !(2..=100).contains(&self.decision.folds) {
            return Err(
                Error::recipe(format!("`decision.folds` is {}", self.decision.folds)).expected("2 to 100")
            );
        }
        Ok(Parts {
            segmentation: block::by_name(&self.block.segmentation)?,
            features: self.feature_set()?,
            classifier: classifier::by_name(&self.classifier.name)?,
            rescore: self.rescore.as_ref().map(|c| classifier::by_name(&c.name)).transpose()?,
            rule: decision::by_name(&self.decision.rule)?,
            filter: FilterChoice::parse(&self.decision.filter)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_round_trip_and_errors() {
        let mut recipe = Recipe::default();
        recipe.classifier.params = serde_json::json!({"max_depth": 7});
        recipe.decision.threshold = Some(0.25);
        recipe.decision.rule = "expected-f1".into();
        assert_eq!(Recipe::from_toml(&recipe.to_toml()).expect("read"), recipe);
        assert_eq!(Recipe::from_toml("").expect("read"), Recipe::default());
        let e = Recipe::from_toml("seed = 1\n[features]\nsets = 'all'\n").expect_err("unknown").to_string();
        assert!(e.contains("line 3") && e.contains("sets"), "{e}");
        for bad in [
            "[labels]\nthreshold=2",
            "[page]\nkeep_hidden=true\nweigh_hidden=true",
            "[classifier]\nname='x'",
            "[decision]\nfilter='tree:9'",
            "[decision]\nrule='x'",
            "[block]\nsegmentation='x'",
            "[variants]\nmost_stories=4",
            "[variants]\nmost_stories=1001",
        ] {
            assert!(Recipe::from_toml(bad).expect("TOML").parts().is_err(), "{bad}");
        }
        // what is usual is not written: models of before keep their bytes
        let written = |toml: &str| Recipe::from_toml(toml).expect("TOML").to_toml();
        assert!(!written("[variants]\nstories=0.5\nmost_stories=25").contains("most_stories"));
        assert!(written("[variants]\nmost_stories=100").contains("most_stories = 100"));
    }
}
