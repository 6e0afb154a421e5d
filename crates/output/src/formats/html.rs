//! HTML: the units as semantic elements, without scripts, styles and event handlers.

use crate::formats::languages::Languages;
use crate::formats::{Entry, Format, Layout, WriteOptions, no_row};
use crate::units::{AboutPost, Atom, AtomKind, Inlines, Kind, Link, Piece, Script, Style, Unit};
use std::fmt::Write;
use std::rc::Rc;
use threshr_html::structure::tables::Alignment;

/// An `<article>` for each page. URLs have only safe schemes. Text and attributes are escaped.
pub(super) static FORMAT: Format = Format {
    name: "html",
    summary: "clean HTML: an <article> for each page, semantic elements, no scripts, styles and handlers",
    extensions: &["html", "htm"],
    head: "",
    between: "\n",
    frame: ("", ""),
    layout: Layout::Stream,
    page: |page| {
        let languages = Languages::new(page);
        let mut writer = Writer { out: String::new(), options: page.options, languages: Some(&languages) };
        writer.units(&page.with_title(page.units(false)?, || page.title()));
        let body = writer.out;
        let language = page.doc.language().map(|l| format!(" lang=\"{}\"", escape(l))).unwrap_or_default();
        Ok(Entry::Text(format!("<article{language}>\n{body}</article>\n")))
    },
    failed: no_row,
};

/// Returns the kept units as HTML, with each block-level element on its own line.
pub fn html(units: &[Unit], options: WriteOptions) -> String {
    let mut writer = Writer { out: String::new(), options, languages: None };
    writer.units(units);
    writer.out
}

/// Returns one unit as HTML.
pub(super) fn unit(unit: &Unit, options: WriteOptions) -> String {
    let mut writer = Writer { out: String::new(), options, languages: None };
    writer.unit(unit);
    writer.out.trim_end().to_owned()
}

/// Escapes text for elements and for double-quoted attributes of HTML and XML. Characters that XML forbids are
/// left out.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // not allowed in HTML and XML
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() && c != '\n' && c != '\t' => {}
            c => out.push(c),
        }
    }
    out
}

struct Writer<'a> {
    out: String,
    options: WriteOptions,
    /// Languages of units. If `None`, no `lang` attributes are written.
    languages: Option<&'a Languages<'a>>,
}

