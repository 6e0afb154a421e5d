//! Random pages for comparing parsers: concatenated fragments of markup, and mutated real pages.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const NAMES: &str = "a b i u em strong font nobr code small big s tt p div span ul ol li dl dt dd table tbody \
    thead tfoot tr td th caption colgroup col h1 h2 h3 section article main nav address \
    blockquote center form input button select option optgroup textarea label fieldset br hr \
    img image wbr area embed param source track object applet marquee ruby rb rt rp rtc pre \
    listing plaintext xmp iframe noembed noframes noscript script style title template html \
    head body frameset frame base basefont bgsound link meta svg math foreignObject desc mi mo \
    mn ms mtext annotation-xml mglyph malignmark g path clipPath x x-y details summary dialog \
    menu dir header footer figure figcaption hgroup search isindex keygen command image video \
    time SCRIPT Div TABLE";

const ATTRIBUTES: &[&str] = &[
    "",
    "",
    "",
    " class=a",
    " class='a b'",
    " id=\"x\"",
    " hidden",
    " type=hidden",
    " type=text",
    " href=#",
    " style='display:none'",
    " color=red",
    " size=1",
    " face=f",
    " encoding=text/html",
    " encoding='application/xhtml+xml'",
    " definitionurl=x",
    " viewbox='0 0 1 1'",
    " xlink:href=y",
    " xml:lang=de",
    " a=1 b=2",
    " b=2 a=1",
    " A=1 a=2",
    // names that are about as long as a SIMD window
    " aria-labelledby=x",
    " aria-describedby=x",
    " allowtransparency=x",
    " CLASS=A",
    " DATA-TestId=x",
    " class\u{c9}=1",
    " class\0=1",
    " id\u{b}=1",
    // more attributes than the limit of the linear search
    " q0 q1 q2 q3 q4 q5 q6 q7 class=a q8 q9 r0 r1 r2 r3 r4 r5 r6 r7 \
     q3=2 r8 r8=2 r6=2 class=b q0=2 s\0 s\u{fffd}=2",
    " a a",
    " =",
    " ==",
    " a=",
    " a = 'x'",
    " a=\"&amp;\"",
    " a=&ampx",
    " a=&amp;x",
    " a='&notit;'",
    " a=\"&#38;\"",
    "/",
    " /",
    " / a",
    " a/",
    " a=/",
    " a='x'b='y'",
    " \"",
    " '",
    " <",
    " a<b=c",
    " a=`b`",
    " a\0=\0",
    " a='\0'",
    " shadowrootmode=open",
    " charset=x",
    "\n",
    "\r\n",
    "\t\x0c",
    " é=ü",
];

// without U+FEFF, which html5ever drops after every script and `<meta charset>`
const TEXTS: &[&str] = &[
    "text",
    " ",
    "\n",
    "\r",
    "\r\n",
    "x y",
    "\0",
    "a\0b",
    "&amp;",
    "&amp",
    "&ampx",
    "&lt;",
    "&nbsp;",
    "&notit;",
    "&notin;",
    "&not",
    "&#65;",
    "&#x41",
    "&#x80;",
    "&#0;",
    "&#xD800;",
    "&#x110000;",
    "&#99999999999;",
    "&#",
    "&#x",
    "&#;",
    "&",
    "&;",
    "&x;",
    "&NotEqualTilde;",
    "&CounterClockwiseContourIntegral;",
    "é",
    "漢字",
    "\u{1f600}",
    "\u{a0}",
    "<",
    "< ",
    "<1",
    "</",
    "</ x>",
    "</>",
    "<!",
    "<!>",
    "<!x>",
    "<?php ?>",
    "<?>",
    "<!-",
    "<!-->",
    "<!--->",
    "<!---->",
    "<!-- c -->",
    "<!-- a--!>",
    "<!--a--!b-->",
    "<!----!>",
    "<!--!>",
    "<!-- -- -->",
    "<!--\0-->",
    "<!--<!--x-->",
    "-->",
    "--!>",
    "--",
    "-",
    "!",
    ">",
    "]]>",
    "<![CDATA[",
    "<![CDATA[x]]>",
    "<![CDATA[a\0]]b]]>",
    "<![cdata[x]]>",
    "<!doctype html>",
    "<!DOCTYPE>",
    "<!DOCTYPE html PUBLIC \"x\">",
    "<!doctype html system 'about:legacy-compat'>",
    "<!doctype a b>",
    "<!DOCTYPE html PUBLIC 'a' 'b'>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2//EN\">",
    "<!doctype\0>",
    "<!DOCTYPE html SYSTEM>",
    "<!doctype html public>",
    "<!doctype html PUBLIC'a>",
    "<!doctype x\r\nSYSTEM\"",
    "<script><!--",
    "<script>",
    "</script>",
    "</script ",
    "</SCRIPT/>",
    "<!--<script>",
    "<style>",
    "</style>",
    "</style",
    "<title>",
    "</title>",
    "<textarea>\n",
    "</textarea>",
    "<pre>\n",
    "<pre>\r\n",
    "<table>x",
    "<table> ",
    "</table>",
    "<a><p>",
    "<b><p></b>",
    "<p><b></p>",
    "</p>",
    "</br>",
    "</body>",
    "</html>",
    "</head>",
    "<p></b></i></a>",
    "<select><option>x",
    "<table><tr><td>",
    "<ruby><rt>",
    "<svg><desc>",
    "<svg><title><p>",
    "<math><mi>",
    "<svg><![CDATA[x]]>",
    "<math><annotation-xml encoding=text/html><p>",
    "<template><tr>",
    "</template>",
    "<svg/>",
    "<br/>",
    "<p/>",
    "<script/>",
    "<title/>",
    "<iframe src=a />",
    "<frameset>",
    "</frameset>",
    "\u{fdd0}",
];

