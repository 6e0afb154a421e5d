//! A binary form of JSON values: the same values, read without parsing text.
//!
//! A value is a tag, then its content. Lengths, counts and whole numbers are LEB128: seven bits a byte, lowest first,
//! the highest bit set in all bytes but the last. Floats are little-endian. The keys of an object have no tag.

use serde::de::value::{Error, MapAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
/// A whole number that is not negative.
const UNSIGNED: u8 = 3;
/// A negative whole number `n`, as `-1 - n`.
const NEGATIVE: u8 = 4;
/// A number in eight bytes.
const DOUBLE: u8 = 5;
/// A number that four bytes hold exactly.
const FLOAT: u8 = 6;
/// Length in bytes, then UTF-8.
const STRING: u8 = 7;
/// Number of items, then the items.
const LIST: u8 = 8;
/// Number of entries, then key and value of each. A key is written like the content of a string.
const OBJECT: u8 = 9;

/// Most levels of lists and objects, as in JSON text.
const MAX_LEVELS: usize = 128;

/// Writes a value.
pub(super) fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(v) => out.push(if *v { TRUE } else { FALSE }),
        Value::Number(number) => {
            if let Some(v) = number.as_u64() {
                out.push(UNSIGNED);
                write_number(v, out);
            } else if let Some(v) = number.as_i64() {
                out.push(NEGATIVE);
                write_number(!v.cast_unsigned(), out);
            } else {
                write_float(number.as_f64().unwrap_or_default(), out);
            }
        }
        Value::String(text) => {
            out.push(STRING);
            write_text(text, out);
        }
        Value::Array(items) => {
            out.push(LIST);
            write_number(items.len() as u64, out);
            items.iter().for_each(|item| write(item, out));
        }
        Value::Object(entries) => {
            out.push(OBJECT);
            write_number(entries.len() as u64, out);
            for (key, value) in entries {
                write_text(key, out);
                write(value, out);
            }
        }
    }
}

fn write_float(value: f64, out: &mut Vec<u8>) {
    let float = value as f32;
    if f64::from(float).to_bits() == value.to_bits() {
        out.push(FLOAT);
        out.extend(float.to_le_bytes());
    } else {
        out.push(DOUBLE);
        out.extend(value.to_le_bytes());
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    write_number(text.len() as u64, out);
    out.extend(text.as_bytes());
}

fn write_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads what [`write`] wrote. Any bytes give a value or an error.
///
/// # Errors
/// If the bytes are damaged, or the value does not match `T`.
pub(super) fn read<'de, T: de::Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    let mut reader = Reader { rest: bytes, levels: 0 };
    let value = T::deserialize(&mut reader)?;
    if !reader.rest.is_empty() {
        return Err(Error::custom("bytes follow the value"));
    }
    Ok(value)
}

/// Reads values one after the other.
struct Reader<'de> {
    rest: &'de [u8],
    /// Levels of lists and objects around the next value.
    levels: usize,
}

impl<'de> Reader<'de> {
    fn byte(&mut self) -> Result<u8, Error> {
        let (&first, rest) = self.rest.split_first().ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(first)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (first, rest) = self.rest.split_first_chunk().ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(*first)
    }

    fn number(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Error::custom("a number has too many bytes"))
    }

    fn size(&mut self) -> Result<usize, Error> {
        usize::try_from(self.number()?).map_err(|_| ends_early())
    }

    fn text(&mut self) -> Result<&'de str, Error> {
        let length = self.size()?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or_else(ends_early)?;
        self.rest = rest;
        std::str::from_utf8(text).map_err(Error::custom)
    }

    /// Reads a list or an object of `num` parts with `read`.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Parts<'_, 'de>) -> Result<T, Error>) -> Result<T, Error> {
        let num = self.size()?;
        if self.levels == MAX_LEVELS {
            return Err(Error::custom("too many levels of lists and objects"));
        }
        self.levels += 1;
        let mut parts = Parts { num, reader: self };
        let value = read(&mut parts)?;
        if parts.num > 0 {
            return Err(Error::custom("a list or an object has more parts than expected"));
        }
        self.levels -= 1;
        Ok(value)
    }
}

fn ends_early() -> Error {
    Error::custom("the value ends early")
}

