use super::*;
use std::io::Write;
use std::sync::Arc;

/// Ids of pages, with `!` for failures.
fn read(name: &str, bytes: &[u8]) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).expect("written");
    let mut pages = READER.open_path(&path, &Fields::default(), &Arc::default()).expect("opened");
    let mut seen = Vec::new();
    loop {
        match pages.next() {
            Ok(Some(Item::Page(page))) => seen.push(page.id),
            Ok(Some(Item::Failed(_))) => seen.push("!".to_owned()),
            Ok(Some(Item::Skipped(why))) => seen.push(why.to_owned()),
            Ok(None) => return seen.join(" "),
            Err(_) => return seen.join(" ") + " stopped",
        }
    }
}

#[test]
fn damage_loses_only_damaged_lines() {
    let line = |id: u32| format!("{{\"id\":{id},\"html\":\"<p>{id}\"}}\n");
    let member = |ids: std::ops::Range<u32>| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(ids.map(line).collect::<String>().as_bytes()).expect("written");
        gzip.finish().expect("finished")
    };
    let members = [member(0..3), member(3..200), member(200..203)];
    let cut = [&members[0], &members[1][..members[1].len() / 2], &members[2][..]].concat();
    let seen = read("x.jsonl.gz", &cut);
    assert!(seen.starts_with("0 1 2 ") && seen.ends_with(" ! 200 201 202"), "{seen}");
    let end = [&members[0], &members[2][..members[2].len() - 12]].concat();
    assert!(read("x.jsonl.gz", &end).ends_with(" !"));
    assert_eq!(read("x.jsonl", format!("\u{feff}{}", line(7)).as_bytes()), "7");
    let bad = [b"{\"html\":\"\xff\"}\n\0\n".as_slice(), "[".repeat(9_999).as_bytes(), b"\n{}\n"].concat();
    assert_eq!(read("x.jsonl", &[&bad[..], line(8).as_bytes()].concat()), "! ! ! ! 8");
    let unread = [b"{\"raw\":\"\xff\",\"id\":9,\"html\":\"<p>9\"}\n".as_slice(), line(8).as_bytes()].concat();
    assert_eq!(read("x.jsonl", &unread), "9 8", "a bad value that is not read");
    let zstd = zstd::encode_all((0..9).map(line).collect::<String>().as_bytes(), 1).expect("zstd");
    assert!(read("x.jsonl.zst", &zstd[..zstd.len() - 5]).ends_with('!'));
}

#[test]
fn arrays_and_objects_over_lines_are_records() {
    let page = |id: u32| format!("{{\"id\": {id}, \"html\": \"<p>[{id}],\\n{{\"}}");
    let pretty = |id: u32| format!("{{\n  \"id\": {id},\n  \"html\": \"<p>[{id}],\\n{{\"\n}}");
    let pages = [page(1), page(2)];
    let array = format!("\u{feff}[{}]", pages.join(","));
    let spread = format!("[\n{}\n]\n", [pretty(1), pretty(2)].join(",\n"));
    for text in [&array, &spread, &format!("\n [ {} ] ", pages.join("\n,\n")), &pretty(1)] {
        let expected = if text.starts_with('{') { "1" } else { "1 2" };
        assert_eq!(read("x.json", text.as_bytes()), expected, "{text}");
        let compressed = zstd::encode_all(text.as_bytes(), 1).expect("zstd");
        assert_eq!(read("x.jsonl.zst", &compressed), expected, "{text}");
    }
    assert_eq!(read("x.json", b"[{\"html\": \"a\"}, 5, {\"html\": \"b\"}]"), "x.json:1 ! x.json:3");
    assert_eq!(read("x.json", &array.as_bytes()[..array.len() - 9]), "1 !");
    assert_eq!(read("x.json", b"[]"), "");
    // a truncated first line is not the start of an object that spans several lines
    assert_eq!(read("x.jsonl", format!("{{\"id\": 1,\n{}\n", page(2)).as_bytes()), "! 2");
    let wide: Vec<u8> = array.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let dir = tempfile::tempdir().expect("a folder");
    for (name, bytes) in [("a.jsonl", &wide[..]), ("b.jsonl", &wide[2..])] {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let error = READER.open_path(&path, &Fields::default(), &Arc::default()).err().expect("refused");
        assert!(error.to_string().contains("UTF-16") && error.to_string().contains("iconv"), "{error}");
    }
}

