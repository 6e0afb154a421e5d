//! Tests of the file format and of the store.

use crate::annotations::{
    BlockLabel, By, FILE, Label, Record, State, Store, agreement, carry_over, hash, read,
};
use proptest::prelude::*;
use std::io::Write;
use std::path::Path;

fn record(id: &str, annotator: &str, text: &str) -> Record {
    Record {
        id: id.to_owned(),
        url: None,
        sha256: hash(b"page"),
        annotator: annotator.to_owned(),
        time: "2026-11-28T10:00:00Z".to_owned(),
        state: State::Done,
        model: Some("prose".to_owned()),
        labels: vec![BlockLabel {
            source: Some(0..4),
            text: text.to_owned(),
            label: Label::Content,
            by: By::Model,
        }],
    }
}

fn text(record: &Record) -> &str {
    record.labels.first().map_or("", |label| &label.text)
}

fn texts(store: &Store) -> Vec<&str> {
    store.records().map(text).collect()
}

fn write(dir: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::write(dir.join(FILE), bytes).expect("written");
}

#[test]
fn the_store_has_the_latest_of_each_page_and_annotator() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(dir.path()).expect("opened");
    assert!(!store.path().exists() && store.records().next().is_none());
    for (id, annotator, text) in [("b", "ada", "1"), ("a", "ada", "2"), ("b", "bob", "3"), ("b", "ada", "4")]
    {
        store.put(record(id, annotator, text)).expect("written");
    }
    assert_eq!((texts(&store), store.num_superseded()), (vec!["2", "4", "3"], 1));
    let on_disk = read(store.path()).expect("read");
    assert_eq!(
        (on_disk.records.iter().map(text).collect::<Vec<_>>(), on_disk.num_superseded),
        (vec!["2", "3", "4"], 1)
    );
    drop(store);
    let mut store = Store::open(dir.path()).expect("opened");
    assert_eq!((texts(&store), store.num_superseded()), (vec!["2", "4", "3"], 1));
    store.compact().expect("compacted");
    store.put(record("b", "bob", "5")).expect("written");
    assert_eq!((texts(&store), store.num_superseded()), (vec!["2", "4", "5"], 1));
    store.compact().expect("compacted");
    drop(store);
    let store = Store::open(dir.path()).expect("opened");
    assert_eq!((texts(&store), store.num_superseded()), (vec!["2", "4", "5"], 0));
    assert_eq!(store.get("b", "bob").map(text), Some("5"));
    assert!(store.get("b", "eve").is_none() && store.cut().is_none());
    assert_eq!(std::fs::read_dir(dir.path()).expect("listed").count(), 1, "no other files");
}

#[test]
fn a_second_program_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let store = Store::open(dir.path()).expect("opened");
    // not every system can lock folders
    if cfg!(unix) {
        let error = Store::open(dir.path()).expect_err("locked").to_string();
        assert!(error.contains("another run"), "{error}");
    }
    drop(store);
    Store::open(dir.path()).expect("free");
    assert!(Store::open(&dir.path().join("none")).is_err());
}

#[test]
fn a_file_that_is_cut_anywhere_keeps_its_complete_lines() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(dir.path()).expect("opened");
    let all = ["ä", "\"\u{2028}", "3"];
    for (annotator, text) in ["ada", "bob", "eve"].into_iter().zip(all) {
        store.put(record("a/é.html", annotator, text)).expect("written");
    }
    let whole = std::fs::read(store.path()).expect("read");
    drop(store);
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for cut in 0..=whole.len() {
        write(dir.path(), &whole[..cut]);
        // a line without a line end is complete if it is valid JSON
        let num = ends.iter().filter(|end| **end <= cut).count();
        let mut store = Store::open(dir.path()).expect("opened");
        assert_eq!(texts(&store), all[..num], "{cut}");
        let begin = num.checked_sub(1).map_or(0, |last| ends[last] + 1);
        let cut_line = store.cut().map(|cut| (cut.line, cut.num_bytes));
        assert_eq!(cut_line, (cut > begin).then(|| (num as u64 + 1, (cut - begin) as u64)), "{cut}");
        assert_eq!(std::fs::read(store.path()).expect("read"), &whole[..cut], "opening writes nothing");
        store.put(record("z.html", "ada", "new")).expect("written");
        drop(store);
        let found = read(&dir.path().join(FILE)).expect("read");
        let expected: Vec<&str> = all[..num].iter().copied().chain(["new"]).collect();
        assert_eq!(found.records.iter().map(text).collect::<Vec<_>>(), expected, "{cut}");
        assert!(found.cut.is_none());
    }
}

