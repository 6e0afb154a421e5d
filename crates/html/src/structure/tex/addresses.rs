//! TeX in the URLs of images that formula services render.

use super::MAX_TEX;
use percent_encoding::percent_decode_str;

/// Formula services: a substring of the URL, the name of the parameter that contains the TeX (empty if the
/// TeX follows the first `?`), and whether `+` means a space.
const SERVICES: [(&str, &str, bool); 10] = [
    ("latex.php", "latex=", true),
    ("codecogs.com", "", false),
    ("mathtex.cgi", "", false),
    ("mimetex.cgi", "", false),
    ("mimetex", "", false),
    ("chart?cht=tx", "chl=", true),
    ("render/math", "math=", true),
    ("/equation?", "tex=", true),
    ("math.vercel.app", "from=", true),
    ("upmath.me/", "/svg/", false),
];

/// Whether the URL of an image is one of a formula service.
pub(in crate::structure) fn is_service(address: &str) -> bool {
    address.contains("/math/render/") || SERVICES.iter().any(|service| address.contains(service.0))
}

/// The TeX in the URL of an image from a formula service.
pub(in crate::structure) fn of_address(address: &str) -> Option<String> {
    if address.len() > 2 * MAX_TEX {
        return None;
    }
    let &(_, name, plus_is_space) = SERVICES.iter().find(|service| address.contains(service.0))?;
    let tex = if name.is_empty() {
        address.split_once('?')?.1
    } else if name.starts_with('/') {
        address.split_once(name)?.1
    } else {
        let (_, query) = address.split_once('?')?;
        query.split('&').find_map(|part| part.trim_start_matches("amp;").strip_prefix(name))?
    };
    let tex = if plus_is_space { tex.replace('+', " ") } else { tex.replace("&space;", " ") };
    let tex = percent_decode_str(&tex).decode_utf8_lossy();
    // Settings of the image precede the formula.
    let mut tex = tex.trim();
    while let Some(rest) = without_setting(tex) {
        tex = rest.trim_start();
    }
    let looks_right = !tex.is_empty() && (name.is_empty() || !tex.contains("://"));
    looks_right.then(|| tex.to_owned())
}

/// The TeX after a setting of size or colour; `None` if it does not begin with a setting.
fn without_setting(tex: &str) -> Option<&str> {
    const SIZES: [&str; 11] = [
        "\\inline",
        "\\tiny",
        "\\small",
        "\\normalsize",
        "\\large",
        "\\Large",
        "\\LARGE",
        "\\huge",
        "\\Huge",
        "\\displaystyle",
        "\\bg_white",
    ];
    let is_end = |rest: &&str| !rest.starts_with(|c: char| c.is_ascii_alphabetic());
    if let Some(rest) = SIZES.iter().find_map(|size| tex.strip_prefix(size).filter(is_end)) {
        return Some(rest);
    }
    let rest =
        ["\\dpi{", "\\fn_", "\\bg{", "\\bg_", "\\opaque"].iter().find_map(|name| tex.strip_prefix(name))?;
    rest.split_once(|c: char| c == '}' || c.is_whitespace()).map(|(_, tex)| tex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_tex() {
        for (address, tex) in [
            (
                "https://latex.codecogs.com/gif.latex?%5Cdpi%7B120%7D%20%5Clarge%20x%5E2&space;+1",
                Some("x^2 +1"),
            ),
            ("/cgi-bin/mathtex.cgi?\\alpha", Some("\\alpha")),
            ("//s0.wp.com/latex.php?bg=fff&latex=a+%2B+b&s=0", Some("a + b")),
            ("https://chart.googleapis.com/chart?cht=tx&chl=x%5E2", Some("x^2")),
            ("https://www.zhihu.com/equation?tex=a%2Bb", Some("a+b")),
            ("/img/latex/glove.png", None),
            ("https://latex.codecogs.com/", None),
            ("/equation?id=3", None),
            ("/equation?tex=a%e4%zz%", Some("a\u{fffd}%zz%")),
            // the space after a setting has three bytes
            ("/equation?tex=%5Cfn_cm%E3%80%80x", Some("x")),
        ] {
            assert_eq!(of_address(address).as_deref(), tex, "{address}");
        }
    }
}
