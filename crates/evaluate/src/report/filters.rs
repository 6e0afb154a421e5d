//! Template filters that format numbers and paths.

#![allow(unreachable_pub)] // for the methods that `filter_fn` generates

use askama::{Result, Values, filter_fn};
use std::borrow::Borrow;
use std::fmt::Display;
use threshr_output::formats::escape;

/// Maximum number of characters of a path in reports.
const MAX_PATH: usize = 90;

/// Formats a whole number with narrow spaces between thousands.
#[filter_fn]
pub(super) fn whole(value: impl Display, _: &dyn Values) -> Result<String> {
    let digits = value.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    Ok(String::from_utf8_lossy(&groups.join("\u{202f}".as_bytes())).into_owned())
}

/// Formats a number and its noun, with a plural `s` if the number is not 1.
#[filter_fn]
pub(super) fn plural(value: impl Display, values: &dyn Values, thing: &str) -> Result<String> {
    let number = whole::default().execute(value, values)?;
    Ok(format!("{number} {thing}{}", if number == "1" { "" } else { "s" }))
}

/// Formats a share as a percentage.
#[filter_fn]
pub(super) fn percent(share: impl Borrow<Option<f64>>, _: &dyn Values) -> Result<String> {
    Ok(share.borrow().map_or_else(|| "–".to_owned(), |share| format!("{:.1}\u{202f}%", 100.0 * share)))
}

/// Formats `part / all` as a percentage.
#[filter_fn]
pub(super) fn share(part: &u64, values: &dyn Values, all: &u64) -> Result<String> {
    let share = (*all > 0).then(|| *part as f64 / *all as f64);
    percent::default().execute(share, values)
}

/// Formats Cohen's kappa with three decimal digits.
#[filter_fn]
pub(super) fn kappa(kappa: impl Borrow<Option<f64>>, _: &dyn Values) -> Result<String> {
    Ok(kappa.borrow().map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.3}").replace('-', "−")))
}

/// Formats a coordinate with one decimal digit, which is enough for screens.
#[filter_fn]
pub(super) fn place(value: impl Display, _: &dyn Values) -> Result<String> {
    let text = format!("{value:.1}");
    Ok(if text == "-0.0" { "0.0".to_owned() } else { text })
}

/// Shortens a long path by replacing its middle.
#[filter_fn]
pub(super) fn middle(path: &str, _: &dyn Values) -> Result<String> {
    let chars: Vec<char> = path.chars().collect();
    if chars.len() <= MAX_PATH {
        return Ok(path.to_owned());
    }
    let (begin, end) = (MAX_PATH / 3, MAX_PATH - MAX_PATH / 3 - 1);
    Ok(chars[..begin].iter().chain(['…'].iter()).chain(&chars[chars.len() - end..]).collect())
}

/// Shortens a name to `most` characters. The middle is left out, because names of rows often differ at their ends only.
#[filter_fn]
pub(super) fn short(name: &str, _: &dyn Values, most: usize) -> Result<String> {
    Ok(without_middle(name, most))
}

fn without_middle(name: &str, most: usize) -> String {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= most {
        return name.to_owned();
    }
    let begin = (most - 1) / 2;
    let end = chars.len() - (most - 1 - begin);
    chars[..begin].iter().chain(['…'].iter()).chain(&chars[end..]).collect()
}

/// Escapes a text and writes its parts between back-ticks as `<code>`. A single back-tick stays.
#[filter_fn]
pub(super) fn coded(text: &str, _: &dyn Values) -> Result<String> {
    let mut parts: Vec<String> = text.split('`').map(escape).collect();
    let single = if parts.len().is_multiple_of(2) { parts.pop() } else { None };
    let part =
        |(i, part): (usize, &String)| if i % 2 == 1 { format!("<code>{part}</code>") } else { part.clone() };
    let written: String = parts.iter().enumerate().map(part).collect();
    Ok(written + &single.map_or_else(String::new, |rest| format!("`{rest}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use askama::NO_VALUES;

    #[test]
    fn backticks_become_code() {
        let coded = |text: &str| coded::default().execute(text, NO_VALUES).expect("text");
        assert_eq!(coded("there is no `a<b>`, `c`"), "there is no <code>a&lt;b&gt;</code>, <code>c</code>");
        assert_eq!(
            (coded("a`b"), coded("`a` `b"), coded("")),
            ("a`b".into(), "<code>a</code> `b".into(), "".into())
        );
    }

    #[test]
    fn long_names_keep_both_ends() {
        let short = |text: &str| without_middle(text, 9);
        assert_eq!((short("abcdefghi"), short("abcdefghijkl")), ("abcdefghi".into(), "abcd…ijkl".into()));
    }
}
