//! Reads whether an inline style shows an element, and how it lays out the text.

use crate::style::{Declared, declarations};

/// Whether an inline style shows an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The style does not hide the element.
    #[default]
    Yes,
    /// `display: none`.
    NotDisplayed,
    /// `display: none` or `visibility: hidden`, together with `position: absolute` or `fixed`, such as a menu.
    Apart,
    /// `visibility: hidden` or `collapse`. Elements inside may have `visibility: visible`.
    Invisible,
    /// `visibility: visible`. The element is shown even inside an invisible one.
    Visible,
    /// The text is clipped completely or moved off screen, so that only screen readers read it.
    Clipped,
}

/// How an inline style lays out text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Whether the style sets `display` to a value other than `none`.
    pub is_displayed: bool,
    /// How the element is part of a line; `None` if the style does not say it.
    pub inline: Option<Inline>,
    /// Whether line breaks in the text are shown. True for `white-space: pre`, `pre-wrap`, `pre-line` and
    /// `break-spaces`; false for `normal` and `nowrap`; `None` if the style does not set `white-space`.
    pub keeps_lines: Option<bool>,
}

/// How an element is part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inline {
    /// The element is text: `display: inline`.
    Text,
    /// The element is a box: `inline-block` and similar values.
    Box,
    /// The element has lines of its own: `block`, `flex` and similar values.
    Block,
}

/// Minimum distance in pixels at which text is off screen.
const OFF_SCREEN: f32 = 2999.0;
/// Minimum distance in pixels for round numbers, such as 999 or 2000. Other numbers of this size are
/// positions of slides in a slide show, which are shown later.
const ROUND_OFF_SCREEN: f32 = 999.0;
/// Minimum distance in pixels from the left or right side of the page at which text is off screen.
const BEYOND: f32 = 9000.0;
/// Maximum size in pixels of a box that is too small to show text.
const NO_SIZE: f32 = 1.0;

