//! `threshr predict` on crawls: readers, outputs, limits, and resuming.

use crate::support::{failure, output, threshr};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("written");
    encoder.finish().expect("finished")
}

/// Returns a WARC record of a response.
fn record(id: u32, head: &str, body: &[u8]) -> Vec<u8> {
    let http = [format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n").as_bytes(), body].concat();
    let warc = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{id:012}>\r\n\
         WARC-Target-URI: http://site.example/{id}\r\nWARC-Date: 2026-02-03T04:05:06Z\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n",
        http.len()
    );
    [warc.as_bytes(), &http, b"\r\n\r\n"].concat()
}

pub(crate) fn html(title: &str) -> String {
    format!(
        "<html lang=de><title>{title}</title><h1>{title}</h1><p>Über die Straße ging gestern ein Zug von Leuten."
    )
}

/// Writes a WARC file with one record of each kind, each in its own gzip member, and corrupt data between
/// them. Returns the path and the texts of the intact pages.
fn warc(dir: &Path) -> (PathBuf, Vec<String>) {
    let page = |n: u32| html(&format!("Seite {n}"));
    let latin: Vec<u8> = page(2).chars().map(|c| u32::from(c) as u8).collect();
    let mut chunked = Vec::new();
    for chunk in gzip(page(3).as_bytes()).chunks(11) {
        chunked.extend(format!("{:X}\r\n", chunk.len()).into_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend(b"\r\n");
    }
    chunked.extend(b"0\r\n\r\n");
    let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 20);
    brotli.write_all(page(4).as_bytes()).expect("written");
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    deflated.write_all(page(5).as_bytes()).expect("written");
    let type_html = "Content-Type: text/html";
    let records = [
        record(1, "Content-Type: text/html; charset=utf-8", page(1).as_bytes()),
        record(2, "Content-Type: text/html; charset=iso-8859-1", &latin),
        record(3, &format!("{type_html}\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip"), &chunked),
        record(4, &format!("{type_html}\r\nContent-Encoding: br"), &brotli.into_inner()),
        record(
            5,
            &format!("{type_html}\r\nContent-Encoding: deflate"),
            &deflated.finish().expect("finished"),
        ),
        record(6, "Content-Type: image/png", b"\x89PNG\r\n\x1a\n"),
    ];
    let mut bytes = Vec::new();
    for (number, record) in records.iter().enumerate() {
        let member = gzip(record);
        bytes.extend(&member);
        match number {
            0 => bytes.extend(b"garbage between members"),
            1 => bytes.extend(&member[..member.len() / 2]),
            2 => bytes.extend(gzip(&record[..record.len() - 30])),
            _ => {}
        }
    }
    let path = dir.join("crawl.warc.gz");
    std::fs::write(&path, bytes).expect("written");
    (path, (1..=5).map(|n| format!("Seite {n}\nÜber die Straße ging gestern ein Zug von Leuten.")).collect())
}

pub(crate) fn rows(jsonl: &str) -> Vec<serde_json::Value> {
    jsonl.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect()
}

pub(crate) fn predict(input: &Path) -> assert_cmd::Command {
    let mut command = threshr();
    command.args(["predict", "--system", "keep-everything"]).arg(input);
    command
}

#[test]
fn a_warc_file_gives_its_pages_whatever_their_encoding() {
    let dir = tempfile::tempdir().expect("a folder");
    let (path, texts) = warc(dir.path());
    let out = dir.path().join("out.jsonl.gz");
    for jobs in ["1", "2"] {
        let stderr = failure(predict(&path).args(["--force", "--jobs", jobs, "--out"]).arg(&out), 2);
        assert!(stderr.contains("skipped: 1 not HTML") && stderr.contains("2 of 8 pages failed"), "{stderr}");
        assert!(stderr.contains("1 of 6 pages may be incomplete"), "{stderr}");
        let mut decompressed = String::new();
        let file = std::fs::File::open(&out).expect("there");
        std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(file), &mut decompressed)
            .expect("gzip");
        let rows = rows(&decompressed);
        let (failed, mut fine): (Vec<_>, Vec<_>) = rows.iter().partition(|r| !r["error"].is_null());
        // The readable part of the truncated record.
        let cut = fine.remove(3)["text"].as_str().expect("text");
        assert!(cut.starts_with("Seite 3") && texts[2].starts_with(cut), "{cut}");
        assert_eq!(fine.iter().map(|r| r["text"].as_str().expect("text")).collect::<Vec<_>>(), texts);
        assert_eq!(failed.len(), 2, "{failed:?}");
        assert_eq!(fine[1]["id"], "00000000-0000-4000-8000-000000000002");
        assert_eq!(fine[1]["url"], "http://site.example/2");
        assert_eq!(fine[1]["date"], "2026-02-03T04:05:06Z");
        assert_eq!(fine[1]["language"], "de");
        assert!(fine[1]["model"].as_str().is_some_and(|m| m.starts_with("keep-everything@")));
        // The input, the output and its record.
        assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 3);
    }
}

