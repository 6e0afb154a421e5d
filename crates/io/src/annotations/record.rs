//! The labels of one page by one annotator.

use crate::annotations::FORMAT;
use crate::json;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::ops::Range;
use std::time::SystemTime;
use threshr_core::{Error, Result};

/// The labels that one annotator gave to the blocks of one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The path of the page in the folder of the set, with `/` between folders.
    pub id: String,
    /// The URL of the page, if it is known.
    pub url: Option<String>,
    /// SHA-256 of the bytes of the page, unpacked; see [`hash`].
    pub sha256: String,
    /// The name of the annotator.
    pub annotator: String,
    /// When the labels were written: RFC 3339 in UTC, such as `2026-11-28T10:00:00Z`; see [`now`].
    pub time: String,
    /// How far the annotator is.
    pub state: State,
    /// The name of the model whose labels were the first labels, if any.
    pub model: Option<String>,
    /// The blocks with their labels, in the order of the page.
    pub labels: Vec<BlockLabel>,
}

/// A block of a page with its label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockLabel {
    /// Where the block is in the page, in bytes, as [`source_of`](threshr_html::Document::source_of) counts them;
    /// `None` if that is unknown.
    #[serde(default, with = "source")]
    pub source: Option<Range<usize>>,
    /// Its full text with folded white space.
    pub text: String,
    /// Its label.
    pub label: Label,
    /// Who gave the label.
    pub by: By,
}

/// How far an annotator is with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The page is begun. It is no gold.
    Draft,
    /// All blocks are labelled. Only such a page is gold.
    Done,
    /// The annotator leaves the page out.
    Skipped,
}

/// Who gave a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The annotator.
    Person,
    /// The model, and no person changed it.
    Model,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Main content.
    Content,
    /// No content: navigation, advertisements, notes of the site.
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
    /// The annotator cannot say. Nothing is learned from the block.
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

    /// The name in the file.
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

    /// Whether the block was written for this page: content, headline, byline, caption or comment. `None` for
    /// [`Label::Unsure`].
    pub fn is_content(self) -> Option<bool> {
        match self {
            Label::Unsure => None,
            Label::Boilerplate | Label::Teaser => Some(false),
            _ => Some(true),
        }
    }

    /// The name of the [property](threshr_core::policy::PROPERTIES) of policies that counts such blocks as content.
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

/// SHA-256 of the bytes of a page, in hexadecimal digits.
pub fn hash(page: &[u8]) -> String {
    threshr_core::hex(&Sha256::digest(page))
}

/// The time as [`Record::time`] has it, in whole seconds.
pub fn now() -> String {
    DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// A line as it is written.
#[derive(Serialize)]
struct Line<'a> {
    format: &'static str,
    #[serde(flatten)]
    record: &'a Record,
}

/// The name of the format in a line.
#[derive(Deserialize)]
struct Stated {
    format: Option<String>,
}

impl Record {
    /// Whether these are the bytes of the page that was labelled.
    pub fn is_of(&self, page: &[u8]) -> bool {
        self.sha256 == hash(page)
    }

    /// Reads a line of the file. Unknown fields are left out.
    ///
    /// # Errors
    /// If it is no record of this format.
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
                .map_or("the line states no format".to_owned(), |f| format!("the format is `{f}`"));
            return Err(Error::data(found).expected(format!("\"format\": \"{FORMAT}\"")));
        }
        let record: Record = serde_json::from_slice(line).map_err(invalid)?;
        record.check()?;
        Ok(record)
    }

    /// The line of the file, with its end.
    ///
    /// # Errors
    /// As [`Record::check`].
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
    /// If the id is no path inside the folder of the set or the hash is none. Also if the annotator has no name, the
    /// time is no UTC time, or a range ends before it starts.
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
            return wrong("sha256", &self.sha256, "64 hexadecimal digits in small letters");
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

/// A range as a list of its two ends.
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
