//! Recipes: all settings of a training run, as TOML.
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
    /// How pages are read.
    pub page: PageRecipe,
    /// How blocks are cut.
    pub block: BlockRecipe,
    /// Which feature columns the model has.
    pub features: FeatureRecipe,
    /// Which blocks are content.
    pub labels: LabelRecipe,
    /// The weights of blocks.
    pub weights: WeightRecipe,
    /// The content policies of the training sets.
    #[serde(skip_serializing_if = "PolicyRecipe::is_default")]
    pub policy: PolicyRecipe,
    /// Augmentation of the training pages.
    #[serde(skip_serializing_if = "AugmentationRecipe::is_default")]
    pub augmentation: AugmentationRecipe,
    /// The classifier with its settings.
    pub classifier: ClassifierRecipe,
    /// How scores become labels.
    pub decision: DecisionRecipe,
    /// What is learned of pages as a whole.
    #[serde(skip_serializing_if = "PageLevelRecipe::is_default")]
    pub page_level: PageLevelRecipe,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// How pages are read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PageRecipe {
    /// Whether blocks contain text that is hidden by `hidden` or an inline style.
    pub keep_hidden: bool,
    /// Whether text that a page hides until a script runs stays hidden, even if this is nearly all text.
    pub strict_visibility: bool,
}

/// How blocks are cut.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BlockRecipe {
    /// Name of the segmentation.
    pub segmentation: String,
}

/// Which feature columns the model has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FeatureRecipe {
    /// Feature-set expression.
    pub set: String,
    /// Distances of the neighbours whose columns are added.
    pub neighbours: Vec<u32>,
}

/// Which blocks are content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LabelRecipe {
    /// Minimum share of content tokens of a content block, `0.0..=1.0`.
    pub threshold: f32,
    /// Minimum share of the gold that must be found in the blocks of a page. Other pages are not used for
    /// training.
    pub min_aligned: f32,
    /// Whether boilerplate blocks with the text of a content block are left out of training. Annotators keep
    /// one copy of repeated text, and which one is arbitrary.
    pub mask_repeats: bool,
}

/// The weight of a block is the product of the three weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WeightRecipe {
    /// The weight of pages.
    pub page: PageWeight,
    /// The weight of the two classes.
    pub class: ClassWeight,
    /// The weight of a block by its length.
    pub block: BlockWeight,
}

/// Weight of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageWeight {
    /// All pages have the same weight, divided among their blocks.
    Equal,
    /// All blocks have the same weight. Long pages weigh more.
    Blocks,
}

/// Weight of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeight {
    /// No class weights.
    None,
    /// Content and boilerplate have the same total weight.
    Balanced,
}

/// Weight of a block by its length.
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
    /// The default, for sets without a policy and for predictions.
    pub default: PolicyChoice,
    /// Whether some training pages get another policy than that of their set, so that the model learns the
    /// effect of overrides: headline, byline or captions are switched, or posts, items and fragments count on
    /// pages without any.
    pub vary: bool,
    /// The policies of training sets, by the name of the set.
    pub sets: BTreeMap<String, Policy>,
}

impl PolicyRecipe {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
    /// The policy of a set: that of the recipe, else the declared one, else the default.
    pub fn of_set(&self, name: &str, declared: Option<Policy>) -> PolicyChoice {
        self.sets.get(name).copied().or(declared).map_or(self.default, PolicyChoice::Always)
    }
}

/// Augmentation of the training pages. Shares are `0.0..=1.0`. A share of 0 is not written to files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AugmentationRecipe {
    /// Share of the training pages that are used without attributes, also without link targets. The model
    /// then depends less on attributes, which some pages and some data sets lack.
    pub without_attributes: f32,
    /// Share of the training pages with a second example: the page with comments inserted after the content.
    /// Pages of types without comments, such as forums, pages of more than 300 blocks and pages with a
    /// geometry file get none.
    #[serde(skip_serializing_if = "is_zero")]
    pub insert_comments: f32,
    /// As `insert_comments`, with a list of other stories before or after the content. A page may get both.
    #[serde(skip_serializing_if = "is_zero")]
    pub insert_stories: f32,
    /// An inserted list has at least 3 and fewer than this number of stories, `5..=1000`. Long lists imitate
    /// pages that show a front page beside an article.
    #[serde(skip_serializing_if = "is_default_max_stories")]
    pub max_stories: u32,
    /// Share of the training pages of articles, and of sets without page types, with a second example in
    /// which the content is replaced: by entries of a listing, posts of a thread or parts of a landing page.
    /// All of these are content.
    ///
    /// Such an example gets neither comments nor stories. If the content cannot be replaced (fewer than eight
    /// sentences, an element shared with other text), the page may get these.
    #[serde(skip_serializing_if = "is_zero")]
    pub replace_content: f32,
}

/// Default bound on the stories of an inserted list.
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

/// The classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClassifierRecipe {
    /// Its name.
    pub name: String,
    /// Its settings. Missing settings have their defaults.
    pub params: Value,
}

/// How scores become labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DecisionRecipe {
    /// Number of folds, grouped by site. Their held-out pages calibrate the scores and tune the rule.
    pub folds: usize,
    /// The decision rule: `threshold`, `expected-f1` or `nested-f1`.
    #[serde(skip_serializing_if = "is_default_rule")]
    pub rule: String,
    /// The parameter of the rule; for `threshold`, the minimum score. `None` tunes it for the best mean token
    /// F1 of held-out pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f32>,
    /// The filter after the rule: `none`, `tree`, `tree:DEPTH`, `tree-confident:DEPTH:SHARE` and so on.
    pub filter: String,
}

/// What is learned of pages as a whole, beside the block model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PageLevelRecipe {
    /// Whether the type of pages is learned, from sets that declare it.
    pub types: bool,
    /// Whether the quality of the text of pages is learned.
    pub quality: bool,
}

impl PageLevelRecipe {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
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

/// The default rule is not written to files.
fn is_default_rule(name: &String) -> bool {
    name == decision::REGISTRY[0].name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_no_version_reads_are_errors_that_name_them() {
        for (table, key, value) in [
            ("page", "weigh_hidden", "true"),
            ("policy.declared", "declared", ""),
            ("augmentation", "cut_content", "0.1"),
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
            .and_then(|r| r.feature_set())
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
