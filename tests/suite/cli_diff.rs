//! `threshr diff`.

use crate::support::{failure, output, sample, threshr};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Writes JSON lines with pages of two sites. Each page has a menu, two paragraphs, and a box with text
/// that is specific to the page.
fn pages(dir: &Path, more: &[Value]) -> PathBuf {
    let path = dir.join("pages.jsonl");
    let page = |i: usize| {
        let html = format!(
            "<html lang=en><ul class=menu><li><a href=/>Home page</a><li><a href=/n>All the news</a></ul>\
             <div class=post-{i}><h1>Story number {i}</h1><p>It rained all day in town {i}, and nobody went out of the house.\
             <p>The people of the town stayed inside, and they told each other a story.</div><div class='box box-{i}'>Buy hat {i}</div>"
        );
        json!({"id": format!("p{i}"), "url": format!("http://www.site{}.org/{i}", i % 2), "html": html})
    };
    let lines: String =
        (0..6).map(page).chain(more.iter().cloned()).map(|page| format!("{page}\n")).collect();
    std::fs::write(&path, lines).expect("written");
    path
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn differences_are_grouped_and_the_same_whatever_the_jobs() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = pages(dir.path(), &[]);
    let run = |jobs: &str, report: &str| {
        let report = dir.path().join(report);
        let mut command = threshr();
        command.args(["diff", "keep-everything", "default", "--format", "json", "--jobs", jobs]);
        let printed = output(command.arg(&pages).arg("--out").arg(&report));
        (printed, std::fs::read_to_string(report).expect("a report"))
    };
    let (one, report) = run("1", "one.html");
    assert_eq!(run("4", "two.html"), (one.clone(), report.clone()));
    let summary = json(&one);
    assert_eq!((&summary["num_pages"], &summary["num_different"]), (&json!(6), &json!(6)));
    assert_eq!(summary["letters"]["only_b"], json!(0));
    assert_eq!(summary["languages"][0]["name"], json!("en"));
    let sites = summary["sites"].as_array().expect("sites");
    assert_eq!(sites.len(), 2);
    let group = |path: &str| {
        let groups = sites[0]["groups"].as_array().expect("groups");
        groups.iter().find(|group| group["path"] == json!(path)).cloned()
    };
    let menu = group("ul.menu>li").expect("the menu differs");
    assert_eq!((&menu["num_pages"], &menu["blocks"]["only_a"]), (&json!(3), &json!(6)));
    assert!(group("div.post>p").is_none(), "{summary}");
    for part in ["site0.org", "ul.menu&gt;li", "All the news", "keep-everything"] {
        assert!(report.contains(part), "{part}");
    }
    assert!(!report.contains("http://") || !report.contains("href=\"http"), "the report has no links");
}

#[test]
fn policies_of_one_model_are_compared() {
    let out = output(
        threshr()
            .args(["diff", "default", "default", "--b-policy", "article", "--format", "json"])
            .arg(sample().join("pages")),
    );
    let summary = json(&out);
    assert_eq!(summary["names"], json!(["default", "default, article"]));
    let letters = &summary["letters"];
    assert!(letters["both"].as_u64() > letters["only_a"].as_u64() && letters["only_a"].as_u64() > Some(0));
    assert!(
        summary["page_types"].as_array().is_some_and(|types| types.len() > 2),
        "{}",
        summary["page_types"]
    );
    let same = output(threshr().args(["diff", "default", "default"]).arg(sample().join("pages/4565.html")));
    assert!(same.contains("1 pages, 0 differ"), "{same}");
}

