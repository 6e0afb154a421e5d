//! Splits pages into folds by site.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Assigns each page to a fold in `0..num_folds`. Pages of one site are in the same fold. Folds have about
/// equal size.
///
/// Sites are shuffled with `seed`. Then each site, largest first, is added to the smallest fold. If there are
/// fewer sites than folds, some folds are empty. Equal seeds give equal folds.
pub fn folds(sites: &[&str], num_folds: usize, seed: u64) -> Vec<usize> {
    let mut by_site: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (page, site) in sites.iter().enumerate() {
        by_site.entry(site).or_default().push(page);
    }
    let mut groups: Vec<Vec<usize>> = by_site.into_values().collect();
    groups.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    groups.sort_by_key(|g| std::cmp::Reverse(g.len()));
    let mut sizes = vec![0; num_folds.max(1)];
    let mut fold_of = vec![0; sites.len()];
    for group in groups {
        let fold = (0..sizes.len()).min_by_key(|&f| sizes[f]).unwrap_or(0);
        sizes[fold] += group.len();
        group.into_iter().for_each(|page| fold_of[page] = fold);
    }
    fold_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_site_is_in_two_folds(sites in prop::collection::vec("[a-f]", 0..60), k in 1usize..6, seed: u64) {
            let sites: Vec<_> = sites.iter().map(String::as_str).collect();
            let fold = folds(&sites, k, seed);
            prop_assert_eq!(&fold, &folds(&sites, k, seed));
            for (a, fa) in sites.iter().zip(&fold) {
                prop_assert!(*fa < k);
                prop_assert!(sites.iter().zip(&fold).all(|(b, fb)| a != b || fa == fb));
            }
        }
    }

    #[test]
    fn folds_are_even_and_follow_the_seed() {
        let names: Vec<String> = (0..100).map(|i| format!("s{i}")).collect();
        let sites: Vec<_> = names.iter().map(String::as_str).collect();
        let fold = folds(&sites, 5, 1);
        assert!((0..5).all(|f| fold.iter().filter(|&&x| x == f).count() == 20));
        assert_ne!(fold, folds(&sites, 5, 2));
    }
}
