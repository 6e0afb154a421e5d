//! Reader for MHTML: a page that a browser saved together with its resources in one MIME file. Source: RFC
//! 2557.

mod mime;

use crate::http;
use crate::raw_page::{Body, Item, RawPage, Unread};
use crate::readers::{Pages, Reader, stem};
use mime::{Head, Line, Lines, MAX_PART};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use threshr_core::{Error, Result};

/// Maximum nesting depth of multipart parts.
const MAX_DEPTH: usize = 16;

/// Reader for one page per file: the HTML part that is declared as the root, or otherwise the first HTML
/// part.
pub(super) static READER: Reader = Reader {
    name: "mhtml",
    summary: "a page saved as MHTML: its main HTML part; the file may be compressed with gz or zst",
    extensions: &["mhtml", "mht"],
    open: |input| {
        let path = input.path.to_path_buf();
        let lines = Lines::new(BufReader::new(input.decoded()?));
        Ok(Box::new(Saved { lines: Some(lines), path }))
    },
};

struct Saved {
    /// Lines of the file. `None` after the page was returned.
    lines: Option<Lines>,
    path: PathBuf,
}

/// The MIME part that contains the page.
struct Part {
    head: Head,
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Pages for Saved {
    fn next(&mut self) -> Result<Option<Item>> {
        let Some(lines) = self.lines.take() else { return Ok(None) };
        Ok(Some(match page(lines, &self.path) {
            Ok(page) => Item::Page(page),
            Err(error) => {
                let error = error.at_path(&self.path);
                Item::Failed(Unread { id: stem(&self.path), url: None, date: None, error })
            }
        }))
    }
}

fn page(mut lines: Lines, path: &Path) -> Result<RawPage> {
    let top = lines.head(path)?;
    let part = main_part(&mut lines, &top, path)?;
    let is_address = |url: &&String| url.contains("://") && !url.starts_with("file:");
    let urls = [&top.snapshot_location, &part.head.location, &top.location];
    let url = urls.into_iter().flatten().find(is_address).cloned();
    let defect = part.is_cut.then(|| {
        let error = Error::data(format!("the end of the HTML part is missing (line {})", lines.number()));
        error.expected("the boundary of the part").at_path(path)
    });
    Ok(RawPage {
        id: stem(path),
        url,
        date: top.date.as_deref().and_then(mime::iso_date),
        charset: part.head.charset.clone(),
        body: Body::Bytes(part.head.decode(&part.bytes)),
        defect,
    })
}

/// Reads the root part. If it is not an HTML part, reads the first HTML part.
fn main_part(lines: &mut Lines, top: &Head, path: &Path) -> Result<Part> {
    let Some(boundary) = top.boundary.clone().filter(|_| top.is_multipart()) else {
        let (bytes, _) = lines.body(&[], path)?;
        return Ok(Part { head: top.clone(), bytes, is_cut: false });
    };
    let mut boundaries = vec![boundary];
    let mut first = None;
    loop {
        match lines.next_boundary(&boundaries, path)? {
            Line::Boundary { depth, is_last } => {
                boundaries.truncate(if is_last { depth } else { depth + 1 });
                if boundaries.is_empty() {
                    break;
                }
                if is_last {
                    continue;
                }
            }
            Line::End => break,
        }
        let head = lines.head(path)?;
        match &head.boundary {
            Some(inner) if head.is_multipart() && boundaries.len() < MAX_DEPTH => {
                boundaries.push(inner.clone())
            }
            _ if head.media_type.as_deref().is_some_and(http::is_html_type) => {
                let is_root = top.start.is_none() || top.start == head.id;
                if first.is_none() || is_root {
                    let (bytes, is_cut) = lines.body(&boundaries, path)?;
                    first = Some(Part { head, bytes, is_cut });
                    if is_root {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    first.ok_or_else(|| Error::data("the saved page has no HTML part").expected("a part of type text/html"))
}

/// Returns the error for a part above the size limit.
fn too_long(line: u64, path: &Path) -> Error {
    Error::data("the part is too long")
        .expected(format!("at most {} MB", MAX_PART >> 20))
        .at_path(path)
        .at_line(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn read(bytes: &[u8]) -> std::result::Result<(String, RawPage), String> {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.mhtml");
        std::fs::write(&path, bytes).expect("written");
        let mut pages = READER.open_path(&path, &Default::default(), &Arc::default()).expect("opened");
        let item = pages.next().expect("read").expect("a page");
        assert!(pages.next().expect("read").is_none());
        match item {
            Item::Page(mut page) => {
                let body = std::mem::replace(&mut page.body, Body::Stdin);
                let Body::Bytes(bytes) = body else { panic!("no bytes") };
                Ok((String::from_utf8_lossy(&bytes).into_owned(), page))
            }
            Item::Failed(unread) => Err(unread.error.to_string()),
            Item::Skipped(why) => Err(why.to_owned()),
        }
    }

    const CHROME: &str = "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/a\r\n\
        Subject: =?utf-8?Q?x?=\r\nDate: Fri, 1 Mar 2024 10:00:00 +0100\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"----Multi--x----\"\r\n\r\n\r\n\
        ------Multi--x----\r\nContent-Type: text/html\r\nContent-ID: <frame-1@mhtml.blink>\r\n\
        Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://example.org/a\r\n\r\n\
        <!DOCTYPE html><p class=3D\"x\">caf=C3=A9 and a so=\r\nft line   \r\n</p>\r\n\
        ------Multi--x----\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBO\r\n\
        ------Multi--x------\r\n";

    #[test]
    fn saved_pages_are_read() {
        let (text, page) = read(CHROME.as_bytes()).expect("a page");
        assert_eq!(text, "<!DOCTYPE html><p class=\"x\">café and a soft line\r\n</p>");
        assert_eq!(page.url.as_deref(), Some("https://example.org/a"));
        assert_eq!(page.date.as_deref(), Some("2024-03-01T09:00:00Z"));
        assert!(page.charset.is_none() && page.defect.is_none() && page.id == "x");
        // with other line ends, and compressed
        let (unix, _) = read(CHROME.replace("\r\n", "\n").as_bytes()).expect("a page");
        assert_eq!(unix, text.replace("\r\n", "\n"));
        let compressed = zstd::encode_all(CHROME.as_bytes(), 1).expect("zstd");
        assert_eq!(read(&compressed).expect("a page").0, text);
    }

    #[test]
    fn the_root_part_is_read() {
        let part = |id: &str, kind: &str, body: &str| {
            format!("--b\nContent-ID: <{id}>\nContent-Type: {kind}\n\n{body}\n")
        };
        let html = "text/html; charset=\"koi8-r\"";
        let file = |start: &str, parts: &[String]| {
            format!(
                "MIME-Version: 1.0\nContent-Type: multipart/related; {start}boundary=b\n\n{}--b--\nafter",
                parts.concat()
            )
        };
        let parts = [part("1", "text/plain", "text"), part("2", html, "<p>2"), part("3", html, "<p>3")];
        let text = |file: String| read(file.as_bytes()).map(|found| found.0);
        assert_eq!(text(file("", &parts)).as_deref(), Ok("<p>2"));
        assert_eq!(text(file("start=\"<3>\"; ", &parts)).as_deref(), Ok("<p>3"));
        assert_eq!(text(file("start=\"<9>\"; ", &parts)).as_deref(), Ok("<p>2"));
        assert_eq!(read(file("", &parts).as_bytes()).expect("a page").1.charset.as_deref(), Some("koi8-r"));
        assert!(text(file("", &parts[..1])).is_err_and(|e| e.contains("no HTML part")));
        // a nested part, base64, a truncated page, a page that is not multipart
        let inner = format!(
            "--b\nContent-Type: multipart/alternative; boundary=\"b c\"\n\n--b c\nContent-Type: text/html\n\
            Content-Transfer-Encoding: BASE64\n\nPHA+\naW5u\nZXI=\n--b c--\n{}",
            parts[1]
        );
        assert_eq!(text(file("", &[inner])).as_deref(), Ok("<p>inner"));
        let cut = file("", &parts).replace("--b--\nafter", "");
        let cut = &cut[..cut.find("--b\nContent-ID: <3>").expect("a part")];
        let (found, page) = read(cut.as_bytes()).expect("a page");
        assert!(found == "<p>2\n" && page.defect.is_some_and(|e| e.message.contains("missing")));
        let single = "Content-Location: http://a/\nMIME-Version: 1.0\nContent-Type: text/html\n\n<p>x\n";
        let (found, page) = read(single.as_bytes()).expect("a page");
        assert!(found == "<p>x\n" && page.url.as_deref() == Some("http://a/"));
        assert!(read(b"").is_ok() && read(b"\n\n\n").is_ok() && read(&[0xff; 9000]).is_ok());
    }

    #[test]
    fn deep_parts_end() {
        let mut file = "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b0\n\n".to_owned();
        for i in 0..1000 {
            file += &format!("--b{i}\nContent-Type: multipart/mixed; boundary=b{}\n\n", i + 1);
        }
        assert!(read(file.as_bytes()).is_err());
    }
}
