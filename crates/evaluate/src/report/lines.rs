//! Line charts. Each line has its own colour, dash pattern and marker.

use crate::report::markup::{escape, place};
use crate::report::scale::Scale;
use std::fmt::Write;

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
const LEFT: f64 = 64.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 48.0;

/// Draws the first [`MAX_SERIES`] lines, with a legend at the right.
pub(crate) fn lines(series: &[Series], frame: &Frame, label: &str) -> String {
    let x = |v: f64| LEFT + frame.x.share(v) * (WIDTH - LEFT - RIGHT);
    let y = |v: f64| HEIGHT - BOTTOM - frame.y.share(v) * (HEIGHT - TOP - BOTTOM);
    let mut out =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n", escape(label));
    axes(&mut out, frame, &x, &y);
    if frame.diagonal {
        let (x0, x1, y0, y1) = (x(frame.x.low), x(frame.x.high), y(frame.y.low), y(frame.y.high));
        let _ = writeln!(
            out,
            "<path class=\"even\" d=\"M{} {}L{} {}\"/>",
            place(x0),
            place(y0),
            place(x1),
            place(y1)
        );
    }
    if let Some((at, text)) = &frame.mark {
        let at = place(x(*at));
        let _ = writeln!(
            out,
            "<path class=\"even\" d=\"M{at} {TOP}V{}\"/><text class=\"tick\" x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            place(HEIGHT - BOTTOM),
            place(TOP - 4.0),
            escape(text)
        );
    }
    for (i, one) in series.iter().take(MAX_SERIES).enumerate() {
        draw(&mut out, one, i, &x, &y);
        legend(&mut out, &one.name, i);
    }
    out.push_str("</svg>\n");
    out
}

fn axes(out: &mut String, frame: &Frame, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) {
    let (right, bottom) = (place(WIDTH - RIGHT), place(HEIGHT - BOTTOM));
    for (value, text) in frame.y.ticks() {
        let at = place(y(value));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{at}\" x2=\"{right}\" y2=\"{at}\"/><text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{text}</text>",
            place(LEFT - 7.0),
            place(y(value) + 4.0)
        );
    }
    for (value, text) in frame.x.ticks() {
        let at = place(x(value));
        let _ = writeln!(
            out,
            "<line class=\"grid\" x1=\"{at}\" y1=\"{TOP}\" x2=\"{at}\" y2=\"{bottom}\"/><text class=\"tick\" x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{text}</text>",
            place(HEIGHT - BOTTOM + 16.0)
        );
    }
    let (middle_x, middle_y) = (place((LEFT + WIDTH - RIGHT) / 2.0), place((TOP + HEIGHT - BOTTOM) / 2.0));
    let _ = writeln!(
        out,
        "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/><text class=\"label\" x=\"{middle_x}\" y=\"{}\" text-anchor=\"middle\">{}</text><text class=\"label\" x=\"16\" y=\"{middle_y}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle_y})\">{}</text>",
        place(HEIGHT - 10.0),
        escape(frame.x_label),
        escape(&frame.y_label)
    );
}

fn draw(out: &mut String, series: &Series, index: usize, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) {
    let finite = || series.points.iter().filter(|p| p.x.is_finite() && p.y.is_finite());
    let path: Vec<String> = finite().map(|p| format!("{} {}", place(x(p.x)), place(y(p.y)))).collect();
    if path.is_empty() {
        return;
    }
    let _ = writeln!(out, "<g class=\"s{index}\"><title>{}</title>", escape(&series.name));
    let _ = writeln!(out, "<path class=\"line\" d=\"M{}\"/>", path.join("L"));
    for p in finite().filter(|p| p.low.is_finite() && p.high.is_finite()) {
        let at = x(p.x);
        let (low, high) = (place(y(p.low)), place(y(p.high)));
        let (l, r) = (place(at - 3.0), place(at + 3.0));
        let _ = writeln!(
            out,
            "<path class=\"whisker\" d=\"M{at} {low}V{high}M{l} {low}H{r}M{l} {high}H{r}\"/>",
            at = place(at)
        );
    }
    for p in finite().filter(|_| series.marked) {
        out.push_str(&marker(index, x(p.x), y(p.y)));
    }
    out.push_str("</g>\n");
}

/// The marker of a line: circle, square or triangle.
fn marker(index: usize, x: f64, y: f64) -> String {
    let (px, py) = (place(x), place(y));
    match index % 3 {
        0 => format!("<circle class=\"dot\" cx=\"{px}\" cy=\"{py}\" r=\"3.6\"/>\n"),
        1 => format!(
            "<rect class=\"dot\" x=\"{}\" y=\"{}\" width=\"6.6\" height=\"6.6\"/>\n",
            place(x - 3.3),
            place(y - 3.3)
        ),
        _ => format!("<path class=\"dot\" d=\"M{px} {}l4.2 7.4h-8.4z\"/>\n", place(y - 4.6)),
    }
}

fn legend(out: &mut String, name: &str, index: usize) {
    let (x, y) = (WIDTH - RIGHT + 16.0, TOP + 12.0 + 24.0 * index as f64);
    let short: String = match name.chars().count() > 25 {
        true => name.chars().take(24).chain(['…']).collect(),
        false => name.to_owned(),
    };
    let _ = writeln!(
        out,
        "<g class=\"s{index}\"><title>{}</title><path class=\"line\" d=\"M{} {y}h22\"/>{}</g><text class=\"legend\" x=\"{}\" y=\"{}\">{}</text>",
        escape(name),
        place(x),
        marker(index, x + 11.0, y).trim_end(),
        place(x + 30.0),
        place(y + 4.0),
        escape(&short),
        y = place(y),
    );
}
