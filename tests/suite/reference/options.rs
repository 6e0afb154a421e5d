//! The reference page of extractor options, and a test of the builder methods.

use super::{Page, code, table};
use crate::support::repository;
use std::collections::BTreeSet;
use threshr::raw::OPTIONS;

/// Returns the page with the names of each extractor option in all interfaces.
pub(super) fn options() -> Page {
    let rows = OPTIONS.iter().map(|option| {
        let names = |names: &[&str], before: &str| {
            names.iter().map(|name| code(&format!("{before}{name}"))).collect::<Vec<_>>().join(", ")
        };
        vec![
            names(option.builder, ""),
            names(option.command, "--"),
            code(option.setting.name()),
            if option.feature.is_empty() { String::new() } else { code(option.feature) },
            option.summary.to_owned(),
        ]
    });
    let head =
        ["Rust: builder", "command line: predict", "Python: keyword", "feature of the crate", "meaning"];
    Page {
        file: "options.md".into(),
        title: "Options of an extractor".into(),
        about: "The same options in Rust, on the command line and in Python. The limits have other units on the command \
                line: `--page-seconds` seconds, `--page-mb` and `--page-memory` MB of 2^20 bytes, 0 for no limit; Python \
                counts seconds and bytes."
            .into(),
        body: table("Options", &head, rows),
    }
}

#[test]
fn the_builder_has_the_options_of_the_table() {
    let source = std::fs::read_to_string(repository("src/builder.rs")).expect("the builder");
    let methods = source.split("\n    pub fn ").skip(1).filter_map(|rest| rest.split_once(['(', '<']));
    let methods: Vec<&str> = methods.map(|(name, _)| name).filter(|name| *name != "build").collect();
    let named: Vec<&str> = OPTIONS.iter().flat_map(|option| option.builder).copied().collect();
    assert_eq!(BTreeSet::from_iter(methods), BTreeSet::from_iter(named));
}
