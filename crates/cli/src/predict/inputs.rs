//! Checks and warnings about the inputs of `threshr predict`.

use crate::guard::Guard;
use crate::predict::Args;
use crate::predict::job::Extracted;
use crate::remark;
use std::collections::BTreeMap;
use std::path::PathBuf;
use threshr_core::{Error, ErrorKind, Result};
use threshr_crawl::{Done, Outcome};
use threshr_io::RawPage;
use threshr_io::readers::{Source, is_read_once};
use threshr_output::formats::{Format, Layout};

/// Maximum number of extensions that are listed for skipped files.
const MAX_KINDS: usize = 12;

/// Checks all outputs before any page is read.
pub(super) fn check_outputs(
    args: &Args,
    format: &'static Format,
    (sources, folders): (&[Source], &[PathBuf]),
) -> Result<()> {
    let mut guard = Guard::reading(args.inputs.iter().chain(&args.model));
    sources.iter().for_each(|source| guard.reads(&source.path));
    folders.iter().for_each(|folder| guard.reads(folder));
    if let Some(out) = args.target() {
        match (format.layout, args.explain.is_some()) {
            (Layout::Folder, false) => guard.folder("--out", out, args.resume)?,
            _ => guard.file("--out", out, args.resume)?,
        }
    }
    Ok(())
}

/// Rejects standard input and pipes for options that need to read them twice.
pub(super) fn refuse_stdin(option: &str, sources: &[Source]) -> Result<()> {
    match sources.iter().find(|s| is_read_once(&s.path)) {
        Some(source) => {
            Err(crate::read_again(&source.path).expected(format!("files as input with {option}")))
        }
        None => Ok(()),
    }
}

/// Returns the error that ends the run if standard input or a pipe ends inside a record or cannot be read to its end.
/// The program that writes to it has failed, and the output would lack pages.
pub(super) fn cut_pipe(done: &Done<Extracted>, sources: &[Source]) -> Option<Error> {
    let (error, path) = match &done.outcome {
        Outcome::InputFailed { path, error } => (Some(error), path.as_path()),
        outcome => {
            let error = match outcome {
                Outcome::Page(page) => page.defect.as_ref(),
                Outcome::Failed(unread) => Some(&unread.error),
                _ => None,
            };
            let error = error.filter(|error| error.kind == ErrorKind::Truncated);
            (error, sources.get(done.position.source)?.path.as_path())
        }
    };
    let error = error.filter(|_| is_read_once(path))?;
    Some(
        Error::new(ErrorKind::Truncated, "the input ends too early")
            .expected("the whole input; the program that writes it has failed")
            .at_path(path)
            .because(error.with_causes()),
    )
}

/// Returns what the bytes of a page look like, if they contain no HTML tag.
pub(super) fn no_html(bytes: &[u8]) -> Option<&'static str> {
    let is_tag = |pair: &[u8]| {
        pair[0] == b'<' && (pair[1].is_ascii_alphabetic() || matches!(pair[1], b'/' | b'!' | b'?'))
    };
    // UTF-16 contains zeros.
    if bytes.windows(2).any(is_tag) || bytes.trim_ascii().is_empty() || bytes.contains(&0) {
        return None;
    }
    let mut lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let is_name = |line: &[u8]| {
        line.iter().any(|b| matches!(b, b'/' | b'.'))
            && !line.iter().any(|b| b.is_ascii_whitespace() || *b == b',')
    };
    Some(if lines.all(is_name) { "a list of paths or hosts" } else { "plain text" })
}

/// Counts the pages in files of their own that contain no HTML.
#[derive(Debug, Default)]
pub(super) struct NoHtml {
    num: u64,
    first: Option<(PathBuf, &'static str)>,
}

impl NoHtml {
    pub(super) fn see(&mut self, done: &Done<Extracted>, sources: &[Source]) {
        let Outcome::Page(Extracted { looks_like: Some(what), .. }) = &done.outcome else { return };
        if let Some(source) = sources.get(done.position.source).filter(|source| source.reader.name == "html")
        {
            self.num += 1;
            self.first.get_or_insert_with(|| (source.path.clone(), what));
        }
    }

    /// Returns the remark about these pages, if there are any.
    pub(super) fn remark(&self) -> Option<String> {
        let (path, what) = self.first.as_ref()?;
        let more = if self.num > 1 { format!(", and {} more", self.num - 1) } else { String::new() };
        Some(format!(
            "{} looks like {what}, not HTML{more}; it is read as one page (a list of files needs the extension .list or \
             .paths, or --input-format list)",
            path.display()
        ))
    }
}

/// Reports files inside input folders that are not read: crawl files, and files that are not pages.
pub(crate) fn warn_of_left_out(left_out: &[PathBuf], skipped: &BTreeMap<String, u64>) {
    if let Some((first, more)) = left_out.split_first() {
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        remark(&format!("{}{more} not read; to read such a file, pass its own path", first.display()));
    }
    let num_skipped: u64 = skipped.values().sum();
    if num_skipped > 0 {
        let kind = |(extension, count): (&String, &u64)| {
            let extension = if extension.is_empty() { "without an extension" } else { extension };
            format!("{count} {extension}")
        };
        let kinds: Vec<String> = skipped.iter().take(MAX_KINDS).map(kind).collect();
        let more = if skipped.len() > MAX_KINDS { ", …" } else { "" };
        remark(&format!("{num_skipped} files in folders are not pages: {}{more}", kinds.join(", ")));
    }
}

/// Returns whether the inputs may contain several pages.
pub(super) fn may_be_several(sources: &[Source]) -> bool {
    !matches!(sources, [source] if matches!(source.reader.name, "html" | "mhtml"))
}

/// Warns if several pages have the same id, because the output cannot distinguish them.
pub(crate) fn warn_of_equal_ids(sources: &[Source]) {
    let pages = sources.iter().filter(|s| matches!(s.reader.name, "html" | "mhtml"));
    let mut ids: Vec<String> = pages.map(|s| s.named(RawPage::at(&s.path)).id).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|w| w[0] == w[1]) {
        remark(&format!("several pages have the id `{}`", twice[0]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_html_is_recognised() {
        for (text, expected) in [
            ("a/1.html\nb/2.html\n", Some("a list of paths or hosts")),
            ("a.example\n\nb.example", Some("a list of paths or hosts")),
            ("id,text\n1,a < b", Some("plain text")),
            ("<p>x", None),
            ("x <!-- y -->", None),
            (" \n", None),
            ("<\0p\0>\0", None),
        ] {
            assert_eq!(no_html(text.as_bytes()), expected, "{text}");
        }
    }
}
