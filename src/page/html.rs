//! A page's HTML as text, without an annotation: for methods that read lines of it and not the tree.

use super::annotation::{Annotation, Reader};
use super::{ParseOptions, decode, trim};
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use std::cell::RefCell;

/// The page's HTML, decoded, as it stands; of an annotated page, without what carries the labels.
///
/// Tags that carry a label beside other things are written anew without it, which may change quotes and spaces in them.
/// An annotation by a selector leaves no trace in the HTML, so the HTML stays as it is.
pub fn plain_html(bytes: &[u8], options: &ParseOptions) -> String {
    let decoded = decode(bytes, options.charset.as_deref());
    let (_, html) = trim::cleaneval_wrapper(&decoded.text);
    match &options.annotation {
        Some(annotation) => without_labels(html, annotation),
        None => html.to_owned(),
    }
}

/// Copies the page tag by tag; the annotation's reader says of every tag and comment what is left of it.
fn without_labels(html: &str, annotation: &Annotation) -> String {
    let mut reader = Reader::new(annotation);
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for markup in trim::markup(html, usize::MAX) {
        let end = (markup.end + 1).min(html.len());
        let source = &html[markup.start..end];
        let Some(token) = token(source) else { continue };
        let before = write(&token);
        let after = reader.read(token).map(|t| write(&t));
        if after.as_ref() != Some(&before) {
            out.push_str(&html[copied..markup.start]);
            out.push_str(&after.unwrap_or_default());
            copied = end;
        }
    }
    out.push_str(&html[copied..]);
    out
}

/// The one tag or comment that `source` is.
fn token(source: &str) -> Option<Token> {
    #[derive(Default)]
    struct First(RefCell<Option<Token>>);
    impl TokenSink for First {
        type Handle = ();
        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            if matches!(token, Token::TagToken(_) | Token::CommentToken(_)) {
                self.0.borrow_mut().get_or_insert(token);
            }
            TokenSinkResult::Continue
        }
    }
    let tokenizer = Tokenizer::new(First::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(source));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.take()
}

fn write(token: &Token) -> String {
    match token {
        Token::TagToken(tag) => write_tag(tag),
        Token::CommentToken(text) => format!("<!--{text}-->"),
        _ => String::new(),
    }
}

fn write_tag(tag: &Tag) -> String {
    let slash = if tag.kind == TagKind::EndTag { "/" } else { "" };
    let mut out = format!("<{slash}{}", tag.name);
    for attr in &tag.attrs {
        let value = attr.value.replace('&', "&amp;").replace('"', "&quot;");
        out.push_str(&format!(" {}=\"{value}\"", attr.name.local));
    }
    out.push_str(if tag.self_closing { "/>" } else { ">" });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(html: &str, annotation: Option<Annotation>) -> String {
        plain_html(html.as_bytes(), &ParseOptions { annotation, ..ParseOptions::default() })
    }

    #[test]
    fn html_stays_but_for_labels() {
        let page = "<p  CLASS=a>x &amp; <b\nid='i'>y</b><!-- c --><script>'<kw>'</script>\n</p>";
        assert_eq!(plain(page, None), page);
        assert_eq!(plain(page, Some(Annotation::krdwrd())), page);
        let marked = page.replace("x &amp;", "<kw class='krdwrd-tag-3'>x &amp;</kw>");
        assert_eq!(plain(&marked, Some(Annotation::krdwrd())), page);
        let marked = page.replace("<!-- c -->", "<!-- content --><!-- c --><!-- /content -->");
        assert_eq!(plain(&marked, Some(Annotation::markers("content", "/content"))), page);
        let l3s = "<div class='x-nc-sel2 k'><span class=x-nc-sel1>t</span></div>";
        assert_eq!(plain(l3s, Some(Annotation::l3s())), "<div class=\"k\">t</div>");
    }
}
