//! Hostile pages give a result or a timeout in all stages, and never run much longer than the budget.

use std::path::Path;
use std::time::{Duration, Instant};
use threshr_core::{Budget, ErrorKind, Result};
use threshr_extract::RawExtraction;
use threshr_extract::model::Known;
use threshr_extract::{Extractor, Input, Options, model};
use threshr_output::formats::FORMATS;

const LIMIT: Duration = Duration::from_millis(50);
/// Maximum time, which is far above the limit plus the time between two checks of the budget. A quadratic
/// step would take minutes.
const MAX_TIME: Duration = Duration::from_secs(5);

fn extractor() -> Extractor {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny.json");
    let model = model::file::load(&path, &Known::default()).expect("a model");
    Extractor::new(model, Options::default())
}

/// The pages of the test `hostile_pages_give_an_answer_in_bounded_time` of `threshr-html`, and pages that are
/// hostile to later stages: many blocks, long texts, deep lists, wide tables, and many elements that are moved, shown as
/// boxes or dropped as controls.
fn pages() -> Vec<(&'static str, String)> {
    let attributes: String = (0..100_000).map(|i| format!("a{i}='x' ")).collect();
    let slots: String = (0..40_000).map(|i| format!("<slot name=s{i}></slot>")).collect();
    let filled: String = (0..40_000).map(|i| format!("<p slot=s{i}>x")).collect();
    let places: String =
        (0..40_000).map(|i| format!("<!--$?--><template id=B:{i:x}></template><!--/$-->")).collect();
    let fragments: String = (0..40_000).rev().map(|i| format!("<div hidden id=S:{i:x}>x</div>")).collect();
    let bold: String = (0..600).map(|i| format!("<b id={i}>")).collect();
    vec![
        ("deep", "<div>".repeat(100_000) + "end"),
        ("table", "<table>".to_owned() + &"<div>".repeat(50_000) + "end"),
        ("attributes", format!("<p {attributes}>end")),
        ("formatting", format!("<p>{bold}</p>{}end", "<p>x</p>".repeat(20_000))),
        (
            "misnested",
            format!("<b><div>{}{}end", "<p>y".repeat(20_000), "<a></div><b></a></b><div>".repeat(2_000)),
        ),
        ("nul", "\0<p>\0end\0".to_owned()),
        ("lt", "<".repeat(300_000) + " end"),
        ("entities", "&amp;".repeat(200_000) + "end"),
        ("unclosed", "<p".repeat(100_000) + ">end"),
        ("comment", "end<!--".to_owned() + &"<!-".repeat(100_000)),
        ("comments", "end".to_owned() + &"<!--".repeat(400_000)),
        ("scripts", "<SCRIPT>x</SCRIPT>".repeat(200_000) + "end"),
        ("styles", "<style>a</STYLE>".repeat(200_000) + "end"),
        ("open script", "end".to_owned() + &"<script>".repeat(200_000)),
        ("blocks", "<p>It rained all day.".repeat(100_000)),
        ("long text", "It rained all day. ".repeat(200_000)),
        ("lists", "<ul><li>It rained all day.".repeat(20_000)),
        ("cells", "<table><tr>".to_owned() + &"<td>rain".repeat(100_000)),
        ("rows", "<table>".to_owned() + &"<tr><td>rain<td>sun".repeat(50_000)),
        ("code", "<pre>".to_owned() + &"<div>  let rain;\n</div>".repeat(50_000)),
        ("custom elements", format!("<div>{}end", "<x-a><x-b>a</x-b></x-a>".repeat(40_000))),
        ("shadow roots", format!("<x-a>{}end", "<template shadowrootmode=open></template>".repeat(40_000))),
        ("slots", format!("<x-a><template shadowrootmode=open>{slots}</template>{filled}</x-a>end")),
        ("fragments", format!("{places}{fragments}end")),
        ("forms", format!("<p>It rained.</p>{}end", "<form><input type=email></form>".repeat(40_000))),
        ("buttons", format!("<p>{}end", "<i>x<button>y</button></i>".repeat(40_000))),
        ("sections", format!("<p>It rained.{}", "<h2>Rain</h2><p>None".repeat(40_000))),
        ("quotations", "<blockquote>".repeat(500) + &"<p>It rained.".repeat(20_000)),
    ]
}

/// Extracts a page and writes it in all formats.
fn write_all(extractor: &Extractor, page: &str, budget: &Budget) -> Result<()> {
    let input = Input { bytes: page.as_bytes(), ..Input::default() };
    let extraction = extractor.extract(&input, budget)?;
    let mut output = extraction.output();
    output.budget = *budget;
    FORMATS.iter().try_for_each(|format| (format.page)(&output).map(drop))
}

fn budget(limit: Duration) -> Budget {
    Budget::start(Some(limit)).expect("a clock")
}

#[test]
fn hostile_pages_give_an_answer_or_a_timeout() {
    let extractor = extractor();
    for (name, page) in pages() {
        let started = Instant::now();
        let result = write_all(&extractor, &page, &budget(LIMIT));
        let elapsed = started.elapsed();
        if let Err(error) = result {
            assert_eq!(error.kind, ErrorKind::Timeout, "{name}: {error}");
            assert_eq!(error.to_string(), "given up after 0.05 s", "{name}");
        }
        assert!(elapsed < MAX_TIME, "{name} took {elapsed:?}");
    }
}

#[test]
fn a_used_up_budget_is_a_timeout() {
    let extractor = extractor();
    let page = "<p>It rained all day.".repeat(20_000);
    let result = write_all(&extractor, &page, &budget(Duration::from_millis(1)));
    assert!(result.is_err_and(|error| error.kind == ErrorKind::Timeout));
}
