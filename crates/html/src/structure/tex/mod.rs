//! TeX in text, attributes and URLs: finds its delimiters, and distinguishes TeX from words.

mod addresses;

pub(super) use addresses::{is_service, of_address};

use crate::{Document, NodeId, Tag};

/// Sorted environments that are display formulas, without their starred forms.
const ENVIRONMENTS: [&str; 12] = [
    "CD",
    "align",
    "alignat",
    "dgroup",
    "displaymath",
    "eqnarray",
    "equation",
    "flalign",
    "gather",
    "math",
    "multline",
    "xalignat",
];

/// Sorted environments that are part of a formula in LaTeX, and that scripts render anywhere.
const PARTS: [&str; 14] = [
    "Bmatrix",
    "Vmatrix",
    "aligned",
    "alignedat",
    "array",
    "bmatrix",
    "cases",
    "gathered",
    "matrix",
    "pmatrix",
    "smallmatrix",
    "split",
    "subarray",
    "vmatrix",
];

/// Maximum length of a formula in text, in bytes.
const MAX_TEX: usize = 5_000;
/// Maximum number of pairs of delimiters per page, and maximum length of a delimiter in bytes.
const MAX_PAIRS: usize = 24;
const MAX_DELIMITER: usize = 16;
/// Maximum number of bytes of a script setting that are read.
const MAX_SETTING: usize = 1_000;

/// The delimiters of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The delimiter before a formula.
    pub open: String,
    /// The delimiter after the formula.
    pub close: String,
    /// Whether the delimiters enclose a display formula.
    pub is_display: bool,
}

/// The delimiters of formulas in the text of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delimiters {
    /// The pairs, the longest opening delimiter first.
    pub pairs: Vec<Pair>,
    /// Whether a script of the page renders TeX in its text.
    pub typesets: bool,
}

/// A formula in text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Length in bytes, with delimiters.
    pub len: usize,
    /// The TeX without delimiters.
    pub tex: String,
    /// Whether the formula is a display formula.
    pub is_display: bool,
}

impl Delimiters {
    /// The delimiters of a page: those valid on every page, and those in the settings of its scripts.
    pub fn new(doc: &Document) -> Self {
        let mut found = Delimiters::fixed(false);
        for script in doc.elements_with(|tag| tag == Tag::SCRIPT) {
            let source = doc.attribute(script, "src").unwrap_or_default().to_ascii_lowercase();
            found.typesets |= ["mathjax", "katex"].iter().any(|name| source.contains(name))
                || doc.attribute(script, "type").is_some_and(|kind| kind.starts_with("math/tex"));
            for text in doc.children(script).map(|n| doc.text(n)) {
                const NAMES: [&str; 4] = ["mathjax", "katex", "renderMathInElement", "MathJax"];
                if NAMES.iter().any(|name| text.contains(name)) {
                    found.typesets = true;
                    found.read_settings(text);
                }
            }
        }
        if found.typesets {
            found.pairs.extend(Delimiters::fixed(true).pairs);
            // a longer delimiter must be tried before its prefix, as `$$` before `$`
            found.pairs.sort_by_key(|pair| std::cmp::Reverse(pair.open.len()));
        }
        found
    }

    /// The delimiters valid on every page, or the additional delimiters of pages with a TeX script.
    fn fixed(of_scripts: bool) -> Self {
        let pair = |&(open, close, is_display): &(&str, &str, bool)| Pair {
            open: open.to_owned(),
            close: close.to_owned(),
            is_display,
        };
        let pairs: &[(&str, &str, bool)] = if of_scripts {
            &[
                ("$$", "$$", true),
                ("$", "$", false),
                ("[latex]", "[/latex]", false),
                ("[itex]", "[/itex]", false),
                ("[tex]", "[/tex]", true),
            ]
        } else {
            &[("\\[", "\\]", true), ("\\(", "\\)", false)]
        };
        Delimiters { pairs: pairs.iter().map(pair).collect(), typesets: of_scripts }
    }