#[test]
fn a_chosen_field_that_no_line_has_is_one_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.jsonl");
    let line = |i: usize| format!("{{\"html\": \"<p>x\", \"name\": {i}, \"when\": \"2026\"}}\n");
    for num_lines in [1, 3, 5_000] {
        std::fs::write(&path, (0..num_lines).map(line).collect::<String>()).expect("written");
        for i in 0..3 {
            let mut fields = Fields::default();
            *[&mut fields.id, &mut fields.url, &mut fields.date][i] = "nowhere".to_owned();
            let mut pages = READER.open_path(&path, &fields, &Arc::default()).expect("opened");
            let error = pages.next().expect_err("missing").to_string();
            assert!(error.contains("nowhere") && error.contains("html, name, when"), "{error}");
        }
    }
    let fields = Fields { id: "name".to_owned(), date: "when".to_owned(), ..Fields::default() };
    let mut pages = READER.open_path(&path, &fields, &Arc::default()).expect("opened");
    assert!(matches!(pages.next(), Ok(Some(Item::Page(page))) if page.id == "0"));
    std::fs::write(&path, "{}\n").expect("written");
    let mut pages = READER.open_path(&path, &Fields::default(), &Arc::default()).expect("opened");
    let error = pages.next().expect_err("missing").to_string();
    assert!(error.contains("this object is empty"), "{error}");
}

#[test]
fn lines_that_are_no_json_are_mended() {
    let mark = "\u{feff}";
    let lines = [
        r#"{"id":"a","html":"<p>x\udc80"}"#.to_owned(),
        format!(r#"{mark}{{"score":NaN,"id":"b","html":"<p>NaN"}}"#),
        mark.to_owned(),
        r#"{"id":"\ud83d","html":"","x":[-Infinity,Infinity , NaN]}"#.to_owned(),
        r#"{"id":NaN,"html":"\udc80"}"#.to_owned(),
        r#"{"id":NaNa,"html":"d"}"#.to_owned(),
    ];
    assert_eq!(read("x.jsonl", lines.join("\n").as_bytes()), "a b \u{fffd} x:5 !");
}

#[test]
fn ids_stay_as_they_are_written() {
    let ids = ["123456789012345678901234567890", "123456789012345678901234567891", "-0", "1.50", "1e400"];
    let lines: Vec<String> = ids.iter().map(|id| format!(r#"{{"html":"x","id": {id} }}"#)).collect();
    assert_eq!(read("x.jsonl", lines.join("\n").as_bytes()), ids.join(" "));
    let others = r#"{"id":true,"html":"x"}
{"id":null,"html":"x"}
{"id":"","html":"x"}
{"id":[1],"html":"x","y":1e999}
{"id":1,"id":2,"html":"x"}"#;
    assert_eq!(read("x.jsonl", others.as_bytes()), "x:1 x:2 x:3 x:4 2");
}

#[test]
fn lines_are_pages_compressed_or_not() {
    let dir = tempfile::tempdir().expect("a folder");
    let lines = "{\"html\":\"<p>é\",\"id\":7,\"url\":\"http://a/\"}\n\n{\"html\":3,\"id\":\"b\",\"date\":\"2026\"}\nno json\n{\"text\":\"x\"}\n{\"html\":\"\"}";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(lines.as_bytes()).expect("written");
    let members = [gzip.finish().expect("finished"), Vec::new()].concat();
    for (name, bytes) in [
        ("a.jsonl", lines.as_bytes().to_vec()),
        ("a.jsonl.gz", members),
        ("a.jsonl.zst", zstd::encode_all(lines.as_bytes(), 1).expect("zstd")),
    ] {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let mut pages = READER.open_path(&path, &Fields::default(), &Arc::default()).expect("opened");
        let mut seen = Vec::new();
        while let Some(item) = pages.next().expect("read") {
            seen.push(match item {
                Item::Page(p) => format!("{} {:?}", p.id, p.url),
                Item::Failed(u) => format!("{} {}{}", u.id, u.date.unwrap_or_default(), u.error.message),
                Item::Skipped(why) => why.to_owned(),
            });
        }
        assert_eq!(seen.len(), 5, "{seen:?}");
        assert_eq!(seen[0], "7 Some(\"http://a/\")");
        assert_eq!(seen[1], "b 2026the field is not a string");
        assert!(seen[2].starts_with("a:4 not a JSON object"));
        assert_eq!(seen[3], "a:5 the object has no such field");
        assert_eq!(seen[4], "a:6 None");
    }
}

#[test]
fn one_field_may_be_id_and_url() {
    let mut file = tempfile::Builder::new().suffix(".jsonl").tempfile().expect("a file");
    file.write_all(b"{\"html\":\"<p>x\",\"url\":\"http://a/\"}").expect("written");
    let fields = Fields { id: "url".to_owned(), ..Fields::default() };
    let mut pages = READER.open_path(file.path(), &fields, &Arc::default()).expect("opened");
    let Ok(Some(Item::Page(page))) = pages.next() else { panic!("no page") };
    assert_eq!((page.id.as_str(), page.url.as_deref()), ("http://a/", Some("http://a/")));
}

#[test]
fn only_consecutive_damage_is_limited() {
    let member = |text: &str| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("written");
        gzip.finish().expect("finished")
    };
    let whole = member("{\"id\": \"a\", \"html\": \"<p>a\"}\n");
    let mut broken = whole.clone();
    broken[12] ^= 0x55;
    let num_pages = |bytes: Vec<u8>| {
        let seen = read("a.jsonl.gz", &bytes);
        seen.split(' ').filter(|id| *id == "a").count()
    };
    assert_eq!(num_pages([&whole[..], &broken].concat().repeat(1_500)), 1_500);
}
