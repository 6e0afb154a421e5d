//! Pipes, signals, closed outputs, linked folders, and bytes after compressed parts, as shells and batch systems
//! produce them.

use crate::support::{failure, output, threshr};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_threshr");

/// Writes a file of JSON lines with pages. Returns its content.
fn lines(path: &Path, num_pages: usize) -> String {
    let html = "<p>The ferry left the quay at seven in the morning, with passengers and flour for the mill.";
    let line = |i| format!("{}\n", serde_json::json!({"id": i, "html": html}));
    let text: String = (0..num_pages).map(line).collect();
    std::fs::write(path, &text).expect("written");
    text
}

/// Runs a shell script in a folder. `$T` is the program.
fn shell(script: &str, dir: &Path) -> std::process::Output {
    let run = Command::new("bash").args(["-c", script]).current_dir(dir).env("T", PROGRAM).output();
    run.expect("bash runs")
}

/// Starts a run that waits for pages from a pipe, until its output is begun. `before` is a command of the shell.
fn waiting(dir: &Path, before: &str) -> Child {
    let script = format!("{before}; exec \"$0\" predict - --input-format jsonl --out o.jsonl");
    let mut child = Command::new("sh")
        .args(["-c", &script, PROGRAM])
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let part = dir.join("o.jsonl.part");
    for _ in 0..1_000 {
        if part.exists() || dir.join("o.jsonl").exists() || child.try_wait().expect("asked").is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").arg(signal).arg(child.id().to_string()).status();
    assert!(sent.expect("sent").success());
}

#[test]
fn ignored_signals_stay_ignored() {
    for signal in ["HUP", "INT", "TERM"] {
        let dir = tempfile::tempdir().expect("a folder");
        let mut child = waiting(dir.path(), &format!("trap '' {signal}"));
        send(&format!("-{signal}"), &child);
        std::thread::sleep(Duration::from_millis(100));
        let pages = lines(&dir.path().join("s.jsonl"), 3);
        child.stdin.take().expect("a pipe").write_all(pages.as_bytes()).expect("written");
        assert!(child.wait().expect("ended").success(), "{signal}");
        assert_eq!(std::fs::read_to_string(dir.path().join("o.jsonl")).expect("read").lines().count(), 3);
    }
}

#[test]
fn signals_end_with_their_codes() {
    for (signal, code) in [("HUP", 129), ("INT", 130), ("TERM", 143)] {
        let dir = tempfile::tempdir().expect("a folder");
        let mut child = waiting(dir.path(), ":");
        // `wait` closes standard input, and the run would end by itself.
        let stdin = child.stdin.take();
        send(&format!("-{signal}"), &child);
        assert_eq!(child.wait().expect("ended").code(), Some(code), "{signal}");
        drop(stdin);
        assert!(!dir.path().join("o.jsonl").exists());
    }
}

#[test]
fn pipes_are_detected_like_standard_input() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = lines(&dir.path().join("s.jsonl"), 50);
    let bytes = text.as_bytes();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).expect("written");
    std::fs::write(dir.path().join("g"), gzip.finish().expect("compressed")).expect("written");
    std::fs::write(dir.path().join("z"), zstd::encode_all(bytes, 1).expect("compressed")).expect("written");
    output(
        threshr()
            .arg("predict")
            .arg(dir.path().join("s.jsonl"))
            .arg("--out")
            .arg(dir.path().join("p.parquet")),
    );
    for script in [
        "cat s.jsonl | $T predict - --format jsonl",
        "cat s.jsonl | $T predict /dev/stdin --format jsonl",
        "cat s.jsonl | $T predict /dev/fd/0 --format jsonl",
        "$T predict /dev/stdin --format jsonl < s.jsonl",
        "$T predict <(cat s.jsonl) --format jsonl",
        "$T predict <(cat g) --format jsonl",
        "$T predict <(cat z) --format jsonl",
        "$T predict <(cat s.jsonl) --format jsonl --input-format jsonl",
        "mkfifo f; cat s.jsonl > f & sleep 0.1; $T predict f --format jsonl",
        "mkfifo f.jsonl; cat s.jsonl > f.jsonl & sleep 0.1; $T predict f.jsonl --format jsonl",
        "$T predict <(cat p.parquet) --html-field text --format jsonl",
        // a writer whose first bytes show nothing
        "(printf '{'; sleep 0.2; tail -c +2 s.jsonl) | $T predict - --format jsonl",
        "$T predict <(printf '{'; sleep 0.2; tail -c +2 s.jsonl) --format jsonl",
    ] {
        let run = shell(script, dir.path());
        let (text, said) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert_eq!(text.lines().count(), 50, "{script}: {said}");
    }
    std::fs::write(dir.path().join("p.html"), "<p>The ferry left the quay at seven in the morning.")
        .expect("written");
    let whole = shell("$T predict p.html --threshold 0 --filter none", dir.path()).stdout;
    assert!(!whole.is_empty());
    for script in ["<(cat p.html)", "/dev/stdin < <(cat p.html)", "- < p.html", "<(gzip -c p.html)"] {
        let run = shell(&format!("$T predict {script} --threshold 0 --filter none"), dir.path());
        assert_eq!(run.stdout, whole, "{script}");
    }
}

