//! Chart axes: map values to relative positions.

/// An axis with its lowest and highest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    pub low: f64,
    pub high: f64,
}

impl Scale {
    /// A linear axis from `low` to `high`.
    pub(super) fn linear(low: f64, high: f64) -> Self {
        Scale { low, high: if high > low { high } else { low + 1.0 } }
    }

    /// Returns a linear axis that contains all values and whose ends are multiples of a round step.
    pub(super) fn around(values: impl Iterator<Item = f64> + Clone) -> Self {
        let finite = values.filter(|v| v.is_finite());
        let low = finite.clone().fold(f64::INFINITY, f64::min);
        let high = finite.fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Scale::linear(0.0, 1.0);
        }
        let step = round_step((high - low).max(1e-6) / 5.0);
        Scale::linear((low / step).floor() * step, (high / step).ceil() * step)
    }

    /// Relative position of a value: 0 at the low end, 1 at the high end. Values outside the axis are clamped to
    /// its ends.
    pub(super) fn share(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// Returns round values on the axis with their labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / 5.0);
        let digits = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        // ticks are multiples of the step, so that rounding errors do not accumulate
        (first..=last.min(first + 50)).map(|i| (i as f64 * step, text(i as f64 * step, digits))).collect()
    }
}

fn text(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.trim_start_matches('-').bytes().all(|b| b == b'0' || b == b'.') {
        "0".to_owned()
    } else {
        text.replace('-', "−")
    }
}

/// Returns the smallest number that is at least `step` and is 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let found = [1.0, 2.0, 5.0].into_iter().find(|m| m * power >= step * (1.0 - 1e-9));
    found.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(texts(Scale::linear(0.0, 1.0)), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(Scale::linear(-0.05, 0.1)), ["−0.05", "0", "0.05", "0.10"]);
        assert_eq!(texts(Scale::linear(3.0, 3.0)), ["3.0", "3.2", "3.4", "3.6", "3.8", "4.0"]);
    }

    #[test]
    fn shares_lie_between_the_ends() {
        let unit = Scale::linear(0.0, 100.0);
        assert!((unit.share(50.0) - 0.5).abs() < 1e-12);
        assert_eq!((unit.share(-1.0), unit.share(1e9), unit.share(f64::NAN)), (0.0, 1.0, 0.0));
        let around = Scale::around([0.912, 0.938, f64::NAN].into_iter());
        assert!((around.low - 0.91).abs() < 1e-9 && (around.high - 0.94).abs() < 1e-9, "{around:?}");
        assert_eq!(Scale::around(std::iter::empty()), Scale::linear(0.0, 1.0));
    }
}
