//! The terms of a vocabulary as pages look them up: by hash, thousands of times a page.

use wide::u8x16;

/// Places that are looked at together.
const GROUP: usize = 16;

/// The log-odds of a vocabulary by the hashes of its terms.
///
/// A table in groups of sixteen places, each with a byte of the hash that stands there; 0 where none does. What is looked up and
/// found costs two places in memory, its odds included, the rest mostly one.
#[derive(Debug, Clone)]
pub struct Known {
    tags: Vec<[u8; GROUP]>,
    /// Hash and log-odds at every place, and at one more that nothing is found at.
    places: Vec<(u64, f32)>,
}

impl Known {
    /// Terms by their hashes, with the log-odds of each.
    pub(crate) fn new(terms: impl ExactSizeIterator<Item = (u64, f32)>) -> Self {
        // half full, so that hardly a group is
        let num_groups = terms.len() / (GROUP / 2) + 1;
        let mut known =
            Known { tags: vec![[0; GROUP]; num_groups], places: vec![(0, f32::NAN); num_groups * GROUP + 1] };
        for (hash, odds) in terms {
            let mut group = known.group_of(hash);
            let place = loop {
                match known.tags[group].iter().position(|&tag| tag == 0) {
                    Some(place) => break place,
                    None => group = (group + 1) % num_groups,
                }
            };
            known.tags[group][place] = tag_of(hash);
            known.places[group * GROUP + place] = (hash, odds);
        }
        known
    }

    /// The upper half of the hash, as a fraction of the number of groups.
    fn group_of(&self, hash: u64) -> usize {
        // where numbers have 32 bits all of a hash is in its lower half
        let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (((mixed >> 32) * self.tags.len() as u64) >> 32) as usize
    }

    /// The log-odds of the term with a hash; NaN where it is unknown.
    #[inline]
    pub(crate) fn odds(&self, hash: u64) -> f32 {
        let group = self.group_of(hash);
        let tags = self.tags[group];
        let same = u8x16::new(tags).simd_eq(u8x16::splat(tag_of(hash))).to_bitmask();
        let place = match same {
            0 => self.places.len() - 1,
            _ => group * GROUP + same.trailing_zeros() as usize,
        };
        let (found, odds) = self.places[place];
        if found == hash {
            return odds;
        }
        // another with the same byte, or one that had no place here; both are rare
        match same & same.wrapping_sub(1) != 0 || tags[GROUP - 1] != 0 {
            true => self.search(hash, group),
            false => f32::NAN,
        }
    }

    /// Place by place from a group on, to the first group that has room.
    #[cold]
    fn search(&self, hash: u64, mut group: usize) -> f32 {
        loop {
            let places = &self.places[group * GROUP..(group + 1) * GROUP];
            let mut taken = self.tags[group].iter().zip(places).filter(|(tag, _)| **tag != 0);
            if let Some((_, (_, odds))) = taken.find(|(_, place)| place.0 == hash) {
                return *odds;
            }
            if self.tags[group][GROUP - 1] == 0 {
                return f32::NAN;
            }
            group = (group + 1) % self.tags.len();
        }
    }
}

/// A byte of a hash that is not 0.
fn tag_of(hash: u64) -> u8 {
    (hash as u8).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_whatever_group_they_are_in() {
        // the first forty have the same last byte
        let alike = (0..40).map(|i| i << 8 | 7);
        let hashes: Vec<u64> =
            alike.chain((1..500).map(|i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        let terms: Vec<(u64, f32)> =
            hashes.iter().zip(0u16..).map(|(&hash, i)| (hash, f32::from(i))).collect();
        let known = Known::new(terms.iter().copied());
        for &(hash, odds) in &terms {
            assert_eq!(known.odds(hash), odds);
            assert!(known.odds(hash ^ 1 << 50).is_nan());
        }
        let none = Known::new([].into_iter());
        assert!(none.odds(5).is_nan() && none.odds(0).is_nan());
    }
}
