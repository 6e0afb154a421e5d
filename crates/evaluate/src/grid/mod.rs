//! Experiments: a grid of feature sets, classifiers, filters, sets and splits, its cells run once and kept.
//!
//! [`Experiment`] (TOML) → [`Plan`] (cells) → [`run`] (a file of page scores for every cell) → [`Results`].

mod cell;
mod fingerprint;
mod permutation;
mod plan;
mod results;
mod run;
mod spec;
mod spec_list;
mod split;
mod splits;
mod store;
mod train;

pub use cell::{Extras, PageRow, RoundInfo, TestedSet, ThresholdPoint};
pub use permutation::Importance;
pub use plan::{Cell, Method, Plan, Role};
pub use results::{Panel, PanelRow, Results};
pub use run::run;
pub use spec::{Ablation, ClassifierSpec, DataSpec, Experiment, FeatureSpec, PredictionSpec, SystemSpec};
pub use split::Split;
