//! Bar charts: horizontal bars with intervals.

use crate::report::filters;
use crate::report::scale::Scale;
use askama::Template;

/// A horizontal bar that starts at the value 0.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub name: String,
    pub value: f64,
    /// Lower and upper end of the interval; NaN if there is no interval.
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
/// Width reserved for the texts to the right of the bars.
const RIGHT: f64 = 150.0;
/// Average width of a character in the names.
const CHAR: f64 = 6.9;
/// Maximum number of characters of a name. Longer names are truncated.
const MAX_NAME: usize = 38;

/// Template values of a chart, with the coordinates of its elements.
#[derive(Template)]
#[template(path = "bars.svg")]
struct Chart<'a> {
    rows: Vec<Row<'a>>,
    ticks: Vec<(f64, String)>,
    axis: &'a str,
    label: &'a str,
    left: f64,
    bottom: f64,
    zero: f64,
}

struct Row<'a> {
    bar: &'a Bar,
    middle: f64,
    from: f64,
    width: f64,
    interval: Option<(f64, f64)>,
    /// Horizontal coordinate of the end of the bar or its interval.
    end: f64,
}

/// Renders a bar chart as SVG. `scale` must contain 0.
pub(crate) fn bars<'a>(bars: &'a [Bar], axis: &'a str, scale: Scale, label: &'a str) -> String {
    let longest = bars.iter().map(|b| b.name.chars().count()).max().unwrap_or(0).clamp(8, MAX_NAME);
    let left = longest as f64 * CHAR + 14.0;
    let x = |value: f64| left + scale.share(value) * (WIDTH - RIGHT - left);
    let row = |(i, bar): (usize, &'a Bar)| {
        let value = if bar.value.is_finite() { bar.value } else { 0.0 };
        let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
        let has_interval = bar.low.is_finite() && bar.high.is_finite();
        let interval = has_interval.then(|| (x(bar.low), x(bar.high)));
        let end = interval.map_or(to, |(_, high)| to.max(high));
        Row { bar, middle: TOP + ROW * (i as f64 + 0.5), from, width: (to - from).max(0.5), interval, end }
    };
    let chart = Chart {
        rows: bars.iter().enumerate().map(row).collect(),
        ticks: scale.ticks().into_iter().map(|(value, text)| (x(value), text)).collect(),
        axis,
        label,
        left,
        bottom: TOP + ROW * bars.len() as f64,
        zero: x(0.0),
    };
    chart.to_string()
}
