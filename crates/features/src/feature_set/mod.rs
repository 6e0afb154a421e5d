//! Feature sets: the columns of a feature matrix. The module [`compute`] computes the matrix.

mod compute;

use crate::expression::{Choice, MAX_DISTANT, neighbour};
use crate::{Column, Families, Family, PageContext};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// An ordered set of columns. Some of them may contain values of neighbouring blocks.
#[derive(Debug, Clone)]
pub struct FeatureSet {
    families: Families,
    /// Base columns as pairs (family, column), sorted.
    base: Vec<(usize, usize)>,
    /// Columns of the matrix as pairs: index in `base`, and distance to the block whose value is used (0 for
    /// the block itself).
    columns: Vec<(usize, i32)>,
    names: Arc<[String]>,
    definitions_hash: String,
    /// Number of columns of each family.
    widths: Vec<usize>,
    /// Whether each column of the matrix is computed.
    needed: Vec<bool>,
    /// Whether each base column is needed for the computed columns.
    needed_base: Vec<bool>,
    /// Whether a computed column uses the page's word list.
    reads_words: bool,
}

impl Families {
    /// Parses a feature-set expression.
    ///
    /// A term is a family (`shallow`), a column (`density.link_density`) or a named set
    /// ([`NAMED_SETS`](crate::NAMED_SETS), such as `victor` and `all`). Terms are joined by `+` or `,`. A term
    /// after `-` is removed, as in `all,-group` and `shallow+density-density.tag_density`.
    ///
    /// `neighbours` are distances to neighbouring blocks. For each distance d, every column with
    /// [`neighbours`](Column::neighbours) is added twice: `name@-d` has the value of the block d positions
    /// before, `name@+d` the value of the block d positions after. The value is 0 if there is no such block. A
    /// term with a distance (`position@1`) adds or removes both columns for each of its columns, regardless of
    /// `neighbours`.
    ///
    /// # Errors
    /// If a name is unknown, the set is empty, or a distance is 0 or greater than 16.
    pub fn feature_set(&self, expression: &str, neighbours: &[u32]) -> Result<FeatureSet> {
        neighbours.iter().try_for_each(|&d| neighbour(Some(d), d).map(drop))?;
        let families = self.columns();
        let choice = Choice::parse(expression, self, &families)?;
        let base: Vec<_> = (0..families.len())
            .flat_map(|f| (0..families[f].len()).map(move |c| (f, c)))
            .filter(|&column| choice.has(column))
            .collect();
        if base.is_empty() {
            return Err(Error::invalid_option(format!("the feature set `{expression}` has no columns")));
        }
        let mut distances: Vec<u32> = neighbours.iter().copied().chain(choice.distances()).collect();
        distances.sort_unstable();
        distances.dedup();
        let mut columns: Vec<_> =
            (0..base.len()).filter(|&i| choice.has_own(base[i])).map(|i| (i, 0)).collect();
        for distance in distances {
            let has = |&i: &usize| {
                let (f, c) = base[i];
                let default =
                    || choice.has_own((f, c)) && families[f][c].neighbours && neighbours.contains(&distance);
                choice.neighbour((f, c), distance).unwrap_or_else(default)
            };
            let d = distance as i32;
            columns.extend((0..base.len()).filter(has).flat_map(|i| [(i, -d), (i, d)]));
        }
        Ok(FeatureSet::build(self, base, columns, &families))
    }

    /// Returns the feature set with these columns in this order, as listed in a model file.
    ///
    /// # Errors
    /// If a column does not belong to any family.
    pub fn with_columns(&self, names: &[String]) -> Result<FeatureSet> {
        let families = self.columns();
        let places = names.iter().map(|n| place(n, self, &families)).collect::<Result<Vec<_>>>()?;
        let mut base: Vec<_> = places.iter().map(|p| p.0).collect();
        base.sort_unstable();
        base.dedup();
        let column = |&(at, distance): &((usize, usize), i32)| (base.partition_point(|b| *b < at), distance);
        let columns: Vec<_> = places.iter().map(column).collect();
        Ok(FeatureSet::build(self, base, columns, &families))
    }
}

impl FeatureSet {
    /// Parses an expression with the families of this crate, see [`Families::feature_set`].
    ///
    /// # Errors
    /// As for [`Families::feature_set`].
    pub fn parse(expression: &str, neighbours: &[u32]) -> Result<Self> {
        Families::default().feature_set(expression, neighbours)
    }

    fn build(
        known: &Families,
        base: Vec<(usize, usize)>,
        columns: Vec<(usize, i32)>,
        families: &[Vec<Column>],
    ) -> Self {
        let name = |&(i, distance): &(usize, i32)| {
            let (f, c) = base[i];
            let suffix = if distance == 0 { String::new() } else { format!("@{distance:+}") };
            format!("{}.{}{suffix}", known.all()[f].name(), families[f][c].name)
        };
        let names: Arc<[String]> = columns.iter().map(name).collect();
        let definitions_hash = hash_of(&base, &columns, &names, families);
        let widths = families.iter().map(Vec::len).collect();
        let (needed, needed_base) = (vec![true; columns.len()], vec![true; base.len()]);
        let set = FeatureSet {
            families: known.clone(),
            base,
            columns,
            names,
            definitions_hash,
            widths,
            needed,
            needed_base,
            reads_words: false,
        };
        set.with_words()
    }

