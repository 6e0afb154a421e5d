//! Writes blocks and their features as CSV and JSON Lines.

use crate::block_features::{BlockTable, PageOfRow};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::io::Write;
use threshr_core::{Error, Result};

/// Columns before the feature columns.
const FIELDS: [&str; 8] = ["set", "page", "site", "url", "block", "share", "label", "text"];

impl BlockTable {
    /// Writes CSV with a header line and this separator. Numbers are written with enough digits to restore the same bits.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write_csv(&self, out: impl Write, separator: u8) -> Result<()> {
        let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
        let failed = |e: csv::Error| Error::features("the table cannot be written").because(e);
        let header = FIELDS.into_iter().chain(self.matrix.columns().iter().map(String::as_str));
        writer.write_record(header).map_err(failed)?;
        for (row, values) in self.rows.iter().zip(self.matrix.values().rows()) {
            let share = row.share.map(|s| s.to_string()).unwrap_or_default();
            let label = row.label.map(|l| u8::from(l).to_string()).unwrap_or_default();
            let PageOfRow { set, id, site, url } = &*row.page;
            let [site, url] = [site, url].map(|text| text.as_deref().unwrap_or_default());
            let block = row.block.to_string();
            let fields = [set.as_str(), id, site, url, &block, &share, &label, &row.text].map(Cow::Borrowed);
            let values = values.iter().map(|value| Cow::Owned(value.to_string()));
            fields
                .into_iter()
                .chain(values)
                .try_for_each(|field: Cow<'_, str>| writer.write_field(&*field))
                .map_err(failed)?;
            writer.write_record(None::<&[u8]>).map_err(failed)?;
        }
        writer.flush().map_err(|e| Error::features("the table cannot be written").because(e))
    }

    /// Writes JSON Lines. Each block gives an object with the fields of CSV, and `features`, an object of values by column
    /// name.
    ///
    /// # Errors
    /// If writing fails.
    pub(super) fn write_json(&self, mut out: impl Write) -> Result<()> {
        for (row, values) in self.rows.iter().zip(self.matrix.values().rows()) {
            let names = self.matrix.columns().iter().cloned();
            let features: Map<String, Value> = names.zip(values.iter().map(|v| json!(v))).collect();
            let line = json!({
                "set": row.page.set, "page": row.page.id, "site": row.page.site, "url": row.page.url, "block": row.block, "share": row.share, "label": row.label, "text": row.text, "features": features,
            });
            writeln!(out, "{line}").map_err(|e| Error::features("the table cannot be written").because(e))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_features::BlockRow;
    use ndarray::Array2;
    use proptest::prelude::*;
    use threshr_features::FeatureMatrix;

    proptest! {
        #[test]
        fn csv_has_all_fields_without_loss(
            cells in prop::collection::vec(
                (any::<f32>().prop_filter("finite", |v| v.is_finite()), "[a\",\n\r é]{0,6}", any::<Option<bool>>()),
                0..20,
            )
        ) {
            let rows: Vec<_> = cells.iter().enumerate().map(|(i, (v, text, label))| BlockRow {
                page: PageOfRow { set: "s".to_owned(), id: format!("p,{text}"), site: None, url: Some(text.clone()) }.into(),
                block: i as u32,
                share: label.map(|_| v.abs().min(1.0)),
                label: *label,
                text: text.clone(),
            }).collect();
            let values = Array2::from_shape_vec((rows.len(), 1), cells.iter().map(|c| c.0).collect()).expect("shape");
            let matrix = FeatureMatrix::new(["a@-1".to_owned()].into(), values).expect("finite");
            let table = BlockTable { rows, matrix };
            let mut csv = Vec::new();
            table.write_csv(&mut csv, b',').expect("written");
            let mut reader = csv::Reader::from_reader(&csv[..]);
            prop_assert_eq!(reader.headers().expect("a header"), &["set", "page", "site", "url", "block", "share", "label", "text", "a@-1"][..]);
            let read: Vec<_> = reader.records().map(|record| record.expect("a record")).collect();
            prop_assert_eq!(read.len(), table.rows.len());
            for ((record, row), cell) in read.iter().zip(&table.rows).zip(&cells) {
                prop_assert_eq!((&record[0], &record[1]), ("s", &*row.page.id));
                prop_assert_eq!((&record[2], Some(&record[3])), ("", row.page.url.as_deref()));
                prop_assert_eq!(&record[4], &*row.block.to_string());
                prop_assert_eq!(record[5].parse::<f32>().ok(), row.share);
                prop_assert_eq!(&record[6], row.label.map_or("", |label| if label { "1" } else { "0" }));
                prop_assert_eq!((&record[7], record[8].parse::<f32>()), (&*row.text, Ok(cell.0)));
            }
        }
    }
}
