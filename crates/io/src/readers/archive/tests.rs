//! Intact and corrupt archives.

use super::*;
use std::io::Write;
use std::sync::Arc;

fn record(id: &str, kind: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Target-URI: http://a/{id}\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype={kind}\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

fn response(id: &str) -> String {
    record(
        id,
        "response",
        &format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\n\r\n<p>{id}"),
    )
}

fn member(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).expect("written");
    encoder.finish().expect("finished")
}

/// Ids of pages, with `?` if a page has a defect. `!` stands for failures, `-` for skipped records.
fn read(bytes: &[u8]) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.warc");
    std::fs::write(&path, bytes).expect("written");
    let mut pages = WARC.open_path(&path, &Default::default(), &Arc::default()).expect("opened");
    let mut seen = Vec::new();
    while let Some(item) = pages.next().expect("read") {
        seen.push(match item {
            Item::Page(page) => {
                assert_eq!(page.url, Some(format!("http://a/{}", page.id)));
                let (id, charset) = (page.id.clone(), page.charset.clone());
                let loaded = page.load(None).expect("a page");
                assert_eq!(loaded.bytes.trim_ascii_end(), format!("<p>{id}").as_bytes());
                assert_eq!(charset.as_deref(), Some("koi8-r"));
                if loaded.defect.is_some() { id + "?" } else { id }
            }
            Item::Failed(unread) => {
                let text = unread.error.to_string();
                assert!(text.contains("x.warc") && text.contains("byte "), "{text}");
                "!".to_owned()
            }
            Item::Skipped(_) => "-".to_owned(),
        });
    }
    seen.join(" ")
}

#[test]
fn html_responses_are_read() {
    let all = [
        record("i", "warcinfo", "software: x"),
        response("a"),
        record("q", "request", "GET / HTTP/1.1\r\n\r\n"),
        record("n", "response", "HTTP/1.1 404 Not Found\r\n\r\n<p>no"),
        record("j", "response", "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<p>"),
        response("b"),
    ];
    assert_eq!(read(all.concat().as_bytes()), "a - - b");
    let members: Vec<u8> = all.iter().flat_map(|r| member(r)).collect();
    assert_eq!(read(&members), "a - - b");
    assert_eq!(read(&member(&all.concat())), "a - - b");
    assert_eq!(read(&zstd::encode_all(all.concat().as_bytes(), 1).expect("zstd")), "a - - b");
    assert_eq!(read(b""), "!");
    assert_eq!(read(&member("")), "!");
    // a response without a content type is read; a resource that may not be a page is skipped
    let untyped = response("a").replace("Content-Type: application/http; msgtype=response\r\n", "");
    assert_eq!(read([untyped, record("r", "resource", "Text."), response("b")].concat().as_bytes()), "a - b");
    // files of pzstd start with a skippable frame
    let frame = zstd::encode_all(response("a").as_bytes(), 1).expect("zstd");
    assert_eq!(read(&[b"\x50\x2a\x4d\x18\x04\0\0\0size", &frame[..]].concat()), "a");
    // nothing after a truncated frame can be decompressed, so there is one error
    let compressed = zstd::encode_all(all.concat().as_bytes(), 1).expect("zstd");
    assert_eq!(read(&compressed[..compressed.len() - 9]).matches('!').count(), 1);
}

#[test]
fn one_line_end_between_records_is_enough() {
    for line_end in ["\r\n", "\n", ""] {
        let all = ["a", "b", "c"].map(|id| response(id).trim_end().to_owned() + line_end).concat();
        assert_eq!(read(all.as_bytes()), "a b c", "{line_end:?}");
    }
}

