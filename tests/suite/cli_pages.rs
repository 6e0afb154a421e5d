//! Page types, quality and language: `predict` with `--min-quality` and `--language`, `train --held-out`.

use crate::support::{failure, output, repository, sample, threshr};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;

type Record = serde_json::Value;

fn records(path: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(path).expect("the output is there");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn ids(records: &[Record]) -> BTreeSet<String> {
    records.iter().map(|r| r["id"].as_str().expect("an id").to_owned()).collect()
}

fn predict(out: &Path) -> assert_cmd::Command {
    let mut command = threshr();
    command.args(["predict", "--force", "--page-seconds", "0", "--out"]).arg(out);
    command
}

#[test]
fn pages_have_a_type_and_a_quality() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("pages.jsonl");
    output(predict(&out).arg(sample().join("pages")));
    let gold = std::fs::read_to_string(sample().join("gold.jsonl")).expect("gold");
    let declared = |id: &str| {
        let mut pages = gold.lines().map(|l| serde_json::from_str::<Record>(l).expect("JSON"));
        pages.find(|page| page["id"] == id).expect("a page")["page_type"].clone()
    };
    let (mut num_right, mut num_all) = (0, 0);
    for record in records(&out) {
        let types = record["page_types"].as_object().expect("types");
        let probability = |name: &str| types[name].as_f64().expect("a probability");
        let sum: f64 = types.keys().map(|name| probability(name)).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{record}");
        let page_type = record["page_type"].as_str().expect("a type");
        assert!(types.keys().all(|name| probability(name) <= probability(page_type)), "{record}");
        let [quality, low, high] =
            ["quality", "quality_low", "quality_high"].map(|name| record[name].as_f64().expect("a number"));
        assert!(0.0 <= low && low <= high && high <= 1.0 && (0.0..=1.0).contains(&quality), "{record}");
        num_right += u32::from(declared(record["id"].as_str().expect("an id")) == page_type);
        num_all += 1;
    }
    // These are training pages, so the test shows only that the model works, not how accurate it is.
    assert!(num_right * 10 >= num_all * 9, "{num_right} of {num_all} types are right");
    // the model `tiny` predicts neither
    let model = repository("models/tiny.json");
    output(predict(&out).arg("--model").arg(&model).arg(sample().join("pages")));
    assert!(records(&out).iter().all(|r| r["page_type"].is_null() && r["quality"].is_null()));
    let refused =
        failure(predict(&out).args(["--min-quality", "0.5", "--model"]).arg(&model).arg(sample()), 2);
    assert!(refused.contains("does not predict quality"), "{refused}");
}

#[test]
fn pages_of_low_quality_are_skipped_and_counted() {
    let dir = tempfile::tempdir().expect("a folder");
    let [all, out, text] = ["all.jsonl", "out.jsonl.zst", "text.txt"].map(|name| dir.path().join(name));
    output(predict(&all).arg(sample().join("pages")));
    let run = predict(&out).args(["--min-quality", "0.8"]).arg(sample().join("pages")).assert().code(0);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    let is_low = |r: &Record| r["quality"].as_f64().expect("a quality") < 0.8;
    let (low, rest): (Vec<Record>, Vec<Record>) = records(&all).into_iter().partition(is_low);
    assert!(!low.is_empty() && !rest.is_empty());
    assert!(said.contains(&format!("{} pages of low quality", low.len())), "{said}");
    let decompressed = zstd::decode_all(std::fs::File::open(&out).expect("there")).expect("zstd");
    let kept: Vec<Record> = String::from_utf8_lossy(&decompressed)
        .lines()
        .map(|l| serde_json::from_str(l).expect("JSON"))
        .collect();
    assert_eq!(kept, rest);
    for (options, expected) in [
        (&["--min-quality", "1.5"][..], "'1.5' for '--min-quality <Q>': expected a number from 0 to 1"),
        (&["--min-quality", "0.5", "--system", "bte"], "cannot be used with"),
    ] {
        let said = failure(predict(&text).args(options).arg(sample().join("pages")), 2);
        assert!(said.contains(expected), "{options:?}: {said}");
    }
}