impl Writer<'_> {
    fn units(&mut self, units: &[Unit]) {
        let mut rest = units;
        while let Some(first) = rest.first() {
            // adjacent items outside a list are written as a list
            let is_item = |u: &Unit| matches!(u.kind, Kind::Item { .. });
            let num = rest.iter().take_while(|u| is_item(u)).count();
            if num > 0 {
                self.element("ul", "", |w| rest[..num].iter().for_each(|item| w.unit(item)));
            } else {
                self.unit(first);
            }
            rest = &rest[num.max(1)..];
        }
    }

    /// Writes an element that contains units, with its tags on their own lines.
    fn element(&mut self, name: &str, attributes: &str, inside: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.out, "<{name}{attributes}>");
        inside(self);
        let _ = writeln!(self.out, "</{name}>");
    }

    /// Writes an element that contains text, on one line.
    fn line(&mut self, name: &str, attributes: &str, inlines: &Inlines) {
        let text = self.inlines(inlines);
        let _ = writeln!(self.out, "<{name}{attributes}>{text}</{name}>");
    }

    /// Writes a paragraph. If images are not written, a paragraph without text is written only if it has atoms
    /// other than images.
    fn paragraph(&mut self, unit: &Unit) {
        let inlines = &unit.inlines;
        let has_text = !inlines.text.trim().is_empty();
        if has_text
            || self.options.images
            || inlines.atoms.iter().any(|a| !matches!(a.kind, AtomKind::Image { .. }))
        {
            self.line("p", &self.language(unit), inlines);
        }
    }

    fn unit(&mut self, unit: &Unit) {
        if !unit.kept {
            return;
        }
        match &unit.kind {
            Kind::Heading { level } => self.titled(&format!("h{level}"), unit),
            Kind::Paragraph => self.paragraph(unit),
            Kind::List { ordered: false } => self.element("ul", "", |w| w.items(unit)),
            Kind::List { ordered: true } => {
                let first = unit.children.iter().find_map(|c| match c.kind {
                    Kind::Item { number, .. } if c.kept => number,
                    _ => None,
                });
                let start = first.filter(|&n| n != 1).map(|n| format!(" start=\"{n}\"")).unwrap_or_default();
                self.element("ol", &start, |w| w.items(unit));
            }
            Kind::Item { number, checked } => {
                let value = number.map(|n| format!(" value=\"{n}\"")).unwrap_or_default();
                self.element("li", &value, |w| {
                    if let Some(checked) = checked {
                        let state = if *checked { " checked" } else { "" };
                        let _ = writeln!(w.out, "<input type=\"checkbox\" disabled{state}>");
                    }
                    w.units(&unit.children);
                });
            }
            Kind::Definitions => self.element("dl", "", |w| w.units(&unit.children)),
            Kind::Term => self.titled("dt", unit),
            Kind::Definition => self.element("dd", "", |w| w.units(&unit.children)),
            Kind::Post(post) => self.element("article", "", |w| {
                if post.author.as_ref().is_some_and(|author| !unit.says(author)) {
                    w.about_post(post);
                }
                w.units(&unit.children);
            }),
            Kind::Quote { cite } => {
                let cite = cite.as_ref().map(|c| format!(" cite=\"{}\"", escape(c))).unwrap_or_default();
                self.element("blockquote", &cite, |w| w.units(&unit.children));
            }
            Kind::Callout { .. } => self.element("aside", "", |w| w.units(&unit.children)),
            Kind::CalloutTitle => self.titled("strong", unit),
            Kind::Details => self.element("details", " open", |w| w.units(&unit.children)),
            Kind::Summary => self.titled("summary", unit),
            Kind::Rule => self.out.push_str("<hr>\n"),
            Kind::Code { language } => {
                let class = if language.is_empty() {
                    String::new()
                } else {
                    format!(" class=\"language-{}\"", escape(language))
                };
                let text = escape(&unit.inlines.text);
                let _ = writeln!(self.out, "<pre><code{class}>{text}</code></pre>");
            }
            Kind::Math => {
                let tex = escape(&unit.inlines.text);
                let [open, close] = if self.options.formulas { ["\\[", "\\]"] } else { [""; 2] };
                let _ = writeln!(self.out, "<p>{open}{tex}{close}</p>");
            }
            Kind::Table { .. } => self.table(unit),
            Kind::Cell { .. } => self.units(&unit.children),
            Kind::Figure => {
                let start = self.out.len();
                self.element("figure", "", |w| w.units(&unit.children));
                if self.out[start..].lines().count() == 2 {
                    self.out.truncate(start);
                }
            }
            Kind::Caption => self.titled("figcaption", unit),
            Kind::Media { url, title, .. } => {
                let text = if title.is_empty() { url } else { title };
                let (url, text) = (escape(url), escape(text));
                let _ = writeln!(self.out, "<p><a href=\"{url}\">{text}</a></p>");
            }
            Kind::FootnoteDefinition { label } => {
                let id = format!(" id=\"note-{}\"", escape(label));
                self.element("aside", &id, |w| w.units(&unit.children));
            }
        }
    }

    /// Writes the author and the date of a post. Each is a link if its URL is known.
    fn about_post(&mut self, post: &AboutPost) {
        let linked = |text: String, url: &Option<String>| match url {
            Some(url) => format!("<a href=\"{}\">{text}</a>", escape(url)),
            None => text,
        };
        let author = post.author.as_deref().map(|author| linked(escape(author), &post.author_url));
        let author = author.map(|author| format!("<cite>{author}</cite>"));
        let attribute = post.iso_date().map(|date| format!(" datetime=\"{}\"", escape(date)));
        let date = post.date.as_deref().map(|date| {
            let time = format!("<time{}>{}</time>", attribute.unwrap_or_default(), escape(date));
            linked(time, &post.url)
        });
        let parts: Vec<String> = author.into_iter().chain(date).collect();
        let _ = writeln!(self.out, "<footer>{}</footer>", parts.join(", "));
    }

    /// Returns the `lang` attribute of a unit; empty if its language is that of the page.
    fn language(&self, unit: &Unit) -> String {
        let language = self.languages.and_then(|languages| languages.of_unit(unit));
        language.map(|code| format!(" lang=\"{}\"", escape(&code))).unwrap_or_default()
    }

    fn items(&mut self, list: &Unit) {
        for child in list.children.iter().filter(|c| c.kept) {
            match child.kind {
                Kind::Item { .. } => self.unit(child),
                _ => self.element("li", "", |w| w.unit(child)),
            }
        }
    }

    /// Writes an element with text, followed by the children of the unit. Few units have children.
    fn titled(&mut self, name: &str, unit: &Unit) {
        if !unit.inlines.is_empty() {
            self.line(name, &self.language(unit), &unit.inlines);
        }
        self.units(&unit.children);
    }

    fn table(&mut self, table: &Unit) {
        let Kind::Table { head_rows, alignment, .. } = &table.kind else { return };
        self.element("table", "", |w| {
            for caption in table.children.iter().filter(|c| c.kept && c.kind == Kind::Caption) {
                w.line("caption", "", &caption.inlines);
            }
            for (number, cells) in table.rows().into_iter().enumerate() {
                if cells.iter().any(|c| c.kept) {
                    w.element("tr", "", |w| {
                        cells.iter().for_each(|c| w.cell(c, number < *head_rows, alignment));
                    });
                }
            }
        });
    }

    fn cell(&mut self, cell: &Unit, in_head: bool, alignment: &[Alignment]) {
        let Kind::Cell { column, row_span, column_span, head, .. } = cell.kind else { return };
        let name = if head || in_head { "th" } else { "td" };
        let span = |name: &str, n: usize| if n > 1 { format!(" {name}=\"{n}\"") } else { String::new() };
        let mut attributes = span("rowspan", row_span) + &span("colspan", column_span);
        let side = match alignment.get(column) {
            Some(Alignment::Left) => "left",
            Some(Alignment::Center) => "center",
            Some(Alignment::Right) => "right",
            _ => "",
        };
        if !side.is_empty() {
            let _ = write!(attributes, " align=\"{side}\"");
        }
        match &cell.children[..] {
            [only] if only.kept && only.kind == Kind::Paragraph => {
                attributes.push_str(&self.language(only));
                self.line(name, &attributes, &only.inlines)
            }
            children => self.element(name, &attributes, |w| w.units(children)),
        }
    }

    /// Returns text with its inline markup.
    fn inlines(&self, inlines: &Inlines) -> String {
        let mut out = String::new();
        let mut open: Option<&Rc<Link>> = None;
        for piece in inlines.pieces() {
            let link = piece.link().filter(|_| self.options.links);
            if link != open {
                out.push_str(if open.is_some() { "</a>" } else { "" });
                out.push_str(&link.map(|link| open_link(link)).unwrap_or_default());
                open = link;
            }
            match piece {
                Piece::Text(text, run) => text_of(&mut out, text, run.style),
                Piece::Atom(atom, plain) => self.atom(&mut out, atom, plain),
            }
        }
        out.push_str(if open.is_some() { "</a>" } else { "" });
        out
    }

    fn atom(&self, out: &mut String, atom: &Atom, plain: &str) {
        match &atom.kind {
            AtomKind::Image { url, alt, title } if self.options.images => {
                let title =
                    if title.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(title)) };
                let _ = write!(out, "<img src=\"{}\" alt=\"{}\"{title}>", escape(url), escape(alt));
            }
            AtomKind::Image { .. } => {}
            AtomKind::Math { tex, display: false } if self.options.formulas => {
                let _ = write!(out, "\\({}\\)", escape(tex));
            }
            AtomKind::Math { tex, .. } if self.options.formulas => {
                let _ = write!(out, "\\[{}\\]", escape(tex));
            }
            AtomKind::Ruby { base, reading } => {
                let (base, reading) = (escape(base), escape(reading));
                let _ = write!(out, "<ruby>{base}<rp>(</rp><rt>{reading}</rt><rp>)</rp></ruby>");
            }
            AtomKind::FootnoteReference { label } if self.options.links => {
                let (label, text) = (escape(label), escape(plain));
                let _ = write!(out, "<sup><a href=\"#note-{label}\">{text}</a></sup>");
            }
            _ => out.push_str(&escape(plain)),
        }
    }
}

