//! The one error type of the library: what was found, where, and what was expected.

use std::fmt;
use std::path::{Path, PathBuf};

/// A result of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The category of an [`Error`], for callers that handle some errors themselves.
///
/// [`NotHtml`](Self::NotHtml), [`TooLarge`](Self::TooLarge) and [`Timeout`](Self::Timeout) concern one page:
/// skip that page and go on with the next one. The other kinds mostly need a change of files or options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing a file, folder or stream failed. [`Error::causes`] gives the error of the operating
    /// system.
    Io,
    /// The content of an input is damaged or incomplete: a record, a page, an annotated set or its gold.
    ///
    /// A panic while a page is processed has this kind too.
    Data,
    /// A feature set has an unknown name, or a feature matrix has the wrong columns or number of rows.
    Features,
    /// A classifier cannot be fitted or applied: a setting is invalid, or it cannot learn from the training
    /// data.
    Classifier,
    /// A model file cannot be used.
    ///
    /// It is not a model file, is damaged, has an unknown version, or uses other column definitions than this
    /// version.
    Model,
    /// A recipe, an option or a name given by the user is invalid. The error says what values are expected.
    Recipe,
    /// The bytes of a page are a known format other than HTML, such as PDF.
    NotHtml,
    /// A page exceeds the size limit, before or after decompression, or the limit of memory.
    TooLarge,
    /// Work on a page exceeded the CPU time of its [`Budget`](crate::Budget).
    Timeout,
    /// The user stopped the work.
    Interrupted,
}

/// Where an error occurred. Each part is set as soon as it is known; the innermost setting stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file or folder.
    pub path: Option<PathBuf>,
    /// The line in the file, from 1. In Parquet files the row.
    pub line: Option<u64>,
    /// The id of the page.
    pub page: Option<String>,
    /// The feature column or field.
    pub column: Option<String>,
}

/// An error of this library: kind, place, what was found, what was expected, and the cause.
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
    /// The category, to match on.
    pub kind: ErrorKind,
    /// Where it occurred.
    pub place: Box<Place>,
    /// What was found.
    pub message: String,
    /// What was expected, or what the user can do.
    pub expected: Option<String>,
    /// The setting of the library that decides about it, such as `Fields::html`. It is not part of the text;
    /// a program can name its own option for it.
    pub setting: Option<&'static str>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of `kind`. The methods below add place, expectation and cause.
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
    /// Creates an error of kind [`ErrorKind::Recipe`].
    pub fn recipe(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Recipe, message)
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
        // The text of the operating system repeats the message; the text of a library adds to it.
        if source.get_ref().is_some() { error.because(source) } else { error }
    }
    /// Sets what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }
    /// Sets the setting of the library that decides about it, unless one is set.
    #[must_use]
    pub fn with_setting(mut self, setting: &'static str) -> Self {
        self.setting.get_or_insert(setting);
        self
    }
    /// Sets the file or folder, unless one is set.
    #[must_use]
    pub fn at_path(mut self, path: impl AsRef<Path>) -> Self {
        self.place.path.get_or_insert_with(|| path.as_ref().to_path_buf());
        self
    }
    /// Sets the line in the file, from 1, unless one is set.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.place.line.get_or_insert(line);
        self
    }
    /// Sets the id of the page, unless one is set.
    #[must_use]
    pub fn at_page(mut self, page: impl Into<String>) -> Self {
        self.place.page.get_or_insert_with(|| page.into());
        self
    }
    /// Sets the column or field, unless one is set.
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
    /// The causes, from the direct one to the root.
    pub fn causes(&self) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
        std::iter::successors(std::error::Error::source(self), |e| e.source())
    }

    /// The text of the error and of its causes in one line, separated by `; because: `.
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
        // the innermost place stays
        assert_eq!(e.at_line(9).place.line, Some(7));
    }
}
