//! Tests of the formats, and pages written in a format for other tests.

use super::*;
use threshr_html::blocks as block;
use threshr_html::{Visibility, parse_str};

/// Writes a page with all blocks kept, in the format `name`, without its title.
pub(crate) fn written(name: &str, html: &str) -> String {
    written_with(name, html, WriteOptions::default())
}

/// As [`written`], with other options.
pub(crate) fn written_with(name: &str, html: &str, options: WriteOptions) -> String {
    write(
        html,
        |_| true,
        WriteOptions { title: false, ..options },
        |page| {
            let format = FORMATS.iter().find(|f| f.name == name).expect("a format");
            match (format.page)(page).expect("no limit") {
                Entry::Text(text) | Entry::File { text, .. } => text,
                Entry::Row(row) => format!("{row:?}"),
            }
        },
    )
}

/// Writes a page as Markdown with its title. `is_kept` gets the text of each block.
pub(crate) fn markdown_of(html: &str, is_kept: impl Fn(&str) -> bool) -> String {
    write(html, is_kept, WriteOptions::default(), |page| page.markdown().expect("no limit"))
}

fn write(
    html: &str,
    is_kept: impl Fn(&str) -> bool,
    options: WriteOptions,
    form: impl Fn(&PageOutput<'_>) -> String,
) -> String {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let kept: Vec<bool> = (0..blocks.len()).map(|i| is_kept(blocks.text(i))).collect();
    let scores = vec![1.0; blocks.len()];
    let page = PageOutput {
        id: "1",
        url: None,
        date: None,
        doc: &doc,
        blocks: &blocks,
        scores: &scores,
        kept: &kept,
        known: Known::default(),
        classes: None,
        model: "m",
        defect: None,
        added: Added::default(),
        type_and_quality: None,
        options,
        budget: Budget::UNLIMITED,
    };
    form(&page)
}

fn written_pages(name: &str) -> String {
    let format = FORMATS.iter().find(|f| f.name == name).expect("a format");
    let doc = parse_str("<title>T</title><h1>A\tb</h1><p>One <i>two</i><br>three<ul><li>x</ul>");
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let page = PageOutput {
        id: "7",
        url: Some("http://a/"),
        doc: &doc,
        blocks: &blocks,
        scores: &[0.25, 0.75, 1.0],
        kept: &[true, true, false],
        known: Known::default(),
        classes: None,
        date: None,
        type_and_quality: None,
        model: "m",
        defect: None,
        added: Added::default(),
        options: WriteOptions::default(),
        budget: Budget::UNLIMITED,
    };
    let other = PageOutput { kept: &[false, false, true], url: None, ..page };
    let failed = FailedPage { id: "8", url: None, date: None, error: "why", model: "m" };
    let entries = [&page, &other]
        .map(|page| (format.page)(page).expect("no limit"))
        .into_iter()
        .chain((format.failed)(&failed));
    let texts: Vec<String> = entries
        .map(|e| match e {
            Entry::Text(text) | Entry::File { text, .. } => text,
            Entry::Row(row) => format!("{row:?}"),
        })
        .collect();
    format!("{}{}", format.head, texts.join(format.between))
}

#[test]
fn predicted_classes_have_priority() {
    use ParagraphClass::{Heading, List, Paragraph};
    let doc = parse_str("<h1>A</h1><p>B<ul><li>C</ul>");
    let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
    let kept = [true, false, true];
    assert_eq!(markup(&doc, &blocks, &kept, None), "<h>A\n<l>C");
    assert_eq!(markup(&doc, &blocks, &kept, Some(&[List, Paragraph, Heading])), "<l>A\n<h>C");
}

#[test]
fn formats_have_the_documented_form() {
    assert_eq!(written_pages("text"), "A b\nOne two\nthree\n\nx\n");
    assert_eq!(
        written_pages("jsonl"),
        "{\"id\":\"7\",\"url\":\"http://a/\",\"date\":null,\"text\":\"A b\\nOne two\\nthree\",\"title\":\"A b\",\"authors\":[],\
             \"date_published\":null,\"scores\":[0.25,0.75],\"language\":null,\"page_type\":null,\"page_types\":null,\"quality\":null,\
             \"quality_low\":null,\"quality_high\":null,\"model\":\"m\",\"defect\":null,\"error\":null}\n\
             {\"id\":\"7\",\"url\":null,\"date\":null,\"text\":\"x\",\"title\":\"A b\",\"authors\":[],\"date_published\":null,\
             \"scores\":[1.0],\"language\":null,\"page_type\":null,\"page_types\":null,\"quality\":null,\"quality_low\":null,\
             \"quality_high\":null,\"model\":\"m\",\"defect\":null,\"error\":null}\n\
             {\"id\":\"8\",\"url\":null,\"date\":null,\"text\":null,\"title\":null,\"authors\":[],\"date_published\":null,\"scores\":[],\
             \"language\":null,\"page_type\":null,\"page_types\":null,\"quality\":null,\"quality_low\":null,\"quality_high\":null,\
             \"model\":\"m\",\"defect\":null,\"error\":\"why\"}\n"
    );
    assert_eq!(written_pages("cleaneval"), "URL: http://a/\n<h>A b\n<p>One two three\n\nURL: 7\n<l>x\n");
    let blocks = written_pages("blocks");
    assert!(
        blocks
            .starts_with("page\tblock\tlabel\tscore\tpath\ttext\n7\t0\tcontent\t0.2500\thtml>body>h1\tA b\n")
    );
    assert!(
        blocks.contains("7\t2\tboilerplate\t1.0000\thtml>body>ul>li\tx\n")
            && blocks.contains("One two three")
    );
}