#[test]
fn damage_loses_one_record() {
    let (a, b, c) = (response("a"), response("b"), response("c"));
    let change = |from: &str, to: &str| b.replace(from, to);
    let length = format!(
        "Content-Length: {}",
        b.split("\r\n\r\n").skip(1).collect::<Vec<_>>().join("\r\n\r\n").len() - 4
    );
    assert!(b.contains(&length), "{b}");
    let one_more = |more: i64| {
        let number: i64 = length[16..].parse().expect("a number");
        format!("Content-Length: {}", number + more)
    };
    for (name, broken, expected) in [
        ("too long", change(&length, "Content-Length: 300"), "b?"),
        ("far too long", change(&length, "Content-Length: 60000000"), "b?"),
        ("too short", change(&length, "Content-Length: 20"), "b?"),
        ("negative", change(&length, "Content-Length: -1"), "b?"),
        ("none", change(&length, "X: y"), "b?"),
        ("no http", change("HTTP/1.1", "GARBAGE"), "!"),
        ("garbage", "garbage\r\nmore WARC/1.0 garbage\r\n\r\n".to_owned(), "!"),
        ("cut head", b[..40].to_owned(), "!"),
        ("cut line", b[..4].to_owned(), "!"),
        ("one too long", change(&length, &one_more(1)), "b"),
        ("two too long", change(&length, &one_more(2)), "b"),
        ("one too short", change(&length, &one_more(-1)), "b?"),
    ] {
        for version in ["WARC/1.0", "WARC/1.1", "WARC/0.18", "WARC/0.17"] {
            let [a, broken, c] =
                [&a, &broken, &c].map(|text| text.replace("WARC/1.0\r\nWARC", &format!("{version}\r\nWARC")));
            let expected = format!("a {expected} c");
            assert_eq!(read([&a[..], &broken, &c].concat().as_bytes()), expected, "{name}");
            assert_eq!(
                read(&[member(&a), member(&broken), member(&c)].concat()),
                expected,
                "{name}, in members"
            );
            assert_eq!(read(&member(&[&a[..], &broken, &c].concat())), expected, "{name}, in one member");
        }
    }
    // records inside a wrong length are not lost
    let far = change(&length, "Content-Length: 60000000");
    let cut = &member(&b)[..member(&b).len() / 2];
    let many: Vec<u8> = (0..50).flat_map(|_| member(&a)).collect();
    let read_over = read(&[&member(&far)[..], &many, cut, &member(&c)].concat());
    assert_eq!(read_over, format!("b?{} ! c", " a".repeat(50)));
    let huge = change("Content-Length: ", "Content-Length: 9999999");
    assert_eq!(read([&a[..], &huge, &c].concat().as_bytes()), "a b? c");
    let (zipped, cut) = ([member(&a), member(&b), member(&c)].concat(), member(&b).len() / 2);
    let start = member(&a).len();
    let without = [&zipped[..start + cut], &zipped[start + member(&b).len()..]].concat();
    assert_eq!(read(&without), "a ! c");
    let mut flipped = zipped.clone();
    flipped[start + member(&b).len() - 5] ^= 0x40;
    assert_eq!(read(&flipped), "a ! c", "a wrong checksum");
    assert_eq!(read(&zipped[..zipped.len() - 20]), "a b !");
    assert_eq!(read(&[a.as_bytes(), &b.as_bytes()[..b.len() - 9]].concat()), "a !");
}

/// A file can be truncated at any byte. A truncation between records cannot be detected. All other
/// truncations must be reported.
#[test]
fn a_file_that_is_cut_anywhere_is_reported() {
    let records = [
        record("i", "warcinfo", "software: x"),
        record("q", "request", "GET / HTTP/1.1\r\n\r\n"),
        record("n", "response", "HTTP/1.1 404 Not Found\r\n\r\n<p>no"),
        record("r", "revisit", "HTTP/1.1 200 OK\r\n\r\n"),
        response("a"),
        record("m", "metadata", "fetchTimeMs: 20"),
    ];
    let plain: Vec<Vec<u8>> = records.iter().map(|r| r.clone().into_bytes()).collect();
    let members: Vec<Vec<u8>> = records.iter().map(|r| member(r)).collect();
    let frames = records.iter().map(|r| zstd::encode_all(r.as_bytes(), 1).expect("zstd")).collect();
    // an uncompressed record is complete without the empty line after it
    for (name, parts, closing) in [("plain", plain, 4), ("gzip", members, 0), ("zstd", frames, 0)] {
        let bytes = parts.concat();
        let mut end = 0;
        let ends: Vec<usize> = parts.iter().map(|p| (end += p.len(), end).1).collect();
        for cut in 0..bytes.len() {
            let is_whole = cut > 0 && ends.iter().any(|end| (end - closing..=*end).contains(&cut));
            let seen = read_cut(&bytes[..cut]);
            assert_eq!(seen.contains(['!', '?']), !is_whole, "{name} cut at {cut}: {seen}");
        }
    }
}

/// As [`read`], for a file whose last page may be truncated.
fn read_cut(bytes: &[u8]) -> String {
    let found = texts("x.warc", bytes);
    let mark = |text: &String| match text {
        text if text.contains("x.warc") => "!",
        text if text.contains("missing") => "?",
        _ => "a",
    };
    found.iter().map(mark).collect()
}

