//! The labels of one page by one annotator.

use crate::annotations::FORMAT;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::time::SystemTime;
use threshr_core::{Error, Result};
use threshr_io::json;

/// The labels of the blocks of one page by one annotator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The path of the page relative to the folder of the set, with `/` between folders.
    pub id: String,
    /// The URL of the page, if it is known.
    pub url: Option<String>,
    /// SHA-256 hash of the decompressed bytes of the page, see [`hash`].
    pub sha256: String,
    /// The name of the annotator.
    pub annotator: String,
    /// Time at which the labels were written: RFC 3339 in UTC, such as `2026-11-28T10:00:00Z`; see [`now`].
    pub time: String,
    /// The progress of the annotator.
    pub state: State,
    /// The name of the model whose predictions were the initial labels, if any.
    pub model: Option<String>,
    /// The blocks with their labels, in the order of the page.
    pub labels: Vec<BlockLabel>,
}

/// A block of a page with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockLabel {
    /// The byte range of the block in the page, as [`source_of`](threshr_html::Document::source_of) returns it;
    /// `None` if it is unknown.
    #[serde(default, with = "source")]
    pub source: Option<Range<usize>>,
    /// The full text of the block, with white space collapsed.
    pub text: String,
    /// The label of the block.
    pub label: Label,
    /// Whether the annotator or a model gave the label.
    pub by: By,
}

/// The progress of an annotator with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The page is not finished. It has no gold.
    Draft,
    /// All blocks are labelled. Only pages in this state have gold.
    Done,
    /// The annotator decided not to label the page.
    Skipped,
}

/// The origin of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The annotator gave or changed the label.
    Person,
    /// The model predicted the label, and the annotator did not change it.
    Model,
}

/// The label of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Main content.
    Content,
    /// Not content: navigation, advertisements, notices of the site.
    Boilerplate,
    /// The headline of the page.
    Headline,
    /// Author, date and place around the headline.
    Byline,
    /// The caption of an image.
    Caption,
    /// A reader's comment below an article.
    Comment,
    /// The headline or first lines of another page.
    Teaser,
    /// The annotator cannot decide. The block is excluded from training.
    Unsure,
}

impl Label {
    /// All labels.
    pub const ALL: [Label; 8] = [
        Label::Content,
        Label::Boilerplate,
        Label::Headline,
        Label::Byline,
        Label::Caption,
        Label::Comment,
        Label::Teaser,
        Label::Unsure,
    ];

    /// Returns the name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Label::Content => "content",
            Label::Boilerplate => "boilerplate",
            Label::Headline => "headline",
            Label::Byline => "byline",
            Label::Caption => "caption",
            Label::Comment => "comment",
            Label::Teaser => "teaser",
            Label::Unsure => "unsure",
        }
    }

    /// Returns whether the label counts as content written for this page: content, headline, byline, caption or
    /// comment. Returns `None` for [`Label::Unsure`].
    pub fn is_content(self) -> Option<bool> {
        match self {
            Label::Unsure => None,
            Label::Boilerplate | Label::Teaser => Some(false),
            _ => Some(true),
        }
    }

    /// Returns the [property](threshr_core::policy::PROPERTIES) of policies that selects blocks with this label as
    /// content, if there is one.
    pub fn property(self) -> Option<&'static str> {
        match self {
            Label::Headline => Some("title"),
            Label::Byline => Some("byline"),
            Label::Caption => Some("captions"),
            Label::Comment => Some("comments"),
            Label::Teaser => Some("teasers"),
            Label::Content | Label::Boilerplate | Label::Unsure => None,
        }
    }
}

/// Returns the SHA-256 hash of the bytes of a page, in hexadecimal digits.
pub fn hash(page: &[u8]) -> String {
    threshr_core::hex(&Sha256::digest(page))
}

