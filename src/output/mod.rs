//! Kept blocks → what is written: one file per format, one line each in [`REGISTRY`].

mod blocks;
mod cleaneval;
mod jsonl;
mod text;

pub use cleaneval::markup;

use crate::block::{Blocks, ParagraphClass};
use crate::error::Result;
use crate::page::Document;
use crate::registry;
use std::io::{self, Write};

/// Every format; the first is the default.
pub static REGISTRY: &[&Format] = &[&text::FORMAT, &jsonl::FORMAT, &cleaneval::FORMAT, &blocks::FORMAT];

/// A way to write pages.
#[derive(Debug)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for help.
    pub summary: &'static str,
    /// Writes what stands before the first page.
    pub begin: fn(&mut dyn Write) -> io::Result<()>,
    /// Writes a page; `index` counts the pages written before it.
    pub page: fn(&mut dyn Write, &PageOutput<'_>, index: usize) -> io::Result<()>,
    /// Writes that a page could not be read.
    pub failed: fn(&mut dyn Write, id: &str, error: &str) -> io::Result<()>,
}

/// A page with its labels.
#[derive(Debug, Clone, Copy)]
pub struct PageOutput<'a> {
    /// Its id: the name of its file without the ending.
    pub id: &'a str,
    /// Its address, where known.
    pub url: Option<&'a str>,
    /// Its document.
    pub doc: &'a Document,
    /// Its blocks.
    pub blocks: &'a Blocks,
    /// Score of each block; 1 or 0 from a system without scores.
    pub scores: &'a [f32],
    /// Whether each block is kept.
    pub kept: &'a [bool],
    /// Class of each block; without them its elements decide.
    pub classes: Option<&'a [ParagraphClass]>,
}

/// The format called `name`, or an error that lists the names there are.
pub fn by_name(name: &str) -> Result<&'static Format> {
    registry::find(REGISTRY, "format", name, |entry| entry.name)
}

/// For formats that have no place for failures: they are on standard error anyway.
fn no_row(_: &mut dyn Write, _: &str, _: &str) -> io::Result<()> {
    Ok(())
}

fn no_head(_: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block;
    use crate::page::{Visibility, parse_str};

    fn written(name: &str) -> String {
        let format = by_name(name).expect("a format");
        let doc = parse_str("<title>T</title><h1>A\tb</h1><p>One <i>two</i><br>three<ul><li>x</ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = PageOutput {
            id: "7",
            url: Some("http://a/"),
            doc: &doc,
            blocks: &blocks,
            scores: &[0.25, 0.75, 1.0],
            kept: &[true, true, false],
            classes: None,
        };
        let mut out = Vec::new();
        (format.begin)(&mut out).expect("written");
        (format.page)(&mut out, &page, 0).expect("written");
        (format.page)(&mut out, &PageOutput { kept: &[false, false, true], url: None, ..page }, 1)
            .expect("written");
        (format.failed)(&mut out, "8", "why").expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn predicted_classes_go_before_those_of_elements() {
        use ParagraphClass::{Heading, List, Paragraph};
        let doc = parse_str("<h1>A</h1><p>B<ul><li>C</ul>");
        let blocks = Blocks::of(&doc, block::REGISTRY[0], Visibility::Visible);
        let kept = [true, false, true];
        assert_eq!(markup(&doc, &blocks, &kept, None), "<h>A\n<l>C");
        assert_eq!(markup(&doc, &blocks, &kept, Some(&[List, Paragraph, Heading])), "<l>A\n<h>C");
    }

    #[test]
    fn formats_write_what_they_say() {
        assert_eq!(written("text"), "A b\nOne two\nthree\n\nx\n");
        assert_eq!(
            written("jsonl"),
            "{\"id\":\"7\",\"url\":\"http://a/\",\"text\":\"A b\\nOne two\\nthree\",\"scores\":[0.25,0.75]}\n\
             {\"id\":\"7\",\"url\":null,\"text\":\"x\",\"scores\":[1.0]}\n\
             {\"id\":\"8\",\"url\":null,\"text\":\"\",\"scores\":[],\"error\":\"why\"}\n"
        );
        assert_eq!(written("cleaneval"), "URL: http://a/\n<h>A b\n<p>One two three\n\n<l>x\n");
        let blocks = written("blocks");
        assert!(blocks.starts_with(
            "page\tblock\tlabel\tscore\tpath\ttext\n7\t0\tcontent\t0.2500\thtml>body>h1\tA b\n"
        ));
        assert!(
            blocks.contains("7\t2\tboilerplate\t1.0000\thtml>body>ul>li\tx\n")
                && blocks.contains("One two three")
        );
    }
}
