//! Features that depend on the other pages of a site, in training and in crawls.

use crate::support::{failure, output, threshr};
use std::path::Path;

/// Returns a page and its content. Boilerplate differs from content only by its repetition on all pages of
/// the site.
fn page(site: usize, page: usize) -> (String, String) {
    let menu = format!("Welcome to the pages of company {site}. We hope that you like it here with us.");
    let text = format!(
        "Story {} of people in town {site}. We hope that it was told well by them.",
        ["one", "two", "three", "four", "five", "six"][page % 6]
    );
    (format!("<title>x</title><p>{menu}</p><p>{text}</p><p>{}</p>", menu.replace("Welcome", "Goodbye")), text)
}

fn set(dir: &Path) -> std::path::PathBuf {
    std::fs::create_dir_all(dir.join("set/pages")).expect("made");
    let mut lines = String::new();
    for i in 0..60 {
        let (html, gold) = page(i % 10, i / 10);
        std::fs::write(dir.join(format!("set/pages/{i}.html")), html).expect("written");
        let url = format!("http://www.site{}.com/{i}", i % 10);
        let line = serde_json::json!({"id": i.to_string(), "file": format!("pages/{i}.html"), "url": url, "gold": gold});
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(dir.join("set/gold.jsonl"), lines).expect("written");
    dir.join("set")
}

#[test]
fn what_a_site_repeats_is_boilerplate() {
    let dir = tempfile::tempdir().expect("a folder");
    let (set, model) = (set(dir.path()), dir.path().join("site.json"));
    output(
        threshr()
            .args([
                "train",
                "--features",
                "site_repeat",
                "--neighbours",
                "none",
                "--param",
                "min_leaf_rows=1",
                "--data",
            ])
            .arg(&set)
            .arg("--out")
            .arg(&model),
    );
    // the evaluation also counts the texts of the pages in its set
    let table = output(
        threshr()
            .args([
                "evaluate",
                "--overlap",
                "allow",
                "--metrics",
                "token",
                "--bar",
                "token_f1=0.99",
                "--model",
            ])
            .arg(&model)
            .arg("--data")
            .arg(&set),
    );
    assert!(table.contains("token"), "{table}");
    let crawl = dir.path().join("crawl.jsonl");
    let lines: Vec<String> = (0..12)
        .map(|i| {
            let url = format!("http://site{}.org/{i}", 70 + i % 2);
            serde_json::json!({"id": i, "url": url, "html": page(70 + i % 2, i / 2).0}).to_string()
        })
        .collect();
    std::fs::write(&crawl, lines.join("\n")).expect("written");
    let predict = |options: &[&str]| {
        output(
            threshr().args(["predict", "--filter", "none", "--model"]).arg(&model).arg(&crawl).args(options),
        )
    };
    let texts: Vec<String> = (0..12).map(|i| page(70 + i % 2, i / 2).1).collect();
    let counted = predict(&["--site-stats"]);
    assert_eq!(counted, texts.join("\n\n") + "\n");
    assert_eq!(predict(&["--site-stats", "--jobs", "1", "--site-stats-mb", "1"]), counted);
    // without site statistics, boilerplate and content cannot be distinguished
    assert!(predict(&[]).contains("Welcome"));
}

#[test]
fn counts_need_a_model_that_asks_for_them() {
    let page = crate::support::demo_page();
    let error = failure(threshr().args(["predict", "--site-stats"]).arg(&page), 2);
    assert!(error.contains("all,site_repeat"), "{error}");
    let run = threshr()
        .args(["features", "--features", "site_repeat"])
        .arg(&page)
        .assert()
        .code(0)
        .get_output()
        .clone();
    assert!(String::from_utf8_lossy(&run.stderr).contains("other pages of a site"));
    assert!(output(threshr().args(["features", "list"])).contains("site_repeat.share"));
}
