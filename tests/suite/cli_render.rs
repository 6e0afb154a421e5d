//! `threshr render`: pages drawn by an installed Chromium. Without one the tests say that they are skipped.

use crate::support::{edit_gold, failure, output, threshr, toy_set};
use std::path::Path;

/// Whether Chromium is installed; a loud remark if not.
#[allow(clippy::print_stdout)] // part of a test
fn is_installed() -> bool {
    let found = threshr_browser::find(None);
    if let Err(e) = &found {
        println!("*** SKIPPED: this test needs Chromium: {e}");
    }
    found.is_ok()
}

fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path.as_ref()).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

#[test]
fn a_set_is_drawn_kept_and_used() {
    if !is_installed() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let set = toy_set(dir.path(), 4);
    std::fs::write(set.join("policy.toml"), "policy = \"article\"\n").expect("written");
    std::fs::write(set.join("pages/3.html"), b"%PDF-1.4 no page").expect("written");
    edit_gold(&set, |lines| lines.replacen("\"lang\":\"en\"", "\"lang\":\"en\",\"encoding\":\"latin1\"", 1));
    let out = dir.path().join("drawn");
    let render = || {
        let mut command = threshr();
        command
            .args(["render", "--jobs", "1", "--timeout", "60", "--wait", "50"])
            .arg(&set)
            .arg("--out")
            .arg(&out);
        command
    };
    let told = failure(&mut render(), 2);
    assert!(told.contains("page 3") && told.contains("1 of 4 pages failed"), "{told}");
    assert_eq!(read(out.join("policy.toml")).trim(), "policy = \"article\"");
    let gold = read(out.join("gold.jsonl"));
    assert_eq!((gold.lines().count(), gold.contains("encoding")), (3, false), "{gold}");
    assert!(gold.contains("Story number 2") && gold.contains("http://www.site2.com/a"), "{gold}");
    let table = read(out.join("render.csv"));
    assert!(
        table.contains("3,pages/3.html,,failed")
            && table.contains("0,pages/0.html,http://www.site0.com/a,drawn,1280,"),
        "{table}"
    );
    let (page, geometry) = (read(out.join("pages/0.html")), read(out.join("pages/0.geometry.json")));
    assert!(
        page.contains("<base href=\"http://www.site0.com/a\">") && page.contains("Story number 0"),
        "{page}"
    );
    assert!(geometry.starts_with("{\"format\":\"threshr-geometry\",\"version\":2,"), "{geometry}");

    // what is there is skipped, what failed is tried again
    std::fs::write(set.join("pages/3.html"), "<p>A page again").expect("written");
    let told = String::from_utf8(render().assert().success().get_output().stderr.clone()).expect("UTF-8");
    assert!(told.contains("3 pages were there") && told.contains("1 page is drawn"), "{told}");
    assert_eq!((read(out.join("pages/0.html")), read(out.join("pages/0.geometry.json"))), (page, geometry));
    assert_eq!(read(out.join("gold.jsonl")).lines().count(), 4);
    assert!(failure(render().args(["--width", "800"]), 2).contains("drawn with other options"));
    render().args(["--width", "800", "--force"]).assert().success();
    assert!(read(out.join("render.csv")).contains("0,pages/0.html,http://www.site0.com/a,drawn,800,"));

    // the columns are there, and training reads them
    let columns = output(
        threshr()
            .args(["features", "--features", "drawn,visual", "--format", "csv"])
            .arg(out.join("pages/0.html")),
    );
    let (head, rows) = columns.split_once('\n').expect("rows");
    // from the end, since the text of a block may have commas
    let at = head.rsplit(',').position(|name| name == "drawn.has_style").expect("the column");
    assert!(rows.lines().all(|row| row.rsplit(',').nth(at) == Some("1")), "{columns}");
    let model = dir.path().join("model.json");
    let mut train = threshr();
    train.args(["train", "--classifier", "tree", "--features", "shallow,visual,drawn", "--out"]);
    train.arg(&model).arg("--data").arg(&out).assert().success();
    assert!(
        output(threshr().args(["predict", "--model"]).arg(&model).arg(out.join("pages/0.html")))
            .contains("Story number 0")
    );
    let folder = output(threshr().args(["predict", "--format", "jsonl"]).arg(out.join("pages")));
    assert_eq!(folder.lines().count(), 4);
}