/// Appends text inside the elements of its style.
fn text_of(out: &mut String, text: &str, style: Style) {
    let all = [
        (style.strong, "strong"),
        (style.emphasis, "em"),
        (style.strike, "del"),
        (style.insert, "ins"),
        (style.mark, "mark"),
        (style.script == Some(Script::Sup), "sup"),
        (style.script == Some(Script::Sub), "sub"),
        (style.keyboard, "kbd"),
        (style.code, "code"),
    ];
    let tags = all.into_iter().filter(|(has, _)| *has).map(|(_, name)| name);
    tags.clone().for_each(|tag| out.push_str(&format!("<{tag}>")));
    out.push_str(&escape(text).replace('\n', "<br>"));
    tags.rev().for_each(|tag| out.push_str(&format!("</{tag}>")));
}

fn open_link(link: &Link) -> String {
    let title =
        if link.title.is_empty() { String::new() } else { format!(" title=\"{}\"", escape(&link.title)) };
    format!("<a href=\"{}\"{title}>", escape(&link.url))
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::written;

    #[test]
    fn units_are_semantic_elements() {
        let html = |page: &str| written("html", page);
        assert_eq!(
            html("<h2>A <b>b</b></h2><p>c<br>d"),
            "<article>\n<h2>A <strong>b</strong></h2>\n<p>c<br>d</p>\n</article>\n"
        );
        assert_eq!(
            html("<pre class=language-c>a &lt; b</pre>"),
            "<article>\n<pre><code class=\"language-c\">a &lt; b</code></pre>\n</article>\n"
        );
        let table = html("<table><tr><th>a<th>b<tr><td>1<td align=right>2</table>");
        assert!(table.contains("<th align=\"right\">b</th>\n</tr>\n<tr>\n<td>1</td>"), "{table}");
    }

    #[test]
    fn posts_name_their_authors_once_and_lines_their_language() {
        let post =
            "<div class=comment><p class=author>Ann Miller</p><time>3 May 2024</time><p>It rained.</div>";
        let html = written("html", &post.repeat(2));
        assert!(html.matches("<article>").count() == 3 && !html.contains("<footer>"), "{html}");
        let about = "<front><byline><name>Ann Miller</name>, <date when=\"2024-05-03\">2024-05-03</date></byline></front>";
        assert_eq!(written("tei", &post.repeat(2)).matches(about).count(), 2);
        let page = "<html lang=en><p>It rained in the north, and then it rained in the south of the country too.\
            <p lang=de-AT>Es regnet.<ul><li lang=fr>Il pleut.</ul>";
        let html = written("html", page);
        assert!(
            html.contains("<p lang=\"de\">Es regnet.</p>") && html.contains("<p lang=\"fr\">Il pleut.</p>"),
            "{html}"
        );
        assert_eq!(html.matches("lang=").count(), 3, "{html}");
        let tei = written("tei", page);
        assert!(tei.contains("<p xml:lang=\"de\">Es regnet.</p>"), "{tei}");
    }

    #[test]
    fn signs_that_xml_does_not_allow_are_left_out() {
        assert_eq!(super::escape("a\u{fffe}b\u{ffff}c\u{1}\u{85}d\te"), "abcd\te");
        assert!(written("tei", "<title>a&#xffff;b</title><p>c\u{fffe}d").contains("<p>cd</p>"));
    }

    #[test]
    fn nothing_active_is_written() {
        let html = written(
            "html",
            "<p onclick=x()>a <a href='javascript:x()' onmouseover=y>b</a> <img src='x' onerror=x> c\
             <a href=' java\nscript:x'>d</a><svg onload=x><script>x</script></svg>&lt;script&gt;<iframe srcdoc='<script>'></iframe>\
             <a href='data:text/html,x'>e</a><a href='https://a/\"onclick=x'>f</a>",
        );
        let lower = html.to_lowercase();
        for active in
            ["<script", "onclick=x(", "onerror", "javascript:", "onmouseover", "<iframe", "data:", "<svg"]
        {
            assert!(!lower.contains(active), "{active}: {html}");
        }
        assert!(html.contains("&lt;script&gt;") && !html.contains("\"onclick"), "{html}");
    }
}
