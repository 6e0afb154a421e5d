//! Training weights of blocks.

use crate::labels::example::Example;
use threshr_extract::recipe::{BlockWeight, ClassWeight, PageWeight, WeightRecipe};

/// Returns the block weights of examples, example by example, scaled to a mean of 1.
///
/// If `with_class` is false, class weights are ignored, as required for calibration.
pub(crate) fn weights(pages: &[Example<'_>], recipe: &WeightRecipe, with_class: bool) -> Vec<f32> {
    let mut all = Vec::new();
    for page in pages {
        let start = all.len();
        let blocks = page.num_tokens.iter().zip(page.masked);
        all.extend(blocks.map(|(&n, &masked)| if masked { 0.0 } else { of_block(n, recipe.block) }));
        let total: f64 = all[start..].iter().sum();
        let is_equal = recipe.page == PageWeight::Equal && total > 0.0;
        let factor = if is_equal { page.weight / total } else { page.weight };
        all[start..].iter_mut().for_each(|w| *w *= factor);
        for (weight, share) in all[start..].iter_mut().zip(page.share.into_iter().flatten()) {
            *weight *= f64::from(*share);
        }
    }
    if with_class && recipe.class == ClassWeight::Balanced {
        balance(&mut all, pages.iter().flat_map(|p| p.labels.iter().copied()));
    }
    let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
    all.into_iter().map(|w| if mean > 0.0 { (w / mean) as f32 } else { 1.0 }).collect()
}

fn of_block(num_tokens: u32, recipe: BlockWeight) -> f64 {
    let n = f64::from(num_tokens);
    match recipe {
        BlockWeight::Equal => 1.0,
        BlockWeight::Log => (2.0 + n).log2(),
        BlockWeight::Sqrt => (1.0 + n).sqrt(),
    }
}

/// Scales the weights of both classes to equal totals.
fn balance(weights: &mut [f64], labels: impl Iterator<Item = bool> + Clone) {
    let mut totals = [0.0; 2];
    weights.iter().zip(labels.clone()).for_each(|(w, l)| totals[usize::from(l)] += w);
    if totals.iter().all(|&t| t > 0.0) {
        weights.iter_mut().zip(labels).for_each(|(w, l)| *w /= totals[usize::from(l)]);
    }
}
