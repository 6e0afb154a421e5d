//! What a page costs beside the work on it: the pipeline with pages that take no time, by number of worker threads, and
//! the reading of one archive, by number of threads that unpack.
//!
//! `cargo bench --bench pipeline`

use cpu_time::{ProcessTime, ThreadTime};
use divan::Bencher;
use divan::counter::ItemsCount;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::cell::Cell;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use threshr_crawl::{Limits, Plan, Position, run};
use threshr_io::raw_page::Item;
use threshr_io::readers::{Fields, Reading};
use threshr_io::sources;

fn main() {
    divan::main();
}

const NUM_PAGES: usize = 50_000;

#[divan::bench(args = [1, 2, 4, 8, 16], sample_count = 7, sample_size = 1)]
fn pages_without_work(bencher: Bencher<'_, '_>, jobs: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("pages.jsonl");
    let mut file = BufWriter::new(File::create(&path).expect("created"));
    for page in 0..NUM_PAGES {
        writeln!(file, r#"{{"id":"{page}","html":"<p>A page of one sentence."}}"#).expect("written");
    }
    file.flush().expect("written");
    drop(file);
    let found = sources(&[path], None).expect("found").sources;
    let (fields, bytes_read) = (Fields::default(), Arc::default());
    bencher.counter(ItemsCount::new(NUM_PAGES)).bench_local(|| {
        let plan = Plan {
            sources: &found,
            fields: &fields,
            start: Position::default(),
            jobs,
            limits: Limits::default(),
            bytes_read: &bytes_read,
        };
        let mut taken = 0;
        let take = |_| {
            taken += 1;
            Ok(())
        };
        run(&plan, |page, _| Ok(page.id), take).expect("it ends");
        assert!(taken >= NUM_PAGES);
    });
}

/// Bytes of an archive, unpacked.
const ARCHIVE: usize = 300 << 20;

/// A record of a page.
fn record(html: &[u8]) -> Vec<u8> {
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: http://example.org/\r\n\
         WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{http}",
        http.len() + html.len()
    );
    [head.as_bytes(), html, b"\r\n\r\n"].concat()
}

/// The sample pages again and again, each as a gzip member or all as one. Returns the number of pages, too.
fn archive(dir: &Path, is_one_member: bool) -> (PathBuf, usize) {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/sample/pages");
    let files = std::fs::read_dir(pages).into_iter().flatten().flatten();
    let records: Vec<Vec<u8>> =
        files.map(|file| record(&std::fs::read(file.path()).expect("read"))).collect();
    let num_rounds = ARCHIVE / records.iter().map(Vec::len).sum::<usize>();
    let path = dir.join("pages.warc.gz");
    let mut file = BufWriter::new(File::create(&path).expect("created"));
    if is_one_member {
        let mut packed = GzEncoder::new(&mut file, Compression::fast());
        for record in std::iter::repeat_n(&records, num_rounds).flatten() {
            packed.write_all(record).expect("written");
        }
        packed.finish().expect("packed");
    } else {
        let pack = |record: &Vec<u8>| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::default());
            packed.write_all(record).expect("written");
            packed.finish().expect("packed")
        };
        let members: Vec<Vec<u8>> = records.iter().map(pack).collect();
        for member in std::iter::repeat_n(&members, num_rounds).flatten() {
            file.write_all(member).expect("written");
        }
    }
    file.flush().expect("written");
    (path, num_rounds * records.len())
}

#[divan::bench(args = [0, 1, 2, 4], sample_count = 7, sample_size = 1)]
fn archive_of_many_members(bencher: Bencher<'_, '_>, num_unpackers: usize) {
    read_archive(bencher, num_unpackers, false);
}

#[divan::bench(args = [0, 2], sample_count = 7, sample_size = 1)]
fn archive_of_one_member(bencher: Bencher<'_, '_>, num_unpackers: usize) {
    read_archive(bencher, num_unpackers, true);
}

/// The calling thread reads the pages and drops them. Its CPU time, which bounds a crawl, is written to standard error.
fn read_archive(bencher: Bencher<'_, '_>, num_unpackers: usize, is_one_member: bool) {
    let dir = tempfile::tempdir().expect("a folder");
    let (path, num_pages) = archive(dir.path(), is_one_member);
    let found = sources(&[path], None).expect("found").sources;
    let reading = Reading { num_unpackers, ..Reading::default() };
    let least = Cell::new((Duration::MAX, Duration::MAX));
    bencher.counter(ItemsCount::new(num_pages)).bench_local(|| {
        let (thread, process) = (ThreadTime::now(), ProcessTime::now());
        let mut pages = found[0].open(&Fields::default(), &reading).expect("opened");
        let mut num_read = 0;
        while let Some(item) = pages.next().expect("read") {
            num_read += usize::from(matches!(item, Item::Page(_)));
        }
        drop(pages);
        assert_eq!(num_read, num_pages);
        let (reader, all) = least.get();
        least.set((reader.min(thread.elapsed()), all.min(process.elapsed())));
    });
    let (reader, all) = least.get();
    let [reader, all] = [reader, all].map(|time| time.as_secs_f64() * 1e6 / num_pages as f64);
    let _ = writeln!(
        std::io::stderr(),
        "CPU of a page: {reader:.1} us of the reader, {all:.1} us of all threads"
    );
}
