//! Conversion of Parquet dates and times to ISO 8601. Source: Apache Parquet, LogicalTypes.md.

use chrono::{DateTime, Datelike};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::data_type::Int96;
use parquet::schema::types::ColumnDescPtr;

const SECONDS_PER_DAY: i64 = 86_400;
/// The Julian day number of 1970-01-01.
const EPOCH: i64 = 2_440_588;

/// Unit of the numbers in a date column. They count from 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Days,
    /// A fraction of a second.
    Parts {
        per_second: i64,
        /// Whether the times are in UTC.
        is_utc: bool,
    },
}

impl Unit {
    /// Returns the unit of a column. Returns `None` if the column does not contain dates.
    pub(super) fn from_column(column: &ColumnDescPtr) -> Option<Unit> {
        let parts = |per_second, is_utc| Some(Unit::Parts { per_second, is_utc });
        match column.logical_type_ref() {
            Some(LogicalType::Date) => return Some(Unit::Days),
            Some(LogicalType::Timestamp(time)) => {
                let per_second = match time.unit {
                    TimeUnit::MILLIS => 1_000,
                    TimeUnit::MICROS => 1_000_000,
                    TimeUnit::NANOS => 1_000_000_000,
                };
                return parts(per_second, time.is_adjusted_to_u_t_c);
            }
            _ => {}
        }
        match column.converted_type() {
            ConvertedType::DATE => Some(Unit::Days),
            ConvertedType::TIMESTAMP_MILLIS => parts(1_000, true),
            ConvertedType::TIMESTAMP_MICROS => parts(1_000_000, true),
            _ => None,
        }
    }

    /// Returns `2026-01-31` or `2026-01-31T12:00:00Z`, without `Z` if the times are not in UTC. Returns
    /// `None` if the year is outside 0 to 9999.
    pub(super) fn text(self, value: i64) -> Option<String> {
        match self {
            Unit::Days => {
                let date = iso(value.checked_mul(SECONDS_PER_DAY)?, 0, false)?;
                date.split('T').next().map(str::to_owned)
            }
            Unit::Parts { per_second, is_utc } => {
                let nanos = value.rem_euclid(per_second) * (1_000_000_000 / per_second);
                iso(value.div_euclid(per_second), u32::try_from(nanos).ok()?, is_utc)
            }
        }
    }
}

/// Converts a time in the format of Hive and Impala, which consists of the nanoseconds of the day and the
/// Julian day. The time zone is unknown.
pub(super) fn of_int96(value: &Int96) -> Option<String> {
    let &[low, high, day] = value.data() else { return None };
    let nanos = i64::try_from(u64::from(high) << 32 | u64::from(low)).ok()?;
    // Some writers store the day as a signed number.
    let day = i64::from(day.cast_signed()) - EPOCH;
    let seconds = day * SECONDS_PER_DAY + nanos / 1_000_000_000;
    iso(seconds, u32::try_from(nanos % 1_000_000_000).ok()?, false)
}

fn iso(seconds: i64, nanos: u32, is_utc: bool) -> Option<String> {
    let time = DateTime::from_timestamp(seconds, nanos).filter(|time| (0..=9999).contains(&time.year()))?;
    // `%.f` writes 0, 3, 6 or 9 digits.
    let text = time.format("%Y-%m-%dT%H:%M:%S%.f").to_string();
    Some(if is_utc { text + "Z" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_unit_are_iso_dates() {
        let seconds = 1_709_287_200;
        for per_second in [1_000, 1_000_000, 1_000_000_000] {
            let text = |value, is_utc| Unit::Parts { per_second, is_utc }.text(value);
            assert_eq!(text(seconds * per_second, true).as_deref(), Some("2024-03-01T10:00:00Z"));
            assert_eq!(text(seconds * per_second, false).as_deref(), Some("2024-03-01T10:00:00"));
            let half = text(seconds * per_second + per_second / 2, true);
            assert_eq!(half.as_deref(), Some("2024-03-01T10:00:00.500Z"));
            assert_eq!(text(-per_second, true).as_deref(), Some("1969-12-31T23:59:59Z"));
        }
        assert_eq!(Unit::Parts { per_second: 1_000, is_utc: true }.text(i64::MAX), None);
        assert_eq!(Unit::Days.text(19_783).as_deref(), Some("2024-03-01"));
        assert_eq!(Unit::Days.text(-1).as_deref(), Some("1969-12-31"));
        assert_eq!((Unit::Days.text(i64::MAX), Unit::Days.text(i64::from(i32::MAX))), (None, None));
        let mut time = Int96::new();
        let nanos: u64 = 36_000_500_000_000;
        time.set_data(nanos as u32, (nanos >> 32) as u32, 2_460_371);
        assert_eq!(of_int96(&time).as_deref(), Some("2024-03-01T10:00:00.500"));
        time.set_data(u32::MAX, u32::MAX, u32::MAX);
        assert_eq!(of_int96(&time), None);
    }
}
