//! Insertion modes before, in and after `<head>`, after the body, of framesets and of templates.

use crate::tag::Tag;
use crate::tokenizer::Content;
use crate::tree::NONE;
use crate::tree_builder::sets::*;
use crate::tree_builder::{Builder, Mode, Open, Start, Step, Token, goes_in_head, split_space};

impl Builder {
    /// Handles a token up to `<head>`: skips leading white space and inserts implied elements.
    pub(crate) fn before<'t>(&mut self, mode: Mode, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                let (_, is_space, rest) = split_space(text);
                if is_space {
                    return Step::Rest(rest);
                }
            }
            Token::Comment => return Step::Done,
            _ => {}
        }
        match (mode, *token) {
            (Mode::Initial, _) => {
                self.is_quirky = true;
                Step::Again(Mode::BeforeHtml)
            }
            (Mode::BeforeHtml, Token::Start(start @ Start { tag: Tag::HTML, .. })) => {
                self.insert(start);
                self.mode = Mode::BeforeHead;
                Step::Done
            }
            (Mode::BeforeHead, Token::Start(Start { tag: Tag::HTML, .. })) => self.in_body(token),
            (Mode::BeforeHead, Token::Start(start @ Start { tag: Tag::HEAD, .. })) => {
                self.head = self.insert(start);
                self.mode = Mode::InHead;
                Step::Done
            }
            (_, Token::End(tag)) if !matches!(tag, Tag::HEAD | Tag::BODY | Tag::HTML | Tag::BR) => Step::Done,
            (Mode::BeforeHtml, _) => {
                self.insert_implied(Tag::HTML);
                Step::Again(Mode::BeforeHead)
            }
            _ => {
                self.head = self.insert_implied(Tag::HEAD);
                Step::Again(Mode::InHead)
            }
        }
    }

    pub(crate) fn in_head<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                if let Ok(rest) = self.insert_space(text) {
                    return Step::Rest(rest);
                }
            }
            Token::Comment => return Step::Done,
            Token::Start(start) => match start.tag {
                Tag::HTML => return self.in_body(token),
                Tag::BASE | Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META => {
                    self.insert_void(start);
                    return Step::Done;
                }
                Tag::TITLE => return self.insert_raw(start, Content::Rcdata),
                Tag::NOSCRIPT if !self.scripting => {
                    self.insert(start);
                    self.mode = Mode::InHeadNoscript;
                    return Step::Done;
                }
                Tag::NOFRAMES | Tag::STYLE | Tag::NOSCRIPT => {
                    return self.insert_raw(start, Content::Rawtext);
                }
                Tag::SCRIPT => return self.insert_raw(start, Content::Script),
                Tag::TEMPLATE => {
                    self.push_marker();
                    self.frameset_ok = false;
                    self.mode = Mode::InTemplate;
                    self.template_modes.push(Mode::InTemplate);
                    self.insert(start);
                    return Step::Done;
                }
                Tag::HEAD => return Step::Done,
                _ => {}
            },
            Token::End(tag) => match tag {
                Tag::HEAD => {
                    self.pop();
                    self.mode = Mode::AfterHead;
                    return Step::Done;
                }
                Tag::BODY | Tag::HTML | Tag::BR => {}
                Tag::TEMPLATE => {
                    self.end_template();
                    return Step::Done;
                }
                _ => return Step::Done,
            },
            Token::Nul | Token::EndOfPage => {}
        }
        self.pop();
        Step::Again(Mode::AfterHead)
    }

    fn end_template(&mut self) {
        if self.has_open(Tag::TEMPLATE) {
            self.close_implied(IMPLIED_ALL, Tag::TEMPLATE);
            self.leave_template();
        }
    }

    fn leave_template(&mut self) {
        self.pop_until(Tag::TEMPLATE);
        self.clear_to_marker();
        self.template_modes.pop();
        self.mode = self.mode_of_stack();
    }

    pub(crate) fn in_head_noscript<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) if split_space(text).1 => return self.in_head(token),
            Token::Comment => return Step::Done,
            Token::Start(start) => match start.tag {
                Tag::HTML => return self.in_body(token),
                Tag::BASEFONT | Tag::BGSOUND | Tag::LINK | Tag::META | Tag::NOFRAMES | Tag::STYLE => {
                    return self.in_head(token);
                }
                Tag::HEAD | Tag::NOSCRIPT => return Step::Done,
                _ => {}
            },
            Token::End(Tag::NOSCRIPT) => {
                self.pop();
                self.mode = Mode::InHead;
                return Step::Done;
            }
            Token::End(tag) if tag != Tag::BR => return Step::Done,
            _ => {}
        }
        self.pop();
        Step::Again(Mode::InHead)
    }

    pub(crate) fn after_head<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                if let Ok(rest) = self.insert_space(text) {
                    return Step::Rest(rest);
                }
            }
            Token::Comment => return Step::Done,
            Token::Start(start) => match start.tag {
                Tag::HTML => return self.in_body(token),
                Tag::BODY => {
                    self.insert(start);
                    self.frameset_ok = false;
                    self.mode = Mode::InBody;
                    return Step::Done;
                }
                Tag::FRAMESET => {
                    self.insert(start);
                    self.mode = Mode::InFrameset;
                    return Step::Done;
                }
                tag if goes_in_head(tag) => {
                    self.push(Open::html(self.head, Tag::HEAD));
                    let step = self.in_head(token);
                    self.remove_open(self.head);
                    return step;
                }
                Tag::HEAD => return Step::Done,
                _ => {}
            },
            Token::End(Tag::TEMPLATE) => return self.in_head(token),
            Token::End(tag) if !matches!(tag, Tag::BODY | Tag::HTML | Tag::BR) => return Step::Done,
            _ => {}
        }
        self.insert_implied(Tag::BODY);
        Step::Again(Mode::InBody)
    }

    pub(crate) fn in_template<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        let mode = match *token {
            Token::Text(_) => return self.in_body(token),
            Token::Start(start) => match start.tag {
                tag if goes_in_head(tag) => return self.in_head(token),
                Tag::CAPTION | Tag::COLGROUP | Tag::TBODY | Tag::TFOOT | Tag::THEAD => Mode::InTable,
                Tag::COL => Mode::InColumnGroup,
                Tag::TR => Mode::InTableBody,
                Tag::TD | Tag::TH => Mode::InRow,
                _ => Mode::InBody,
            },
            Token::End(Tag::TEMPLATE) => return self.in_head(token),
            Token::EndOfPage if self.has_open(Tag::TEMPLATE) => {
                self.leave_template();
                return Step::Again(self.mode);
            }
            Token::End(_) | Token::Nul | Token::Comment | Token::EndOfPage => return Step::Done,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        Step::Again(mode)
    }

    pub(crate) fn after_body<'t>(&mut self, mode: Mode, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                let (space, is_space, rest) = split_space(text);
                if is_space {
                    let _ = self.in_body(&Token::Text(space));
                    return Step::Rest(rest);
                }
            }
            Token::Comment | Token::EndOfPage => return Step::Done,
            Token::Start(Start { tag: Tag::HTML, .. }) => return self.in_body(token),
            Token::End(Tag::HTML) if mode == Mode::AfterBody => {
                self.mode = Mode::AfterAfterBody;
                return Step::Done;
            }
            _ => {}
        }
        Step::Again(Mode::InBody)
    }

    pub(crate) fn in_frameset<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                let (Ok(rest) | Err(rest)) = self.insert_space(text);
                return Step::Rest(rest);
            }
            Token::Start(start) => match start.tag {
                Tag::HTML => return self.in_body(token),
                Tag::FRAMESET => {
                    self.insert(start);
                }
                Tag::FRAME => {
                    self.insert_void(start);
                }
                Tag::NOFRAMES => return self.in_head(token),
                _ => {}
            },
            Token::End(Tag::FRAMESET) if self.stack.len() > 1 => {
                self.pop();
                if self.current().tag != Tag::FRAMESET {
                    self.mode = Mode::AfterFrameset;
                }
            }
            Token::End(_) | Token::Nul | Token::Comment | Token::EndOfPage => {}
        }
        Step::Done
    }

    pub(crate) fn after_frameset<'t>(&mut self, mode: Mode, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                let (space, is_space, rest) = split_space(text);
                if is_space && mode == Mode::AfterFrameset {
                    self.insert_text(space);
                } else if is_space {
                    let _ = self.in_body(&Token::Text(space));
                }
                return Step::Rest(rest);
            }
            Token::Start(start) => match start.tag {
                Tag::HTML => return self.in_body(token),
                Tag::NOFRAMES => return self.in_head(token),
                _ => {}
            },
            Token::End(Tag::HTML) if mode == Mode::AfterFrameset => self.mode = Mode::AfterAfterFrameset,
            Token::End(_) | Token::Nul | Token::Comment | Token::EndOfPage => {}
        }
        Step::Done
    }

    /// Handles another `<html>`: adds the attributes that the first `<html>` does not have.
    pub(crate) fn merge_html(&mut self, start: Start<'_>) {
        if !self.has_open(Tag::TEMPLATE)
            && let Some(html) = self.stack.first()
        {
            self.flat.add_missing_attributes(html.id, start.attributes());
        }
    }

    /// Handles another `<body>`: adds the attributes that the first `<body>` does not have.
    pub(crate) fn merge_body(&mut self, start: Start<'_>) {
        if let Some(body) = self.body().filter(|_| !self.has_open(Tag::TEMPLATE)) {
            self.frameset_ok = false;
            self.flat.add_missing_attributes(body, start.attributes());
        }
    }

    /// Returns the body, if it is the second open element.
    pub(crate) fn body(&self) -> Option<u32> {
        self.stack.get(1).filter(|o| o.tag == Tag::BODY).map(|o| o.id)
    }

    /// Handles `<frameset>` in the body: replaces the body if it shows nothing.
    pub(crate) fn replace_body(&mut self, start: Start<'_>) {
        let Some(body) = self.body().filter(|_| self.frameset_ok) else { return };
        self.flat.unlink(body);
        self.truncate(1);
        self.insert(start);
        self.mode = Mode::InFrameset;
    }

    pub(crate) fn end_form(&mut self) {
        if self.has_open(Tag::TEMPLATE) {
            if self.in_scope(Tag::FORM, SCOPE) {
                self.close_implied(IMPLIED, Tag::FORM);
                self.pop_until(Tag::FORM);
            }
            return;
        }
        let form = std::mem::replace(&mut self.form, NONE);
        let mut inside = self.stack.iter().rev().take_while(|o| o.id != form);
        if form != NONE && self.is_open(form) && !inside.any(|o| o.is_in(SCOPE)) {
            self.close_implied(IMPLIED, Tag::FORM);
            self.remove_open(form);
        }
    }
}
