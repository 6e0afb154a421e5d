//! Recipes: TOML files with all settings of a training run.
//!
//! ```
//! use threshr_extract::Recipe;
//!
//! let recipe = Recipe::from_toml("[decision]\nrule = \"nested-f1\"\nfilter = \"repeats\"")?;
//! assert_eq!(recipe.parts()?.filter.name(), "repeats:6");
//! assert_eq!(Recipe::from_toml(&recipe.to_toml())?, recipe);
//! # Ok::<(), threshr_core::Error>(())
//! ```

mod parts;

pub use parts::Parts;

use crate::decision;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use threshr_core::policy::{Policy, PolicyChoice};
use threshr_html::blocks;

/// All settings of a training run. The same recipe, pages and seed give the same model file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// How pages are parsed.
    pub page: PageRecipe,
    /// How a page is split into blocks.
    pub block: BlockRecipe,
    /// The feature columns of the model.
    pub features: FeatureRecipe,
    /// How blocks are labelled as content.
    pub labels: LabelRecipe,
    /// The weights of blocks.
    pub weights: WeightRecipe,
    /// The content policies of the training sets.
    #[serde(skip_serializing_if = "is_default")]
    pub policy: PolicyRecipe,
    /// Augmentation of the training pages.
    #[serde(skip_serializing_if = "is_default")]
    pub augmentation: AugmentationRecipe,
    /// The classifier with its settings.
    pub classifier: ClassifierRecipe,
    /// How scores become labels.
    pub decision: DecisionRecipe,
    /// Models of page type and quality.
    #[serde(skip_serializing_if = "is_default")]
    #[serde(rename = "page_level")]
    pub type_and_quality: TypeAndQualityRecipe,
    /// Random seed.
    pub seed: u64,
}

/// How pages are parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PageRecipe {
    /// Whether blocks contain text that is hidden by `hidden` or an inline style.
    pub keep_hidden: bool,
    /// Whether text that is hidden until a script runs is left out, even if it is nearly all text of the
    /// page.
    pub strict_visibility: bool,
}

/// How a page is split into blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BlockRecipe {
    /// Name of the segmentation.
    pub segmentation: String,
}

/// The feature columns of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureRecipe {
    /// Feature-set expression, such as `all,-group`. It selects families and columns.
    pub set: String,
    /// The features of the blocks at these distances before and after are added.
    pub neighbours: Vec<u32>,
}

/// How blocks are labelled as content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelRecipe {
    /// Minimum share of content tokens in a content block, `0.0..=1.0`.
    pub threshold: f32,
    /// Minimum share of the gold text that the blocks of a page must contain. Other pages are excluded from training.
    pub min_aligned: f32,
    /// Whether boilerplate blocks with the same text as a content block are excluded from training. Annotators
    /// keep one copy of repeated text, and their choice is arbitrary.
    pub mask_repeats: bool,
    /// Model whose scores are learned in addition to the gold: a model file, or the name of a shipped model. On
    /// pages without gold, only its scores are learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub teacher: Option<String>,
    /// Weight of the teacher's scores on pages with gold, `0.0..=1.0`. The gold has the remaining weight.
    #[serde(skip_serializing_if = "is_default_teacher_weight")]
    pub teacher_weight: f32,
}

/// Weights of training blocks. The weight of a block is the product of the three weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WeightRecipe {
    /// Weights of pages.
    pub page: PageWeight,
    /// Weights of the two classes.
    pub class: ClassWeight,
    /// Weights of blocks by their length.
    pub block: BlockWeight,
}

/// Weights of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageWeight {
    /// All pages have the same weight, divided among their blocks.
    Equal,
    /// All blocks have the same weight. Long pages weigh more.
    Blocks,
}

/// Weights of the two classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeight {
    /// No class weights.
    None,
    /// Content and boilerplate have the same total weight.
    Balanced,
}

/// Weights of blocks by their length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockWeight {
    /// All blocks have the same weight.
    Equal,
    /// log2(2 + words).
    Log,
    /// sqrt(1 + words).
    Sqrt,
}

/// Content policies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyRecipe {
    /// The policy of predictions, and of sets that have no policy.
    pub default: PolicyChoice,
    /// Whether some training pages get a policy that differs from that of their set, so that the model learns
    /// the effect of overrides. The variation inverts headline, byline or captions. On pages without posts,
    /// items or fragments, it includes these properties.
    pub vary: bool,
    /// The policies of training sets, by set name.
    pub sets: BTreeMap<String, Policy>,
}