#[test]
fn predictions_are_aligned_with_the_blocks() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = pages(dir.path(), &[]);
    let ours = dir.path().join("ours.jsonl");
    output(threshr().arg("predict").arg(&pages).arg("--out").arg(&ours));
    let run = |a: &Path, more: &[&str]| {
        let mut command = threshr();
        output(command.arg("diff").arg(a).args(["default", "--format", "jsonl"]).args(more).arg(&pages))
    };
    let lines: Vec<Value> = run(&ours, &[]).lines().map(json).collect();
    assert_eq!(lines.len(), 6);
    assert!(lines.iter().all(|page| page["letters"]["agreement"] == json!(1.0)), "{lines:?}");
    assert!(
        run(&ours, &["--limit", "2"])
            .lines()
            .map(json)
            .map(|page| page["id"].clone())
            .eq([json!("p0"), json!("p1")])
    );
    // predictions of another tool with other field names, in which most of the pages are missing
    let other = dir.path().join("other.jsonl");
    std::fs::write(&other, "{\"nr\": \"p1\", \"found\": \"Buy hat 1 unheard\"}\n").expect("written");
    let fields = ["--prediction-id", "nr", "--prediction-text", "found"];
    let mut command = threshr();
    command.arg("diff").arg(&other).args(["default", "--format", "json"]).args(fields).arg(&pages);
    let run = command.assert().success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("other.jsonl has no text of 5 of 6 pages"), "{said}");
    let summary = json(&String::from_utf8_lossy(&run.get_output().stdout));
    assert_eq!((&summary["missing"], &summary["not_found"]), (&json!([5, 0]), &json!([1, 0])));
    assert_eq!(summary["letters"]["only_a"], json!(7));
    std::fs::write(&other, "{\"id\": \"nobody\", \"text\": \"x\"}\n").expect("written");
    let error = failure(threshr().arg("diff").arg(&other).arg("default").arg(&pages), 2);
    assert!(error.contains("none of the pages is in the predictions"), "{error}");
}

#[test]
fn damaged_pages_are_counted() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = pages(dir.path(), &[json!({"id": "bad", "html": "%PDF-1.7 no page"})]);
    let report = dir.path().join("report.html");
    let mut command = threshr();
    command.args(["diff", "bte", "default", "--format", "json"]).arg(&pages).arg("--out").arg(&report);
    let run = command.assert().code(2);
    let summary = json(&String::from_utf8_lossy(&run.get_output().stdout));
    assert_eq!((&summary["num_pages"], &summary["num_failed"]), (&json!(6), &json!(1)));
    assert_eq!(summary["errors"][0]["id"], json!("bad"));
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("1 of 7 pages failed") && said.contains("PDF"), "{said}");
    assert!(std::fs::read_to_string(report).expect("a report").contains("1 pages or inputs"));
}

#[test]
fn hostile_pages_do_not_leave_their_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = "</bdi></script><script>alert(1)</script><img src=//evil.org/x onerror=alert(1)>\"'";
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let html = format!(
        "<title>{escaped}</title><div class=\"x&quot;><script>alert(2)</script>\"><p>{escaped} some words of the page</div>"
    );
    let pages =
        pages(dir.path(), &[json!({"id": text, "url": format!("http://evil.org/{text}"), "html": html})]);
    let report = dir.path().join("report.html");
    // predictions without any text, so that every block differs
    let nothing = dir.path().join("nothing.jsonl");
    std::fs::write(&nothing, "{\"id\": \"p0\", \"text\": \"\"}\n").expect("written");
    output(threshr().args(["diff", "keep-everything"]).args([&nothing, &pages]).arg("--out").arg(&report));
    let report = std::fs::read_to_string(report).expect("a report");
    let doc = threshr_html::parse_str(&report);
    let names: Vec<&str> = doc.descendants(doc.root()).map(|node| doc.name(node)).collect();
    assert_eq!(names.iter().filter(|name| **name == "script").count(), 1);
    assert!(!names.contains(&"img"), "{names:?}");
    // as text, class and id
    for part in [
        "&lt;/bdi&gt;&lt;/script&gt;&lt;script&gt;alert(1)",
        "&lt;script&gt;alert()",
        "&lt;img src=//evil.org/x",
    ] {
        assert!(report.contains(part), "{part}");
    }
}

#[test]
fn sides_that_are_nothing_are_errors() {
    let page = sample().join("pages/4565.html");
    for (args, part) in [
        (vec!["nonsense", "default"], "`nonsense` is neither a file nor a system"),
        (vec!["default", "gone.jsonl"], "gone.jsonl"),
        (vec!["oracle", "default"], "needs gold annotations"),
        (vec!["bte", "default", "--a-policy", "article"], "no --a-policy"),
        (vec!["bte", "default", "--b-policy", "nonsense"], "nonsense"),
        (vec!["bte", "default", "--system-param", "justext.language=de"], "not an option"),
        (vec!["bte", "default", "--prediction-id", "x"], "neither A nor B is a file of predictions"),
        (vec!["bte", "default", "--format", "xml"], "[possible values: table, json, jsonl]"),
        (vec!["bte", "default", "--limit", "0"], "expected 1 or more"),
        (vec!["bte", "default", "--page-seconds", "-1"], "--page-seconds is -1"),
        (vec!["bte", "default", "--out", "report.json"], "the report is HTML"),
    ] {
        let error = failure(threshr().arg("diff").args(&args).arg(&page), 2);
        assert!(error.contains(part), "{args:?}: {error}");
    }
}
