//! Feature sets: the columns of a matrix. [`compute`] fills it.

mod compute;

use crate::expression::{Choice, MAX_DISTANT, neighbour};
use crate::{Column, Family, PageContext, REGISTRY};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use threshr_core::{Error, Result};
use threshr_html::Document;
use threshr_html::blocks::Blocks;

/// An ordered set of columns, some of which may be those of neighbouring blocks.
#[derive(Debug, Clone)]
pub struct FeatureSet {
    /// Base columns: (family, column), sorted.
    base: Vec<(usize, usize)>,
    /// Columns of the matrix: index in `base`, and the distance to the block whose value it is (0: the block
    /// itself).
    columns: Vec<(usize, i32)>,
    names: Arc<[String]>,
    definitions_hash: String,
    /// Number of columns of every family.
    widths: Vec<usize>,
    /// Which columns of the matrix are computed.
    needed: Vec<bool>,
    /// Which base columns these need.
    needed_base: Vec<bool>,
    /// Whether a computed column reads the page's list of words.
    reads_words: bool,
}

impl FeatureSet {
    /// Reads a feature-set expression.
    ///
    /// A term is a family (`shallow`), a column (`density.link_density`) or a named set
    /// ([`NAMED_SETS`](crate::NAMED_SETS), such as `victor` and `all`). Terms are joined by `+` or `,`. A
    /// term after `-` is removed: `all,-group`, `shallow+density-density.tag_density`.
    ///
    /// `neighbours` are distances to neighbouring blocks. For each distance, every column with
    /// [`neighbours`](Column::neighbours) is added twice: with the value of the block so far before
    /// (`name@-1`) and after (`name@+1`). The value is 0 if there is no such block. A term with a distance
    /// (`position@1`) adds or removes both columns for each of its columns, whatever `neighbours` is.
    ///
    /// # Errors
    /// An unknown name, an empty set, a distance of 0 or over 16.
    pub fn parse(expression: &str, neighbours: &[u32]) -> Result<Self> {
        neighbours.iter().try_for_each(|&d| neighbour(Some(d), d).map(drop))?;
        let families: Vec<Vec<Column>> = REGISTRY.iter().map(|f| f.columns()).collect();
        let choice = Choice::parse(expression, &families)?;
        let base: Vec<_> = (0..families.len())
            .flat_map(|f| (0..families[f].len()).map(move |c| (f, c)))
            .filter(|&column| choice.has(column))
            .collect();
        if base.is_empty() {
            return Err(Error::recipe(format!("the feature set `{expression}` has no columns")));
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
        Ok(Self::build(base, columns, &families))
    }

    /// The set of these columns in this order, as a model file lists them.
    ///
    /// # Errors
    /// A column that this version does not have.
    pub fn from_names(names: &[String]) -> Result<Self> {
        let families: Vec<Vec<Column>> = REGISTRY.iter().map(|f| f.columns()).collect();
        let places = names.iter().map(|n| place(n, &families)).collect::<Result<Vec<_>>>()?;
        let mut base: Vec<_> = places.iter().map(|p| p.0).collect();
        base.sort_unstable();
        base.dedup();
        let column = |&(at, distance): &((usize, usize), i32)| (base.partition_point(|b| *b < at), distance);
        let columns: Vec<_> = places.iter().map(column).collect();
        Ok(Self::build(base, columns, &families))
    }

    fn build(base: Vec<(usize, usize)>, columns: Vec<(usize, i32)>, families: &[Vec<Column>]) -> Self {
        let name = |&(i, distance): &(usize, i32)| {
            let (f, c) = base[i];
            let suffix = if distance == 0 { String::new() } else { format!("@{distance:+}") };
            format!("{}.{}{suffix}", REGISTRY[f].name(), families[f][c].name)
        };
        let names: Arc<[String]> = columns.iter().map(name).collect();
        let definitions_hash = hash_of(&base, &columns, &names, families);
        let widths = families.iter().map(Vec::len).collect();
        let (needed, needed_base) = (vec![true; columns.len()], vec![true; base.len()]);
        let set = FeatureSet {
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

    /// Computes only some columns; the values of the others are undefined. `needed` has one entry for each
    /// column. A family without a needed column is not computed at all.
    pub fn computing(mut self, needed: Vec<bool>) -> Self {
        self.needed_base.fill(false);
        let columns = self.columns.iter().zip(&needed).filter(|(_, needed)| **needed);
        columns.for_each(|(&(base, _), _)| self.needed_base[base] = true);
        self.needed = needed;
        self.with_words()
    }

    /// Sets whether the computed columns read the page's list of words.
    fn with_words(mut self) -> Self {
        let reads = |(family, width): (usize, &usize)| {
            let mut wanted = vec![false; *width];
            let own = self.base.iter().zip(&self.needed_base).filter(|b| b.0.0 == family);
            own.for_each(|(&(_, column), &needed)| wanted[column] = needed);
            wanted.contains(&true) && REGISTRY[family].reads_words(&wanted)
        };
        self.reads_words = self.widths.iter().enumerate().any(reads);
        self
    }

    /// Whether the column with this name is in the set and is computed.
    pub fn computes(&self, name: &str) -> bool {
        self.names.iter().zip(&self.needed).any(|(n, needed)| *needed && n == name)
    }

    /// Names of the columns of the matrix.
    pub fn names(&self) -> &Arc<[String]> {
        &self.names
    }
    /// For each column of the matrix: the column that it copies, and the distance to the block whose value it has.
    /// A column that copies none has itself, and 0.
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
    /// Hash over names, units and versions of the columns. A model file with another hash is rejected.
    pub fn definitions_hash(&self) -> &str {
        &self.definitions_hash
    }
    /// Prepares a page for this set. Words are found at once if a column reads them.
    pub fn page<'a>(&self, doc: &'a Document, blocks: &'a Blocks) -> PageContext<'a> {
        match self.reads_words {
            true => PageContext::new(doc, blocks),
            false => PageContext::without_words(doc, blocks),
        }
    }

    /// Learned families with a column in the set.
    pub fn learned_families(&self) -> Vec<&'static dyn Family> {
        let mut families: Vec<usize> = self.base.iter().map(|b| b.0).collect();
        families.dedup();
        families.into_iter().map(|f| REGISTRY[f]).filter(|f| f.learner().is_some()).collect()
    }

    /// Whether a column of the set needs a crawl.
    pub fn needs_crawl(&self) -> bool {
        self.base.iter().any(|b| REGISTRY[b.0].needs_crawl())
    }
}

/// Hash over names, units and versions of columns.
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

/// Family, column and distance by the name of a column.
fn place(name: &str, families: &[Vec<Column>]) -> Result<((usize, usize), i32)> {
    let unknown = || Error::features("this version has no column with this name").at_column(name);
    let (base, distance) = match name.split_once('@') {
        None => (name, 0),
        Some((base, d)) => (base, d.parse::<i32>().map_err(|_| unknown())?),
    };
    if distance.unsigned_abs() > MAX_DISTANT || (distance == 0 && base != name) {
        return Err(unknown());
    }
    let (family, column) = base.split_once('.').ok_or_else(unknown)?;
    let f = REGISTRY.iter().position(|f| f.name() == family).ok_or_else(unknown)?;
    let c = families[f].iter().position(|c| c.name == column).ok_or_else(unknown)?;
    Ok(((f, c), distance))
}

#[cfg(test)]
mod tests;
