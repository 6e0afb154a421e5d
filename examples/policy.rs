//! Extracts a page under several policies. A policy states what counts as content: only the running text of
//! an article, the text with its captions, or the text with headline, byline and captions.
//!
//! `cargo run --example policy`

#![allow(clippy::print_stdout)]

use threshr::{Extractor, Result};

fn main() -> Result<()> {
    let text = "A fox was seen in the old town, and all who saw it spoke of it. ".repeat(4);
    let html = format!(
        "<title>Foxes in the town | News</title><nav><a href=/>Home</a> <a href=/n>News</a></nav>\
         <h1>Foxes in the town</h1><p class=byline>By Ann Miller<p>{text}\
         <figure><img src=f><figcaption>A fox on a roof</figcaption></figure><p>{text}"
    );
    for policy in ["article", "article+captions", "article+title+byline+captions"] {
        let extractor = Extractor::builder().policy(policy)?.build()?;
        println!("--- {policy}\n{}", extractor.extract(&html)?.text());
    }
    Ok(())
}
