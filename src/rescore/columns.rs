//! The columns of the second pass.

use super::structure::{NUM_LEVELS, Structure};

/// Names of the columns, in order.
pub static COLUMNS: &[&str] = &[
    "score.own",
    "score.rank",
    "score.above_best",
    "score.prev1",
    "score.next1",
    "score.prev2",
    "score.next2",
    "score.prev3",
    "score.next3",
    "score.window2_mean",
    "score.window2_words",
    "score.window5_mean",
    "score.window5_words",
    "score.window10_mean",
    "score.window10_words",
    "score.group1_mean",
    "score.group1_words",
    "score.group1_share",
    "score.group2_mean",
    "score.group2_words",
    "score.group2_share",
    "score.group3_mean",
    "score.group3_words",
    "score.group3_share",
    "score.group4_mean",
    "score.group4_words",
    "score.group4_share",
    "score.group5_mean",
    "score.group5_words",
    "score.group5_share",
    "score.path_mean",
    "score.path_words",
    "score.path_blocks",
    "score.class_path_mean",
    "score.class_path_words",
    "score.class_path_blocks",
    "score.heading",
    "score.words_before",
    "score.after_first",
    "score.before_last",
    "score.page_mean",
    "score.page_words_mean",
    "score.page_words",
    "score.page_best_f1",
    "score.page_max",
];

/// Sums over a stretch of blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    blocks: f64,
    words: f64,
    scores: f64,
    /// Words times score: words of content expected.
    content: f64,
}

impl Sums {
    fn plus(self, o: Sums) -> Sums {
        Sums {
            blocks: self.blocks + o.blocks,
            words: self.words + o.words,
            scores: self.scores + o.scores,
            content: self.content + o.content,
        }
    }
    fn minus(self, o: Sums) -> Sums {
        self.plus(Sums { blocks: -o.blocks, words: -o.words, scores: -o.scores, content: -o.content })
    }
    fn mean(self) -> f32 {
        (self.scores / self.blocks.max(1.0)) as f32
    }
    /// Mean score of a word.
    fn word_mean(self) -> f32 {
        (self.content / self.words.max(1.0)) as f32
    }
}

/// Writes the columns of a page: `out` has `stride` values a block, the first column at `first`; `scores` one a block, 0..1.
pub fn fill(page: &Structure, scores: &[f32], out: &mut [f32], first: usize, stride: usize) {
    let n = page.len().min(scores.len());
    if n == 0 {
        return;
    }
    let of_block = |i: usize| {
        let (words, score) = (f64::from(page.num_words[i]), f64::from(scores[i]));
        Sums { blocks: 1.0, words, scores: score, content: words * score }
    };
    let mut before = vec![Sums::default()];
    (0..n).for_each(|i| before.push(before[i].plus(of_block(i))));
    let all = before[n];
    let between = |from: usize, to: usize| before[to].minus(before[from]);
    let by_path = sums_by(&page.path, n, of_block);
    let by_class_path = sums_by(&page.class_path, n, of_block);
    let (best_f1, ranks) = (best_f1(page, scores, all), ranks(&scores[..n]));
    let kept = |i: &usize| scores[*i] >= 0.5;
    let (first_kept, last_kept) = ((0..n).find(kept), (0..n).rev().find(kept));
    let max = scores.iter().fold(0.0f32, |a, &b| a.max(b));
    for i in 0..n {
        let mut row = Vec::with_capacity(COLUMNS.len());
        let at = |offset: i64| {
            let index = usize::try_from(i as i64 + offset).ok();
            index.and_then(|j| scores[..n].get(j)).copied().unwrap_or(0.0)
        };
        row.extend([logit(scores[i]), ranks[i], scores[i] - best_f1 / 2.0]);
        row.extend([at(-1), at(1), at(-2), at(2), at(-3), at(3)]);
        for reach in [2, 5, 10] {
            let window = between(i.saturating_sub(reach), (i + reach + 1).min(n));
            row.extend([window.mean(), window.word_mean()]);
        }
        for level in 0..NUM_LEVELS {
            let (from, to) = page.groups[i][level];
            let group = between(from as usize, (to as usize).min(n));
            let share = if all.content > 0.0 { (group.content / all.content) as f32 } else { 0.0 };
            row.extend([group.mean(), group.word_mean(), share]);
        }
        for sums in [by_path[page.path[i] as usize], by_class_path[page.class_path[i] as usize]] {
            row.extend([sums.mean(), sums.word_mean(), sums.blocks.ln() as f32]);
        }
        let heading = page.heading[i] as usize;
        row.push(scores[..n].get(heading).copied().unwrap_or(-1.0));
        row.push(if all.content > 0.0 { (before[i].content / all.content) as f32 } else { 0.0 });
        row.push(first_kept.map_or(-1.0, |f| signed_log(i as f32 - f as f32)));
        row.push(last_kept.map_or(-1.0, |l| signed_log(l as f32 - i as f32)));
        row.extend([all.mean(), all.word_mean(), (1.0 + all.content).ln() as f32, best_f1, max]);
        debug_assert_eq!(row.len(), COLUMNS.len());
        out[i * stride + first..][..COLUMNS.len()].copy_from_slice(&row);
    }
}