#[test]
fn outputs_can_be_read_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let (path, texts) = warc(dir.path());
    let parquet = dir.path().join("out.parquet");
    failure(predict(&path).arg("--markdown").arg("--out").arg(&parquet), 2);
    // The text of a failed page is null.
    let again = predict(&parquet).args(["--html-field", "text", "--format", "jsonl"]).assert().code(2);
    let again = rows(&String::from_utf8_lossy(&again.get_output().stdout));
    assert_eq!(again.len(), 8);
    assert_eq!(again[0]["text"], texts[0].replace('\n', " "));
    assert_eq!(again[0]["url"], "http://site.example/1");
    let markdown = predict(&parquet).args(["--html-field", "markdown", "--format", "jsonl"]).assert().code(2);
    let markdown = rows(&String::from_utf8_lossy(&markdown.get_output().stdout));
    assert_eq!(markdown[0]["text"], format!("# {}", texts[0].replace('\n', " ")));
    let wet = dir.path().join("out.wet.gz");
    failure(predict(&path).arg("--out").arg(&wet), 2);
    let mut records = String::new();
    let file = std::fs::File::open(&wet).expect("there");
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(file), &mut records).expect("gzip");
    assert_eq!(records.matches("WARC-Type: conversion\r\n").count(), 6);
    assert!(records.contains(&format!("Content-Length: {}\r\n\r\n{}\r\n\r\n", texts[3].len(), texts[3])));
    let folder = dir.path().join("texts");
    // with the trailing slash that shells append
    failure(predict(&path).args(["--format", "folder", "--out"]).arg(folder.join("")), 2);
    let refused = failure(predict(&path).arg("--out").arg(dir.path().join("other/")), 2);
    assert!(refused.contains("--format folder"), "{refused}");
    let file = folder.join("00000000-0000-4000-8000-000000000004.txt");
    assert_eq!(std::fs::read_to_string(file).expect("there"), format!("{}\n", texts[3]));
    assert_eq!(std::fs::read_dir(&folder).expect("listed").count(), 6);
    assert!(
        failure(predict(&path).args(["--force", "--format", "folder", "--out"]).arg(&folder), 2)
            .contains("the folder is not empty")
    );
    let zst = dir.path().join("again.jsonl.zst");
    failure(predict(&parquet).args(["--html-field", "text", "--out"]).arg(&zst), 2);
    let decompressed = zstd::decode_all(std::fs::File::open(&zst).expect("there")).expect("zstd");
    assert_eq!(rows(&String::from_utf8_lossy(&decompressed)), again);
}

#[test]
fn dates_that_wet_cannot_write_stay_as_they_were_given() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("pages.jsonl");
    let line = |date: &str| serde_json::json!({"html": "<p>one", "date": date}).to_string();
    std::fs::write(&path, [line("2026-01-31"), line("31.1.2026"), line("")].join("\n")).expect("written");
    let wet = output(predict(&path).args(["--format", "wet"]));
    assert!(wet.contains("WARC-Date: 2026-01-31T00:00:00Z\r\n"));
    assert!(wet.contains("WARC-Date: 1970-01-01T00:00:00Z\r\nThreshr-Given-Date: 31.1.2026\r\n"));
    assert_eq!(wet.matches("Threshr-Given-Date").count(), 1);
}

