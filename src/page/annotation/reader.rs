//! Labels taken out of the stream of tokens.

use super::{Annotation, AnnotationKind, marks};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token};
use html5ever::{LocalName, local_name};

/// Takes labels out of the stream of tokens and marks the text they hold for.
pub(crate) struct Reader {
    kind: AnnotationKind,
    /// Labelled elements that are open.
    open: Vec<Labelled>,
    inside_markers: bool,
}

struct Labelled {
    name: LocalName,
    class: u8,
    taken_out: bool,
    /// Open elements of the same name inside it.
    nested: u32,
}

impl Reader {
    pub fn new(annotation: &Annotation) -> Self {
        Reader { kind: annotation.kind.clone(), open: Vec::new(), inside_markers: false }
    }

    /// The token without its label; `None` where it was only that.
    pub fn read(&mut self, token: Token) -> Option<Token> {
        match token {
            Token::CharacterTokens(text) => Some(Token::CharacterTokens(self.mark(&text))),
            Token::CommentToken(text) => {
                if let AnnotationKind::Markers { open, close } = &self.kind {
                    let is = |marker: &str| {
                        let rest = text.trim().strip_prefix(marker);
                        rest.is_some_and(|r| r.is_empty() || r.trim_start().starts_with(':'))
                    };
                    let (opens, closes) = (is(open), is(close));
                    if opens || closes {
                        self.inside_markers = opens;
                        return None;
                    }
                }
                Some(Token::CommentToken(text))
            }
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => self.start(tag),
                TagKind::EndTag => self.end(tag),
            }
            .map(Token::TagToken),
            other => Some(other),
        }
    }

    fn start(&mut self, mut tag: Tag) -> Option<Tag> {
        let AnnotationKind::ClassName { prefix, wrapper, attributes } = &self.kind else { return Some(tag) };
        let Some(class) = take_class(&mut tag, prefix, *attributes) else {
            if let Some(top) = self.open.last_mut().filter(|t| t.name == tag.name) {
                top.nested += 1;
            }
            return Some(tag);
        };
        let taken_out = tag.name == *wrapper && tag.attrs.is_empty();
        if !tag.self_closing {
            self.open.push(Labelled { name: tag.name.clone(), class, taken_out, nested: 0 });
        }
        (!taken_out).then_some(tag)
    }

    fn end(&mut self, tag: Tag) -> Option<Tag> {
        let Some(top) = self.open.last_mut().filter(|t| t.name == tag.name) else { return Some(tag) };
        if top.nested > 0 {
            top.nested -= 1;
            return Some(tag);
        }
        let taken_out = top.taken_out;
        self.open.pop();
        (!taken_out).then_some(tag)
    }

    fn mark(&self, text: &str) -> StrTendril {
        let class = match &self.kind {
            AnnotationKind::ClassName { .. } => self.open.last().map(|l| l.class),
            AnnotationKind::Markers { .. } => Some(u8::from(self.inside_markers)),
            AnnotationKind::Selector(_) => None,
        };
        StrTendril::from_slice(&marks::write(text, class))
    }
}

/// Takes the label's class name (and attributes that belong to it) off a tag and gives its number.
fn take_class(tag: &mut Tag, prefix: &str, attributes: Option<&str>) -> Option<u8> {
    let attr = tag.attrs.iter_mut().find(|a| a.name.local == local_name!("class"))?;
    let number =
        |word: &str| word.strip_prefix(prefix)?.parse::<u8>().ok().filter(|&n| n <= marks::MAX_CLASS);
    let class = attr.value.split_whitespace().find_map(number)?;
    let left: Vec<_> = attr.value.split_whitespace().filter(|w| number(w).is_none()).collect();
    attr.value = StrTendril::from_slice(&left.join(" "));
    tag.attrs.retain(|a| {
        let empty_class = a.name.local == local_name!("class") && a.value.is_empty();
        !empty_class && !attributes.is_some_and(|p| a.name.local.starts_with(p))
    });
    Some(class)
}
