//! Counts the pages of a site that contain a text, for each text, in bounded memory.

use crate::families::site_repeat::SiteCounts;
use threshr_core::{Error, Result};
use threshr_html::blocks::Blocks;
use threshr_page::text::hashing::hash_of;

/// Number of hash functions of the filter and of the sketch.
const ROWS: usize = 4;

/// Key for counting the pages of a site.
const PAGES: u64 = 0x5157_4e41_4745_5321;

/// Returns the keys of a page's blocks: hashes of the text in lower case, with each run of digits replaced by
/// one 0.
pub fn block_keys(blocks: &Blocks) -> Vec<u64> {
    let mut folded = String::new();
    let key = |i| {
        folded.clear();
        let mut in_number = false;
        for c in blocks.text(i).chars() {
            let is_digit = c.is_numeric();
            if is_digit && !in_number {
                folded.push('0');
            } else if !is_digit {
                folded.extend(c.to_lowercase());
            }
            in_number = is_digit;
        }
        hash(folded.as_bytes())
    };
    (0..blocks.len()).map(key).collect()
}

/// Returns a vector of zeros, or an error if there is not enough memory.
fn zeros<T: Clone + Default>(num: usize) -> Result<Vec<T>> {
    // `vec!` would abort the program if there is not enough memory
    Vec::<T>::new()
        .try_reserve_exact(num)
        .map_err(|e| Error::invalid_option("not enough memory for the counts of the crawl").because(e))?;
    Ok(vec![T::default(); num])
}

/// Counts of pages by site and block text, over a crawl of any size.
///
/// A Bloom filter records the first page with a key. The later pages with the key are counted by a count-min sketch
/// with conservative update. Texts that occur on a single page are nearly always content. They take only a few bits
/// in the filter and do not affect the counts. Counts are never too small. A count is too large only if other keys
/// occupy all places of the key, which is rare if there are much fewer keys than bits. Sources: Bloom, CACM 1970;
/// Cormode and Muthukrishnan, J. Algorithms 2005; Estan and Varghese, SIGCOMM 2002 (conservative update); Einziger
/// et al., TOS 2017 (filter before the sketch).
#[derive(Debug)]
pub struct SiteStats {
    /// Bits of the Bloom filter. Their number is a power of two.
    seen: Vec<u64>,
    /// Counters of the sketch, which all hash functions share. Their number is a power of two.
    counts: Vec<u16>,
    num_pages: u64,
}

impl SiteStats {
    /// Creates empty counts that take at most `num_bytes` of memory. One half is used for the filter, the other
    /// for the sketch.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(num_bytes: usize) -> Result<Self> {
        let half = (num_bytes / 2).max(1 << 12);
        let power = |n: usize| if n.is_power_of_two() { n } else { n.next_power_of_two() / 2 };
        Ok(SiteStats { seen: zeros(power(half / 8))?, counts: zeros(power(half / 2))?, num_pages: 0 })
    }

    /// Adds a page, given the keys of its blocks.
    pub fn add(&mut self, site: &str, keys: &[u64]) {
        let site = hash(site.as_bytes());
        let mut keys = keys.to_vec();
        keys.push(PAGES);
        keys.sort_unstable();
        keys.dedup();
        keys.into_iter().for_each(|key| self.count(joined(site, key)));
        self.num_pages += 1;
    }

    /// Returns the counts over the other pages of a site. The page itself must have been added; it is not
    /// counted.
    pub fn others(&self, site: &str, keys: &[u64]) -> SiteCounts {
        let site = hash(site.as_bytes());
        let other = |key| self.estimate(joined(site, key)).saturating_sub(1);
        SiteCounts { num_pages: other(PAGES), num_with: keys.iter().map(|&k| other(k)).collect() }
    }

    /// Number of pages that were added.
    pub fn num_pages(&self) -> u64 {
        self.num_pages
    }

    /// Share of the filter's bits that are set. If it exceeds one half, more memory is needed.
    pub fn fullness(&self) -> f64 {
        let set: u64 = self.seen.iter().map(|w| u64::from(w.count_ones())).sum();
        set as f64 / (self.seen.len() * 64) as f64
    }

    fn count(&mut self, key: u64) {
        let mut was_seen = true;
        for bit in places(key, self.seen.len() * 64) {
            was_seen &= self.seen[bit / 64] >> (bit % 64) & 1 == 1;
            self.seen[bit / 64] |= 1 << (bit % 64);
        }
        if !was_seen {
            return;
        }
        let least = self.least(key);
        for place in places(!key, self.counts.len()) {
            // conservative update: only the smallest counters are increased
            if self.counts[place] == least {
                self.counts[place] = least.saturating_add(1);
            }
        }
    }

    fn least(&self, key: u64) -> u16 {
        places(!key, self.counts.len()).map(|place| self.counts[place]).min().unwrap_or(0)
    }

    fn estimate(&self, key: u64) -> u32 {
        let is_set = |bit: usize| self.seen[bit / 64] >> (bit % 64) & 1 == 1;
        if places(key, self.seen.len() * 64).all(is_set) { 1 + u32::from(self.least(key)) } else { 0 }
    }
}

