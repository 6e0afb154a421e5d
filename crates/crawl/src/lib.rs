//! Processes many pages in bounded memory: runner, outputs, and resuming after an interruption.
//!
//! - [`run`] reads the inputs of a [`Plan`], processes pages in several threads and returns results in input
//!   order.
//! - [`LoadedPage`] is a page with everything that an extractor needs as input.
//! - [`Limits`](threshr_core::Limits) limits the CPU time and the size of each page. If a page exceeds a limit, only
//!   this page fails.
//! - [`Output`] writes the results. A killed run leaves `OUT.part` and `OUT.journal`, from which another run can
//!   resume.
//!
//! ```
//! use std::sync::Arc;
//! use threshr_core::Limits;
//! use threshr_crawl::{Outcome, Plan, Position, run};
//! use threshr_io::{Fields, RawPage, sources};
//!
//! let dir = tempfile::tempdir()?;
//! let file = dir.path().join("pages.jsonl");
//! std::fs::write(&file, "{\"id\":\"a\",\"html\":\"<p>1\"}\n{\"id\":\"b\",\"html\":\"<p>22\"}\n")?;
//!
//! let inputs = sources(&[file], None)?.sources;
//! let plan = Plan {
//!     sources: &inputs,
//!     fields: &Fields::default(),
//!     start: Position::default(),
//!     jobs: 2,
//!     limits: Limits::default(),
//!     bytes_read: &Arc::default(),
//! };
//! let mut lengths = Vec::new();
//! let work = |page: RawPage, _: &threshr_core::Budget| Ok(page.load(None)?.bytes.len());
//! run(&plan, work, |done| {
//!     if let Outcome::Page(length) = done.outcome {
//!         lengths.push(length);
//!     }
//!     Ok(())
//! })?;
//! assert_eq!(lengths, [4, 5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod loaded_page;
mod output;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod queue;
mod run;

pub use loaded_page::LoadedPage;
pub use output::{Compression, Output, Reuse, Tally, check_ending, check_finished, is_finished, suggest};
pub use run::{Done, Outcome, Plan, Position, run};

use std::sync::LazyLock;
use threshr_core::{Result, registry};
use threshr_output::formats::{FORMATS, Format};

/// All output formats; the first is the default.
pub fn formats() -> &'static [&'static Format] {
    static ALL: LazyLock<Vec<&Format>> = LazyLock::new(|| {
        let all = FORMATS.to_vec();
        #[cfg(feature = "parquet")]
        let all = [all, vec![&parquet_rows::FORMAT]].concat();
        all
    });
    &ALL
}

/// Finds the output format `name`.
///
/// # Errors
/// If no format has this name. The error lists all names.
pub fn format_by_name(name: &str) -> Result<&'static Format> {
    registry::find(formats(), "format", name, |entry| entry.name)
}
