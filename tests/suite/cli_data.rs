//! `threshr data`, and the readers of annotated sets.

use crate::support::{failure, output, sample, threshr};

#[test]
fn the_sample_passes_its_check() {
    let table =
        output(threshr().args(["data", "check", "--worst", "3", "--least-oracle", "0.97"]).arg(sample()));
    assert!(table.contains("oracle F1") && table.contains("unaligned"), "{table}");
    failure(threshr().args(["data", "check", "--least-oracle", "0.9999"]).arg(sample()), 1);
    let stats = output(threshr().args(["data", "stats"]).arg(sample()));
    assert!(stats.contains("page types") && stats.contains("forum"), "{stats}");
}

#[test]
fn every_format_is_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let page = "<text id=\"http://a.com/\" title=\"t\" encoding=\"unset\"><ul><li>Menu here</ul><h1>Title</h1><p>Body text</text>";
    write("ce/input/1.html", page);
    write("ce/GoldStandard/1-cleaned.txt", "URL: http://a.com/\n<h>Title\n<p>Body text\n");
    write("ce/input/2.html", page);
    write("ce/GoldStandard/2.txt", "<h>Title\n<p>Body\n text\n");
    write("l3s/1.html", "<p><span class='x-nc-sel0'>Menu</span><p><span class='x-nc-sel2'>Body text</span>");
    write("kw/1.html", "<p><kw class='krdwrd-tag-1'>Menu</kw><p><kw class='krdwrd-tag-3'>Body text</kw>");
    write("mark/1.html", "<p>Menu<!-- content --><p>Body text<!-- /content --><p>End");
    write("mine/1.html", "<p>Menu<!--A--><p>Body text<!--B--><p>End");
    write("google/1.html", "<p>Body text<!--googleoff: index--><p>Menu<!--googleon: index-->");
    write("css/1.html", "<p>Menu<div class=body><p>Body text</div>");
    for (folder, extra) in [
        ("ce", vec![]),
        ("l3s", vec![]),
        ("kw", vec![]),
        ("mark", vec![]),
        ("mine", vec!["--markers", "<!--A-->", "<!--B-->"]),
        ("google", vec![]),
        ("css", vec!["--gold-selector", "div.body"]),
    ] {
        let table = output(threshr().args(["data", "check"]).arg(dir.path().join(folder)).args(&extra));
        let row = table.lines().nth(1).expect("a row");
        assert!(row.starts_with(folder) && row.contains("1.0000–1.0000"), "{folder}: {table}");
        assert!(!row.contains("  1.0000  1.0000  "), "{folder}: the floor is below: {table}");
    }
    assert!(
        failure(threshr().args(["data", "check", "--gold-format", "x"]).arg(dir.path().join("ce")), 2)
            .contains("jsonl, cleaneval")
    );
    std::fs::remove_file(dir.path().join("ce/GoldStandard/2.txt")).expect("removed");
    let table = output(threshr().args(["data", "check"]).arg(dir.path().join("ce")));
    let row: Vec<_> = table.lines().nth(1).expect("a row").split_whitespace().collect();
    assert_eq!(row[..3], ["ce", "2", "1"], "{table}");
    std::fs::remove_file(dir.path().join("ce/GoldStandard/1-cleaned.txt")).expect("removed");
    let error = failure(threshr().args(["data", "check"]).arg(dir.path().join("ce")), 2);
    assert!(error.contains("no page has a gold file"), "{error}");
}
