//! Trains a model on an annotated folder and measures it on pages of other sites.
//!
//! `cargo run --features training --example train_and_evaluate -- datasets/sample`

#![allow(clippy::print_stdout)]

use std::error::Error;
use threshr::training::{Recipe, cross_validate, open, save, train};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "datasets/sample".to_owned());
    let sets = [open(folder)?];
    let recipe = Recipe::from_toml(
        "[features]\nset = 'shallow+density'\nneighbours = [1]\n[classifier]\nname = 'gbt'\nparams.rounds = 50\n",
    )?;
    let registries = threshr::registries();
    let scores = cross_validate(&sets, &recipe, 3, &registries)?;
    let mean = scores.iter().map(|page| page.f1).sum::<f64>() / scores.len() as f64;
    println!("mean token F1 of {} pages, 3 folds by site: {mean:.3}", scores.len());
    let model = train(&sets, &recipe, &registries)?;
    let path = std::env::temp_dir().join("threshr-example-model.json");
    save(&model, &path)?;
    let extractor = threshr::Extractor::builder().model_file(&path)?.build()?;
    let extraction =
        extractor.extract("<h1>Rain</h1><p>It rained all day, and nobody went out of the house.")?;
    println!("{}", extraction.text());
    std::fs::remove_file(path)?;
    Ok(())
}
