//! Parses feature-set expressions, such as `all,-group` and `position@1`.

use crate::presets::{hyphenated, named};
use crate::{Column, Families, NAMED_SETS};
use std::collections::BTreeMap;
use threshr_core::Setting;
use threshr_core::{Error, Result};

/// Maximum distance of a neighbouring block.
pub(crate) const MAX_DISTANT: u32 = 16;

/// Columns that an expression selects. The vectors are indexed by family and column.
pub(crate) struct Choice {
    /// Whether the column is selected with the block's own value.
    own: Vec<Vec<bool>>,
    /// For each distance, whether the column with the values of the blocks at this distance is selected
    /// (`true`) or removed (`false`). `None` if the expression does not contain the column.
    at: BTreeMap<u32, Vec<Vec<Option<bool>>>>,
}

impl Choice {
    /// Parses an expression, see [`Families::feature_set`]. Named sets are parsed recursively, and contain only
    /// sets that are defined earlier. `families` has the columns of each family.
    pub(crate) fn parse(expression: &str, known: &Families, families: &[Vec<Column>]) -> Result<Self> {
        let mut choice =
            Choice { own: families.iter().map(|c| vec![false; c.len()]).collect(), at: BTreeMap::new() };
        for (take, term) in terms(expression)? {
            match term.split_once('@') {
                None => choice.apply(&Self::of_term(term, take, known, families)?, take),
                Some((term, distance)) => {
                    let distance = neighbour(distance.trim().parse().ok(), distance)?;
                    let members = Self::of_term(term.trim_end(), take, known, families)?.own;
                    let nothing = || families.iter().map(|c| vec![None; c.len()]).collect();
                    let chosen: &mut Vec<Vec<_>> = choice.at.entry(distance).or_insert_with(nothing);
                    let pairs = chosen.iter_mut().flatten().zip(members.into_iter().flatten());
                    pairs.filter(|(_, member)| *member).for_each(|(chosen, _)| *chosen = Some(take));
                }
            }
        }
        Ok(choice)
    }

    /// Returns the columns of a term without a distance.
    fn of_term(term: &str, take: bool, known: &Families, families: &[Vec<Column>]) -> Result<Self> {
        let whole = |is_in: &dyn Fn(usize) -> bool| {
            families.iter().enumerate().map(|(f, columns)| vec![is_in(f); columns.len()]).collect()
        };
        let own = match named(term) {
            Some(set) if set.name == "all" => whole(&|f| !take || known.all()[f].is_in_all()),
            Some(set) => return Self::parse(set.expression, known, families),
            None => {
                let (family, column) = family_and_column(term, known, families)?;
                let mut own: Vec<Vec<bool>> = whole(&|f| f == family && column.is_none());
                if let Some(column) = column {
                    own[family][column] = true;
                }
                own
            }
        };
        Ok(Choice { own, at: BTreeMap::new() })
    }

    /// If `take` is true, adds the columns of a term. Otherwise, removes them and their neighbour columns.
    fn apply(&mut self, term: &Choice, take: bool) {
        let pairs = self.own.iter_mut().flatten().zip(term.own.iter().flatten());
        pairs.filter(|(_, member)| **member).for_each(|(own, _)| *own = take);
        if take {
            for (&distance, members) in &term.at {
                let chosen = self.at.entry(distance).or_insert_with(|| members.clone());
                let pairs = chosen.iter_mut().flatten().zip(members.iter().flatten());
                pairs.filter(|(_, member)| member.is_some()).for_each(|(chosen, member)| *chosen = *member);
            }
            return;
        }
        for chosen in self.at.values_mut() {
            let pairs = chosen.iter_mut().flatten().zip(term.own.iter().flatten());
            pairs.filter(|(_, member)| **member).for_each(|(chosen, _)| *chosen = None);
        }
    }

    /// Returns true if the column with the block's own value is selected.
    pub(crate) fn has_own(&self, (family, column): (usize, usize)) -> bool {
        self.own[family][column]
    }

    /// Returns whether the expression selects or removes a column at a distance. `None` if the expression
    /// does not contain the column.
    pub(crate) fn neighbour(&self, (family, column): (usize, usize), distance: u32) -> Option<bool> {
        self.at.get(&distance).and_then(|chosen| chosen[family][column])
    }

    /// Returns true if a column is selected at any distance.
    pub(crate) fn has(&self, column: (usize, usize)) -> bool {
        self.has_own(column) || self.at.keys().any(|&d| self.neighbour(column, d) == Some(true))
    }