#[test]
fn a_cut_long_record_is_reported() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n";
    let lines = "WARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 70000000";
    let video = format!("WARC/1.0\r\n{lines}\r\n\r\n{head}{}", "\0".repeat(7_000_000));
    let seen = texts("x.warc", video.as_bytes());
    assert!(seen.len() == 1 && seen[0].contains("the end of the record is missing"), "{seen:?}");
    let compressed = member(&video);
    let seen = texts("x.warc.gz", &compressed[..compressed.len() - 5]);
    assert!(seen.len() == 1 && seen[0].contains("corrupt"), "{seen:?}");
}

#[test]
fn too_large_lengths_are_defects() {
    let huge = response("a").replacen("Content-Length: ", "Content-Length: 9", 1);
    assert_eq!(read(huge.replace("Content-Length: 9", "Content-Length: 99999999999999").as_bytes()), "a?");
}

/// Text of each page, and the error or reason of each other item.
fn texts(name: &str, bytes: &[u8]) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let mut pages = WARC.open_path(&path, &Default::default(), &Arc::default()).expect("opened");
    let mut seen = Vec::new();
    while let Some(item) = pages.next().expect("read") {
        seen.push(match item {
            Item::Page(page) => {
                let place = format!(
                    "{} {} ",
                    page.url.as_deref().unwrap_or("-"),
                    page.date.as_deref().unwrap_or("-")
                );
                let loaded = page.load(None).expect("a page");
                let defect = loaded.defect.map(|e| format!(" {e}")).unwrap_or_default();
                place + &String::from_utf8_lossy(&loaded.bytes) + &defect
            }
            Item::Failed(unread) => unread.error.to_string(),
            Item::Skipped(why) => why.to_owned(),
        });
    }
    seen
}

