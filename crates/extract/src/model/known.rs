//! The families, classifiers and systems that a model file may refer to.

use crate::baseline::Systems;
use threshr_features::Families;
use threshr_models::registry::Kinds;

/// The feature families, kinds of classifiers and systems that model files may refer to. The default contains
/// the families and classifiers of this crate and its dependencies, and no systems.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The feature families.
    pub families: Families,
    /// The kinds of classifiers.
    pub kinds: Kinds,
    /// The systems.
    pub systems: Systems,
}
