//! Reads lists whose items are strings or tables.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Reads a list. Strings are converted to items with `From`.
pub(crate) fn list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: From<String> + Deserialize<'de>,
{
    let items = Vec::<Item<T>>::deserialize(deserializer)?;
    Ok(items.into_iter().map(|item| item.0).collect())
}

struct Item<T>(T);

struct ItemVisitor<T>(PhantomData<T>);

impl<'de, T: From<String> + Deserialize<'de>> Deserialize<'de> for Item<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ItemVisitor(PhantomData))
    }
}

// a visitor instead of serde's untagged enums, whose errors do not contain the name of the field
impl<'de, T: From<String> + Deserialize<'de>> Visitor<'de> for ItemVisitor<T> {
    type Value = Item<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a table")
    }
    fn visit_str<E>(self, text: &str) -> Result<Item<T>, E> {
        Ok(Item(text.to_owned().into()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Item<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Item)
    }
}
