//! TreeSHAP: Shapley values of a row's columns for a sum of trees.
//!
//! The implementation processes one leaf after another, without recursion. The reach of a leaf (the
//! probability that it is reached) is a product over the columns on its path. The factor of a known column is
//! 1 or 0. The factor of an unknown column is the share of training weight that goes towards the leaf. The
//! Shapley values of the product are computed from the coefficients of a polynomial in the number of known
//! columns.
//!
//! Source: Lundberg et al., Nature Machine Intelligence 2, 2020, "From local explanations to global
//! understanding with explainable AI for trees" (path-dependent TreeSHAP).

/// A node of a tree to explain. Children come after their parents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathNode {
    pub(crate) feature: u32,
    pub(crate) cut: f32,
    /// Indices of the children, for `x[feature] <= cut` and for greater values; `[0, 0]` in a leaf.
    pub(crate) children: [usize; 2],
    /// Value, used only for leaves.
    pub(crate) value: f64,
    /// Training weight, used only for leaves.
    pub(crate) cover: f64,
}

impl PathNode {
    fn is_leaf(&self) -> bool {
        self.children == [0, 0]
    }
}

/// Shapley values of the columns, summed over trees.
#[derive(Debug)]
pub(crate) struct Shapley {
    /// Expected value of the sum of trees: for each tree, the mean of its leaves by training weight.
    pub(crate) base: f64,
    values: Vec<f64>,
}

/// A column on the path to a leaf: the share of training weight that goes towards the leaf, and whether the
/// row goes towards the leaf.
#[derive(Debug, Clone, Copy)]
struct Factor {
    feature: u32,
    share: f64,
    goes: bool,
}

impl Shapley {
    /// Returns the values for an empty sum of trees.
    pub(crate) fn new(num_columns: usize) -> Self {
        Self { base: 0.0, values: vec![0.0; num_columns] }
    }

    /// Adds a valid tree. The run time is proportional to the number of leaves times the squared depth.
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
                add_factor(&mut path, factor);
                at = parent;
            }
            self.add_leaf(&path, node.value);
        }
    }

    fn add_leaf(&mut self, path: &[Factor], value: f64) {
        self.base += value * path.iter().map(|f| f.share).product::<f64>();
        if path.iter().any(|f| !f.goes && f.share <= 0.0) {
            return; // the row cannot reach the leaf
        }
        let d = path.len();
        // coefficient k is the sum of the leaf's reach over all sets of k known columns
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
            self.values[f.feature as usize] += value * (known - f.share) * mean_reach_without(&sums, f);
        }
    }

    /// Writes the values to `out`.
    pub(crate) fn write(&self, out: &mut [f32]) {
        out.iter_mut().zip(&self.values).for_each(|(out, value)| *out = *value as f32);
    }
}

/// Returns the training weight of each node, summed from the leaves upwards.
fn covers(nodes: &[PathNode]) -> Vec<f64> {
    let mut cover = vec![0.0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        cover[at] =
            if node.is_leaf() { node.cover } else { cover[node.children[0]] + cover[node.children[1]] };
    }
    cover
}

/// Adds a split to a path. If the path already has a split on the same column, the two are merged.
fn add_factor(path: &mut Vec<Factor>, factor: Factor) {
    match path.iter_mut().find(|f| f.feature == factor.feature) {
        Some(f) => (f.share, f.goes) = (f.share * factor.share, f.goes && factor.goes),
        None => path.push(factor),
    }
}

/// Returns the leaf's mean reach over the sets of other columns, where each set size has equal weight. Divides
/// the factor `f` out of the polynomial.
fn mean_reach_without(sums: &[f64], f: &Factor) -> f64 {
    let d = sums.len() - 1;
    let (mut mean, mut rest) = (0.0, 0.0);
    // a set of k of the d - 1 other columns has the weight k! (d - 1 - k)! / d!; sizes are processed in
    // descending order
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

    /// Returns the expected value of the tree if only the columns in `known` are known.
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

    /// Returns the Shapley value by its definition: weighted marginal contributions over all subsets.
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

    fn sum(shapley: &Shapley) -> f64 {
        shapley.base + shapley.values.iter().sum::<f64>()
    }

    #[test]
    fn one_split_by_hand() {
        let nodes =
            [node(1, 0.0, [1, 2], 0.0, 0.0), node(0, 0.0, [0, 0], 4.0, 3.0), node(0, 0.0, [0, 0], 8.0, 1.0)];
        let mut shapley = Shapley::new(2);
        shapley.add(&nodes, &[7.0, 1.0]);
        let mut out = [9.0; 2];
        shapley.write(&mut out);
        assert_eq!((shapley.base, out, sum(&shapley)), (5.0, [0.0, 3.0], 8.0));
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
            prop_assert!((sum(&shapley) - expected(&nodes, &row, 15)).abs() < 1e-9);
            for column in 0..4 {
                let (is, should) = (shapley.values[column as usize], by_definition(&nodes, &row, column));
                prop_assert!((is - should).abs() < 1e-9, "{is} {should}");
            }
        }
    }
}
