//! MathML → TeX. Element names may have a prefix (`m:mi`). The elements that MathJax renders (`mjx-mi`) are
//! also read.

mod chtml;
mod letters;
mod variants;

use crate::text::word_list::word_list;
use crate::{Document, Kind, NodeId};
use variants::Variant;

/// The sorted characters of `mathml_symbols.tsv`. The TeX command of a character has the same index in
/// `COMMANDS`.
static CHARACTERS: &[&str] = &word_list!("mathml_symbols.tsv");
static COMMANDS: &[&str] = &word_list!("mathml_symbols.tsv", 1);

/// Maximum depth of converted elements. Deeper elements are replaced by their text.
const MAX_DEPTH: usize = 60;
/// Maximum length of the TeX in bytes. The conversion stops at this length.
const MAX_TEX: usize = 20_000;

/// The name of an element without its prefix.
pub(super) fn local_name(doc: &Document, node: NodeId) -> &str {
    let name = doc.name(node);
    let name = name.rsplit(':').next().unwrap_or(name);
    name.strip_prefix("mjx-").unwrap_or(name)
}

/// The TeX of a `<math>` element that has no TeX annotation, or of an `<mjx-container>`.
pub(super) fn to_tex(doc: &Document, math: NodeId) -> String {
    let mut writer = Writer { doc, out: String::new(), in_variant: false };
    writer.row(math, 0);
    writer.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Writer<'d> {
    doc: &'d Document,
    out: String,
    /// Whether the output is inside a command for a letter variant, such as `\mathbf`. These commands do not nest.
    in_variant: bool,
}

