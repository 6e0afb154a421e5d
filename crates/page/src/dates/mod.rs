//! Words of dates: months, dates relative to today.

pub mod date_words;
pub mod months;
pub mod relative_dates;