    /// Restricts the computation to some columns. The values of all other columns are undefined. `needed` has
    /// one entry per column. If no column of a family is needed, the family is not computed.
    pub fn computing(mut self, needed: Vec<bool>) -> Self {
        self.needed_base.fill(false);
        let columns = self.columns.iter().zip(&needed).filter(|(_, needed)| **needed);
        columns.for_each(|(&(base, _), _)| self.needed_base[base] = true);
        self.needed = needed;
        self.with_words()
    }

    /// Determines whether the computed columns use the page's word list.
    fn with_words(mut self) -> Self {
        let reads = |(family, width): (usize, &usize)| {
            let mut wanted = vec![false; *width];
            let own = self.base.iter().zip(&self.needed_base).filter(|b| b.0.0 == family);
            own.for_each(|(&(_, column), &needed)| wanted[column] = needed);
            wanted.contains(&true) && self.families.all()[family].reads_words(&wanted)
        };
        self.reads_words = self.widths.iter().enumerate().any(reads);
        self
    }

    /// Returns true if the column with this name is in the set and is computed.
    pub fn computes(&self, name: &str) -> bool {
        self.names.iter().zip(&self.needed).any(|(n, needed)| *needed && n == name)
    }

    /// The families that the set was created with.
    pub fn families(&self) -> &Families {
        &self.families
    }
    /// Column names of the matrix.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }
    /// Returns the source of each column of the matrix: the index of a column, and a distance in blocks. The source of
    /// a neighbour column (`NAME@-1`) is the column `NAME` at the distance -1, if the set contains `NAME`. The source
    /// of any other column is the column itself at the distance 0.
    pub fn sources(&self) -> Vec<(usize, i32)> {
        let mut own = vec![None; self.base.len()];
        let own_columns = self.columns.iter().enumerate().filter(|(_, column)| column.1 == 0);
        own_columns.for_each(|(at, &(base, _))| own[base] = Some(at));
        let source = |(at, &(base, distance)): (usize, &(usize, i32))| match own[base] {
            Some(source) if distance != 0 => (source, distance),
            _ => (at, 0),
        };
        self.columns.iter().enumerate().map(source).collect()
    }
    /// Hash of the names, units and versions of the columns. A model file with another hash is rejected.
    pub fn definitions_hash(&self) -> &str {
        &self.definitions_hash
    }
    /// Analyses a page for this set. Its words are included if a computed column uses them.
    pub fn page<'a>(&self, doc: &'a Document, blocks: &'a Blocks) -> PageContext<'a> {
        match self.reads_words {
            true => PageContext::new(doc, blocks),
            false => PageContext::without_words(doc, blocks),
        }
    }

    /// Returns the learned families that have a column in the set.
    pub fn learned_families(&self) -> Vec<&'static dyn Family> {
        let mut families: Vec<usize> = self.base.iter().map(|b| b.0).collect();
        families.dedup();
        families.into_iter().map(|f| self.families.all()[f]).filter(|f| f.learner().is_some()).collect()
    }

    /// Returns true if a column of the set needs a crawl.
    pub fn needs_crawl(&self) -> bool {
        self.base.iter().any(|b| self.families.all()[b.0].needs_crawl())
    }
}

/// Returns a hash of the names, units and versions of columns.
fn hash_of(
    base: &[(usize, usize)],
    columns: &[(usize, i32)],
    names: &[String],
    families: &[Vec<Column>],
) -> String {
    let mut hash = Sha256::new();
    for (&(i, _), name) in columns.iter().zip(names) {
        let column = &families[base[i].0][base[i].1];
        hash.update(format!("{name}\t{}\t{}\n", column.unit, column.version));
    }
    threshr_core::hex(&hash.finalize())
}

/// Returns family, column and distance for the name of a column.
fn place(name: &str, known: &Families, families: &[Vec<Column>]) -> Result<((usize, usize), i32)> {
    let unknown = || Error::features("this version has no column with this name").at_column(name);
    let (base, distance) = match name.split_once('@') {
        None => (name, 0),
        Some((base, d)) => (base, d.parse::<i32>().map_err(|_| unknown())?),
    };
    if distance.unsigned_abs() > MAX_DISTANT || (distance == 0 && base != name) {
        return Err(unknown());
    }
    let (family, column) = base.split_once('.').ok_or_else(unknown)?;
    let f = known.position(family).ok_or_else(unknown)?;
    let c = families[f].iter().position(|c| c.name == column).ok_or_else(unknown)?;
    Ok(((f, c), distance))
}

#[cfg(test)]
mod tests;
