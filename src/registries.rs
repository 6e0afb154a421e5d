//! Joins the registries of all crates.

use threshr_evaluate::Registries;
use threshr_extract::baseline::Systems;
use threshr_fit::Classifiers;

/// All classifiers and all systems.
pub fn registries() -> Registries {
    Registries {
        classifiers: Classifiers::default().with(threshr_baselines::CLASSIFIERS),
        systems: Systems::new(threshr_baselines::SYSTEMS),
    }
}
