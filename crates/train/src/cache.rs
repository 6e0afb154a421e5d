//! A file that keeps feature rows and alignments of annotated pages between runs.
//!
//! The head of the file has the hash of the program's own file and the hash of the column definitions. A
//! cache of another program or feature set counts as empty. The key of an entry is a hash of everything else
//! that the entry depends on. Every entry has a check sum; damaged entries count as missing. Trees, blocks
//! and terms are not cached.
//!
//! The size of the file is limited. New entries come first, so those that were added long ago are dropped first.

use crate::Alignment;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use threshr_core::{Error, Result};
use threshr_features::FeatureSet;
use threshr_html::blocks::ParagraphClass;
use threshr_io::atomic::AtomicFile;

const MAGIC: &[u8] = b"threshr cache 1\n";
const HASH: usize = 32;
/// Largest size of the file, in bytes.
const MAX_BYTES: u64 = 4 << 30;
/// Magic, hash of the program, hash of the columns.
const HEAD: usize = MAGIC.len() + 2 * HASH;
/// Precedes the bytes of an entry: key, check sum, number of bytes.
const ENTRY_HEAD: usize = 2 * HASH + 8;
const CLASSES: [Option<ParagraphClass>; 4] =
    [None, Some(ParagraphClass::Paragraph), Some(ParagraphClass::Heading), Some(ParagraphClass::List)];

/// Hash of everything that an entry depends on except program and columns.
pub(crate) type Key = [u8; HASH];

/// What the cache keeps of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Entry {
    /// Shape (n_blocks, n_columns), row after row.
    pub values: Vec<f32>,
    /// Alignment with a gold text. Labels inside of pages are not cached, because reading them is fast.
    pub alignment: Option<Alignment>,
}

/// The position of an entry's bytes in the file.
#[derive(Debug, Clone, Copy)]
struct Place {
    at: u64,
    length: u64,
    sum: [u8; HASH],
}

/// A cache file. New entries go into a second file, which replaces the first in [`Cache::finish`].
#[derive(Debug)]
pub(crate) struct Cache {
    path: PathBuf,
    head: [u8; HEAD],
    num_columns: usize,
    existing: Option<Mutex<File>>,
    places: FxHashMap<Key, Place>,
    /// Starts with the first new entry.
    new: Option<AtomicFile>,
    written: FxHashSet<Key>,
    /// Number of bytes of the new file.
    num_written: u64,
    max_bytes: u64,
}

impl Cache {
    /// Opens the cache of a feature set. A missing file and a cache of another program or feature set count
    /// as empty.
    ///
    /// # Errors
    /// If the file cannot be read, or is not a cache. Such a file is never replaced.
    pub(crate) fn open(path: &Path, features: &FeatureSet) -> Result<Self> {
        let mut head = [0; HEAD];
        head[..MAGIC.len()].copy_from_slice(MAGIC);
        head[MAGIC.len()..MAGIC.len() + HASH].copy_from_slice(&program()?);
        let columns = Sha256::digest(features.definitions_hash());
        head[MAGIC.len() + HASH..].copy_from_slice(&columns);
        let mut cache = Cache {
            path: path.to_path_buf(),
            head,
            num_columns: features.names().len(),
            existing: None,
            places: FxHashMap::default(),
            new: None,
            written: FxHashSet::default(),
            num_written: HEAD as u64,
            max_bytes: MAX_BYTES,
        };
        match File::open(path) {
            Ok(file) => cache.index(file)?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(Error::io(path, e)),
        }
        Ok(cache)
    }

