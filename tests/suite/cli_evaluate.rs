//! `threshr evaluate`.

use crate::support::{edit_gold, failure, output, sample, threshr, toy_set};

fn value(csv: &str, row: &str, column: &str) -> f64 {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let head = reader.headers().expect("a head").clone();
    let at = |name: &str| head.iter().position(|h| h == name).expect("a column");
    let found = reader
        .records()
        .map(|r| r.expect("a record"))
        .find(|r| &r[at("row")] == row && &r[at("column")] == column);
    found.unwrap_or_else(|| panic!("{row} {column}"))[at("mean")].parse().expect("a number")
}

#[test]
fn cross_validation_lies_between_floor_and_ceiling_and_repeats() {
    let run = || {
        output(
            threshr()
                .args([
                    "evaluate",
                    "--folds",
                    "3",
                    "--metrics",
                    "token,block,auc",
                    "--format",
                    "csv",
                    "--data",
                ])
                .arg(sample()),
        )
    };
    let csv = run();
    assert_eq!(csv, run());
    let f1 = |row| value(&csv, row, "token_f1");
    assert!(f1("keep-everything") < f1("tree") && f1("tree") < f1("oracle"), "{csv}");
    assert!(f1("oracle") > 0.97);
    assert!(csv.contains("3 folds by site") && csv.contains("sample,"));
    // the recipe is listed only in rows of models that it trained
    assert!(csv.contains(",tree,all,tree,none,") && csv.contains(",oracle,,,none,"), "{csv}");
}

#[test]
fn predictions_score_as_the_blocks_they_came_from() {
    let dir = tempfile::tempdir().expect("a folder");
    let evaluate = |args: &[&str]| {
        output(
            threshr()
                .args(["evaluate", "--metrics", "token,order,character,shingle", "--format", "csv", "--data"])
                .arg(sample())
                .args(args),
        )
    };
    let blocks = evaluate(&[
        "--system",
        "keep-everything",
        "--write-predictions",
        dir.path().to_str().expect("UTF-8"),
    ]);
    let file = dir.path().join("sample.oracle.jsonl");
    let texts = evaluate(&["--predictions", file.to_str().expect("UTF-8")]);
    for column in ["token_p", "token_r", "token_f1", "lcs", "lev", "char_f1", "sh_f1"] {
        assert_eq!(value(&blocks, "oracle", column), value(&texts, "sample.oracle", column), "{column}");
    }
    for (name, line, part) in [
        (
            "oracle.jsonl",
            "{\"id\":\"4565\",\"text\":null}",
            "the row name `oracle`, which every table already has",
        ),
        (
            "other.jsonl",
            "{\"id\":\"4565\",\"words\":\"x\"}",
            "none of the first 1 records has a field `text`",
        ),
    ] {
        let file = dir.path().join(name);
        std::fs::write(&file, line).expect("written");
        let stderr =
            failure(threshr().args(["evaluate", "--data"]).arg(sample()).arg("--predictions").arg(&file), 2);
        assert!(stderr.contains(part), "{stderr}");
    }
}

