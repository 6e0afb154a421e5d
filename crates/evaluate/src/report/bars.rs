//! Bar charts: horizontal bars with intervals.

use crate::report::markup::{escape, place};
use crate::report::scale::Scale;
use std::fmt::Write;

/// A bar that starts at 0.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub name: String,
    pub value: f64,
    /// Ends of the interval; NaN without an interval.
    pub low: f64,
    pub high: f64,
    /// CSS class: `method`, `bound` or `base`.
    pub class: &'static str,
    /// Text at the end of the bar.
    pub text: String,
}

const WIDTH: f64 = 760.0;
const ROW: f64 = 26.0;
const TOP: f64 = 8.0;
/// Space for the texts at the right.
const RIGHT: f64 = 150.0;
/// Average width of a character of a name.
const CHAR: f64 = 6.9;
/// Longer names are cut.
const MAX_NAME: usize = 38;

/// A bar chart. The scale must contain 0.
pub(crate) fn bars(bars: &[Bar], axis: &str, scale: Scale, label: &str) -> String {
    let longest = bars.iter().map(|b| b.name.chars().count()).max().unwrap_or(0).clamp(8, MAX_NAME);
    let left = longest as f64 * CHAR + 14.0;
    let bottom = TOP + ROW * bars.len() as f64;
    let x = |value: f64| left + scale.share(value) * (WIDTH - RIGHT - left);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n",
        place(bottom + 40.0),
        escape(label)
    );
    for (value, text) in scale.ticks() {
        let at = place(x(value));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{at}\" y1=\"{TOP}\" x2=\"{at}\" y2=\"{0}\"/><text class=\"tick\" x=\"{at}\" y=\"{1}\" text-anchor=\"middle\">{text}</text>",
            place(bottom),
            place(bottom + 15.0),
        );
    }
    for (i, bar) in bars.iter().enumerate() {
        draw(&mut out, bar, TOP + ROW * i as f64, left, &x);
    }
    let zero = place(x(0.0));
    let _ = writeln!(
        out,
        "<line class=\"axis\" x1=\"{zero}\" y1=\"{TOP}\" x2=\"{zero}\" y2=\"{}\"/><text class=\"label\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n</svg>",
        place(bottom),
        place((left + WIDTH - RIGHT) / 2.0),
        place(bottom + 33.0),
        escape(axis)
    );
    out
}

fn draw(out: &mut String, bar: &Bar, top: f64, left: f64, x: &impl Fn(f64) -> f64) {
    let middle = top + ROW / 2.0;
    let value = if bar.value.is_finite() { bar.value } else { 0.0 };
    let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
    let name: String = match bar.name.chars().count() > MAX_NAME {
        true => bar.name.chars().take(MAX_NAME - 1).chain(['…']).collect(),
        false => bar.name.clone(),
    };
    let _ = write!(
        out,
        "<g><title>{}: {}</title><text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
        escape(&bar.name),
        escape(&bar.text),
        place(left - 8.0),
        place(middle + 4.0),
        escape(&name),
        bar.class,
        place(from),
        place(top + 5.0),
        place((to - from).max(0.5)),
        place(ROW - 10.0),
    );
    let mut end = to;
    if bar.low.is_finite() && bar.high.is_finite() {
        let (low, high) = (x(bar.low), x(bar.high));
        end = end.max(high);
        let (y0, y1) = (place(middle - 4.0), place(middle + 4.0));
        let _ = write!(
            out,
            "<path class=\"interval\" d=\"M{l} {m}H{h}M{l} {y0}V{y1}M{h} {y0}V{y1}\"/>",
            l = place(low),
            h = place(high),
            m = place(middle)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"value\" x=\"{}\" y=\"{}\">{}</text></g>",
        place(end + 7.0),
        place(middle + 4.0),
        escape(&bar.text)
    );
}