#[test]
fn limits_cost_one_page() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("pages.jsonl");
    let line = |id: &str, html: &str| serde_json::json!({"id": id, "html": html}).to_string();
    let deep = "<table><tr><td><b>x".repeat(300_000);
    let lines = [
        line("a", "<p>one"),
        line("slow", &deep),
        line("large", &"<p>y".repeat(600_000)),
        line("b", "<p>two"),
    ];
    std::fs::write(&path, lines.join("\n")).expect("written");
    let mut command = predict(&path);
    command.args(["--format", "jsonl", "--page-seconds", "0.02", "--page-mb", "2"]);
    let run = command.assert().code(2);
    let rows = rows(&String::from_utf8_lossy(&run.get_output().stdout));
    assert_eq!(rows.len(), 4);
    assert_eq!((&rows[0]["text"], &rows[3]["text"]), (&"one".into(), &"two".into()));
    assert!(rows[1]["error"].as_str().is_some_and(|e| e.contains("too large")), "{}", rows[1]);
    assert!(rows[2]["error"].as_str().is_some_and(|e| e.contains("too large")), "{}", rows[2]);
    let run = predict(&path).args(["--format", "jsonl", "--page-seconds", "0.02"]).assert().code(2);
    let rows = self::rows(&String::from_utf8_lossy(&run.get_output().stdout));
    assert!(rows[1]["error"].as_str().is_some_and(|e| e.contains("given up after 0.02 s")), "{}", rows[1]);
    assert!(rows[3]["error"].is_null());
    assert!(failure(predict(&path).arg("--page-mb=-1"), 2).contains("--page-mb is -1"));
}

/// Writes a file with many small pages, some of them invalid.
fn many(dir: &Path, count: usize) -> PathBuf {
    let path = dir.join("many.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("made"));
    for i in 0..count {
        let line = if i % 1_500 == 7 {
            "{\"id\": broken".to_owned()
        } else {
            serde_json::json!({"id": i % 900, "html": html(&format!("Seite {i}"))}).to_string()
        };
        writeln!(file, "{line}").expect("written");
    }
    path
}

/// Starts a run, and kills it after a complete group is on disk.
fn kill_in_the_middle(input: &Path, out: &Path, options: &[&str]) {
    let mut journal = out.as_os_str().to_owned();
    journal.push(".journal");
    let has_group = || std::fs::read_to_string(&journal).is_ok_and(|j| j.contains("\"group\""));
    // on a busy machine, the run may end before the group is noticed
    for _ in 0..20 {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_threshr"))
            .args(["predict", "--system", "keep-everything"])
            .arg(input)
            .args(options)
            .arg("--out")
            .arg(out)
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        while !has_group() && child.try_wait().expect("asked").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        if has_group() {
            return;
        }
        if out.is_dir() {
            std::fs::remove_dir_all(out).expect("removed");
        } else if out.exists() {
            std::fs::remove_file(out).expect("removed");
        }
    }
    panic!("it ended each time before it was killed");
}

#[test]
fn a_killed_run_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let input = many(dir.path(), 12_000);
    for (name, options) in [
        ("out.jsonl", &["--jobs", "2"][..]),
        ("out.jsonl.gz", &["--jobs", "1", "--filter", "repeats+tree"]),
        ("out.parquet", &["--jobs", "2", "--markdown"]),
        ("out.wet", &["--jobs", "2"]),
        ("texts", &["--format", "folder"]),
    ] {
        let (whole, out) = (dir.path().join(format!("whole-{name}")), dir.path().join(name));
        failure(
            predict(&input)
                .args(options)
                .args(["--jobs", "1"].iter().filter(|_| !options.contains(&"--jobs")))
                .arg("--out")
                .arg(&whole),
            2,
        );
        kill_in_the_middle(&input, &out, options);
        assert!(!out.exists());
        let part = dir.path().join(format!("{name}.part"));
        assert!(part.exists());
        let refused = failure(predict(&input).args(options).arg("--out").arg(&out), 2);
        assert!(refused.contains("unfinished run") && refused.contains("--resume"), "{refused}");
        let mut other = predict(&input);
        other.args(["--resume", "--keep-hidden"]).args(options).arg("--out").arg(&out);
        let error = failure(&mut other, 2);
        assert!(
            error.contains("the unfinished run has other --keep-hidden (not given, now given)"),
            "{error}"
        );
        let mut other = predict(&input);
        other.args(["--resume", "--limit", "100"]).args(options).arg("--out").arg(&out);
        let error = failure(&mut other, 2);
        assert!(error.contains("other --limit (not given, now `100`)"), "{error}");
        if part.is_file() {
            // a `.part` file whose end is missing is resumed from the last complete group
            let file = std::fs::OpenOptions::new().write(true).open(&part).expect("opened");
            let length = file.metadata().expect("there").len();
            file.set_len(length.saturating_sub(5)).expect("cut");
        }
        let stderr = failure(predict(&input).arg("--resume").args(options).arg("--out").arg(&out), 2);
        assert!(stderr.contains("8 of 12000 pages failed"), "{stderr}");
        assert!(!part.exists() && !dir.path().join(format!("{name}.journal")).exists());
        if out.is_dir() {
            assert_eq!(std::fs::read_dir(&out).expect("listed").count(), 11_992);
            for name in ["1.txt", "1-2.txt", "899-13.txt"] {
                let text = |dir: &Path| std::fs::read(dir.join(name)).expect("there");
                assert_eq!(text(&out), text(&whole), "{name}");
            }
        } else {
            assert!(std::fs::read(&out).expect("there") == std::fs::read(&whole).expect("there"), "{name}");
        }
        let again = predict(&input)
            .arg("--resume")
            .args(options)
            .arg("--out")
            .arg(&out)
            .assert()
            .code(0)
            .get_output()
            .clone();
        assert!(String::from_utf8_lossy(&again.stderr).contains("nothing to resume"));
    }
}

