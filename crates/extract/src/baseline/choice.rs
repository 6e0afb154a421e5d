//! A system with its options and the filter that runs after it.

use crate::baseline::{How, Method, System, SystemInput, Systems};
use crate::filters::FilterChoice;
use crate::recipe::Recipe;
use serde_json::{Map, Value};
use threshr_core::Setting;
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
    /// Parses `NAME` or `NAME+FILTER`, such as `bte` and `boilerpipe-article+tree2`.
    ///
    /// # Errors
    /// For an unknown name or filter.
    pub fn parse(text: &str, systems: &Systems) -> Result<Self> {
        let (name, filter) = match text.split_once('+') {
            Some((name, filter)) => (name, FilterChoice::parse(filter)?),
            None => (text, FilterChoice::default()),
        };
        Ok(Self { name: text.to_owned(), system: systems.by_name(name)?, given: Map::new(), filter })
    }

    /// Parses system names and options of the form `NAME.KEY=VALUE`. NAME is the name of a system without its
    /// filter.
    ///
    /// # Errors
    /// For an unknown name, and for an option of a system that is not in `names`.
    pub fn list(names: &[String], params: &[String], systems: &Systems) -> Result<Vec<Self>> {
        let mut choices = names.iter().map(|n| Self::parse(n, systems)).collect::<Result<Vec<_>>>()?;
        for param in params {
            let wrong = || Error::invalid_option(format!("`{param}` is not an option of a system"));
            let parts = param.split_once('=').and_then(|(key, value)| Some((key.split_once('.')?, value)));
            let ((name, key), value) = parts
                .ok_or_else(|| wrong().expected("NAME.KEY=VALUE, such as justext.max_link_density=0.3"))?;
            let mut found = false;
            for choice in choices.iter_mut().filter(|c| c.system.name == name) {
                choice.set(key.trim(), choice.value(key.trim(), value))?;
                found = true;
            }
            if !found {
                return Err(wrong().expected("an option of one of the given systems"));
            }
        }
        Ok(choices)
    }

    /// Parses an option value. Valid JSON (12, 0.5, true) is parsed; all other texts are strings. Values of
    /// string options are always strings.
    fn value(&self, key: &str, text: &str) -> Value {
        let is_text = self.system.options.iter().any(|o| o.name == key && o.value().is_string());
        let parsed = serde_json::from_str(text).ok().filter(|v: &Value| !is_text || v.is_string());
        parsed.unwrap_or_else(|| Value::String(text.to_owned()))
    }

    /// Sets an option.
    ///
    /// # Errors
    /// If the system does not have this option, or the value has another type.
    pub fn set(&mut self, key: &str, value: Value) -> Result<()> {
        self.given.insert(key.to_owned(), value);
        self.settings().map(drop)
    }

    /// Sets options from a table.
    ///
    /// # Errors
    /// Returns the errors of [`SystemChoice::set`].
    pub fn set_all(&mut self, params: &Value) -> Result<()> {
        self.system.settings(params)?;
        params.as_object().into_iter().flatten().try_for_each(|(key, value)| self.set(key, value.clone()))
    }

    /// Sets the name that tables show.
    pub fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// Returns the name that tables show: by default, the text that [`SystemChoice::parse`] read.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Returns the system.
    pub fn system(&self) -> &'static System {
        self.system
    }
    /// Returns the options that were given.
    pub fn given(&self) -> Value {
        Value::Object(self.given.clone())
    }
    /// Returns all options with their values.
    ///
    /// # Errors
    /// If an option is invalid. [`SystemChoice::set`] already rejects such options.
    pub fn settings(&self) -> Result<Value> {
        self.system.settings(&self.given())
    }
    /// Returns the filter that runs after the system.
    pub fn filter(&self) -> FilterChoice {
        self.filter
    }
    /// Returns the system with a different filter after it.
    #[must_use]
    pub fn with_filter(&self, filter: FilterChoice) -> Self {
        Self { filter, ..self.clone() }
    }

    /// Builds the method of a system that needs no training.
    ///
    /// # Errors
    /// If the system requires training, or the value of an option is invalid.
    pub fn method(&self) -> Result<Box<dyn Method>> {
        let settings = self.settings()?;
        match self.system.how {
            How::Plain(build) | How::Fitted { untrained: Some(build), .. } => build(&settings),
            How::Fitted { .. } | How::Recipe(_) => Err(self.untrained()),
        }
    }

    /// Returns the recipe with filter and seed, if the system is a recipe; otherwise `None`.
    ///
    /// # Errors
    /// If the value of an option is invalid.
    pub fn recipe(&self, seed: u64) -> Result<Option<Recipe>> {
        let How::Recipe(recipe) = self.system.how else { return Ok(None) };
        let mut recipe = recipe(&self.settings()?)?;
        recipe.seed = seed;
        if !self.filter.is_none() {
            recipe.decision.filter = self.filter.name();
        }
        Ok(Some(recipe))
    }

    /// Trains the system and returns the result of the training.
    ///
    /// # Errors
    /// If the system cannot be trained, or the training on these pages fails.
    pub fn train(&self, pages: &[SystemInput<'_>], seed: u64) -> Result<Value> {
        match self.system.how {
            How::Fitted { .. } if pages.is_empty() => Err(Error::data("there is no page to train on")
                .expected("annotated pages that contain the text of their gold")),
            How::Fitted { train, .. } => train(pages, &self.settings()?, seed),
            How::Plain(_) => {
                Err(Error::invalid_option(format!("the system `{}` cannot be trained", self.system.name))
                    .expected("a trainable system")
                    .with_setting(Setting::SystemMethod))
            }
            How::Recipe(_) => {
                Err(Error::invalid_option(format!("the system `{}` is a recipe", self.system.name))
                    .expected("a model trained with it"))
            }
        }
    }

    /// Builds the method from stored training data.
    ///
    /// # Errors
    /// If the data are not a training result of this system.
    pub fn load(&self, data: &Value) -> Result<Box<dyn Method>> {
        match self.system.how {
            How::Fitted { load, .. } => load(&self.settings()?, data),
            _ => Err(Error::model(format!("the system `{}` stores no training result", self.system.name))),
        }
    }

    fn untrained(&self) -> Error {
        Error::invalid_option(format!("the system `{}` must be trained", self.system.name))
            .expected("a file with the trained system")
            .with_setting(Setting::SystemTraining)
    }
}