#[test]
fn pipes_are_not_read_twice() {
    let dir = tempfile::tempdir().expect("a folder");
    lines(&dir.path().join("s.jsonl"), 3);
    for (script, part) in [
        ("cat s.jsonl | $T predict - /dev/stdin", "standard input is named twice"),
        ("mkfifo f; $T predict f f", "a pipe is named twice"),
        ("$T predict <(cat s.jsonl) --out o.jsonl --resume", "a pipe cannot be read again"),
        ("$T data check <(cat s.jsonl)", "a set is read more than once"),
        ("$T inspect <(cat s.jsonl)", "a pipe cannot be read again"),
    ] {
        let run = shell(script, dir.path());
        let said = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.code() == Some(2) && said.contains(part), "{script}: {said}");
    }
}

#[test]
fn lost_output_is_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    lines(&dir.path().join("s.jsonl"), 3);
    for command in [
        "predict s.jsonl",
        "predict s.jsonl --format jsonl",
        "features list",
        "systems",
        "--help",
        "--version",
    ] {
        let closed = shell(&format!("$T {command} >&-"), dir.path());
        let said = String::from_utf8_lossy(&closed.stderr);
        assert!(closed.status.code() == Some(2) && said.contains("was closed"), "{command}: {said}");
        if Path::new("/dev/full").exists() {
            let full = shell(&format!("$T {command} >/dev/full"), dir.path());
            assert_eq!(full.status.code(), Some(2), "{command}");
        }
        for fine in ["| head -c 1", "> /dev/null", "<&-", "1<>/dev/null"] {
            let run = shell(&format!("set -o pipefail; $T {command} {fine}"), dir.path());
            assert_eq!(run.status.code(), Some(0), "{command} {fine}");
        }
    }
    // nothing is written to standard output
    assert!(shell("$T predict s.jsonl --out o.jsonl >&-", dir.path()).status.success());
}

#[test]
fn linked_folders_are_read_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = "<p>The ferry left the quay at seven in the morning, with flour for the mill.";
    for name in ["in/a.html", "real/b.html", "real/c.html"] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, page).expect("written");
    }
    let links = "ln -s ../real in/linked; ln -s ../real in/twice; ln -s . in/self; ln -s b.html real/d.html;\
                 ln -s .. in/up; ln -s nowhere in/gone.html";
    shell(links, dir.path());
    let run = threshr().args(["predict", "--format", "jsonl"]).arg(dir.path().join("in")).assert().success();
    let (text, said) = (run.get_output().stdout.clone(), run.get_output().stderr.clone());
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(String::from_utf8_lossy(&text).lines().count(), 4, "{said}");
    assert!(said.contains("1 files in folders are not pages: 1 whose target does not exist"), "{said}");
    // nothing is written into a folder that is read by a link
    let out = dir.path().join("real/b.html");
    let error =
        failure(threshr().arg("predict").arg(dir.path().join("in")).arg("--force").arg("--out").arg(&out), 2);
    assert!(error.contains("would replace an input"), "{error}");
}

