//! `threshr model`, `systems`, `completions`, `man` and the help texts.

use crate::support::{failure, output, threshr};

#[test]
fn the_shipped_model_is_described() {
    let shown = output(threshr().args(["model", "show"]));
    for part in ["classifier", "threshold", "wcxb-dev", "held out", "[features]"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    for command in ["predict", "train", "adapt", "evaluate", "features"] {
        let help = output(threshr().args([command, "--help"]));
        assert!(help.contains("Examples:") && help.contains("threshr "), "{command}");
    }
    assert!(output(threshr().arg("--help")).contains("Examples:"));
    let script = output(threshr().args(["completions", "bash"]));
    assert!(script.contains("_threshr") && script.contains("main article full auto"), "{script}");
    let systems = output(threshr().arg("systems"));
    for name in [
        "keep-everything",
        "oracle",
        "svm-rff",
        "tree",
        "text-node",
        "cleaneval",
        "googleoff",
        "jsonl",
        "nested-f1",
    ] {
        assert!(systems.contains(name), "{name}");
    }
    let of = |name: &str| output(threshr().args(["systems", name]));
    assert!(of("justext").contains("option") && of("headings").starts_with("filter"));
    // a name may belong to a system and to another entry
    let both = of("victor");
    assert!(both.starts_with("system"), "{both}");
    assert_eq!(of("repeats:3"), of("repeats"));
    assert!(failure(threshr().args(["systems", "nothing"]), 2).contains("there is no entry"));
}

#[test]
fn every_command_has_a_manual_page() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("man1");
    output(threshr().args(["man", "--out"]).arg(&out));
    let page = |name: &str| std::fs::read_to_string(out.join(name)).expect(name);
    assert!(page("threshr.1").contains("threshr\\-predict(1)"));
    assert!(page("threshr.1").contains(".nf\nExamples:\n  threshr predict page.html"));
    let predict = page("threshr-predict.1");
    assert!(predict.contains("\\fB\\-\\-policy\\fR") && predict.contains("article"), "{predict}");
    assert!(page("threshr-data-convert.1").contains(".TH threshr-data-convert 1"));
    assert!(failure(threshr().args(["man", "--out"]).arg(&out), 2).contains("--force"));
}

/// Help texts contain the names in the registries.
#[test]
fn help_names_what_the_registries_hold() {
    let help = |command: &str| output(threshr().args([command, "--help"]));
    let (train, evaluate, predict) = (help("train"), help("evaluate"), help("predict"));
    let holds = |text: &str, names: &mut dyn Iterator<Item = &str>| {
        for name in names {
            assert!(text.contains(name), "{name}");
        }
    };
    holds(&train, &mut threshr::registries().classifiers.all().iter().map(|c| c.name()));
    holds(&train, &mut threshr_html::blocks::REGISTRY.iter().map(|s| s.name));
    holds(&train, &mut threshr_sets::gold::REGISTRY.iter().map(|r| r.name));
    holds(&evaluate, &mut threshr_evaluate::metrics::REGISTRY.iter().map(|m| m.name));
    for help in [&evaluate, &predict] {
        holds(help, &mut threshr_extract::filters::REGISTRY.iter().map(|f| f.name));
        holds(help, &mut threshr_extract::decision::REGISTRY.iter().map(|r| r.name));
    }
    holds(&predict, &mut threshr_crawl::formats().iter().map(|f| f.name));
}
