//! Options that several subcommands share.

use crate::remark;
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};
use threshr::{default_model, registries, shipped_model, shipped_name, with_shipped_names};
use threshr_core::policy::Policy;
use threshr_core::{Error, Result};
use threshr_extract::Model;
use threshr_extract::baseline::SystemChoice;
use threshr_extract::model::Trained;
use threshr_extract::model::file as model_file;
use threshr_extract::recipe::Recipe;
use threshr_html::Selector;
use threshr_sets::gold::{DataSet, GoldFields, ReadOptions};

/// Options that select the annotated pages.
#[derive(Debug, Args)]
pub(super) struct DataArgs {
    /// Annotated pages: a folder, or a file of records (see --gold-format); repeatable
    #[arg(long, required = true, num_args = 1.., value_name = "SET")]
    pub data: Vec<PathBuf>,
    #[command(flatten)]
    pub gold: GoldArgs,
}

/// Options that control how gold annotations are read.
#[derive(Debug, Clone, Args)]
pub(super) struct GoldArgs {
    /// Format of the annotated pages: {names} [default: detected]. `threshr systems NAME` describes a format
    #[arg(long, value_name = "NAME", help_heading = "Gold")]
    pub gold_format: Option<String>,
    /// HTML comments before and after the content, for --gold-format markers
    #[arg(long, num_args = 2, value_names = ["OPEN", "CLOSE"], help_heading = "Gold")]
    pub markers: Option<Vec<String>>,
    /// CSS selector of the content, for --gold-format selector
    #[arg(long, value_name = "CSS", help_heading = "Gold")]
    pub gold_selector: Option<String>,
    /// Classes that count as content, for --gold-format l3s and krdwrd
    #[arg(long, value_delimiter = ',', value_name = "N,…", help_heading = "Gold")]
    pub gold_classes: Option<Vec<u8>>,
    /// Labels that count as content, for --gold-format label-studio, dragnet and annotations [default: `content`, or the
    /// only label]
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", help_heading = "Gold")]
    pub gold_labels: Option<Vec<String>>,
    /// Field or column of the HTML, in records [default: html]
    #[arg(long, value_name = "NAME", help_heading = "Gold")]
    pub html_field: Option<String>,
    /// Field or column of the gold text, in records [default: text or gold]
    #[arg(long, value_name = "NAME", help_heading = "Gold")]
    pub text_field: Option<String>,
    /// Field or column of the page's id, in records [default: id]
    #[arg(long, value_name = "NAME", help_heading = "Gold")]
    pub id_field: Option<String>,
    /// Field or column of the page's URL, in records [default: url]
    #[arg(long, value_name = "NAME", help_heading = "Gold")]
    pub url_field: Option<String>,
}

impl GoldArgs {
    pub(super) fn options(&self) -> Result<ReadOptions> {
        let markers = match self.markers.as_deref() {
            Some([open, close]) => Some((open.clone(), close.clone())),
            _ => None,
        };
        let format = self.gold_format.clone().or_else(|| {
            let implied = [(markers.is_some(), "markers"), (self.gold_selector.is_some(), "selector")];
            implied.iter().find(|i| i.0).map(|i| i.1.to_owned())
        });
        let selector = self.gold_selector.as_deref().map(Selector::parse).transpose()?;
        let classes = self.gold_classes.clone();
        Ok(ReadOptions {
            format,
            markers,
            selector,
            classes,
            labels: self.gold_labels.clone(),
            fields: GoldFields {
                html: self.html_field.clone(),
                text: self.text_field.clone(),
                id: self.id_field.clone(),
                url: self.url_field.clone(),
            },
        })
    }

    /// Opens data sets, and prints the remarks about their files.
    ///
    /// # Errors
    /// If a set cannot be read or is given twice.
    pub(super) fn open(&self, paths: &[PathBuf]) -> Result<Vec<DataSet>> {
        let options = self.options()?;
        let sets = paths.iter().map(|dir| DataSet::open(dir, &options)).collect::<Result<Vec<_>>>()?;
        let is_twice = |&i: &usize| {
            let same = |a: &DataSet, b: &DataSet| a.path.canonicalize().ok() == b.path.canonicalize().ok();
            sets[..i].iter().any(|other| same(other, &sets[i]))
        };
        sets.iter().for_each(say_remarks);
        match (1..sets.len()).find(is_twice) {
            Some(i) => Err(Error::invalid_option("the data set is given twice").at_path(&sets[i].path)),
            None => Ok(sets),
        }
    }
}

