//! The engine for JavaScript: a model and options → a page as JSON.
//!
//! JavaScript calls [`Engine`] through the package `threshr` on npm (`npm/index.js`), which parses the JSON and
//! restarts the module if it fails.

mod inspect;
mod options;
mod result;

use options::PageOptions;
use std::collections::HashMap;
use threshr::{Error, ErrorKind, Extractor, Model, Result};
use threshr_extract::model::{Known, file};
use wasm_bindgen::prelude::wasm_bindgen;

/// Maximum number of extractors that are kept, one for each set of options.
const MAX_EXTRACTORS: usize = 8;

/// A model with the extractors that were built from it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine {
    model: Vec<u8>,
    extractors: HashMap<String, Extractor>,
}

#[wasm_bindgen]
impl Engine {
    /// Creates an engine from the bytes of a model file.
    ///
    /// # Errors
    /// Returns the error as JSON if the bytes are not a model.
    #[wasm_bindgen(constructor)]
    pub fn new(model: &[u8]) -> std::result::Result<Engine, String> {
        throw_panics();
        let mut engine = Engine { model: model.to_vec(), extractors: HashMap::new() };
        engine.extractor(&PageOptions::default()).map_err(|e| json_of(&e))?;
        Ok(engine)
    }

    /// Extracts a page with options, which are a JSON object. Returns a JSON object.
    ///
    /// # Errors
    /// Returns the error as JSON if an option is not valid, or the page is not HTML or reaches a limit.
    pub fn extract(&mut self, page: &[u8], options: &str) -> std::result::Result<String, String> {
        self.try_extract(page, options).map_err(|e| json_of(&e))
    }

    /// Returns what the application of `threshr inspect` shows of a page, as a JSON object.
    ///
    /// # Errors
    /// As [`Engine::extract`].
    pub fn inspect(&mut self, page: &[u8], options: &str) -> std::result::Result<String, String> {
        self.try_inspect(page, options).map_err(|e| json_of(&e))
    }

    /// Explains the score of a block of a page. Returns a JSON object.
    ///
    /// # Errors
    /// As [`Engine::extract`]. Also if the block does not exist.
    pub fn explain(
        &mut self,
        page: &[u8],
        block: usize,
        options: &str,
    ) -> std::result::Result<String, String> {
        self.try_explain(page, block, options).map_err(|e| json_of(&e))
    }
}

/// Returns the named policies and the properties of policies, as a JSON object.
#[wasm_bindgen]
pub fn policies() -> String {
    inspect::policies()
}

impl Engine {
    fn try_extract(&mut self, page: &[u8], options: &str) -> Result<String> {
        let options = PageOptions::parse(options)?;
        let extractor = self.extractor(&options)?;
        let extraction = extractor.extract(options.page(page))?;
        result::json(extractor, &extraction, &options)
    }

    fn try_inspect(&mut self, page: &[u8], options: &str) -> Result<String> {
        let options = PageOptions::parse(options)?;
        let extractor = self.extractor(&options)?;
        let extraction = extractor.extract(options.page(page))?;
        inspect::json(extractor, &extraction, page, &options)
    }

    fn try_explain(&mut self, page: &[u8], block: usize, options: &str) -> Result<String> {
        let options = PageOptions::parse(options)?;
        let found = self.extractor(&options)?.explain(options.page(page), Some(&[block]))?;
        Ok(found.first().map(threshr_view::explained).unwrap_or_default().to_string())
    }

    /// Returns the extractor for these options. It is built at its first use.
    fn extractor(&mut self, options: &PageOptions) -> Result<&Extractor> {
        let key = options.key()?;
        if !self.extractors.contains_key(&key) {
            if self.extractors.len() >= MAX_EXTRACTORS {
                self.extractors.clear();
            }
            let extractor = options.apply(Extractor::builder().model(model(&self.model)?))?.build()?;
            self.extractors.insert(key.clone(), extractor);
        }
        self.extractors.get(&key).ok_or_else(|| Error::invalid_option("the extractor is not there"))
    }
}

/// Makes panics exceptions of JavaScript with their message. Without this, a panic is a trap without a message.
#[cfg(target_arch = "wasm32")]
fn throw_panics() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| wasm_bindgen::throw_str(&panic.to_string())));
    });
}

/// Panics of other targets unwind.
#[cfg(not(target_arch = "wasm32"))]
fn throw_panics() {}

/// Reads a model in JSON or in the binary format of the shipped model.
fn model(bytes: &[u8]) -> Result<Model> {
    if bytes.first() == Some(&b'{') {
        file::from_bytes(bytes, &Known::default())?.into_model()
    } else {
        file::from_binary(bytes)
    }
}