#[test]
fn pages_in_other_languages_are_skipped_and_counted() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = dir.path().join("pages.jsonl");
    let line = |id: &str, lang: &str, text: &str| {
        let html = format!("<html lang={lang}><title>x</title><article><h1>x</h1><p>{text}</p></article>");
        serde_json::json!({"id": id, "html": html}).to_string()
    };
    let german = "Gestern regnete es den ganzen Tag im Norden des Landes, und niemand ging aus dem Haus, weil die \
                  Flüsse über die Ufer getreten waren und die Straßen unter Wasser standen.";
    let english = "It rained all day in the north of the country, and nobody left the house, because the rivers had \
                   risen over their banks and the roads were under water.";
    let lines = [line("de", "de", german), line("wrong", "en", german), line("en", "en-GB", english)];
    std::fs::write(&input, lines.join("\n")).expect("written");
    let out = dir.path().join("out.jsonl");
    let run = predict(&out).args(["--language", "de-AT,fr"]).arg(&input).assert().code(0);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("skipped: 1 pages in other languages"), "{said}");
    // the detected language counts, not the language that the page declares
    assert_eq!(ids(&records(&out)), ["de", "wrong"].map(str::to_owned).into());
    assert!(
        failure(predict(&out).args(["--language", "german"]).arg(&input), 2)
            .contains("`german` is not a language")
    );
    let none = predict(&out).args(["--language", "ja"]).arg(&input).assert().code(0);
    assert!(!String::from_utf8_lossy(&none.get_output().stderr).contains("contains no pages"));
    assert!(records(&out).is_empty());
}

#[test]
fn a_killed_run_goes_on_to_the_same_output() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = dir.path().join("many.jsonl");
    let page = |i: usize| {
        let text = "It rained all day in the north, and nobody went out of the house. ".repeat(i % 5);
        let links = "<li><a href=/x>A headline of some length</a> 3 May ".repeat(i % 7);
        serde_json::json!({"id": i, "html": format!("<title>{i}</title><ul>{links}</ul><p>{text}")})
            .to_string()
    };
    std::fs::write(&input, (0..6_000).map(page).collect::<Vec<_>>().join("\n")).expect("written");
    // a limit inside the range of qualities, so that many pages are written and many are skipped
    let probe = dir.path().join("probe.jsonl");
    output(predict(&probe).arg(&input));
    let mut qualities: Vec<f64> =
        records(&probe).iter().map(|r| r["quality"].as_f64().expect("one")).collect();
    qualities.sort_by(f64::total_cmp);
    let least = format!("{:.3}", qualities[2_000] + 0.0005);
    let [whole, out] = ["whole.jsonl", "out.jsonl"].map(|name| dir.path().join(name));
    let run = |out: &Path| {
        let mut command = predict(out);
        command.args(["--min-quality", &least]).arg(&input);
        command
    };
    output(&mut run(&whole));
    let journal = dir.path().join("out.jsonl.journal");
    let has_group = || std::fs::read_to_string(&journal).is_ok_and(|j| j.contains("\"group\""));
    let mut is_killed = false;
    // on a busy machine, the run may end before the group is noticed
    for _ in 0..10 {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_threshr"))
            .args(["predict", "--page-seconds", "0", "--min-quality", &least, "--out"])
            .arg(&out)
            .arg(&input)
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        while !has_group() && child.try_wait().expect("asked").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        is_killed = has_group();
        if is_killed {
            break;
        }
        std::fs::remove_file(&out).expect("removed");
    }
    assert!(is_killed, "it ended each time before it was killed");
    let mut other = predict(&out);
    other.args(["--resume", "--min-quality", "0.1"]).arg(&input);
    let error = failure(&mut other, 2);
    assert!(error.contains(&format!("has other --min-quality (`{least}`, now `0.1`)")), "{error}");
    let assert = run(&out).arg("--resume").assert().code(0);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let num_low = 6_000 - records(&whole).len();
    assert!(num_low > 500 && num_low < 5_500, "{num_low}");
    assert!(said.contains(&format!("{num_low} pages of low quality")), "{said}");
    let bytes = |name: &str| std::fs::read(dir.path().join(name)).expect("there");
    assert!(bytes("whole.jsonl") == bytes("out.jsonl"));
    let left: Vec<_> =
        std::fs::read_dir(dir.path()).expect("listed").map(|e| e.expect("one").file_name()).collect();
    // Each of the three outputs has a record.
    assert_eq!(left.len(), 4 + 3, "{left:?}");
}

#[test]
fn held_out_predictions_need_a_recipe_with_type_and_quality_models() {
    let dir = tempfile::tempdir().expect("a folder");
    let [model, csv] = ["m.json", "held.csv"].map(|name| dir.path().join(name));
    let train = || {
        let mut command = threshr();
        command.args(["train", "--features", "shallow", "--classifier", "tree", "--data"]);
        command.arg(sample()).arg("--out").arg(&model).arg("--held-out").arg(&csv);
        command
    };
    let said = failure(&mut train(), 2);
    assert!(said.contains("no model of page type or quality"), "{said}");
    let recipe = dir.path().join("recipe.toml");
    std::fs::write(&recipe, "page_level = { types = true, quality = true }").expect("written");
    // the sample is too small to train these models, which is reported
    let run = train().arg("--recipe").arg(&recipe).assert().code(0);
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("no page types are learned") && said.contains("quality is not learned"), "{said}");
    let text = std::fs::read_to_string(&csv).expect("written");
    assert!(text.starts_with("set,id,site,page_type,predicted_type,token_f1,quality,"), "{text}");
    assert_eq!(text.lines().count(), 1 + 42);
}
