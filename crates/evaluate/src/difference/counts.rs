//! Counts blocks, or characters other than white space ("letters"), by the sides that keep them.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::ops::AddAssign;
use threshr_sets::annotations::kappa;

/// The side that keeps a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Keeper {
    /// Only the first side.
    A,
    /// Only the second side.
    B,
}

/// Numbers of blocks or letters by the sides that keep them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Kept by both sides.
    pub both: u64,
    /// Kept by the first side only.
    pub only_a: u64,
    /// Kept by the second side only.
    pub only_b: u64,
    /// Kept by neither side.
    pub neither: u64,
}

impl Counts {
    /// Adds `num` blocks or letters. `kept` states for each side whether it keeps them.
    pub(super) fn add(&mut self, kept: [bool; 2], num: u64) {
        *match kept {
            [true, true] => &mut self.both,
            [true, false] => &mut self.only_a,
            [false, true] => &mut self.only_b,
            [false, false] => &mut self.neither,
        } += num;
    }

    /// Number of blocks or letters that exactly one side keeps.
    pub fn different(&self) -> u64 {
        self.only_a + self.only_b
    }

    /// Total number of blocks or letters.
    pub fn all(&self) -> u64 {
        self.both + self.neither + self.different()
    }

    /// Share on which the sides agree, 0 to 1; `None` if there are no counts.
    pub fn agreement(&self) -> Option<f64> {
        let all = self.all();
        (all > 0).then(|| (self.both + self.neither) as f64 / all as f64)
    }

    /// Cohen's kappa: chance-corrected agreement, at most 1. `None` if both sides keep everything or both keep
    /// nothing, because the expected agreement by chance is then 1.
    pub fn kappa(&self) -> Option<f64> {
        kappa(&[[self.both, self.only_a], [self.only_b, self.neither]])
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.both += other.both;
        self.only_a += other.only_a;
        self.only_b += other.only_b;
        self.neither += other.neither;
    }
}

impl Serialize for Counts {
    /// An object with the four numbers, `agreement` and `kappa`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Counts", 6)?;
        object.serialize_field("both", &self.both)?;
        object.serialize_field("only_a", &self.only_a)?;
        object.serialize_field("only_b", &self.only_b)?;
        object.serialize_field("neither", &self.neither)?;
        object.serialize_field("agreement", &self.agreement())?;
        object.serialize_field("kappa", &self.kappa())?;
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_cohen() {
        // the table of Cohen (1960) as in textbooks: 20, 5, 10, 15
        let counts = Counts { both: 20, only_a: 5, only_b: 10, neither: 15 };
        assert_eq!((counts.all(), counts.different()), (50, 15));
        assert!(counts.agreement().is_some_and(|a| (a - 0.7).abs() < 1e-12));
        assert!(counts.kappa().is_some_and(|k| (k - 0.4).abs() < 1e-12));
        let opposite = Counts { only_a: 3, only_b: 3, ..Counts::default() };
        assert_eq!(opposite.kappa(), Some(-1.0));
        assert_eq!(Counts { both: 9, ..Counts::default() }.kappa(), None);
        assert_eq!((Counts::default().agreement(), Counts::default().kappa()), (None, None));
    }
}
