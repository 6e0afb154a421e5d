//! The html5lib tokenizer tests, and comparison with html5ever's tokenizer on random pages.

use crate::names::Name;
use crate::tests::random_pages::{PageGenerator, shrink};
use crate::tokenizer::{Content, Doctype, Sink, StartTag, Tokenizer, normalized};
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{self as oracle, TokenSink, TokenSinkResult, TokenizerOpts};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::path::PathBuf;

/// Collects tokens in the format of the html5lib tests.
#[derive(Default)]
struct Collect {
    tokens: Vec<Value>,
    /// Whether to switch to raw text after start tags, as a tree builder does.
    builds_tree: bool,
    in_foreign: bool,
}

impl Collect {
    fn push_text(&mut self, text: &str) {
        if let Some(last) = self.tokens.last_mut()
            && last[0] == "Character"
            && let Value::String(old) = &mut last[1]
        {
            old.push_str(text);
            return;
        }
        self.tokens.push(json!(["Character", text]));
    }

    fn push_start<'a>(
        &mut self,
        name: &str,
        attributes: impl Iterator<Item = (&'a str, &'a str)>,
        self_closing: bool,
    ) -> Content {
        let attributes: serde_json::Map<_, _> =
            attributes.map(|(name, value)| (name.to_owned(), value.into())).collect();
        let mut token = json!(["StartTag", name, attributes]);
        if self_closing && let Value::Array(list) = &mut token {
            list.push(true.into());
        }
        self.tokens.push(token);
        match name {
            _ if !self.builds_tree => Content::Markup,
            "title" | "textarea" => Content::Rcdata,
            "style" | "xmp" | "iframe" | "noembed" | "noframes" | "noscript" => Content::Rawtext,
            "script" => Content::Script,
            "plaintext" => Content::Plaintext,
            _ => Content::Markup,
        }
    }

    fn push_doctype(&mut self, d: Doctype) {
        self.tokens.push(json!(["DOCTYPE", d.name, d.public_id, d.system_id, !d.force_quirks]));
    }
}

impl Sink for Collect {
    fn text(&mut self, text: &str) {
        assert!(!text.is_empty() && !text.contains('\0'), "{text:?}");
        self.push_text(text);
    }
    fn nul(&mut self) {
        self.push_text("\0");
    }
    fn start_tag(&mut self, tag: &mut StartTag<'_>) -> Content {
        self.push_start(
            tag.name().text(),
            tag.attributes().map(|(name, value)| (name.text(), value)),
            tag.self_closing,
        )
    }
    fn end_tag(&mut self, name: Name<'_>) {
        self.tokens.push(json!(["EndTag", name.text()]));
    }
    fn comment(&mut self, text: &str) {
        self.tokens.push(json!(["Comment", text]));
    }
    fn doctype(&mut self, doctype: Doctype) {
        self.push_doctype(doctype);
    }
    fn end(&mut self) {}
    fn is_in_foreign_content(&self) -> bool {
        self.in_foreign
    }
}

/// Collects the tokens of html5ever's tokenizer.
struct Oracle(RefCell<Collect>);

impl TokenSink for Oracle {
    type Handle = ();
    fn process_token(&self, token: oracle::Token, _: u64) -> TokenSinkResult<()> {
        let mut collect = self.0.borrow_mut();
        match token {
            oracle::Token::CharacterTokens(text) if text.is_empty() => {}
            oracle::Token::CharacterTokens(text) => collect.push_text(&text),
            oracle::Token::NullCharacterToken => collect.push_text("\0"),
            oracle::Token::CommentToken(text) => collect.comment(&text),
            oracle::Token::DoctypeToken(d) => collect.push_doctype(Doctype {
                name: d.name.map(Into::into),
                public_id: d.public_id.map(Into::into),
                system_id: d.system_id.map(Into::into),
                force_quirks: d.force_quirks,
            }),
            oracle::Token::TagToken(tag) if tag.kind == oracle::TagKind::EndTag => {
                collect.end_tag(Name::new(&tag.name))
            }
            oracle::Token::TagToken(tag) => {
                let attributes = tag.attrs.iter().map(|a| (&*a.name.local, &*a.value));
                return match collect.push_start(&tag.name, attributes, tag.self_closing) {
                    Content::Markup => TokenSinkResult::Continue,
                    Content::Rcdata => TokenSinkResult::RawData(RawKind::Rcdata),
                    Content::Rawtext => TokenSinkResult::RawData(RawKind::Rawtext),
                    Content::Script => TokenSinkResult::RawData(RawKind::ScriptData),
                    Content::Plaintext => TokenSinkResult::Plaintext,
                };
            }
            oracle::Token::EOFToken | oracle::Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().in_foreign
    }
}

fn of_oracle(html: &str, collect: Collect, state: Option<State>, last_start_tag: Option<&str>) -> Vec<Value> {
    let options = TokenizerOpts {
        initial_state: state,
        last_start_tag_name: last_start_tag.map(str::to_owned),
        ..TokenizerOpts::default()
    };
    let tokenizer = oracle::Tokenizer::new(Oracle(RefCell::new(collect)), options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    tokenizer.sink.0.into_inner().tokens
}

fn ours(html: &str, in_foreign: bool) -> Vec<Value> {
    let collect = Collect { builds_tree: true, in_foreign, ..Collect::default() };
    Tokenizer::new(&normalized(html), usize::MAX, collect)
        .run(&threshr_core::Budget::UNLIMITED)
        .expect("no limit")
        .tokens
}

fn theirs(html: &str, in_foreign: bool) -> Vec<Value> {
    let collect = Collect { builds_tree: true, in_foreign, ..Collect::default() };
    of_oracle(html, collect, None, None)
}

/// Decodes the `\uHHHH` escapes of a string. Returns `None` if one is a lone surrogate.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        out.push_str(&rest[..at]);
        out.push(char::from_u32(u32::from_str_radix(&rest[at + 2..at + 6], 16).expect("a number"))?);
        rest = &rest[at + 6..];
    }
    Some(out + rest)
}

