//! `threshr predict`.

use crate::support::{demo_page, failure, output, sample, threshr};

#[test]
fn the_demonstration_page_gives_its_content() {
    let text = output(threshr().arg("predict").arg(demo_page()));
    let gold = std::fs::read_to_string(sample().join("gold.jsonl")).expect("read");
    let line = gold.lines().find(|l| l.contains("\"id\": \"4565\"")).expect("the page has gold");
    let gold: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let gold = threshr_html::text::tokens(gold["gold"].as_str().expect("text"));
    let kept = threshr_html::text::tokens(&text);
    let hits = gold.iter().filter(|t| kept.contains(t)).count();
    assert!(hits as f64 > 0.9 * gold.len() as f64, "{hits} of {} tokens", gold.len());
    assert!((kept.len() as f64) < 1.3 * gold.len() as f64, "{} tokens kept", kept.len());
}

#[test]
fn standard_input_and_file_give_the_same() {
    let bytes = std::fs::read(demo_page()).expect("read");
    let from_file = output(threshr().arg("predict").arg(demo_page()));
    let from_stdin = output(threshr().args(["predict", "-"]).write_stdin(bytes));
    assert_eq!(from_file, from_stdin);
}

#[test]
fn jsonl_names_pages_in_order_whatever_the_jobs() {
    let run = |jobs: &str| {
        output(threshr().args(["predict", "--format", "jsonl", "--jobs", jobs]).arg(sample().join("pages")))
    };
    let (one, two) = (run("1"), run("2"));
    assert_eq!(one, two);
    let ids: Vec<String> = one
        .lines()
        .map(|l| {
            serde_json::from_str::<serde_json::Value>(l).expect("JSON")["id"].as_str().expect("id").to_owned()
        })
        .collect();
    assert!(ids.is_sorted() && ids.len() > 30);
    let row: serde_json::Value = serde_json::from_str(one.lines().next().expect("a line")).expect("JSON");
    assert!(
        row["scores"]
            .as_array()
            .is_some_and(|s| s.iter().all(|v| (0.0..=1.0).contains(&v.as_f64().unwrap_or(2.0))))
    );
}

#[test]
fn filters_thresholds_and_selectors_only_take_away() {
    let options = ["predict", "--threshold", "0", "--filter", "none", "--title", "--byline"];
    let all = output(threshr().args(options).arg(demo_page()));
    let everything = output(threshr().args(["predict", "--system", "keep-everything"]).arg(demo_page()));
    assert_eq!(all, everything);
    let mut last = usize::MAX;
    for threshold in ["0.1", "0.5", "0.9"] {
        let kept = output(threshr().args(["predict", "--threshold", threshold]).arg(demo_page())).len();
        assert!(kept <= last);
        last = kept;
    }
    // with every rule, precision keeps at most as much text as the default, and recall at least as much
    for rule in ["threshold", "expected-f1", "nested-f1"] {
        let len = |favor: &str| {
            let options = ["predict", "--decision", rule, "--favor", favor];
            output(threshr().args(options).arg(demo_page())).len()
        };
        let (precise, balanced, complete) = (len("precision"), len("balance"), len("recall"));
        assert!(0 < precise && precise <= balanced && balanced <= complete && precise < complete, "{rule}");
        assert!(complete < all.len(), "{rule}");
    }
    for depth in ["1", "2", "3", "4", "5"] {
        let kept =
            output(threshr().args(["predict", "--filter", "tree", "--filter-depth", depth]).arg(demo_page()));
        assert!(!kept.is_empty() && kept.len() <= all.len());
    }
    let headings = output(threshr().args(["predict", "--threshold", "0", "--select", "h1"]).arg(demo_page()));
    assert!(headings.lines().count() <= 2 && !headings.is_empty(), "{headings}");
}

#[test]
fn blocks_show_label_score_and_path() {
    let table = output(threshr().args(["predict", "--format", "blocks"]).arg(demo_page()));
    assert!(table.starts_with("page\tblock\tlabel\tscore\tpath\ttext\n"));
    assert!(table.lines().skip(1).all(|l| l.split('\t').count() == 6));
    assert!(table.contains("\tcontent\t") && table.contains("\tboilerplate\t"));
    assert!(output(threshr().args(["predict", "--format", "cleaneval"]).arg(demo_page())).contains("\n<p>"));
}

