//! Joins the registries of all crates.

use threshr_evaluate::Registries;
use threshr_extract::baseline::Systems;
use threshr_fit::Classifiers;

/// Returns the registries of all feature families, classifiers and systems of threshr.
pub fn registries() -> Registries {
    Registries {
        classifiers: Classifiers::default().with(threshr_baselines::CLASSIFIERS),
        systems: Systems::new(threshr_baselines::SYSTEMS),
        ..Registries::default()
    }
}
