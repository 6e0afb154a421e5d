#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| threshr_fuzz::run("annotations", bytes));