impl DataArgs {
    pub(super) fn open(&self) -> Result<Vec<DataSet>> {
        self.gold.open(&self.data)
    }
}

/// Prints the remarks about the files of a set.
pub(super) fn say_remarks(set: &DataSet) {
    set.remarks.iter().for_each(|text| remark(&format!("{}: {text}", set.name)));
}

/// Parses a number of 1 or more.
pub(super) fn count(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|&number| number > 0).ok_or("expected 1 or more")
}

/// Parses a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f32, &'static str> {
    text.parse().ok().filter(|number| (0.0..=1.0).contains(number)).ok_or("expected a number from 0 to 1")
}

/// Options that control training: a recipe, and options that override it.
#[derive(Debug, Args)]
pub(super) struct RecipeArgs {
    /// Training settings: a TOML file, or a model file whose recipe is used
    #[arg(long, value_name = "FILE", help_heading = "Training")]
    pub recipe: Option<PathBuf>,
    /// Feature set, such as all, victor, all,-group or shallow+density; position@1 adds the values of the
    /// blocks before and after (see `threshr features list`) [default: all]
    #[arg(long, value_name = "SET", help_heading = "Training")]
    pub features: Option<String>,
    /// Also use the features of the blocks at these distances before and after; `none` for no neighbours. `threshr
    /// features list` shows which columns allow this [default: 1,2]
    #[arg(long, value_delimiter = ',', value_name = "N,…", help_heading = "Training")]
    pub neighbours: Option<Vec<String>>,
    /// Classifier: {names} [default: tree]
    #[arg(long, value_name = "NAME", help_heading = "Training")]
    pub classifier: Option<String>,
    /// Setting of the classifier, such as max_depth=12 (`threshr systems` lists them); repeatable
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Training")]
    pub param: Vec<String>,
    /// Policy under which a training set is annotated, such as fundus-tests=article; repeatable
    #[arg(long, value_name = "SET=POLICY", help_heading = "Training")]
    pub set_policy: Vec<String>,
    /// How pages are split into blocks: {names} [default: paragraph]
    #[arg(long, value_name = "NAME", help_heading = "Training")]
    pub segmentation: Option<String>,
    /// Random seed [default: 0]
    #[arg(long, value_name = "N", help_heading = "Training")]
    pub seed: Option<u64>,
}

impl RecipeArgs {
    /// Returns whether any of these options is given.
    pub(super) fn is_given(&self) -> bool {
        self.recipe.is_some()
            || self.features.is_some()
            || self.neighbours.is_some()
            || self.classifier.is_some()
            || !self.param.is_empty()
            || self.segmentation.is_some()
            || !self.set_policy.is_empty()
    }

    pub(super) fn recipe(&self) -> Result<Recipe> {
        let mut recipe = self.recipe.as_deref().map(recipe_of).transpose()?.unwrap_or_default();
        if let Some(set) = &self.features {
            recipe.features.set.clone_from(set);
        }
        if let Some(list) = &self.neighbours {
            recipe.features.neighbours = distances(list)?;
        }
        if let Some(name) = &self.classifier {
            if *name != recipe.classifier.name {
                recipe.classifier.params = Value::Object(serde_json::Map::new());
            }
            recipe.classifier.name.clone_from(name);
        }
        for param in &self.param {
            set_param(&mut recipe.classifier.params, param)?;
        }
        for given in &self.set_policy {
            let wrong =
                || Error::invalid_option(format!("--set-policy {given} has no `=`")).expected("SET=POLICY");
            let (set, policy) = given.split_once('=').ok_or_else(wrong)?;
            recipe.policy.sets.insert(set.to_owned(), Policy::parse(policy)?);
        }
        if let Some(name) = &self.segmentation {
            recipe.block.segmentation.clone_from(name);
        }
        recipe.seed = self.seed.unwrap_or(recipe.seed);
        Ok(recipe)
    }
}

impl RecipeArgs {
    /// Rejects `--set-policy` for a set that is not among `--data`. Recipes may name other sets.
    pub(super) fn check_set_policies(&self, sets: &[DataSet]) -> Result<()> {
        let is_there = |given: &str| sets.iter().any(|s| given.split('=').next() == Some(&s.name));
        let Some(given) = self.set_policy.iter().find(|given| !is_there(given)) else { return Ok(()) };
        let names: Vec<&str> = sets.iter().map(|s| s.name.as_str()).collect();
        Err(Error::invalid_option(format!("--set-policy {given} names a set that is not among --data"))
            .expected(format!("one of {}", names.join(", "))))
    }