/// The properties of an inline style that are read.
#[derive(Debug, Default)]
struct Properties<'s> {
    display: Declared<'s>,
    visibility: Declared<'s>,
    white_space: Declared<'s>,
    position: Declared<'s>,
    sides: [Declared<'s>; 4],
    clip: Declared<'s>,
    clip_path: Declared<'s>,
    transform: Declared<'s>,
    inset: Declared<'s>,
    content: Declared<'s>,
    overflow: Declared<'s>,
    size: [Declared<'s>; 2],
    margin: Declared<'s>,
    margin_left: Declared<'s>,
    margin_top: Declared<'s>,
    translate: Declared<'s>,
}

impl<'s> Properties<'s> {
    fn read(style: &'s str) -> Self {
        let mut read = Properties::default();
        for (property, value, is_important) in declarations(style) {
            let is = |name: &str| property.eq_ignore_ascii_case(name);
            let declared = match property.as_bytes().first().map(u8::to_ascii_lowercase) {
                Some(b'd') if is("display") => &mut read.display,
                Some(b'v') if is("visibility") => &mut read.visibility,
                Some(b'w') if is("white-space") || is("white-space-collapse") => &mut read.white_space,
                Some(b'w') if is("width") => &mut read.size[0],
                Some(b'h') if is("height") => &mut read.size[1],
                Some(b'm') if is("margin") => &mut read.margin,
                Some(b'm') if is("margin-left") => &mut read.margin_left,
                Some(b'm') if is("margin-top") => &mut read.margin_top,
                Some(b't') if is("translate") => &mut read.translate,
                Some(b'p') if is("position") => &mut read.position,
                Some(b'l') if is("left") => &mut read.sides[0],
                Some(b'r') if is("right") => &mut read.sides[1],
                Some(b't') if is("top") => &mut read.sides[2],
                Some(b'b') if is("bottom") => &mut read.sides[3],
                Some(b'c') if is("clip") => &mut read.clip,
                Some(b'c') if is("clip-path") => &mut read.clip_path,
                Some(b'c') if is("content-visibility") => &mut read.content,
                Some(b't') if is("transform") => &mut read.transform,
                Some(b'i') if is("inset") => &mut read.inset,
                Some(b'o') if is("overflow") => &mut read.overflow,
                _ => continue,
            };
            declared.set(value, is_important);
        }
        read
    }

    fn shown(&self) -> Shown {
        if self.is_apart() && (self.display.is(&["none"]) || self.visibility.is(&["hidden", "collapse"])) {
            Shown::Apart
        } else if self.display.is(&["none"]) || self.content.is(&["hidden"]) {
            Shown::NotDisplayed
        } else if self.is_clipped() {
            Shown::Clipped
        } else if self.visibility.is(&["hidden", "collapse"]) {
            Shown::Invisible
        } else if self.visibility.is(&["visible"]) {
            Shown::Visible
        } else {
            Shown::Yes
        }
    }

    fn is_apart(&self) -> bool {
        self.position.is(&["absolute", "fixed"])
    }

    fn is_clipped(&self) -> bool {
        let is_cut = self.clip.value().is_some_and(is_empty_rectangle)
            || self.clip_path.value().is_some_and(is_empty_path);
        let has_no_size = |side: &Declared<'_>| side.value().and_then(pixels).is_some_and(|x| x <= NO_SIZE);
        let is_tiny = self.overflow.is(&["hidden", "clip"]) && self.size.iter().all(has_no_size);
        let is_scaled = self.transform.value().is_some_and(is_scaled_to_nothing);
        self.is_moved() || is_cut || is_tiny || is_scaled
    }

    /// Whether the element is off screen.
    fn is_moved(&self) -> bool {
        // each is a length or several
        let any_far = |lengths: &str| lengths.split([' ', ',']).any(is_off_screen);
        let is_far = |declared: &Declared<'_>| declared.value().is_some_and(any_far);
        let is_beyond = |side: &Declared<'_>| side.value().and_then(pixels).is_some_and(|x| x >= BEYOND);
        if [&self.margin, &self.margin_left, &self.margin_top].into_iter().any(is_far) {
            return true;
        }
        if self.is_apart() {
            self.sides.iter().chain([&self.inset, &self.translate]).any(is_far)
                || self.sides[..2].iter().any(is_beyond)
                || self.transform.value().and_then(translation).is_some_and(any_far)
        } else {
            self.position.is(&["relative"]) && self.sides.iter().any(is_far)
        }
    }

    fn layout(&self) -> Layout {
        let keeps = self.white_space.is(&[
            "pre",
            "pre-wrap",
            "pre-line",
            "break-spaces",
            "preserve",
            "preserve-breaks",
        ]);
        let is_box = self.display.is(&["inline-block", "inline-flex", "inline-grid", "inline-table"]);
        let is_block = || self.display.is(&["block", "flex", "grid", "table", "list-item", "flow-root"]);
        let inline = if self.display.is(&["inline"]) {
            Some(Inline::Text)
        } else if is_box {
            Some(Inline::Box)
        } else {
            is_block().then_some(Inline::Block)
        };
        Layout {
            is_displayed: self.display.value().is_some() && !self.display.is(&["none"]),
            inline,
            keeps_lines: (keeps || self.white_space.is(&["normal", "nowrap", "collapse"])).then_some(keeps),
        }
    }
}

/// Reads an inline style.
pub(crate) fn read(style: &str) -> (Shown, Layout) {
    let properties = Properties::read(style);
    (properties.shown(), properties.layout())
}

/// Whether a length moves text off screen.
fn is_off_screen(length: &str) -> bool {
    let Some(pixels) = pixels(length) else { return false };
    let digits = length.trim_start_matches('-').trim_end_matches(|c: char| !c.is_ascii_digit());
    let is_round = digits.bytes().all(|b| b == b'9') || digits.bytes().skip(1).all(|b| b == b'0');
    pixels <= -OFF_SCREEN || is_round && pixels <= -ROUND_OFF_SCREEN
}

/// Returns the arguments of the first translation in a value of `transform`.
fn translation(value: &str) -> Option<&str> {
    let (_, inside) = value.split_once("translate")?;
    let (_, inside) = inside.split_once('(')?;
    Some(inside.split(')').next().unwrap_or_default())
}

/// Whether a value of `transform` scales an element to nothing.
fn is_scaled_to_nothing(value: &str) -> bool {
    let inside = arguments(value, "scale(").map(|inside| inside.split([',', ')']).next().unwrap_or_default());
    inside.is_some_and(|factor| factor.trim().parse::<f32>() == Ok(0.0))
}

/// Returns a length in pixels. `em` and `rem` count as 16 pixels, and `%`, `vw` and `vh` as 10 pixels.
fn pixels(length: &str) -> Option<f32> {
    let end = length.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(length.len());
    let (number, unit) = length.split_at(end);
    let factor = match unit {
        "" | "px" => 1.0,
        "em" | "rem" => 16.0,
        "%" | "vw" | "vh" => 10.0,
        _ => return None,
    };
    number.trim().parse::<f32>().ok().map(|number| number * factor)
}

/// Whether a value of `clip` is a rectangle without area.
fn is_empty_rectangle(value: &str) -> bool {
    let Some(inside) = arguments(value, "rect(") else { return false };
    let mut sides = inside.split([',', ' ']).filter(|side| !side.is_empty()).map(pixels);
    let mut next = || sides.next().flatten();
    match (next(), next(), next(), next()) {
        (Some(top), Some(right), Some(bottom), Some(left)) => {
            bottom - top <= NO_SIZE || right - left <= NO_SIZE
        }
        _ => false,
    }
}

/// Whether a value of `clip-path` has an empty area: an `inset` whose opposite sides meet, a circle or ellipse with
/// radius 0, or a polygon whose points are all equal.
fn is_empty_path(value: &str) -> bool {
    let percent =
        |text: &str| text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f32>().ok());
    if let Some(inside) = arguments(value, "inset(") {
        let mut sides = inside.split_ascii_whitespace().map(|side| percent(side).unwrap_or(0.0));
        // a missing side has the value of the opposite side, or of the first
        let top = sides.next().unwrap_or(0.0);
        let right = sides.next().unwrap_or(top);
        let bottom = sides.next().unwrap_or(top);
        let left = sides.next().unwrap_or(right);
        return top + bottom >= 100.0 || left + right >= 100.0;
    }
    if let Some(inside) = arguments(value, "polygon(") {
        let mut points = inside.split(',').map(str::trim);
        let first = points.next();
        return points.all(|point| Some(point) == first);
    }
    let radius = arguments(value, "circle(").or_else(|| arguments(value, "ellipse("));
    radius.and_then(|inside| inside.split_ascii_whitespace().next()).and_then(pixels) == Some(0.0)
}