/// Returns an error as a JSON object with `kind`, `message`, `expected` and `setting`.
fn json_of(error: &Error) -> String {
    let kind: ErrorKind = error.kind;
    serde_json::json!({
        "kind": format!("{kind:?}"),
        "message": error.message,
        "expected": error.expected,
        "setting": error.setting.map(|setting| setting.to_string()),
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    const PAGE: &[u8] = b"<title>Rain</title><ul><li><a href=/>Home</a></ul><h1>Rain</h1><p>It rained all day in the town, and the \
        river rose over the old bridge, which nobody had seen before.<p>The mayor said that the bridge is closed for a week.";

    fn engine(file: &str) -> Engine {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/");
        Engine::new(&std::fs::read(format!("{path}{file}")).expect("a model")).expect("an engine")
    }

    fn extract(options: &str) -> Value {
        let json = engine("tiny.json").extract(PAGE, options).expect("a page");
        serde_json::from_str(&json).expect("JSON")
    }

    #[test]
    fn pages_are_objects() {
        let page = extract("{}");
        assert!(page["text"].as_str().expect("a text").contains("the bridge is closed"), "{page}");
        for part in ["markdown", "html", "metadata", "comments", "posts", "units", "blocks"] {
            assert!(!page[part].is_null(), "{part}: {page}");
        }
        let page = extract(r#"{"parts": ["blocks"], "threshold": 0, "filter": "none"}"#);
        assert_eq!(page["blocks"].as_array().expect("blocks").len(), 4);
        assert!(page["markdown"].is_null() && page["units"].is_null());
    }

    #[test]
    fn all_options_are_there() {
        for option in threshr::raw::OPTIONS.iter().filter(|option| option.feature.is_empty()) {
            let name = option.setting.to_string();
            let mut words = name.split('_');
            let camel = words.next().unwrap_or_default().to_owned();
            let camel = words.fold(camel, |name, word| name + &word[..1].to_uppercase() + &word[1..]);
            // the model is that of the engine, and WebAssembly has no clock
            let is_there = !["model", "timeout"].contains(&camel.as_str());
            assert_eq!(PageOptions::parse(&format!("{{\"{camel}\": null}}")).is_ok(), is_there, "{camel}");
        }
    }

    #[test]
    fn errors_are_objects() {
        let mut engine = engine("default.bin");
        for (options, kind) in [
            ("{\"polcy\": \"main\"}", "InvalidOption"),
            ("{\"policy\": \"mian\"}", "InvalidOption"),
            ("{\"threshold\": 2}", "InvalidOption"),
            ("{\"charset\": \"x\"}", "InvalidOption"),
            ("{\"maxBytes\": 5}", "TooLarge"),
            ("{\"timeout\": 5}", "InvalidOption"),
            ("[", "InvalidOption"),
        ] {
            let error: Value =
                serde_json::from_str(&engine.extract(PAGE, options).expect_err(options)).expect("JSON");
            assert_eq!(error["kind"], kind, "{options}: {error}");
        }
        assert!(engine.extract(b"%PDF-1.4 \x00\x01", "{}").expect_err("a PDF").contains("NotHtml"));
        assert!(Engine::new(b"{}").expect_err("no model").contains("Model"));
    }

    #[test]
    fn pages_are_inspected_and_explained() {
        let mut engine = engine("default.bin");
        let read = |json: String| serde_json::from_str::<Value>(&json).expect("JSON");
        let page = read(engine.inspect(PAGE, r#"{"url": "https://example.org/"}"#).expect("a page"));
        assert_eq!((&page["title"], &page["url"]), (&"Rain".into(), &"https://example.org/".into()));
        assert!(
            page["frame"].as_str().expect("HTML").contains("<t-b data-b=\"2\">It rained all day"),
            "{page}"
        );
        assert_eq!(page["metadata"]["title"]["source"], "headline");
        let blocks = page["blocks"].as_array().expect("blocks");
        assert_eq!(blocks.iter().map(|b| b["kept"] == true).collect::<Vec<_>>(), [false, false, true, true]);
        assert!(page["units"].as_array().is_some_and(|units| units.len() >= 4), "{page}");
        let all = read(engine.inspect(PAGE, r#"{"threshold": 0, "filter": "none"}"#).expect("a page"));
        assert_eq!(all["threshold"], 0.0);
        assert_eq!(all["frame"], page["frame"]);
        let why = read(engine.explain(PAGE, 2, "{}").expect("an explanation"));
        assert_eq!(why["outcome"], "kept");
        let number = |value: &Value| value.as_f64().expect("a number");
        let by: f64 = why["columns"].as_array().expect("columns").iter().map(|c| number(&c["by"])).sum();
        let sum = number(&why["base"]) + by + number(&why["other"]);
        assert!((sum - number(&why["decision"])).abs() < 1e-3, "{why}");
        assert!(engine.explain(PAGE, 4, "{}").expect_err("no block").contains("there is no block 4"));
        assert!(read(policies())["named"][1]["name"] == "article");
    }

    #[test]
    fn few_extractors_are_kept() {
        let mut engine = engine("tiny.json");
        for i in 0..30 {
            engine.extract(PAGE, &format!("{{\"threshold\": 0.{i}}}")).expect("a page");
            assert!(engine.extractors.len() <= MAX_EXTRACTORS);
        }
    }
}