#[test]
fn bytes_after_the_last_compressed_part_are_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let pages = lines(&dir.path().join("s.jsonl"), 3);
    let page = b"<p>The ferry left the quay at seven in the morning, with flour for the mill.";
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: text/html\r\n\
         Content-Length: {}\r\n\r\n{}\r\n\r\n",
        page.len(),
        String::from_utf8_lossy(page)
    );
    let gzip = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).expect("written");
        gzip.finish().expect("compressed")
    };
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).expect("compressed");
    for (name, content, num_pages, code) in [
        ("a.jsonl", pages.as_bytes(), 3, 2),
        ("a.warc", warc.as_bytes(), 1, 2),
        // the page is there, and may be incomplete
        ("a.html", &page[..], 1, 0),
    ] {
        for (ending, compressed) in [("gz", gzip(content)), ("zst", zstd(content))] {
            let path = dir.path().join(format!("{name}.{ending}"));
            let run = |after: &[u8], code: i32| {
                std::fs::write(&path, [&compressed[..], after].concat()).expect("written");
                let run = threshr().args(["predict", "--format", "jsonl"]).arg(&path).assert().code(code);
                let text = String::from_utf8_lossy(&run.get_output().stdout).into_owned();
                let num = text.lines().filter(|line| line.contains("ferry")).count();
                assert_eq!(num, num_pages, "{name}.{ending}: {text}");
                String::from_utf8_lossy(&run.get_output().stderr).into_owned()
            };
            let said = run(content, code);
            let told = format!("{} bytes after the last ", content.len());
            assert_eq!(said.matches(&told).count(), 1, "{name}.{ending}: {said}");
            assert!(said.contains(&format!("{name}.{ending}")), "{said}");
            // padding
            assert!(!run(b"\0\0\0\r\n", 0).contains("after the last"), "{name}.{ending}");
        }
    }
}

#[test]
fn a_pipe_that_ends_inside_a_record_gives_no_output() {
    let dir = tempfile::tempdir().expect("a folder");
    lines(&dir.path().join("s.jsonl"), 50);
    let html = "<p>The ferry left the quay at seven in the morning, with passengers and flour for the mill.";
    let record = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: text/html\r\n\
         Content-Length: {}\r\n\r\n{html}\r\n\r\n",
        html.len()
    );
    std::fs::write(dir.path().join("a.warc"), record.repeat(50)).expect("written");
    assert!(shell("gzip -k a.warc s.jsonl", dir.path()).status.success());
    for (file, format) in [("a.warc", "warc"), ("a.warc.gz", "warc"), ("s.jsonl.gz", "jsonl")] {
        let size = std::fs::metadata(dir.path().join(file)).expect("there").len();
        let predict = format!("$T predict - --input-format {format} --out o.jsonl");
        let whole = shell(&format!("cat {file} | {predict}"), dir.path());
        assert!(whole.status.success(), "{file}: {}", String::from_utf8_lossy(&whole.stderr));
        let text = std::fs::read_to_string(dir.path().join("o.jsonl")).expect("read");
        assert_eq!(text.lines().count(), 50, "{file}");
        std::fs::remove_file(dir.path().join("o.jsonl")).expect("removed");
        for num_bytes in [size - 15, size / 2 + 1] {
            let cut = shell(&format!("head -c {num_bytes} {file} | {predict}"), dir.path());
            let said = String::from_utf8_lossy(&cut.stderr).into_owned();
            assert!(
                cut.status.code() == Some(2) && said.contains("the input ends too early"),
                "{file}: {said}"
            );
            let left = std::fs::read_dir(dir.path()).expect("listed").flatten();
            let left: Vec<_> = left
                .map(|entry| entry.file_name())
                .filter(|n| n.to_string_lossy().starts_with('o'))
                .collect();
            assert!(left.is_empty(), "{file}: {left:?}");
        }
    }
    let empty = shell("$T predict - --input-format warc --out o.parquet </dev/null", dir.path());
    assert!(empty.status.code() == Some(2) && !dir.path().join("o.parquet").exists());
}
