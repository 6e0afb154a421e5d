//! Parquet files with and without damage.

use super::*;

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
    // row 5 has a date outside the range of the library
    let levels: Vec<i16> = (0..50).map(|i| i16::from(i == 5 || i == 8)).collect();
    let mut column = group.next_column().expect("no error").expect("date");
    column.typed::<Int64Type>().write_batch(&[i64::MAX, 0], Some(&levels), None).expect("written");
    column.close().expect("closed");
    let mut column = group.next_column().expect("no error").expect("parts");
    column.typed::<ByteArrayType>().write_batch(&[], Some(&[0; 50]), None).expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    writer.close().expect("closed");
    let mut pages = (READER.open)(file.path(), &Fields::default(), &Arc::default()).expect("opened");
    for i in 0..50 {
        match pages.next().expect("it goes on").expect("a row") {
            Item::Page(page) => {
                assert_eq!((page.id, page.date.is_some()), (i.to_string(), i == 8));
                assert_eq!(page.charset.is_some(), i != 9);
            }
            Item::Failed(unread) => {
                let (error, id) = (unread.error.to_string(), i.to_string());
                assert!(unread.id == id && (i == 5 || i == 7), "{i} {error}");
                let why = if i == 5 {
                    "column date: the value cannot be written as text"
                } else {
                    "the value is missing"
                };
                assert!(error.contains(why), "{error}");
            }
            Item::Skipped(why) => unreachable!("{why}"),
        }
    }
    assert!(pages.next().expect("read").is_none());
    let parts = Fields { html: "parts".to_owned(), ..Fields::default() };
    let error = (READER.open)(file.path(), &parts, &Arc::default()).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("contains neither text nor bytes")));
}

#[test]
fn damaged_files_are_errors() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("x.parquet");
    for bytes in [&b""[..], b"PAR1", b"PAR1\xff\xff\xff\x7fPAR1", &[0; 100]] {
        std::fs::write(&path, bytes).expect("written");
        assert!((READER.open)(&path, &Fields::default(), &Arc::default()).is_err());
    }
}
