//! Hostile pages and decompression bombs, each processed with a memory limit.
//!
//! `ulimit -d` limits the heap, the stacks and other private memory of a process. If an allocation exceeds
//! the limit, the process is ended by a signal. `notebooks-free-scripts/memory.py` measures more pages.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const MB: usize = 1_000_000;
/// Maximum memory: for each byte of a page, and for the program itself.
const BYTES_PER_BYTE: usize = 80;
const BYTES_OF_PROGRAM: usize = 30 * MB;

/// Runs `threshr predict` on a file with a memory limit in bytes.
fn predict_within(memory: usize, input: &Path, options: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("ulimit -d {}; exec \"$0\" \"$@\"", memory / 1024));
    command.arg(env!("CARGO_BIN_EXE_threshr")).arg("predict").arg(input);
    command.args(["--out", "-", "--jobs", "1", "--model", "default"]);
    command.args(options).output().expect("sh runs")
}

fn file(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

/// Returns a page of `num_bytes` bytes that starts with `before` and repeats `piece`.
fn repeated(before: &str, piece: &str, num_bytes: usize) -> String {
    let mut page = before.to_owned();
    let mut number = 0;
    while page.len() < num_bytes {
        page.push_str(&piece.replace("{}", &format!("{number:x}")));
        number += 1;
    }
    page
}

/// Returns pages that need much memory, each as its start and the text that is repeated.
fn pages() -> Vec<(String, &'static str)> {
    let attributes: String = (0..9).map(|i| format!("a{i}=1 ")).collect();
    let marked: String = (0..99).map(|i| format!("<b id={i} {attributes}>")).collect();
    vec![
        (String::new(), "<p>x"),
        ("<div>".repeat(500), "<p>x"),
        ("<table>".to_owned(), "<td>x"),
        (String::new(), "<b><p></b>x"),
        ("<b><i><u><s><em><tt><big><code><font><nobr><small><strong>".to_owned(), "<p>x"),
        (marked, "<p>x"),
        (String::new(), "<a href=x>y</a> "),
        (String::new(), "<p class={}>w{}"),
        (String::new(), "<figure><img src=x><figcaption>y</figcaption></figure>"),
        (String::new(), "$x$ "),
        (String::new(), "x<!---->"),
        (String::new(), "<hr>"),
        (String::new(), "\\(x\\)"),
        (String::new(), "<p><img src=a>"),
    ]
}

#[test]
fn a_page_takes_at_most_eighty_times_its_bytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let formats: [&[&str]; 2] = [
        &["--format", "jsonl", "--units", "--metadata", "--markdown", "--page-seconds", "0"],
        &["--format", "tei", "--page-seconds", "0"],
    ];
    for (before, piece) in pages() {
        let page = file(dir.path(), "page.html", repeated(&before, piece, MB).as_bytes());
        for format in formats {
            let out = predict_within(BYTES_PER_BYTE * MB + BYTES_OF_PROGRAM, &page, format);
            let error = String::from_utf8_lossy(&out.stderr);
            assert_eq!(out.status.code(), Some(0), "{piece} {}: {error}", format[1]);
        }
    }
}

#[test]
fn the_limit_of_memory_is_enforced() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = file(dir.path(), "page.html", repeated("", "<p>x", MB).as_bytes());
    let out = predict_within(4_000 * MB, &page, &["--page-memory", "8"]);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains("MB of memory; expected at most 8.0 MB (option: --page-memory)"), "{error}");
    let small = file(dir.path(), "small.html", b"<p>It rained all day, and nobody went out.");
    assert_eq!(predict_within(4_000 * MB, &small, &["--page-memory", "8"]).status.code(), Some(0));
}

/// Compresses `num_mb` megabytes of one repeated byte, with other bytes before and after them.
fn bomb(before: &[u8], num_mb: usize, behind: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(before).expect("written");
    for _ in 0..num_mb {
        gzip.write_all(&[b'x'; MB]).expect("written");
    }
    gzip.write_all(behind).expect("written");
    gzip.finish().expect("written")
}

fn record(number: usize, encoding: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{encoding}\r\n");
    let mut out = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.b/{number}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}",
        head.len() + body.len()
    )
    .into_bytes();
    out.extend(body);
    out.extend(b"\r\n\r\n");
    out
}

#[test]
fn decompression_bombs_cost_no_more_than_the_limits() {
    let dir = tempfile::tempdir().expect("a folder");
    let num_mb = 400;
    let compressed = bomb(b"", num_mb, b"");
    let twice = {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&compressed).expect("written");
        gzip.finish().expect("written")
    };
    let zstd = zstd::encode_all(std::io::repeat(b'x').take((num_mb * MB) as u64), 1).expect("compressed");
    let page = b"<p>This page comes after the bomb, and it is read.";
    let archive = [
        record(1, "Content-Encoding: gzip\r\n", &compressed),
        record(2, "Content-Encoding: gzip, gzip\r\n", &twice),
        record(3, "Content-Encoding: zstd\r\n", &zstd),
        record(4, "", page),
    ]
    .concat();
    let head = record(1, "", b"");
    let head = String::from_utf8_lossy(&head).replace("Content-Length: ", "Content-Length: 999");
    let inputs = [
        (file(dir.path(), "bodies.warc", &archive), 100 * MB, true),
        (file(dir.path(), "record.warc.gz", &bomb(head.as_bytes(), num_mb, b"")), 100 * MB, false),
        (file(dir.path(), "page.html.gz", &compressed), 100 * MB, false),
        (file(dir.path(), "line.jsonl.gz", &bomb(b"{\"html\":\"", num_mb, b"\"}\n")), 600 * MB, false),
    ];
    for (input, memory, reads_last) in inputs {
        let started = Instant::now();
        let out = predict_within(memory, &input, &[]);
        let (text, error) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        let name = input.display();
        assert_eq!(out.status.code(), Some(2), "{name}: {error}");
        assert!(text.contains("it is read") == reads_last, "{name}: {text} {error}");
        assert!(started.elapsed() < Duration::from_secs(30), "{name} took {:?}", started.elapsed());
    }
}
