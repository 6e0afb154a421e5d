//! Extracts the content of one page as text.
//!
//! `cargo run --example extract_page -- datasets/sample/pages/4565.html`

#![allow(clippy::print_stdout)]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "datasets/sample/pages/4565.html".to_owned());
    let html = std::fs::read(path)?;
    println!("{}", threshr::extract(&html)?.text());
    Ok(())
}