/// Returns the current time in the format of [`Record::time`], in whole seconds.
pub fn now() -> String {
    DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A line in its serialised format.
#[derive(Serialize)]
struct Line<'a> {
    format: &'static str,
    #[serde(flatten)]
    record: &'a Record,
}

/// The field `format` of a line.
#[derive(Deserialize)]
struct Stated {
    format: Option<String>,
}

impl Record {
    /// Returns whether `page` has the same bytes as the page that was labelled.
    pub fn is_of(&self, page: &[u8]) -> bool {
        self.sha256 == hash(page)
    }

    /// Parses a line of the file. Unknown fields are ignored.
    ///
    /// # Errors
    /// If the line is not a record of this format.
    pub fn from_line(line: &[u8]) -> Result<Record> {
        let invalid = |e: serde_json::Error| {
            Error::data(format!("invalid line: {e}"))
                .expected(format!("a JSON object of the format {FORMAT} with id, sha256, annotator, labels"))
        };
        let line = json::without_mark(line);
        let stated: Stated = serde_json::from_slice(line).map_err(invalid)?;
        if stated.format.as_deref() != Some(FORMAT) {
            let found = stated
                .format
                .map_or("the line has no field `format`".to_owned(), |f| format!("the format is `{f}`"));
            return Err(Error::data(found).expected(format!("\"format\": \"{FORMAT}\"")));
        }
        let record: Record = serde_json::from_slice(line).map_err(invalid)?;
        record.check()?;
        Ok(record)
    }

    /// Returns the line for the file, including its line end.
    ///
    /// # Errors
    /// The errors of [`Record::check`].
    pub fn to_line(&self) -> Result<Vec<u8>> {
        self.check()?;
        let line = serde_json::to_vec(&Line { format: FORMAT, record: self });
        let mut line =
            line.map_err(|e| Error::data("the labels cannot be written").at_page(&self.id).because(e))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Checks the values of the fields.
    ///
    /// # Errors
    /// If the id is not a path inside the folder of the set, the hash is invalid, the annotator has no name, the
    /// time is not a UTC time, or a range ends before it starts.
    pub fn check(&self) -> Result<()> {
        let wrong = |field: &str, value: &str, expected: &str| {
            Err(Error::data(format!("`{field}` is `{value}`")).expected(expected).at_column(field))
        };
        let is_drive = self.id.as_bytes().get(1) == Some(&b':');
        let is_part = |part: &str| !matches!(part, "" | "." | "..");
        if !self.id.split('/').all(is_part) || is_drive || self.id.contains(['\0', '\\']) {
            return wrong("id", &self.id, "a path inside the folder of the pages, such as news/1.html");
        }
        if self.sha256.len() != 64 || !self.sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return wrong("sha256", &self.sha256, "64 lower-case hexadecimal digits");
        }
        if self.annotator.trim().is_empty() {
            return wrong("annotator", &self.annotator, "a name");
        }
        if !DateTime::parse_from_rfc3339(&self.time).is_ok_and(|time| time.offset().local_minus_utc() == 0) {
            return wrong("time", &self.time, "a UTC time such as 2026-11-28T10:00:00Z");
        }
        match self.labels.iter().filter_map(|l| l.source.as_ref()).find(|range| range.start > range.end) {
            Some(range) => {
                wrong("source", &format!("[{}, {}]", range.start, range.end), "a start before the end")
            }
            None => Ok(()),
        }
    }
}

/// Serialises a range as a list of its start and end.
mod source {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ops::Range;

    #[allow(clippy::ref_option, reason = "the signature is given by serde")]
    pub(super) fn serialize<S: Serializer>(range: &Option<Range<usize>>, to: S) -> Result<S::Ok, S::Error> {
        range.as_ref().map(|range| [range.start, range.end]).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Range<usize>>, D::Error> {
        let ends: Option<[usize; 2]> = Option::deserialize(from)?;
        Ok(ends.map(|[start, end]| start..end))
    }
}