fn unescaped_all(value: &Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => Value::String(unescaped(text)?),
        Value::Array(list) => Value::Array(list.iter().map(unescaped_all).collect::<Option<_>>()?),
        Value::Object(map) => {
            let entry = |(k, v): (&String, &Value)| Some((unescaped(k)?, unescaped_all(v)?));
            Value::Object(map.iter().map(entry).collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

/// Files of the suite: name and number of its tests.
const FILES: [(&str, usize); 14] = [
    ("contentModelFlags", 14),
    ("domjs", 43),
    ("entities", 80),
    ("escapeFlag", 5),
    ("namedEntities", 4210),
    ("numericEntities", 336),
    ("pendingSpecChanges", 1),
    ("test1", 69),
    ("test2", 45),
    ("test3", 1590),
    ("test4", 85),
    ("unicodeChars", 323),
    ("unicodeCharsProblematic", 5),
    ("xmlViolation", 4),
];

#[test]
fn html5lib_tests_pass() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/html5lib/tokenizer");
    let (mut failed, mut unreadable) = (Vec::new(), 0);
    for (file, expected) in FILES {
        let text = std::fs::read_to_string(dir.join(format!("{file}.test"))).expect("the suite is there");
        let suite: Value = serde_json::from_str(&text).expect("JSON");
        // `xmlViolation` tests are for parsers that build an XML infoset
        let Some(tests) = suite["tests"].as_array() else {
            assert_eq!(file, "xmlViolation");
            continue;
        };
        assert_eq!(tests.len(), expected, "{file}");
        for test in tests {
            let is_escaped = test["doubleEscaped"] == true;
            let read = |v: &Value| if is_escaped { unescaped_all(v) } else { Some(v.clone()) };
            let (Some(input), Some(expected)) = (read(&test["input"]), read(&test["output"])) else {
                unreadable += 1;
                continue;
            };
            let states =
                test["initialStates"].as_array().cloned().unwrap_or_else(|| vec![json!("Data state")]);
            for state in states {
                let found = tokens(
                    input.as_str().expect("text"),
                    state.as_str().expect("a name"),
                    test["lastStartTag"].as_str().unwrap_or_default(),
                );
                let name = format!("{file}: {} ({state})", test["description"]);
                if Value::Array(found.clone()) != expected {
                    failed.push(format!("{name}\n  {input}\n  expected {expected}\n  found {found:?}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n"));
    // a Rust string cannot contain a lone surrogate
    assert_eq!(unreadable, 4);
}

fn tokens(input: &str, state: &str, last_start_tag: &str) -> Vec<Value> {
    let source = normalized(input);
    let mut tokenizer = Tokenizer::new(&source, usize::MAX, Collect::default());
    let content = match state {
        "Data state" => Content::Markup,
        "PLAINTEXT state" => Content::Plaintext,
        "RCDATA state" => Content::Rcdata,
        "RAWTEXT state" => Content::Rawtext,
        "Script data state" => Content::Script,
        "CDATA section state" => {
            tokenizer.cdata(0);
            Content::Markup
        }
        other => panic!("an unknown state: {other}"),
    };
    tokenizer.begin(content, last_start_tag).run(&threshr_core::Budget::UNLIMITED).expect("no limit").tokens
}

fn compare(num_pages: usize, seed: u64) {
    let mut generator = PageGenerator::new(seed);
    let mut found = Vec::new();
    for _ in 0..num_pages {
        let html = generator.page();
        for in_foreign in [false, true] {
            let differs = |html: &str| {
                let text = html.strip_prefix('\u{feff}').unwrap_or(html);
                ours(text, in_foreign) != theirs(html, in_foreign)
            };
            if differs(&html) {
                let html = shrink(&html, differs);
                found.push(format!(
                    "{html:?}\n  {:?}\n  {:?}",
                    ours(&html, in_foreign),
                    theirs(&html, in_foreign)
                ));
            }
        }
        assert!(found.len() < 10, "{}", found.join("\n"));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn made_up_pages_are_read_as_html5ever_does() {
    compare(3_000, 1);
}
