//! Converts dates in many languages and formats to ISO 8601.

use super::date_labels::{Label, is_modified, label_of};
use super::date_order::PageOrder;
use super::date_tokens::{Token, has_number, tokens};
use super::text::cut;
use crate::dates::months::{leading_thai_month, month};
use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta};

/// Maximum number of bytes of a text that is searched for dates.
pub(super) const MAX_TEXT: usize = 400;
/// Accepted years.
pub(super) const YEARS: std::ops::RangeInclusive<i32> = 1500..=2100;
/// Years that are read as Buddhist calendar years, and the offset of that calendar from the Gregorian one.
const BUDDHIST: std::ops::RangeInclusive<i32> = 2443..=2643;
const BUDDHIST_AHEAD: i32 = 543;
/// Years that are read as Persian calendar years.
const PERSIAN: std::ops::RangeInclusive<i32> = 1300..=1480;
/// Range of Unix timestamps, in seconds, that are read as dates: 1995 to 2100.
const EPOCH: std::ops::Range<i64> = 788_918_400..4_102_444_800;

/// Maximum number of characters of a word between a day and a month: `8th March`, `8 de marzo`.
const MAX_DAY_ENDING: usize = 2;

/// Conventions for the dates of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DateStyle<'a> {
    /// Language of the page (ISO 639-1).
    pub language: Option<&'a str>,
    /// The order of day and month: whether 3/5/2024 is in March or in May.
    pub order: Order<'a>,
}

/// The order of day and month.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Order<'a> {
    #[default]
    DayFirst,
    MonthFirst,
    /// The order on this page. It is determined when a date needs it.
    OfPage(&'a PageOrder<'a>),
}

impl Order<'_> {
    fn is_month_first(self) -> bool {
        match self {
            Order::DayFirst => false,
            Order::MonthFirst => true,
            Order::OfPage(page) => page.is_month_first(),
        }
    }
}

impl From<bool> for Order<'_> {
    fn from(is_month_first: bool) -> Self {
        if is_month_first { Order::MonthFirst } else { Order::DayFirst }
    }
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// ISO 8601: `2024-05-03`, or `2024-05-03T10:20:30+02:00` if the time is known.
    pub iso: String,
    /// Whether a nearby word such as `updated` shows that this is a modification date.
    pub is_modified: bool,
}

/// Parses a value that is intended as a date, such as the value of a `datetime` attribute.
pub(crate) fn parse(value: &str, style: DateStyle<'_>) -> Option<String> {
    let value = cut(value.trim(), MAX_TEXT);
    epoch(value).or_else(|| compact(value)).or_else(|| find(value, style).map(|found| found.iso))
}

/// Returns the first date in a text. Dates with another meaning, such as a copyright year, are skipped.
pub(crate) fn find(text: &str, style: DateStyle<'_>) -> Option<Found> {
    find_all(text, style).into_iter().next()
}

/// Whether a text has a day next to the name of a month, such as `March 27`.
pub(crate) fn has_month_and_day(text: &str, style: DateStyle<'_>) -> bool {
    month_and_day(text, style).is_some()
}

/// Returns the first day in a text that is next to the name of a month, and the number of the month.
fn month_and_day(text: &str, style: DateStyle<'_>) -> Option<(u32, u32)> {
    let tokens = tokens(cut(text, MAX_TEXT));
    let day = |t: &Token<'_>| t.number_of(1..=2).filter(|day| (1..=31).contains(day));
    let month = |t: &Token<'_>| month(t.text, style.language).filter(|_| !t.is_number()).map(|m| m.number);
    let is_ending = |t: &Token<'_>| !t.is_number() && t.text.chars().count() <= MAX_DAY_ENDING;
    let both = |month: Option<u32>, day: Option<u32>| Some((month?, day?));
    let mut near =
        tokens.windows(2).map(|w| both(month(&w[1]), day(&w[0])).or(both(month(&w[0]), day(&w[1]))));
    let apart = || {
        let found = tokens.windows(3).filter(|w| is_ending(&w[1])).map(|w| both(month(&w[2]), day(&w[0])));
        found.flatten().next()
    };
    near.find_map(|found| found).or_else(apart)
}

/// A possible day of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// The year, if the text contains it.
    pub year: Option<i32>,
    /// The number of the month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
}

