//! `threshr bench`.

use super::support::{demo_page, failure, output, threshr};

/// Returns the time in ms per page of each stage.
fn rows(csv: &str) -> Vec<(String, f64)> {
    let row = |line: &str| {
        let mut cells = line.split(',');
        let name = cells.next().filter(|n| !n.is_empty()).expect("a name").trim_matches('"').to_owned();
        // "threshr, all stages" has a comma
        let number = cells.find_map(|cell| cell.parse().ok()).expect("a number");
        (name, number)
    };
    csv.lines().skip(1).map(row).collect()
}

#[test]
fn every_stage_has_a_row_from_files_and_from_standard_input() {
    let bench = |input: &str, more: &[&str]| {
        let mut command = threshr();
        command.args(["bench", input, "--format", "csv"]).args(more);
        command.write_stdin(std::fs::read(demo_page()).expect("the page"));
        rows(&output(&mut command))
    };
    let page = demo_page();
    for input in ["-", page.to_str().expect("UTF-8")] {
        let stages = bench(input, &["--rounds", "3"]);
        assert_eq!((stages[0].0.as_str(), stages.len()), ("html5ever", 7));
        // every round measures the page, so the times are positive
        assert!(stages[0].1 > 0.0 && stages[1].0 == "prepare" && stages[2].1 > 0.0, "{stages:?}");
        assert!(bench(input, &["--rounds", "2", "--families"]).len() > 20);
    }
}

#[test]
fn pages_that_cannot_be_measured_are_left_out() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, bytes) in [
        ("a.html", std::fs::read(demo_page()).expect("the page")),
        ("b.html", b"%PDF-1.7".to_vec()),
        ("c.html", "<div>".repeat(2_000).into_bytes()),
    ] {
        std::fs::write(dir.path().join(name), bytes).expect("written");
    }
    let run = threshr().args(["bench", "--rounds", "1"]).arg(dir.path()).assert().code(2);
    let stderr = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(stderr.contains("b.html") && stderr.contains("looks like a PDF"), "{stderr}");
    assert!(stderr.contains("c.html") && stderr.contains("500 deep"), "{stderr}");
    let table = [&run.get_output().stdout[..], &run.get_output().stderr].concat();
    assert!(String::from_utf8_lossy(&table).contains("1 page"));
    failure(threshr().args(["bench", "--rounds", "0"]).arg(demo_page()), 2);
    assert!(
        failure(threshr().arg("bench").arg(dir.path().join("b.html")), 2)
            .contains("no page could be measured")
    );
}