    /// Returns the distances that occur in the expression.
    pub(crate) fn distances(&self) -> impl Iterator<Item = u32> + '_ {
        self.at.keys().copied()
    }
}

/// Checks the distance to a neighbour. `text` is its notation in the expression, for the error message.
pub(crate) fn neighbour(distance: Option<u32>, text: impl std::fmt::Display) -> Result<u32> {
    distance.filter(|d| (1..=MAX_DISTANT).contains(d)).ok_or_else(|| {
        Error::invalid_option(format!("`{text}` is not a distance to a neighbouring block")).expected(
            format!(
                "a number from 1 to {MAX_DISTANT}, such as position@1 for the previous and the next block"
            ),
        )
    })
}

/// Splits an expression into terms. The flag is `true` if the term is added, `false` if it is removed.
fn terms(expression: &str) -> Result<Vec<(bool, &str)>> {
    let mut found = Vec::new();
    let (mut take, mut rest) = (true, expression);
    loop {
        rest = rest.trim_start();
        let name = hyphenated(rest);
        let end = rest[name..].find(['+', ',', '-']).map_or(rest.len(), |at| name + at);
        let term = rest[..end].trim_end();
        if !term.is_empty() {
            found.push((take, term));
            take = true;
        }
        let Some(sign) = rest[end..].chars().next() else { break };
        if sign == '-' {
            take = false;
        }
        rest = &rest[end + 1..];
    }
    match found.first() {
        Some((true, _)) => Ok(found),
        // `-x` means all except x
        Some((false, _)) => Ok([(true, "all")].into_iter().chain(found).collect()),
        None => Err(Error::invalid_option("the feature set is empty")
            .expected("names such as `all` or `shallow+density`")),
    }
}

/// Returns the index of the family of a term, and the index of the column if the term names one.
fn family_and_column(
    term: &str,
    known: &Families,
    families: &[Vec<Column>],
) -> Result<(usize, Option<usize>)> {
    let (family, column) = term.split_once('.').map_or((term, None), |(f, c)| (f, Some(c)));
    let f = known.position(family).ok_or_else(|| {
        let sets = NAMED_SETS.iter().map(|s| s.name);
        let names: Vec<_> = known.all().iter().map(|f| f.name()).chain(sets).collect();
        Error::invalid_option(format!("unknown feature family or set `{term}`"))
            .expected(format!("{}, or one column", names.join(", ")))
            .with_setting(Setting::Features)
    })?;
    let Some(name) = column else { return Ok((f, None)) };
    match families[f].iter().position(|c| c.name == name) {
        None => Err(Error::invalid_option(format!("the family `{family}` has no column `{name}`"))),
        found => Ok((f, found)),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Families, FeatureSet};

    fn names(expression: &str, neighbours: &[u32]) -> Vec<String> {
        FeatureSet::parse(expression, neighbours).expect("a set").names().to_vec()
    }

    #[test]
    fn terms_choose_neighbours() {
        let words =
            |suffixes: &[&str]| suffixes.iter().map(|s| format!("shallow.num_words{s}")).collect::<Vec<_>>();
        assert_eq!(names("shallow.num_words,shallow.num_words@2", &[]), words(&["", "@-2", "@+2"]));
        assert_eq!(names("shallow.num_words @ 3", &[1]), words(&["@-3", "@+3"]));
        assert_eq!(names("shallow.num_words-shallow@1", &[1, 2]), words(&["", "@-2", "@+2"]));
        // by default, the columns of this family have no neighbour columns
        assert_eq!(names("position+position@1", &[]).len(), 3 * names("position", &[1]).len());
        assert_eq!(names("wcc@1,-wcc@1,shallow.num_words", &[]), words(&[""]));
        assert_eq!(names("boilerpipe,-position", &[]), names("boilerpipe,-position,-position@1", &[]));
        for bad in ["shallow@0", "shallow@17", "shallow@", "shallow@x", "@1", "shallow@1@2"] {
            assert!(FeatureSet::parse(bad, &[]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_set_with_distances_is_restored_from_its_names() {
        let set = FeatureSet::parse("position@1,shallow.num_words", &[2]).expect("a set");
        let again = Families::default().with_columns(set.names()).expect("a set");
        assert_eq!((again.names(), again.definitions_hash()), (set.names(), set.definitions_hash()));
    }
}
