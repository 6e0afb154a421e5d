//! Predictions of page type and text quality, as written to the output.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// The predictions for a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TypeAndQuality {
    /// The types with their probabilities, most probable first; empty if the model does not predict types.
    pub page_types: Vec<(String, f32)>,
    /// The quality of the text; `None` if the model does not predict it.
    pub quality: Option<Quality>,
}

impl TypeAndQuality {
    /// Returns the most probable type.
    pub fn page_type(&self) -> Option<&str> {
        self.page_types.first().map(|t| t.0.as_str())
    }
}

impl Serialize for TypeAndQuality {
    /// Writes the fields of JSON lines: `page_type`, `page_types` (the probability of each type), `quality`,
    /// `quality_low` and `quality_high`. Fields without a prediction are omitted.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(None)?;
        if let Some(page_type) = self.page_type() {
            fields.serialize_entry("page_type", page_type)?;
            let types: BTreeMap<&str, f32> = self.page_types.iter().map(|t| (&*t.0, t.1)).collect();
            fields.serialize_entry("page_types", &types)?;
        }
        if let Some(Quality { expected, low, high }) = self.quality {
            fields.serialize_entry("quality", &expected)?;
            fields.serialize_entry("quality_low", &low)?;
            fields.serialize_entry("quality_high", &high)?;
        }
        fields.end()
    }
}

/// The expected quality of a page's text.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Expected token F1, `0.0..=1.0`.
    pub expected: f32,
    /// 10th percentile of the predicted distribution of F1.
    pub low: f32,
    /// 90th percentile of the predicted distribution of F1; 1 in the highest interval.
    pub high: f32,
}
