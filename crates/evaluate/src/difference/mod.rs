//! What two models, systems or tools keep otherwise over many pages.
//!
//! [`compare_page`] compares one page, and [`Difference`] adds pages up in bounded memory. Differing blocks are grouped by
//! site and by the path of their element: pages of one template have the same paths.
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
