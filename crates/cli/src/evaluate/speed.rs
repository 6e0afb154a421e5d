//! Measures how fast a model or a system extracts the pages of a set.

use serde_json::{Value, json};
use threshr_core::{Budget, Result};
use threshr_extract::recipe::Recipe;
use threshr_extract::{Extractor, Input};
use threshr_sets::gold::DataSet;

/// The speed of a model or a system on one core.
#[derive(Debug)]
pub(super) struct Speed {
    /// Name of the row.
    pub name: String,
    cpu_s: f64,
    pub num_pages: usize,
    num_bytes: usize,
    peak_mb: Option<f64>,
}

impl Speed {
    /// Extracts the pages of a set one by one. The time to read files is not measured.
    pub(super) fn measure(name: &str, set: &DataSet, recipe: &Recipe, extractor: &Extractor) -> Result<Self> {
        let (mut cpu_s, mut num_bytes) = (0.0, 0);
        for page in &set.pages {
            let bytes = page.load()?;
            num_bytes += bytes.len();
            // Annotations inside the HTML are removed before the measurement.
            let options = page.parse_options(recipe.parse_options());
            let (html, charset) = match options.labelling {
                Some(_) => (threshr_html::plain_html(&bytes, &options).into_bytes(), Some("utf-8")),
                None => (bytes, page.charset.as_deref()),
            };
            let input = Input { bytes: &html, charset, ..Input::default() };
            let start = cpu_time::ProcessTime::now();
            let extraction = extractor.extract(&input, &Budget::UNLIMITED)?;
            std::hint::black_box(extraction.text());
            cpu_s += start.elapsed().as_secs_f64();
        }
        Ok(Speed { name: name.to_owned(), cpu_s, num_pages: set.pages.len(), num_bytes, peak_mb: peak_mb() })
    }

    /// Formats the speed as one line.
    pub(super) fn text(&self) -> String {
        let [ms_per_page, pages_per_s, mb_per_s, cpu_s] = self.rates().map(|(_, value)| value);
        let memory =
            self.peak_mb.map_or_else(String::new, |m| format!(", peak memory of the whole run {m:.0} MB"));
        format!(
            "speed of {}, CPU time of all threads: {:.2} ms/page, {:.0} pages/s, {:.1} MB/s, {:.2} CPU s{memory}\n",
            self.name, ms_per_page, pages_per_s, mb_per_s, cpu_s
        )
    }

    fn rates(&self) -> [(&'static str, f64); 4] {
        let (pages, mb) = (self.num_pages as f64, self.num_bytes as f64 / 1e6);
        [
            ("ms_per_page", 1e3 * self.cpu_s / pages.max(1.0)),
            ("pages_per_s", pages / self.cpu_s),
            ("mb_per_s", mb / self.cpu_s),
            ("cpu_s", self.cpu_s),
        ]
    }

    /// Returns columns and values for CSV.
    pub(super) fn values(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.rates().into_iter().chain(self.peak_mb.map(|mb| ("peak_mb", mb)))
    }

    /// Returns the JSON entry.
    pub(super) fn json(&self) -> Value {
        let Speed { name, cpu_s, num_pages, num_bytes, peak_mb } = self;
        json!({"row": name, "cpu_s": cpu_s, "pages": num_pages, "bytes": num_bytes, "peak_mb": peak_mb})
    }
}

/// Returns the peak memory of the process in MB, if the operating system reports it.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1e3)
}
