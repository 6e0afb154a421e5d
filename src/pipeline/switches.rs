//! What the switch of a property moves: the blocks alone of which the page tells that they are of it.

use crate::features::{COMMENT_COLUMN, NEAR_COMMENT, Told, comment_sign, told_column};
use crate::filter::FilterChoice;
use crate::policy::{PROPERTIES, Policy, Property};
use ndarray::{ArrayViewMut1, ArrayViewMut2};

/// Columns that say whether a property counts.
pub(super) struct Places {
    /// Of the page, the same in all rows.
    of_page: Option<usize>,
    /// Of the blocks that are told; see [`told_column`].
    sign: Option<usize>,
    /// Of what is named as comments, with the one that says which blocks these are and those of comments and posts, where the property is one
    /// of these two.
    comment: Option<[usize; 4]>,
}

impl Places {
    /// Those among `columns`.
    pub(super) fn of(columns: &[String], property: &Property) -> Self {
        let place = |name: &str| columns.iter().position(|c| c == name);
        let comment = || {
            let sign = place(COMMENT_COLUMN)?;
            // without names the sign alone, which is 0 where posts count and comments do not
            let named = place(NEAR_COMMENT).unwrap_or(sign);
            Some([sign, named, place("policy.comments")?, place("policy.posts")?])
        };
        Places {
            of_page: place(&format!("policy.{}", property.name)),
            sign: told_column(property).and_then(|name| place(&name)),
            comment: matches!(property.name, "comments" | "posts").then(comment).flatten(),
        }
    }

    /// Whether no column says so.
    pub(super) fn is_empty(&self) -> bool {
        self.of_page.is_none() && self.sign.is_none()
    }

    /// Says in a row whether the property counts.
    pub(super) fn set(&self, mut row: ArrayViewMut1<'_, f32>, on: bool) {
        self.set_of_page(&mut row, on);
        if let Some([sign, _, comments, posts]) = self.comment.filter(|c| row[c[1]] != 0.0) {
            row[sign] = comment_sign(row[comments] > 0.0, row[posts] > 0.0);
        }
        self.set_sign(row, on);
    }

    fn set_of_page(&self, row: &mut ArrayViewMut1<'_, f32>, on: bool) {
        self.of_page.into_iter().for_each(|c| row[c] = f32::from(u8::from(on)));
    }

    /// The sign alone. Blocks that are none of it stay 0.
    pub(super) fn set_sign(&self, mut row: ArrayViewMut1<'_, f32>, on: bool) {
        if let Some(sign) = self.sign.map(|c| &mut row[c]).filter(|v| **v != 0.0) {
            *sign = if on { 1.0 } else { -1.0 };
        }
    }
}

/// Switches of a policy that other blocks than their own need not know of.
pub(super) struct Confined {
    /// With whether the policy counts it.
    switched: Vec<(&'static Property, bool, Places)>,
}

impl Confined {
    /// Those that pages tell, where `columns` have the sign that says so, and what `filter` drops.
    pub(super) fn of(columns: &[String], policy: Policy, filter: FilterChoice) -> Self {
        let switched = PROPERTIES.iter().filter(|p| policy.switches(p));
        let placed = switched.map(|p| (p, policy.has(p), Places::of(columns, p)));
        Self { switched: placed.filter(|(p, _, at)| at.sign.is_some() || filter.drops(p)).collect() }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.switched.is_empty()
    }

    /// Shows them to their own blocks alone, and to all others the policy whose name was said: with captions content begins and ends where
    /// it does without them. `x` has a row for each block of a page. (What a second pass or a model of sequences says of a block rests on
    /// its neighbours, and may still differ.)
    pub(super) fn confine(&self, mut x: ArrayViewMut2<'_, f32>, told: &Told) {
        for (property, counts, places) in &self.switched {
            x.rows_mut().into_iter().for_each(|mut row| places.set_of_page(&mut row, !counts));
            for (block, _) in told.iter().filter(|t| t.1.name == property.name) {
                places.set_of_page(&mut x.row_mut(*block as usize), *counts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::property;
    use ndarray::array;

    fn confined(
        columns: &[&str],
        policy: &str,
        filter: &str,
        x: ndarray::Array2<f32>,
    ) -> ndarray::Array2<f32> {
        let columns: Vec<String> = columns.iter().map(|c| format!("policy.{c}")).collect();
        let policy = Policy::parse(policy).expect("a policy");
        let filter = FilterChoice::parse(filter).expect("a filter");
        let told = vec![(1, property("captions").expect("a property"))];
        let mut out = x.clone();
        let confined = Confined::of(&columns, policy, filter);
        confined.confine(out.view_mut(), &told);
        assert_eq!(confined.is_empty(), x == out);
        out
    }

    #[test]
    fn other_blocks_do_not_know_of_switches() {
        let columns = ["captions", "caption", "title"];
        let asked = array![[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
        let known = array![[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
        assert_eq!(confined(&columns, "main+captions", "none", asked.clone()), known);
        // as the policy with a name has it
        assert_eq!(confined(&columns, "full", "none", asked.clone()), asked);
        let asked = array![[0.0, 0.0, 1.0], [0.0, -1.0, 1.0]];
        let known = array![[1.0, 0.0, 1.0], [0.0, -1.0, 1.0]];
        assert_eq!(confined(&columns, "full-captions", "none", asked), known);
        // without the sign the policy is all that a model knows
        let asked = array![[1.0, 0.0], [1.0, 0.0]];
        assert_eq!(confined(&["captions", "title"], "main+captions", "none", asked.clone()), asked);
    }

    #[test]
    fn headings_are_left_to_the_filter() {
        let asked = array![[0.0], [0.0]];
        assert_eq!(confined(&["headings"], "main-headings", "repeats", asked.clone()), asked);
        assert_eq!(confined(&["headings"], "main-headings", "headings", asked), array![[1.0], [1.0]]);
    }
}
