//! One page as a chain: forward and backward sums, chances of states, and the gradient of the loss.
//!
//! Everything is kept as logarithms, so no length of a page and no size of a score over- or underflows.
//! Source: Lafferty, McCallum and Pereira, ICML 2001, "Conditional random fields".

/// Scores of moving from the first state to the second.
pub(crate) type Moves<const S: usize> = [[f64; S]; S];

/// A page with `S` states a block.
#[derive(Debug)]
pub(crate) struct Chain<'a, const S: usize> {
    /// Score of each state at each block.
    pub(crate) scores: &'a [[f64; S]],
    /// Which of `moves` leads to each block; that of the first block is not looked at.
    pub(crate) bucket: &'a [u8],
    /// Scores of moves, by bucket.
    pub(crate) moves: &'a [Moves<S>],
}

/// Forward and backward sums of a chain.
#[derive(Debug, Default)]
pub(crate) struct Sums<const S: usize> {
    /// Log of the sum over all ways to reach each state, the state's own score included.
    forward: Vec<[f64; S]>,
    /// Log of the sum over all ways on from each state, its own score not included.
    backward: Vec<[f64; S]>,
    /// Log of the sum over all ways.
    log_z: f64,
}

/// Log of the sum of exponentials.
pub(crate) fn log_sum<const N: usize>(v: [f64; N]) -> f64 {
    let max = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + v.iter().map(|v| (v - max).exp()).sum::<f64>().ln()
}

impl<const S: usize> Chain<'_, S> {
    fn moves_to(&self, t: usize) -> &Moves<S> {
        &self.moves[usize::from(self.bucket[t])]
    }

    /// Computes the sums, in time linear in the number of blocks.
    pub(crate) fn sums(&self) -> Sums<S> {
        let n = self.scores.len();
        let (mut forward, mut backward) = (self.scores.to_vec(), vec![[0.0; S]; n]);
        for t in 1..n {
            let (before, moves) = (forward[t - 1], self.moves_to(t));
            for b in 0..S {
                forward[t][b] += log_sum(std::array::from_fn::<_, S, _>(|a| before[a] + moves[a][b]));
            }
        }
        for t in (1..n).rev() {
            let (score, after, moves) = (self.scores[t], backward[t], self.moves_to(t));
            for a in 0..S {
                backward[t - 1][a] =
                    log_sum(std::array::from_fn::<_, S, _>(|b| moves[a][b] + score[b] + after[b]));
            }
        }
        let log_z = forward.last().map_or(0.0, |last| log_sum(*last));
        Sums { forward, backward, log_z }
    }

    /// Chance of each state at `t` given the state before it and all that follows, by state before.
    fn onward(&self, sums: &Sums<S>, t: usize) -> Moves<S> {
        let moves = self.moves_to(t);
        let (before, here) = (&sums.backward[t - 1], &sums.backward[t]);
        std::array::from_fn(|a| {
            std::array::from_fn(|b| (moves[a][b] + self.scores[t][b] + here[b] - before[a]).exp())
        })
    }

    /// The loss of the true states `y`, and its gradient.
    ///
    /// The chance of a labelling is the product of the chances of each state given the one before it (and the
    /// whole page); the loss is minus the sum of their logarithms, each times its block's `weight`. With equal
    /// weights that is the log-likelihood of the page. Gradients: by scores to `of_scores`, added by moves and
    /// bucket to `of_moves`.
    pub(crate) fn loss(
        &self,
        y: &[u8],
        weight: &[f32],
        of_scores: &mut [[f64; S]],
        of_moves: &mut [Moves<S>],
    ) -> f64 {
        let Some(&first) = y.first() else { return 0.0 };
        let sums = self.sums();
        let (first, w) = (usize::from(first), f64::from(weight[0]));
        let mut loss = w * (sums.log_z - self.scores[0][first] - sums.backward[0][first]);
        // Weight that flows on from each state: an increase of its backward sum increases the loss by that.
        let mut flow = sums.chances(0).map(|p| w * p);
        of_scores[0] = flow;
        of_scores[0][first] -= w;
        for t in 1..y.len() {
            let (from, to) = (usize::from(y[t - 1]), usize::from(y[t]));
            let w = f64::from(weight[t]);
            flow[from] += w - f64::from(weight[t - 1]);
            let onward = self.onward(&sums, t);
            let gradient = &mut of_moves[usize::from(self.bucket[t])];
            let mut next = [0.0; S];
            for a in 0..S {
                for b in 0..S {
                    let part = flow[a] * onward[a][b];
                    gradient[a][b] += part;
                    next[b] += part;
                }
            }
            gradient[from][to] -= w;
            loss += w
                * (sums.backward[t - 1][from]
                    - self.moves_to(t)[from][to]
                    - self.scores[t][to]
                    - sums.backward[t][to]);
            of_scores[t] = next;
            of_scores[t][to] -= w;
            flow = next;
        }
        loss
    }
}

impl<const S: usize> Sums<S> {
    /// Log of the chance of each state at block `t`, but for a constant that all share.
    pub(crate) fn log_chances(&self, t: usize) -> [f64; S] {
        std::array::from_fn(|k| self.forward[t][k] + self.backward[t][k])
    }

