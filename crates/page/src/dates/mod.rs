//! Words of dates: months, and dates relative to the current day.

pub mod date_words;
pub mod months;
pub mod relative_dates;