/// Returns the arguments of a function such as `rect(`.
fn arguments<'v>(value: &'v str, function: &str) -> Option<&'v str> {
    let name = value.get(..function.len())?;
    name.eq_ignore_ascii_case(function).then(|| value[function.len()..].trim_end().trim_end_matches(')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_hide_and_show() {
        for (style, shown) in [
            ("color:red;display: NONE !important", Shown::NotDisplayed),
            ("visibility:hidden", Shown::Invisible),
            ("visibility:collapse", Shown::Invisible),
            ("visibility:hidden;position:absolute", Shown::Apart),
            ("visibility:hidden;visibility:visible", Shown::Visible),
            ("display:none;display:block", Shown::Yes),
            ("display:block;overflow:hidden", Shown::Yes),
            ("x-display:none", Shown::Yes),
            ("clip:rect(0 0 0 0)", Shown::Clipped),
            ("clip: RECT(1px, 1px, 1px, 1px); position: absolute", Shown::Clipped),
            ("clip:rect(0px,60px,200px,0px)", Shown::Yes),
            ("clip:rect(auto,auto,auto,auto)", Shown::Yes),
            ("clip-path: inset(50%)", Shown::Clipped),
            ("clip-path:inset(100% 100% 50% 50%)", Shown::Clipped),
            ("clip-path:inset(0 100% 0 0)", Shown::Clipped),
            ("clip-path:inset(0 50%)", Shown::Clipped),
            ("clip-path:inset(60% 0 10%)", Shown::Yes),
            ("clip-path:inset(5%)", Shown::Yes),
            ("position:relative;left:-9999px", Shown::Clipped),
            ("position:relative;left:-12px", Shown::Yes),
            ("position:absolute;left:9999px", Shown::Clipped),
            ("position:absolute;left:3000px", Shown::Yes),
            ("position:absolute;top:9999px", Shown::Yes),
            ("margin:0 0 0 -9999px", Shown::Clipped),
            ("margin-top:-9999px", Shown::Clipped),
            ("margin-left:-9999px;margin-top:0", Shown::Clipped),
            ("margin:-12px auto", Shown::Yes),
            ("transform:scale(0)", Shown::Clipped),
            ("transform:scale(0.5)", Shown::Yes),
            ("position:absolute;translate:-9999px 0", Shown::Clipped),
            ("clip-path:inset(0)", Shown::Yes),
            ("clip-path:circle(0)", Shown::Clipped),
            ("clip-path:circle(40%)", Shown::Yes),
            ("position:absolute;left:-9999px", Shown::Clipped),
            ("position:fixed;top:-10000em", Shown::Clipped),
            ("left:-9999px", Shown::Yes),
            ("position:absolute;inset:-9999px auto auto -9999px", Shown::Clipped),
            ("position:absolute;inset:0", Shown::Yes),
            ("position:absolute;transform:translateX(-9999px)", Shown::Clipped),
            ("position:absolute;transform:translate(0px, -9999px)", Shown::Clipped),
            ("transform:translateX(-9999px)", Shown::Yes),
            ("position:absolute;transform:translate(-50%, -50%)", Shown::Yes),
            ("content-visibility:hidden", Shown::NotDisplayed),
            ("position:absolute;left:-1200px", Shown::Yes),
            ("position:absolute;left:-999px", Shown::Clipped),
            ("position:absolute;left:-2000px", Shown::Clipped),
            ("margin-left:-9999px", Shown::Clipped),
            ("margin-left:-20px", Shown::Yes),
            ("clip-path:polygon(0 0, 0 0, 0 0)", Shown::Clipped),
            ("clip-path:polygon(0 0, 100% 0, 50% 50%)", Shown::Yes),
            // an element with this style shows an image of its text
            ("text-indent:-9999px", Shown::Yes),
            ("width:1px;height:1px;overflow:hidden", Shown::Clipped),
            ("width:0;height:0;overflow:hidden", Shown::Clipped),
            ("width:1px;height:1px", Shown::Yes),
            ("height:0;overflow:hidden", Shown::Yes),
        ] {
            assert_eq!(read(style).0, shown, "{style}");
        }
    }

    #[test]
    fn styles_lay_out() {
        let lines = |style: &str| read(style).1.keeps_lines;
        assert_eq!(
            [lines("white-space:PRE-WRAP"), lines("white-space:nowrap"), lines("")],
            [Some(true), Some(false), None]
        );
        assert!(
            read("display:inline-block").1.inline == Some(Inline::Box)
                && read("display:block").1.inline == Some(Inline::Block)
        );
    }
}