    /// Reads the delimiters in the settings of MathJax (`inlineMath: [['##', '##']]`) and of KaTeX
    /// (`{left: '##', right: '##', display: false}`).
    fn read_settings(&mut self, script: &str) {
        for (name, is_display) in [("inlineMath", false), ("displayMath", true)] {
            for (at, _) in script.match_indices(name).take(4) {
                let rest = &script[at + name.len()..];
                let rest = &rest[..rest.floor_char_boundary(MAX_SETTING)];
                let Some(start) = rest.find('[').filter(|&start| start < 12) else { continue };
                let strings = strings_of(list(&rest[start..]));
                for pair in strings.chunks_exact(2) {
                    self.add(&pair[0], &pair[1], is_display);
                }
            }
        }
        for (at, _) in script.match_indices("left").take(MAX_PAIRS) {
            let rest = &script[at..];
            let rest = &rest[..rest.find('}').unwrap_or(0).min(rest.floor_char_boundary(MAX_SETTING))];
            if let [open, close, ..] = &strings_of(rest)[..]
                && rest.contains("right")
            {
                self.add(open, close, rest.contains("true") || rest.contains("!0"));
            }
        }
    }

    fn add(&mut self, open: &str, close: &str, is_display: bool) {
        let is_sign = |sign: &str| {
            (2..=MAX_DELIMITER).contains(&sign.len())
                && !sign.contains(char::is_whitespace)
                && !is_letters(sign)
        };
        let is_new = self.pairs.iter().all(|pair| pair.open != open);
        // environments are delimiters on every page
        let is_environment = open.starts_with("\\begin");
        if is_sign(open) && is_sign(close) && is_new && !is_environment && self.pairs.len() < MAX_PAIRS {
            self.pairs.push(Pair { open: open.to_owned(), close: close.to_owned(), is_display });
        }
    }

    /// Whether `text` may begin with a formula. A fast test that rules out most text.
    pub fn may_begin(&self, text: &str) -> bool {
        text.starts_with('\\') || self.pairs.iter().any(|pair| text.starts_with(&pair.open))
    }

    /// The formula at the start of `text`.
    pub fn formula_at(&self, text: &str) -> Option<Span> {
        if let Some(len) = environment(text, self.typesets) {
            let tex = text[..len].to_owned();
            return Some(Span { len, tex, is_display: true });
        }
        for Pair { open, close, is_display } in &self.pairs {
            let Some(inner) = text.strip_prefix(&**open) else { continue };
            let inner = &inner[..inner.floor_char_boundary(MAX_TEX)];
            // `\$` is the character
            let mut ends = inner.match_indices(&**close).map(|(end, _)| end);
            let is_escaped = |&end: &usize| close.starts_with('$') && has_last_backslash(&inner[..end]);
            let Some(end) = ends.find(|end| !is_escaped(end)) else { continue };
            let tex = without_last_space(inner[..end].trim());
            let is_price = open == "$" && !is_formula(&inner[..end]);
            if tex.is_empty() || is_price || !self.typesets && is_word(tex) {
                continue;
            }
            let len = open.len() + end + close.len();
            return Some(Span { len, tex: tex.to_owned(), is_display: *is_display });
        }
        None
    }

    /// Whether `text` consists of formulas with their delimiters.
    pub fn is_formula(&self, text: &str) -> bool {
        let mut rest = text.trim();
        let mut num_found = 0;
        while let Some(found) = self.formula_at(rest).filter(|found| found.is_display) {
            num_found += 1;
            rest = rest[found.len..].trim_start();
        }
        num_found > 0 && rest.is_empty()
    }
}

/// Whether a string consists of letters and digits.
fn is_letters(text: &str) -> bool {
    text.chars().all(char::is_alphanumeric)
}

/// The JavaScript array at the start of a script, with nested arrays.
fn list(text: &str) -> &str {
    let (mut depth, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', Some(_)) => is_escaped = true,
            (_, Some(sign)) if c == sign => quote = None,
            ('"' | '\'', None) => quote = Some(c),
            ('[', None) => depth += 1,
            (']', None) => {
                depth -= 1;
                if depth == 0 {
                    return &text[..at];
                }
            }
            _ => {}
        }
    }
    ""
}