#[test]
fn filters_are_rows_and_are_compared() {
    let table = output(
        threshr()
            .args([
                "evaluate",
                "--system",
                "keep-everything",
                "--filter",
                "none,tree",
                "--filter-depth",
                "1,2",
                "--versus",
                "keep-everything+none",
                "--metrics",
                "token,character",
                "--by",
                "page_type",
                "--data",
            ])
            .arg(sample()),
    );
    for part in [
        "keep-everything+tree:1",
        "keep-everything+tree:2",
        "Mann-Whitney",
        "higher",
        "lower",
        "article",
        "sha256",
    ] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

#[test]
fn systems_are_as_published_beside_a_model_that_filters() {
    let rows = |options: &[&str]| {
        let metrics = ["evaluate", "--metrics", "token", "--format", "csv", "--system", "bte", "--data"];
        output(threshr().args(metrics).arg(sample()).args(options))
    };
    let (alone, beside) = (rows(&[]), rows(&["--model", "default", "--overlap", "allow"]));
    assert_eq!(value(&alone, "bte", "token_f1"), value(&beside, "bte", "token_f1"));
    assert!(beside.contains(",default+repeats:3+comments:100+headings+controls,"), "{beside}");
    // filters of `--filter` are applied if they are requested
    let both = rows(&["--model", "default", "--overlap", "allow", "--filter", "repeats:3"]);
    assert!(both.contains(",bte+repeats:3,") && both.contains(",default+repeats:3,"), "{both}");
}

#[test]
fn decisions_are_rows_and_favour_what_they_say() {
    let csv = output(
        threshr()
            .args(["evaluate", "--folds", "2", "--decision", "threshold,expected-f1,nested-f1"])
            .args(["--favor", "precision,balance,recall", "--metrics", "token", "--format", "csv", "--data"])
            .arg(sample()),
    );
    for rule in ["threshold", "expected-f1", "nested-f1"] {
        let of = |favor: &str, column: &str| value(&csv, &format!("tree+{rule}{favor}"), column);
        assert!(of("+precision", "token_p") > of("+recall", "token_p"), "{csv}");
        assert!(of("+precision", "token_r") < of("+recall", "token_r"), "{csv}");
        assert!(of("", "token_f1") > of("+recall", "token_f1") - 0.01, "{csv}");
    }
}

#[test]
fn pages_without_an_address_are_of_no_known_site() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = |name: &str, with_address: bool, num_pages: usize| {
        let set = toy_set(&dir.path().join(name), num_pages);
        if !with_address {
            edit_gold(&set, |lines| lines.replace("\"url\":", "\"was\":"));
        }
        // other bytes with the same ids
        for i in 0..num_pages {
            let page = set.join(format!("pages/{i}.html"));
            let html = std::fs::read_to_string(&page).expect("read");
            std::fs::write(page, format!("{html}<!-- {name} -->")).expect("written");
        }
        set
    };
    let model = dir.path().join("m.json");
    let train = |set: &std::path::Path| {
        output(threshr().args(["train", "--force", "--data"]).arg(set).arg("--out").arg(&model));
    };
    let evaluate = |set: &std::path::Path| {
        let mut command = threshr();
        command.args(["evaluate", "--metrics", "token", "--data"]).arg(set).arg("--model").arg(&model);
        command
    };
    train(&set("a", false, 8));
    assert!(output(&mut evaluate(&set("b", false, 6))).contains("toy (6 pages"));
    train(&set("c", true, 8));
    assert!(failure(&mut evaluate(&set("d", true, 6)), 2).contains("or on pages of their sites"));
}

#[test]
fn a_model_is_not_measured_on_its_own_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 8);
    let model = dir.path().join("m.json");
    output(threshr().args(["train", "--data"]).arg(&set).arg("--out").arg(&model));
    let evaluate = || {
        let mut command = threshr();
        command.args(["evaluate", "--data"]).arg(&set).arg("--model").arg(&model);
        command
    };
    assert!(failure(&mut evaluate(), 2).contains("trained on 8 of the 8 pages"));
    assert!(failure(evaluate().args(["--overlap", "skip"]), 2).contains("sites of all pages"));
    let table = output(evaluate().args(["--overlap", "allow", "--speed", "--bar", "token_f1=0.5"]));
    let csv = output(evaluate().args(["--overlap", "allow", "--speed", "--format", "csv"]));
    assert!(csv.lines().filter(|l| l.contains(",ms_per_page,8,")).count() == 1, "{csv}");
    let mut systems = threshr();
    systems.args(["evaluate", "--speed", "--format", "csv", "--system", "bte,bte+tree2", "--data"]).arg(&set);
    let csv = output(&mut systems);
    for row in [",bte,,,,", ",bte+tree2,,,,"] {
        let is_speed = |l: &&str| l.contains(row) && l.contains(",ms_per_page,8,");
        assert_eq!(csv.lines().filter(is_speed).count(), 1, "{csv}");
    }
    assert!(table.contains("pages/s") && table.contains("overlap with training allowed"));
    let below = failure(evaluate().args(["--overlap", "allow", "--bar", "token_f1=1.1"]), 1);
    assert!(below.contains("toy, m: token_f1 is") && below.contains("below 1.1"), "{below}");
    assert!(failure(evaluate().args(["--overlap", "allow", "--bar", "x=1"]), 2).contains("has a column `x`"));
}