    /// Lists the complete entries of a file.
    fn index(&mut self, mut file: File) -> Result<()> {
        let failed = |e| Error::io(&self.path, e);
        let size = file.metadata().map_err(failed)?.len();
        let mut head = Vec::new();
        (&mut file).take(HEAD as u64).read_to_end(&mut head).map_err(failed)?;
        if !head.is_empty() && !head.starts_with(&MAGIC[..MAGIC.len().min(head.len())]) {
            return Err(Error::data("the file is no cache and is not replaced")
                .expected("a file that a cache wrote, or a new name")
                .with_setting("Cache")
                .at_path(&self.path));
        }
        if head != self.head {
            return Ok(());
        }
        let mut at = HEAD as u64;
        let mut entry_head = [0; ENTRY_HEAD];
        while at + ENTRY_HEAD as u64 <= size {
            file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut entry_head)).map_err(failed)?;
            let (key, rest) = entry_head.split_at(HASH);
            let (sum, length) = rest.split_at(HASH);
            let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
            at += ENTRY_HEAD as u64;
            // no entry can be found behind a wrong length
            let Some(end) = at.checked_add(length).filter(|&end| end <= size) else { break };
            let place = Place { at, length, sum: sum.try_into().unwrap_or_default() };
            self.places.insert(key.try_into().unwrap_or_default(), place);
            at = end;
        }
        self.existing = Some(Mutex::new(file));
        Ok(())
    }

    /// The entry with this key. `None` if it is missing, damaged, or of another number of blocks.
    pub(crate) fn find(&self, key: &Key, num_blocks: usize) -> Option<Entry> {
        let bytes = self.bytes(key, self.places.get(key)?)?;
        decode(&bytes, num_blocks, self.num_columns)
    }

    fn bytes(&self, key: &Key, place: &Place) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(place.length).ok()?];
        let mut file = self.existing.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place.at)).and_then(|_| file.read_exact(&mut bytes)).ok()?;
        drop(file);
        (check_sum(key, &bytes) == place.sum).then_some(bytes)
    }

    /// Adds a new entry, unless the file would become too large.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn add(&mut self, key: Key, entry: &Entry) -> Result<()> {
        if self.new.is_none() {
            let mut file = AtomicFile::create(&self.path)?;
            file.write_all(&self.head).map_err(|e| Error::io(&self.path, e))?;
            self.new = Some(file);
        }
        // pages with the same bytes and gold share an entry
        if self.written.insert(key) { self.write(&key, &encode(entry)) } else { Ok(()) }
    }

    fn write(&mut self, key: &Key, bytes: &[u8]) -> Result<()> {
        let Some(file) = &mut self.new else { return Ok(()) };
        let length = (ENTRY_HEAD + bytes.len()) as u64;
        if self.num_written + length > self.max_bytes {
            return Ok(());
        }
        self.num_written += length;
        let head = [&key[..], &check_sum(key, bytes), &(bytes.len() as u64).to_le_bytes()].concat();
        file.write_all(&head).and_then(|()| file.write_all(bytes)).map_err(|e| Error::io(&self.path, e))
    }

    /// Copies the complete entries of the existing file into the new one, as far as its size allows, and replaces
    /// the file. Without new entries, the file stays as it is.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.new.is_none() {
            return Ok(());
        }
        let mut places: Vec<(Key, Place)> = self.places.iter().map(|(key, place)| (*key, *place)).collect();
        places.retain(|(key, _)| !self.written.contains(key));
        places.sort_unstable_by_key(|(_, place)| place.at);
        for (key, place) in places {
            if let Some(bytes) = self.bytes(&key, &place) {
                self.write(&key, &bytes)?;
            }
        }
        self.new.take().map_or(Ok(()), AtomicFile::finish)
    }
}

/// Hash of the running program's own file. Another build may extract other values.
///
/// # Errors
/// If the file cannot be found or read.
pub fn program() -> Result<[u8; HASH]> {
    static HASH_OF_PROGRAM: OnceLock<[u8; HASH]> = OnceLock::new();
    if let Some(hash) = HASH_OF_PROGRAM.get() {
        return Ok(*hash);
    }
    let path = std::env::current_exe().map_err(|e| Error::io("the running program", e))?;
    let bytes = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
    Ok(*HASH_OF_PROGRAM.get_or_init(|| Sha256::digest(bytes).into()))
}

fn check_sum(key: &Key, bytes: &[u8]) -> [u8; HASH] {
    Sha256::new().chain_update(key).chain_update(bytes).finalize().into()
}

fn encode(entry: &Entry) -> Vec<u8> {
    let mut out = Vec::with_capacity(entry.values.len() * 4 + 64);
    out.push(u8::from(entry.alignment.is_some()));
    entry.values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    if let Some(alignment) = &entry.alignment {
        alignment.share.iter().for_each(|v| out.extend(v.to_le_bytes()));
        alignment.num_tokens.iter().for_each(|v| out.extend(v.to_le_bytes()));
        out.extend(
            alignment.class.iter().map(|c| CLASSES.iter().position(|x| x == c).unwrap_or_default() as u8),
        );
        out.extend(alignment.num_gold_tokens.to_le_bytes());
        out.extend(alignment.num_unaligned.to_le_bytes());
    }
    out
}

/// `None` if the bytes are not an entry of this shape.
fn decode(bytes: &[u8], num_blocks: usize, num_columns: usize) -> Option<Entry> {
    let mut rest = bytes;
    let has_alignment = take(&mut rest, 1)? == [1];
    let values = floats(take(&mut rest, num_blocks.checked_mul(num_columns)?.checked_mul(4)?)?)?;
    let alignment = if has_alignment {
        let share = floats(take(&mut rest, num_blocks * 4)?)?;
        let num_tokens = integers(take(&mut rest, num_blocks * 4)?);
        let class = take(&mut rest, num_blocks)?.iter().map(|&c| CLASSES.get(usize::from(c)).copied());
        let class = class.collect::<Option<Vec<_>>>()?;
        let [num_gold_tokens, num_unaligned] = integers(take(&mut rest, 8)?).try_into().ok()?;
        Some(Alignment { share, num_tokens, class, num_gold_tokens, num_unaligned })
    } else {
        None
    };
    rest.is_empty().then_some(Entry { values, alignment })
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(taken)
}

