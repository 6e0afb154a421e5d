//! Labels that annotators give to the blocks of pages: the file `annotations.jsonl` in the folder of the pages.
//!
//! A line of the file is a [`Record`]: the labels that one annotator gave to one page. A later line supersedes
//! earlier lines of the same page and annotator. A [`Store`] adds lines and returns the latest record of each page
//! and annotator. [`carry_over`] transfers labels to other blocks, if the page has changed or is segmented
//! differently. [`agreement`] compares two annotators.
//!
//! ```
//! use threshr_sets::annotations::{BlockLabel, By, Label, Record, State, Store, hash, now};
//!
//! let dir = tempfile::tempdir()?;
//! let page = b"<p>Rain";
//! std::fs::write(dir.path().join("1.html"), page)?;
//! let mut store = Store::open(dir.path())?;
//! store.put(Record {
//!     id: "1.html".to_owned(),
//!     url: None,
//!     sha256: hash(page),
//!     annotator: "ada".to_owned(),
//!     time: now(),
//!     state: State::Done,
//!     model: None,
//!     labels: vec![BlockLabel {
//!         source: Some(3..7),
//!         text: "Rain".to_owned(),
//!         label: Label::Content,
//!         by: By::Person,
//!     }],
//! })?;
//! drop(store);
//! let store = Store::open(dir.path())?;
//! let record = store.get("1.html", "ada").expect("the labels");
//! assert!(record.is_of(page) && record.labels[0].label == Label::Content);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod carry_over;
mod file;
mod record;
mod renamed;
mod store;
#[cfg(test)]
mod tests;

pub use agreement::{Agreement, Disagreement, Kappa, agreement, kappa};
pub use carry_over::carry_over;
pub(crate) use carry_over::folded;
pub use file::{Contents, CutLine, read};
pub use record::{BlockLabel, By, Label, Record, State, hash, now};
pub use renamed::{Renamed, renamed, renamed_remark};
pub use store::Store;

/// The name of the annotation file in the folder of the pages.
pub const FILE: &str = threshr_io::names::ANNOTATIONS;
/// The name and version of the format, which every line contains.
pub const FORMAT: &str = "threshr-annotations-1";
