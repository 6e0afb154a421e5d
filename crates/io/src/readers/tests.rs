//! Resolution of paths to inputs.

use super::*;

#[test]
fn extensions_select_readers() {
    let name = |path: &str| reader_of_file(Path::new(path)).name;
    assert_eq!(name("a/b.html"), "html");
    assert_eq!(name("-"), "html");
    assert_eq!(name("page.php"), "html");
    assert_eq!(name("CC-MAIN.WARC.GZ"), "warc");
    assert_eq!(name("a.jsonl.zst"), "jsonl");
    assert_eq!(name("a.html.gz"), "html");
    assert_eq!(name("a.arc.gz"), "arc");
    assert_eq!(name("A.MHT"), "mhtml");
    assert_eq!(stem(Path::new("x/a.warc.b")), "a.warc.b");
    assert_eq!(name("files.list"), "list");
    assert_eq!(stem(Path::new("x/a.b.warc.gz")), "a.b");
}

#[test]
fn folders_and_lists_are_replaced_in_order() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in ["b.html", "a.HTM", "x.txt", "sub/c.html", "w.warc"] {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        std::fs::write(path, "x").expect("written");
    }
    let list = dir.path().join("some.list");
    let lines = ["w.warc", "", "some.list", "none"].map(|n| dir.path().join(n).display().to_string());
    let lines = format!("\u{feff}{}\r\n", lines.join("\r\n"));
    std::fs::write(&list, [lines.as_bytes(), b"no \xff UTF-8\n"].concat()).expect("written");
    let found = sources(&[dir.path().into(), dir.path().join("none"), "-".into(), list], None).expect("read");
    let names: Vec<_> = found
        .sources
        .iter()
        .map(|s| (s.path.file_name().unwrap_or_default().to_string_lossy().into_owned(), s.reader.name))
        .collect();
    let is = |name: &str, reader| (name.to_owned(), reader);
    assert_eq!(
        names[..4],
        [is("a.HTM", "html"), is("b.html", "html"), is("c.html", "html"), is("-", "html")]
    );
    // from the list: a crawl file, the pages of the folder, a nested list read as a page, and missing pages
    assert_eq!(names[4], is("w.warc", "warc"));
    assert_eq!(names[5..8], names[..3]);
    let others = ["some.list", "none", "no \u{fffd} UTF-8"];
    assert_eq!(names[8..], others.map(|name| is(name, "html")));
    assert_eq!(found.failures.len(), 1, "{:?}", found.failures);
    let again = dir.path().join("sub/a.html");
    std::fs::write(&again, "x").expect("written");
    std::fs::write(dir.path().join("sub/c.htm"), "x").expect("written");
    let found = sources(&[dir.path().into()], None).expect("read").sources;
    let ids: Vec<_> = found.iter().map(|s| s.id.as_deref().unwrap_or("-")).collect();
    assert_eq!(ids, ["a", "-", "sub/a", "c.htm", "c.html"]);
    assert!(
        sources(&[], Some("pdf"))
            .is_err_and(|e| e.to_string().contains("html, mhtml, list, jsonl, warc, arc"))
    );
}

#[test]
fn folders_stand_for_their_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let page = b"<!DOCTYPE html><p>x".to_vec();
    let compressed = zstd::encode_all(&page[..], 1).expect("zstd");
    let files: [(&str, &[u8]); 22] = [
        ("a.php", &page),
        ("b.php", b"<?php echo 'x'; ?>"),
        ("c.xhtml", &page),
        ("d.shtml", &page),
        ("e.aspx", b"\xef\xbb\xbf<p>x"),
        ("f.mht", b"MIME-Version: 1.0\n\nx"),
        ("g", &page),
        ("h", b"no page"),
        ("i.html.zst", &compressed),
        ("j.html?x=1", &page),
        ("k", &compressed),
        ("l.png", b"\x89PNG"),
        ("m.epub", b"PK\x03\x04"),
        ("n", b"MIME-Version: 1.0\nContent-Type: text/html\n\nx"),
        ("o.jsonl.gz", b""),
        ("p", b"WARC/1.0\r\n"),
        ("q.txt", &page),
        ("c.geometry.json", b"{}"),
        ("r.jsp", b"\0\x01\x02"),
        ("._a.html", b"\0\x05\x16\x07"),
        ("en.wikipedia.org_wiki_Mill", &page),
        ("t.unknown", b"\x89\0\x01"),
    ];
    for (name, bytes) in files {
        std::fs::write(dir.path().join(name), bytes).expect("written");
    }
    let found = sources(&[dir.path().into()], None).expect("read");
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let pages: Vec<String> =
        found.sources.iter().map(|s| format!("{} {}", name(&s.path), s.reader.name)).collect();
    let expected = "a.php html, c.xhtml html, d.shtml html, e.aspx html, en.wikipedia.org_wiki_Mill html, f.mht mhtml, g html, i.html.zst html, \
        j.html?x=1 html, k html, n mhtml";
    assert_eq!(pages.join(", "), expected);
    let left_out: Vec<String> = found.left_out.iter().map(|p| name(p)).collect();
    assert_eq!(left_out, ["o.jsonl.gz", "p"]);
    let skipped: Vec<String> =
        found.skipped.iter().map(|(extension, num)| format!("{num}{extension}")).collect();
    assert_eq!(skipped, ["1", "1.epub", "1.html", "1.jsp", "1.php", "1.png", "1.txt", "1.unknown"]);
    // a file that is named explicitly is read according to its content
    let read = |name: &str| reader_of_file(&dir.path().join(name)).name;
    assert_eq!(["h", "k", "n", "p"].map(read), ["html", "html", "mhtml", "warc"]);
    let id = RawPage::at(&dir.path().join("i.html.zst")).id;
    assert_eq!(id, "i");
}

#[test]
fn addresses_are_not_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let urls = dir.path().join("urls.txt");
    std::fs::write(&urls, "https://a.example/1\r\n\nHTTP://b.example/2\n").expect("written");
    let long = dir.path().join("long");
    std::fs::write(&long, "https://a.example/page\n".repeat(1_000)).expect("written");
    let mixed = dir.path().join("some.list");
    let page = dir.path().join("a.html");
    std::fs::write(&page, "<p>x").expect("written");
    std::fs::write(&mixed, format!("{}\nhttps://a.example/3\n", page.display())).expect("written");
    let found = sources(&["https://a.example/0".into(), urls, long, mixed], None).expect("found");
    assert_eq!(found.sources.iter().map(|s| &s.path).collect::<Vec<_>>(), [&page]);
    let said: Vec<String> = found.failures.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(
        said[0]
            .contains("`curl -fsSL 'https://a.example/0' | threshr predict - --url 'https://a.example/0'`")
    );
    for (text, number) in said[1..].iter().zip([
        "urls.txt:1: the list has 2",
        "long:1: the list has 1000",
        "some.list:2: the list has an address",
    ]) {
        assert!(text.contains(number) && text.contains("wget -i"), "{text}");
    }
    // a page that begins with an address is a page
    let page = dir.path().join("page");
    std::fs::write(&page, "https://a.example/1 says\n").expect("written");
    assert_eq!(reader_of_file(&page).name, "html");
}
