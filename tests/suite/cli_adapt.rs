//! `threshr adapt`: site-specific corrections of a trained model.

use crate::support::{edit_gold, failure, output, threshr, toy_set};
use std::fs;
use std::path::{Path, PathBuf};

/// Trains a model that keeps long paragraphs.
fn model(dir: &Path) -> PathBuf {
    let (set, out) = (toy_set(dir, 12), dir.join("model.json"));
    let mut train = threshr();
    train.args(["train", "--features", "shallow+density", "--classifier", "tree", "--quiet", "--data"]);
    output(train.arg(set).arg("--out").arg(&out));
    out
}

/// Returns a page and its gold. The template of its site contains an advertisement that reads like a
/// paragraph.
fn page(i: usize) -> (String, String) {
    let body: Vec<String> = (0..4)
        .map(|p| {
            format!(
                "Paragraph {p} of report {i} says, in a few plain words, what happened to number {}.",
                i * 5 + p
            )
        })
        .collect();
    let advertisement = ["shoes", "lamps", "boats", "tents", "bikes", "chairs"][i % 6];
    let html = format!(
        "<title>Report {i}</title><ul class=menu><li><a href=/>Home</a></ul><div id=main>{}</div>\
         <div class=partner-box><p>Our partners sell {advertisement} at low prices, and you can order them today without any cost.</p>\
         <p>Everybody in town who likes {advertisement} has ordered some of them already, as our partners tell us.</p></div>",
        body.iter().map(|b| format!("<p>{b}</p>")).collect::<String>()
    );
    (html, body.join("\n"))
}

/// Writes an annotated set with the pages in a range, all from one site.
fn site(dir: &Path, name: &str, pages: std::ops::Range<usize>, url: Option<&str>) -> PathBuf {
    let set = dir.join(name);
    fs::create_dir_all(set.join("pages")).expect("made");
    let mut lines = String::new();
    for i in pages {
        let (html, gold) = page(i);
        fs::write(set.join(format!("pages/{i}.html")), html).expect("written");
        let mut line =
            serde_json::json!({"id": i.to_string(), "file": format!("pages/{i}.html"), "gold": gold});
        if let Some(url) = url {
            line["url"] = format!("{url}/{i}").into();
        }
        lines.push_str(&format!("{line}\n"));
    }
    fs::write(set.join("gold.jsonl"), lines).expect("written");
    set
}

fn adapt(model: &Path, set: &Path, out: &Path) -> assert_cmd::Command {
    let mut command = threshr();
    command.args(["adapt", "--force", "--model"]).arg(model).arg("--data").arg(set).arg("--out").arg(out);
    command
}

fn predict(model: &Path, page: &Path, url: Option<&str>, options: &[&str]) -> String {
    let mut command = threshr();
    command.arg("predict").arg(page).arg("--model").arg(model).args(options);
    if let Some(url) = url {
        command.args(["--url", url]);
    }
    output(&mut command)
}

const SITE: &str = "https://news.shop.example.co.uk";

#[test]
fn a_site_is_taught_and_other_sites_stay_as_they_are() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let base = model(dir);
    let set = site(dir, "site", 0..3, Some(SITE));
    let new = site(dir, "new", 4..5, Some(SITE)).join("pages/4.html");
    let [one, two] = ["one.json", "two.json"].map(|name| dir.join(name));
    let said = adapt(&base, &set, &one).assert().success().get_output().stderr.clone();
    let said = String::from_utf8(said).expect("UTF-8");
    assert!(said.contains("example.co.uk: 3 pages") && said.contains("is kept"), "{said}");
    // training is deterministic
    output(&mut adapt(&base, &set, &two));
    assert!(fs::read(&one).expect("read") == fs::read(&two).expect("read"));
    let url = Some("https://www.example.co.uk/other/page");
    let text = |model: &Path, url| predict(model, &new, url, &[]);
    assert!(text(&base, url).contains("Our partners sell"), "the model keeps the advertisement");
    let taught = text(&one, url);
    assert!(!taught.contains("partners") && taught.contains("Paragraph 3 of report 4"), "{taught}");
    // scores of pages of other or unknown sites are bitwise identical
    let blocks = |model: &Path, url| predict(model, &new, url, &["--format", "blocks"]);
    for url in [None, Some("https://example.com/a"), Some("https://other.co.uk/a")] {
        assert_eq!(blocks(&base, url), blocks(&one, url), "{url:?}");
    }
    assert_ne!(blocks(&base, url), blocks(&one, url));
    // contributions add up to the decision value and contain the class of the template element
    let explained = predict(&one, &new, url, &["--explain=all"]);
    assert!(explained.contains("site: ") && explained.contains("partner-box"), "{explained}");
    assert!(explained.contains("the site correction, which is part of the columns above"), "{explained}");
    assert!(!predict(&one, &new, None, &["--explain=all"]).contains("site: "));
    // `evaluate` also applies the correction, and excludes the pages that the correction was learned from
    let mut evaluate = threshr();
    evaluate.args(["evaluate", "--overlap", "error", "--model"]).arg(&one).arg("--data").arg(&set);
    assert!(failure(&mut evaluate, 2).contains("trained on 3 of the 3 pages"));
    let mut evaluate = threshr();
    evaluate.args(["evaluate", "--format", "csv", "--model"]).arg(&one).arg("--data").arg(dir.join("new"));
    let row = output(&mut evaluate);
    assert!(row.lines().any(|line| line.contains(",one,") && line.contains(",token_f1,1,1,")), "{row}");
}

