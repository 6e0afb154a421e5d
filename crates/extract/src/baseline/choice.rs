//! A system with its options set and a filter after it.

use crate::baseline::{How, Method, System, SystemInput, Systems};
use crate::filters::FilterChoice;
use crate::recipe::Recipe;
use serde_json::{Map, Value};
use threshr_core::{Error, Result};

/// A system with its options and the filter that runs after it.
#[derive(Debug, Clone)]
pub struct SystemChoice {
    name: String,
    system: &'static System,
    given: Map<String, Value>,
    filter: FilterChoice,
}

impl SystemChoice {
    /// Reads `NAME` or `NAME+FILTER`, such as `bte` and `boilerpipe-article+tree2`.
    ///
    /// # Errors
    /// For unknown names and filters.
    pub fn parse(text: &str, systems: &Systems) -> Result<Self> {
        let (name, filter) = match text.split_once('+') {
            Some((name, filter)) => (name, FilterChoice::parse(filter)?),
            None => (text, FilterChoice::default()),
        };
        Ok(Self { name: text.to_owned(), system: systems.by_name(name)?, given: Map::new(), filter })
    }

    /// Reads systems, and for them options `NAME.KEY=VALUE`: NAME is that of a system, whatever filter follows it.
    ///
    /// # Errors
    /// For unknown names, and options of systems that are not among them.
    pub fn list(names: &[String], params: &[String], systems: &Systems) -> Result<Vec<Self>> {
        let mut choices = names.iter().map(|n| Self::parse(n, systems)).collect::<Result<Vec<_>>>()?;
        for param in params {
            let wrong = || Error::recipe(format!("`{param}` is no option of a system"));
            let parts = param.split_once('=').and_then(|(key, value)| Some((key.split_once('.')?, value)));
            let ((name, key), value) = parts
                .ok_or_else(|| wrong().expected("NAME.KEY=VALUE, such as justext.max_link_density=0.3"))?;
            let mut found = false;
            for choice in choices.iter_mut().filter(|c| c.system.name == name) {
                choice.set(key.trim(), choice.value(key.trim(), value))?;
                found = true;
            }
            if !found {
                return Err(wrong().expected("the name of a system that is asked for"));
            }
        }
        Ok(choices)
    }

    /// A value is JSON (12, 0.5, true); whatever is not is text, and so is all that is given for an option of texts.
    fn value(&self, key: &str, text: &str) -> Value {
        let is_text = self.system.options.iter().any(|o| o.name == key && o.value().is_string());
        let parsed = serde_json::from_str(text).ok().filter(|v: &Value| !is_text || v.is_string());
        parsed.unwrap_or_else(|| Value::String(text.to_owned()))
    }

    /// Sets an option.
    ///
    /// # Errors
    /// Where the system does not have it, or the value is of another kind.
    pub fn set(&mut self, key: &str, value: Value) -> Result<()> {
        self.given.insert(key.to_owned(), value);
        self.settings().map(drop)
    }

    /// Sets options from a table.
    ///
    /// # Errors
    /// As [`SystemChoice::set`].
    pub fn set_all(&mut self, params: &Value) -> Result<()> {
        self.system.settings(params)?;
        params.as_object().into_iter().flatten().try_for_each(|(key, value)| self.set(key, value.clone()))
    }

    /// Gives it another name in tables.
    pub fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// The name in tables: what [`SystemChoice::parse`] read.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The system.
    pub fn system(&self) -> &'static System {
        self.system
    }
    /// The options that were given.
    pub fn given(&self) -> Value {
        Value::Object(self.given.clone())
    }
    /// All options with their values.
    ///
    /// # Errors
    /// None that [`SystemChoice::set`] has not found.
    pub fn settings(&self) -> Result<Value> {
        self.system.settings(&self.given())
    }
    /// The filter after it.
    pub fn filter(&self) -> FilterChoice {
        self.filter
    }
    /// The same with another filter after it.
    #[must_use]
    pub fn with_filter(&self, filter: FilterChoice) -> Self {
        Self { filter, ..self.clone() }
    }

    /// The system ready to run, without training.
    ///
    /// # Errors
    /// Where it must be trained, or an option's value does not fit.
    pub fn method(&self) -> Result<Box<dyn Method>> {
        let settings = self.settings()?;
        match self.system.how {
            How::Plain(build) | How::Fitted { untrained: Some(build), .. } => build(&settings),
            How::Fitted { .. } | How::Recipe(_) => Err(self.untrained()),
        }
    }

    /// The recipe of a system that is no more than one, with the filter and the seed.
    ///
    /// # Errors
    /// Where an option's value does not fit.
    pub fn recipe(&self, seed: u64) -> Result<Option<Recipe>> {
        let How::Recipe(recipe) = self.system.how else { return Ok(None) };
        let mut recipe = recipe(&self.settings()?)?;
        recipe.seed = seed;
        if !self.filter.is_none() {
            recipe.decision.filter = self.filter.name();
        }
        Ok(Some(recipe))
    }

    /// Trains the system; gives what it learned.
    ///
    /// # Errors
    /// Where it cannot be trained, or not on these pages.
    pub fn train(&self, pages: &[SystemInput<'_>], seed: u64) -> Result<Value> {
        match self.system.how {
            How::Fitted { .. } if pages.is_empty() => {
                Err(Error::data("no page to train on").expected("pages with gold that is found in them"))
            }
            How::Fitted { train, .. } => train(pages, &self.settings()?, seed),
            How::Plain(_) => Err(Error::recipe(format!("the system `{}` learns nothing", self.system.name))
                .expected("it in `threshr predict --system` and `threshr evaluate --system`")),
            How::Recipe(_) => Err(Error::recipe(format!("the system `{}` is a recipe", self.system.name))
                .expected("a model trained by it")),
        }
    }

    /// The system ready to run with what it learned.
    ///
    /// # Errors
    /// Where the data are not what the system's training gives.
    pub fn load(&self, data: &Value) -> Result<Box<dyn Method>> {
        match self.system.how {
            How::Fitted { load, .. } => load(&self.settings()?, data),
            _ => Err(Error::model(format!("the system `{}` has no data of its own", self.system.name))),
        }
    }

    fn untrained(&self) -> Error {
        Error::recipe(format!("the system `{}` must be trained", self.system.name)).expected(
            "`threshr train --system NAME --data … --out FILE` and `--model FILE`; in evaluate and compare also --folds K",
        )
    }
}
