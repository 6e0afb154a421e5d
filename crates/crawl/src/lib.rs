//! Many pages in bounded memory: the runner, its outputs, and going on after a stop.

mod output;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod run;

pub use output::{Compression, Output, Reuse, Tally, check_ending, is_finished, suggest};
pub use run::{Done, Limits, Outcome, Plan, Position, run};

use std::sync::LazyLock;
use threshr_core::{Result, registry};
use threshr_extract::formats::{FORMATS, Format};

/// Every output format; the first is the default.
pub fn formats() -> &'static [&'static Format] {
    static ALL: LazyLock<Vec<&Format>> = LazyLock::new(|| {
        let all = FORMATS.to_vec();
        #[cfg(feature = "parquet")]
        let all = [all, vec![&parquet_rows::FORMAT]].concat();
        all
    });
    &ALL
}

/// The output format called `name`.
///
/// # Errors
/// Lists the names there are.
pub fn format_by_name(name: &str) -> Result<&'static Format> {
    registry::find(formats(), "format", name, |entry| entry.name)
}