/// An input that cannot be read to its end gives an error row, and the run continues.
#[test]
fn an_input_that_breaks_off_is_a_row() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = |id: u32| serde_json::json!({"id": id, "html": html("x")}).to_string() + "\n";
    let compressed = zstd::encode_all((0..9).map(line).collect::<String>().as_bytes(), 1).expect("zstd");
    let [cut, none, after] = ["cut.jsonl.zst", "none.parquet", "z.jsonl"].map(|n| dir.path().join(n));
    std::fs::write(&cut, &compressed[..compressed.len() - 5]).expect("written");
    std::fs::write(&none, "PAR1").expect("written");
    std::fs::write(&after, line(77)).expect("written");
    let out = dir.path().join("out.jsonl");
    let stderr = failure(predict(&cut).arg(&none).arg(&after).arg("--out").arg(&out), 2);
    assert!(stderr.contains("cut.jsonl.zst") && stderr.contains("none.parquet"), "{stderr}");
    let rows = rows(&std::fs::read_to_string(&out).expect("there"));
    let failed: Vec<_> = rows.iter().filter(|r| !r["error"].is_null()).map(|r| &r["id"]).collect();
    assert_eq!(failed, ["cut:1", &none.display().to_string()]);
    assert_eq!(rows.last().expect("a row")["id"], "77");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_it_goes_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let (input, out) = (many(dir.path(), 40_000), dir.path().join("out.jsonl"));
    let journal = dir.path().join("out.jsonl.journal");
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_threshr"))
        .args(["predict", "--system", "keep-everything"])
        .arg(&input)
        .arg("--out")
        .arg(&out)
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    while !std::fs::read_to_string(&journal).is_ok_and(|j| j.contains("\"group\"")) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().expect("sent").success());
    let ended = child.wait_with_output().expect("ended");
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{stderr}");
    assert!(stderr.contains("out.jsonl is incomplete; repeat the command with --resume"), "{stderr}");
    assert!(!out.exists() && journal.exists());
}

