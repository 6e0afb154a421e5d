//! XML-TEI: a `<TEI>` element with header and text for each page, in a `<teiCorpus>` element if there are several
//! pages.

use crate::formats::html::escape;
use crate::formats::languages::Languages;
use crate::formats::{Entry, Format, Layout, PageOutput, no_row};
use crate::units::{AboutPost, AtomKind, Inlines, Kind, Link, MediaKind, Piece, Unit};
use std::fmt::Write;
use std::rc::Rc;
use threshr_page::metadata::{Metadata, PostKind, Sourced};

/// Text before the pages of a corpus. TEI requires a header with at least these elements.
const CORPUS_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <teiCorpus xmlns=\"http://www.tei-c.org/ns/1.0\">\n\
    <teiHeader><fileDesc><titleStmt><title>Content of web pages</title></titleStmt>\
    <publicationStmt><p/></publicationStmt><sourceDesc><p/></sourceDesc></fileDesc></teiHeader>\n";

/// A `<TEI>` element for one page, or a `<teiCorpus>` for several pages. The elements are those of TEI P5.
pub(super) static FORMAT: Format = Format {
    name: "tei",
    summary: "XML-TEI: a <TEI> element with header and body for each page, in a <teiCorpus> if there may be several",
    extensions: &["tei", "xml"],
    head: "",
    between: "\n",
    frame: (CORPUS_START, "</teiCorpus>\n"),
    layout: Layout::Stream,
    page: |page| Ok(Entry::Text(document(page, &page.units(false)?))),
    failed: no_row,
};

fn document(page: &PageOutput<'_>, units: &[Unit]) -> String {
    let mut out = String::from("<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">\n<teiHeader><fileDesc>");
    header(page, &page.metadata(), &mut out);
    out.push_str("</teiHeader>\n<text><body>\n");
    let mut writer = Writer { out, languages: Languages::new(page) };
    writer.units(units);
    if units.is_empty() {
        writer.out.push_str("<p/>\n");
    }
    writer.out.push_str("</body></text>\n</TEI>\n");
    writer.out
}

/// Writes the content of the header: title and authors, source, and subject of the text.
fn header(page: &PageOutput<'_>, metadata: &Metadata, out: &mut String) {
    let title = metadata.title.as_ref().map_or(page.id, |title| &title.value);
    let element = |name: &str, value: &str| format!("<{name}>{}</{name}>", escape(value));
    let optional = |name: &str, value: &Option<Sourced>| {
        value.as_ref().map(|sourced| element(name, &sourced.value)).unwrap_or_default()
    };
    let authors: String = metadata.authors.iter().map(|author| element("author", &author.value)).collect();
    let _ =
        write!(out, "<titleStmt>{}{authors}</titleStmt>{}", element("title", title), publication(metadata));
    let url = page.url.or(metadata.canonical_url.as_ref().map(|url| url.value.as_str()));
    let date = |date: &Option<Sourced>, kind: &str| {
        let date = date.as_ref().map(|date| escape(&date.value));
        date.map(|date| format!("<date type=\"{kind}\" when=\"{date}\">{date}</date>")).unwrap_or_default()
    };
    let source = [
        element("title", title),
        authors.clone(),
        optional("publisher", &metadata.site_name),
        date(&metadata.date_published, "published"),
        date(&metadata.date_modified, "modified"),
        url.map(|url| format!("<ptr target=\"{}\"/>", escape(url))).unwrap_or_default(),
    ];
    let _ = write!(out, "<sourceDesc><bibl>{}</bibl></sourceDesc></fileDesc>", source.concat());
    let language = metadata.language.as_ref().map(|language| escape(&language.value));
    let terms: String = metadata.tags.iter().map(|tag| element("term", &tag.value)).collect();
    let abstract_ = metadata.description.as_ref().map(|text| element("p", &text.value));
    let profile = [
        abstract_.map(|text| format!("<abstract>{text}</abstract>")),
        language.map(|code| format!("<langUsage><language ident=\"{code}\"/></langUsage>")),
        Some(terms)
            .filter(|terms| !terms.is_empty())
            .map(|terms| format!("<textClass><keywords>{terms}</keywords></textClass>")),
    ];
    let profile: String = profile.into_iter().flatten().collect();
    if !profile.is_empty() {
        let _ = write!(out, "<profileDesc>{profile}</profileDesc>");
    }
}

/// Returns the `<publicationStmt>` element with publisher and licence.
fn publication(metadata: &Metadata) -> String {
    let Some(licence) = metadata.licence.as_ref().map(|licence| escape(&licence.value)) else {
        return "<publicationStmt><p/></publicationStmt>".to_owned();
    };
    let publisher = metadata.site_name.as_ref().map_or("", |name| &name.value);
    let target = if licence.contains("://") { format!(" target=\"{licence}\"") } else { String::new() };
    format!(
        "<publicationStmt><publisher>{}</publisher><availability><licence{target}>{licence}</licence></availability></publicationStmt>",
        escape(publisher)
    )
}

struct Writer<'a> {
    out: String,
    languages: Languages<'a>,
}