    /// Warns about sets without a policy, if a policy is set for another set or in the recipe.
    pub(super) fn warn_of_missing_policies(recipe: &Recipe, sets: &[DataSet]) {
        let has_policy = |s: &&DataSet| s.policy.is_some() || recipe.policy.sets.contains_key(&s.name);
        let (with_policy, without): (Vec<&DataSet>, Vec<&DataSet>) = sets.iter().partition(has_policy);
        let without: Vec<&str> = without.iter().map(|s| s.name.as_str()).collect();
        let is_any_set = !with_policy.is_empty() || !recipe.policy.sets.is_empty();
        if is_any_set && !without.is_empty() {
            let (names, default) = (without.join(", "), recipe.policy.default.name());
            remark(&format!(
                "no policy is set for {names}; `{default}` is used (set it with --set-policy or in the file policy.toml of the set)"
            ));
        }
    }
}

/// Reads a recipe and checks that everything it names exists. Errors contain the path.
pub(super) fn recipe_of(path: &Path) -> Result<Recipe> {
    let recipe = model_file::load_recipe(path, &registries().known())?;
    let check = || {
        recipe.parts()?;
        recipe.feature_set(&registries().families)?;
        registries().classifiers.by_name(&recipe.classifier.name).map(drop)
    };
    check().map_err(|e: Error| e.at_path(path))?;
    Ok(recipe)
}

/// Parses the distances of neighbouring blocks. `none` means no neighbours.
pub(super) fn distances(list: &[String]) -> Result<Vec<u32>> {
    if list.iter().all(|n| n == "none") {
        return Ok(Vec::new());
    }
    let read = |n: &String| {
        n.parse()
            .map_err(|_| Error::invalid_option(format!("invalid distance `{n}`")).expected("1, 2, … or none"))
    };
    list.iter().map(read).collect()
}

fn set_param(params: &mut Value, param: &str) -> Result<()> {
    let (key, text) = param
        .split_once('=')
        .ok_or_else(|| Error::invalid_option(format!("--param {param} has no `=`")).expected("KEY=VALUE"))?;
    // A value that is not valid JSON is read as a string.
    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    if !params.is_object() {
        *params = Value::Object(serde_json::Map::new());
    }
    if let Value::Object(map) = params {
        map.insert(key.trim().to_owned(), value);
    }
    Ok(())
}

/// Options that select published systems.
#[derive(Debug, Clone, Args)]
pub(super) struct SystemArgs {
    /// Published methods (see `threshr systems`); NAME+FILTER adds a filter, such as bte+tree2
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", help_heading = "Systems")]
    pub system: Vec<String>,
    /// Option of a system, such as justext.max_link_density=0.3 (`threshr systems NAME` lists them);
    /// repeatable
    #[arg(long, value_name = "NAME.KEY=VALUE", requires = "system", help_heading = "Systems")]
    pub system_param: Vec<String>,
}

impl SystemArgs {
    pub(super) fn choices(&self) -> Result<Vec<SystemChoice>> {
        SystemChoice::list(&self.system, &self.system_param, &registries().systems)
    }
    /// Returns the selected system, if there is one.
    pub(super) fn choice(&self) -> Result<Option<SystemChoice>> {
        match &self.choices()?[..] {
            [] => Ok(None),
            [one] => Ok(Some(one.clone())),
            _ => Err(Error::invalid_option("--system names several systems").expected("one system")),
        }
    }
}

/// Loads a model or a trained system. If no file `path` exists, `path` may be the name of a shipped model.
pub(super) fn trained(path: &Path) -> Result<Trained> {
    match shipped_name(path) {
        Some(name) => Ok(Trained::Model(Box::new(shipped_model(name)?))),
        None => model_file::load(path, &registries().known()).map_err(|e| with_shipped_names(e, path)),
    }
}

/// Loads a model like [`trained`]. If `path` is `None`, returns the default model.
pub(super) fn model(path: Option<&Path>) -> Result<Model> {
    match path {
        Some(path) => trained(path)?.into_model().map_err(|e| e.at_path(path)),
        None => default_model(),
    }
}
