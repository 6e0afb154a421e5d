//! Gold, labels and predictions of unusual kinds.

use crate::support::{failure, output, threshr, toy_set};
use serde_json::{Value, json};
use std::path::Path;

const TEXTS: [&str; 3] = [
    "The ferry left the quay at seven in the morning with twelve passengers and a cargo of flour.",
    "It came back before the tide turned in the evening, and nobody on board was late for supper.",
    "The skipper has kept to these hours for thirty years, and sees no reason to change them now.",
];

fn page() -> String {
    let texts: String = TEXTS.iter().map(|text| format!("<p>{text}</p>")).collect();
    format!("<ul><li><a href=/>Home</a></ul><main>{texts}</main><footer>All rights reserved.</footer>")
}

/// Returns the verdict of `data check` on records, and what it says.
fn checked(dir: &Path, name: &str, records: &[Value]) -> (String, String) {
    let path = dir.join(name);
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    std::fs::write(&path, lines).expect("written");
    let run = threshr().args(["data", "check"]).arg(&path).assert().success();
    let table = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    (table.lines().nth(1).expect("a row").to_owned(), said)
}

#[test]
fn gold_may_be_a_list_of_lines() {
    let dir = tempfile::tempdir().expect("a folder");
    for field in ["text", "gold"] {
        let records: Vec<Value> = (0..3).map(|i| json!({"id": i, "html": page(), field: TEXTS})).collect();
        let (row, said) = checked(dir.path(), "lists.jsonl", &records);
        assert!(row.contains("1.0000–1.0000") && row.ends_with("good"), "{row} {said}");
    }
    let set = dir.path().join("set");
    std::fs::create_dir(&set).expect("made");
    let line = json!({"id": "1", "html": page(), "gold": TEXTS});
    std::fs::write(set.join("gold.jsonl"), line.to_string()).expect("written");
    assert!(output(threshr().args(["data", "check"]).arg(&set)).contains("good"));
    let line = json!({"id": "1", "html": page(), "gold": [1, 2]});
    std::fs::write(set.join("gold.jsonl"), line.to_string()).expect("written");
    let error = failure(threshr().args(["data", "check"]).arg(&set), 2);
    assert!(error.contains("gold.jsonl:1") && error.contains("a list of strings"), "{error}");
}

#[test]
fn gold_with_tags_is_doubtful() {
    let dir = tempfile::tempdir().expect("a folder");
    let tagged: String = TEXTS.iter().map(|text| format!("<p>{text}</p>\n")).collect();
    let records: Vec<Value> = (0..4)
        .map(|i| json!({"id": i, "html": page(), "text": if i == 0 { TEXTS.join("\n") } else { tagged.clone() }}))
        .collect();
    let (row, _) = checked(dir.path(), "tags.jsonl", &records);
    assert!(row.contains("doubtful") && row.contains("3 of 4 gold texts contain HTML tags"), "{row}");
    // a page about tags
    let about = "Write the tag <p> before a paragraph, and the tag </p> after it, as in <p>This text.</p>";
    let html = page().replace("<main>", &format!("<main><p>{}</p>", about.replace('<', "&lt;")));
    let text = format!("{about}\n{}", TEXTS.join("\n"));
    let (row, _) = checked(dir.path(), "about.jsonl", &[json!({"id": 1, "html": html, "text": text})]);
    assert!(row.ends_with("good"), "{row}");
}

#[test]
fn spans_without_labels_are_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let span = |k: usize| {
        let at = format!("/main[1]/p[{}]/text()[1]", k + 1);
        json!({"start": at, "end": at, "startOffset": 0, "endOffset": TEXTS[k].len(), "text": TEXTS[k]})
    };
    let region = |k: usize, id: &str, more: (&str, Value)| {
        let mut value = span(k);
        value[more.0] = more.1;
        json!({"id": id, "type": "hypertextlabels", "value": value})
    };
    let labels = || ("hypertextlabels", json!(["content"]));
    let check = |regions: Value| {
        let task = json!([{"id": 1, "data": {"html": page()}, "annotations": [{"result": regions}]}]);
        checked(dir.path(), "export.json", &[task]).1
    };
    let told = |said: &str, part: &str| {
        assert_eq!(said.lines().filter(|line| line.contains(part)).count(), 1, "{said}");
        assert!(said.contains("line 1"), "{said}");
    };
    let lost =
        check(json!([region(0, "a", labels()), {"id": "b", "type": "hypertextlabels", "value": span(1)}]));
    told(&lost, "1 span has no label");
    let empty = ("hypertextlabels", json!([]));
    let lost = check(json!([region(0, "a", labels()), region(1, "b", empty.clone()), region(2, "c", empty)]));
    told(&lost, "2 spans have no label");
    // a comment on a labelled span is not a span of its own
    let comment = ("text", json!(["sure"]));
    assert_eq!(
        check(json!([region(0, "a", labels()), region(0, "a", comment), region(1, "b", labels())])),
        ""
    );
    // a span without a length
    let mut empty = region(1, "b", labels());
    (empty["value"]["endOffset"], empty["value"]["text"]) = (json!(0), json!(""));
    told(&check(json!([region(0, "a", labels()), empty])), "1 labelled spans have no text");
}

