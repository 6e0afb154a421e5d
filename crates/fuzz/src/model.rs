//! Model files.

use crate::Target;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::OnceLock;
use std::time::Duration;
use threshr_core::{Budget, ErrorKind, hex};
use threshr_extract::RawExtraction;
use threshr_extract::baseline::Systems;
use threshr_extract::model::{Known, file};
use threshr_extract::{Extractor, Input, Options};

pub(crate) static TARGET: Target = Target {
    name: "model",
    summary: "a model file, or edits of a valid one, with a correct checksum: a model that is read extracts with \
              scores from 0 to 1",
    body,
};

/// Valid model files that fuzzer inputs modify.
const FILES: [&[u8]; 3] = [
    include_bytes!("../../../models/tiny.json"),
    include_bytes!("../../../tests/suite/models/model.json"),
    include_bytes!("../../../tests/suite/models/system.json"),
];
const PAGE: &[u8] = b"<title>Rain</title><ul><li><a href=/>Home</a></ul><article><h1>Rain</h1><p>It rained all day in \
    the north of the country, the police said.<pre>a  b</pre></article><div class=footer>Copyright 2020</div>";
const LIMIT: Duration = Duration::from_secs(10);

fn body(bytes: &[u8]) {
    let Some(mut file) = (if bytes.starts_with(b"{") { Some(bytes.to_vec()) } else { edited(bytes) }) else {
        return;
    };
    correct_checksum(&mut file);
    let known = Known { systems: Systems::new(threshr_baselines::SYSTEMS), ..Known::default() };
    let trained = match file::from_bytes(&file, &known) {
        Ok(trained) => trained,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without a message"),
    };
    let extractor = Extractor::new(trained, Options { page_type: true, quality: true, ..Options::default() });
    let input = Input { bytes: PAGE, ..Input::default() };
    match extractor.extract(&input, &Budget::start(Some(LIMIT)).expect("a clock")) {
        Ok(extraction) => {
            let scores = &extraction.labels().scores;
            assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "scores {scores:?}");
            assert!(!extraction.document().source_text().is_empty());
        }
        Err(error) => assert!(error.kind != ErrorKind::Timeout, "{error}"),
    }
}

/// Applies edits to a valid file. The first line is the index of the file in [`FILES`]. Each further line
/// is the index of a JSON value in the file and the JSON that replaces the value. If there is no such JSON,
/// the value is removed.
fn edited(bytes: &[u8]) -> Option<Vec<u8>> {
    static VALUES: OnceLock<Vec<Value>> = OnceLock::new();
    let values = VALUES.get_or_init(|| {
        FILES.iter().map(|file| serde_json::from_slice(file).expect("a valid model file")).collect()
    });
    let mut lines = std::str::from_utf8(bytes).ok()?.lines();
    let mut value = values.get(lines.next()?.parse::<usize>().ok()?)?.clone();
    for line in lines {
        let (place, new) = line.split_once(' ').unwrap_or((line, ""));
        let mut place = place.parse().ok()?;
        let new = if new.is_empty() { None } else { Some(serde_json::from_str(new).ok()?) };
        replace(&mut value, &mut place, &new);
    }
    serde_json::to_vec(&value).ok()
}

/// Replaces or removes the value with index `place`. Returns whether the value was found. Decrements
/// `place` for each value before it.
fn replace(value: &mut Value, place: &mut usize, new: &Option<Value>) -> bool {
    // Returns whether the next value is the one to replace, and decrements the number of values before it.
    let is_next = |place: &mut usize| {
        let is_it = *place == 0;
        *place = place.wrapping_sub(1);
        is_it
    };
    match value {
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            for key in keys {
                if is_next(place) {
                    match new {
                        Some(new) => drop(map.insert(key, new.clone())),
                        None => drop(map.remove(&key)),
                    }
                    return true;
                }
                if map.get_mut(&key).is_some_and(|inside| replace(inside, place, new)) {
                    return true;
                }
            }
        }
        Value::Array(items) => {
            for at in 0..items.len() {
                if is_next(place) {
                    match new {
                        Some(new) => items[at] = new.clone(),
                        None => drop(items.remove(at)),
                    }
                    return true;
                }
                if replace(&mut items[at], place, new) {
                    return true;
                }
            }
        }
        _ => {}
    }
    false
}

/// Writes the correct checksum, because otherwise most edits would only test the checksum error.
fn correct_checksum(file: &mut [u8]) {
    const KEY: &[u8] = b"\"checksum\":\"";
    let Some(at) = file.windows(KEY.len()).position(|window| window == KEY) else { return };
    let place = at + KEY.len()..at + KEY.len() + 64;
    if file.len() < place.end {
        return;
    }
    file[place.clone()].fill(b'0');
    let sum = hex(&Sha256::digest(&*file));
    file[place].copy_from_slice(sum.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_a_correct_checksum_are_read() {
        let known = Known { systems: Systems::new(threshr_baselines::SYSTEMS), ..Known::default() };
        for (number, original) in FILES.iter().enumerate() {
            let mut file = edited(number.to_string().as_bytes()).expect("a file");
            correct_checksum(&mut file);
            assert!(file::from_bytes(&file, &known).is_ok(), "{number}");
            let mut file = original.to_vec();
            correct_checksum(&mut file);
            assert_eq!(file, *original, "{number}");
        }
        let edited = |text: &str| edited(text.as_bytes()).map(|file| String::from_utf8(file).expect("JSON"));
        assert!(edited("1\n0 [17]").is_some_and(|file| file.contains("[17]")));
        assert!(edited("1\n5\n6 {}").is_some() && edited("7").is_none());
    }
}
