//! Inline styles.

/// Returns the properties and values of an inline style, without `!important`.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let declarations = style.split(';').filter_map(|d| d.split_once(':'));
    declarations.map(|(property, value)| (property.trim(), value.split('!').next().unwrap_or("").trim()))
}

/// Whether an inline style has `display:none` or `visibility:hidden` (or `collapse`).
pub(crate) fn hides(style: &str) -> bool {
    declarations(style).any(|(property, value)| {
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        match property {
            p if p.eq_ignore_ascii_case("display") => is("none"),
            p if p.eq_ignore_ascii_case("visibility") => is("hidden") || is("collapse"),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::hides;

    #[test]
    fn reads_inline_styles() {
        assert!(hides("color:red;display: NONE !important"));
        assert!(hides("visibility:hidden"));
        assert!(!hides("display:block;overflow:hidden"));
        assert!(!hides("x-display:none"));
    }
}
