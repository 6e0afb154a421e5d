//! How much each column of a row moves the sum of trees: Shapley values along the paths.
//!
//! Source: Lundberg et al., Nature Machine Intelligence 2, 2020, "From local explanations to global understanding
//! with explainable AI for trees" (path-dependent TreeSHAP). Leaf by leaf here, without recursion: a leaf is
//! reached to the product, over the columns of its path, of 1 or 0 where the column's value is known and of the
//! share of training weight where it is not; the Shapley value of such a product is a sum over coefficients of
//! a polynomial in the number of known columns.

/// A node of a tree to explain; children stand after their parents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathNode {
    pub(crate) feature: u32,
    pub(crate) cut: f32,
    /// `x[feature] <= cut` and not; 0, 0 in a leaf.
    pub(crate) children: [usize; 2],
    /// What a leaf adds.
    pub(crate) value: f64,
    /// Training weight of a leaf.
    pub(crate) cover: f64,
}

impl PathNode {
    fn is_leaf(&self) -> bool {
        self.children == [0, 0]
    }
}

/// Shapley values of the columns, trees added up.
#[derive(Debug)]
pub(crate) struct Shapley {
    /// What the trees say of no row in particular: leaves weighted by training weight.
    pub(crate) base: f64,
    of: Vec<f64>,
}

/// A column of a leaf's path: share of weight that goes the leaf's way, and whether the row does.
#[derive(Debug, Clone, Copy)]
struct Factor {
    feature: u32,
    share: f64,
    goes: bool,
}

impl Shapley {
    /// Nothing yet, for `num_columns` columns.
    pub(crate) fn new(num_columns: usize) -> Self {
        Self { base: 0.0, of: vec![0.0; num_columns] }
    }

    /// Adds a checked tree. Time grows with leaves x squared depth.
    pub(crate) fn add(&mut self, nodes: &[PathNode], row: &[f32]) {
        let cover = covers(nodes);
        let mut above = vec![None; nodes.len()];
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
            let goes_left = row[node.feature as usize] <= node.cut;
            for (side, child) in node.children.into_iter().enumerate() {
                let share = if cover[at] > 0.0 { cover[child] / cover[at] } else { 0.5 };
                let factor = Factor { feature: node.feature, share, goes: goes_left == (side == 0) };
                above[child] = Some((at, factor));
            }
        }
        let mut path = Vec::new();
        for (leaf, node) in nodes.iter().enumerate().filter(|(_, node)| node.is_leaf()) {
            path.clear();
            let mut at = leaf;
            while let Some((parent, factor)) = above[at] {
                join(&mut path, factor);
                at = parent;
            }
            self.add_leaf(&path, node.value);
        }
    }

    fn add_leaf(&mut self, path: &[Factor], value: f64) {
        self.base += value * path.iter().map(|f| f.share).product::<f64>();
        if path.iter().any(|f| !f.goes && f.share <= 0.0) {
            return; // out of reach, whatever is known
        }
        let d = path.len();
        // Coefficient k: the leaf's reach added up over all sets of k known columns that the row goes along with.
        let mut sums = vec![0.0; d + 1];
        sums[0] = 1.0;
        for (n, f) in path.iter().enumerate() {
            for k in (0..=n).rev() {
                sums[k + 1] += if f.goes { sums[k] } else { 0.0 };
                sums[k] *= f.share;
            }
        }
        for f in path {
            let known = if f.goes { 1.0 } else { 0.0 };
            self.of[f.feature as usize] += value * (known - f.share) * without(&sums, f);
        }
    }

    /// The sum for the row: the base and all columns.
    pub(crate) fn sum(&self) -> f64 {
        self.base + self.of.iter().sum::<f64>()
    }

    /// Writes the values times `scale` to `out`.
    pub(crate) fn write(&self, scale: f64, out: &mut [f32]) {
        out.iter_mut().zip(&self.of).for_each(|(out, of)| *out = (of * scale) as f32);
    }
}

/// Weight of each node, from the leaves up.
fn covers(nodes: &[PathNode]) -> Vec<f64> {
    let mut cover = vec![0.0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        cover[at] =
            if node.is_leaf() { node.cover } else { cover[node.children[0]] + cover[node.children[1]] };
    }
    cover
}

