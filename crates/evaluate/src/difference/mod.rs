//! Compares two models, systems or tools on many pages, and lists the text that only one of them keeps.
//!
//! [`compare_page`] compares one page, and [`Difference`] accumulates pages in bounded memory. Differing blocks are
//! grouped by site and element path, because pages of one template have the same paths.
//! [`report::difference`](crate::report::difference()) writes the result as one HTML page.

mod counts;
mod page;
mod sides;
mod total;

pub use counts::{Counts, Keeper};
pub use page::{ExampleText, PageDifference, PlaceDifference};
pub use sides::{Side, SideMethod, compare_page};
pub use total::{
    Difference, Example, FailedPage, Group, LeftOut, NamedPages, PageOfGroup, Site, Summary, TopPage,
};
