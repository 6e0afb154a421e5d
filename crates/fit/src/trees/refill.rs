//! Recomputes the node statistics of a tree from training rows.

use crate::TrainingRows;
use threshr_models::trees::flat_tree::FlatTree;

/// Recomputes the weights and counts of all nodes of a valid tree from the rows of `x`, shape (n_rows, n_columns).
///
/// Rows of weight 0 are ignored.
pub fn refill<'a>(tree: &mut FlatTree, x: impl Into<TrainingRows<'a>>, y: &[bool], weight: &[f32]) {
    tree.content.fill(0.0);
    tree.boilerplate.fill(0.0);
    tree.count.fill(0);
    let x = x.into();
    x.for_rows(0..x.nrows(), |i, row| {
        let mut node = 0;
        if weight[i] <= 0.0 {
            return;
        }
        loop {
            let sums = if y[i] { &mut tree.content } else { &mut tree.boilerplate };
            sums[node] += f64::from(weight[i]);
            tree.count[node] += 1;
            if tree.is_leaf(node) {
                break;
            }
            node = child(tree, node, row);
        }
    });
}

fn child(tree: &FlatTree, node: usize, row: &[f32]) -> usize {
    let goes_left = row[tree.feature[node] as usize] <= tree.cut[node];
    if goes_left { tree.left[node] as usize } else { tree.right[node] as usize }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn every_node_counts_its_rows() {
        // x0 <= 1 ? leaf : (x1 <= 0 ? leaf : leaf)
        let mut tree = FlatTree::default();
        for _ in 0..5 {
            tree.push_leaf(1.0, 1.0, 2);
        }
        tree.set_split(0, 0, 1.0, (1, 2));
        tree.set_split(2, 1, 0.0, (3, 4));
        let x = array![[1.0, 9.0], [2.0, 0.0], [2.0, 1.0]];
        refill(&mut tree, x.view(), &[true, false, true], &[2.0, 1.0, 0.0]);
        assert_eq!((tree.content, tree.count), (vec![2.0, 2.0, 0.0, 0.0, 0.0], vec![2, 1, 1, 1, 0]));
    }
}
