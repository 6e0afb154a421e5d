//! Hash table of terms, optimised for thousands of lookups per page.

use threshr_core::simd_u128::Bytes;

/// Number of slots whose tags are compared at once.
const GROUP: usize = 16;

/// One value per term, such as its log-odds, by the hash of the term.
///
/// The table consists of groups of sixteen slots. The tag of a slot is one byte of the hash, or 0 if the slot
/// is empty. A lookup compares the sixteen tags of a group at once. For a known term, it reads two cache lines;
/// for an unknown term, usually one.
#[derive(Debug, Clone)]
pub struct TermTable<T> {
    tags: Vec<[u8; GROUP]>,
    /// Hash and value of every slot, followed by one slot that matches no term.
    slots: Vec<(u64, T)>,
    /// The value of unknown terms.
    unknown: T,
}

impl<T: Copy> TermTable<T> {
    /// Builds the table from pairs (hash, value). The hashes must be distinct.
    pub fn new(terms: impl ExactSizeIterator<Item = (u64, T)>, unknown: T) -> Self {
        // groups are half full on average, so a full group is rare
        let num_groups = terms.len() / (GROUP / 2) + 1;
        let mut table = TermTable {
            tags: vec![[0; GROUP]; num_groups],
            slots: vec![(0, unknown); num_groups * GROUP + 1],
            unknown,
        };
        for (hash, value) in terms {
            let mut group = table.group_of(hash);
            let slot = loop {
                match table.tags[group].iter().position(|&tag| tag == 0) {
                    Some(slot) => break slot,
                    None => group = (group + 1) % num_groups,
                }
            };
            table.tags[group][slot] = tag_of(hash);
            table.slots[group * GROUP + slot] = (hash, value);
        }
        table
    }

    /// Returns the group of a hash, derived from the upper half of the mixed hash.
    fn group_of(&self, hash: u64) -> usize {
        // on 32-bit machines, only the lower half of a hash is random
        let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (((mixed >> 32) * self.tags.len() as u64) >> 32) as usize
    }

    /// Returns the value of the term with this hash, or the value of unknown terms.
    #[inline]
    pub fn get(&self, hash: u64) -> T {
        let group = self.group_of(hash);
        let tags = self.tags[group];
        let same = Bytes::new(tags).equal(tag_of(hash)).bits();
        let slot = match same {
            0 => self.slots.len() - 1,
            _ => group * GROUP + same.trailing_zeros() as usize,
        };
        let (found, value) = self.slots[slot];
        if found == hash {
            return value;
        }
        // rare: another term has the same tag, or the group is full and the term may be in the next group
        match same & same.wrapping_sub(1) != 0 || tags[GROUP - 1] != 0 {
            true => self.search(hash, group),
            false => self.unknown,
        }
    }

    /// Searches slot by slot, up to the first group that is not full.
    #[cold]
    fn search(&self, hash: u64, mut group: usize) -> T {
        loop {
            let slots = &self.slots[group * GROUP..(group + 1) * GROUP];
            let mut taken = self.tags[group].iter().zip(slots).filter(|(tag, _)| **tag != 0);
            if let Some((_, (_, value))) = taken.find(|(_, slot)| slot.0 == hash) {
                return *value;
            }
            if self.tags[group][GROUP - 1] == 0 {
                return self.unknown;
            }
            group = (group + 1) % self.tags.len();
        }
    }
}

/// Returns the tag of a hash, which is never 0.
fn tag_of(hash: u64) -> u8 {
    (hash as u8).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_in_full_groups() {
        // the first forty hashes have the same tag
        let alike = (0..40).map(|i| i << 8 | 7);
        let hashes: Vec<u64> =
            alike.chain((1..500).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        let terms: Vec<(u64, f32)> =
            hashes.iter().zip(0u16..).map(|(&hash, i)| (hash, f32::from(i))).collect();
        let table = TermTable::new(terms.iter().copied(), f32::NAN);
        for &(hash, odds) in &terms {
            assert_eq!(table.get(hash), odds);
            assert!(table.get(hash ^ 1 << 50).is_nan());
        }
        let none = TermTable::new([].into_iter(), f32::NAN);
        assert!(none.get(5).is_nan() && none.get(0).is_nan());
    }
}