/// Log-odds, within ±8.
fn logit(p: f32) -> f32 {
    (p / (1.0 - p)).ln().clamp(-8.0, 8.0)
}

fn signed_log(x: f32) -> f32 {
    x.signum() * (1.0 + x.abs()).ln()
}

fn sums_by(key: &[u32], n: usize, of_block: impl Fn(usize) -> Sums) -> Vec<Sums> {
    let most = key.iter().copied().max().unwrap_or(0) as usize;
    let mut sums = vec![Sums::default(); most + 1];
    for (i, &at) in key.iter().enumerate().take(n) {
        let sum = &mut sums[at as usize];
        *sum = sum.plus(of_block(i));
    }
    sums
}

/// The greatest F1 of words to be expected of a choice of blocks: of those with the greatest scores.
fn best_f1(page: &Structure, scores: &[f32], all: Sums) -> f32 {
    let mut order: Vec<usize> = (0..page.len().min(scores.len())).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let (mut words, mut content, mut best) = (0.0, 0.0, 0.0f64);
    for i in order {
        words += f64::from(page.num_words[i]);
        content += f64::from(page.num_words[i]) * f64::from(scores[i]);
        if words + all.content > 0.0 {
            best = best.max(2.0 * content / (words + all.content));
        }
    }
    best as f32
}

/// Share of the page's blocks with a lower score.
fn ranks(scores: &[f32]) -> Vec<f32> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    scores.iter().map(|s| sorted.partition_point(|x| x < s) as f32 / scores.len() as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{self, Blocks};
    use crate::features::PageContext;
    use crate::page::{Visibility, parse_str};

    #[test]
    fn columns_are_what_they_say() {
        let doc = parse_str("<h1>a</h1><div><p>b b</p><p>c c c</p></div><ul><li>d</ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let structure = Structure::of(&PageContext::new(&doc, &blocks));
        let width = COLUMNS.len() + 1;
        let mut out = vec![9.0; width * 4];
        fill(&structure, &[0.5, 1.0, 0.5, 0.0], &mut out, 1, width);
        let of = |block: usize, name: &str| {
            out[block * width + 1 + COLUMNS.iter().position(|c| *c == name).expect("a column")]
        };
        assert_eq!((out[0], of(0, "score.own"), of(3, "score.own")), (9.0, 0.0, -8.0));
        assert_eq!((of(1, "score.prev1"), of(1, "score.next2"), of(0, "score.prev1")), (0.5, 0.0, 0.0));
        // the div holds b and c: mean .75, of words (2 + 1.5) / 5, and 3.5 of the page's 4 expected words
        assert_eq!((of(1, "score.group1_mean"), of(2, "score.group1_words")), (0.75, 0.7));
        assert_eq!(of(2, "score.group1_share"), 0.875);
        assert_eq!((of(1, "score.path_mean"), of(2, "score.heading")), (0.75, 0.5));
        // keeping a, b, c: 2 * 4 / (6 + 4)
        assert_eq!((of(0, "score.page_best_f1"), of(0, "score.page_max")), (0.8, 1.0));
        assert_eq!((of(3, "score.rank"), of(1, "score.rank")), (0.0, 0.75));
        assert!(out.iter().all(|v| v.is_finite()));
    }

    #[test]
    fn an_empty_page_is_fine() {
        fill(&Structure::default(), &[], &mut [], 0, COLUMNS.len());
    }
}
