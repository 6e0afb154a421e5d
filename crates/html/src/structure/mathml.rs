//! MathML → TeX.

use crate::text::word_list::word_list;
use crate::{Document, Kind, NodeId};

/// The sorted characters of `mathml_symbols.tsv`, and the command of each.
static CHARACTERS: &[&str] = &word_list!("mathml_symbols.tsv");
static COMMANDS: &[&str] = &word_list!("mathml_symbols.tsv", 1);

/// Deepest nesting that is converted. Deeper elements give their text.
const MAX_DEPTH: usize = 60;
/// Most bytes of TeX.
const MAX_TEX: usize = 20_000;

/// The TeX of a `<math>` element without annotation.
pub(super) fn to_tex(doc: &Document, math: NodeId) -> String {
    let mut writer = Writer { doc, out: String::new() };
    writer.row(math, 0);
    writer.out.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct Writer<'d> {
    doc: &'d Document,
    out: String,
}

impl Writer<'_> {
    /// Writes the children of an element one after the other.
    fn row(&mut self, node: NodeId, depth: usize) {
        for child in self.parts(node) {
            self.node(child, depth + 1);
        }
    }

    /// The elements inside an element, and its text if it has no elements.
    fn parts(&self, node: NodeId) -> Vec<NodeId> {
        let doc = self.doc;
        let is_part = |&n: &NodeId| match doc.kind(n) {
            Kind::Element => {
                !matches!(doc.name(n), "annotation" | "annotation-xml" | "mphantom" | "maligngroup")
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
        let parts = self.parts(node);
        match (self.doc.name(node), &parts[..]) {
            ("mi" | "mn" | "mo", _) => self.token(node),
            ("mtext" | "ms", _) => {
                let text = self.content(node);
                if !text.trim().is_empty() {
                    self.write(&format!("\\text{{{text}}}"));
                }
            }
            ("mspace", _) => self.out.push(' '),
            ("mfrac", [a, b]) => self.command("\\frac", &[*a, *b], depth),
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
                let after = rest.iter().position(|&n| self.doc.name(n) == "mprescripts");
                let rest = &rest[..after.unwrap_or(rest.len())];
                self.scripts(*base, rest.first().copied(), rest.get(1).copied(), depth);
            }
            ("none" | "mprescripts", _) => {}
            (_, []) => self.text(node),
            _ => self.row(node, depth),
        }
    }

    /// Writes a command or a word, apart from a command before it.
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
        self.doc.descendants(node).map(|n| self.doc.text(n)).collect()
    }

    fn text(&mut self, node: NodeId) {
        let text = self.content(node);
        self.symbols(text.trim());
    }

    /// Writes an identifier, a number or an operator.
    fn token(&mut self, node: NodeId) {
        let text = self.content(node);
        let text = text.trim();
        let is_name = text.chars().count() > 1 && text.chars().all(|c| c.is_ascii_alphabetic());
        if is_name && matches!(self.doc.name(node), "mi" | "mo") {
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
            // Invisible operators.
            if ('\u{2061}'..='\u{2064}').contains(&c) || c == '\u{200b}' {
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
        if !is_simple && self.doc.name(base) == "mrow" {
            self.out.insert(start, '{');
            self.out.push('}');
        }
        for (sign, script) in [('_', low), ('^', up)] {
            let Some(script) = script.filter(|&n| self.doc.name(n) != "none") else { continue };
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
            for (number, cell) in self.parts(row).into_iter().enumerate() {
                if number > 0 {
                    self.out.push_str(" & ");
                }
                self.row(cell, depth + 2);
            }
        }
        self.out.push_str(" \\end{matrix}");
    }

    fn fenced(&mut self, node: NodeId, parts: &[NodeId], depth: usize) {
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
        ] {
            let doc = parse_str(&format!("<math>{mathml}</math>"));
            let math = doc.elements_with(|tag| tag == Tag::MATH).next().expect("math");
            assert_eq!(to_tex(&doc, math), tex, "{mathml}");
        }
    }

    #[test]
    fn deep_nesting_is_bounded() {
        let doc = parse_str(&format!("<math>{}<mi>x</mi>", "<mrow>".repeat(400)));
        let math = doc.elements_with(|tag| tag == Tag::MATH).next().expect("math");
        assert_eq!(to_tex(&doc, math), "x");
    }
}
