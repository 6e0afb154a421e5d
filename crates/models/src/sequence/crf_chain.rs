//! A page as a linear chain: forward-backward algorithm, state probabilities, and the gradient of the loss.
//!
//! All sums are stored as logarithms, so long pages and large scores cause neither overflow nor underflow.
//!
//! Source: Lafferty, McCallum and Pereira, ICML 2001, "Conditional random fields".

/// Transition scores. The first index is the previous state, the second index the next state.
pub type Transitions<const S: usize> = [[f64; S]; S];

/// A page with `S` states per block.
#[derive(Debug)]
pub struct Chain<'a, const S: usize> {
    /// Score of each state at each block.
    pub scores: &'a [[f64; S]],
    /// Index in `transitions` for the transition to each block; unused for the first block.
    pub bucket: &'a [u8],
    /// Transition scores by bucket.
    pub transitions: &'a [Transitions<S>],
}

/// Forward and backward sums of a chain.
#[derive(Debug, Default)]
pub struct Sums<const S: usize> {
    /// Logarithm of the sum over all paths that end in each state, including the score of the state.
    forward: Vec<[f64; S]>,
    /// Logarithm of the sum over all paths that start from each state, excluding the score of the state.
    backward: Vec<[f64; S]>,
    /// Logarithm of the sum over all paths.
    log_z: f64,
}

/// Returns the logarithm of the sum of exponentials.
pub fn log_sum<const N: usize>(v: [f64; N]) -> f64 {
    let max = v.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + v.iter().map(|v| (v - max).exp()).sum::<f64>().ln()
}