#[test]
fn sites_are_added_listed_and_removed() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let (base, model) = (model(dir), dir.join("taught.json"));
    let nameless = site(dir, "nameless", 0..2, None);
    let error = failure(&mut adapt(&base, &nameless, &model), 2);
    assert!(error.contains("page 0 and 1 more is unknown") && error.contains("(option: --site)"), "{error}");
    let strange = site(dir, "strange", 0..2, Some(SITE));
    edit_gold(&strange, |lines| {
        let other = |line: &str| {
            let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            line["gold"] = "Another text, of which nothing is there.".into();
            format!("{line}\n")
        };
        lines.lines().map(other).collect()
    });
    let error = failure(&mut adapt(&base, &strange, &model), 2);
    assert!(error.contains("no page to learn from") && error.contains("gold text of 2 pages"), "{error}");
    assert!(!model.exists());
    output(adapt(&base, &nameless, &model).args(["--site", "https://www.first.example/x"]));
    output(&mut adapt(&model, &site(dir, "second", 2..5, Some("http://second.example")), &model));
    let shown = |path: &Path| output(threshr().args(["model", "show"]).arg(path));
    let listed = shown(&model);
    assert!(listed.contains("first.example: ") && listed.contains("second.example: "), "{listed}");
    let remove = |site: &str| {
        let mut command = threshr();
        command.args(["adapt", "--force", "--remove", site, "--model"]).arg(&model).arg("--out").arg(&model);
        command
    };
    assert!(failure(&mut remove("third.example"), 2).contains("first.example, second.example"));
    output(&mut remove("first.example"));
    let listed = shown(&model);
    assert!(!listed.contains("first.example: ") && listed.contains("second.example: "), "{listed}");
    output(&mut remove("http://second.example/a"));
    // removing all corrections restores the original model
    assert!(fs::read(&model).expect("read") == fs::read(&base).expect("read"));
}

#[test]
fn pages_of_other_and_unknown_sites_are_left_out_with_a_word() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let (base, out) = (model(dir), dir.join("out.json"));
    // four pages of the site, one of another site, one without an address
    let set = site(dir, "site", 0..6, Some(SITE));
    edit_gold(&set, |lines| {
        let edit = |line: &str, i: usize| {
            let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            match i {
                4 => line["url"] = "https://other.example/4".into(),
                5 => line["url"] = serde_json::Value::Null,
                _ => {}
            }
            format!("{line}\n")
        };
        lines.lines().enumerate().map(|(i, line)| edit(line, i)).collect()
    });
    let said = |command: &mut assert_cmd::Command| {
        String::from_utf8(command.assert().success().get_output().stderr.clone()).expect("UTF-8")
    };
    let text = said(&mut adapt(&base, &set, &out));
    assert!(text.contains("example.co.uk: 4 pages") && text.contains("other.example: 1 page"), "{text}");
    assert!(text.contains("1 page left out, because their site is unknown, such as 5"), "{text}");
    let text = said(adapt(&base, &set, &out).args(["--site", SITE]));
    assert!(text.contains("example.co.uk: 5 pages") && !text.contains("other.example: "), "{text}");
    assert!(
        text.contains("1 page left out, because their site is not --site, such as 4 of other.example"),
        "{text}"
    );
    let error =
        failure(adapt(&base, &site(dir, "all", 0..2, Some(SITE)), &out).args(["--site", "third.example"]), 2);
    assert!(error.contains("page 0 states the site example.co.uk, not third.example, and 1 more"), "{error}");
    assert!(error.contains("(option: --site)"), "{error}");
}

#[test]
fn a_correction_without_a_gain_is_not_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let (base, out) = (model(dir), dir.join("out.json"));
    // on one page all paragraphs are content, on the other page none, so neither page helps the other
    let set = site(dir, "site", 0..2, Some(SITE));
    edit_gold(&set, |lines| {
        let gold = |line: &str, i: usize| {
            let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let all = format!(
                "{}\nOur partners sell shoes at low prices, and you can order them today without any cost.\nEverybody in \
                 town who likes shoes has ordered some of them already, as our partners tell us.",
                page(0).1
            );
            line["gold"] = if i == 0 { all } else { "Home".to_owned() }.into();
            format!("{line}\n")
        };
        lines.lines().enumerate().map(|(i, line)| gold(line, i)).collect()
    });
    let said = adapt(&base, &set, &out).assert().success().get_output().stderr.clone();
    let said = String::from_utf8(said).expect("UTF-8");
    assert!(said.contains("no gain is shown"), "{said}");
    assert!(fs::read(&out).expect("read") == fs::read(&base).expect("read"));
    output(adapt(&base, &set, &out).arg("--always"));
    assert!(output(threshr().args(["model", "show"]).arg(&out)).contains("example.co.uk: "));
}

/// A model that gives all blocks the same score cannot be corrected.
#[test]
fn a_model_without_decision_values_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let (set, base) = (toy_set(dir, 6), dir.join("majority.json"));
    output(threshr().args(["train", "--classifier", "majority", "--data"]).arg(&set).arg("--out").arg(&base));
    let error = failure(&mut adapt(&base, &site(dir, "site", 0..2, Some(SITE)), &dir.join("out.json")), 2);
    assert!(error.contains("the same score"), "{error}");
}

#[test]
fn training_pages_of_the_model_and_the_policy_are_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let model = model(dir.path());
    let mut command = adapt(&model, &dir.path().join("toy"), &dir.path().join("my.json"));
    let done = command.output().expect("run");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("training data of the model") && said.contains("as the policy main"), "{said}");
}
