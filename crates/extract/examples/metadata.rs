//! Writes the metadata of all pages of an annotated set, one JSON object per line, to measure them.
//!
//! `cargo run --release -p threshr-extract --example metadata -- SET`

#![allow(clippy::print_stdout)] // the output of an example

use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use threshr_html::blocks::{Blocks, REGISTRY};
use threshr_html::{ParseOptions, Visibility, parse};
use threshr_page::metadata;

fn main() -> Result<(), Box<dyn Error>> {
    let set = std::env::args().nth(1).unwrap_or_else(|| "datasets/sample".to_owned());
    let set = Path::new(&set);
    for line in std::fs::read_to_string(set.join("gold.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        let file = text("file").ok_or("a line of gold.jsonl has no `file`")?;
        let options = ParseOptions { charset: text("encoding"), ..ParseOptions::default() };
        let doc = parse(&std::fs::read(set.join(file))?, &options);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let metadata = metadata::of(&doc, &blocks, text("url").as_deref(), Default::default());
        println!("{}", json!({ "id": row["id"], "metadata": metadata }));
    }
    Ok(())
}
