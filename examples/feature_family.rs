//! A feature family of one's own, by the public trait: its columns for the blocks of a page.
//!
//! A family that models are trained with is one file in `crates/features/src/families/`, whose `mod.rs` has the steps.
//! A crate with a family of its own depends on `threshr-features` and `threshr-html` by path. `train` does not read its
//! columns.
//!
//! `cargo run --example feature_family`

#![allow(clippy::print_stdout)]

use std::borrow::Cow;
use threshr_features::{Column, Family, Grid, PageContext};
use threshr_html::blocks::{Blocks, REGISTRY};
use threshr_html::{Visibility, parse_str};

/// How much a block asks: question marks and words.
struct Questions;

impl Family for Questions {
    fn name(&self) -> &'static str {
        "questions"
    }
    fn summary(&self) -> &'static str {
        "question marks of a block"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |name, unit, definition| Column {
            name: Cow::Borrowed(name),
            unit,
            definition: Cow::Borrowed(definition),
            version: 1,
            source: "this example",
            neighbours: true,
        };
        vec![
            column("num_marks", "signs", "question marks in the block"),
            column("per_word", "ratio", "question marks / words; 0 without words"),
        ]
    }
    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for block in 0..page.len() {
            let num_marks = page.blocks.text(block).matches('?').count() as f32;
            let num_words = page.stats[block].num_words as f32;
            out.set(0, block, num_marks);
            out.set(1, block, if num_words > 0.0 { num_marks / num_words } else { 0.0 });
        }
    }
}

fn main() {
    let document = parse_str("<h1>Rain?</h1><p>Will it rain? Who knows?<p>It rained all day.");
    let blocks = Blocks::of(&document, REGISTRY[0], Visibility::Visible);
    let page = PageContext::new(&document, &blocks);
    let family = Questions;
    let names: Vec<String> =
        family.columns().iter().map(|c| format!("{}.{}", family.name(), c.name)).collect();
    let mut values = vec![0.0; names.len() * blocks.len()];
    family.fill(&page, &mut Grid::new(&mut values, blocks.len()));
    println!("{}\ttext", names.join("\t"));
    for block in 0..blocks.len() {
        let row: Vec<String> = values.iter().skip(block).step_by(blocks.len()).map(f32::to_string).collect();
        println!("{}\t{}", row.join("\t"), blocks.text(block));
    }
}