impl<'de> de::Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.byte()? {
            NULL => visitor.visit_unit(),
            FALSE => visitor.visit_bool(false),
            TRUE => visitor.visit_bool(true),
            UNSIGNED => visitor.visit_u64(self.number()?),
            NEGATIVE => visitor.visit_i64((!self.number()?).cast_signed()),
            DOUBLE => visitor.visit_f64(f64::from_le_bytes(self.array()?)),
            FLOAT => visitor.visit_f32(f32::from_le_bytes(self.array()?)),
            STRING => visitor.visit_borrowed_str(self.text()?),
            LIST => self.nested(|parts| visitor.visit_seq(parts)),
            OBJECT => self.nested(|parts| visitor.visit_map(parts)),
            _ => Err(Error::custom("a value of an unknown kind")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.rest.split_first() {
            Some((&NULL, rest)) => {
                self.rest = rest;
                visitor.visit_none()
            }
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.byte()? {
            STRING => visitor.visit_enum(StrDeserializer::new(self.text()?)),
            OBJECT => self
                .nested(|parts| MapAccessDeserializer::new(parts).deserialize_enum(name, variants, visitor)),
            _ => Err(Error::custom(format!("`{name}` is neither a string nor an object"))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// The items of a list, or the entries of an object, that are not read yet.
struct Parts<'a, 'de> {
    num: usize,
    reader: &'a mut Reader<'de>,
}

impl<'de> SeqAccess<'de> for &mut Parts<'_, 'de> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.num.checked_sub(1) {
            Some(left) => {
                self.num = left;
                seed.deserialize(&mut *self.reader).map(Some)
            }
            None => Ok(None),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.num)
    }
}

impl<'de> MapAccess<'de> for &mut Parts<'_, 'de> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        match self.num.checked_sub(1) {
            Some(left) => {
                self.num = left;
                let key = self.reader.text()?;
                seed.deserialize(de::value::BorrowedStrDeserializer::new(key)).map(Some)
            }
            None => Ok(None),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.num)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    fn written(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(value, &mut bytes);
        bytes
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Plain,
        Number(f64),
        Named { low: i8, high: u64 },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Whole(f32);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct All {
        kinds: Vec<Kind>,
        pair: (bool, String),
        some: Option<Whole>,
        none: Option<u8>,
        #[serde(default)]
        missing: u8,
    }

    #[test]
    fn types_are_read_as_from_json() {
        let kinds = vec![Kind::Plain, Kind::Number(0.1), Kind::Named { low: -128, high: u64::MAX }];
        let all =
            All { kinds, pair: (true, "é".to_owned()), some: Some(Whole(-0.0)), none: None, missing: 0 };
        let mut value = serde_json::to_value(&all).unwrap();
        value.as_object_mut().unwrap().remove("missing");
        let found: All = read(&written(&value)).unwrap();
        assert_eq!(found, all);
        assert!(found.some.unwrap().0.is_sign_negative());
        value["some"] = json!(3);
        assert_eq!(read::<All>(&written(&value)).unwrap().some, Some(Whole(3.0)));
        for wrong in [json!("plain"), json!([1]), json!([{"plain": 1, "x": 2}]), json!([{}]), Value::Null] {
            value["kinds"] = wrong;
            assert!(read::<All>(&written(&value)).is_err(), "{value}");
        }
    }

    #[test]
    fn damaged_bytes_are_errors() {
        let bytes = written(&json!({"a": [1, -1, 0.5, 0.1, null, true, "text"], "b": {}}));
        for end in 0..bytes.len() {
            assert!(read::<Value>(&bytes[..end]).is_err(), "{end}");
        }
        let longer = [bytes, vec![NULL]].concat();
        let deep = [LIST, 1].repeat(MAX_LEVELS + 1);
        let long = [vec![UNSIGNED], vec![0xff; 10], vec![1]].concat();
        for bad in [longer, deep, long, vec![OBJECT + 1], vec![STRING, 1, 0xff], vec![STRING, 0xff, 0x7f]] {
            assert!(read::<Value>(&bad).is_err(), "{bad:?}");
        }
        assert!(read::<[u8; 1]>(&[LIST, 2, UNSIGNED, 1, UNSIGNED, 2]).is_err());
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<u64>().prop_map(|v| json!(v)),
            any::<i64>().prop_map(|v| json!(v)),
            any::<f64>().prop_map(|v| json!(v)),
            any::<f32>().prop_map(|v| json!(v)),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number,
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            let object = prop::collection::vec((any::<String>(), inner.clone()), 0..8);
            prop_oneof![
                prop::collection::vec(inner, 0..8).prop_map(Value::Array),
                object.prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_survive(value in any_value()) {
            let found: Value = read(&written(&value)).unwrap();
            prop_assert_eq!(serde_json::to_string(&found).unwrap(), serde_json::to_string(&value).unwrap());
        }

        #[test]
        fn any_bytes_give_a_value_or_an_error(bytes in prop::collection::vec(0u8..12, 0..64)) {
            let _: Result<Value, Error> = read(&bytes);
        }
    }
}
