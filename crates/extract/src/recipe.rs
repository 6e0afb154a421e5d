//! All settings of a training run, read from and written as TOML.

use crate::decision;
use crate::filters::FilterChoice;
use crate::model::SetInfo;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use threshr_core::policy::{Policy, PolicyChoice};
use threshr_core::{Error, Result};
use threshr_features::FeatureSet;
use threshr_html::blocks::{self, Segmentation};
use threshr_html::{Annotation, ParseOptions, Visibility};

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
    /// Which training pages give further examples.
    #[serde(skip_serializing_if = "AugmentationRecipe::is_default")]
    pub augmentation: AugmentationRecipe,
    /// Which algorithm, with which settings.
    pub classifier: ClassifierRecipe,
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
    pub min_aligned: f32,
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
    /// Whether some training pages are learned from under another policy than their set's, so that the model learns what
    /// each switch does: with headline, byline or captions switched, or with posts, items and fragments counted on pages
    /// that have none.
    pub vary: bool,
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
    pub fn declare(&mut self, sets: &[SetInfo]) {
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

/// Which training pages give further examples. Shares are `0.0..=1.0`; a share of 0 is not written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AugmentationRecipe {
    /// Share of the training pages that are learned from without attributes, links' addresses among them. The model then
    /// does not rest on names that some pages, and data sets that store nodes alone, lack.
    pub without_attributes: f32,
    /// Share of the training pages with a second example: the page with readers' comments inserted after the content.
    /// Pages of types without comments, such as forums, pages of more than 300 blocks and pages with a geometry file get
    /// none.
    #[serde(skip_serializing_if = "is_zero")]
    pub insert_comments: f32,
    /// The same with a list of other stories before or after the content. A page may get both.
    #[serde(skip_serializing_if = "is_zero")]
    pub insert_stories: f32,
    /// An inserted list has 3 stories or more and fewer than this, `5..=1000`. Long lists stand for pages that show a front
    /// page beside an article.
    #[serde(skip_serializing_if = "is_default_max_stories")]
    pub max_stories: u32,
    /// Share of the training pages of articles, and of sets without page types, with a second example: the page with the
    /// entries of a listing, the posts of a thread or the parts of a landing page in place of its content, all of them
    /// content. Such an example gets neither comments nor stories. Where nothing can be put in place (fewer than eight
    /// sentences, an element shared with other text), the page may get these as other pages do.
    #[serde(skip_serializing_if = "is_zero")]
    pub replace_content: f32,
}

/// Bound on the stories of a list where a recipe says nothing.
const MAX_STORIES: u32 = 25;

impl Default for AugmentationRecipe {
    fn default() -> Self {
        Self {
            without_attributes: 0.0,
            insert_comments: 0.0,
            insert_stories: 0.0,
            max_stories: MAX_STORIES,
            replace_content: 0.0,
        }
    }
}

fn is_default_max_stories(max_stories: &u32) -> bool {
    *max_stories == MAX_STORIES
}

fn is_zero(share: &f32) -> bool {
    *share == 0.0
}

impl AugmentationRecipe {
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
        Self { segmentation: blocks::REGISTRY[0].name.into() }
    }
}
impl Default for FeatureRecipe {
    fn default() -> Self {
        Self { set: "all".into(), neighbours: vec![1, 2] }
    }
}
impl Default for LabelRecipe {
    fn default() -> Self {
        Self { threshold: 0.5, min_aligned: 0.3, mask_repeats: false }
    }
}
impl Default for WeightRecipe {
    fn default() -> Self {
        Self { page: PageWeight::Equal, class: ClassWeight::None, block: BlockWeight::Log }
    }
}
impl Default for ClassifierRecipe {
    fn default() -> Self {
        Self { name: "tree".into(), params: Value::Object(serde_json::Map::new()) }
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

/// What a recipe's names stand for.
#[derive(Debug, Clone)]
pub struct Parts {
    /// How blocks are cut.
    pub segmentation: &'static Segmentation,
    /// The columns.
    pub features: FeatureSet,
    /// The decision rule.
    pub rule: &'static decision::Rule,
    /// What runs after it.
    pub filter: FilterChoice,
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
        ParseOptions { charset, annotation, strict_visibility: self.page.strict_visibility }
    }

    /// The columns that the recipe's expression stands for in this version.
    ///
    /// # Errors
    /// Where the expression cannot be read.
    pub fn feature_set(&self) -> Result<FeatureSet> {
        FeatureSet::parse(&self.features.set, &self.features.neighbours)
    }

    /// Looks up every name but that of the classifier, and checks every number.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn parts(&self) -> Result<Parts> {
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
        share(self.labels.min_aligned, "labels.min_aligned")?;
        let augmentation = &self.augmentation;
        share(augmentation.without_attributes, "augmentation.without_attributes")?;
        share(augmentation.insert_comments, "augmentation.insert_comments")?;
        share(augmentation.insert_stories, "augmentation.insert_stories")?;
        share(augmentation.replace_content, "augmentation.replace_content")?;
        if !(5..=1000).contains(&augmentation.max_stories) {
            return Err(Error::recipe(format!("`augmentation.max_stories` is {}", augmentation.max_stories))
                .expected("a number from 5 to 1000"));
        }
        share(self.decision.threshold.unwrap_or(0.5), "decision.threshold")?;
        if !(2..=100).contains(&self.decision.folds) {
            return Err(
                Error::recipe(format!("`decision.folds` is {}", self.decision.folds)).expected("2 to 100")
            );
        }
        Ok(Parts {
            segmentation: blocks::by_name(&self.block.segmentation)?,
            features: self.feature_set()?,
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
            "[decision]\nfilter='tree:9'",
            "[decision]\nrule='x'",
            "[block]\nsegmentation='x'",
            "[augmentation]\nmax_stories=4",
            "[augmentation]\nmax_stories=1001",
        ] {
            assert!(Recipe::from_toml(bad).expect("TOML").parts().is_err(), "{bad}");
        }
        let written = |toml: &str| Recipe::from_toml(toml).expect("TOML").to_toml();
        assert!(!written("[augmentation]\ninsert_stories=0.5\nmax_stories=25").contains("max_stories"));
        assert!(written("[augmentation]\nmax_stories=100").contains("max_stories = 100"));
    }
}