/// Adds a question to a path that may have asked for the column before.
fn join(path: &mut Vec<Factor>, factor: Factor) {
    match path.iter_mut().find(|f| f.feature == factor.feature) {
        Some(f) => (f.share, f.goes) = (f.share * factor.share, f.goes && factor.goes),
        None => path.push(factor),
    }
}

/// The mean reach over the sets of other columns, all sizes alike, `f` divided out of the polynomial.
fn without(sums: &[f64], f: &Factor) -> f64 {
    let d = sums.len() - 1;
    let (mut mean, mut rest) = (0.0, 0.0);
    // Of the d - 1 other columns, sets of size k weigh k! (d - 1 - k)! / d!, from the largest down.
    let mut weight = 1.0 / d as f64;
    for k in (0..d).rev() {
        rest = if f.goes { sums[k + 1] - f.share * rest } else { sums[k] / f.share };
        mean += weight * rest;
        weight *= (d - k) as f64 / k.max(1) as f64;
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the tree says if only the columns of `known` are known.
    fn expected(nodes: &[PathNode], row: &[f32], known: u32) -> f64 {
        let cover = covers(nodes);
        let mut open = vec![(0, 1.0)];
        let mut sum = 0.0;
        while let Some((at, reach)) = open.pop() {
            let node = &nodes[at];
            if node.is_leaf() {
                sum += reach * node.value;
            } else if known & (1 << node.feature) != 0 {
                let side = usize::from(row[node.feature as usize] > node.cut);
                open.push((node.children[side], reach));
            } else {
                open.extend(node.children.map(|c| (c, reach * cover[c] / cover[at])));
            }
        }
        sum
    }

    /// The definition: marginal contributions over all subsets.
    fn by_definition(nodes: &[PathNode], row: &[f32], column: u32) -> f64 {
        let n = row.len() as u32;
        let factorial = |k: u32| (1..=k).map(f64::from).product::<f64>();
        let sets = (0u32..1 << n).filter(|set| set & (1 << column) == 0);
        let term = |set: u32| {
            let k = set.count_ones();
            let weight = factorial(k) * factorial(n - 1 - k) / factorial(n);
            weight * (expected(nodes, row, set | 1 << column) - expected(nodes, row, set))
        };
        sets.map(term).sum()
    }

    fn node(feature: u32, cut: f32, children: [usize; 2], value: f64, cover: f64) -> PathNode {
        PathNode { feature, cut, children, value, cover }
    }

    #[test]
    fn one_question_by_hand() {
        let nodes =
            [node(1, 0.0, [1, 2], 0.0, 0.0), node(0, 0.0, [0, 0], 4.0, 3.0), node(0, 0.0, [0, 0], 8.0, 1.0)];
        let mut shapley = Shapley::new(2);
        shapley.add(&nodes, &[7.0, 1.0]);
        let mut out = [9.0; 2];
        shapley.write(1.0, &mut out);
        assert_eq!((shapley.base, out, shapley.sum()), (5.0, [0.0, 3.0], 8.0));
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            splits in proptest::collection::vec((0usize..9, 0u32..4, 0i32..4), 0..9),
            leaves in proptest::collection::vec((-9f64..9.0, 0.1f64..5.0), 20),
            row in proptest::collection::vec(0i32..5, 4),
        ) {
            let mut nodes = vec![node(0, 0.0, [0, 0], leaves[0].0, leaves[0].1)];
            for (which, feature, cut) in splits {
                let open: Vec<_> = (0..nodes.len()).filter(|&i| nodes[i].is_leaf()).collect();
                let (at, n) = (open[which % open.len()], nodes.len());
                nodes[at] = node(feature, cut as f32, [n, n + 1], 0.0, 0.0);
                nodes.extend([n, n + 1].map(|i| node(0, 0.0, [0, 0], leaves[i].0, leaves[i].1)));
            }
            let row: Vec<f32> = row.into_iter().map(|v| v as f32).collect();
            let mut shapley = Shapley::new(4);
            shapley.add(&nodes, &row);
            prop_assert!((shapley.base - expected(&nodes, &row, 0)).abs() < 1e-9);
            prop_assert!((shapley.sum() - expected(&nodes, &row, 15)).abs() < 1e-9);
            for column in 0..4 {
                let (is, should) = (shapley.of[column as usize], by_definition(&nodes, &row, column));
                prop_assert!((is - should).abs() < 1e-9, "{is} {should}");
            }
        }
    }
}