    /// Chance of each state at block `t`.
    pub(crate) fn chances(&self, t: usize) -> [f64; S] {
        let logs = self.log_chances(t);
        let sum = log_sum(logs);
        logs.map(|v| (v - sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [[f64; 2]; 3] = [[0.0, 1.0], [0.5, -0.5], [0.0, 2.0]];
    const MOVES: [Moves<2>; 2] = [[[0.3, -0.2], [0.1, 0.7]], [[-1.0, 0.4], [0.0, 0.2]]];

    fn chain() -> Chain<'static, 2> {
        Chain { scores: &SCORES, bucket: &[0, 0, 1], moves: &MOVES }
    }

    /// Every way through three blocks with its score, summed by hand.
    fn ways() -> Vec<([usize; 3], f64)> {
        vec![
            ([0, 0, 0], 0.0 + 0.3 + 0.5 - 1.0 + 0.0),
            ([0, 0, 1], 0.0 + 0.3 + 0.5 + 0.4 + 2.0),
            ([0, 1, 0], 0.0 - 0.2 - 0.5 + 0.0 + 0.0),
            ([0, 1, 1], 0.0 - 0.2 - 0.5 + 0.2 + 2.0),
            ([1, 0, 0], 1.0 + 0.1 + 0.5 - 1.0 + 0.0),
            ([1, 0, 1], 1.0 + 0.1 + 0.5 + 0.4 + 2.0),
            ([1, 1, 0], 1.0 + 0.7 - 0.5 + 0.0 + 0.0),
            ([1, 1, 1], 1.0 + 0.7 - 0.5 + 0.2 + 2.0),
        ]
    }

    #[test]
    fn sums_and_chances_agree_with_enumeration() {
        let sums = chain().sums();
        let z: f64 = ways().iter().map(|(_, s)| s.exp()).sum();
        assert!((sums.log_z - z.ln()).abs() < 1e-12);
        for t in 0..3 {
            let p: f64 = ways().iter().filter(|(way, _)| way[t] == 1).map(|(_, s)| s.exp()).sum::<f64>() / z;
            let [no, yes] = sums.chances(t);
            assert!((yes - p).abs() < 1e-12 && (no + yes - 1.0).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn equal_weights_give_the_likelihood() {
        let (way, score) = ways()[3];
        let z: f64 = ways().iter().map(|(_, s)| s.exp()).sum();
        let (mut of_scores, mut of_moves) = ([[0.0; 2]; 3], [[[0.0; 2]; 2]; 2]);
        let loss = chain().loss(&way.map(|s| s as u8), &[2.0; 3], &mut of_scores, &mut of_moves);
        assert!((loss - 2.0 * (z.ln() - score)).abs() < 1e-12);
        // then the gradient is the chance of each state and move, less the true ones
        let of_move: f64 =
            ways().iter().filter(|(w, _)| w[1..] == [1, 1]).map(|(_, s)| s.exp()).sum::<f64>() / z;
        assert!((of_moves[1][1][1] - 2.0 * (of_move - 1.0)).abs() < 1e-12);
        let p = chain().sums().chances(2)[1];
        assert!((of_scores[2][1] - 2.0 * (p - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn a_weight_is_that_of_its_factor() {
        // P(1 | 0 before, the page) at the second block, the third summed over
        let part = |way: [usize; 2]| -> f64 {
            ways().iter().filter(|(w, _)| w[..2] == way).map(|(_, s)| s.exp()).sum()
        };
        let p = part([0, 1]) / (part([0, 0]) + part([0, 1]));
        let (mut of_scores, mut of_moves) = ([[0.0; 2]; 3], [[[0.0; 2]; 2]; 2]);
        let loss = chain().loss(&[0, 1, 0], &[0.0, 3.0, 0.0], &mut of_scores, &mut of_moves);
        assert!((loss + 3.0 * p.ln()).abs() < 1e-12);
    }

    #[test]
    fn pages_of_any_length_and_scores_of_any_size_are_fine() {
        for n in [0, 1, 2, 100_000] {
            for size in [0.0, 3.0, 1e9] {
                let scores: Vec<_> = (0..n).map(|i| [0.0, if i % 3 == 0 { -size } else { size }]).collect();
                let moves = [[[size, -size], [-size, size]]];
                let chain = Chain { scores: &scores, bucket: &vec![0; n], moves: &moves };
                let sums = chain.sums();
                let fine = |p: [f64; 2]| (p[0] + p[1] - 1.0).abs() < 1e-6;
                assert!((0..n).all(|t| fine(sums.chances(t))), "{n} {size}");
                let (mut of_scores, mut of_moves) = (vec![[0.0; 2]; n], [[[0.0; 2]; 2]]);
                let loss = chain.loss(&vec![1; n], &vec![1.0; n], &mut of_scores, &mut of_moves);
                assert!(loss.is_finite() && of_scores.iter().flatten().all(|g| g.is_finite()));
            }
        }
    }
}