/// Returns the places of a key among `num_places`, which must be a power of two.
fn places(key: u64, num_places: usize) -> impl Iterator<Item = usize> {
    (0..ROWS as u64).map(move |row| {
        mixed(key.wrapping_add(row.wrapping_mul(0x9e37_79b9_7f4a_7c15))) as usize & (num_places - 1)
    })
}

fn joined(site: u64, key: u64) -> u64 {
    mixed(site.rotate_left(32) ^ key)
}

fn hash(bytes: &[u8]) -> u64 {
    mixed(hash_of(bytes, |chunk| chunk))
}

/// Mixes all bits of a number. Source: Steele et al., OOPSLA 2014 (SplitMix64).
fn mixed(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn keys_ignore_case_and_numbers() {
        let doc = parse_str("<p>Page 12 of 7<p>PAGE 3 of 1999<p>page x");
        let keys = block_keys(&Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible));
        assert!(keys[0] == keys[1] && keys[0] != keys[2]);
    }

    #[test]
    fn other_pages_are_counted() {
        let mut stats = SiteStats::new(1 << 20).expect("memory");
        stats.add("a", &[1, 2, 2]);
        stats.add("a", &[2, 3]);
        stats.add("a", &[2]);
        stats.add("b", &[1]);
        let of_first = stats.others("a", &[1, 2, 2]);
        assert_eq!(of_first, SiteCounts { num_pages: 2, num_with: vec![0, 2, 2] });
        assert_eq!(stats.others("b", &[1]), SiteCounts { num_pages: 0, num_with: vec![0] });
        assert_eq!(stats.others("c", &[1]), SiteCounts { num_pages: 0, num_with: vec![0] });
        assert_eq!(stats.num_pages(), 4);
    }

    #[test]
    fn counts_are_right_among_many_keys() {
        let mut stats = SiteStats::new(1 << 20).expect("memory");
        let unique = |page: u64| (0..20).map(move |i| mixed(page * 1000 + i));
        for page in 0..5_000u64 {
            let keys: Vec<u64> = unique(page).chain([7]).collect();
            stats.add(&format!("site{}", page % 100), &keys);
        }
        let mut num_wrong = 0;
        for page in 0..5_000u64 {
            let keys: Vec<u64> = unique(page).chain([7]).collect();
            let counts = stats.others(&format!("site{}", page % 100), &keys);
            assert!(counts.num_pages >= 49 && counts.num_with[20] >= 49, "never too small");
            num_wrong += counts.num_with[..20].iter().filter(|&&c| c > 0).count();
            num_wrong += usize::from(counts.num_with[20] > 49);
        }
        // 100,000 keys in 4 million bits
        assert!(num_wrong < 100, "{num_wrong} of 105,000 counts are too large");
        assert!(stats.fullness() < 0.15);
    }
}
