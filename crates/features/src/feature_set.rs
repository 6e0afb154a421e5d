//! Feature sets: the columns of a matrix, and how they are computed.

use crate::expression::{Choice, MAX_DISTANT, neighbour};
use crate::families::site_repeat;
use crate::families::site_repeat::SiteCounts;
use crate::{Column, Family, FeatureMatrix, Grid, PageContext, REGISTRY};
use ndarray::{Array2, ArrayView2, ShapeBuilder};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::sync::Arc;
use threshr_core::{Budget, Error, Result};
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
    /// Which columns are computed.
    needed: Wanted,
    /// Whether a computed column reads the page's list of words.
    reads_words: bool,
}

/// Which columns are computed in one go.
#[derive(Debug, Clone)]
struct Wanted {
    /// Of the matrix.
    columns: Vec<bool>,
    /// Base columns that these need and that are not computed yet.
    base: Vec<bool>,
}

/// The computed columns of a feature set in two stages, see [`FeatureSet::stages`].
#[derive(Debug, Clone)]
pub struct Stages {
    first: Wanted,
    second: Wanted,
    /// Longest distance to a neighbour in the second stage.
    reach: usize,
}

/// Values of a page while they are computed, column by column.
struct Values {
    matrix: Vec<f32>,
    /// The base columns, if the matrix does not begin with them.
    base: Vec<f32>,
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
        let needed = Wanted { columns: vec![true; columns.len()], base: vec![true; base.len()] };
        let set = FeatureSet { base, columns, names, definitions_hash, widths, needed, reads_words: false };
        set.with_words()
    }

    /// Computes only some columns; the values of the others are undefined. `needed` has one entry for each
    /// column. A family without a needed column is not computed at all.
    pub fn computing(mut self, needed: Vec<bool>) -> Self {
        self.needed = self.wanted(needed);
        self.with_words()
    }

    /// Columns of the matrix with the base columns that they need.
    fn wanted(&self, columns: Vec<bool>) -> Wanted {
        let mut base = vec![false; self.base.len()];
        self.columns.iter().zip(&columns).filter(|c| *c.1).for_each(|(&(needed, _), _)| base[needed] = true);
        Wanted { columns, base }
    }

    /// Divides the computed columns into those of `first`, one entry for each column, and the others.
    pub fn stages(&self, first: &[bool]) -> Stages {
        let of_stage = |is_first: bool| {
            let columns = self.needed.columns.iter().zip(first);
            self.wanted(columns.map(|(&needed, &first)| needed && first == is_first).collect())
        };
        let (first, mut second) = (of_stage(true), of_stage(false));
        second.base.iter_mut().zip(&first.base).for_each(|(second, first)| *second &= !first);
        let distances = self.columns.iter().zip(&second.columns).filter(|c| *c.1).map(|(column, _)| column.1);
        let reach = distances.map(i32::unsigned_abs).max().unwrap_or(0) as usize;
        Stages { first, second, reach }
    }

    /// Sets whether the computed columns read the page's list of words.
    fn with_words(mut self) -> Self {
        let reads = |(family, width): (usize, &usize)| {
            let mut wanted = vec![false; *width];
            let own = self.base.iter().zip(&self.needed.base).filter(|b| b.0.0 == family);
            own.for_each(|(&(_, column), &needed)| wanted[column] = needed);
            wanted.contains(&true) && REGISTRY[family].reads_words(&wanted)
        };
        self.reads_words = self.widths.iter().enumerate().any(reads);
        self
    }

    /// Whether the column with this name is in the set and is computed.
    pub fn computes(&self, name: &str) -> bool {
        self.names.iter().zip(&self.needed.columns).any(|(n, needed)| *needed && n == name)
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

    /// Computes the matrix of a page, stored column by column.
    pub fn extract(&self, page: &PageContext<'_>) -> FeatureMatrix {
        self.extract_within(page, &Budget::UNLIMITED).unwrap_or_else(|e| unreachable!("without a limit: {e}"))
    }

    /// Computes the matrix of a page within a time budget, stored column by column.
    ///
    /// # Errors
    /// The budget is exhausted.
    pub fn extract_within(&self, page: &PageContext<'_>, budget: &Budget) -> Result<FeatureMatrix> {
        let n = page.len();
        if !self.begins_with_base() {
            let mut values = self.values(n);
            self.fill(page, &self.needed, None, &mut values, budget)?;
            return Ok(self.matrix(n, values));
        }
        // the columns of neighbours are appended, so that they are not set to 0 before
        let mut matrix = Vec::with_capacity(n * self.columns.len());
        matrix.resize(n * self.base.len(), 0.0);
        self.fill_base(page, n, &self.needed, None, &mut matrix, budget)?;
        let columns = self.columns.iter().zip(&self.needed.columns).skip(self.base.len());
        for (&(column, distance), &is_needed) in columns {
            let end = matrix.len() + n;
            if is_needed {
                let (from, to) = neighbours(n, distance);
                matrix.resize(matrix.len() + to.start, 0.0);
                matrix.extend_from_within(column * n + from.start..column * n + from.end);
            }
            matrix.resize(end, 0.0);
        }
        Ok(self.matrix(n, Values { matrix, base: Vec::new() }))
    }

    /// Computes the matrix of a page in two stages, stored column by column. `undecided` gets the matrix with the columns
    /// of the first stage, and says which blocks need the others. The other columns of decided blocks are undefined.
    ///
    /// # Errors
    /// The budget is exhausted. The errors of `undecided`.
    pub fn extract_in_stages(
        &self,
        page: &PageContext<'_>,
        stages: &Stages,
        undecided: impl FnOnce(ArrayView2<'_, f32>) -> Result<Vec<bool>>,
        budget: &Budget,
    ) -> Result<FeatureMatrix> {
        let n = page.len();
        let mut values = self.values(n);
        self.fill(page, &stages.first, None, &mut values, budget)?;
        let shape = (n, self.columns.len()).f();
        let matrix = ArrayView2::from_shape(shape, &values.matrix).unwrap_or_else(|e| unreachable!("{e}"));
        let blocks = around(&undecided(matrix)?, stages.reach);
        if blocks.contains(&true) {
            self.fill(page, &stages.second, Some(&blocks), &mut values, budget)?;
        }
        Ok(self.matrix(n, values))
    }

    /// The values of a page of `n` blocks, all 0.
    fn values(&self, n: usize) -> Values {
        let num_base = if self.begins_with_base() { 0 } else { self.base.len() };
        Values { matrix: vec![0.0; n * self.columns.len()], base: vec![0.0; n * num_base] }
    }

    fn matrix(&self, n: usize, values: Values) -> FeatureMatrix {
        let values = Array2::from_shape_vec((n, self.columns.len()).f(), values.matrix);
        let values = values.unwrap_or_else(|e| unreachable!("{e}"));
        FeatureMatrix::of_set(self.names.clone(), values)
    }

    /// Computes some columns. `blocks` says which blocks need them; all if `None`.
    fn fill(
        &self,
        page: &PageContext<'_>,
        wanted: &Wanted,
        blocks: Option<&[bool]>,
        values: &mut Values,
        budget: &Budget,
    ) -> Result<()> {
        let n = page.len();
        // if the matrix begins with the base columns, they are computed in place
        let num_first = if self.begins_with_base() { self.base.len() } else { 0 };
        let (first, rest) = values.matrix.split_at_mut(num_first * n);
        let base = if num_first > 0 { first } else { &mut values.base[..] };
        self.fill_base(page, n, wanted, blocks, base, budget)?;
        let columns = rest.chunks_exact_mut(n.max(1)).zip(&self.columns[num_first..]);
        for ((out, &(column, distance)), _) in columns.zip(&wanted.columns[num_first..]).filter(|c| *c.1) {
            let (from, to) = neighbours(n, distance);
            out[to].copy_from_slice(&base[column * n..][from]);
        }
        Ok(())
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

    /// Writes the columns that need a crawl into the rows of a page. A row has `stride` values.
    pub fn refill_site(&self, counts: &SiteCounts, stride: usize, values: &mut [f32]) {
        let family = site_repeat::SiteRepeat.name();
        let fill = |grid: &mut Grid<'_>| site_repeat::fill(counts, grid);
        self.fill_family(family, counts.num_with.len(), fill, |block, column, value| {
            values[block * stride + column] = value;
        });
    }

    /// Computes the columns of one family for `num_blocks` blocks, and calls `set` with block, column and
    /// value.
    pub fn fill_family(
        &self,
        family: &str,
        num_blocks: usize,
        fill: impl FnOnce(&mut Grid<'_>),
        mut set: impl FnMut(usize, usize, f32),
    ) {
        let Some(f) = REGISTRY.iter().position(|x| x.name() == family) else { return };
        let mut grid = vec![0.0; self.widths[f] * num_blocks];
        fill(&mut Grid::new(&mut grid, num_blocks));
        for (at, &(base, distance)) in self.columns.iter().enumerate().filter(|c| self.base[c.1.0].0 == f) {
            let column = &grid[self.base[base].1 * num_blocks..][..num_blocks];
            for block in 0..num_blocks {
                let from = block as i64 + i64::from(distance);
                let value = usize::try_from(from).ok().and_then(|i| column.get(i)).copied();
                set(block, at, value.unwrap_or(0.0));
            }
        }
    }

    /// Whether the matrix begins with the base columns.
    fn begins_with_base(&self) -> bool {
        self.columns.len() >= self.base.len()
            && self.columns.iter().zip(0..self.base.len()).all(|(column, i)| *column == (i, 0))
    }

    /// Computes base columns into `out`, which is column-major. Each family is computed once.
    fn fill_base(
        &self,
        page: &PageContext<'_>,
        n: usize,
        wanted: &Wanted,
        blocks: Option<&[bool]>,
        out: &mut [f32],
        budget: &Budget,
    ) -> Result<()> {
        let mut at = 0;
        while at < self.base.len() {
            budget.check()?;
            let family = self.base[at].0;
            let end = at + self.base[at..].iter().take_while(|b| b.0 == family).count();
            let wanted = &wanted.base[at..end];
            let is_whole = end - at == self.widths[family];
            // columns are sorted, so if their number is that of the family they are all of it, in order
            if is_whole && (blocks.is_none() || !wanted.contains(&false)) {
                if wanted.contains(&true) {
                    let grid = Grid::new(&mut out[at * n..end * n], n);
                    fill_family(family, page, &mut grid.wanting(wanted).wanting_blocks(blocks));
                }
            } else if wanted.contains(&true) {
                let mut grid = vec![0.0; self.widths[family] * n];
                let mut of_family = vec![false; self.widths[family]];
                (at..end).for_each(|i| of_family[self.base[i].1] = wanted[i - at]);
                let mut whole = Grid::new(&mut grid, n).wanting(&of_family).wanting_blocks(blocks);
                fill_family(family, page, &mut whole);
                for i in (at..end).filter(|i| wanted[i - at]) {
                    let column = self.base[i].1;
                    out[i * n..(i + 1) * n].copy_from_slice(&grid[column * n..(column + 1) * n]);
                }
            }
            at = end;
        }
        Ok(())
    }
}

/// Which of `n` blocks have their values in a column of neighbours at a distance, and for which blocks. The other blocks
/// have no such neighbour.
fn neighbours(n: usize, distance: i32) -> (Range<usize>, Range<usize>) {
    let shift = (distance.unsigned_abs() as usize).min(n);
    let (first, last) = (0..n - shift, shift..n);
    if distance < 0 { (first, last) } else { (last, first) }
}

/// The blocks at most `reach` blocks away from those that are set.
fn around(blocks: &[bool], reach: usize) -> Vec<bool> {
    let mut near = vec![false; blocks.len()];
    for (index, _) in blocks.iter().enumerate().filter(|b| *b.1) {
        near[index.saturating_sub(reach)..(index + reach + 1).min(blocks.len())].fill(true);
    }
    near
}

/// Fills the columns of a family; those of a learned family from the vocabularies of the page.
fn fill_family(family: usize, page: &PageContext<'_>, grid: &mut Grid<'_>) {
    let family = REGISTRY[family];
    match (family.learner(), page.vocabularies.and_then(|v| v.get(family.name()))) {
        (Some(learner), Some(vocabulary)) => {
            learner.fill_page(page, vocabulary, grid);
        }
        (Some(_), None) => {}
        (None, _) => family.fill(page, grid),
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
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn names(expression: &str, neighbours: &[u32]) -> Vec<String> {
        FeatureSet::parse(expression, neighbours).expect("a set").names().to_vec()
    }

    #[test]
    fn expressions_choose_columns() {
        assert_eq!(
            names("density.link_density+shallow.num_words", &[]),
            ["shallow.num_words", "density.link_density"]
        );
        assert_eq!(names("all,-group", &[]), names("-group", &[]));
        assert!(!names("all-group", &[]).iter().any(|n| n.starts_with("group.")));
        let with = names("density.link_density", &[2, 1]);
        assert_eq!(with, ["", "@-1", "@+1", "@-2", "@+2"].map(|s| format!("density.link_density{s}")));
        for bad in ["", "nonsense", "shallow.nonsense", "shallow,-shallow"] {
            assert!(FeatureSet::parse(bad, &[]).is_err(), "{bad}");
        }
        assert!(FeatureSet::parse("all", &[0]).is_err());
    }

    #[test]
    fn a_set_is_restored_from_its_names() {
        let set = FeatureSet::parse("all", &[1, 3]).expect("a set");
        let again = FeatureSet::from_names(set.names()).expect("a set");
        assert_eq!((again.names(), again.definitions_hash()), (set.names(), set.definitions_hash()));
        for bad in ["x", "shallow.x", "shallow.num_words@", "shallow.num_words@+99"] {
            assert!(FeatureSet::from_names(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_column_computed_alone_has_the_same_values() {
        let doc = parse_str(
            "<title>One two</title><body class=main><h1>One two</h1><table><tr><td>x<br><br>y<td><p>A cell.<a href=x>link</a></table>\
             <div><p>Five words stand here. <b>Six</b></p><div>2 comments</div><img><a href=y>More.</a></div>\
             <nav><ul><li>a<li>b <input><button>c</button></ul></nav><article><section><p>It ends here.</section></article>",
        );
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageContext::new(&doc, &blocks);
        for expression in ["all", "group.up4_share+group.main_share+position.after_title+window.rank"] {
            let set = FeatureSet::parse(expression, &[1]).expect("a set");
            let all = set.extract(&page);
            for column in 0..set.names().len() {
                let needed = (0..set.names().len()).map(|c| c == column).collect();
                let one_column = set.clone().computing(needed);
                let page = one_column.page(&doc, &blocks);
                let alone = one_column.extract(&page);
                let name = &set.names()[column];
                assert_eq!(
                    (page.has_words(), name),
                    (one_column.reads_words, name),
                    "whether the column reads words, and what `reads_words` or `word_columns` says"
                );
                assert_eq!(alone.values().column(column), all.values().column(column), "{name}");
            }
        }
    }

    #[test]
    fn columns_in_two_stages_have_the_same_values() {
        let post = |i: usize| {
            format!("<div class='post p{i}'><b>Name {i}</b><p>{}</div>", "Rain fell. ".repeat(4 * i))
        };
        let posts: String = (0..6).map(post).collect();
        let doc = parse_str(&format!(
            "<title>One two</title><nav class=menu><a href=x>Home</a><a href=y>News</a></nav><h1>One two</h1><p>By Ann Miller\
             <h2>3 comments</h2>{posts}<table><tr><td>x<td>y</table><ul class=related><li>More<li>Read more</ul>"
        ));
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let vocabulary: crate::Vocabulary =
            serde_json::from_str(r#"{"rain": 1.0, "menu": -2.0, "post": 3.0, "= read more": -4.0}"#)
                .expect("JSON");
        let vocabularies =
            ["attribute_tokens", "words"].map(|name| (name.to_owned(), vocabulary.clone())).into();
        for neighbours in [&[][..], &[1, 2]] {
            let set = FeatureSet::parse("all", neighbours).expect("a set");
            let page = || set.page(&doc, &blocks).with_vocabularies(&vocabularies);
            let all = set.extract(&page());
            for seed in 0..12usize {
                // by families, and by columns
                let family = |name: &str| name.split('.').next().map_or(0, str::len);
                let first: Vec<bool> = set
                    .names()
                    .iter()
                    .enumerate()
                    .map(|(i, name)| match seed % 2 {
                        0 => (family(name) + seed).is_multiple_of(3),
                        _ => (i * 7 + seed).is_multiple_of(3),
                    })
                    .collect();
                let undecided: Vec<bool> =
                    (0..blocks.len()).map(|i| (i * 5 + seed).is_multiple_of(4)).collect();
                let of_stages = |x: ArrayView2<'_, f32>| {
                    for (column, _) in first.iter().enumerate().filter(|c| *c.1) {
                        assert_eq!(x.column(column), all.values().column(column), "{}", set.names()[column]);
                    }
                    Ok(undecided.clone())
                };
                let staged = set
                    .extract_in_stages(&page(), &set.stages(&first), of_stages, &Budget::UNLIMITED)
                    .expect("a matrix");
                for (row, _) in undecided.iter().enumerate().filter(|u| *u.1) {
                    for (column, name) in set.names().iter().enumerate() {
                        let value = |matrix: &FeatureMatrix| matrix.values()[[row, column]];
                        assert_eq!(value(&staged), value(&all), "{name} of block {row}, seed {seed}");
                    }
                }
            }
        }
    }

    #[test]
    fn neighbours_have_the_values_of_other_rows() {
        let doc = parse_str("<p>one<p>one two<p>one two three");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let m = FeatureSet::parse("shallow.num_words", &[1])
            .expect("a set")
            .extract(&PageContext::new(&doc, &blocks));
        assert_eq!(m.values(), ndarray::array![[1.0, 0.0, 2.0], [2.0, 1.0, 3.0], [3.0, 2.0, 0.0]]);
    }

    #[test]
    fn sources_are_columns_of_the_set() {
        let names = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        let set = FeatureSet::from_names(&names(&[
            "shallow.num_words@-1",
            "density.link_density@+2",
            "shallow.num_words",
        ]));
        // link density itself is not in the set
        assert_eq!(set.expect("a set").sources(), [(2, -1), (1, 0), (2, 0)]);
    }
}
