//! Insertion mode "in body".

use crate::tag::Tag;
use crate::tokenizer::Content;
use crate::tree::NONE;
use crate::tree_builder::sets::*;
use crate::tree_builder::stack::NO_TAG;
use crate::tree_builder::{Builder, Mode, Start, Step, Token, goes_in_head, is_blank};

impl Builder {
    #[inline]
    pub(crate) fn in_body<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                self.reconstruct();
                if self.frameset_ok && !is_blank(text) {
                    self.frameset_ok = false;
                }
                self.insert_text(text);
                Step::Done
            }
            Token::Start(start) => self.start_in_body(start),
            Token::End(tag) => self.end_in_body(tag),
            Token::EndOfPage if !self.template_modes.is_empty() => self.in_template(token),
            Token::Nul | Token::Comment | Token::EndOfPage => Step::Done,
        }
    }

    fn start_in_body<'t>(&mut self, start: Start<'t>) -> Step<'t> {
        match start.tag {
            Tag::HTML => self.merge_html(start),
            tag if goes_in_head(tag) => return self.in_head(&Token::Start(start)),
            Tag::BODY => self.merge_body(start),
            Tag::FRAMESET => self.replace_body(start),
            Tag::ADDRESS
            | Tag::ARTICLE
            | Tag::ASIDE
            | Tag::BLOCKQUOTE
            | Tag::CENTER
            | Tag::DETAILS
            | Tag::DIALOG
            | Tag::DIR
            | Tag::DIV
            | Tag::DL
            | Tag::FIELDSET
            | Tag::FIGCAPTION
            | Tag::FIGURE
            | Tag::FOOTER
            | Tag::HEADER
            | Tag::HGROUP
            | Tag::MAIN
            | Tag::MENU
            | Tag::NAV
            | Tag::OL
            | Tag::P
            | Tag::SEARCH
            | Tag::SECTION
            | Tag::SUMMARY
            | Tag::UL => {
                self.close_p();
                self.insert(start);
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.close_p();
                if self.current().is_in(HEADING) {
                    self.pop();
                }
                self.insert(start);
            }
            Tag::PRE | Tag::LISTING => {
                self.close_p();
                self.insert(start);
                self.ignores_newline = true;
                self.frameset_ok = false;
            }
            Tag::FORM => {
                let in_template = self.has_open(Tag::TEMPLATE);
                if self.form == NONE || in_template {
                    self.close_p();
                    let id = self.insert(start);
                    if !in_template {
                        self.form = id;
                    }
                }
            }
            Tag::LI | Tag::DD | Tag::DT => self.start_item(start),
            Tag::PLAINTEXT => {
                self.close_p();
                self.insert(start);
                return Step::Raw(Content::Plaintext);
            }
            Tag::BUTTON => {
                if self.in_scope(Tag::BUTTON, SCOPE) {
                    self.close_implied(IMPLIED, NO_TAG);
                    self.pop_until(Tag::BUTTON);
                }
                self.insert_phrase(start);
                self.frameset_ok = false;
            }
            Tag::A => {
                self.close_open_a();
                self.reconstruct();
                self.insert_formatting(start);
            }
            Tag::B
            | Tag::BIG
            | Tag::CODE
            | Tag::EM
            | Tag::FONT
            | Tag::I
            | Tag::S
            | Tag::SMALL
            | Tag::STRIKE
            | Tag::STRONG
            | Tag::TT
            | Tag::U => {
                self.reconstruct();
                self.insert_formatting(start);
            }
            Tag::NOBR => {
                self.reconstruct();
                if self.in_scope(Tag::NOBR, SCOPE) {
                    self.adoption_agency(Tag::NOBR);
                    self.reconstruct();
                }
                self.insert_formatting(start);
            }
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                self.insert_phrase(start);
                self.push_marker();
                self.frameset_ok = false;
            }
            Tag::TABLE => {
                if !self.is_quirky {
                    self.close_p();
                }
                self.insert(start);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Tag::AREA | Tag::BR | Tag::EMBED | Tag::IMG | Tag::KEYGEN | Tag::WBR => {
                self.reconstruct();
                self.insert_void(start);
                self.frameset_ok = false;
            }
            Tag::INPUT => {
                if self.in_scope(Tag::SELECT, SCOPE) {
                    self.pop_until(Tag::SELECT);
                }
                self.reconstruct();
                self.insert_void(start);
                self.frameset_ok &= start.is_hidden_input();
            }
            Tag::PARAM | Tag::SOURCE | Tag::TRACK => {
                self.insert_void(start);
            }
            Tag::HR => {
                self.close_p();
                if self.in_scope(Tag::SELECT, SCOPE) {
                    self.close_implied(IMPLIED, NO_TAG);
                }
                self.insert_void(start);
                self.frameset_ok = false;
            }
            Tag::IMAGE => return self.start_in_body(Start { tag: Tag::IMG, ..start }),
            Tag::TEXTAREA => {
                self.ignores_newline = true;
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rcdata);
            }
            Tag::XMP => {
                self.close_p();
                self.reconstruct();
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rawtext);
            }
            Tag::IFRAME => {
                self.frameset_ok = false;
                return self.insert_raw(start, Content::Rawtext);
            }
            Tag::NOEMBED => return self.insert_raw(start, Content::Rawtext),
            Tag::NOSCRIPT if self.scripting => return self.insert_raw(start, Content::Rawtext),
            Tag::SELECT => {
                if self.in_scope(Tag::SELECT, SCOPE) {
                    self.pop_until(Tag::SELECT);
                } else {
                    self.insert_phrase(start);
                    self.frameset_ok = false;
                }
            }
            Tag::OPTION | Tag::OPTGROUP => {
                if self.in_scope(Tag::SELECT, SCOPE) {
                    let except = if start.tag == Tag::OPTION { Tag::OPTGROUP } else { NO_TAG };
                    self.close_implied(IMPLIED, except);
                } else if self.current().tag == Tag::OPTION {
                    self.pop();
                }
                self.insert_phrase(start);
            }
            Tag::RB | Tag::RTC | Tag::RP | Tag::RT => {
                if self.in_scope(Tag::RUBY, SCOPE) {
                    let is_inner = matches!(start.tag, Tag::RP | Tag::RT);
                    self.close_implied(IMPLIED, if is_inner { Tag::RTC } else { NO_TAG });
                }
                self.insert(start);
            }
            Tag::MATH | Tag::SVG => {
                self.reconstruct();
                self.insert_foreign(start, if start.tag == Tag::SVG { SVG } else { 0 });
            }
            Tag::CAPTION
            | Tag::COL
            | Tag::COLGROUP
            | Tag::FRAME
            | Tag::HEAD
            | Tag::TBODY
            | Tag::TD
            | Tag::TFOOT
            | Tag::TH
            | Tag::THEAD
            | Tag::TR => {}
            _ => self.insert_phrase(start),
        }
        Step::Done
    }

    /// Reconstructs the formatting elements, then inserts and opens an element.
    fn insert_phrase(&mut self, start: Start<'_>) {
        self.reconstruct();
        self.insert(start);
    }

    /// Opens a list item, after closing the open one.
    fn start_item(&mut self, start: Start<'_>) {
        self.frameset_ok = false;
        let is_alike = |tag: Tag| match start.tag {
            Tag::LI => tag == Tag::LI,
            _ => matches!(tag, Tag::DD | Tag::DT),
        };
        let mut found = self.stack.iter().rev();
        let found = found.find(|o| is_alike(o.tag) || (o.is_in(SPECIAL) && !o.is_in(NOT_FOR_ITEMS)));
        if let Some(item) = found.copied().filter(|o| is_alike(o.tag)) {
            self.close_implied(IMPLIED, item.tag);
            self.pop_until(item.tag);
        }
        self.close_p();
        self.insert(start);
    }

    fn end_in_body(&mut self, tag: Tag) -> Step<'static> {
        match tag {
            Tag::BODY => {
                if self.in_scope(Tag::BODY, SCOPE) {
                    self.mode = Mode::AfterBody;
                }
            }
            Tag::HTML => {
                if self.in_scope(Tag::BODY, SCOPE) {
                    return Step::Again(Mode::AfterBody);
                }
            }
            Tag::ADDRESS
            | Tag::ARTICLE
            | Tag::ASIDE
            | Tag::BLOCKQUOTE
            | Tag::BUTTON
            | Tag::CENTER
            | Tag::DETAILS
            | Tag::DIALOG
            | Tag::DIR
            | Tag::DIV
            | Tag::DL
            | Tag::FIELDSET
            | Tag::FIGCAPTION
            | Tag::FIGURE
            | Tag::FOOTER
            | Tag::HEADER
            | Tag::HGROUP
            | Tag::LISTING
            | Tag::MAIN
            | Tag::MENU
            | Tag::NAV
            | Tag::OL
            | Tag::PRE
            | Tag::SEARCH
            | Tag::SECTION
            | Tag::SELECT
            | Tag::SUMMARY
            | Tag::UL => self.end_block(tag, SCOPE, NO_TAG),
            Tag::FORM => self.end_form(),
            Tag::P => {
                if !self.in_scope(Tag::P, SCOPE | BUTTON_SCOPE) {
                    self.insert_implied(Tag::P);
                }
                self.close_p();
            }
            Tag::LI => self.end_block(tag, SCOPE | LIST_SCOPE, tag),
            Tag::DD | Tag::DT => self.end_block(tag, SCOPE, tag),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                if self.set_in_scope(HEADING, SCOPE) {
                    self.close_implied(IMPLIED, NO_TAG);
                    self.pop_until_in(HEADING);
                }
            }
            tag if tag.is_formatting() => self.adoption_agency(tag),
            Tag::APPLET | Tag::MARQUEE | Tag::OBJECT => {
                if self.in_scope(tag, SCOPE) {
                    self.end_block(tag, SCOPE, NO_TAG);
                    self.clear_to_marker();
                }
            }
            Tag::BR => {
                let _ = self.start_in_body(Start { tag, token: None });
            }
            Tag::TEMPLATE => return self.in_head(&Token::End(tag)),
            _ => self.end_any(tag),
        }
        Step::Done
    }

    /// Closes an element that is in scope, and all elements inside it.
    fn end_block(&mut self, tag: Tag, bounds: u32, except: Tag) {
        if self.in_scope(tag, bounds) {
            self.close_implied(IMPLIED, except);
            self.pop_until(tag);
        }
    }

    /// Handles all other end tags: closes the element, unless a special element is open inside it.
    pub(crate) fn end_any(&mut self, tag: Tag) {
        if !self.has_open(tag) {
            return;
        }
        let found = self.stack.iter().rposition(|o| o.tag == tag || o.is_in(SPECIAL));
        if let Some(index) = found.filter(|&i| self.stack[i].tag == tag) {
            self.close_implied(IMPLIED, tag);
            self.truncate(index);
        }
    }
}
