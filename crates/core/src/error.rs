//! The library's only error type. An error contains what was found, where it was found, and what was expected.

use crate::Setting;
use std::fmt;
use std::path::{Path, PathBuf};

/// The result type of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The category of an [`Error`], for callers that handle some errors themselves.
///
/// [`NotHtml`](Self::NotHtml), [`TooLarge`](Self::TooLarge) and [`Timeout`](Self::Timeout) concern a single page:
/// skip it and continue with the next one. The other kinds usually require a change of files or options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing a file, folder or stream failed. [`Error::causes`] contains the error of the operating
    /// system.
    Io,
    /// The content of an input is invalid or incomplete. Inputs are records, pages, annotated data sets and their
    /// gold labels.
    ///
    /// A panic during the processing of a page is also reported as this kind.
    Data,
    /// An input ends too early: inside a record or a compressed part.
    Truncated,
    /// The name of a feature set is unknown, or a feature matrix has the wrong columns or number of rows.
    Features,
    /// A classifier cannot be trained or applied, because a setting is invalid or the training data is unsuitable.
    Classifier,
    /// A model file cannot be used.
    ///
    /// The file is not a model file, is corrupt or truncated, has an unknown version, or uses column definitions
    /// that differ from those of this library version.
    Model,
    /// An option or a recipe setting has an invalid value or an unknown name. The error text contains the expected
    /// values. [`Error::setting`] identifies the option, if the library knows it.
    InvalidOption,
    /// The page is in a known format other than HTML, such as PDF.
    NotHtml,
    /// A page exceeds the size limit before or after decompression, or the memory limit.
    TooLarge,
    /// Processing a page exceeded the CPU-time limit of its [`Budget`](crate::Budget).
    Timeout,
    /// The user stopped the work.
    Interrupted,
}

/// The location of an error. The code closest to the error sets each field first; later calls do not overwrite it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file or folder.
    pub path: Option<PathBuf>,
    /// The line number in the file, from 1. In Parquet files it is the row number.
    pub line: Option<u64>,
    /// The id of the page.
    pub page: Option<String>,
    /// The feature column or field.
    pub column: Option<String>,
}

/// An error of this library: its kind, its location, what was found, what was expected, and the cause.
///
/// ```
/// use threshr_core::{Error, ErrorKind};
///
/// let error = Error::data("the field is a number").expected("text").at_path("gold.jsonl").at_line(7);
/// assert_eq!(error.kind, ErrorKind::Data);
/// assert_eq!(error.to_string(), "gold.jsonl:7: the field is a number; expected text");
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{place}{message}{}", expected.as_ref().map(|e| format!("; expected {e}")).unwrap_or_default())]
#[non_exhaustive]
pub struct Error {
    /// The category, for `match` expressions.
    pub kind: ErrorKind,
    /// The location of the error.
    pub place: Box<Place>,
    /// Description of the wrong value or state.
    pub message: String,
    /// Expected value, or an action of the user that corrects the error.
    pub expected: Option<String>,
    /// The library setting that controls the failed operation. The error text does not contain it, so that a
    /// program can refer to its own option instead.
    pub setting: Option<Setting>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of `kind`. The methods below add the location, the expected value and the cause.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            place: Box::default(),
            message: message.into(),
            expected: None,
            setting: None,
            source: None,
        }
    }
    /// Creates an error of kind [`ErrorKind::Data`].
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message)
    }
    /// Creates an error of kind [`ErrorKind::Features`].
    pub fn features(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Features, message)
    }
    /// Creates an error of kind [`ErrorKind::Classifier`].
    pub fn classifier(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Classifier, message)
    }
    /// Creates an error of kind [`ErrorKind::Model`].
    pub fn model(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Model, message)
    }
    /// Creates an error of kind [`ErrorKind::InvalidOption`].
    pub fn invalid_option(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidOption, message)
    }
    /// Creates an error of kind [`ErrorKind::Io`] for a failed access to `path`.
    pub fn io(path: impl AsRef<Path>, source: std::io::Error) -> Self {
        let message = match source.kind() {
            std::io::ErrorKind::NotFound => "no such file or folder",
            std::io::ErrorKind::PermissionDenied => "permission denied",
            std::io::ErrorKind::IsADirectory => "this is a folder",
            _ => {
                return Self::new(ErrorKind::Io, "reading or writing failed").at_path(path).because(source);
            }
        };
        let error = Self::new(ErrorKind::Io, message).at_path(path);
        // An operating-system error only repeats the message. An error from a library has an inner error with more
        // information.
        if source.get_ref().is_some() { error.because(source) } else { error }
    }
    /// Sets what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }
    /// Sets the library setting that controls the failed operation, if it is not set yet.
    #[must_use]
    pub fn with_setting(mut self, setting: Setting) -> Self {
        self.setting.get_or_insert(setting);
        self
    }
    /// Sets the file or folder, if it is not set yet.
    #[must_use]
    pub fn at_path(mut self, path: impl AsRef<Path>) -> Self {
        self.place.path.get_or_insert_with(|| path.as_ref().to_path_buf());
        self
    }
    /// Sets the line number in the file, from 1, if it is not set yet.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.place.line.get_or_insert(line);
        self
    }
    /// Sets the id of the page, if it is not set yet.
    #[must_use]
    pub fn at_page(mut self, page: impl Into<String>) -> Self {
        self.place.page.get_or_insert_with(|| page.into());
        self
    }
    /// Sets the column or field, if it is not set yet.
    #[must_use]
    pub fn at_column(mut self, column: impl Into<String>) -> Self {
        self.place.column.get_or_insert_with(|| column.into());
        self
    }
    /// Sets the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}", path.display())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        } else if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(page) = &self.page {
            write!(f, "page {page}: ")?;
        }
        if let Some(column) = &self.column {
            write!(f, "column {column}: ")?;
        }
        Ok(())
    }
}

impl Error {
    /// Returns the chain of causes, from the direct cause to the root cause.
    pub fn causes(&self) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
        std::iter::successors(std::error::Error::source(self), |e| e.source())
    }

    /// Returns the messages of the error and its causes on one line, separated by `; because: `.
    pub fn with_causes(&self) -> String {
        self.causes().fold(self.to_string(), |text, cause| format!("{text}; because: {cause}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_contains_the_causes() {
        let cause = Error::data("the member is cut").because(std::io::Error::other("no more bytes"));
        let error = Error::data("the record is damaged").because(cause);
        let text = "the record is damaged; because: the member is cut; because: no more bytes";
        assert_eq!(error.with_causes(), text);
    }

    #[test]
    fn a_missing_file_is_reported_once() {
        let of = |kind: std::io::ErrorKind| Error::io("page.html", kind.into()).with_causes();
        assert_eq!(of(std::io::ErrorKind::NotFound), "page.html: no such file or folder");
        let cause = std::io::Error::new(std::io::ErrorKind::NotFound, "no folder x");
        let own = Error::io("page.html", cause).with_causes();
        assert_eq!(own, "page.html: no such file or folder; because: no folder x");
        let other = of(std::io::ErrorKind::StorageFull);
        assert!(other.starts_with("page.html: reading or writing failed; because: "), "{other}");
    }

    #[test]
    fn the_text_contains_place_and_expectation() {
        let e = Error::data("the field is a number")
            .expected("text")
            .at_path("d/gold.jsonl")
            .at_line(7)
            .at_page("12")
            .at_column("gold");
        assert_eq!(
            e.to_string(),
            "d/gold.jsonl:7: page 12: column gold: the field is a number; expected text"
        );
        // a location that is already set is not overwritten
        assert_eq!(e.at_line(9).place.line, Some(7));
    }
}