/// Generates pages. Equal seeds give equal pages.
pub(crate) struct PageGenerator {
    random: ChaCha8Rng,
    real: Vec<String>,
}

impl PageGenerator {
    pub(crate) fn new(seed: u64) -> Self {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../datasets/sample/pages");
        let mut files: Vec<_> =
            std::fs::read_dir(dir).expect("the sample").map(|e| e.expect("listed").path()).collect();
        files.sort();
        let real: Vec<_> = files
            .iter()
            .map(|f| String::from_utf8_lossy(&std::fs::read(f).expect("a page")).into_owned())
            .collect();
        assert!(!real.is_empty());
        PageGenerator { random: ChaCha8Rng::seed_from_u64(seed), real }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n)
    }

    fn choose<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn name(&mut self) -> &'static str {
        let names: Vec<&str> = NAMES.split(' ').collect();
        names[self.below(names.len())]
    }

    fn piece(&mut self, out: &mut String) {
        match self.below(10) {
            0..=3 => {
                let (name, attributes) = (self.name(), self.choose(ATTRIBUTES));
                out.extend(["<", name, attributes]);
                if self.below(12) == 0 {
                    out.push_str(self.choose(ATTRIBUTES));
                }
                if self.below(40) > 0 {
                    out.push('>');
                }
            }
            4..=5 => out.extend(["</", self.name(), ">"]),
            6..=8 => out.push_str(self.choose(TEXTS)),
            _ => out.extend(["<", self.name(), ">", "text"]),
        }
    }

    /// Generates a page. With probability 3/4, it consists of concatenated random fragments. Otherwise, it consists
    /// of parts of a real page with random fragments between them.
    pub(crate) fn page(&mut self) -> String {
        let mut out = String::new();
        if self.below(4) > 0 {
            // a page has few fragments, so that they interact
            for _ in 0..1 + self.below(40) {
                self.piece(&mut out);
            }
            return out;
        }
        let real = self.below(self.real.len());
        let length = self.real[real].len();
        let mut start = self.below(length);
        for _ in 0..1 + self.below(8) {
            let end = (start + self.below(2_000)).min(length);
            let page = &self.real[real];
            let (from, to) = (page.floor_char_boundary(start), page.floor_char_boundary(end));
            out.push_str(&page[from..to]);
            start =
                if self.below(3) == 0 { self.below(length) } else { (end + self.below(20)).min(length - 1) };
            for _ in 0..self.below(4) {
                self.piece(&mut out);
            }
        }
        out
    }
}

/// Test-case reduction: removes parts of `html` as long as `differs` holds for the rest.
pub(crate) fn shrink(html: &str, differs: impl Fn(&str) -> bool) -> String {
    let mut best: Vec<char> = html.chars().collect();
    let mut size = best.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            let mut shorter = best.clone();
            shorter.drain(at..(at + size).min(best.len()));
            if differs(&shorter.iter().collect::<String>()) {
                best = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    best.into_iter().collect()
}
