//! A trained system: options, result of the training, and training summary.

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
    /// Creates a trained system from the parts of a model file.
    ///
    /// # Errors
    /// If the data are not a result of the training of this system.
    pub fn assemble(choice: SystemChoice, data: Value, summary: TrainingSummary) -> Result<Self> {
        let method = choice.load(&data)?;
        Ok(Self { choice, data, method, summary })
    }

    /// The system with its options and filter.
    pub fn choice(&self) -> &SystemChoice {
        &self.choice
    }
    /// The result of its training.
    pub fn data(&self) -> &Value {
        &self.data
    }
    /// The method, ready to run.
    pub fn method(&self) -> &dyn Method {
        &*self.method
    }
    /// The training summary.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
}
