//! CleanEval markup: a class tag before each block.

use crate::formats::{Entry, Format, Layout, no_row, with_line_end};
use threshr_html::blocks::{Blocks, ParagraphClass};
use threshr_html::{Document, Tag};

/// A line `URL:` with the URL of the page (or its id, if there is no URL), then one block per line after `<p>`,
/// `<h>` or `<l>`. The class is predicted by the model. If there is no prediction, the block's element determines
/// the class.
pub(super) static FORMAT: Format = Format {
    name: "cleaneval",
    summary: "CleanEval: a line with the URL (or the id), then <p>, <h> or <l> before each block",
    extensions: &[],
    head: "",
    between: "\n",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| {
        let url = url_line(page.url.unwrap_or(page.id));
        Ok(Entry::Text(url + &with_line_end(markup(page.doc, page.blocks, page.kept, page.classes))))
    },
    failed: no_row,
};

/// Returns the `URL:` line. Line ends in the URL or id are replaced by spaces.
fn url_line(url: &str) -> String {
    format!("URL: {}\n", url.replace(['\r', '\n'], " "))
}

/// Returns the kept blocks, one per line, each after its class tag. If `classes` is `None`, the elements of the
/// blocks determine the classes.
pub fn markup(doc: &Document, blocks: &Blocks, kept: &[bool], classes: Option<&[ParagraphClass]>) -> String {
    let mut out = String::new();
    for (index, block) in blocks.iter().enumerate().filter(|&(i, _)| kept[i]) {
        if !out.is_empty() {
            out.push('\n');
        }
        let class = classes.map_or_else(|| class_of(doc, block.node), |classes| classes[index]);
        out.push_str(class.tag());
        out.push_str(&blocks.text(index).replace('\n', " "));
    }
    out
}

/// Returns the class by the innermost element that determines it: heading for `<h1>` to `<h6>`, list for `<li>`,
/// `<dd>` and `<dt>`, otherwise paragraph.
fn class_of(doc: &Document, node: u32) -> ParagraphClass {
    for at in doc.ancestors_and_self(node) {
        match doc.tag(at) {
            tag if tag.is_heading() => return ParagraphClass::Heading,
            Tag::LI | Tag::DD | Tag::DT => return ParagraphClass::List,
            Tag::P | Tag::DIV | Tag::TD | Tag::BODY | Tag::ARTICLE | Tag::SECTION => break,
            _ => {}
        }
    }
    ParagraphClass::Paragraph
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_line() {
        assert_eq!(url_line("http://a/\r\n<p>b"), "URL: http://a/  <p>b\n");
    }
}
