//! Pages that Firefox saved: Mozilla Archive Format, a zip file with a folder for each page.

use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::{Pages, Reader, stem, stream};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use threshr_core::{Error, Result};
use zip::ZipArchive;

/// Maximum size of a page, in bytes.
const MAX_PAGE: u64 = 1 << 26;
/// Maximum size of the description of a page, in bytes.
const MAX_ABOUT: u64 = 1 << 16;
/// Extensions of a page in the file.
const ENDINGS: [&str; 5] = ["html", "htm", "xhtml", "xht", "php"];

/// The pages of a file.
pub(super) static READER: Reader = Reader {
    name: "maff",
    summary: "saved pages in a zip file (Mozilla Archive Format)",
    endings: &["maff"],
    open: |path, _, bytes_read: &Arc<AtomicU64>| {
        let file = stream::seekable(path, bytes_read)?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|e| {
            Error::data("the file is damaged").expected("a zip file").because(e).at_path(path)
        })?;
        let names: VecDeque<String> =
            zip.file_names().flatten().map(std::borrow::Cow::into_owned).filter(|n| is_page(n)).collect();
        if names.is_empty() {
            let error = Error::data("the file has no page").expected("a folder with a file index.html");
            return Err(error.at_path(path));
        }
        Ok(Box::new(Saved { is_single: names.len() == 1, zip, names, path: path.to_path_buf() }))
    },
};

struct Saved {
    zip: ZipArchive<BufReader<File>>,
    /// Names of the pages that are not read.
    names: VecDeque<String>,
    is_single: bool,
    path: PathBuf,
}

/// Whether a file is the page of a folder: `1234/index.html`.
fn is_page(name: &str) -> bool {
    let mut parts = name.split('/');
    let (Some(_), Some(file), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    file.strip_prefix("index.").is_some_and(|e| ENDINGS.iter().any(|known| e.eq_ignore_ascii_case(known)))
}

impl Pages for Saved {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(name) = self.names.pop_front() else { return Ok(None) };
        let folder = name.split('/').next().unwrap_or_default();
        let about = self.read(&format!("{folder}/index.rdf"), MAX_ABOUT).unwrap_or_default();
        let about = String::from_utf8_lossy(&about).into_owned();
        let id = if self.is_single { stem(&self.path) } else { format!("{}:{folder}", stem(&self.path)) };
        let url = described(&about, "originalurl");
        let date = described(&about, "archivetime");
        let date = date.and_then(|date| chrono::DateTime::parse_from_rfc2822(&date).ok());
        let date = date.map(|date| date.to_utc().format("%Y-%m-%dT%H:%M:%SZ").to_string());
        let charset = described(&about, "charset");
        Ok(Some(match self.read(&name, MAX_PAGE) {
            Ok(bytes) => {
                Item::Page(RawPage { id, url, date, charset, body: Body::Bytes(bytes), defect: None })
            }
            Err(error) => {
                let error = error.at_path(&self.path).at_page(&id);
                Item::Failed(Unread { id, url, date, error })
            }
        }))
    }
}

impl Saved {
    fn read(&mut self, name: &str, limit: u64) -> Result<Vec<u8>> {
        let damaged = |e| Error::data(format!("the file `{name}` in it is damaged")).because(e);
        let file = self.zip.by_name(name).map_err(|e| damaged(std::io::Error::other(e)))?;
        let mut bytes = Vec::new();
        file.take(limit + 1).read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 > limit {
            let error = Error::data(format!("the file `{name}` in it is too long"));
            return Err(error.expected(format!("at most {} MB", limit >> 20)));
        }
        Ok(bytes)
    }
}

/// A value of the description: `<MAF:originalurl RDF:resource="http://a/"/>`.
fn described(about: &str, name: &str) -> Option<String> {
    let tag = &about[about.find(&format!("MAF:{name}"))?..];
    let tag = &tag[..tag.find('>')?];
    let value = tag.split_once("resource=\"")?.1.split('"').next()?;
    let value = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    (!value.is_empty()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn pages_of_a_zip_file_are_read() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.maff");
        let mut zip = zip::ZipWriter::new(File::create(&path).expect("created"));
        let rdf = r#"<RDF:RDF><RDF:Description><MAF:originalurl RDF:resource="http://a/?x=1&amp;y=2"/>
            <MAF:archivetime RDF:resource="Fri, 1 Mar 2024 10:00:00 +0000"/><MAF:charset RDF:resource="UTF-8"/>"#;
        for (name, text) in [
            ("1/index.html", "<p>one"),
            ("1/index.rdf", rdf),
            ("1/index_files/index.html", "<p>frame"),
            ("2/index.xhtml", "<p>two"),
        ] {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("started");
            zip.write_all(text.as_bytes()).expect("written");
        }
        zip.finish().expect("finished");
        let mut pages = (READER.open)(&path, &Default::default(), &Arc::default()).expect("opened");
        let mut seen = Vec::new();
        while let Some(Item::Page(page)) = pages.next().expect("read") {
            let place = format!("{} {:?} {:?} ", page.id, page.url, page.date);
            seen.push(place + &String::from_utf8_lossy(&page.load(None).expect("a page").bytes));
        }
        seen.sort();
        let first = "x:1 Some(\"http://a/?x=1&y=2\") Some(\"2024-03-01T10:00:00Z\") <p>one";
        assert_eq!(seen, [first, "x:2 None None <p>two"]);
        for bytes in [&b""[..], b"PK\x03\x04", b"PK\x05\x06", &[0; 100]] {
            std::fs::write(&path, bytes).expect("written");
            assert!((READER.open)(&path, &Default::default(), &Arc::default()).is_err());
        }
    }
}
