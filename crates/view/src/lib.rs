//! What the application in the browser shows of a page, for `threshr annotate`, `threshr inspect` and the page of the
//! documentation on which anyone can try the engine.
//!
//! - [`frame`] writes a page as inert HTML in which block text is enclosed by elements.
//! - [`View`] has the labels of the blocks with their certainty and reasons, the units and the metadata, as JSON.
//! - [`explained`] is the explanation of a score, as JSON.

mod frame;
mod view;

pub use frame::frame;
pub use view::{View, explained, rounded};
