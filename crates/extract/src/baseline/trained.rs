//! A trained system: options, training result, and training summary.

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
    /// Creates a trained system from the contents of a model file.
    ///
    /// # Errors
    /// If the data are not a training result of this system.
    pub fn assemble(choice: SystemChoice, data: Value, summary: TrainingSummary) -> Result<Self> {
        let method = choice.load(&data)?;
        Ok(Self { choice, data, method, summary })
    }

    /// Returns the system with its options and filter.
    pub fn choice(&self) -> &SystemChoice {
        &self.choice
    }
    /// Returns the training result.
    pub fn data(&self) -> &Value {
        &self.data
    }
    /// Returns the method, which is ready to run.
    pub fn method(&self) -> &dyn Method {
        &*self.method
    }
    /// Returns the training summary.
    pub fn summary(&self) -> &TrainingSummary {
        &self.summary
    }
}
