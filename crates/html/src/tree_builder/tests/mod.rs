//! The html5lib tree-construction tests.
//!
//! A case that specifies no scripting mode runs in both modes. Fragment cases are counted but skipped, because a
//! page is always parsed as a document. [`outline`] explains how the trees are compared. [`DIFFERENCES`] lists the
//! cases for which our tree differs from the expected tree.

mod cases;
mod differences;
mod outline;

use crate::{Reading, oracle, tree_builder};
use cases::Case;
use differences::DIFFERENCES;
use std::collections::BTreeSet;
use std::path::PathBuf;
use threshr_core::Budget;

/// Files of the suite: name and number of cases.
const FILES: [(&str, usize); 53] = [
    ("adoption01", 18),
    ("adoption02", 2),
    ("blocks", 48),
    ("comments01", 16),
    ("doctype01", 37),
    ("domjs-unsafe", 49),
    ("entities01", 75),
    ("entities02", 26),
    ("foreign-fragment", 58),
    ("html5test-com", 24),
    ("inbody01", 4),
    ("isindex", 4),
    ("main-element", 3),
    ("math", 8),
    ("menuitem-element", 20),
    ("namespace-sensitivity", 1),
    ("noscript01", 18),
    ("pending-spec-changes-plain-text-unsafe", 1),
    ("pending-spec-changes", 3),
    ("plain-text-unsafe", 33),
    ("ruby", 21),
    ("scriptdata01", 27),
    ("tables01", 17),
    ("template", 108),
    ("tests1", 114),
    ("tests10", 54),
    ("tests11", 13),
    ("tests12", 2),
    ("tests14", 7),
    ("tests15", 14),
    ("tests16", 197),
    ("tests17", 13),
    ("tests18", 36),
    ("tests19", 105),
    ("tests2", 62),
    ("tests20", 44),
    ("tests21", 25),
    ("tests22", 5),
    ("tests23", 5),
    ("tests24", 8),
    ("tests25", 26),
    ("tests26", 16),
    ("tests3", 24),
    ("tests4", 7),
    ("tests5", 17),
    ("tests6", 52),
    ("tests7", 31),
    ("tests8", 10),
    ("tests9", 27),
    ("tests_innerHTML_1", 85),
    ("tricky01", 9),
    ("webkit01", 50),
    ("webkit02", 21),
];

/// Number of cases that are run.
const NUM_RUN: usize = 1_524;
/// Number of cases that are skipped, because they parse a fragment.
const NUM_FRAGMENTS: usize = 176;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/html5lib/tree-construction")
}

fn read(file: &str) -> Vec<Case> {
    let path = folder().join(file).with_extension("dat");
    cases::read(&std::fs::read_to_string(path).expect("the suite is there"))
}

fn outline_of(html: &str, scripting: bool) -> String {
    let reading = Reading { scripting, xml: false, repairs: false };
    let doc = tree_builder::build(html, None, reading, &Budget::UNLIMITED).expect("no limit");
    oracle::of_document(&doc).text()
}

/// Returns why a case fails, or `None` if it passes.
fn failure(case: &Case) -> Option<String> {
    let expected = outline::of_expected(&case.tree);
    let modes = case.scripting.map_or(vec![false, true], |mode| vec![mode]);
    modes.into_iter().find_map(|scripting| {
        let found = outline_of(&case.data, scripting);
        let html = &case.data;
        (found != expected)
            .then(|| format!("{html:?}, scripting {scripting}\nexpected\n{expected}found\n{found}"))
    })
}

#[test]
fn html5lib_trees_are_built() {
    let listed: BTreeSet<_> = DIFFERENCES.iter().map(|d| (d.0, d.1)).collect();
    assert_eq!(listed.len(), DIFFERENCES.len(), "a case is listed twice");
    let entries = std::fs::read_dir(folder()).expect("the suite is there");
    let is_file = |path: PathBuf| path.extension().is_some_and(|e| e == "dat");
    let num_files = entries.filter(|entry| entry.as_ref().is_ok_and(|e| is_file(e.path()))).count();
    assert_eq!(num_files, FILES.len(), "the table lists every file");
    let (mut num_run, mut num_fragments) = (0, 0);
    let (mut differing, mut unexpected) = (BTreeSet::new(), Vec::new());
    for (file, num_cases) in FILES {
        let cases = read(file);
        assert_eq!(cases.len(), num_cases, "{file}");
        for (number, case) in cases.iter().enumerate() {
            if case.is_fragment {
                num_fragments += 1;
                continue;
            }
            num_run += 1;
            if let Some(failure) = failure(case) {
                differing.insert((file, number));
                if !listed.contains(&(file, number)) {
                    unexpected.push(format!("{file} {number}: {failure}"));
                }
            }
        }
    }
    assert!(unexpected.is_empty(), "{} cases fail:\n{}", unexpected.len(), unexpected.join("\n"));
    let passing: Vec<_> = listed.difference(&differing).collect();
    assert!(passing.is_empty(), "listed cases pass: {passing:?}");
    assert_eq!((num_run, num_fragments), (NUM_RUN, NUM_FRAGMENTS));
}

/// html5ever follows the current standard. Therefore, every listed difference must also occur in html5ever's
/// trees.
#[test]
fn listed_differences_are_html5evers_too() {
    for &(file, number, _) in DIFFERENCES {
        let case = &read(file)[number];
        for scripting in [false, true] {
            let ours = outline_of(&case.data, scripting);
            let theirs = oracle::of_html5ever(&case.data, scripting, false).expect("a small page").text();
            assert_eq!(ours, theirs, "{file} {number}");
        }
    }
}
