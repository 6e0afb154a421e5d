//! The type of a page and the quality of its text, as formats write them.

use serde::{Deserialize, Serialize};

/// What is predicted of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageLevel {
    /// The types with their probabilities, most probable first; empty if the model predicts none.
    pub page_types: Vec<(String, f32)>,
    /// The quality of its text; `None` if the model predicts none.
    pub quality: Option<Quality>,
}

impl PageLevel {
    /// The most probable type.
    pub fn page_type(&self) -> Option<&str> {
        self.page_types.first().map(|t| t.0.as_str())
    }
}

/// The expected quality of a page's text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Expected token F1, `0.0..=1.0`.
    pub expected: f32,
    /// F1 is below this with a probability of 10 %.
    pub low: f32,
    /// F1 is above this with a probability of at most 10 %.
    pub high: f32,
}
