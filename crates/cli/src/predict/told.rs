//! Messages of `predict` about failed and incomplete pages. The first errors are printed one by one; after
//! the last page, all errors are counted by kind.

use std::collections::BTreeMap;
use std::time::Duration;
use threshr_core::Error;
use threshr_crawl::Tally;

/// Maximum number of pages that are named.
const MAX_NAMED: u64 = 20;
/// Maximum number of kinds of errors that are counted. Other kinds are counted together.
const MAX_KINDS: usize = 200;
const MAX_LISTED: usize = 10;
/// Runs that take at least this time print a summary at the end.
const LONG: Duration = Duration::from_secs(60);

/// The errors of the pages of a run.
#[derive(Debug, Default)]
pub(super) struct Told {
    num: u64,
    kinds: BTreeMap<String, u64>,
}

impl Told {
    /// Counts an error. Calls `say` for the first [`MAX_NAMED`] errors.
    pub(super) fn tell(&mut self, error: &Error, say: impl FnOnce(&Error)) {
        self.num += 1;
        let kind = kind(&error.message);
        let is_known = self.kinds.len() < MAX_KINDS || self.kinds.contains_key(&kind);
        *self.kinds.entry(if is_known { kind } else { "other".to_owned() }).or_default() += 1;
        if self.num <= MAX_NAMED {
            say(error);
        }
    }

    /// Returns the number of errors of each kind, or `None` if all errors were printed one by one.
    pub(super) fn summary(&self) -> Option<String> {
        let num_more = self.num.checked_sub(MAX_NAMED).filter(|&num| num > 0)?;
        let mut kinds: Vec<(&String, &u64)> = self.kinds.iter().collect();
        kinds.sort_by(|a, b| b.1.cmp(a.1));
        let listed: Vec<String> =
            kinds.iter().take(MAX_LISTED).map(|(kind, num)| format!("{num} {kind}")).collect();
        let more = if kinds.len() > MAX_LISTED { "; …" } else { "" };
        Some(format!(
            "{num_more} more errors are not listed; all errors by kind: {}{more}",
            listed.join("; ")
        ))
    }
}

/// Returns the kind of an error: its message without numbers and without the position in brackets, because these
/// differ between pages.
fn kind(message: &str) -> String {
    let message = message.split(" (record ").next().unwrap_or(message);
    let mut kind = String::new();
    let mut rest = message;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(start);
        let (number, after) =
            number.split_at(number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len()));
        kind.push_str(before);
        // Digits inside a word are part of a name, such as 7z.
        let is_name = before.ends_with(char::is_alphabetic) || after.starts_with(char::is_alphabetic);
        kind.push_str(if is_name { number } else { "N" });
        rest = after;
    }
    kind.push_str(rest);
    kind
}

/// Returns the summary of a long run. Without a terminal there is no progress bar that shows it.
pub(super) fn long_run(tally: &Tally, elapsed: Duration) -> Option<String> {
    let (pages, failed, seconds) = (tally.num_pages, tally.num_failed, elapsed.as_secs());
    (elapsed >= LONG).then(|| format!("{pages} pages written, {failed} failed, in {seconds} s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_errors_are_counted_by_kind() {
        let mut told = Told::default();
        let mut said = 0;
        for i in 0..3_000 {
            let message = match i % 3 {
                0 => "this looks like a PDF".to_owned(),
                1 => format!("the record has {i} bytes (record {i}, byte 5, http://a.example/{i})"),
                _ => format!("given up after 0.{i} s"),
            };
            told.tell(&Error::data(message), |_| said += 1);
        }
        assert_eq!(said, MAX_NAMED);
        let summary = told.summary().expect("a summary");
        assert_eq!(
            summary,
            "2980 more errors are not listed; all errors by kind: 1000 given up after N.N s; 1000 the record has N bytes; \
             1000 this looks like a PDF"
        );
        assert_eq!(kind("this looks like a 7z archive"), "this looks like a 7z archive");
        let mut few = Told::default();
        (0..MAX_NAMED).for_each(|_| few.tell(&Error::data("x"), |_| {}));
        assert_eq!(few.summary(), None);
        let mut many = Told::default();
        let kinds = |i: u32| char::from_u32(0x4e00 + i).expect("a character").to_string();
        (0..1_000).for_each(|i| many.tell(&Error::data(kinds(i)), |_| {}));
        assert!(many.kinds.len() <= MAX_KINDS + 1 && many.summary().expect("many").len() < 200);
    }

    #[test]
    fn long_runs_say_what_they_did() {
        let tally = Tally { num_pages: 5, num_failed: 2, ..Tally::default() };
        assert_eq!(long_run(&tally, Duration::from_secs(59)), None);
        assert_eq!(
            long_run(&tally, Duration::from_secs(75)).as_deref(),
            Some("5 pages written, 2 failed, in 75 s")
        );
    }
}
