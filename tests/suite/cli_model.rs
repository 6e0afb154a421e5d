//! `threshr model`, `systems`, `completions` and the help texts.

use crate::support::{output, threshr};

#[test]
fn the_shipped_model_is_described() {
    let shown = output(threshr().args(["model", "show"]));
    for part in ["classifier", "threshold", "wcxb-dev", "held out", "[features]"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    for command in ["predict", "train", "evaluate", "features"] {
        let help = output(threshr().args([command, "--help"]));
        assert!(help.contains("Examples:") && help.contains("threshr "), "{command}");
    }
    assert!(output(threshr().arg("--help")).contains("Examples:"));
    assert!(output(threshr().args(["completions", "bash"])).contains("_threshr"));
    let systems = output(threshr().arg("systems"));
    for name in
        ["keep-everything", "oracle", "svm-rff", "tree", "text-node", "cleaneval", "googleoff", "jsonl"]
    {
        assert!(systems.contains(name), "{name}");
    }
}
