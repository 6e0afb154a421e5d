//! The one error of the library: what went wrong, where, and what was expected instead.

use std::fmt;
use std::path::{Path, PathBuf};

/// Shorthand for results of this library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What part of the work an error belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Reading or writing a file or stream failed.
    Io,
    /// A page or its annotation cannot be read.
    Data,
    /// A feature set, column or matrix is not what it should be.
    Features,
    /// A classifier cannot be fitted or applied as asked.
    Classifier,
    /// A model file is damaged, too new, or does not fit.
    Model,
    /// A recipe or an option has a value that cannot be used.
    Recipe,
    /// The bytes are of another kind than HTML.
    NotHtml,
    /// A page is larger than the limit.
    TooLarge,
    /// A page took longer than its time limit.
    Timeout,
    /// The work was stopped by the user.
    Interrupted,
}

/// Where an error happened; every part is filled in as soon as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file or folder.
    pub path: Option<PathBuf>,
    /// The line in that file, from 1.
    pub line: Option<u64>,
    /// The id of the page.
    pub page: Option<String>,
    /// The feature column or field.
    pub column: Option<String>,
}

/// An error of this library: kind, place, what was found, what was expected, and its cause.
#[derive(Debug)]
#[non_exhaustive]
pub struct Error {
    /// The part of the work that failed.
    pub kind: ErrorKind,
    /// Where it failed.
    pub place: Box<Place>,
    /// What was found.
    pub message: String,
    /// What was expected instead, or what to do.
    pub expected: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind`; add the place with the methods below.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, place: Box::default(), message: message.into(), expected: None, source: None }
    }
    /// A page or annotation cannot be read.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message)
    }
    /// A feature set or matrix is wrong.
    pub fn features(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Features, message)
    }
    /// A classifier cannot do what was asked.
    pub fn classifier(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Classifier, message)
    }
    /// A model file is wrong.
    pub fn model(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Model, message)
    }
    /// A recipe or option is wrong.
    pub fn recipe(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Recipe, message)
    }
    /// Reading or writing `path` failed.
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
        // the system would say the same in other words, a library something of its own
        if source.get_ref().is_some() { error.because(source) } else { error }
    }
    /// What was expected instead.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }
    /// The file or folder, unless one is set already.
    #[must_use]
    pub fn at_path(mut self, path: impl AsRef<Path>) -> Self {
        self.place.path.get_or_insert_with(|| path.as_ref().to_path_buf());
        self
    }
    /// The line in the file, from 1, unless one is set already.
    #[must_use]
    pub fn at_line(mut self, line: u64) -> Self {
        self.place.line.get_or_insert(line);
        self
    }
    /// The page, unless one is set already.
    #[must_use]
    pub fn at_page(mut self, page: impl Into<String>) -> Self {
        self.place.page.get_or_insert_with(|| page.into());
        self
    }
    /// The column or field, unless one is set already.
    #[must_use]
    pub fn at_column(mut self, column: impl Into<String>) -> Self {
        self.place.column.get_or_insert_with(|| column.into());
        self
    }
    /// The error underneath.
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
    /// What caused it, and what caused that.
    pub fn causes(&self) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
        std::iter::successors(std::error::Error::source(self), |e| e.source())
    }

    /// What is wrong and, after `because:`, what caused it, in one line.
    pub fn with_causes(&self) -> String {
        self.causes().fold(self.to_string(), |text, cause| format!("{text}; because: {cause}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.place, self.message)?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_caused_it() {
        let cause = Error::data("the member is cut").because(std::io::Error::other("no more bytes"));
        let error = Error::data("the record is damaged").because(cause);
        let text = "the record is damaged; because: the member is cut; because: no more bytes";
        assert_eq!(error.with_causes(), text);
    }

    #[test]
    fn says_once_that_a_file_is_missing() {
        let of = |kind: std::io::ErrorKind| Error::io("page.html", kind.into()).with_causes();
        assert_eq!(of(std::io::ErrorKind::NotFound), "page.html: no such file or folder");
        let cause = std::io::Error::new(std::io::ErrorKind::NotFound, "no folder x");
        let own = Error::io("page.html", cause).with_causes();
        assert_eq!(own, "page.html: no such file or folder; because: no folder x");
        let other = of(std::io::ErrorKind::StorageFull);
        assert!(other.starts_with("page.html: reading or writing failed; because: "), "{other}");
    }

    #[test]
    fn says_where_and_what_was_expected() {
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
        // the innermost place wins
        assert_eq!(e.at_line(9).place.line, Some(7));
    }
}
