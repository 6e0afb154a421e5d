//! Small input files in `tests/cases/inputs`, each with one defect or peculiarity, and their expected
//! results.

use crate::support::{repository, threshr};
use std::collections::BTreeMap;

/// Expected result of a file.
struct Case {
    file: &'static str,
    /// The expected pages, each given as a word of its text.
    pages: &'static [&'static str],
    /// Expected substring of the error messages. Empty if no message is expected.
    said: &'static str,
}

const fn case(file: &'static str, pages: &'static [&'static str], said: &'static str) -> Case {
    Case { file, pages, said }
}

const ALL: &[&str] = &["alpha", "beta", "gamma"];

/// The cases in `EXPECTATIONS.tsv`. A record with a wrong length is read up to the next record.
const CASES: [Case; 21] = [
    case(
        "y1_018_bad.warc",
        &["alpha", "beta", "gamma", "delta", "eps"],
        "Content-Length of the record is 1715",
    ),
    case("y2_018_garb.warc", &["alpha", "gamma", "delta"], "bytes outside of a record (record 2, byte 1661)"),
    case("y6_018_gz.warc.gz", &["alpha", "beta", "gamma", "delta"], ""),
    case("y7_018_onegz.warc.gz", &["alpha", "beta", "gamma", "delta"], ""),
    case("x08b_one_large.warc", ALL, ""),
    case("x08z_1.warc.gz", ALL, ""),
    case("w08_off_by_one.warc", ALL, ""),
    case("w09_cl_small.warc", ALL, "Content-Length of the record is 1205"),
    case("w30_arc.arc", &["alpha", "beta"], ""),
    case("w31_zst_dict.warc.zst", ALL, ""),
    case("w16_resource.warc", ALL, ""),
    case("x54_response_no_http.warc", ALL, ""),
    case("w28e_unknown.warc", ALL, ""),
    case("w26c_gzip_unsaid.warc", ALL, ""),
    case("w25f_cut.warc", ALL, "the chunked body is truncated"),
    case("x32c_zst_corrupt.warc.zst", &["alpha", "gamma"], "the zstd frame at byte 951"),
    case("w02_lower_http.warc", ALL, ""),
    case("a.html.gz", &["alpha"], ""),
    case("j21_nan.jsonl", ALL, ""),
    case("j01b_bom_each.jsonl", ALL, ""),
    case("j11d_bigint.jsonl", ALL, ""),
];

/// Returns the extracted pages and the messages on standard error.
fn predict(file: &str) -> (Vec<serde_json::Value>, String) {
    let path = repository("tests/cases/inputs").join(file);
    let found = threshr().arg("predict").arg(path).args(["--format", "jsonl"]).output().expect("it runs");
    let lines = String::from_utf8(found.stdout).expect("UTF-8");
    let pages = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (pages, String::from_utf8(found.stderr).expect("UTF-8"))
}

#[test]
fn standard_input_is_told_by_its_first_bytes() {
    let read = |bytes: Vec<u8>| {
        let mut command = threshr();
        let found = command
            .args(["predict", "-", "--system", "keep-everything"])
            .write_stdin(bytes)
            .output()
            .expect("it runs");
        String::from_utf8(found.stdout).expect("UTF-8")
    };
    for file in
        ["y6_018_gz.warc.gz", "j01b_bom_each.jsonl", "w31_zst_dict.warc.zst", "w30_arc.arc", "a.html.gz"]
    {
        let text = read(std::fs::read(repository("tests/cases/inputs").join(file)).expect("read"));
        assert!(text.contains("alpha") && !text.contains("WARC") && !text.contains('{'), "{file}: {text}");
    }
    let saved = "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<p>It rained all day.";
    assert_eq!(read(saved.into()), "It rained all day.\n");
}

#[test]
fn odd_inputs_give_their_pages() {
    let mut failed = Vec::new();
    for Case { file, pages, said } in CASES {
        let (found, stderr) = predict(file);
        let texts: Vec<&str> = found.iter().filter_map(|page| page["text"].as_str()).collect();
        let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        let has_pages = texts.len() == pages.len()
            && texts.iter().zip(pages).all(|(text, word)| text.contains(&format!("The {word} committee")));
        let is_said = if said.is_empty() { stderr.is_empty() } else { stderr.contains(said) };
        if !has_pages || !is_said {
            failed.push(format!("{file}: {} pages\n{stderr}", texts.len()));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_case_is_tested() {
    let entries = std::fs::read_dir(repository("tests/cases/inputs")).expect("a folder");
    let names = entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> =
        names.filter(|n| n != "EXPECTATIONS.tsv" && !n.starts_with("d17c")).collect();
    names.sort();
    let mut tested: Vec<&str> = CASES.iter().map(|case| case.file).collect();
    tested.sort_unstable();
    assert_eq!(names, tested);
}

#[test]
fn ids_and_dates_are_kept() {
    let (pages, _) = predict("j11d_bigint.jsonl");
    let ids: Vec<&str> = pages.iter().map(|page| page["id"].as_str().expect("an id")).collect();
    assert_eq!(ids, ["123456789012345678901234567890", "beta", "gamma"]);
    let (pages, _) = predict("w30_arc.arc");
    let about: BTreeMap<&str, &str> = pages
        .iter()
        .map(|p| (p["url"].as_str().expect("a URL"), p["date"].as_str().expect("a date")))
        .collect();
    let date = "2008-01-01T00:00:00Z";
    assert_eq!(about, BTreeMap::from([("http://alpha.example/", date), ("http://beta.example/", date)]));
}

#[test]
fn packed_pages_are_read_from_standard_input() {
    let compressed = std::fs::read(repository("tests/cases/inputs/a.html.gz")).expect("a file");
    let mut html = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&compressed[..]), &mut html).expect("gzip");
    let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
    std::io::Write::write_all(&mut brotli, &html).expect("written");
    for bytes in [html, compressed, brotli.into_inner()] {
        let found = threshr().args(["predict", "-"]).write_stdin(bytes).output().expect("it runs");
        assert!(String::from_utf8_lossy(&found.stdout).contains("The alpha committee"));
    }
}

#[test]
fn utf8_with_many_stray_bytes_is_read() {
    let (pages, _) = predict("d17c_many_bad_de.html");
    let text = pages[0]["text"].as_str().expect("a text");
    assert!(text.contains("beschloss nach langer Aussprache über die neue Brücke"), "{text}");
    assert!(text.contains("im nächsten Frühjahr"), "{text}");
}

#[test]
fn what_a_folder_holds_besides_pages_is_counted() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("a.php", "<!DOCTYPE html><p>Some text of a page.</p>"),
        ("b", "<html><p>Some text of another page.</p>"),
        ("c.png", "x"),
        ("d.png", "x"),
        ("e", "x"),
        ("f.jsonl", "x"),
    ] {
        std::fs::write(dir.path().join(name), text).expect("written");
    }
    let found =
        threshr().arg("predict").arg(dir.path()).args(["--format", "jsonl"]).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&found.stderr);
    assert!(stderr.contains("3 files in folders are not pages: 1 without an extension, 2 .png"), "{stderr}");
    assert!(stderr.contains("f.jsonl not read"), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&found.stdout).lines().count(), 2);
}