/// Returns the possible days of a date. There are two days for 3/5/2024, and none if the text contains no
/// day.
pub fn days(text: &str, language: Option<&str>) -> Vec<Day> {
    let language = language.map(|tag| tag.split(['-', '_']).next().unwrap_or(tag));
    let style = |month_first: bool| DateStyle { language, order: month_first.into() };
    let day = |iso: String| {
        let date = NaiveDate::parse_from_str(iso.get(..10)?, "%Y-%m-%d").ok()?;
        Some(Day { year: Some(date.year()), month: date.month(), day: date.day() })
    };
    let read = [true, false].into_iter().filter_map(|month_first| parse(text, style(month_first)));
    let mut days: Vec<Day> = read.filter_map(day).collect();
    days.dedup();
    if days.is_empty() {
        let found = month_and_day(text, style(false));
        days.extend(found.map(|(month, day)| Day { year: None, month, day }));
    }
    days
}

/// Returns the dates in a text, in order.
pub(crate) fn find_all(text: &str, style: DateStyle<'_>) -> Vec<Found> {
    let text = cut(text, MAX_TEXT);
    if !has_number(text) {
        return Vec::new();
    }
    let tokens = tokens(text);
    let (mut found, mut at, mut label, mut behind) = (Vec::new(), 0, Label::None, false);
    while at < tokens.len() {
        if let Some((iso, used)) = date_at(&tokens[at..], style) {
            // in `2024年5月3日更新`, the label is part of the same word as the unit 日
            let rest = tokens[at + used - 1].text.trim_start_matches(['日', '일']);
            behind = is_modified(rest) || tokens[at + used..].iter().take(2).any(|t| is_modified(t.text));
            if label != Label::Other {
                found.push(Found { iso, is_modified: label == Label::Modified });
            }
            (at, label) = (at + used, Label::None);
            continue;
        }
        if !tokens[at].is_number() {
            label = label_of(&tokens[at]).unwrap_or(label);
        }
        at += 1;
    }
    // in some languages the label follows the date
    if let ([only], true) = (found.as_mut_slice(), behind) {
        only.is_modified = true;
    }
    found
}

