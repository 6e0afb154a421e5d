//! A vocabulary that maps words to ids, for language models and token classifiers.

use rustc_hash::FxHashMap;
use threshr_core::{Error, Result};

/// Ids follow the order of first occurrence during training, and the frequency after [`Vocabulary::frequent`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    ids: FxHashMap<Box<str>, u32>,
    count: Vec<u32>,
}

impl Vocabulary {
    /// Counts `word` and returns its id. A new word gets the next id.
    pub(crate) fn learn(&mut self, word: &str) -> u32 {
        let id = match self.ids.get(word) {
            Some(&id) => id,
            None => {
                let id = self.count.len() as u32;
                self.ids.insert(word.into(), id);
                self.count.push(0);
                id
            }
        };
        self.count[id as usize] += 1;
        id
    }

    /// Returns the id of `word`, if it is known.
    pub(crate) fn get(&self, word: &str) -> Option<u32> {
        self.ids.get(word).copied()
    }

    /// Number of words.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the words that occurred at least `least` times, with new ids by descending frequency, and the new id
    /// for each old id.
    pub(crate) fn frequent(&self, least: u32) -> (Vocabulary, Vec<Option<u32>>) {
        let mut words: Vec<(&str, u32)> = self.ids.iter().map(|(word, &id)| (&**word, id)).collect();
        words.retain(|w| self.count[w.1 as usize] >= least);
        words.sort_unstable_by_key(|w| (std::cmp::Reverse(self.count[w.1 as usize]), w.1));
        let mut new = vec![None; self.count.len()];
        let mut kept = Vocabulary::default();
        for (word, old) in words {
            let id = kept.count.len() as u32;
            new[old as usize] = Some(id);
            kept.ids.insert(word.into(), id);
            kept.count.push(self.count[old as usize]);
        }
        (kept, new)
    }

    /// Returns the words in the order of their ids, for saving.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![String::new(); self.ids.len()];
        self.ids.iter().for_each(|(word, &id)| words[id as usize] = word.to_string());
        words
    }

    /// Loads the output of [`Vocabulary::words`].
    ///
    /// # Errors
    /// If a word occurs twice.
    pub(crate) fn load(words: &[String]) -> Result<Self> {
        let mut read = Vocabulary::default();
        for word in words {
            let num_words = read.len();
            read.learn(word);
            if read.len() == num_words {
                return Err(Error::model(format!("the vocabulary of the model has the word `{word}` twice")));
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_words_are_numbered_by_frequency() {
        let mut all = Vocabulary::default();
        let ids: Vec<u32> = ["a", "b", "c", "b", "c", "b"].iter().map(|w| all.learn(w)).collect();
        assert_eq!(ids, [0, 1, 2, 1, 2, 1]);
        let (kept, new) = all.frequent(2);
        assert_eq!(kept.words(), ["b", "c"]);
        assert_eq!(new, [None, Some(0), Some(1)]);
        let read = Vocabulary::load(&kept.words()).unwrap();
        assert_eq!((read.get("c"), read.get("a"), read.len()), (Some(1), None, 2));
        assert!(Vocabulary::load(&["x".into(), "x".into()]).is_err());
    }
}
