//! Experiments: grids of feature sets, classifiers, filters, data sets and splits.
//!
//! An [`Experiment`] is read from TOML. A [`Plan`] lists its cells. [`run`] runs the cells that have no valid
//! stored scores, and writes the page scores of each cell to a file. [`Results`] contains the tables and
//! comparisons that reports show.

mod cell;
mod fingerprint;
mod lines;
mod plan;
mod results;
mod run;
mod spec;
mod spec_list;
mod split;
mod splits;
mod store;
mod train;

pub use cell::{Extras, PageRow, RoundInfo, TestedSet};
pub use plan::{Cell, Method, Plan, Role};
pub use results::{Panel, PanelRow, Results};
pub use run::run;
pub use spec::{Ablation, ClassifierSpec, DataSpec, Experiment, FeatureSpec, PredictionSpec, SystemSpec};
pub use split::Split;
pub(crate) use train::train_and_score;
