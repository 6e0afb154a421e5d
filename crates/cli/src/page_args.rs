//! Options of commands that read crawled pages: input formats, field names, and limits for each page.

use std::path::PathBuf;
use std::time::Duration;
use threshr_core::Limits;
use threshr_core::{Error, Result};
use threshr_io::readers::{Fields, IndexOptions};

/// Options that control how pages are read.
#[derive(Debug, clap::Args)]
pub(super) struct PageArgs {
    /// Format of all input files: {names} [default: by their file extensions]
    #[arg(long, value_name = "NAME", help_heading = "Crawls")]
    pub(super) input_format: Option<String>,
    /// Field or column of the HTML, in JSONL and Parquet
    #[arg(long, value_name = "NAME", default_value = "html", help_heading = "Crawls")]
    pub(super) html_field: String,
    /// Field or column of the page's id
    #[arg(long, value_name = "NAME", default_value = "id", help_heading = "Crawls")]
    pub(super) id_field: String,
    /// Field or column of the page's URL
    #[arg(long, value_name = "NAME", default_value = "url", help_heading = "Crawls")]
    pub(super) url_field: String,
    /// Field or column of the date when the page was fetched
    #[arg(long, value_name = "NAME", default_value = "date", help_heading = "Crawls")]
    pub(super) date_field: String,
    /// Folder of the WARC files that an index names, for --input-format cc-index
    #[arg(long, value_name = "FOLDER", default_value = ".", help_heading = "Crawls")]
    pub(super) warc_root: PathBuf,
    /// Read only the records of an index with these main languages: ISO 639-3 codes such as deu
    #[arg(long, value_name = "LANG,…", value_delimiter = ',', help_heading = "Crawls")]
    pub(super) index_language: Vec<String>,
    /// Read only the records of an index from these hosts and their subdomains
    #[arg(long, value_name = "DOMAIN,…", value_delimiter = ',', help_heading = "Crawls")]
    pub(super) index_domain: Vec<String>,
    /// Read only the records of an index with these HTTP status codes
    #[arg(long, value_name = "CODE,…", value_delimiter = ',', help_heading = "Crawls")]
    pub(super) index_status: Vec<u16>,
    /// Read only the records of an index with these media types, as the crawler detected them
    #[arg(long, value_name = "TYPE,…", value_delimiter = ',', help_heading = "Crawls")]
    pub(super) index_mime: Vec<String>,
    /// Limit of the size of a page, in MB after decompression; 0 for no limit
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 16.0,
        allow_negative_numbers = true,
        help_heading = "Crawls"
    )]
    pub(super) page_mb: f64,
    /// Limit of the memory for a page, in MB; 0 for no limit. Without a limit, a page takes at most 80 times
    /// its size
    #[arg(
        long,
        value_name = "MB",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        help_heading = "Crawls"
    )]
    pub(super) page_memory: f64,
}

impl PageArgs {
    /// Returns the field names of records.
    pub(super) fn fields(&self) -> Fields {
        Fields {
            html: self.html_field.clone(),
            id: self.id_field.clone(),
            url: self.url_field.clone(),
            date: self.date_field.clone(),
            index: IndexOptions {
                warc_root: self.warc_root.clone(),
                languages: self.index_language.clone(),
                domains: self.index_domain.clone(),
                statuses: self.index_status.clone(),
                mimes: self.index_mime.clone(),
            },
        }
    }

    /// Returns the limits for each page, including `--page-seconds`. A value of 0 means no limit.
    ///
    /// # Errors
    /// If a value is negative or too large.
    pub(super) fn limits(&self, page_seconds: f64) -> Result<Limits> {
        Ok(Limits {
            time: seconds("page-seconds", page_seconds)?,
            bytes: megabytes("page-mb", self.page_mb)?,
            memory: megabytes("page-memory", self.page_memory)?,
        })
    }
}

/// Converts the value of an option to a duration. Returns `None`, no limit, for 0.
///
/// # Errors
/// If the value is negative or too large.
pub(super) fn seconds(name: &str, value: f64) -> Result<Option<Duration>> {
    Ok(limit(name, value)?.map(Duration::from_secs_f64))
}

/// Converts the value of an option from MB to bytes. Returns `None`, no limit, for 0.
///
/// # Errors
/// If the value is negative or too large.
pub(super) fn megabytes(name: &str, value: f64) -> Result<Option<u64>> {
    Ok(limit(name, value)?.map(|mb| (mb * f64::from(1 << 20)) as u64))
}

fn limit(name: &str, value: f64) -> Result<Option<f64>> {
    match value {
        0.0 => Ok(None),
        v if v > 0.0 && v < 1e9 => Ok(Some(v)),
        v => Err(Error::invalid_option(format!("--{name} is {v}"))
            .expected("a positive number, or 0 for no limit")),
    }
}