#[test]
fn other_pages_and_inputs_are_not_replaced() {
    if !is_installed() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let file = |folder: &str, name: &str, html: &str| {
        let folder = dir.path().join(folder);
        std::fs::create_dir_all(&folder).expect("created");
        std::fs::write(folder.join(name), html).expect("written");
        folder.join(name)
    };
    let [xa, ya, yb] = [("x", "a.html", "<p>Rain"), ("y", "a.html", "<p>Snow"), ("y", "b.html", "<p>Hail")]
        .map(|(f, n, h)| file(f, n, h));
    let render = |inputs: &[&Path]| {
        let mut command = threshr();
        command.args(["render", "--wait", "50", "--out"]).arg(&out).args(inputs);
        command
    };
    let page = |name: &str| read(out.join(format!("pages/{name}.html")));
    render(&[&xa]).assert().success();
    assert!(!out.join("gold.jsonl").exists(), "pages without gold have no list");

    // a page of the same name is not taken for it, and the others are drawn
    let told = failure(&mut render(&[&ya, &yb]), 2);
    assert!(told.contains("page a") && told.contains("drawn from another page"), "{told}");
    assert!(page("a").contains("Rain") && page("b").contains("Hail"));
    // nor is it removed by a page of its name that cannot be read
    let za = file("z", "a.html", "%PDF-1.4 no page");
    assert!(failure(&mut render(&[&za]), 2).contains("page a"));
    assert!(page("a").contains("Rain"));
    render(&[&ya]).arg("--force").assert().success();
    assert!(page("a").contains("Snow") && page("b").contains("Hail"));

    // other settings remove what was drawn with the old ones
    render(&[&ya]).args(["--force", "--width", "500"]).assert().success();
    assert!(page("a").contains("Snow") && !out.join("pages/b.html").exists());

    // a line that was cut, and one that leads out of the folder
    let journal = out.join("render.jsonl");
    let lines = read(&journal);
    std::fs::write(
        &journal,
        format!("{lines}{{\"file\":\"../x/a.html\",\"source\":\"x\",\"gold\":null}}\n{{\"file\":"),
    )
    .expect("written");
    let told = render(&[&ya]).args(["--width", "500"]).assert().success();
    assert!(String::from_utf8_lossy(&told.get_output().stderr).contains("1 page was there"));
    render(&[&ya]).args(["--width", "600", "--force"]).assert().success();
    assert!(xa.is_file());

    // an input in the folder of the results
    let told = failure(render(&[&out.join("pages/a.html")]).args(["--width", "600", "--force"]), 2);
    assert!(told.contains("would write beside the input"), "{told}");
    assert!(page("a").contains("Snow"));
}

#[test]
fn drawn_pages_are_annotated_and_used_for_training() {
    if !is_installed() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let pages = dir.path().join("pages");
    std::fs::create_dir(&pages).expect("created");
    for number in 0..6 {
        let html = format!(
            "<body><!--googleoff: all--><p>Menu of site {number}<!--googleon: all--><p>Story {number} tells what happened, in some words."
        );
        std::fs::write(pages.join(format!("{number}.html")), html).expect("written");
    }
    let out = dir.path().join("out");
    threshr().args(["render", "--wait", "50", "--out"]).arg(&out).arg(&pages).assert().success();
    let mut train = threshr();
    train.args(["train", "--classifier", "tree", "--features", "shallow,drawn", "--out"]);
    train.arg(dir.path().join("my.json")).arg("--data").arg(out.join("pages")).assert().success();
}

#[test]
fn pages_with_comments_of_a_search_engine_are_pages() {
    if !is_installed() {
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    let pages = dir.path().join("pages");
    std::fs::create_dir(&pages).expect("created");
    std::fs::write(pages.join("a.html"), "<body><!--googleoff: all--><p>Menu<!--googleon: all--><p>Text")
        .expect("written");
    let out = dir.path().join("out");
    threshr().arg("render").arg(&pages).arg("--out").arg(&out).assert().success();
    assert!(read(out.join("pages/a.html")).contains("<!--googleoff: all--><p>Menu"));
    assert!(out.join("pages/a.geometry.json").is_file());
}

#[test]
fn wrong_calls_are_errors() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("a.html");
    std::fs::write(&page, "<p>a").expect("written");
    let out = dir.path().join("out");
    let told =
        |args: &[&str]| failure(threshr().arg("render").args(args).arg(&page).arg("--out").arg(&out), 2);
    assert!(told(&["--chromium", "no/such/program"]).contains("--chromium names no file"));
    assert!(told(&["--width", "0"]).contains("the window has"));
    assert!(told(&["--timeout", "0"]).contains("--timeout is 0"));
    assert!(told(&["--wait", "20000"]).contains("--wait is 20000"));
    assert!(told(&["http://page.invalid/"]).contains("different rules"));
    assert!(!out.exists());
    if is_installed() {
        // into its own input
        let mut command = threshr();
        command.arg("render").arg(dir.path()).arg("--out").arg(dir.path().join("inside"));
        assert!(failure(&mut command, 2).contains("lies in an input"));
    }
}