/// A record with additional header lines.
fn with_head(lines: &str, block: &str) -> String {
    format!("WARC/1.0\r\n{lines}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len())
}

#[test]
fn a_length_near_the_greatest_number_is_a_missing_end() {
    for length in [u64::MAX, u64::MAX - 67] {
        let bytes = format!("WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: {length}\r\n\r\nText.");
        let seen = texts("x.warc", bytes.as_bytes());
        assert!(seen.len() == 1 && seen[0].contains("the end of the record is missing"), "{seen:?}");
    }
}

#[test]
fn pages_without_an_http_head_are_read() {
    for (lines, block, expected) in [
        ("WARC-Type: resource\r\nContent-Type: text/html; charset=utf-8", "Text.", "- - Text."),
        ("WARC-Type: response\r\nContent-Type: text/html", "<p>x", "- - <p>x"),
        ("WARC-Type: resource\r\nContent-Type: application/xhtml+xml", "<p>x", "- - <p>x"),
        ("WARC-Type: resource\r\nWARC-Identified-Payload-Type: text/html", "<p>x", "- - <p>x"),
        ("WARC-Type: resource", "<!DOCTYPE html><p>x", "- - <!DOCTYPE html><p>x"),
        ("WARC-Type: response\r\nContent-Type: application/http", "<html><p>x", "- - <html><p>x"),
        ("WARC-Type: resource\r\nContent-Type: image/png", "<p>x", "not HTML"),
        ("WARC-Type: conversion\r\nContent-Type: text/plain", "Text.", "conversions of other records"),
        (
            "WARC-Type: revisit\r\nContent-Type: application/http",
            "HTTP/1.1 200 OK\r\n\r\n",
            "revisits of other records",
        ),
    ] {
        assert_eq!(texts("x.warc", with_head(lines, block).as_bytes()), [expected], "{lines}");
    }
}

#[test]
fn the_type_of_a_response_may_be_found_in_its_bytes() {
    let http = "WARC-Type: response\r\nContent-Type: application/http";
    for (lines, media_type, body, expected) in [
        ("", "unk", "<html>x", true),
        ("", "unk", "Text.", false),
        ("WARC-Identified-Payload-Type: text/html\r\n", "unk", "Text.", true),
        ("WARC-Identified-Payload-Type: application/xhtml+xml\r\n", "text/plain", "Text.", true),
        ("WARC-Identified-Payload-Type: application/pdf\r\n", "text/html", "Text.", false),
        ("WARC-Identified-Payload-Type: text/plain\r\n", "text/html", "Text.", true),
        ("", "video/mp4", "<html>x", false),
    ] {
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{body}");
        let seen = texts("x.warc", with_head(&format!("{lines}{http}"), &block).as_bytes());
        let page = format!("- - {body}");
        assert_eq!(seen, [if expected { page.as_str() } else { "not HTML" }], "{lines} {media_type}");
    }
}

#[test]
fn large_media_are_no_failed_pages() {
    let page = response("a");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n";
    let lines = "WARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: 70000000";
    let video = format!("WARC/1.0\r\n{lines}\r\n\r\n{head}{}\r\n\r\n", "\0".repeat(70_000_000 - head.len()));
    assert_eq!(read([&page[..], &video, &page].concat().as_bytes()), "a - a");
    let html = video.replace("video/mp4", "text/html");
    let seen = texts("x.warc", html.as_bytes());
    assert!(
        seen.len() == 1 && seen[0].contains("too long") && seen[0].contains("record 1, byte 0"),
        "{seen:?}"
    );
}

fn arc_record(url: &str, more: &str, block: &str) -> String {
    format!("{url} 1.2.3.4 20080131123059 text/html{more} {}\n{block}\n", block.len())
}

#[test]
fn arc_files_are_read() {
    let about = |version: u32| {
        let block = format!("{version} 0 x\nURL IP-address Archive-date Content-type Archive-length\n");
        format!("filedesc://x.arc 0.0.0.0 20080131123059 text/plain {}\n{block}\n", block.len())
    };
    let http = |text: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}");
    for (version, more) in [(1, ""), (2, " 200 fac069 - 1209 x.arc")] {
        let records = [
            about(version),
            arc_record("http://a/", more, &http("a")),
            arc_record("http://b/", more, "<html>no head"),
            arc_record("http://c/", more, &http("c").replace("200", "404")),
            "dns:d 1.2.3.4 20080131123059 text/dns 4\nname\n".to_owned(),
            arc_record("http://e/?x=a b", more, &http("e")),
        ];
        let expected = [
            "http://a/ 2008-01-31T12:30:59Z <p>a",
            "http://b/ 2008-01-31T12:30:59Z <html>no head",
            "status other than 2xx",
            "not HTML",
            "http://e/?x=a b 2008-01-31T12:30:59Z <p>e",
        ];
        assert_eq!(texts("x.arc", records.concat().as_bytes()), expected);
        let members: Vec<u8> = records.iter().flat_map(|r| member(r)).collect();
        assert_eq!(texts("x.arc.gz", &members), expected);
        assert_eq!(texts("x.arc.gz", &member(&records.concat())), expected);
        // a wrong length, and garbage between records
        let wrong = records.concat().replacen(&format!(" {}\nHTTP", http("a").len()), " 900\nHTTP", 1);
        let seen = texts("x.arc", wrong.as_bytes());
        assert!(seen[0].starts_with("http://a/") && seen[0].contains("the length of the record"), "{seen:?}");
        assert_eq!(seen[1..], expected[1..]);
        let garbage = [&records[0], &records[1], "garbage\ngarbage\n\n", &records[2], &records[5]].concat();
        let seen = texts("x.arc", garbage.as_bytes());
        assert!(seen.len() == 3 && seen[0].contains("the length of the record"), "{seen:?}");
        let cut = [member(&records[0]), member(&records[1])[..60].to_vec(), member(&records[5])].concat();
        let seen = texts("x.arc.gz", &cut);
        assert!(seen.len() == 2 && seen[1] == expected[4], "{seen:?}");
    }
}

#[test]
fn a_damaged_frame_loses_one_record() {
    let frames: Vec<Vec<u8>> = ["a", "b", "c"]
        .iter()
        .map(|id| zstd::encode_all(response(id).as_bytes(), 1).expect("zstd"))
        .collect();
    assert_eq!(read(&frames.concat()), "a b c");
    let cut = [&frames[0][..], &frames[1][..frames[1].len() / 2], &frames[2]].concat();
    assert_eq!(read(&cut), "a ! c");
    let mut first = frames.concat();
    first[8] ^= 0xff;
    assert!(read(&first).ends_with("b c"), "{}", read(&first));
}

#[test]
fn a_cut_body_is_a_page_with_a_defect() {
    let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<p>a\r\n9\r\nb c";
    let lines = "WARC-Type: response\r\nContent-Type: application/http";
    let seen = texts("x.warc", with_head(lines, chunked).as_bytes());
    assert!(seen.len() == 1 && seen[0].starts_with("- - <p>ab c the chunked body is truncated"), "{seen:?}");
}

