//! Shared code of the formats that have one record per page.

use crate::gold::{GoldFields, GoldPage, Listing};
use std::path::Path;
use threshr_core::Setting;
use threshr_core::site_of;
use threshr_core::{Error, Result};
use threshr_io::names;
use threshr_io::records::{ENOUGH, Record, Records};

/// A field that records must have.
pub(super) struct Field<'a> {
    /// Description of the content, such as `the HTML of a page`.
    pub what: &'static str,
    /// The possible names of the field. The first name that a record has is used.
    pub names: Vec<&'a str>,
    /// Whether the field contains gold. Otherwise it contains pages.
    pub is_gold: bool,
}

impl<'a> Field<'a> {
    pub(super) fn html(fields: &'a GoldFields) -> Field<'a> {
        Field { what: "the HTML of a page", names: names(&fields.html, &["html"]), is_gold: false }
    }
    pub(super) fn text(fields: &'a GoldFields, usual: &[&'static str]) -> Field<'a> {
        Field { what: "the gold text", names: names(&fields.text, usual), is_gold: true }
    }

    /// Returns whether a record has the field, with any value.
    fn is_in(&self, record: &Record) -> bool {
        self.names.iter().any(|name| record.fields.contains_key(*name))
    }

    /// Returns the value of the field as a string; a list of strings is joined by line ends. Returns `None` for null
    /// and other values that have no string.
    pub(super) fn of(&self, record: &Record) -> Option<String> {
        let value = self.names.iter().find_map(|name| record.fields.get(*name))?;
        value.as_str().map(str::to_owned).or_else(|| threshr_io::json::lines_of(value))
    }
}

/// Returns the field name given by the options, or the common names if there is none.
pub(super) fn names<'a>(chosen: &'a Option<String>, usual: &[&'static str]) -> Vec<&'a str> {
    match chosen {
        Some(name) => vec![name],
        None => usual.to_vec(),
    }
}

/// Returns a page with the common fields of a record, without HTML and gold. If the record has no id, the id is the
/// file name and the line number.
pub(super) fn page(record: &Record, path: &Path, fields: &GoldFields, ids: &[&'static str]) -> GoldPage {
    let id = record.text(&names(&fields.id, ids)).or_else(|| record.key.clone());
    let url = record.text(&names(&fields.url, &["url"]));
    let site = record.text(&["domain", "site"]).map(|s| site_of(&s).unwrap_or(s));
    GoldPage {
        id: id.unwrap_or_else(|| format!("{}:{}", names::stem(path), record.line)),
        path: path.to_path_buf(),
        line: Some(record.line),
        site: url.as_deref().and_then(site_of).or(site),
        url,
        lang: record.text(&["lang", "language"]),
        page_type: record.text(&["page_type"]),
        ..GoldPage::default()
    }
}

/// Fields that [`page`] reads, in addition to the fields of the options and of the formats.
const COMMON: [&str; 7] = ["id", "url", "domain", "site", "lang", "language", "page_type"];

/// Reads the records of a file. `make` returns the page of a record, or `None` if the record has no page.
/// Records without a page are counted and reported in a remark.
///
/// # Errors
/// If none of the first thousand records has one of the `needed` fields, a column that is read occurs twice,
/// or `make` returns an error.
pub(super) fn read(
    path: &Path,
    options: &GoldFields,
    needed: &[Field<'_>],
    mut make: impl FnMut(&Record) -> Result<Option<GoldPage>>,
) -> Result<Listing> {
    let (mut pages, mut num_records, mut without_page) = (Vec::new(), 0, Vec::new());
    let mut is_seen = vec![false; needed.len()];
    let mut first: Option<Record> = None;
    let records = Records::open(path)?;
    let chosen = [&options.html, &options.text, &options.id, &options.url];
    let chosen = chosen.into_iter().flatten().map(String::as_str);
    records.check_columns(needed.iter().flat_map(|f| f.names.iter().copied()).chain(chosen).chain(COMMON))?;
    for record in records {
        let record = record?;
        num_records += 1;
        needed.iter().zip(&mut is_seen).for_each(|(field, seen)| *seen |= field.is_in(&record));
        match make(&record).map_err(|e| e.at_path(path).at_line(record.line))? {
            Some(page) => pages.push(page),
            None => without_page.push(record.line),
        }
        first.get_or_insert(record);
        if num_records >= ENOUGH && is_seen.contains(&false) {
            break;
        }
    }
    if let (Some(field), Some(first)) = (needed.iter().zip(&is_seen).find(|(_, seen)| !**seen), &first) {
        return Err(missing(field.0, num_records, first, path));
    }
    let remarks = without_page.first().map(|line| {
        let num = without_page.len();
        let fields: Vec<&str> = needed.iter().flat_map(|f| f.names.first().copied()).collect();
        format!("{num} of {num_records} records have no page and are left out, the first in line {line} (fields: {})", fields.join(", "))
    });
    Ok(Listing { pages, remarks: remarks.into_iter().collect(), ..Listing::default() })
}

/// Returns the error for a field that no record has.
fn missing(field: &Field<'_>, num_records: usize, first: &Record, path: &Path) -> Error {
    let quoted: Vec<String> = field.names.iter().map(|name| format!("`{name}`")).collect();
    let (records, have) = if num_records == 1 { ("record", "has") } else { ("records", "have") };
    let found = match num_records {
        1 => format!("the only {records} has no field {}", quoted.join(" or ")),
        _ => format!("none of the first {num_records} {records} has a field {}", quoted.join(" or ")),
    };
    let error = Error::data(found)
        .expected(format!("{}; the {records} {have} the fields {}", field.what, first.names()))
        .at_path(path)
        .at_line(first.line);
    match field.is_gold {
        true => error.with_setting(Setting::GoldTextField),
        false => error.with_setting(Setting::HtmlField),
    }
}
