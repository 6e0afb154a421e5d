//! Insertion modes of tables.

use crate::tag::Tag;
use crate::tree::NONE;
use crate::tree_builder::sets::*;
use crate::tree_builder::stack::NO_TAG;
use crate::tree_builder::{Builder, Mode, Start, Step, Token, is_blank};

impl Builder {
    pub(crate) fn in_table<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(_) | Token::Nul => {
                if !self.current().is_in(FOSTER) {
                    return self.foster(token);
                }
                self.next_mode = self.mode;
                Step::Again(Mode::InTableText)
            }
            Token::Comment => Step::Done,
            Token::EndOfPage => self.in_body(token),
            Token::Start(start) => self.start_in_table(start),
            Token::End(Tag::TABLE) => {
                if self.in_scope(Tag::TABLE, TABLE_SCOPE) {
                    self.pop_until(Tag::TABLE);
                    self.mode = self.mode_of_stack();
                }
                Step::Done
            }
            Token::End(tag) if is_stray(tag) => Step::Done,
            Token::End(Tag::TEMPLATE) => self.in_head(token),
            Token::End(_) => self.foster(token),
        }
    }

    fn start_in_table<'t>(&mut self, start: Start<'t>) -> Step<'t> {
        match start.tag {
            Tag::CAPTION => {
                self.pop_to(TABLE_SCOPE);
                self.push_marker();
                self.insert(start);
                self.mode = Mode::InCaption;
            }
            Tag::COLGROUP => {
                self.pop_to(TABLE_SCOPE);
                self.insert(start);
                self.mode = Mode::InColumnGroup;
            }
            Tag::COL => {
                self.pop_to(TABLE_SCOPE);
                self.insert_implied(Tag::COLGROUP);
                return Step::Again(Mode::InColumnGroup);
            }
            Tag::TBODY | Tag::TFOOT | Tag::THEAD => {
                self.pop_to(TABLE_SCOPE);
                self.insert(start);
                self.mode = Mode::InTableBody;
            }
            Tag::TD | Tag::TH | Tag::TR => {
                self.pop_to(TABLE_SCOPE);
                self.insert_implied(Tag::TBODY);
                return Step::Again(Mode::InTableBody);
            }
            Tag::TABLE => {
                if self.in_scope(Tag::TABLE, TABLE_SCOPE) {
                    self.pop_until(Tag::TABLE);
                    return Step::Again(self.mode_of_stack());
                }
            }
            Tag::STYLE | Tag::SCRIPT | Tag::TEMPLATE => return self.in_head(&Token::Start(start)),
            Tag::INPUT if start.is_hidden_input() => {
                self.insert_void(start);
            }
            Tag::FORM => {
                if self.form == NONE && !self.has_open(Tag::TEMPLATE) {
                    self.form = self.insert_void(start);
                }
            }
            _ => return self.foster(&Token::Start(start)),
        }
        Step::Done
    }

    /// Handles a token with foster parenting: misplaced content is moved before the table.
    fn foster<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        self.fosters = true;
        let step = self.in_body(token);
        self.fosters = false;
        step
    }

    /// Collects text between table parts. Text that is only white space stays in the table; other text is moved
    /// before it.
    pub(crate) fn in_table_text<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Nul => Step::Done,
            Token::Text(text) => {
                self.table_text.push_str(text);
                Step::Done
            }
            _ => {
                let mut text = std::mem::take(&mut self.table_text);
                if is_blank(&text) {
                    self.insert_text(&text);
                } else {
                    let _ = self.foster(&Token::Text(&text));
                }
                text.clear();
                self.table_text = text;
                Step::Again(self.next_mode)
            }
        }
    }

    pub(crate) fn in_caption<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Start(Start { tag, .. }) if is_part(tag) => self.end_caption(),
            Token::End(Tag::TABLE) => self.end_caption(),
            Token::End(Tag::CAPTION) => {
                if let Step::Again(mode) = self.end_caption() {
                    self.mode = mode;
                }
                Step::Done
            }
            Token::End(tag) if is_stray(tag) => Step::Done,
            _ => self.in_body(token),
        }
    }

    fn end_caption(&mut self) -> Step<'static> {
        if !self.in_scope(Tag::CAPTION, TABLE_SCOPE) {
            return Step::Done;
        }
        self.close_implied(IMPLIED, NO_TAG);
        self.pop_until(Tag::CAPTION);
        self.clear_to_marker();
        Step::Again(Mode::InTable)
    }

    pub(crate) fn in_column_group<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Text(text) => {
                match self.insert_space(text) {
                    Ok(rest) => return Step::Rest(rest),
                    // the leading characters are misplaced, but the text after them may not be
                    Err(rest) if self.current().tag != Tag::COLGROUP => return Step::Rest(rest),
                    Err(_) => {}
                }
            }
            Token::Comment => return Step::Done,
            Token::EndOfPage => return self.in_body(token),
            Token::Start(start) => match start.tag {
                Tag::HTML => return self.in_body(token),
                Tag::COL => {
                    self.insert_void(start);
                    return Step::Done;
                }
                Tag::TEMPLATE => return self.in_head(token),
                _ => {}
            },
            Token::End(Tag::COLGROUP) => {
                if self.current().tag == Tag::COLGROUP {
                    self.pop();
                    self.mode = Mode::InTable;
                }
                return Step::Done;
            }
            Token::End(Tag::COL) => return Step::Done,
            Token::End(Tag::TEMPLATE) => return self.in_head(token),
            Token::End(_) | Token::Nul => {}
        }
        if self.current().tag != Tag::COLGROUP {
            return Step::Done;
        }
        self.pop();
        Step::Again(Mode::InTable)
    }

    pub(crate) fn in_table_body<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Start(start @ Start { tag: Tag::TR, .. }) => {
                self.pop_to(BODY_CONTEXT);
                self.insert(start);
                self.mode = Mode::InRow;
                Step::Done
            }
            Token::Start(Start { tag: Tag::TH | Tag::TD, .. }) => {
                self.pop_to(BODY_CONTEXT);
                self.insert_implied(Tag::TR);
                Step::Again(Mode::InRow)
            }
            Token::End(tag @ (Tag::TBODY | Tag::TFOOT | Tag::THEAD)) => {
                if self.in_scope(tag, TABLE_SCOPE) {
                    self.pop_to(BODY_CONTEXT);
                    self.pop();
                    self.mode = Mode::InTable;
                }
                Step::Done
            }
            Token::Start(Start { tag, .. }) if is_part(tag) => self.end_table_body(),
            Token::End(Tag::TABLE) => self.end_table_body(),
            Token::End(tag) if is_stray(tag) => Step::Done,
            _ => self.in_table(token),
        }
    }

    fn end_table_body(&mut self) -> Step<'static> {
        let is_outer = |tag: Tag| matches!(tag, Tag::TABLE | Tag::TBODY | Tag::TFOOT);
        let mut inside = self.stack.iter().rev();
        let found = inside.find(|o| is_outer(o.tag) || o.is_in(TABLE_SCOPE));
        if !found.is_some_and(|o| is_outer(o.tag)) {
            return Step::Done;
        }
        self.pop_to(BODY_CONTEXT);
        self.pop();
        Step::Again(Mode::InTable)
    }

    pub(crate) fn in_row<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::Start(start @ Start { tag: Tag::TH | Tag::TD, .. }) => {
                self.pop_to(ROW_CONTEXT);
                self.insert(start);
                self.mode = Mode::InCell;
                self.push_marker();
                Step::Done
            }
            Token::End(Tag::TR) => {
                if self.in_scope(Tag::TR, TABLE_SCOPE) {
                    self.pop_to(ROW_CONTEXT);
                    self.pop();
                    self.mode = Mode::InTableBody;
                }
                Step::Done
            }
            Token::Start(Start { tag, .. }) if is_part(tag) => self.end_row(),
            Token::End(Tag::TABLE) => self.end_row(),
            Token::End(tag @ (Tag::TBODY | Tag::TFOOT | Tag::THEAD)) => {
                if self.in_scope(tag, TABLE_SCOPE) {
                    self.end_row()
                } else {
                    Step::Done
                }
            }
            Token::End(tag) if is_stray(tag) => Step::Done,
            _ => self.in_table(token),
        }
    }

    fn end_row(&mut self) -> Step<'static> {
        if !self.in_scope(Tag::TR, TABLE_SCOPE) {
            return Step::Done;
        }
        self.pop_to(ROW_CONTEXT);
        self.pop();
        Step::Again(Mode::InTableBody)
    }

    pub(crate) fn in_cell<'t>(&mut self, token: &Token<'t>) -> Step<'t> {
        match *token {
            Token::End(tag @ (Tag::TD | Tag::TH)) => {
                if self.in_scope(tag, TABLE_SCOPE) {
                    self.close_implied(IMPLIED, NO_TAG);
                    self.pop_until(tag);
                    self.clear_to_marker();
                    self.mode = Mode::InRow;
                }
                Step::Done
            }
            Token::Start(Start { tag, .. }) if is_part(tag) => {
                if self.set_in_scope(CELL, TABLE_SCOPE) {
                    self.close_cell()
                } else {
                    Step::Done
                }
            }
            Token::End(Tag::BODY | Tag::CAPTION | Tag::COL | Tag::COLGROUP | Tag::HTML) => Step::Done,
            Token::End(tag @ (Tag::TABLE | Tag::TBODY | Tag::TFOOT | Tag::THEAD | Tag::TR)) => {
                if self.in_scope(tag, TABLE_SCOPE) { self.close_cell() } else { Step::Done }
            }
            _ => self.in_body(token),
        }
    }

    fn close_cell(&mut self) -> Step<'static> {
        self.close_implied(IMPLIED, NO_TAG);
        self.pop_until_in(CELL);
        self.clear_to_marker();
        Step::Again(Mode::InRow)
    }
}

fn is_part(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::CAPTION
            | Tag::COL
            | Tag::COLGROUP
            | Tag::TBODY
            | Tag::TD
            | Tag::TFOOT
            | Tag::TH
            | Tag::THEAD
            | Tag::TR
    )
}

/// Returns whether a table part ignores an end tag for which it has no specific rule.
fn is_stray(tag: Tag) -> bool {
    is_part(tag) || matches!(tag, Tag::BODY | Tag::HTML)
}