#[test]
fn failed_predictions_are_counted_and_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 6);
    let gold = std::fs::read_to_string(set.join("gold.jsonl")).expect("read");
    let gold: Vec<Value> = gold.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let path = dir.path().join("tool.jsonl");
    let evaluate = |records: &dyn Fn(usize, &Value) -> Value, format: &str| {
        let lines: String =
            gold.iter().enumerate().map(|(i, page)| format!("{}\n", records(i, page))).collect();
        std::fs::write(&path, lines).expect("written");
        let mut run = threshr();
        run.args(["evaluate", "--metrics", "token", "--format", format, "--data"]).arg(&set);
        let run = run.arg("--predictions").arg(&path).assert().success();
        let [out, err] =
            [&run.get_output().stdout, &run.get_output().stderr].map(|b| String::from_utf8_lossy(b));
        (out.into_owned(), err.into_owned())
    };
    let text = |page: &Value| json!({"id": page["id"], "text": page["gold"]});
    let (table, said) = evaluate(&|_, page| text(page), "table");
    assert!(!table.contains("failed") && said.is_empty(), "{table}{said}");
    for failed in
        [json!({"text": null}), json!({"error": "timeout"}), json!({"text": "", "error": "timeout"})]
    {
        let record = |i: usize, page: &Value| match i {
            1 | 4 => {
                let mut record = failed.clone();
                record["id"] = page["id"].clone();
                record
            }
            _ => text(page),
        };
        let (table, said) = evaluate(&record, "table");
        let row = |name: &str| {
            let row = table.lines().find(|line| line.starts_with(name)).expect(&table);
            row.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(row("row ").last().map(String::as_str), Some("failed"), "{table}");
        assert_eq!(
            (row("tool")[3].as_str(), row("tool").last().expect("a cell").as_str()),
            ("0.667", "2"),
            "{table}"
        );
        assert_eq!(row("oracle").last().map(String::as_str), Some("0"), "{table}");
        assert!(said.contains("2 of 6 pages failed and score 0: 1, 4"), "{said}");
        let (json, _) = evaluate(&record, "json");
        assert!(json.contains("\"num_failed\": 2"), "{json}");
    }
    // if the gold is empty, an empty prediction scores 1, but a failed page scores 0
    crate::support::edit_gold(&set, |lines| {
        let page = |line: &str| {
            let mut page: Value = serde_json::from_str(line).expect("JSON");
            if page["id"] == "0" {
                page["gold"] = json!("");
            }
            page.to_string()
        };
        lines.lines().map(page).collect::<Vec<_>>().join("\n")
    });
    for (empty, f1) in [(json!(""), "1.000"), (Value::Null, "0.833")] {
        let record = |i: usize, page: &Value| match i {
            0 => json!({"id": page["id"], "text": empty}),
            _ => text(page),
        };
        let (table, _) = evaluate(&record, "table");
        let row = table.lines().find(|line| line.starts_with("tool")).expect("a row");
        assert_eq!(row.split_whitespace().nth(3), Some(f1), "{table}");
    }
}

#[test]
fn columns_that_stand_twice_are_errors() {
    let dir = tempfile::tempdir().expect("a folder");
    let check = |name: &str, head: &str, separator: &str, options: &[&str]| {
        let row: Vec<String> = head
            .split(',')
            .map(|column| match column {
                "html" | "body" => format!("\"{}\"", page().replace('"', "\"\"")),
                "text" => format!("\"{}\"", TEXTS.join("\n")),
                other => other.to_owned(),
            })
            .collect();
        let path = dir.path().join(name);
        let table = format!("{}\n{}\n", head.replace(',', separator), row.join(separator));
        std::fs::write(&path, table).expect("written");
        threshr().args(["data", "check"]).arg(path).args(options).output().expect("run")
    };
    for (name, head, separator, options, column) in [
        ("a.csv", "id,html,text,text", ",", &[][..], "text"),
        ("b.csv", "html,id,text,html", ";", &[], "html"),
        ("c.tsv", "url,html,text,url", "\t", &[], "url"),
        ("d.csv", "body,html,text,body", ",", &["--html-field", "body"], "body"),
        ("e.csv", "html,text,lang,lang", ",", &[], "lang"),
    ] {
        let run = check(name, head, separator, options);
        let said = String::from_utf8_lossy(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(&format!("{name}:1: column {column}: the column occurs twice")), "{said}");
    }
    // columns that are not read
    let run = check("f.csv", "id,html,text,score,score", ",", &[]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
