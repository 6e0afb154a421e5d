//! Intact and corrupt Parquet files.

use super::*;
use parquet::data_type::{ByteArray, DataType};
use std::path::Path;

#[test]
fn a_bad_value_loses_one_row() {
    use parquet::data_type::{ByteArrayType, Int64Type};
    let schema = "message pages { REQUIRED INT64 id; OPTIONAL BINARY html (UTF8); OPTIONAL INT64 date (TIMESTAMP_MILLIS); \
         OPTIONAL group parts { REQUIRED BINARY html (UTF8); } }";
    let schema = parquet::schema::parser::parse_message_type(schema).expect("a schema");
    let mut file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(&mut file, schema.into(), Default::default())
            .expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let mut column = group.next_column().expect("no error").expect("id");
    column.typed::<Int64Type>().write_batch(&(0..50).collect::<Vec<_>>(), None, None).expect("written");
    column.close().expect("closed");
    // row 7 is null, row 9 is Latin-1 instead of UTF-8
    let texts = (0..50).filter(|i| *i != 7).map(|i| match i {
        9 => ByteArray::from(b"<meta charset=latin1><p>\xe9".to_vec()),
        _ => ByteArray::from(format!("<p>{i}").into_bytes()),
    });
    let levels: Vec<i16> = (0..50).map(|i| i16::from(i != 7)).collect();
    let mut column = group.next_column().expect("no error").expect("html");
    let texts: Vec<ByteArray> = texts.collect();
    column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None).expect("written");
    column.close().expect("closed");
    // rows 5 and 6 have dates that the library cannot represent
    let levels: Vec<i16> = (0..50).map(|i| i16::from([5, 6, 8].contains(&i))).collect();
    let mut column = group.next_column().expect("no error").expect("date");
    column.typed::<Int64Type>().write_batch(&[i64::MAX, i64::MAX, 0], Some(&levels), None).expect("written");
    column.close().expect("closed");
    let mut column = group.next_column().expect("no error").expect("parts");
    column.typed::<ByteArrayType>().write_batch(&[], Some(&[0; 50]), None).expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.close().expect("closed");
    let mut pages = READER.open_path(file.path(), &Fields::default(), &Arc::default()).expect("opened");
    for i in 0..50 {
        match pages.next().expect("it goes on").expect("a row") {
            Item::Page(page) => {
                let date = (i == 8).then_some("1970-01-01T00:00:00Z");
                assert_eq!((page.id, page.date.as_deref()), (i.to_string(), date));
                assert_eq!(page.charset.is_some(), i != 9);
            }
            Item::Failed(unread) => {
                let (error, id) = (unread.error.to_string(), i.to_string());
                assert!(unread.id == id && i == 7, "{i} {error}");
                assert!(error.contains("the value is missing"), "{error}");
            }
            Item::Skipped(why) => unreachable!("{why}"),
        }
        // the page is read without its date, and the date is reported as a skipped item
        if i == 5 || i == 6 {
            let item = pages.next().expect("it goes on").expect("an item");
            assert!(matches!(item, Item::Skipped("dates outside of the years 0 to 9999")), "{item:?}");
        }
    }
    assert!(pages.next().expect("read").is_none());
    for i in 0..3 {
        let mut fields = Fields::default();
        *[&mut fields.id, &mut fields.url, &mut fields.date][i] = "nowhere".to_owned();
        let error =
            READER.open_path(file.path(), &fields, &Arc::default()).err().expect("missing").to_string();
        assert!(error.contains("nowhere") && error.contains("one of id, html, date, parts"), "{error}");
    }
    let parts = Fields { html: "parts".to_owned(), ..Fields::default() };
    let error = READER.open_path(file.path(), &parts, &Arc::default()).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("contains neither text nor bytes")));
}