impl Writer<'_> {
    fn units(&mut self, units: &[Unit]) {
        units.iter().filter(|unit| unit.kept).for_each(|unit| self.unit(unit));
    }

    fn element(&mut self, name: &str, attributes: &str, inside: impl FnOnce(&mut Self)) {
        let _ = write!(self.out, "<{name}{attributes}>");
        inside(self);
        let _ = writeln!(self.out, "</{name}>");
    }

    /// Returns the `xml:lang` attribute of a unit; empty if its language is that of the page.
    fn language(&self, unit: &Unit) -> String {
        let language = self.languages.of_unit(unit);
        language.map(|code| format!(" xml:lang=\"{}\"", escape(&code))).unwrap_or_default()
    }

    /// Writes an element with the text and the children of a unit.
    fn whole(&mut self, name: &str, attributes: &str, unit: &Unit) {
        let attributes = self.language(unit) + attributes;
        self.element(name, &attributes, |w| {
            w.inlines(&unit.inlines);
            w.units(&unit.children);
        });
    }

    fn unit(&mut self, unit: &Unit) {
        match &unit.kind {
            Kind::Heading { level } => {
                let attributes = format!(" type=\"heading\" rend=\"h{level}\"");
                self.whole("ab", &attributes, unit);
            }
            Kind::Paragraph if unit.children.is_empty() => self.whole("p", "", unit),
            Kind::List { ordered } => {
                let kind = if *ordered { " rend=\"numbered\"" } else { " rend=\"bulleted\"" };
                self.element("list", kind, |w| {
                    for child in unit.children.iter().filter(|c| c.kept) {
                        match child.kind {
                            Kind::Item { .. } => w.unit(child),
                            _ => w.element("item", "", |w| w.unit(child)),
                        }
                    }
                });
            }
            Kind::Item { number, checked } => {
                let mut attributes = number.map(|n| format!(" n=\"{n}\"")).unwrap_or_default();
                if let Some(checked) = checked {
                    attributes.push_str(if *checked { " rend=\"checked\"" } else { " rend=\"unchecked\"" });
                }
                self.whole("item", &attributes, unit);
            }
            Kind::Definitions => self.element("list", " type=\"gloss\"", |w| w.units(&unit.children)),
            Kind::Term => self.whole("label", "", unit),
            Kind::Definition => self.whole("item", "", unit),
            Kind::Post(post) => self.element("floatingText", &post_type(post), |w| {
                let _ = writeln!(w.out, "<front><byline>{}</byline></front>", about_post(post));
                w.element("body", "", |w| w.units(&unit.children));
            }),
            Kind::Quote { .. } => self.whole("quote", "", unit),
            Kind::Rule => self.out.push_str("<milestone unit=\"section\" rend=\"line\"/>\n"),
            Kind::Code { language } => {
                let lang = if language.is_empty() {
                    String::new()
                } else {
                    format!(" lang=\"{}\"", escape(language))
                };
                self.element("ab", " type=\"code\"", |w| {
                    let _ = write!(
                        w.out,
                        "<code{lang} xml:space=\"preserve\">{}</code>",
                        escape(&unit.inlines.text)
                    );
                });
            }
            Kind::Math => self.element("ab", "", |w| {
                let _ = write!(w.out, "<formula notation=\"TeX\">{}</formula>", escape(&unit.inlines.text));
            }),
            Kind::Table { rows, columns, .. } => {
                let attributes = format!(" rows=\"{rows}\" cols=\"{columns}\"");
                self.element("table", &attributes, |w| w.table(unit));
            }
            Kind::Media { media_kind, url, .. } => {
                let mime_type = match media_kind {
                    MediaKind::Video => "video/*",
                    MediaKind::Audio => "audio/*",
                    MediaKind::Frame => "text/html",
                };
                let _ =
                    writeln!(self.out, "<p><media mimeType=\"{mime_type}\" url=\"{}\"/></p>", escape(url));
            }
            Kind::FootnoteDefinition { label } => {
                let attributes = format!(" place=\"foot\" n=\"{}\"", escape(label));
                self.whole("note", &attributes, unit);
            }
            Kind::Callout { .. } | Kind::Details => {
                let subtype = match unit.kind {
                    Kind::Callout { callout_type } if !callout_type.is_empty() => {
                        format!(" subtype=\"{callout_type}\"")
                    }
                    _ => String::new(),
                };
                self.element("floatingText", &format!(" type=\"box\"{subtype}"), |w| {
                    w.element("body", "", |w| w.units(&unit.children));
                });
            }
            Kind::Figure => self.whole("figure", "", unit),
            Kind::Caption => self.whole("p", " rend=\"caption\"", unit),
            _ => {
                if !unit.inlines.is_empty() {
                    let language = self.language(unit);
                    self.element("p", &language, |w| w.inlines(&unit.inlines));
                }
                self.units(&unit.children);
            }
        }
    }

    fn table(&mut self, table: &Unit) {
        for caption in table.children.iter().filter(|c| c.kept && c.kind == Kind::Caption) {
            self.element("head", "", |w| w.inlines(&caption.inlines));
        }
        for cells in table.rows() {
            if !cells.iter().any(|cell| cell.kept) {
                continue;
            }
            self.element("row", "", |w| {
                for cell in cells {
                    let Kind::Cell { row_span, column_span, head, .. } = cell.kind else { continue };
                    let span =
                        |name: &str, n: usize| if n > 1 { format!(" {name}=\"{n}\"") } else { String::new() };
                    let role = if head { " role=\"label\"" } else { "" };
                    let attributes = format!("{role}{}{}", span("rows", row_span), span("cols", column_span));
                    let language = match &cell.children[..] {
                        [only] if only.kept && only.kind == Kind::Paragraph => w.language(only),
                        _ => String::new(),
                    };
                    w.element("cell", &(language + &attributes), |w| match &cell.children[..] {
                        [only] if only.kept && only.kind == Kind::Paragraph => w.inlines(&only.inlines),
                        children => w.units(children),
                    });
                }
            });
        }
    }

    fn inlines(&mut self, inlines: &Inlines) {
        let mut open: Option<&Rc<Link>> = None;
        for piece in inlines.pieces() {
            let link = piece.link();
            if link != open {
                self.out.push_str(if open.is_some() { "</ref>" } else { "" });
                if let Some(link) = link {
                    let _ = write!(self.out, "<ref target=\"{}\">", escape(&link.url));
                }
                open = link;
            }
            match piece {
                Piece::Text(text, run) => self.run(text, run),
                Piece::Atom(atom, plain) => self.atom(&atom.kind, plain),
            }
        }
        self.out.push_str(if open.is_some() { "</ref>" } else { "" });
    }

    fn run(&mut self, text: &str, run: &crate::units::Run) {
        let style = run.style;
        let rend: Vec<&str> = [
            (style.strong, "bold"),
            (style.emphasis, "italic"),
            (style.strike, "strikethrough"),
            (style.code || style.keyboard, "code"),
            (style.mark, "highlight"),
            (style.script == Some(crate::units::Script::Sup), "superscript"),
            (style.script == Some(crate::units::Script::Sub), "subscript"),
        ]
        .into_iter()
        .filter_map(|(has, name)| has.then_some(name))
        .collect();
        let mut text = escape(text).replace('\n', "<lb/>");
        if !rend.is_empty() {
            text = format!("<hi rend=\"{}\">{text}</hi>", rend.join(" "));
        }
        self.out.push_str(&text);
    }

    fn atom(&mut self, kind: &AtomKind, text: &str) {
        let _ = match kind {
            AtomKind::Image { url, alt, .. } => write!(
                self.out,
                "<figure><graphic url=\"{}\"/><figDesc>{}</figDesc></figure>",
                escape(url),
                escape(alt)
            ),
            AtomKind::Math { tex, .. } => {
                write!(self.out, "<formula notation=\"TeX\">{}</formula>", escape(tex))
            }
            AtomKind::Ruby { base, reading } => {
                let (base, reading) = (escape(base), escape(reading));
                write!(self.out, "<ruby><rb>{base}</rb><rt>{reading}</rt></ruby>")
            }
            AtomKind::FootnoteReference { label } => {
                write!(self.out, "<ref type=\"note\" n=\"{}\">{}</ref>", escape(label), escape(text))
            }
        };
    }
}