impl Writer<'_> {
    /// Writes the children of an element in order.
    fn row(&mut self, node: NodeId, depth: usize) {
        let parts = self.parts(node);
        let mut at = 0;
        while let Some(&child) = parts.get(at) {
            if let Some(&[open, fraction, close]) = parts.get(at..at + 3)
                && self.is_binomial(open, fraction, close)
            {
                self.binomial(fraction, depth + 1);
                at += 3;
                continue;
            }
            self.node(child, depth + 1);
            at += 1;
        }
    }

    /// Whether three elements are `(`, a fraction without a fraction line, and `)`.
    fn is_binomial(&self, open: NodeId, fraction: NodeId, close: NodeId) -> bool {
        let is = |n, sign| local_name(self.doc, n) == "mo" && self.content(n).trim() == sign;
        self.has_no_line(fraction) && is(open, "(") && is(close, ")")
    }

    fn has_no_line(&self, fraction: NodeId) -> bool {
        let doc = self.doc;
        let is_zero = |value: &str| value.trim().trim_end_matches(char::is_alphabetic).parse() == Ok(0.0f32);
        local_name(doc, fraction) == "mfrac"
            && (doc.attribute(fraction, "linethickness").is_some_and(is_zero)
                || chtml::has_no_line(doc, fraction))
    }

    fn binomial(&mut self, fraction: NodeId, depth: usize) {
        if let Some(parts) = self.two(fraction) {
            self.command("\\binom", &parts, depth);
        }
    }

    /// The numerator and the denominator of a fraction.
    fn two(&self, fraction: NodeId) -> Option<[NodeId; 2]> {
        match self.parts(fraction)[..] {
            [a, b] => Some([a, b]),
            _ => chtml::fraction(self.doc, fraction),
        }
    }

    /// The child elements that have content.
    fn parts(&self, node: NodeId) -> Vec<NodeId> {
        let doc = self.doc;
        let is_part = |&n: &NodeId| match doc.kind(n) {
            Kind::Element => {
                !matches!(local_name(doc, n), "annotation" | "annotation-xml" | "mphantom" | "maligngroup")
                    && !chtml::is_space(doc, n)
            }
            _ => false,
        };
        doc.children(node).filter(is_part).collect()
    }

    fn node(&mut self, node: NodeId, depth: usize) {
        if self.out.len() > MAX_TEX {
            return;
        }
        if depth > MAX_DEPTH {
            return self.text(node);
        }
        let parts = chtml::arguments(self.doc, node).unwrap_or_else(|| self.parts(node));
        if let Some(variant) = Variant::new(self.doc, node).filter(|_| !self.in_variant) {
            return self.variant(variant, node, &parts, depth);
        }
        match (local_name(self.doc, node), &parts[..]) {
            ("mi" | "mn" | "mo", _) => self.token(node),
            ("mtext" | "ms", _) => {
                let text = self.content(node);
                if !text.trim().is_empty() {
                    self.write(&format!("\\text{{{text}}}"));
                }
            }
            ("mspace", _) => self.out.push(' '),
            ("mfrac", _) if self.has_no_line(node) => {
                if let Some(parts) = self.two(node) {
                    self.command("\\genfrac{}{}{0pt}{}", &parts, depth);
                }
            }
            ("mfrac", [a, b]) => self.command("\\frac", &[*a, *b], depth),
            ("menclose", _) => self.enclosed(node, depth),
            ("msqrt", _) => {
                self.write("\\sqrt{");
                self.row(node, depth);
                self.out.push('}');
            }
            ("mroot", [base, index]) => {
                self.write("\\sqrt[");
                self.node(*index, depth + 1);
                self.out.push_str("]{");
                self.node(*base, depth + 1);
                self.out.push('}');
            }
            ("msup", [base, up]) => self.scripts(*base, None, Some(*up), depth),
            ("msub", [base, low]) => self.scripts(*base, Some(*low), None, depth),
            ("msubsup" | "munderover", [base, low, up]) => self.scripts(*base, Some(*low), Some(*up), depth),
            ("munder", [base, low]) => self.below(*base, *low, depth),
            ("mover", [base, up]) => self.above(*base, *up, depth),
            ("mtable", rows) => self.table(rows, depth),
            ("mfenced", _) => self.fenced(node, &parts, depth),
            ("mmultiscripts", [base, rest @ ..]) => {
                let at = rest.iter().position(|&n| local_name(self.doc, n) == "mprescripts");
                let (after, before) = rest.split_at(at.unwrap_or(rest.len()));
                for pair in before.get(1..).unwrap_or_default().chunks(2) {
                    self.write("{}");
                    self.low_and_up(pair.first().copied(), pair.get(1).copied(), depth);
                }
                self.scripts(*base, after.first().copied(), after.get(1).copied(), depth);
            }
            ("none" | "mprescripts", _) => {}
            (_, []) => self.text(node),
            _ => self.row(node, depth),
        }
    }

    /// Writes an element inside the command of its letter variant.
    fn variant(&mut self, variant: Variant, node: NodeId, parts: &[NodeId], depth: usize) {
        self.in_variant = true;
        self.write(variant.command());
        self.out.push('{');
        if parts.is_empty() {
            self.token(node)
        } else {
            self.row(node, depth)
        }
        self.out.push('}');
        self.in_variant = false;
    }

    /// Writes the content of `<menclose>` inside the command for its notation.
    fn enclosed(&mut self, node: NodeId, depth: usize) {
        let notation = self.doc.attribute(node, "notation").unwrap_or_default();
        let command = match notation.trim() {
            "top" | "actuarial" => "\\overline",
            "bottom" => "\\underline",
            "box" | "roundedbox" => "\\boxed",
            "radical" => "\\sqrt",
            "updiagonalstrike" => "\\cancel",
            "downdiagonalstrike" => "\\bcancel",
            "updiagonalstrike downdiagonalstrike" | "downdiagonalstrike updiagonalstrike" => "\\xcancel",
            _ => return self.row(node, depth),
        };
        self.write(command);
        self.out.push('{');
        self.row(node, depth);
        self.out.push('}');
    }

    /// Writes TeX. Adds a space first if the TeX would otherwise continue the previous command.
    fn write(&mut self, tex: &str) {
        let after_command = self.out.rsplit('\\').next().is_some_and(|end| {
            self.out.contains('\\') && !end.is_empty() && end.chars().all(|c| c.is_ascii_alphabetic())
        });
        if after_command && tex.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.out.push(' ');
        }
        self.out.push_str(tex);
    }

    fn content(&self, node: NodeId) -> String {
        let text: String = self.doc.descendants(node).map(|n| self.doc.text(n)).collect();
        if text.trim().is_empty() { chtml::characters(self.doc, node) } else { text }
    }

    fn text(&mut self, node: NodeId) {
        let text = self.content(node);
        self.symbols(text.trim());
    }

    /// Writes an identifier, a number or an operator (`<mi>`, `<mn>`, `<mo>`).
    fn token(&mut self, node: NodeId) {
        let text = self.content(node);
        let text = text.trim();
        let is_name = text.chars().count() > 1 && text.chars().all(|c| c.is_ascii_alphabetic());
        if is_name && matches!(local_name(self.doc, node), "mi" | "mo") && !self.in_variant {
            const FUNCTIONS: [&str; 24] = [
                "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp",
                "gcd", "inf", "ker", "lim", "ln", "log", "max", "min", "sec", "sin", "sup", "tan",
            ];
            let command = if FUNCTIONS.binary_search(&text).is_ok() {
                format!("\\{text}")
            } else {
                format!("\\operatorname{{{text}}}")
            };
            self.write(&command);
        } else {
            self.symbols(text);
        }
    }

    fn symbols(&mut self, text: &str) {
        for c in text.chars() {
            // Invisible operators and zero-width spaces have no TeX.
            if ('\u{2061}'..='\u{2064}').contains(&c) || c == '\u{200b}' {
                continue;
            }
            let (c, variant) = letters::plain(c);
            if let Some(variant) = variant.filter(|_| !self.in_variant) {
                self.write(&format!("{}{{{c}}}", variant.command()));
                continue;
            }
            let mut buffer = [0; 4];
            match (c, CHARACTERS.binary_search(&&*c.encode_utf8(&mut buffer))) {
                ('#', _) => self.write("\\#"),
                ('\\', _) => self.write("\\backslash "),
                ('\u{a0}', _) => self.out.push(' '),
                (_, Ok(at)) => self.write(COMMANDS[at]),
                _ => self.write(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn command(&mut self, command: &str, arguments: &[NodeId], depth: usize) {
        self.write(command);
        for &argument in arguments {
            self.out.push('{');
            self.node(argument, depth + 1);
            self.out.push('}');
        }
    }

    /// Writes a base with a subscript and a superscript.
    fn scripts(&mut self, base: NodeId, low: Option<NodeId>, up: Option<NodeId>, depth: usize) {
        let start = self.out.len();
        self.node(base, depth + 1);
        let is_simple = self.out[start..].chars().count() <= 1
            || self.out[start..].starts_with('\\') && !self.out[start..].contains('{');
        if !is_simple && local_name(self.doc, base) == "mrow" {
            self.out.insert(start, '{');
            self.out.push('}');
        }
        self.low_and_up(low, up, depth);
    }

    /// Writes a subscript and a superscript.
    fn low_and_up(&mut self, low: Option<NodeId>, up: Option<NodeId>, depth: usize) {
        for (sign, script) in [('_', low), ('^', up)] {
            let Some(script) = script.filter(|&n| local_name(self.doc, n) != "none") else { continue };
            let prime = self.content(script);
            if sign == '^' && !prime.is_empty() && prime.chars().all(|c| "′'’".contains(c)) {
                self.out.push_str(&"'".repeat(prime.chars().count()));
                continue;
            }
            self.out.push(sign);
            let start = self.out.len();
            self.node(script, depth + 1);
            if self.out[start..].chars().count() != 1 {
                self.out.insert(start, '{');
                self.out.push('}');
            }
        }
    }

    fn above(&mut self, base: NodeId, up: NodeId, depth: usize) {
        let accent = match self.content(up).trim() {
            "¯" | "ˉ" | "\u{304}" => "\\bar",
            "‾" | "_" | "―" | "─" => "\\overline",
            "^" | "ˆ" | "\u{302}" => "\\hat",
            "~" | "˜" | "\u{303}" => "\\tilde",
            "→" | "\u{20d7}" => "\\vec",
            "˙" | "." => "\\dot",
            "¨" => "\\ddot",
            "ˇ" => "\\check",
            "⏞" => "\\overbrace",
            _ if matches!(self.content(base).trim(), "=" | "≡" | "≈" | "→" | "⇒") => {
                return self.command("\\overset", &[up, base], depth);
            }
            _ => return self.scripts(base, None, Some(up), depth),
        };
        self.command(accent, &[base], depth);
    }

    fn below(&mut self, base: NodeId, low: NodeId, depth: usize) {
        match self.content(low).trim() {
            "_" | "\u{332}" | "―" => self.command("\\underline", &[base], depth),
            "⏟" => self.command("\\underbrace", &[base], depth),
            _ => self.scripts(base, Some(low), None, depth),
        }
    }

    fn table(&mut self, rows: &[NodeId], depth: usize) {
        self.write("\\begin{matrix}");
        for (number, &row) in rows.iter().enumerate() {
            self.out.push_str(if number > 0 { " \\\\ " } else { " " });
            // The first cell of `<mlabeledtr>` is the label.
            let label = usize::from(local_name(self.doc, row) == "mlabeledtr");
            for (number, cell) in self.parts(row).into_iter().skip(label).enumerate() {
                if number > 0 {
                    self.out.push_str(" & ");
                }
                self.row(cell, depth + 2);
            }
        }
        self.out.push_str(" \\end{matrix}");
    }

    fn fenced(&mut self, node: NodeId, parts: &[NodeId], depth: usize) {
        let is_plain = |name, sign| self.doc.attribute(node, name).is_none_or(|own| own.trim() == sign);
        if let [part] = parts
            && let Some(fraction) =
                std::iter::once(*part).chain(self.parts(*part)).find(|&n| self.has_no_line(n))
            && (fraction == *part || self.parts(*part).len() == 1)
            && is_plain("open", "(")
            && is_plain("close", ")")
        {
            return self.binomial(fraction, depth);
        }
        let attribute = |name, default| self.doc.attribute(node, name).unwrap_or(default).to_owned();
        let (open, close, separators) =
            (attribute("open", "("), attribute("close", ")"), attribute("separators", ","));
        self.write("\\left");
        self.symbols(if open.is_empty() { "." } else { &open });
        let separators: Vec<char> = separators.chars().filter(|c| !c.is_whitespace()).collect();
        for (number, &part) in parts.iter().enumerate() {
            if let Some(c) = number.checked_sub(1).and_then(|n| separators.get(n).or(separators.last())) {
                self.symbols(&c.to_string());
            }
            self.node(part, depth + 1);
        }
        self.write("\\right");
        self.symbols(if close.is_empty() { "." } else { &close });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tag, parse_str};

    #[test]
    fn layout_becomes_commands() {
        assert!(CHARACTERS.is_sorted());
        for (mathml, tex) in [
            ("<mfrac><mi>a</mi><mi>b</mi></mfrac>", "\\frac{a}{b}"),
            ("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msub><mi>y</mi><mn>10</mn></msub>", "x^2+y_{10}"),
            ("<msqrt><mi>α</mi><mi>x</mi></msqrt>", "\\sqrt{\\alpha x}"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            (
                "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>i</mi>",
                "\\sum_{i=1}^ni",
            ),
            ("<mover><mi>v</mi><mo>→</mo></mover>", "\\vec{v}"),
            ("<mi>sin</mi><mo>\u{2061}</mo><mi>x</mi>", "\\sin x"),
            ("<mtext>if </mtext><mi>x</mi>", "\\text{if }x"),
            ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "\\left(a,b\\right)"),
            (
                "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>",
                "\\begin{matrix} a & b \\\\ c & d \\end{matrix}",
            ),
            ("<msup><mi>f</mi><mo>′</mo></msup>", "f'"),
            (
                "<mo>(</mo><mfrac linethickness='0px'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo><mo>+</mo><mn>1</mn>",
                "\\binom{n}{k}+1",
            ),
            ("<mfenced><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac></mfenced>", "\\binom{n}{k}"),
            ("<mfrac linethickness=0.0pt><mi>n</mi><mi>k</mi></mfrac>", "\\genfrac{}{}{0pt}{}{n}{k}"),
            ("<mfrac linethickness=2><mi>n</mi><mi>k</mi></mfrac>", "\\frac{n}{k}"),
            (
                "<mi mathvariant=bold>x</mi><mi mathvariant=fraktur>g</mi><mi mathvariant=normal>d</mi>",
                "\\mathbf{x}\\mathfrak{g}d",
            ),
            ("<mstyle mathvariant=double-struck><mi>R</mi></mstyle>", "\\mathbb{R}"),
            ("<mi>ℝ</mi><mi>𝐯</mi><mi>𝑥</mi><mi>𝛼</mi>", "\\mathbb{R}\\mathbf{v}x\\alpha"),
            (
                "<menclose notation=box><mi>x</mi></menclose><menclose notation=circle><mi>y</mi></menclose>",
                "\\boxed{x}y",
            ),
            (
                "<mtable><mlabeledtr><mtd><mtext>(1)</mtext></mtd><mtd><mi>a</mi></mtd></mlabeledtr></mtable>",
                "\\begin{matrix} a \\end{matrix}",
            ),
        ] {
            let doc = parse_str(&format!("<math>{mathml}</math>"));
            let math = doc.elements_with(|tag| tag == Tag::MATH).next().expect("math");
            assert_eq!(to_tex(&doc, math), tex, "{mathml}");
        }
    }

    #[test]
    fn elements_may_have_a_prefix() {
        let doc =
            parse_str("<p><mml:math><mml:mfrac><mml:mi>a</mml:mi><mml:mi>b</mml:mi></mml:mfrac></mml:math>");
        let math = doc.descendants(0).find(|&n| doc.name(n) == "mml:math").expect("math");
        assert_eq!(to_tex(&doc, math), "\\frac{a}{b}");
    }

    #[test]
    fn deep_nesting_is_bounded() {
        let doc = parse_str(&format!("<math>{}<mi>x</mi>", "<mrow>".repeat(400)));
        let math = doc.elements_with(|tag| tag == Tag::MATH).next().expect("math");
        assert_eq!(to_tex(&doc, math), "x");
    }
}
