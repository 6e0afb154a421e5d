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
/// Additional height of a row whose name is above its bar.
const NAME: f64 = 16.0;
const TOP: f64 = 8.0;
/// Width reserved for the texts to the right of the bars.
const RIGHT: f64 = 150.0;
/// Average width of a character in the names.
const CHAR: f64 = 6.9;
/// Maximum number of characters of a name beside its bar. If a name is longer, all names are above the bars.
const MAX_BESIDE: usize = 38;
/// Maximum number of characters of a name above its bar.
const MAX_NAME: usize = 110;

/// Template values of a chart, with the coordinates of its elements.
#[derive(Template)]
#[template(path = "bars.svg")]
struct Chart<'a> {
    rows: Vec<Row<'a>>,
    ticks: Vec<(f64, String)>,
    axis: &'a str,
    label: &'a str,
    left: f64,
    /// Whether names are above their bars.
    has_names_above: bool,
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
    let longest = bars.iter().map(|b| b.name.chars().count()).max().unwrap_or(0).max(8);
    let has_names_above = longest > MAX_BESIDE;
    let (left, above) = if has_names_above { (14.0, NAME) } else { (longest as f64 * CHAR + 14.0, 0.0) };
    let x = |value: f64| left + scale.share(value) * (WIDTH - RIGHT - left);
    let row = |(i, bar): (usize, &'a Bar)| {
        let value = if bar.value.is_finite() { bar.value } else { 0.0 };
        let (from, to) = (x(value.min(0.0)), x(value.max(0.0)));
        let has_interval = bar.low.is_finite() && bar.high.is_finite();
        let interval = has_interval.then(|| (x(bar.low), x(bar.high)));
        let end = interval.map_or(to, |(_, high)| to.max(high));
        Row {
            bar,
            middle: TOP + (ROW + above) * i as f64 + above + 0.5 * ROW,
            from,
            width: (to - from).max(0.5),
            interval,
            end,
        }
    };
    let chart = Chart {
        rows: bars.iter().enumerate().map(row).collect(),
        ticks: scale.ticks().into_iter().map(|(value, text)| (x(value), text)).collect(),
        axis,
        label,
        left,
        has_names_above,
        bottom: TOP + (ROW + above) * bars.len() as f64,
        zero: x(0.0),
    };
    chart.to_string()
}
