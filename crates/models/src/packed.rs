//! Number arrays in model files, stored as base64 of little-endian f32, i8, u16 or u32. The size is a third of
//! that of decimal digits.
//!
//! The module is used by `#[serde(with = "packed")]`. Values may be infinite or NaN; callers must check them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A number type with a fixed size in bytes.
pub trait Number: Copy {
    /// Size in bytes.
    const BYTES: usize;
    /// Appends the number to `out`, little-endian.
    fn write(self, out: &mut Vec<u8>);
    /// Reads a number from `bytes`, which has the length [`Number::BYTES`].
    fn read(bytes: &[u8]) -> Self;
}

macro_rules! number {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const BYTES: usize = size_of::<$t>();
            fn write(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
            fn read(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
        }
    )*};
}

number!(f32, i8, u16, u32);

/// Writes `values` as base64.
///
/// # Errors
/// If the serializer fails.
pub fn serialize<T: Number, S: Serializer>(values: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::with_capacity(values.len() * T::BYTES);
    values.iter().for_each(|v| v.write(&mut bytes));
    serializer.serialize_str(&STANDARD.encode(bytes))
}

/// Reads an array that [`serialize`] wrote.
///
/// # Errors
/// If the string is not valid base64, or its length is not a multiple of the number's size.
pub fn deserialize<'de, T: Number, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    deserializer.deserialize_str(Base64(PhantomData))
}

/// Visitor that reads a string without copying it.
struct Base64<T>(PhantomData<T>);

impl<T: Number> Visitor<'_> for Base64<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        let bytes = STANDARD.decode(text).map_err(|e| E::custom(format!("invalid base64: {e}")))?;
        if !bytes.len().is_multiple_of(T::BYTES) {
            let what = format!("{} bytes are not a multiple of {}", bytes.len(), T::BYTES);
            return Err(E::custom(what));
        }
        Ok(bytes.chunks_exact(T::BYTES).map(T::read).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Row {
        #[serde(with = "super")]
        values: Vec<f32>,
        #[serde(with = "super")]
        small: Vec<u16>,
    }

    #[test]
    fn numbers_survive_bit_for_bit() {
        let values = vec![0.0, -0.0, 1.5, f32::MIN_POSITIVE, f32::MAX, 0.1];
        let row = Row { values, small: vec![0, 1, 258, u16::MAX] };
        let json = serde_json::to_value(&row).unwrap();
        assert!(json["values"].is_string());
        assert_eq!(json["small"], "AAABAAIB//8=");
        assert_eq!(serde_json::from_value::<Row>(json).unwrap(), row);
        for bad in ["\"!\"", "\"AAA=\"", "[1.0]", "null"] {
            let text = format!("{{\"values\":{bad},\"small\":\"\"}}");
            assert!(serde_json::from_str::<Row>(&text).is_err(), "{bad}");
            let text = format!("{{\"values\":\"\",\"small\":{}}}", bad.replace("AAA=", "AA=="));
            assert!(serde_json::from_str::<Row>(&text).is_err(), "{bad}");
        }
    }
}