#[test]
fn json_and_per_page_scores_are_complete() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let pages = dir.path().join("pages.csv");
    let json = output(
        threshr()
            .args(["evaluate", "--folds", "2", "--format", "json", "--per-page"])
            .arg(&pages)
            .arg("--data")
            .arg(&set),
    );
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json[0]["rows"].as_array().map(Vec::len), Some(3));
    assert!(json[0]["rows"][1]["scores"]["token_f1"]["mean"].is_f64());
    assert!(
        json[0]["rows"][1]["scores"]["roc_auc"]["mean"].is_f64() || json[0]["rows"][1]["pooled_auc"].is_f64()
    );
    let pages = std::fs::read_to_string(&pages).expect("read");
    assert_eq!(pages.lines().count(), 1 + 3 * 6);
    let fold = |l: &str| l.split(',').nth(3).map(str::to_owned);
    let folds: Vec<_> = pages.lines().skip(1).take(6).map(fold).collect();
    assert_eq!(folds.iter().filter(|f| f.as_deref() == Some("0")).count(), 3, "{pages}");
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 3);
    for (args, part) in [
        (vec!["--folds", "9"], "as many sites as folds"),
        (vec!["--folds", "9"], "3 pages of 3 sites (toy)"),
        (vec!["--system", "bte", "--threshold", "0.3"], "apply only to models"),
        (vec!["--system", "bte", "--favor", "recall"], "apply only to models"),
        (vec!["--folds", "2", "--threshold", "-0.1"], "from 0 to 1"),
        (vec!["--filter", "tree"], "--filter applies to no row"),
        (vec!["--folds", "2", "--filter", "tree:1", "--filter-depth", "3"], "--filter-depth needs"),
        (vec!["--folds", "2", "--metrics", "token", "--bar", "sh_f1=0.1"], "one of token_p, token_r"),
        (vec!["--folds", "2", "--classifier", "tree", "--param", "max_depth=deep"], "`max_depth`"),
        (vec!["--classifier", "tree"], "--folds"),
        (vec!["--predictions", "Cargo.toml"], "Cargo.toml:1"),
        // the error is reported before the folds are trained
        (vec!["--folds", "9", "--predictions", "Cargo.toml"], "Cargo.toml:1"),
        (vec!["--versus", "x"], "one of keep-everything"),
        (vec!["--metrics", "x"], "one of token"),
        (vec!["--by", "x"], "page_type"),
        (vec!["--bar", "token_f1=0.5"], "--bar applies to no row"),
        (vec!["--system", "keep-everything", "--bar", "token_f1=nan"], "COLUMN=VALUE"),
        (vec!["--speed"], "--model"),
        (vec!["--filter", "none", "--filter-depth", "2"], "--filter tree"),
        (vec!["--out", "no/such/dir/x.csv"], "x.csv"),
        (vec!["--system", "bte", "--by", "lang", "--format", "csv"], "csv does not support --by"),
    ] {
        let error = failure(threshr().args(["evaluate", "--data"]).arg(&set).args(&args), 2);
        assert!(error.contains(part), "{args:?}: {error}");
    }
}

#[test]
fn a_row_that_will_not_be_there_is_said_before_the_run() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 3);
    let out = dir.path().join("report.md");
    // there are more folds than sites, but this error would be reported only later
    let options = ["--folds", "9", "--filter", "none,tree", "--versus", "x", "--out"];
    let error = failure(threshr().args(["evaluate", "--data"]).arg(&set).args(options).arg(&out), 2);
    assert!(error.contains("tree+none, tree+tree:2"), "{error}");
    assert!(!out.exists());
}
