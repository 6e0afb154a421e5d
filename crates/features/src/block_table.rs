//! A feature matrix with its blocks, as CSV and JSON Lines.

use crate::FeatureMatrix;
use ndarray::Array2;
use serde_json::{Map, Value, json};
use std::io::{Read, Write};
use std::sync::Arc;
use threshr_core::{Error, Result};

/// The block of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockRow {
    /// Id of the page.
    pub page: String,
    /// Index of the block in the page.
    pub block: u32,
    /// Share of the block's tokens that are content by the gold standard, if there is one.
    pub share: Option<f32>,
    /// The label by the share.
    pub label: Option<bool>,
    /// The block's text.
    pub text: String,
}

/// Blocks and their features.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockTable {
    /// The blocks.
    pub rows: Vec<BlockRow>,
    /// Their features, in the same order.
    pub matrix: FeatureMatrix,
}

/// Columns before the features.
const FIELDS: [&str; 5] = ["page", "block", "share", "label", "text"];

impl BlockTable {
    /// Writes CSV with a header line. Numbers are read back without loss.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write_csv(&self, out: impl Write) -> Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        let failed = |e: csv::Error| Error::features("the table cannot be written").because(e);
        let header = FIELDS.into_iter().chain(self.matrix.columns().iter().map(String::as_str));
        writer.write_record(header).map_err(failed)?;
        for (row, values) in self.rows.iter().zip(self.matrix.values().rows()) {
            let share = row.share.map(|s| s.to_string()).unwrap_or_default();
            let label = row.label.map(|l| u8::from(l).to_string()).unwrap_or_default();
            let fields = [row.page.clone(), row.block.to_string(), share, label, row.text.clone()];
            writer
                .write_record(fields.into_iter().chain(values.iter().map(f32::to_string)))
                .map_err(failed)?;
        }
        writer.flush().map_err(|e| Error::features("the table cannot be written").because(e))
    }

    /// Reads the CSV of [`BlockTable::write_csv`].
    ///
    /// # Errors
    /// Reading fails or a field is invalid; the error has its line and column.
    pub fn read_csv(input: impl Read) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(input);
        let failed = |e: csv::Error| {
            let line = e.position().map_or(1, csv::Position::line);
            Error::features(format!("not a table of blocks: {e}")).at_line(line)
        };
        let header = reader.headers().map_err(failed)?.clone();
        if header.iter().take(FIELDS.len()).ne(FIELDS) {
            return Err(Error::features("the header is not the header of a table of blocks")
                .expected(format!("{} and the names of the features", FIELDS.join(",")))
                .at_line(1));
        }
        let columns: Arc<[String]> = header.iter().skip(FIELDS.len()).map(str::to_owned).collect();
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(failed)?;
            let line = record.position().map_or(0, csv::Position::line);
            let number = |i: usize| -> Result<Option<f32>> {
                match record.get(i).unwrap_or("") {
                    "" => Ok(None),
                    field => field.parse().map(Some).map_err(|_| {
                        Error::features(format!("`{field}` is not a number"))
                            .at_line(line)
                            .at_column(&header[i])
                    }),
                }
            };
            rows.push(BlockRow {
                page: record[0].to_owned(),
                block: record[1].parse().map_err(|_| {
                    Error::features(format!("`{}` is not the index of a block", &record[1]))
                        .at_line(line)
                        .at_column("block")
                })?,
                share: number(2)?,
                label: number(3)?.map(|l| l > 0.5),
                text: record[4].to_owned(),
            });
            for i in FIELDS.len()..header.len() {
                let missing = || {
                    Error::features("the field is empty")
                        .expected("a number")
                        .at_line(line)
                        .at_column(&header[i])
                };
                values.push(number(i)?.ok_or_else(missing)?);
            }
        }
        let values = Array2::from_shape_vec((rows.len(), columns.len()), values)
            .map_err(|e| Error::features("the rows differ in length").because(e))?;
        Ok(Self { rows, matrix: FeatureMatrix::new(columns, values)? })
    }

    /// Writes JSON Lines: an object with page, block, share, label, text, and `features` by name for each
    /// block.
    ///
    /// # Errors
    /// Writing fails.
    pub fn write_json(&self, mut out: impl Write) -> Result<()> {
        for (row, values) in self.rows.iter().zip(self.matrix.values().rows()) {
            let names = self.matrix.columns().iter().cloned();
            let features: Map<String, Value> = names.zip(values.iter().map(|v| json!(v))).collect();
            let line = json!({
                "page": row.page, "block": row.block, "share": row.share, "label": row.label, "text": row.text, "features": features,
            });
            writeln!(out, "{line}").map_err(|e| Error::features("the table cannot be written").because(e))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn csv_is_read_back_without_loss(
            cells in prop::collection::vec((any::<f32>().prop_filter("finite", |v| v.is_finite()), "[a\",\n\r é]{0,6}", any::<Option<bool>>()), 0..20)
        ) {
            let rows: Vec<_> = cells.iter().enumerate().map(|(i, (v, text, label))| BlockRow {
                page: format!("p,{text}"), block: i as u32, share: label.map(|_| v.abs().min(1.0)), label: *label, text: text.clone(),
            }).collect();
            let values: Vec<f32> = cells.iter().flat_map(|c| [c.0, -c.0 / 3.0]).collect();
            let values = Array2::from_shape_vec((rows.len(), 2), values).expect("shape");
            let matrix = FeatureMatrix::new(["a".to_owned(), "b@-1".to_owned()].into(), values).expect("finite");
            let table = BlockTable { rows, matrix };
            let mut csv = Vec::new();
            table.write_csv(&mut csv).expect("written");
            prop_assert_eq!(BlockTable::read_csv(&csv[..]).expect("read"), table);
        }
    }

    #[test]
    fn errors_have_line_and_column() {
        let read = |s: &str| BlockTable::read_csv(s.as_bytes()).expect_err("an error").to_string();
        assert!(read("x,y\n").contains("line 1"));
        let e = read("page,block,share,label,text,a\np,0,,,t,1\np,1,,,t,x\n");
        assert!(e.contains("line 3: column a: `x` is not a number"), "{e}");
    }
}