impl<const S: usize> Chain<'_, S> {
    fn transitions_to(&self, t: usize) -> &Transitions<S> {
        &self.transitions[usize::from(self.bucket[t])]
    }

    /// Computes the forward and backward sums, in linear time.
    pub fn sums(&self) -> Sums<S> {
        let n = self.scores.len();
        let (mut forward, mut backward) = (self.scores.to_vec(), vec![[0.0; S]; n]);
        for t in 1..n {
            let (before, transitions) = (forward[t - 1], self.transitions_to(t));
            for b in 0..S {
                forward[t][b] += log_sum(std::array::from_fn::<_, S, _>(|a| before[a] + transitions[a][b]));
            }
        }
        for t in (1..n).rev() {
            let (score, after, transitions) = (self.scores[t], backward[t], self.transitions_to(t));
            for a in 0..S {
                backward[t - 1][a] =
                    log_sum(std::array::from_fn::<_, S, _>(|b| transitions[a][b] + score[b] + after[b]));
            }
        }
        let log_z = forward.last().map_or(0.0, |last| log_sum(*last));
        Sums { forward, backward, log_z }
    }

    /// Returns the probability of each state at block `t`, given the previous state. The first index is the
    /// previous state.
    fn conditional(&self, sums: &Sums<S>, t: usize) -> Transitions<S> {
        let transitions = self.transitions_to(t);
        let (before, here) = (&sums.backward[t - 1], &sums.backward[t]);
        std::array::from_fn(|a| {
            std::array::from_fn(|b| (transitions[a][b] + self.scores[t][b] + here[b] - before[a]).exp())
        })
    }

    /// Returns the loss of the true states `y`, and computes its gradient.
    ///
    /// The probability of a label sequence is a product over the blocks: the probability of each state, given
    /// the previous state and the page. The loss is the negative sum of the logarithms of these factors, each
    /// multiplied by the block's `weight`. If all weights are 1, the loss is the negative log-likelihood of the
    /// page.
    ///
    /// Writes the gradient with respect to the scores to `of_scores`. Adds the gradient with respect to the
    /// transition scores to `of_transitions`.
    pub fn loss(
        &self,
        y: &[u8],
        weight: &[f32],
        of_scores: &mut [[f64; S]],
        of_transitions: &mut [Transitions<S>],
    ) -> f64 {
        let Some(&first) = y.first() else { return 0.0 };
        let sums = self.sums();
        let (first, w) = (usize::from(first), f64::from(weight[0]));
        let mut loss = w * (sums.log_z - self.scores[0][first] - sums.backward[0][first]);
        // Derivative of the loss with respect to the backward sum of each state.
        let mut flow = sums.probabilities(0).map(|p| w * p);
        of_scores[0] = flow;
        of_scores[0][first] -= w;
        for t in 1..y.len() {
            let (from, to) = (usize::from(y[t - 1]), usize::from(y[t]));
            let w = f64::from(weight[t]);
            flow[from] += w - f64::from(weight[t - 1]);
            let conditional = self.conditional(&sums, t);
            let gradient = &mut of_transitions[usize::from(self.bucket[t])];
            let mut next = [0.0; S];
            for a in 0..S {
                for b in 0..S {
                    let part = flow[a] * conditional[a][b];
                    gradient[a][b] += part;
                    next[b] += part;
                }
            }
            gradient[from][to] -= w;
            loss += w
                * (sums.backward[t - 1][from]
                    - self.transitions_to(t)[from][to]
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
    /// Returns the log-probability of each state at block `t`, up to a common constant.
    pub fn log_weights(&self, t: usize) -> [f64; S] {
        std::array::from_fn(|k| self.forward[t][k] + self.backward[t][k])
    }

    /// Returns the probability of each state at block `t`.
    pub fn probabilities(&self, t: usize) -> [f64; S] {
        let logs = self.log_weights(t);
        let sum = log_sum(logs);
        logs.map(|v| (v - sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCORES: [[f64; 2]; 3] = [[0.0, 1.0], [0.5, -0.5], [0.0, 2.0]];
    const TRANSITIONS: [Transitions<2>; 2] = [[[0.3, -0.2], [0.1, 0.7]], [[-1.0, 0.4], [0.0, 0.2]]];

    fn chain() -> Chain<'static, 2> {
        Chain { scores: &SCORES, bucket: &[0, 0, 1], transitions: &TRANSITIONS }
    }

    /// Returns every path through three blocks with its score, computed by hand.
    fn paths() -> Vec<([usize; 3], f64)> {
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
    fn sums_and_probabilities_agree_with_enumeration() {
        let sums = chain().sums();
        let z: f64 = paths().iter().map(|(_, s)| s.exp()).sum();
        assert!((sums.log_z - z.ln()).abs() < 1e-12);
        for t in 0..3 {
            let p: f64 = paths().iter().filter(|(way, _)| way[t] == 1).map(|(_, s)| s.exp()).sum::<f64>() / z;
            let [no, yes] = sums.probabilities(t);
            assert!((yes - p).abs() < 1e-12 && (no + yes - 1.0).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn equal_weights_give_the_likelihood() {
        let (way, score) = paths()[3];
        let z: f64 = paths().iter().map(|(_, s)| s.exp()).sum();
        let (mut of_scores, mut of_transitions) = ([[0.0; 2]; 3], [[[0.0; 2]; 2]; 2]);
        let loss = chain().loss(&way.map(|s| s as u8), &[2.0; 3], &mut of_scores, &mut of_transitions);
        assert!((loss - 2.0 * (z.ln() - score)).abs() < 1e-12);
        // the gradient is the probability of each state or transition, minus 1 for the true state or
        // transition
        let of_transition: f64 =
            paths().iter().filter(|(w, _)| w[1..] == [1, 1]).map(|(_, s)| s.exp()).sum::<f64>() / z;
        assert!((of_transitions[1][1][1] - 2.0 * (of_transition - 1.0)).abs() < 1e-12);
        let p = chain().sums().probabilities(2)[1];
        assert!((of_scores[2][1] - 2.0 * (p - 1.0)).abs() < 1e-12);
    }

    #[test]
    fn a_weight_multiplies_its_factor() {
        // P(state 1 at the second block | state 0 at the first), summed over the states of the third block
        let part = |way: [usize; 2]| -> f64 {
            paths().iter().filter(|(w, _)| w[..2] == way).map(|(_, s)| s.exp()).sum()
        };
        let p = part([0, 1]) / (part([0, 0]) + part([0, 1]));
        let (mut of_scores, mut of_transitions) = ([[0.0; 2]; 3], [[[0.0; 2]; 2]; 2]);
        let loss = chain().loss(&[0, 1, 0], &[0.0, 3.0, 0.0], &mut of_scores, &mut of_transitions);
        assert!((loss + 3.0 * p.ln()).abs() < 1e-12);
    }

    #[test]
    fn long_pages_and_large_scores_give_finite_sums() {
        for n in [0, 1, 2, 100_000] {
            for size in [0.0, 3.0, 1e9] {
                let scores: Vec<_> = (0..n).map(|i| [0.0, if i % 3 == 0 { -size } else { size }]).collect();
                let transitions = [[[size, -size], [-size, size]]];
                let chain = Chain { scores: &scores, bucket: &vec![0; n], transitions: &transitions };
                let sums = chain.sums();
                let fine = |p: [f64; 2]| (p[0] + p[1] - 1.0).abs() < 1e-6;
                assert!((0..n).all(|t| fine(sums.probabilities(t))), "{n} {size}");
                let (mut of_scores, mut of_transitions) = (vec![[0.0; 2]; n], [[[0.0; 2]; 2]]);
                let loss = chain.loss(&vec![1; n], &vec![1.0; n], &mut of_scores, &mut of_transitions);
                assert!(loss.is_finite() && of_scores.iter().flatten().all(|g| g.is_finite()));
            }
        }
    }
}
