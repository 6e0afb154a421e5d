//! Units → plain text.

use crate::units::{Kind, Unit, walk};

/// Returns the kept units as plain text: one line for each paragraph, heading and cell. A unit with line
/// breaks has several lines. Code keeps its indentation and empty lines.
pub fn text(units: &[Unit]) -> String {
    let mut out = String::new();
    walk(units, &mut |unit: &Unit| {
        if !unit.kept || unit.inlines.text.is_empty() {
            return;
        }
        let is_code = matches!(unit.kind, Kind::Code { .. });
        for line in unit.inlines.text.lines().map(str::trim_end).filter(|line| is_code || !line.is_empty()) {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(line);
        }
    });
    out
}