#[test]
fn hostile_and_missing_pages_do_not_lose_the_others() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(dir.path().join(name), bytes).expect("written");
    write("a_empty.html", b"");
    write("b_nul.html", b"\0\0<p>\0text\0 of a page");
    write("c_deep.html", "<div>".repeat(100_000).as_bytes());
    write(
        "d_attributes.html",
        format!("<p {}>x", (0..100_000).map(|i| format!("a{i}=1 ")).collect::<String>()).as_bytes(),
    );
    write("e_utf8.html", b"<p>caf\xc3");
    std::fs::create_dir(dir.path().join("f.html")).expect("made");
    let out = output(threshr().args(["predict", "--format", "jsonl"]).arg(dir.path()));
    assert_eq!(out.lines().count(), 5);
    write("g.pdf", b"%PDF-1.7 x");
    let record = b"WARC/1.0\r\nWARC-Type: response\r\n\r\n";
    write("crawl", record);
    let crawl = failure(threshr().arg("predict").arg(dir.path().join("crawl")), 2);
    assert!(crawl.contains("no valid Content-Length"), "{crawl}");
    let crawl = failure(threshr().args(["predict", "-"]).write_stdin(record), 2);
    assert!(crawl.contains("no valid Content-Length"), "{crawl}");
    write("none.jsonl", b"");
    let folder = threshr().arg("predict").arg(dir.path()).assert();
    assert!(String::from_utf8_lossy(&folder.get_output().stderr).contains("crawl and 1 more not read"));
    let none = threshr().arg("predict").arg(dir.path().join("none.jsonl")).assert().success();
    assert!(String::from_utf8_lossy(&none.get_output().stderr).contains("the input contains no pages"));
    let mixed = threshr()
        .args(["predict", "--format", "jsonl"])
        .arg(demo_page())
        .args(["nope.html"])
        .arg(dir.path().join("g.pdf"))
        .assert()
        .code(2)
        .get_output()
        .clone();
    let (rows, said) = (
        String::from_utf8_lossy(&mixed.stdout).into_owned(),
        String::from_utf8_lossy(&mixed.stderr).into_owned(),
    );
    assert!(rows.lines().count() == 2 && rows.contains("\"id\":\"4565\""), "{rows}");
    assert!(said.contains("nope.html: no such file") && said.contains("looks like a PDF"), "{said}");
    // every page in a list gives a row, even if its file does not exist
    write("some.list", format!("missing.html\n{}\n", demo_page().display()).as_bytes());
    let listed = threshr().args(["predict", "--format", "jsonl"]).arg(dir.path().join("some.list")).assert();
    let rows = String::from_utf8_lossy(&listed.code(2).get_output().stdout).into_owned();
    let rows: Vec<&str> = rows.lines().collect();
    assert!(rows.len() == 2 && rows[1].contains("\"id\":\"4565\""), "{rows:?}");
    assert!(rows[0].contains("\"id\":\"missing\"") && rows[0].contains("no such file"), "{rows:?}");
    let error = failure(threshr().arg("predict").arg(dir.path().join("none.html")), 2);
    assert!(error.contains("none.html") && error.contains("no such file"), "{error}");
}

#[test]
fn files_of_one_name_are_told_apart() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["a/index.html", "b/index.html", "b/other.html"] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, if name.starts_with('a') { "<p>x" } else { "%PDF-1.7" }).expect("written");
    }
    let run = threshr().args(["predict", "--format", "jsonl"]).arg(dir.path()).assert().code(2);
    let (rows, said) =
        (&run.get_output().stdout, String::from_utf8_lossy(&run.get_output().stderr).into_owned());
    let ids: Vec<_> = rows
        .split(|b| *b == b'\n')
        .filter_map(|row| serde_json::from_slice::<serde_json::Value>(row).ok())
        .map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect();
    assert_eq!(ids, ["a/index", "b/index", "other"]);
    assert!(said.contains("b/index.html") && said.contains("b/other.html"), "{said}");
    let twice = dir.path().join("a/index.html");
    let said = threshr().arg("predict").args([&twice, &twice]).assert().success().get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&said).contains("several pages have the id `index.html`"));
}

#[test]
fn output_files_are_whole_or_absent() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out.txt");
    let printed = output(threshr().arg("predict").arg(demo_page()));
    output(threshr().arg("predict").arg(demo_page()).arg("--out").arg(&out));
    assert_eq!(std::fs::read_to_string(&out).expect("read"), printed);
    let copy = dir.path().join("page.html");
    std::fs::copy(demo_page(), &copy).expect("copied");
    assert!(
        failure(threshr().arg("predict").arg(&copy).arg("--out").arg(&copy), 2).contains("replace an input")
    );
    std::fs::remove_file(&copy).expect("removed");
    failure(threshr().args(["predict", "missing.html", "--out"]).arg(dir.path().join("no.txt")), 2);
    // a file name that starts with a dot has no extension, and explanations have their own format
    for (name, options) in [(".texts", &[][..]), ("why.html", &["--explain=0"])] {
        let file = dir.path().join(name);
        output(threshr().arg("predict").arg(demo_page()).args(options).arg("--out").arg(&file));
        std::fs::remove_file(&file).expect("there");
    }
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
}

#[test]
fn wrong_options_say_what_is_right() {
    // The outputs are in a temporary folder, in case a new format accepts one of these names.
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("recipe.toml"), "[features]").expect("written");
    let page = demo_page();
    for (args, part) in [
        (vec!["--format", "pdf"], "text, jsonl, cleaneval, blocks"),
        (vec!["--out", "pages.json"], "one of .txt, .jsonl"),
        (vec!["--out", "text.pdf"], "one of .txt, .jsonl"),
        (vec!["--out", "text.warc.gz"], "one of .txt, .jsonl"),
        (vec!["--out", "no/such/folder.txt"], "no/such: "),
        (vec!["--filter", "forest"], "none, tree"),
        (vec!["--filter", "tree", "--filter-depth", "6"], "1 to 5"),
        (vec!["--filter", "tree:1", "--filter-depth", "3"], "already sets a depth"),
        (vec!["--threshold", "2"], "from 0 to 1"),
        (vec!["--threshold", "-0.1"], "from 0 to 1"),
        (vec!["--page-mb", "-1"], "a positive number"),
        (vec!["-", "-"], "standard input is named twice"),
        (vec!["--threshold", "0.2", "--favor", "recall"], "cannot be used with"),
        (vec!["--favor", "speed"], "precision, balance or recall"),
        (vec!["--decision", "x"], "one of threshold, expected-f1"),
        (vec!["--system", "oracle"], "needs gold"),
        (vec!["--model", "recipe.toml"], "not a model file"),
        (vec!["--select", "p["], "CSS selector"),
    ] {
        let error = failure(threshr().current_dir(dir.path()).arg("predict").arg(&page).args(&args), 2);
        assert!(error.contains(part), "{args:?}: {error}");
    }
}