impl PolicyRecipe {
    /// Returns the policy of a set: the policy in the recipe, or else the declared policy, or else the
    /// default.
    pub fn of_set(&self, name: &str, declared: Option<Policy>) -> PolicyChoice {
        self.sets.get(name).copied().or(declared).map_or(self.default, PolicyChoice::Always)
    }
}

/// Augmentation of the training pages. Shares are `0.0..=1.0`. A share of 0 is not written to files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AugmentationRecipe {
    /// Share of the training pages that are used without attributes, including link targets. The model then
    /// depends less on attributes, which are missing in some pages and data sets.
    pub without_attributes: f32,
    /// Share of the training pages with a second example: the page with comments inserted after the content.
    /// Excluded are pages of types whose content may itself be comments or a list, such as forums, pages of more
    /// than 300 blocks, and pages with a geometry file.
    #[serde(skip_serializing_if = "is_default")]
    pub insert_comments: f32,
    /// Like `insert_comments`, but with a list of other stories before or after the content. A page may get
    /// both.
    #[serde(skip_serializing_if = "is_default")]
    pub insert_stories: f32,
    /// Exclusive upper bound on the number of stories in an inserted list, `5..=1000`. The lower bound is 3.
    /// Long lists simulate pages that show a front page next to an article.
    #[serde(skip_serializing_if = "is_default_max_stories")]
    pub max_stories: u32,
}

/// Default of `max_stories`.
const MAX_STORIES: u32 = 25;

impl Default for AugmentationRecipe {
    fn default() -> Self {
        Self { without_attributes: 0.0, insert_comments: 0.0, insert_stories: 0.0, max_stories: MAX_STORIES }
    }
}

fn is_default_max_stories(max_stories: &u32) -> bool {
    *max_stories == MAX_STORIES
}

/// Default of `teacher_weight`.
const TEACHER_WEIGHT: f32 = 0.5;

fn is_default_teacher_weight(weight: &f32) -> bool {
    *weight == TEACHER_WEIGHT
}

/// Whether a value is the default. Default values are not written to files.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierRecipe {
    /// The name of the classifier.
    pub name: String,
    /// The settings. Missing settings have default values.
    pub params: Value,
}

/// How scores become labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DecisionRecipe {
    /// Number of cross-validation folds, grouped by site. The held-out pages calibrate the scores and tune the
    /// rule.
    pub folds: usize,
    /// The decision rule: `threshold`, `expected-f1` or `nested-f1`.
    #[serde(skip_serializing_if = "is_default_rule")]
    pub rule: String,
    /// The parameter of the rule; for `threshold`, the minimum score. If `None`, it is tuned for the best mean
    /// token F1 of held-out pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// The filter that runs after the rule: `none`, `tree`, `tree:DEPTH` and so on.
    pub filter: String,
}

/// Which models of pages are trained in addition to the block model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct TypeAndQualityRecipe {
    /// Whether the page type is learned, from sets that declare it.
    pub types: bool,
    /// Whether the quality of extracted text is learned.
    pub quality: bool,
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
        Self {
            threshold: 0.5,
            min_aligned: 0.3,
            mask_repeats: false,
            teacher: None,
            teacher_weight: TEACHER_WEIGHT,
        }
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

/// Whether a rule is the default. The default rule is not written to files.
fn is_default_rule(name: &String) -> bool {
    name == decision::REGISTRY[0].name
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_features::Families;

    #[test]
    fn keys_that_no_version_reads_are_errors_that_name_them() {
        for (table, key, value) in [
            ("page", "weigh_hidden", "true"),
            ("policy.declared", "declared", ""),
            ("augmentation", "cut_content", "0.1"),
            ("augmentation", "replace_content", "0.3"),
            ("decision.held_out", "held_out", "name='tree'"),
        ] {
            let line = if value.contains('=') || value.is_empty() {
                value.to_owned()
            } else {
                format!("{key}={value}")
            };
            let error = Recipe::from_toml(&format!("[{table}]\n{line}")).expect_err(key);
            assert!(error.to_string().contains(&format!("`{key}`")), "{error}");
        }
        let error = Recipe::from_toml("[features]\nset='all,-hidden'")
            .and_then(|r| r.feature_set(&Families::default()))
            .expect_err("a set");
        assert!(error.to_string().contains("hidden"), "{error}");
    }

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
        let e = Recipe::from_toml("[[classifier.params.members]]\na = [1, nan]").expect_err("no number");
        assert!(e.to_string().contains("classifier.params.members[0].a[1] is not"), "{e}");
        for bad in [
            "[labels]\nthreshold=2",
            "[labels]\nteacher_weight=-0.1",
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
