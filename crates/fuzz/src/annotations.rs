//! Annotation files: they are read as a set, and their labels are transferred to other blocks.

use crate::Target;
use crate::files::Files;
use threshr_sets::annotations::{self, FILE, FORMAT, Record, Store, agreement, carry_over};
use threshr_sets::gold::{DataSet, ReadOptions};

pub(crate) static TARGET: Target = Target {
    name: "annotations",
    summary: "a file of annotations: records survive a round trip, a record that is added after a truncated line is kept, no page is outside the folder, labels are transferred to other blocks",
    body,
};

const PAGE: &[u8] = b"<h1>Rain</h1><p>It rained all day in the north.<p>Nobody went out.";

fn body(bytes: &[u8]) {
    let files = Files::new();
    let path = files.write(FILE, bytes);
    files.write("1.html", PAGE);
    let read = annotations::read(&path);
    let mut store = match Store::open(files.path()) {
        Ok(store) => store,
        Err(error) => {
            return assert!(read.is_err() && !error.to_string().is_empty(), "an error without a message");
        }
    };
    assert!(read.is_ok_and(|read| read.cut.as_ref() == store.cut()), "the file is read in two ways");
    let records: Vec<Record> = store.records().cloned().collect();
    for record in &records {
        let line = record.to_line().expect("a line");
        assert_eq!(&Record::from_line(&line).expect("a record"), record, "a record changes");
    }
    carry(&records);
    let options = ReadOptions { format: Some("annotations".to_owned()), ..ReadOptions::default() };
    if let Ok(set) = DataSet::open(files.path(), &options) {
        for page in &set.pages {
            assert!(page.path.starts_with(files.path()), "{} is outside of the set", page.path.display());
        }
    }
    let added = record();
    store.put(added.clone()).expect("written");
    store.compact().expect("compacted");
    drop(store);
    let store = Store::open(files.path()).expect("opened");
    assert!(store.cut().is_none(), "a truncated line remains");
    let is_same = |record: &Record| store.get(&record.id, &record.annotator) == Some(record);
    let is_added = |record: &Record| (&record.id, &record.annotator) == (&added.id, &added.annotator);
    assert!(is_same(&added) && records.iter().all(|r| is_same(r) || is_added(r)), "a record is lost");
}

/// Returns a record for [`PAGE`].
fn record() -> Record {
    let line = format!(
        "{{\"format\":\"{FORMAT}\",\"id\":\"1.html\",\"sha256\":\"{}\",\"annotator\":\"ada\",\"time\":\"{}\",\
         \"state\":\"done\",\"labels\":[]}}",
        annotations::hash(PAGE),
        annotations::now()
    );
    Record::from_line(line.as_bytes()).expect("a record")
}

/// Transfers the labels of each record to the blocks of each record, and computes the agreement of the
/// annotators.
fn carry(records: &[Record]) {
    for from in records.iter().take(4) {
        for to in records.iter().take(4) {
            let blocks: Vec<_> = to.labels.iter().map(|l| (l.source.clone(), l.text.as_str())).collect();
            for sha256 in [&from.sha256, &to.sha256] {
                let labels = carry_over(from, sha256, &blocks);
                assert_eq!(labels.len(), blocks.len(), "a label for each block");
                let is_known = |label| {
                    from.labels.iter().any(|l| l.label == label) || label == annotations::Label::Unsure
                };
                assert!(labels.into_iter().flatten().all(is_known), "a label of no block");
            }
            let found = agreement(records, &from.annotator, &to.annotator);
            let kappas = [found.binary, found.classes].map(|k| [k.by_block, k.by_letter]);
            let mut kappas = kappas.into_iter().flatten().flatten();
            assert!(kappas.all(|kappa| (-1.0 - 1e-9..=1.0).contains(&kappa)), "{found:?}");
        }
    }
}