#[test]
fn wrong_inputs_say_what_is_right() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.jsonl");
    std::fs::write(&path, "{\"content\": \"<p>x\"}\n").expect("written");
    for (args, part) in [
        (&["--input-format", "pdf"][..], "one of html, mhtml"),
        (&["--format", "jsonl"], "one of content (option: --html-field)"),
        (&["--compress", "zip"], "none, gz or zst"),
        (&["--format", "parquet", "--compress", "gz"], "cannot be compressed"),
        (&["--format", "folder"], "a folder (option: --out)"),
        (&["--format", "parquet", "--html-field", "content"], "cannot be written to a stream"),
        (&["--resume"], "--out"),
    ] {
        let error = failure(predict(&path).args(args), 2);
        assert!(error.contains(part), "{args:?}: {error}");
    }
    let error = failure(predict(Path::new("-")).args(["--resume", "--out", "x"]).current_dir(dir.path()), 2);
    assert!(error.contains("standard input cannot be read again"), "{error}");
    assert_eq!(output(predict(&path).args(["--html-field", "content"])), "x\n");
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1);
}

#[test]
fn files_of_others_are_never_touched() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("page.html");
    std::fs::write(&page, html("Seite")).expect("written");
    let at = |name: &str| dir.path().join(name);
    std::fs::create_dir(at("texts.part")).expect("made");
    for name in ["texts.part/mine", "a.jsonl.part", "b.jsonl.journal", "c.jsonl.part"] {
        std::fs::write(at(name), "mine").expect("written");
    }
    let run = |out: &str, options: &[&str]| {
        let mut command = predict(&page);
        command.args(options).arg("--out").arg(at(out));
        failure(&mut command, 2)
    };
    for (out, options) in
        [("texts", &["--format", "folder"][..]), ("a.jsonl", &[]), ("b.jsonl", &["--resume"])]
    {
        let stderr = run(out, options);
        assert!(stderr.contains("not from an unfinished run"), "{stderr}");
    }
    // an input is never overwritten, whatever its format is
    let list = at("my.list");
    std::fs::write(&list, page.as_os_str().as_encoded_bytes()).expect("written");
    let own = failure(predict(&list).arg("--out").arg(&list), 2);
    assert!(own.contains("replace an input"), "{own}");
    let part = failure(
        predict(&at("c.jsonl.part")).args(["--input-format", "jsonl"]).arg("--out").arg(at("c.jsonl")),
        2,
    );
    assert!(part.contains("replace an input"), "{part}");
    for name in ["texts.part/mine", "a.jsonl.part", "b.jsonl.journal", "c.jsonl.part"] {
        assert_eq!(std::fs::read_to_string(at(name)).expect("there"), "mine", "{name}");
    }
    // leftovers of a run that was killed before its first complete group do not prevent a new run
    std::fs::write(at("d.jsonl.journal"), "{\"settings\":{\"version\":\"another\"}}\n").expect("written");
    std::fs::write(at("d.jsonl.part"), "half a li").expect("written");
    output(predict(&page).arg("--out").arg(at("d.jsonl")));
    assert!(at("d.jsonl").exists() && !at("d.jsonl.part").exists() && !at("d.jsonl.journal").exists());
}

#[test]
fn nobody_needs_to_listen() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = dir.path().join("page.html");
    std::fs::write(&page, html("Seite")).expect("written");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_threshr"))
        .args(["predict", "--format", "jsonl"])
        .arg(&page)
        .arg(dir.path().join("none.html"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stderr.take());
    let out = child.wait_with_output().expect("ended");
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stdout).contains("Seite"));
    let many = failure(threshr().args(["predict", "--jobs", "100000"]).arg(&page), 2);
    assert!(many.contains("1..=1024"), "{many}");
}

#[test]
fn several_pages_are_one_tei_corpus() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = dir.path().join("pages");
    std::fs::create_dir(&pages).expect("made");
    for name in ["a", "b"] {
        std::fs::write(pages.join(name).with_extension("html"), format!("<p>Page {name} of two."))
            .expect("written");
    }
    let of = |input: &Path| {
        let mut command = threshr();
        output(command.arg("predict").arg(input).args(["--system", "keep-everything", "--format", "tei"]))
    };
    let corpus = of(&pages);
    assert!(corpus.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<teiCorpus "), "{corpus}");
    assert!(corpus.ends_with("</TEI>\n</teiCorpus>\n"), "{corpus}");
    assert_eq!(corpus.matches("<TEI ").count(), 2);
    let single = of(&pages.join("a.html"));
    assert!(single.starts_with("<TEI ") && !single.contains("teiCorpus"), "{single}");
}
