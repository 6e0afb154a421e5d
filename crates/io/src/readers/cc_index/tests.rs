//! Indices with all kinds of rows.

use super::*;

#[test]
fn hosts_are_compared_by_labels() {
    assert_eq!(host("https://user:pw@www.Example.org:8080/a?b#c"), "www.Example.org");
    assert!(is_below("www.example.org", "example.org") && is_below("example.org", "example.org"));
    assert!(!is_below("anexample.org", "example.org"));
}

#[test]
fn ranges_end_with_the_file() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("a"), "0123456789").expect("written");
    let mut files = LocalFiles(dir.path().to_path_buf());
    assert_eq!(files.range("a", 4, 3).expect("read"), b"456");
    assert_eq!(files.range("a", 8, 30).expect("read"), b"89");
}

#[test]
fn paths_stay_below_the_root() {
    let dir = tempfile::tempdir().expect("a folder");
    let root = dir.path().join("root");
    std::fs::create_dir(&root).expect("made");
    std::fs::write(dir.path().join("secret"), "secret").expect("written");
    let absolute = dir.path().join("secret").to_str().expect("text").to_owned();
    let outside = ["../secret", "x/../../secret", absolute.as_str()];
    let rows = outside.map(|file| (Some(file), 0, 6, "https://a.org/", "deu", 200));
    let path = dir.path().join("index.parquet");
    index(&path, &rows);
    let options = IndexOptions { warc_root: root, ..IndexOptions::default() };
    let mut pages = open_index(&path, None, &options, None).expect("opened");
    for _ in outside {
        match pages.next().expect("read") {
            Some(Item::Failed(unread)) => {
                assert!(unread.error.to_string().contains("leaves its root"), "{unread:?}")
            }
            item => panic!("{item:?} of a file outside the root"),
        }
    }
    assert!(pages.next().expect("read").is_none());
}

/// A row: file, offset, length, URL, languages, status.
type Row<'a> = (Option<&'a str>, i32, i32, &'a str, &'a str, i32);

/// Writes an index.
fn index(path: &Path, rows: &[Row<'_>]) {
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
    let schema = "message index { REQUIRED BINARY url (UTF8); REQUIRED INT32 fetch_status (INTEGER(16,true)); \
         REQUIRED BINARY content_languages (UTF8); OPTIONAL BINARY warc_filename (UTF8); \
         REQUIRED INT32 warc_record_offset; REQUIRED INT32 warc_record_length; }";
    let schema = parquet::schema::parser::parse_message_type(schema).expect("a schema");
    let file = File::create(path).expect("created");
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(file, schema.into(), Default::default())
            .expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.0.is_some())).collect();
    let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
    let mut number = 0;
    while let Some(mut column) = group.next_column().expect("a column") {
        let ints = |get: fn(&Row<'_>) -> i32| rows.iter().map(get).collect::<Vec<_>>();
        let texts =
            |get: for<'a> fn(&Row<'a>) -> &'a str| rows.iter().map(|r| text(get(r))).collect::<Vec<_>>();
        let names: Vec<_> = rows.iter().filter_map(|row| row.0).map(text).collect();
        let written = match number {
            0 => column.typed::<ByteArrayType>().write_batch(&texts(|r| r.3), None, None),
            1 => column.typed::<Int32Type>().write_batch(&ints(|r| r.5), None, None),
            2 => column.typed::<ByteArrayType>().write_batch(&texts(|r| r.4), None, None),
            3 => column.typed::<ByteArrayType>().write_batch(&names, Some(&levels), None),
            4 => column.typed::<Int32Type>().write_batch(&ints(|r| r.1), None, None),
            _ => column.typed::<Int32Type>().write_batch(&ints(|r| r.2), None, None),
        };
        written.expect("written");
        column.close().expect("closed");
        number += 1;
    }
    group.close().expect("closed");
    writer.close().expect("closed");
}

#[test]
fn records_are_selected_and_read_in_order() {
    use std::io::Write;
    let dir = tempfile::tempdir().expect("a folder");
    let record = |id: usize, status: u16| {
        let block = format!("HTTP/1.1 {status} OK\r\nContent-Type: text/html\r\n\r\n<p>page {id}");
        let text = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        member.write_all(text.as_bytes()).expect("written");
        member.finish().expect("finished")
    };
    let (mut file, mut places) = (Vec::new(), Vec::new());
    for id in 0..6 {
        let member = record(id, if id == 5 { 404 } else { 200 });
        places.push((file.len() as i32, member.len() as i32));
        file.extend(member);
    }
    std::fs::create_dir(dir.path().join("a")).expect("made");
    std::fs::write(dir.path().join("a/1.warc.gz"), file).expect("written");
    let row = |id: usize, url, languages, status| {
        (Some("a/1.warc.gz"), places[id].0, places[id].1, url, languages, status)
    };
    let rows = [
        row(4, "https://www.a.org/4", "deu,eng", 200),
        row(0, "https://a.org/0", "deu", 200),
        row(1, "https://b.org/1", "deu", 200),
        row(2, "https://a.org/2", "eng,deu", 200),
        row(5, "https://a.org/5", "deu", 404),
        (Some("a/1.warc.gz"), places[3].0 + 7, places[3].1, "https://a.org/3", "deu", 200),
        (Some("a/none.warc.gz"), 0, 100, "https://a.org/none", "deu", 200),
        (None, 0, 100, "https://a.org/null", "deu", 200),
        (Some("a/1.warc.gz"), -5, 100, "https://a.org/negative", "deu", 200),
    ];
    let path = dir.path().join("index.parquet");
    index(&path, &rows);
    let read = |options: IndexOptions| {
        let options = IndexOptions { warc_root: dir.path().to_path_buf(), ..options };
        let mut pages = open_index(&path, None, &options, None).expect("opened");
        let mut found = Vec::new();
        while let Some(item) = pages.next().expect("read") {
            found.push(match item {
                Item::Page(page) => page.id,
                Item::Failed(unread) => {
                    assert!(
                        unread.error.to_string().contains("index.parquet:") || unread.id.contains('@'),
                        "{unread:?}"
                    );
                    "!".to_owned()
                }
                Item::Skipped(_) => "-".to_owned(),
            });
        }
        found.join(" ")
    };
    // two rows have no place in a file; the record with a wrong offset is corrupt; then the missing file
    assert_eq!(read(IndexOptions::default()), "! ! 0 1 2 ! 4 - !");
    let languages = vec!["deu".to_owned()];
    let domains = vec!["a.org".to_owned()];
    let german = IndexOptions { languages, domains, statuses: vec![200], ..IndexOptions::default() };
    assert_eq!(read(german), "! ! 0 ! 4 !");
    let missing = IndexOptions { mimes: vec!["text/html".to_owned()], ..IndexOptions::default() };
    let error = open_index(&path, None, &missing, None).err().expect("no such column").to_string();
    assert!(error.contains("content_mime_detected") && error.contains("one of url, fetch_status"), "{error}");
}