#[test]
fn columns_that_are_read_stand_once() {
    // writes a file that has a column for each of these names
    let write = |names: &[&str]| {
        let columns: String = names.iter().map(|name| format!("REQUIRED BINARY {name} (UTF8); ")).collect();
        let schema = parquet::schema::parser::parse_message_type(&format!("message pages {{ {columns}}}"));
        let mut file = tempfile::Builder::new().suffix(".parquet").tempfile().expect("a file");
        let schema = schema.expect("a schema").into();
        let mut writer =
            parquet::file::writer::SerializedFileWriter::new(&mut file, schema, Default::default())
                .expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        while let Some(mut column) = group.next_column().expect("no error") {
            let value = ByteArray::from("<p>x");
            column
                .typed::<parquet::data_type::ByteArrayType>()
                .write_batch(&[value], None, None)
                .expect("written");
            column.close().expect("closed");
        }
        group.close().expect("closed");
        writer.close().expect("closed");
        file
    };
    for (names, column) in
        [(&["html", "html"][..], "html"), (&["html", "url", "url"], "url"), (&["id", "html", "id"], "id")]
    {
        let file = write(names);
        let error = READER.open_path(file.path(), &Fields::default(), &Arc::default()).err().expect("twice");
        assert!(error.message.contains("several columns of this name"), "{error}");
        assert_eq!(error.place.column.as_deref(), Some(column));
    }
    // columns that are not read
    let file = write(&["html", "score", "score"]);
    let mut pages = READER.open_path(file.path(), &Fields::default(), &Arc::default()).expect("opened");
    assert!(matches!(pages.next().expect("read"), Some(Item::Page(_))));
}

#[test]
fn damaged_files_are_errors() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.parquet");
    for bytes in [&b""[..], b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", &[0; 100]] {
        std::fs::write(&path, bytes).expect("written");
        assert!(READER.open_path(&path, &Fields::default(), &Arc::default()).is_err());
    }
}

/// Writes a file with one row and a date column of this type. Returns the date that is read from it.
fn date_of<T: DataType>(column_type: &str, value: T::T) -> String {
    let schema = format!("message pages {{ REQUIRED BINARY html (UTF8); REQUIRED {column_type}; }}");
    let schema = parquet::schema::parser::parse_message_type(&schema).expect("a schema");
    let mut bytes = Vec::new();
    let mut writer =
        parquet::file::writer::SerializedFileWriter::new(&mut bytes, schema.into(), Default::default())
            .expect("a writer");
    let mut group = writer.next_row_group().expect("a group");
    let mut column = group.next_column().expect("no error").expect("html");
    let html = ByteArray::from("<p>x");
    column.typed::<parquet::data_type::ByteArrayType>().write_batch(&[html], None, None).expect("written");
    column.close().expect("closed");
    let mut column = group.next_column().expect("no error").expect("date");
    column.typed::<T>().write_batch(&[value], None, None).expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.close().expect("closed");
    let dir = tempfile::tempdir().expect("a folder");
    // Also tests that a compressed Parquet file is read.
    let path = dir.path().join("x.parquet.zst");
    std::fs::write(&path, zstd::encode_all(&bytes[..], 1).expect("zstd")).expect("written");
    let mut pages = READER.open_path(&path, &Fields::default(), &Arc::default()).expect("opened");
    match pages.next().expect("read") {
        Some(Item::Page(page)) => page.date.expect("a date"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn dates_of_every_type_are_iso_text() {
    use parquet::data_type::{Int32Type, Int64Type, Int96, Int96Type};
    let seconds = 1_709_287_200;
    for (unit, per_second) in [("MILLIS", 1_000), ("MICROS", 1_000_000), ("NANOS", 1_000_000_000)] {
        for (is_utc, expected) in [(true, "2024-03-01T10:00:00Z"), (false, "2024-03-01T10:00:00")] {
            let column_type = format!("INT64 date (TIMESTAMP({unit},{is_utc}))");
            assert_eq!(date_of::<Int64Type>(&column_type, seconds * per_second), expected, "{column_type}");
        }
    }
    assert_eq!(date_of::<Int64Type>("INT64 date (TIMESTAMP_MICROS)", 1_500_000), "1970-01-01T00:00:01.500Z");
    assert_eq!(date_of::<Int32Type>("INT32 date (DATE)", 19_783), "2024-03-01");
    assert_eq!(date_of::<Int64Type>("INT64 date", seconds), "1709287200");
    let mut time = Int96::new();
    time.set_data(0, 0, 2_460_371);
    assert_eq!(date_of::<Int96Type>("INT96 date", time), "2024-03-01T00:00:00");
}

/// A page header of this file declares a list with a billion numbers, which would be beyond the end of the
/// file.
#[test]
fn parts_behind_the_end_are_not_read_one_by_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/readers/parquet/long_list_in_page_head.parquet");
    let mut pages = READER.open_path(Path::new(path), &Fields::default(), &Arc::default()).expect("opened");
    let error = match pages.next() {
        Ok(Some(Item::Failed(unread))) => unread.error,
        Err(error) => error,
        Ok(_) => panic!("the page has no bytes"),
    };
    let error = error.with_causes().to_string();
    assert!(error.contains("the file ends inside a page header"), "{error}");
}