#[test]
fn what_a_stopped_program_wrote_of_a_line_is_removed() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(dir.path()).expect("opened");
    store.put(record("1.html", "ada", "kept")).expect("written");
    drop(store);
    // possible remains of a stopped program: part of a line, part of a UTF-8 character, or zero bytes
    for tail in [&b"{"[..], b"{\"format\": \"thr", b"{\"id\": \"\xc3", b"\0\0\0\0"] {
        let mut file = std::fs::File::options().append(true).open(dir.path().join(FILE)).expect("opened");
        file.write_all(tail).expect("written");
        let mut store = Store::open(dir.path()).expect("opened");
        assert_eq!(store.cut().map(|cut| cut.num_bytes), Some(tail.len() as u64));
        let said = store.cut().expect("cut").to_string();
        assert!(said.contains(FILE) && said.contains("truncated"), "{said}");
        let num = store.records().count();
        store.put(record("2.html", "ada", "next")).expect("written");
        assert_eq!(store.records().count(), num.max(2));
        drop(store);
        assert_eq!(texts(&Store::open(dir.path()).expect("opened")), ["kept", "next"]);
    }
}

#[test]
fn the_file_is_not_written_over_another_program() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(dir.path()).expect("opened");
    store.put(record("1.html", "ada", "1")).expect("written");
    let other = record("2.html", "bob", "2").to_line().expect("a line");
    std::fs::File::options()
        .append(true)
        .open(store.path())
        .and_then(|mut f| f.write_all(&other))
        .expect("written");
    assert!(
        store.put(record("3.html", "ada", "3")).is_err_and(|e| e.to_string().contains("another program"))
    );
    assert!(store.compact().is_err() && store.records().count() == 1);
    drop(store);
    assert_eq!(texts(&Store::open(dir.path()).expect("opened")), ["1", "2"]);
}

#[test]
fn a_file_of_many_replaced_lines_is_compacted() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut lines = Vec::new();
    // a field that is unknown to this version is preserved
    let line = String::from_utf8(record("0.html", "ada", "0").to_line().expect("a line")).expect("text");
    lines.extend_from_slice(line.replacen('{', "{\"note\":\"later\",", 1).as_bytes());
    for at in 0..=super::store::MIN_SUPERSEDED {
        lines.extend(record("1.html", "ada", &at.to_string()).to_line().expect("a line"));
    }
    write(dir.path(), &lines);
    let store = Store::open(dir.path()).expect("opened");
    assert_eq!((texts(&store), store.num_superseded()), (vec!["0", "200"], 0));
    let left = std::fs::read_to_string(store.path()).expect("read");
    assert!(left.lines().count() == 2 && left.contains("\"note\":\"later\""), "{left}");
}

#[test]
fn invalid_lines_are_told_with_their_place() {
    let dir = tempfile::tempdir().expect("a folder");
    let line = String::from_utf8(record("1.html", "ada", "x").to_line().expect("a line")).expect("text");
    let line = line.trim_end();
    let changed = |from: &str, to: &str| {
        assert!(line.contains(from), "{from}");
        line.replacen(from, to, 1)
    };
    for (bad, expected) in [
        ("{}".to_owned(), "no field `format`"),
        ("[]".to_owned(), "invalid line"),
        ("words".to_owned(), "invalid line"),
        (line[..40].to_owned(), "invalid line"),
        (changed("annotations-1", "annotations-2"), "threshr-annotations-2"),
        (changed("\"done\"", "\"ready\""), "ready"),
        (changed("\"content\"", "\"main\""), "main"),
        (changed("\"model\"}", "\"robot\"}"), "robot"),
        (changed("\"1.html\"", "\"../1.html\""), "../1.html"),
        (changed("\"1.html\"", "\"/etc/passwd\""), "/etc/passwd"),
        (changed("\"1.html\"", "\"C:/1.html\""), "C:/1.html"),
        (changed("\"1.html\"", "\"\""), "`id`"),
        (changed("\"ada\"", "\" \""), "annotator"),
        (changed("10:00:00Z", "10:00:00+01:00"), "UTC"),
        (changed("2026", "now"), "UTC"),
        (changed("[0,4]", "[4,0]"), "[4, 0]"),
        (changed("[0,4]", "[-1,4]"), "-1"),
        (changed("[0,4]", "[0]"), "invalid length"),
        (changed("\"sha256\":\"", "\"sha256\":\"x"), "sha256"),
        (changed("\"labels\":", "\"blocks\":"), "labels"),
    ] {
        write(dir.path(), format!("{line}\n\n{bad}\n{line}\n"));
        let error = Store::open(dir.path()).expect_err(&bad).to_string();
        assert!(error.contains("annotations.jsonl:3") && error.contains(expected), "{bad}: {error}");
        assert_eq!(read(&dir.path().join(FILE)).expect_err(&bad).to_string(), error);
    }
    // null and missing values, unknown fields, a byte-order mark, CRLF line ends
    let other = changed("\"source\":[0,4],", "\"note\":1,").replacen("{", "{\"x\":[],", 1);
    write(dir.path(), format!("\u{feff}{other}\r\n{}", changed("[0,4]", "null")));
    let store = Store::open(dir.path()).expect("read");
    assert!(store.get("1.html", "ada").is_some_and(|r| r.labels[0].source.is_none()));
}