fn floats(bytes: &[u8]) -> Option<Vec<f32>> {
    let floats: Vec<f32> = bytes.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word)).collect();
    floats.iter().all(|v| v.is_finite()).then_some(floats)
}

fn integers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(start: f32) -> Entry {
        let alignment = Alignment {
            share: vec![0.5, 1.0],
            num_tokens: vec![7, 0],
            class: vec![None, Some(ParagraphClass::List)],
            num_gold_tokens: 9,
            num_unaligned: 2,
        };
        Entry { values: vec![start, -0.0, 1e-20, 4.0], alignment: Some(alignment) }
    }

    fn features(set: &str) -> FeatureSet {
        FeatureSet::parse(set, &[]).expect("a set")
    }

    #[test]
    fn complete_entries_are_read_bit_by_bit() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("c");
        let two = features("shallow.num_words+density.link_density");
        let mut cache = Cache::open(&path, &two).expect("empty");
        assert_eq!(cache.find(&[1; HASH], 2), None);
        let unaligned = Entry { values: vec![1.0, 2.0], alignment: None };
        for (key, entry) in [(1, entry(1.0)), (2, unaligned.clone()), (3, entry(3.0))] {
            cache.add([key; HASH], &entry).expect("written");
        }
        cache.finish().expect("finished");
        let cache = Cache::open(&path, &two).expect("read");
        assert_eq!(cache.find(&[1; HASH], 2), Some(entry(1.0)));
        assert_eq!(cache.find(&[2; HASH], 1), Some(unaligned));
        // another number of blocks, another key, other columns
        assert_eq!((cache.find(&[1; HASH], 3), cache.find(&[4; HASH], 2)), (None, None));
        assert!(Cache::open(&path, &features("shallow")).expect("another set").places.is_empty());
        let complete = std::fs::read(&path).expect("there");
        for length in 0..complete.len() {
            std::fs::write(&path, &complete[..length]).expect("written");
            let cut = Cache::open(&path, &two).expect("damage is no error");
            assert!([None, Some(entry(3.0))].contains(&cut.find(&[3; HASH], 2)));
        }
        for at in MAGIC.len()..complete.len() {
            let mut bytes = complete.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&path, &bytes).expect("written");
            let damaged = Cache::open(&path, &two).expect("damage is no error");
            assert!([None, Some(entry(1.0))].contains(&damaged.find(&[1; HASH], 2)), "{at}");
        }
        // a rewritten file keeps complete entries
        let mut damaged = complete.clone();
        damaged[HEAD + ENTRY_HEAD + 3] ^= 1;
        std::fs::write(&path, damaged).expect("written");
        let mut cache = Cache::open(&path, &two).expect("read");
        assert_eq!(cache.find(&[1; HASH], 2), None);
        cache.add([9; HASH], &entry(9.0)).expect("written");
        cache.finish().expect("finished");
        let cache = Cache::open(&path, &two).expect("read");
        assert_eq!(cache.places.len(), 3);
        assert_eq!(cache.find(&[3; HASH], 2), Some(entry(3.0)));
    }

    #[test]
    fn the_oldest_entries_are_dropped_first() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("c");
        let two = features("shallow.num_words+density.link_density");
        let length = (ENTRY_HEAD + encode(&entry(0.0)).len()) as u64;
        for key in 1..=4 {
            let mut cache = Cache::open(&path, &two).expect("opened");
            cache.max_bytes = HEAD as u64 + 2 * length;
            cache.add([key; HASH], &entry(f32::from(key))).expect("written");
            cache.finish().expect("finished");
            assert!(std::fs::metadata(&path).expect("there").len() <= HEAD as u64 + 2 * length);
        }
        let cache = Cache::open(&path, &two).expect("read");
        let found = [1, 2, 3, 4].map(|key| cache.find(&[key; HASH], 2).is_some());
        assert_eq!(found, [false, false, true, true]);
    }

    #[test]
    fn other_files_are_not_replaced() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("model.json");
        std::fs::write(&path, "{\"format\": 1}").expect("written");
        let error = Cache::open(&path, &features("shallow")).expect_err("no cache").to_string();
        assert!(error.contains("model.json") && error.contains("no cache"), "{error}");
        assert!(Cache::open(dir.path(), &features("shallow")).is_err());
    }
}