#[test]
fn the_last_page_of_a_cut_file_is_read() {
    // random text is hard to compress, so the truncation is inside the last page
    let mut random = 7u32;
    let mut letter = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (random >> 24) as u8 % 26)
    };
    let page = |text: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{text}");
    let long: String = (0..400_000).map(|_| letter()).collect();
    let all = [record("a", "response", &page("x")), record("b", "response", &page(&long))].concat();
    let gzip = member(&all);
    let zstd = zstd::encode_all(all.as_bytes(), 1).expect("zstd");
    let members = [member(&response("a")), member(&record("b", "response", &page(&long)))].concat();
    for (name, bytes) in [("plain", all.as_bytes()), ("gz", &gzip), ("members", &members), ("zst", &zstd)] {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("x.warc");
        std::fs::write(&path, &bytes[..bytes.len() - 4_000]).expect("written");
        let mut pages = WARC.open_path(&path, &Default::default(), &Arc::default()).expect("opened");
        let mut seen = Vec::new();
        while let Some(item) = pages.next().expect("read") {
            match item {
                Item::Page(page) => {
                    let (id, loaded) = (page.id.clone(), page.load(None).expect("a page"));
                    let defect = loaded.defect.map(|e| e.with_causes()).unwrap_or_default();
                    seen.push((id, loaded.bytes.len(), defect));
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        let [(first, _, no), (last, length, defect)] = &seen[..] else { panic!("{name}: {seen:?}") };
        assert!(first == "a" && last == "b" && no.is_empty(), "{name}: {seen:?}");
        assert!(*length > 100_000, "{name}: {length}");
        assert!(defect.contains("the end of the record is missing"), "{name}: {defect}");
    }
}

#[test]
fn a_part_that_runs_into_the_next_is_not_read() {
    let members: Vec<Vec<u8>> = ["a", "b", "c"].map(|id| member(&response(id))).to_vec();
    let frames: Vec<Vec<u8>> =
        ["a", "b", "c"].map(|id| zstd::encode_all(response(id).as_bytes(), 1).expect("zstd")).to_vec();
    for parts in [members, frames] {
        for cut in 1..parts[1].len() {
            let bytes = [&parts[0][..], &parts[1][..cut], &parts[2]].concat();
            let seen = read(&bytes);
            let pages: Vec<&str> = seen.split(' ').filter(|id| *id != "!").collect();
            assert!(pages == ["a", "c"] && seen.contains('!'), "{cut} of {}: {seen}", parts[1].len());
        }
    }
}

#[test]
fn marks_and_small_letters_are_read() {
    let all = format!("\u{feff}{}{}", response("a"), response("b"));
    assert_eq!(read(all.as_bytes()), "a b");
    assert_eq!(read(all.replace("WARC/1.0", "warc/1.0").as_bytes()), "a b");
    let torn = [response("a"), response("b")].concat().replace("WARC/1.0", "warc/1.0");
    assert_eq!(read(torn.replacen("Content-Length: ", "Content-Length: 9", 1).as_bytes()), "a? b");
}

/// Returns bytes, then an error.
struct Failing(std::io::Cursor<Vec<u8>>);

impl std::io::Read for Failing {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(out)? {
            0 => Err(std::io::Error::other("no answer")),
            num_bytes => Ok(num_bytes),
        }
    }
}

#[test]
fn a_source_that_fails_ends_the_input() {
    let plain = [response("a"), response("b"), response("c")].concat();
    let packed = [member(&response("a")), member(&response("b")), member(&response("c"))].concat();
    let framed = zstd::encode_all(plain.as_bytes(), 1).expect("compressed");
    for (bytes, num_lost) in [(plain.into_bytes(), 20), (packed, 20), (framed, 5)] {
        let bytes = bytes[..bytes.len() - num_lost].to_vec();
        let stream = Box::new(Failing(std::io::Cursor::new(bytes)));
        let name = std::path::Path::new("s3://bucket/x.warc");
        let mut pages = crate::readers::open_stream(name, stream, None, &crate::readers::Fields::default())
            .expect("opened");
        let mut ids = Vec::new();
        let error = loop {
            match pages.next() {
                Ok(Some(Item::Page(page))) => ids.push(page.id),
                Ok(other) => unreachable!("{other:?}"),
                Err(error) => break error,
            }
        };
        assert!(
            ids.len() <= 2 && ["a", "b"].starts_with(&ids.iter().map(String::as_str).collect::<Vec<_>>())
        );
        assert_eq!(error.kind, ErrorKind::Io);
        let text = error.with_causes();
        assert!(text.starts_with("s3://bucket/x.warc: ") && text.ends_with("no answer"), "{text}");
    }
}
