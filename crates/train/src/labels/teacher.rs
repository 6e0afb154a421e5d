//! Targets from another model, the teacher (Hinton, Vinyals and Dean, 2015, "Distilling the knowledge in a neural
//! network"): a small model learns the scores of a large one, also on pages without gold.

use threshr_core::policy::{Policy, PolicyChoice};
use threshr_core::{Budget, Error, Result};
use threshr_extract::decision::DecisionOptions;
use threshr_extract::flow::{self, Page};
use threshr_extract::model::Model;
use threshr_extract::recipe::Recipe;

/// Targets nearer to 0 or 1 than this become 0 or 1, so that most blocks are learned with one label.
const CERTAIN: f32 = 0.02;

/// Checks that there is a teacher if and only if the recipe names one, and that it scores the blocks of the recipe.
pub(crate) fn check(recipe: &Recipe, teacher: Option<&Model>) -> Result<()> {
    match (recipe.labels.teacher.as_deref(), teacher) {
        (None, None) => Ok(()),
        (Some(name), None) => {
            Err(Error::invalid_option(format!("the recipe has the teacher `{name}`, but no model is given"))
                .expected("the model with this name"))
        }
        (None, Some(_)) => Err(Error::invalid_option("a teacher is given, but the recipe has none")
            .expected("its name as `labels.teacher`")),
        (Some(name), Some(teacher)) => {
            let theirs = teacher.recipe();
            if (&theirs.block, &theirs.page) == (&recipe.block, &recipe.page) {
                return Ok(());
            }
            Err(Error::invalid_option(format!("the teacher `{name}` splits pages into other blocks"))
                .expected("a teacher with the `block` and `page` settings of the recipe"))
        }
    }
}

/// Returns the scores of a page's blocks under a policy.
pub(crate) fn scores(teacher: &Model, page: &Page, policy: Policy) -> Result<Vec<f32>> {
    let (decision, budget) = (teacher.decision(&DecisionOptions::default(), None), Budget::UNLIMITED);
    let features = flow::features(teacher, page, PolicyChoice::Always(policy), &decision, None, &budget)?;
    Ok(flow::score(teacher.fitted(), features.rows(teacher.columns())?, None, &budget)?.0)
}

/// Returns the probability of content that is learned for each block: the mean of its score, which has the weight
/// `weight`, and its label.
///
/// On a page without gold, the teacher alone labels the masked blocks, and they are no longer masked.
pub(crate) fn targets(
    scores: &[f32],
    weight: f32,
    has_gold: bool,
    labels: &mut [bool],
    masked: &mut [bool],
) -> Vec<f32> {
    let target = |((&score, label), masked): ((&f32, &mut bool), &mut bool)| {
        let mut weight = weight;
        if *masked && !has_gold {
            (*label, *masked, weight) = (score >= 0.5, false, 1.0);
        }
        match weight * score + (1.0 - weight) * f32::from(u8::from(*label)) {
            target if target < CERTAIN => 0.0,
            target if target > 1.0 - CERTAIN => 1.0,
            target => target,
        }
    };
    scores.iter().zip(labels).zip(masked).map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::{page, set};
    use crate::{Corpus, Needs, fit_pages, train};
    use threshr_core::progress::Quiet;
    use threshr_features::Families;
    use threshr_fit::Classifiers;
    use threshr_sets::gold::DataSet;

    #[test]
    fn targets_are_means() {
        let (mut labels, mut masked) = ([true, false, false], [false, false, true]);
        let scores = [0.6, 0.01, 0.8];
        assert_eq!(targets(&scores, 0.5, true, &mut labels, &mut masked), [0.8, 0.0, 0.4]);
        assert_eq!((labels, masked), ([true, false, false], [false, false, true]));
        assert_eq!(targets(&scores, 0.5, false, &mut labels, &mut masked), [0.8, 0.0, 0.8]);
        assert_eq!((labels, masked), ([true, false, true], [false, false, false]));
    }

    /// Pages of a set, of which the first `num_gold` have gold. Content is in paragraphs.
    fn pages(dir: &std::path::Path, num_gold: usize) -> DataSet {
        let page = |i: usize| {
            let text = format!("On day {i} it rained in the north, and nobody went out of the house.");
            let html = format!("<ul><li><a href=/>Home</a><li><a href=/news>News {i}</a></ul><p>{text}");
            let mut page = page(dir, &i.to_string(), &html, &text);
            page.url = Some(format!("https://site{i}.example/"));
            page.gold = page.gold.filter(|_| i < num_gold);
            page
        };
        set(dir, (0..30).map(page).collect())
    }

    #[test]
    fn a_student_learns_from_pages_without_gold() {
        let dir = tempfile::tempdir().expect("a folder");
        let parse = |text: &str| Recipe::from_toml(text).expect("a recipe");
        let own = "features = { set = 'shallow+density' }\nclassifier = { name = 'tree' }\n";
        let (recipe, student) = (parse(own), parse(&format!("{own}labels.teacher = 'teacher'")));
        let features = recipe.feature_set(&Families::default()).expect("a feature set");
        let read = |num_gold, recipe: &Recipe, teacher: Option<&Model>| {
            Corpus::read_to_train(&[pages(dir.path(), num_gold)], recipe, &features, teacher, &Quiet)
        };
        let classifiers = Classifiers::default();
        let fit = |corpus, recipe: &Recipe| train(corpus, recipe, &classifiers, &Quiet).expect("trained");
        let teacher = fit(read(30, &recipe, None).expect("pages"), &recipe);
        let alone = fit(read(10, &recipe, None).expect("pages"), &recipe);
        let corpus = read(10, &student, Some(&teacher)).expect("pages");
        let taught = corpus.pages[20].targets.as_deref().expect("targets");
        assert!(taught[0] < 0.5 && taught[2] > 0.5 && corpus.pages[20].labels[2], "{taught:?}");
        let model = fit(corpus, &student);
        assert_eq!((alone.summary().num_pages, model.summary().num_pages), (10, 30));

        let other = parse(&format!("{own}labels.teacher = 'teacher'\nblock.segmentation = 'text-node'"));
        for (recipe, teacher, part) in [
            (&student, None, "no model is given"),
            (&recipe, Some(&teacher), "labels.teacher"),
            (&other, Some(&teacher), "other blocks"),
        ] {
            let error = read(10, recipe, teacher).expect_err(part).to_string();
            assert!(error.contains(part), "{error}");
        }
        let set = pages(dir.path(), 30);
        let corpus =
            Corpus::read(&[set], &student, Some(&features), Needs::default(), &Quiet).expect("pages");
        let held_out = fit_pages(&corpus, &[0, 1, 2], &student, &classifiers, &Quiet);
        let error = held_out.expect_err("an error").to_string();
        assert!(error.contains("cross-validated"), "{error}");
    }
}