/// Returns the type attribute of a post, and a subtype for posts other than `Post`.
fn post_type(post: &AboutPost) -> String {
    let subtype = match post.post_kind {
        PostKind::Post => "",
        PostKind::Comment => " subtype=\"comment\"",
        PostKind::Question => " subtype=\"question\"",
        PostKind::Answer => " subtype=\"answer\"",
        PostKind::Review => " subtype=\"review\"",
    };
    format!(" type=\"post\"{subtype}")
}

/// Returns the author, the date and the URL of a post.
fn about_post(post: &AboutPost) -> String {
    let attribute = |name: &str, value: Option<&str>| {
        value.map(|value| format!(" {name}=\"{}\"", escape(value))).unwrap_or_default()
    };
    let author = post.author.as_deref().map(|author| {
        format!("<name{}>{}</name>", attribute("ref", post.author_url.as_deref()), escape(author))
    });
    let date = post.date.as_deref();
    let date =
        date.map(|date| format!("<date{}>{}</date>", attribute("when", post.iso_date()), escape(date)));
    let url = post.url.as_deref().map(|url| format!("<ref target=\"{}\"/>", escape(url)));
    author.into_iter().chain(date).chain(url).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::written;

    #[test]
    fn the_header_has_the_metadata() {
        let html = "<html lang=en><title>Rain & snow | News</title><meta name=author content='Ann Miller'>\
            <meta property=article:published_time content=2024-05-03><meta property=og:site_name content=News>\
            <h1>Rain & snow</h1><p>It rained.";
        let tei = written("tei", html);
        for part in [
            "<titleStmt><title>Rain &amp; snow</title><author>Ann Miller</author></titleStmt>",
            "<publisher>News</publisher><date type=\"published\" when=\"2024-05-03\">2024-05-03</date>",
            "<langUsage><language ident=\"en\"/></langUsage>",
            "<publicationStmt><p/></publicationStmt>",
        ] {
            assert!(tei.contains(part), "{part} in {tei}");
        }
    }
}
