//! Extraction of a page and all output formats.

use crate::Target;
use crate::{page_formats, page_html, page_json};
use std::sync::OnceLock;
use std::time::Duration;
use threshr::default_model;
use threshr_core::{Budget, ErrorKind};
use threshr_extract::RawExtraction;
use threshr_extract::{Extractor, Input, Labeller, Options};
use threshr_html::{ParseOptions, decode};
use threshr_output::formats::{Added, PageOutput, WriteOptions};

pub(crate) static TARGET: Target = Target {
    name: "page",
    summary: "a page, extracted with the shipped model and written in every output format: all options give the same text, outputs are well-formed and have no active content, source ranges are inside the page",
    body,
};

/// Maximum CPU time for a page and all its outputs. Fuzzer inputs are much smaller than pages that take a
/// long time.
const LIMIT: Duration = Duration::from_secs(20);

/// URLs and charsets that the caller may pass together with the page.
const URLS: [Option<&str>; 3] =
    [None, Some("https://example.org/a/b?c=\"<d>&e=%20#f"), Some("not a URL\n---\n")];
const CHARSETS: [Option<&str>; 4] = [None, None, Some("windows-1252"), Some("shift_jis")];

fn extractor() -> &'static Extractor {
    static EXTRACTOR: OnceLock<Extractor> = OnceLock::new();
    EXTRACTOR.get_or_init(|| {
        let parse = ParseOptions { source_map: true, ..ParseOptions::default() };
        let options = Options { parse, page_type: true, quality: true, ..Options::default() };
        let model = default_model().expect("the shipped model");
        Extractor::new(Labeller::Model(Box::new(model)), options)
    })
}

fn body(bytes: &[u8]) {
    let sum = bytes.iter().fold(bytes.len(), |sum, &b| sum.wrapping_mul(31).wrapping_add(b.into()));
    let (url, charset) = (URLS[sum % URLS.len()], CHARSETS[sum / URLS.len() % CHARSETS.len()]);
    let budget = Budget::start(Some(LIMIT)).expect("a clock");
    let extraction = match extractor().extract(&Input { bytes, charset, url, geometry: None }, &budget) {
        Ok(extraction) => extraction,
        Err(error) => return assert_eq!(error.kind, ErrorKind::NotHtml, "{error}"),
    };
    let labels = extraction.output();
    let num_blocks = labels.blocks.len();
    assert!(labels.scores.len() == num_blocks && labels.kept.len() == num_blocks);
    assert!(labels.scores.iter().all(|score| (0.0..=1.0).contains(score)), "a score is out of range");
    let whole_page = vec![true; num_blocks];
    let page = decoded(bytes, charset);
    let output = PageOutput { id: "an\tid\n<1>", url, budget, model: "model", ..labels };
    check(&output, &VARIANTS[..1], &page);
    check(&PageOutput { kept: &whole_page, ..output }, &VARIANTS, &page);
}

/// Decodes the page and keeps its byte-order mark, because source offsets include it.
fn decoded(bytes: &[u8], charset: Option<&str>) -> String {
    let text = decode(bytes, charset).text;
    let mark = if bytes.starts_with("\u{feff}".as_bytes()) { "\u{feff}" } else { "" };
    format!("{mark}{text}")
}

const EVERYTHING: WriteOptions =
    WriteOptions { title: false, links: true, images: true, tables: true, formulas: true };
const NOTHING: WriteOptions =
    WriteOptions { title: false, links: false, images: false, tables: false, formulas: false };
const WITHOUT_LINKS: WriteOptions =
    WriteOptions { title: false, links: false, images: true, tables: true, formulas: true };
const WITH_ALL: Added = Added { markdown: true, units: true, metadata: true };
const WITH_MARKDOWN: Added = Added { markdown: true, units: false, metadata: false };
const VARIANTS: [(WriteOptions, Added); 3] =
    [(EVERYTHING, WITH_ALL), (NOTHING, WITH_MARKDOWN), (WITHOUT_LINKS, WITH_MARKDOWN)];

fn check(output: &PageOutput<'_>, variants: &[(WriteOptions, Added)], page: &str) {
    let text = output.text().expect("within the limit");
    page_formats::check(output, &text);
    page_json::check_units(output, page);
    for &(options, added) in variants {
        let output = PageOutput { options, added, ..*output };
        page_formats::check_front_matter(&output);
        page_json::check_row(&output, &text);
        page_html::check(&output);
    }
}
