//! Many pages: readers of crawls, a bounded pipeline over them, and outputs that a killed run can go on with.

mod http;
mod out;
mod page;
mod read;
mod run;

pub use http::Encoding;
pub use out::{Compression, Output, Reuse, Tally, check_ending, is_finished, suggest};
pub use page::{Body, Item, Loaded, RawPage, Unread};
pub use read::{Fields, READERS, Reader, Source, Sources, sources};
pub use run::{Done, Limits, Outcome, Plan, Position, run};
