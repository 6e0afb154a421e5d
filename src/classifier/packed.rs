//! Long lists of numbers in model files: base64 of little-endian f32, a third of the size of decimal digits.
//!
//! For fields marked `#[serde(with = "super::packed")]`. What is read has any bits, so callers check that it is finite.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(values: &[f32], serializer: S) -> Result<S::Ok, S::Error> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    serializer.serialize_str(&STANDARD.encode(bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f32>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let bytes = STANDARD.decode(text).map_err(|e| D::Error::custom(format!("no base64: {e}")))?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(D::Error::custom(format!("{} bytes are no whole number of f32", bytes.len())));
    }
    Ok(numbers.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Row {
        #[serde(with = "super")]
        values: Vec<f32>,
    }

    #[test]
    fn numbers_survive_bit_for_bit() {
        let row = Row { values: vec![0.0, -0.0, 1.5, f32::MIN_POSITIVE, f32::MAX, 0.1] };
        let json = serde_json::to_value(&row).unwrap();
        assert!(json["values"].is_string());
        assert_eq!(serde_json::from_value::<Row>(json).unwrap(), row);
        for bad in ["\"!\"", "\"AAA=\"", "[1.0]", "null"] {
            assert!(serde_json::from_str::<Row>(&format!("{{\"values\":{bad}}}")).is_err(), "{bad}");
        }
    }
}