#[test]
fn an_invalid_record_is_not_written() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut store = Store::open(dir.path()).expect("opened");
    assert!(store.put(record("../1.html", "ada", "x")).is_err());
    assert!(store.put(Record { time: "today".to_owned(), ..record("1.html", "ada", "x") }).is_err());
    assert!(store.records().next().is_none() && !store.path().exists());
    #[cfg(unix)]
    {
        // a file that cannot be written
        std::os::unix::fs::symlink(dir.path().join("no/such/file"), dir.path().join(FILE)).expect("linked");
        assert!(store.put(record("1.html", "ada", "x")).is_err() && store.records().next().is_none());
    }
}

fn any_record() -> impl Strategy<Value = Record> {
    let label = (any::<Option<(u32, u32)>>(), any::<String>(), 0..Label::ALL.len(), any::<bool>()).prop_map(
        |(range, text, label, by)| BlockLabel {
            source: range.map(|(a, b)| a.min(b) as usize..a.max(b) as usize),
            text,
            label: Label::ALL[label],
            by: if by { By::Person } else { By::Model },
        },
    );
    let state = prop_oneof![Just(State::Draft), Just(State::Done), Just(State::Skipped)];
    let labels = prop::collection::vec(label, 0..8);
    (
        "[a-z é]{1,3}(/[a-z]{1,3}){0,2}",
        any::<Option<String>>(),
        "[a-zß]{1,2}",
        state,
        any::<Option<String>>(),
        labels,
    )
        .prop_map(|(id, url, annotator, state, model, labels)| Record {
            id,
            sha256: hash(annotator.as_bytes()),
            url,
            annotator,
            time: super::now(),
            state,
            model,
            labels,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_survive_a_round_trip(records in prop::collection::vec(any_record(), 0..6)) {
        let records: Vec<Record> = records.into_iter().filter(|record| !record.annotator.trim().is_empty()).collect();
        for record in &records {
            let line = record.to_line().expect("a line");
            prop_assert_eq!(line.iter().filter(|b| **b == b'\n').count(), 1);
            prop_assert_eq!(&Record::from_line(&line).expect("a record"), record);
        }
        let dir = tempfile::tempdir().expect("a folder");
        let mut store = Store::open(dir.path()).expect("opened");
        for record in &records {
            store.put(record.clone()).expect("written");
        }
        let held: Vec<Record> = store.records().cloned().collect();
        drop(store);
        let mut store = Store::open(dir.path()).expect("opened");
        prop_assert!(store.records().eq(&held));
        store.compact().expect("compacted");
        drop(store);
        let store = Store::open(dir.path()).expect("opened");
        prop_assert!(store.records().eq(&held) && store.num_superseded() == 0);
        for record in &held {
            // a record's own blocks get its labels; the number of results is always the number of blocks
            let blocks: Vec<_> = record.labels.iter().map(|l| (l.source.clone(), l.text.as_str())).collect();
            for sha256 in [record.sha256.clone(), hash(b"another")] {
                prop_assert_eq!(carry_over(record, &sha256, &blocks).len(), blocks.len());
            }
            let own = agreement(&held, &record.annotator, &record.annotator);
            prop_assert!(own.num_blocks + own.num_unmatched <= held.iter().map(|r| r.labels.len()).sum());
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), line in any_record()) {
        let dir = tempfile::tempdir().expect("a folder");
        let mut file = line.to_line().unwrap_or_default();
        file.extend_from_slice(&bytes);
        write(dir.path(), &file);
        if let Ok(mut store) = Store::open(dir.path()) {
            prop_assert!(store.get(&line.id, &line.annotator).is_some());
            store.put(record("new", "ada", "new")).expect("written");
            drop(store);
            prop_assert!(Store::open(dir.path()).is_ok_and(|store| store.cut().is_none()));
        }
    }
}
