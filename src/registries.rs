//! The registries of all crates, joined.

use threshr_evaluate::Registries;
use threshr_extract::baseline::Systems;
use threshr_models::Classifiers;

/// Every classifier and every system that this program knows.
pub fn registries() -> Registries {
    Registries {
        classifiers: Classifiers::default().with(threshr_baselines::CLASSIFIERS),
        systems: Systems::new(threshr_baselines::SYSTEMS),
    }
}
