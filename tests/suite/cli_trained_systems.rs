//! Training systems on the command line.

use crate::support::{failure, output, threshr, toy_set};
use threshr_baselines::SYSTEMS;
use threshr_extract::baseline::System;

/// Returns options for pages that consist of one line with short blocks.
fn options(system: &System) -> Vec<String> {
    match system.name {
        "density-lm" => {
            ["unit=block", "min_chars=5", "min_density=0.0"].map(|o| format!("density-lm.{o}")).to_vec()
        }
        _ => Vec::new(),
    }
}

fn params(system: &System) -> Vec<String> {
    options(system).into_iter().flat_map(|o| ["--system-param".to_owned(), o]).collect()
}

#[test]
fn every_trainable_system_trains_twice_to_the_same_bytes_and_predicts() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 12);
    for system in SYSTEMS.iter().filter(|s| s.must_be_trained()) {
        let train = |name: &str| {
            let out = dir.path().join(name);
            let command = ["train", "--force", "--seed", "3", "--system", system.name];
            output(
                threshr().args(command).args(params(system)).arg("--data").arg(&set).arg("--out").arg(&out),
            );
            std::fs::read(&out).expect("read")
        };
        let bytes = train("a.json");
        assert!(bytes == train("b.json"), "{} is not deterministic", system.name);
        let model = dir.path().join("a.json");
        let text = output(threshr().arg("predict").arg(set.join("pages/3.html")).arg("--model").arg(&model));
        assert!(
            text.contains("Paragraph 0 of story 3") && !text.contains("Contact us"),
            "{}: {text}",
            system.name
        );
        // one byte of the learned data is changed, which the checksum detects
        let mut damaged = bytes;
        let at = damaged.len() / 2;
        damaged[at] ^= 1;
        std::fs::write(&model, damaged).expect("written");
        failure(threshr().arg("predict").arg(set.join("pages/3.html")).arg("--model").arg(&model), 2);
        let untrained =
            failure(threshr().args(["predict", "--system", system.name]).arg(set.join("pages/3.html")), 2);
        assert!(untrained.contains("train"), "{untrained}");
    }
}

#[test]
fn folds_train_systems_on_other_sites() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 10);
    let names: Vec<&str> = SYSTEMS.iter().filter(|s| s.must_be_trained()).map(|s| s.name).collect();
    let params: Vec<String> = SYSTEMS.iter().flat_map(|s| params(s)).collect();
    let command = ["evaluate", "--folds", "2", "--metrics", "token", "--system", &names.join(",")];
    let table = output(threshr().args(command).args(params).arg("--data").arg(&set));
    for name in names {
        assert!(table.lines().any(|l| l.contains(name)), "{name}: {table}");
    }
}

#[test]
fn density_lm_learns_from_markers_and_tells_its_error_rate() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = dir.path().join("set");
    std::fs::create_dir(&set).expect("made");
    let menu = "Home Products Services Contact Sitemap Imprint Login Register Search Help";
    for (i, when) in (10..20).zip(["dawn", "noon", "night", "dusk", "midnight"].iter().cycle()) {
        let html = format!(
            "<html>\n<body>\n<div>{menu}</div>\n<!-- begin story -->\n<p class=story>At {when} the river rose, and the people of \
             village {i} went up to the old mill on the hill.</p>\n<!-- end story -->\n</body>\n</html>\n"
        );
        std::fs::write(set.join(format!("{i}.html")), html).expect("written");
    }
    let out = dir.path().join("model.json");
    let gold: [&[&str]; 2] = [
        &["--gold-format", "markers", "--markers", "<!-- begin story -->", "<!-- end story -->"],
        &["--gold-format", "selector", "--gold-selector", "p.story"],
    ];
    for gold in gold {
        let params =
            ["train", "--system", "density-lm", "--system-param", "density-lm.held_out=0.1", "--data"];
        output(threshr().arg("--force").args(params).arg(&set).args(gold).arg("--out").arg(&out));
        let shown = output(threshr().args(["model", "show"]).arg(&out));
        // only one page was held out; it has a menu and a story
        assert!(shown.contains("0.0 %, 0 of 2 chunks of the last 1 pages"), "{shown}");
        let text = output(threshr().arg("predict").arg(set.join("13.html")).arg("--model").arg(&out));
        assert!(text.contains("village 13") && !text.contains("Sitemap"), "{text}");
    }
}