/// The string literals of a script, unquoted and unescaped.
fn strings_of(script: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut open: Option<(char, String)> = None;
    let mut chars = script.chars();
    while let Some(c) = chars.next() {
        match &mut open {
            Some((_, text)) if c == '\\' => text.extend(chars.next()),
            Some((sign, text)) if c == *sign => {
                strings.push(std::mem::take(text));
                open = None;
            }
            Some((_, text)) => text.push(c),
            None if matches!(c, '"' | '\'') => open = Some((c, String::new())),
            None => {}
        }
    }
    strings
}

/// Whether a text ends with a backslash that no other backslash escapes.
fn has_last_backslash(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

/// TeX without the control space (`\ `) at its end, whose white space is already trimmed.
pub(super) fn without_last_space(tex: &str) -> &str {
    let mut tex = tex;
    while has_last_backslash(tex) {
        tex = tex[..tex.len() - 1].trim_end();
    }
    tex
}

/// The length in bytes of the environment at the start of `text`.
fn environment(text: &str, typesets: bool) -> Option<usize> {
    let rest = text.strip_prefix("\\begin{")?;
    let (name, _) = rest[..rest.floor_char_boundary(24)].split_once('}')?;
    let name_only = &name.trim_end_matches('*');
    let is_known =
        ENVIRONMENTS.binary_search(name_only).is_ok() || typesets && PARTS.binary_search(name_only).is_ok();
    if !is_known {
        return None;
    }
    let end = format!("\\end{{{name}}}");
    let inner = &text[..text.floor_char_boundary(MAX_TEX)];
    inner.find(&end).map(|at| at + end.len())
}

/// Whether the text between delimiters is an ordinary word, as in a regular expression or a path.
fn is_word(tex: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | ' ' | ',');
    let has_parts = tex.contains('|');
    let is_part = |part: &str| part.chars().all(is_letter) && (!has_parts || part.trim().len() >= 2);
    tex.chars().count() > 2 && tex.split('|').all(is_part)
}

/// Whether the text between two `$` can be a formula. Excludes the text between two prices.
fn is_formula(inner: &str) -> bool {
    let has_space_at_end = inner.starts_with(char::is_whitespace) || inner.ends_with(char::is_whitespace);
    let has_sign = inner.replace("\\$", "").contains(['\\', '^', '_', '=']);
    let is_price = inner.starts_with(|c: char| c.is_ascii_digit()) && inner.contains(' ') && !has_sign;
    !has_space_at_end && !is_price && !inner.contains("\n\n")
}

/// Whether a string begins with a TeX command that has an argument or a script, as in `\frac{a}{b}`.
pub(super) fn begins_with_command(text: &str) -> bool {
    let name = text.trim().strip_prefix('\\').unwrap_or_default();
    let len = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    len >= 2 && (name.len() == len || name[len..].contains(['{', '^', '_', '=']))
}

/// Whether a string begins with a delimiter of formulas.
pub(super) fn begins_with_delimiter(text: &str) -> bool {
    ["\\(", "\\[", "$"].iter().any(|open| text.starts_with(open))
}

/// Whether a string consists of words without TeX.
pub(super) fn is_words(text: &str) -> bool {
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(char::is_alphabetic);
    !text.contains(['\\', '^', '_', '=', '{', '$'])
        && text.split_whitespace().filter(is_word).nth(1).is_some()
}

/// Whether TeX only defines commands and renders nothing.
pub fn is_definition(tex: &str) -> bool {
    const COMMANDS: [&str; 11] = [
        "\\newcommand",
        "\\renewcommand",
        "\\providecommand",
        "\\DeclareMathOperator",
        "\\newenvironment",
        "\\begingroup",
        "\\endgroup",
        "\\require",
        "\\gdef",
        "\\def",
        "\\let",
    ];
    let mut rest = tex.trim();
    let mut num_found = 0;
    while !rest.is_empty() {
        let Some(after) = COMMANDS.iter().find_map(|command| rest.strip_prefix(command)) else {
            return false;
        };
        if after.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return false;
        }
        num_found += 1;
        let has_name = !rest.starts_with("\\begingroup") && !rest.starts_with("\\endgroup");
        rest = after.trim_start_matches('*').trim_start();
        if has_name && let Some(name) = rest.strip_prefix('\\') {
            rest = name.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '@');
        }
        // skips optional arguments, and parameters such as `#1`
        loop {
            rest = rest.trim_start();
            if let Some(end) = rest.starts_with('{').then(|| balanced(rest)).flatten() {
                rest = &rest[end..];
            } else if let Some((_, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                rest = after;
            } else if let Some(after) = rest.strip_prefix('#') {
                rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
            } else {
                break;
            }
        }
    }
    num_found > 0
}

