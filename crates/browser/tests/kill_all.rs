//! Kills the browsers of a program. No other test may be in this program. Without a Chromium the test says that it is
//! skipped.

use std::time::{Duration, Instant};
use threshr_browser::{Browser, Input, Settings, find, is_root, kill_all};

#[test]
#[allow(clippy::print_stdout)] // part of a test
fn killed_browsers_leave_nothing_and_no_other_starts() {
    let chromium = match find(None) {
        Ok(chromium) => chromium,
        Err(e) => {
            println!("*** SKIPPED: this test needs Chromium: {e}");
            return;
        }
    };
    let settings = Settings { sandbox: !is_root(), ..Settings::new(chromium) };
    let dir = tempfile::tempdir().expect("a folder");
    let num = || std::fs::read_dir(dir.path()).expect("listed").count();
    // workers that draw, and start a browser again after an error
    let work = || {
        let mut num_drawn = 0;
        loop {
            let mut browser = match Browser::start_in(dir.path(), &settings) {
                Ok(browser) => browser,
                Err(e) => return (num_drawn, e.to_string()),
            };
            let html = "<p>a<script>localStorage.x = sessionStorage.x = 1</script>";
            while browser.draw(Input::Page { html, address: None }).is_ok() {
                num_drawn += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        let end = Instant::now() + Duration::from_secs(120);
        while num() < 2 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_secs(4));
        kill_all();
        assert_eq!(num(), 0, "the folders are removed");
        for worker in workers {
            let (num_drawn, error) = worker.join().expect("ended");
            assert!(error.contains("Chromium"), "{error}");
            println!("{num_drawn} pages drawn, then: {error}");
        }
    });
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(num(), 0, "nothing comes back");
    let error = Browser::start_in(dir.path(), &settings).expect_err("over").to_string();
    assert!(error.contains("being stopped"), "{error}");
    assert_eq!(num(), 0);
}
