//! A trained system: its choice, what it learned, and what it was trained on.

use crate::baseline::{Method, SystemChoice};
use crate::model::TrainingSummary;
use serde_json::Value;
use threshr_core::Result;

/// A trained system.
#[derive(Debug)]
pub struct TrainedSystem {
    choice: SystemChoice,
    data: Value,
    method: Box<dyn Method>,
    summary: TrainingSummary,
}

impl TrainedSystem {
    /// Joins what a model file holds.
    ///
    /// # Errors
    /// Where the data are not what the system's training gives.
    pub fn assemble(choice: SystemChoice, data: Value, summary: TrainingSummary) -> Result<Self> {
        let method = choice.load(&data)?;
        Ok(Self { choice, data, method, summary })
    }

    /// The system with its options and its filter.
    pub fn choice(&self) -> &SystemChoice {
        &self.choice
    }
    /// What it learned.
    pub fn data(&self) -> &Value {
        &self.data
    }
    /// The system ready to run.
    pub fn method(&self) -> &dyn Method {
        &*self.method
    }
    /// What it was trained on.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
}