/// The byte position after the group in braces at the start of `text`.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut is_escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Names of attributes that contain TeX, without `data-`.
const ATTRIBUTES: [&str; 6] = ["equation", "formula", "katex", "latex", "math", "tex"];

/// The TeX in a data attribute of an element.
pub(super) fn of_attribute(doc: &Document, node: NodeId) -> Option<&str> {
    let is_name = |name: &str| name.strip_prefix("data-").is_some_and(|name| ATTRIBUTES.contains(&name));
    let value = doc.attributes(node).find(|(name, _)| is_name(name))?.1.trim();
    let is_setting = ["true", "false", "inline", "block", "display", "1", "0"].contains(&value)
        || value.starts_with("{\"")
        || value.contains("://");
    (!value.is_empty() && value.len() <= MAX_TEX && !is_setting && !is_words(value)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_str;

    #[test]
    fn settings_name_delimiters() {
        let signs = |script: &str| {
            let found = Delimiters::new(&parse_str(&format!("<script>{script}</script>")));
            let sign = |pair: &Pair| format!("{}{}{}", pair.open, pair.close, u8::from(pair.is_display));
            found
                .pairs
                .iter()
                .skip_while(|pair| pair.open.starts_with('['))
                .map(sign)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            signs("MathJax = { tex: { inlineMath: [['@@', '@@']] } }"),
            "\\[\\]1 \\(\\)0 @@@@0 $$$$1 $$0"
        );
        assert_eq!(
            signs("MathJax.Hub.Config({tex2jax: {displayMath: [ ['!!','??'], [\"\\\\[\", \"\\\\]\"] ]}})"),
            "\\[\\]1 \\(\\)0 !!??1 $$$$1 $$0"
        );
        assert_eq!(
            signs("renderMathInElement(a, {delimiters: [{left: '~~', right: '~~', display: true}]})"),
            "\\[\\]1 \\(\\)0 ~~~~1 $$$$1 $$0"
        );
        assert_eq!(signs("var inlineMath = [['@@', '@@']]"), "\\[\\]1 \\(\\)0");
        assert!(signs(&format!("MathJax inlineMath: {}", "[".repeat(5000))).contains("$$"));
    }

    #[test]
    fn display_formulas_are_told() {
        let delimiters = Delimiters::new(&parse_str("<p>a"));
        assert!(
            delimiters.is_formula("\\[ a \\]")
                && delimiters.is_formula("\\begin{align*}a\\end{align*} \\[b\\]")
        );
        for other in
            ["\\[ a \\] b", "\\( a^2 \\)", "\\begin{itemize}a\\end{itemize}", "\\begin{align}a", "", "\\"]
        {
            assert!(!delimiters.is_formula(other), "{other}");
        }
    }

    #[test]
    fn definitions_show_nothing() {
        for tex in [
            "\\newcommand{\\a}[1]{\\mathbf{#1}}",
            "\\def\\a#1{x_{#1}} \\let\\b\\undefined",
            "\\DeclareMathOperator*{\\argmin}{arg\\,min}",
            "\\begingroup \\endgroup",
        ] {
            assert_eq!(is_definition(tex), !tex.contains("undefined"), "{tex}");
        }
        for tex in ["", "x", "\\newcommand{\\a}{b} \\a", "\\newcommandx{a}", "\\definition{a}", "\\def\\a{"] {
            assert!(!is_definition(tex), "{tex}");
        }
    }
}
