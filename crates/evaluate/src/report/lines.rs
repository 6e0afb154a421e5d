//! Line charts. Each line has its own colour, dash pattern and marker.

use crate::report::filters;
use crate::report::scale::Scale;
use askama::Template;

/// A point with an interval; its ends are NaN without an interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

impl Point {
    /// A point without an interval.
    pub(super) fn without_interval(x: f64, y: f64) -> Self {
        Point { x, y, low: f64::NAN, high: f64::NAN }
    }
}

/// A line of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub name: String,
    pub points: Vec<Point>,
    /// Whether points have markers.
    pub marked: bool,
}

/// Axes, labels and reference lines of a chart.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub x: Scale,
    pub y: Scale,
    pub x_label: &'static str,
    pub y_label: String,
    /// Whether to draw the diagonal, where x equals y.
    pub diagonal: bool,
    /// A marked value of x, with a label.
    pub mark: Option<(f64, String)>,
}

/// Maximum number of lines; more colours are hard to distinguish.
pub(crate) const MAX_SERIES: usize = 6;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
// the field of the lines
const LEFT: f64 = 64.0;
const RIGHT: f64 = 550.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 312.0;
/// Where the legend begins.
const LEGEND: f64 = 566.0;
/// Longer names are cut in the legend.
const MAX_NAME: usize = 25;

/// A chart with the places of its parts.
#[derive(Template)]
#[template(path = "lines.svg")]
struct Chart<'a> {
    frame: &'a Frame,
    label: &'a str,
    x_ticks: Vec<(f64, String)>,
    y_ticks: Vec<(f64, String)>,
    mark: Option<(f64, &'a str)>,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    index: usize,
    name: &'a str,
    marked: bool,
    points: Vec<Point>,
    /// The height of its legend.
    legend: f64,
}

/// Draws the first [`MAX_SERIES`] lines, with a legend at the right.
pub(crate) fn lines<'a>(series: &'a [Series], frame: &'a Frame, label: &'a str) -> String {
    let x = |v: f64| LEFT + frame.x.share(v) * (RIGHT - LEFT);
    let y = |v: f64| BOTTOM - frame.y.share(v) * (BOTTOM - TOP);
    let drawn = |p: &Point| {
        let height = |v: f64| if v.is_finite() { y(v) } else { f64::NAN };
        Point { x: x(p.x), y: y(p.y), low: height(p.low), high: height(p.high) }
    };
    let line = |(index, one): (usize, &'a Series)| Line {
        index,
        name: &one.name,
        marked: one.marked,
        points: one.points.iter().filter(|p| p.x.is_finite() && p.y.is_finite()).map(drawn).collect(),
        legend: TOP + 12.0 + 24.0 * index as f64,
    };
    let chart = Chart {
        frame,
        label,
        x_ticks: frame.x.ticks().into_iter().map(|(value, text)| (x(value), text)).collect(),
        y_ticks: frame.y.ticks().into_iter().map(|(value, text)| (y(value), text)).collect(),
        mark: frame.mark.as_ref().map(|(at, text)| (x(*at), text.as_str())),
        lines: series.iter().take(MAX_SERIES).enumerate().map(line).collect(),
    };
    chart.to_string()
}
