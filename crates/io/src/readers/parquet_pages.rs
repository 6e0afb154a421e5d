//! Validation of Parquet column pages before they are decoded.
//!
//! The decoder allocates memory for as many values as the header of a dictionary page declares, even if the
//! dictionary is smaller.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;
use parquet::schema::types::ColumnDescPtr;

/// Returns the reader of a column in a row group.
///
/// # Errors
/// If the column cannot be read.
pub(super) fn column_reader(
    group: &dyn RowGroupReader,
    column: usize,
    descr: &ColumnDescPtr,
) -> Result<ColumnReader> {
    let pages = Box::new(Checked(group.get_column_page_reader(column)?));
    Ok(get_column_reader(descr.clone(), pages))
}

struct Checked(Box<dyn PageReader>);

/// Rejects a dictionary that declares more values than it has bytes. Each value takes at least one byte.
fn check(page: Page) -> Result<Page> {
    match &page {
        Page::DictionaryPage { buf, num_values, .. } if *num_values as usize > buf.len() => {
            let (found, most) = (num_values, buf.len());
            Err(ParquetError::General(format!(
                "a dictionary of {most} bytes declares {found} values; expected at most {most}"
            )))
        }
        _ => Ok(page),
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.0.get_next_page()?.map(check).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.0.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.0.take_deferred_dictionary()?.map(check).transpose()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}
