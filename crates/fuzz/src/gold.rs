//! Annotated sets: their files are read and converted to labelled blocks.

use crate::Target;
use crate::files::Files;
use threshr_core::progress::Quiet;
use threshr_extract::Recipe;
use threshr_features::Families;
use threshr_html::Selector;
use threshr_sets::gold::{DataSet, ReadOptions};
use threshr_train::Corpus;

pub(crate) static TARGET: Target = Target {
    name: "gold",
    summary: "an annotated set of a page; the first line names its format, `====` lines separate files: gold is \
              read and aligned, and no file outside of the set is read",
    body,
};

const PAGE: &[u8] =
    b"<title>Rain</title><ul><li><a href=/>Home</a></ul><h1>Rain</h1><p>It rained all day in the \
    north.<p>Nobody went out.<div class=footer>Copyright</div>";
/// Separator between the files in a fuzzer input.
const SEPARATOR: &[u8] = b"\n====\n";

/// Writes the files of a set. The first file is a page or `gold.jsonl`. The second file is gold or
/// `policy.toml`.
fn write(files: &Files, format: &str, first: &[u8], second: Option<&[u8]>) {
    match format {
        "jsonl" => {
            files.write("gold.jsonl", first);
            files.write("pages/1.html", PAGE);
            if let Some(policy) = second {
                files.write("policy.toml", policy);
            }
        }
        "cleaneval" => {
            files.write("input/1.html", first);
            files.write("GoldStandard/1-cleaned.txt", second.unwrap_or_default());
        }
        _ => drop(files.write("1.html", first)),
    }
}

/// Parses the options in the first line of an input: a format, followed by a selector or by two markers.
fn options(line: &str) -> Option<ReadOptions> {
    let (format, argument) = line.split_once(' ').unwrap_or((line, ""));
    let markers = argument.split_once(' ').map(|(open, close)| (open.to_owned(), close.to_owned()));
    let selector = if format == "selector" { Some(Selector::parse(argument).ok()?) } else { None };
    Some(ReadOptions { format: Some(format.to_owned()), markers, selector, ..ReadOptions::default() })
}

fn body(bytes: &[u8]) {
    let split = bytes.iter().position(|&b| b == b'\n').unwrap_or(bytes.len());
    let Ok(line) = std::str::from_utf8(&bytes[..split]) else { return };
    let Some(options) = options(line) else { return };
    let rest = bytes.get(split + 1..).unwrap_or_default();
    let at = rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR);
    let (first, second) = at.map_or((rest, None), |at| (&rest[..at], Some(&rest[at + SEPARATOR.len()..])));
    let files = Files::new();
    write(&files, options.format.as_deref().unwrap_or_default(), first, second);
    let set = match DataSet::open(files.path(), &options) {
        Ok(set) => set,
        Err(error) => return assert!(!error.to_string().is_empty(), "an error without a message"),
    };
    for page in &set.pages {
        let inside = page.path.strip_prefix(files.path());
        let is_inside = inside.is_ok_and(|path| path.components().all(|c| c.as_os_str() != ".."));
        assert!(is_inside, "{} is outside of the set", page.path.display());
    }
    let recipe = Recipe::from_toml("features = { set = 'shallow+density' }").expect("a recipe");
    let features = recipe.feature_set(&Families::default()).expect("a feature set");
    if let Ok(corpus) = Corpus::read_to_train(&[set], &recipe, &features, None, &Quiet) {
        assert!(!corpus.pages.is_empty() || !corpus.failures.is_empty(), "pages are lost");
    }
}