/// Parses a Unix timestamp in seconds or milliseconds.
fn epoch(value: &str) -> Option<String> {
    if !matches!(value.len(), 10 | 13) || !value.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: i64 = value.parse().ok()?;
    let seconds = if value.len() == 13 { number / 1000 } else { number };
    let time = EPOCH.contains(&seconds).then(|| DateTime::from_timestamp(seconds, 0)).flatten()?;
    Some(time.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// Parses `20240503`. A time after the date is ignored.
fn compact(value: &str) -> Option<String> {
    let len = value.bytes().take_while(u8::is_ascii_digit).count();
    if !matches!(len, 8 | 12 | 14) || !matches!(value.as_bytes().get(len), None | Some(b'T' | b'Z' | b' ')) {
        return None;
    }
    let number = |from: usize, to: usize| value[from..to].parse().ok();
    let date = date(number(0, 4)? as i32, number(4, 6)?, number(6, 8)?)?;
    (date.year() > 1900).then(|| date.to_string())
}

/// Returns a valid Gregorian date. Buddhist years are converted.
fn date(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    let year = if BUDDHIST.contains(&year) { year - BUDDHIST_AHEAD } else { year };
    YEARS.contains(&year).then(|| NaiveDate::from_ymd_opt(year, month, day)).flatten()
}

/// Converts a date of the Persian calendar by its 33-year leap cycle, which is exact for the years 1178 to 1633
/// (1799 to 2254 CE).
fn persian(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    if !PERSIAN.contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let leap_days = |years: i32| (8 * years + 21) / 33;
    let days_before = |year: i32| 365 * (year - 1) + leap_days(year - 1);
    let in_year = if month <= 7 { 31 * (month - 1) } else { 186 + 30 * (month - 7) } + day - 1;
    // 1 Farvardin 1403 is 20 March 2024
    let days = days_before(year) - days_before(1403) + in_year as i32;
    NaiveDate::from_ymd_opt(2024, 3, 20)?.checked_add_signed(TimeDelta::days(days.into()))
}

/// Parses a date at the start of a token list. Returns it as ISO 8601, and the number of its tokens.
fn date_at(tokens: &[Token<'_>], style: DateStyle<'_>) -> Option<(String, usize)> {
    if let Some((date, used)) = year_first(tokens) {
        let time = time_after(&tokens[used..]);
        let (time, more) = time.map_or((String::new(), 0), |(time, more)| (format!("T{time}"), more));
        return Some((format!("{date}{time}"), used + more));
    }
    let plain = numeric(tokens, style)
        .or_else(|| named(tokens, style))
        .or_else(|| with_units(tokens))
        .or_else(|| thai(tokens));
    plain.map(|(date, used)| (date.to_string(), used))
}

/// Parses a date with the year first: `2024-05-03`, `2024/5/3`, `2024. 5. 3.`
fn year_first(tokens: &[Token<'_>]) -> Option<(NaiveDate, usize)> {
    let [year, month, day, ..] = tokens else { return None };
    let year = year.number_of(4..=4)? as i32;
    let (month, day) =
        (month.number_after(&["-", "/", "."], 1..=2)?, day.number_after(&["-", "/", "."], 1..=2)?);
    let found = if PERSIAN.contains(&year) { persian(year, month, day) } else { date(year, month, day) };
    found.map(|date| (date, 3))
}

/// Years of two digits from this one on are in the 20th century: 70 is 1970, 69 is 2069.
const FIRST_SHORT_OF_1900: u32 = 70;

/// Returns the full year for a year of two digits.
fn full_year(short: u32) -> u32 {
    if short < FIRST_SHORT_OF_1900 { 2000 + short } else { 1900 + short }
}

/// Parses a date with the year last: `3.5.2024`, `3/5/24`, `05-03-2024`.
fn numeric(tokens: &[Token<'_>], style: DateStyle<'_>) -> Option<(NaiveDate, usize)> {
    let [first, second, last, ..] = tokens else { return None };
    let separator = second.before.trim();
    if !matches!(separator, "." | "/" | "-") || last.before.trim() != separator {
        return None;
    }
    if first.before.ends_with(['.', '/', '-', '$', '€']) && !first.before.ends_with(". ") {
        return None; // the digits are the end of a longer number
    }
    if tokens.get(3).is_some_and(|t| t.is_number() && t.before == separator) {
        return None;
    }
    let (a, b) = (first.number_of(1..=2)?, second.number_of(1..=2)?);
    let year = match last.number_of(2..=2) {
        Some(short) => full_year(short),
        None => last.number_of(4..=4)?,
    };
    // in dates with dots, the day always comes first
    let month_first = b > 12 || a <= 12 && separator != "." && style.order.is_month_first();
    let (day, month) = if month_first { (b, a) } else { (a, b) };
    date(year as i32, month, day).map(|date| (date, 3))
}

/// Maximum number of words between the day, the name of the month, and the year.
const MAX_BETWEEN: usize = 2;

/// Parses a date with the name of a month: `3 May 2024`, `3. Mai 2024`, `3 de mayo de 2024`, `May 3rd, 2024`, `2024. május 3.`
fn named(tokens: &[Token<'_>], style: DateStyle<'_>) -> Option<(NaiveDate, usize)> {
    let first = tokens.first()?;
    let month_at = |at: usize| {
        let token = tokens.get(at).filter(|t| !t.is_number() && t.is_near())?;
        month(token.text, style.language).map(|month| (month, at))
    };
    let (day, month, year, used) = if first.is_number() {
        let year_first = first.number_of(4..=4).is_some();
        let (month, at) = skipping(tokens, 1, month_at)?;
        let is_other = |at: usize| {
            let token = tokens.get(at).filter(|t| t.is_near())?;
            let digits = if year_first { 1..=2 } else { 4..=4 };
            // `16-Jun-20`
            let short = || {
                (!year_first && token.before == "-" && tokens[at - 1].before == "-")
                    .then(|| token.number_of(2..=2).map(full_year))
                    .flatten()
            };
            token.number_of(digits).or_else(short).map(|n| (n, at))
        };
        let (other, last) = skipping(tokens, at + 1, is_other)?;
        let (day, year) =
            if year_first { (other, first.number()?) } else { (first.number_of(1..=2)?, other) };
        (day, month, year, last + 1)
    } else {
        let month = month(first.text, style.language)?;
        let day_at = |at: usize| Some((tokens.get(at).filter(|t| t.is_near())?.number_of(1..=2)?, at));
        let (day, at) = skipping(tokens, 1, day_at)?;
        let year_at = |at: usize| Some((tokens.get(at).filter(|t| t.is_near())?.number_of(4..=4)?, at));
        let (year, last) = skipping(tokens, at + 1, year_at)?;
        (day, month, year, last + 1)
    };
    let date = match month.is_persian {
        true => persian(year as i32, month.number, day),
        false => date(year as i32, month.number, day),
    };
    date.map(|date| (date, used))
}

/// Returns the first result of `wanted` among the next few tokens. Only short words may be skipped:
/// `3 de mayo del 2024`, `3rd of May`, `2024 m. gegužės 3 d.`
fn skipping<T>(tokens: &[Token<'_>], from: usize, wanted: impl Fn(usize) -> Option<T>) -> Option<T> {
    for at in from..=from + MAX_BETWEEN {
        if let Some(found) = wanted(at) {
            return Some(found);
        }
        let token = tokens.get(at)?;
        if token.is_number() || token.text.chars().count() > 5 || !token.is_near() {
            return None;
        }
    }
    None
}

/// Parses a date with Chinese, Japanese or Korean units: `2024年5月3日`, `2024년 5월 3일`.
fn with_units(tokens: &[Token<'_>]) -> Option<(NaiveDate, usize)> {
    const UNITS: [[&str; 3]; 2] = [["年", "月", "日"], ["년", "월", "일"]];
    let [year, y, month, m, day, d, ..] = tokens else { return None };
    let is_unit = |u: &[&str; 3]| y.text == u[0] && m.text == u[1] && d.text.starts_with(u[2]);
    UNITS.iter().any(is_unit).then_some(())?;
    let date = date(year.number_of(4..=4)? as i32, month.number_of(1..=2)?, day.number_of(1..=2)?)?;
    Some((date, 6))
}

/// Parses a Thai date: `3 พฤษภาคม 2567`.
fn thai(tokens: &[Token<'_>]) -> Option<(NaiveDate, usize)> {
    let (day, name) = (tokens.first()?.number_of(1..=2)?, tokens.get(1)?);
    let (month, len) = leading_thai_month(name.rest)?;
    // an abbreviated month contains dots, so it may have several tokens
    let end = name.rest.len() - len;
    let (at, year) = tokens.iter().enumerate().skip(2).take(3).find(|(_, t)| t.rest.len() <= end)?;
    date(year.number_of(4..=4)? as i32, month, day).map(|date| (date, at + 1))
}

/// Parses the time after an ISO date, with its time zone if it has one: `T10:20:30.000+0200`, ` 10:20`.
fn time_after(tokens: &[Token<'_>]) -> Option<(String, usize)> {
    let (hour, mut used) = match tokens {
        [t, hour, ..] if t.text.eq_ignore_ascii_case("t") && t.before.is_empty() => (hour, 2),
        [hour, ..] if hour.before == " " => (hour, 1),
        _ => return None,
    };
    let minute = tokens.get(used)?.number_after(&[":"], 2..=2)?;
    used += 1;
    let second = tokens.get(used).and_then(|t| t.number_after(&[":"], 2..=2));
    used += usize::from(second.is_some());
    // fractions of a second
    let has_parts = tokens.get(used).is_some_and(|t| t.is_number() && matches!(t.before, "." | ","));
    used += usize::from(second.is_some() && has_parts);
    let time = NaiveTime::from_hms_opt(hour.number_of(1..=2)?, minute, second.unwrap_or(0))?;
    let (zone, more) = zone(tokens.get(used..).unwrap_or_default());
    Some((format!("{time}{zone}"), used + more))
}

/// Parses the time zone after a time. Returns it in ISO 8601, and the number of its tokens.
fn zone(tokens: &[Token<'_>]) -> (String, usize) {
    match tokens {
        [z, ..] if ["z", "utc", "gmt"].iter().any(|name| z.text.eq_ignore_ascii_case(name)) => {
            ("Z".into(), 1)
        }
        [hours, rest @ ..] if matches!(hours.before.trim(), "+" | "-" | "−") && hours.is_number() => {
            let sign = if hours.before.trim() == "+" { '+' } else { '-' };
            let minutes = rest.first().and_then(|t| t.number_after(&[":"], 2..=2));
            match (hours.text.len(), minutes) {
                (2, Some(minutes)) => (format!("{sign}{}:{minutes:02}", hours.text), 2),
                (2, None) => (format!("{sign}{}:00", hours.text), 1),
                (4, _) => (format!("{sign}{}:{}", &hours.text[..2], &hours.text[2..]), 1),
                _ => (String::new(), 0),
            }
        }
        _ => (String::new(), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(value: &str, language: &str) -> Option<String> {
        parse(value, DateStyle { language: Some(language), order: (language == "en").into() })
    }

    #[test]
    fn a_text_may_mean_several_days() {
        let day = |year, month, day| Day { year, month, day };
        let year = Some(2024);
        assert_eq!(days("3/5/2024 10:20", Some("en-GB")), [day(year, 3, 5), day(year, 5, 3)]);
        assert_eq!(days("2024-05-03T10:20:30Z", None), [day(year, 5, 3)]);
        assert_eq!(days("27. März um 10:20", Some("de")), [day(None, 3, 27)]);
        assert_eq!(days("Sunday 8th March", Some("en")), [day(None, 3, 8)]);
        assert_eq!(days("3 days ago", Some("en")), []);
    }

    #[test]
    fn forms_and_languages_are_read() {
        for (value, language, expected) in [
            ("2024-05-03", "en", "2024-05-03"),
            ("2024-05-03T10:20:30+02:00", "en", "2024-05-03T10:20:30+02:00"),
            ("2024-05-03T10:20:30.123Z", "en", "2024-05-03T10:20:30Z"),
            ("2024-05-03 10:20:30 +0200", "en", "2024-05-03T10:20:30+02:00"),
            ("2024-05-03 10:20", "de", "2024-05-03T10:20:00"),
            ("2024/5/3", "ja", "2024-05-03"),
            ("20240503", "en", "2024-05-03"),
            ("1714725000", "en", "2024-05-03T08:30:00Z"),
            ("1714725000000", "en", "2024-05-03T08:30:00Z"),
            ("Fri, 03 May 2024 10:00:00 GMT", "en", "2024-05-03"),
            ("Fri May 03 2024 10:00:00 GMT+0000", "en", "2024-05-03"),
            ("May 3rd, 2024", "en", "2024-05-03"),
            ("the 3rd of May, 2024", "en", "2024-05-03"),
            ("Sept. 3, 2024", "en", "2024-09-03"),
            ("5/3/2024", "en", "2024-05-03"),
            ("13/3/2024", "en", "2024-03-13"),
            ("5/3/2024", "fr", "2024-03-05"),
            ("03.05.2024, 12:30 Uhr", "de", "2024-05-03"),
            ("03.05.24", "de", "2024-05-03"),
            ("Freitag, 3. Mai 2024", "de", "2024-05-03"),
            ("3. März 2024", "de", "2024-03-03"),
            ("3 de mayo de 2024", "es", "2024-05-03"),
            ("vendredi 1er mars 2024", "fr", "2024-03-01"),
            ("3 мая 2024 г.", "ru", "2024-05-03"),
            ("3 Μαΐου 2024", "el", "2024-05-03"),
            ("3 września 2024", "pl", "2024-09-03"),
            ("3. listopadu 2024", "cs", "2024-11-03"),
            ("3. listopada 2024", "hr", "2024-10-03"),
            ("2024. május 3.", "hu", "2024-05-03"),
            ("2024 m. gegužės 3 d.", "lt", "2024-05-03"),
            ("3 Mayıs 2024 Cuma", "tr", "2024-05-03"),
            ("Fri 03-May-24 10:20:30", "en", "2024-05-03"),
            ("2024年5月3日 星期五", "zh", "2024-05-03"),
            ("２０２４年５月３日", "ja", "2024-05-03"),
            ("2024년 5월 3일", "ko", "2024-05-03"),
            ("3 พฤษภาคม 2567", "th", "2024-05-03"),
            ("3 พ.ค. 2567", "th", "2024-05-03"),
            ("٣ مايو ٢٠٢٤", "ar", "2024-05-03"),
            ("۱۴ اردیبهشت ۱۴۰۳", "fa", "2024-05-03"),
            ("1402/12/29", "fa", "2024-03-19"),
        ] {
            assert_eq!(parsed(value, language).as_deref(), Some(expected), "{value}");
        }
    }

    #[test]
    fn other_numbers_are_no_dates() {
        for value in [
            "2024-13-03",
            "31.02.2024",
            "0000-00-00",
            "0001-01-01T00:00:00",
            "12345678901",
            "v1.2.2024.5",
            "3 cats in 2024",
            "1234567",
            "10:20",
            "",
            "May",
            "5 of 2024",
            "192.168.1.24",
            "3 hours ago",
            "00:00:00",
        ] {
            assert_eq!(parsed(value, "en"), None, "{value}");
        }
        assert!(parsed(&"1-".repeat(10_000), "en").is_none());
    }

    #[test]
    fn words_tell_changes_and_other_dates() {
        let found = |text: &str| -> Vec<(String, bool)> {
            find_all(text, DateStyle::default()).into_iter().map(|f| (f.iso, f.is_modified)).collect()
        };
        let both = [("2024-05-03".to_owned(), false), ("2024-05-04".to_owned(), true)];
        assert_eq!(found("Published May 3, 2024 · Updated May 4, 2024"), both);
        assert_eq!(found("3. Mai 2024, aktualisiert am 4. Mai 2024"), both);
        assert_eq!(found("Updated: May 4, 2024. Published: May 3, 2024"), [both[1].clone(), both[0].clone()]);
        assert_eq!(found("2024年5月4日更新"), both[1..]);
        assert!(found("Member since 3 May 2024").is_empty());
    }
}
