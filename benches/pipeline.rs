//! Overhead of the pipeline per page, by number of worker threads. The work on a page is empty, so only the
//! pipeline is measured.
//!
//! `cargo bench --bench pipeline`

use divan::Bencher;
use divan::counter::ItemsCount;
use std::io::Write as _;
use std::sync::Arc;
use threshr_core::Limits;
use threshr_crawl::{Plan, Position, run};
use threshr_io::readers::Fields;
use threshr_io::sources;

fn main() {
    divan::main();
}

const NUM_PAGES: usize = 50_000;

#[divan::bench(args = [1, 2, 4, 8, 16], sample_count = 7, sample_size = 1)]
fn pages_without_work(bencher: Bencher<'_, '_>, jobs: usize) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("pages.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("created"));
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
