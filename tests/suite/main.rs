//! Tests of the command line, and of guarantees that involve several modules, in one binary.

mod cases;
mod classifier_conformance;
mod cli_adapt;
mod cli_bench;
mod cli_compare;
mod cli_crawl;
mod cli_data;
mod cli_diff;
mod cli_evaluate;
mod cli_features;
mod cli_first_hour;
mod cli_forms;
mod cli_gold;
mod cli_guard;
mod cli_model;
mod cli_pages;
mod cli_policy;
mod cli_predict;
mod cli_rows;
mod cli_site;
#[cfg(unix)]
mod cli_streams;
mod cli_told;
mod cli_train;
mod cli_trained_systems;
#[cfg(unix)]
mod documents;
#[cfg(target_os = "linux")]
mod faults;
mod golden;
mod inputs;
mod leaks;
#[cfg(target_os = "linux")]
mod memory;
mod model_files;
mod parsers;
mod policies;
mod reference;
mod sample;
mod support;
mod units;
