//! Removes the marker at the start of a note, because the label of the note replaces it.

use crate::units::{Inlines, Kind, Unit};
use std::borrow::Cow;

/// Returns the units of a note, without the marker at the start of the first unit.
pub(super) fn without_number<'u>(children: &'u [Unit], label: &str) -> Cow<'u, [Unit]> {
    let first = children.iter().position(|child| child.kept);
    let found = first.and_then(|at| {
        let child = children.get(at).filter(|child| child.kind == Kind::Paragraph)?;
        Some((at, length_of_number(&child.inlines, label)?))
    });
    let Some((at, len)) = found else { return Cow::Borrowed(children) };
    let mut children = children.to_vec();
    children[at].inlines.remove(0..len);
    if children[at].inlines.is_empty() {
        children.remove(at);
    }
    Cow::Owned(children)
}

/// Maximum length in bytes of the brackets and the period of a marker.
const MAX_LEFT: usize = 3;

/// Returns the length in bytes of a marker at the start of a line, with the white space after it: `4.`, `[4]`,
/// `(4)` or a superscript `4`.
fn length_of_number(inlines: &Inlines, label: &str) -> Option<usize> {
    let text = &inlines.text;
    let trimmed = text.trim_start().trim_start_matches(['^', '↑']).trim_start();
    // The marker was a link back to the text, so only its brackets and its period are left.
    let rest = trimmed.trim_start_matches(['[', ']', '(', ')', '.', ':']);
    let len = trimmed.len() - rest.len();
    let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    if (1..=MAX_LEFT).contains(&len) && is_apart && !trimmed.starts_with("..")
        || len == 0 && trimmed.len() < text.trim_start().len() && !trimmed.starts_with(label)
    {
        return Some(text.len() - rest.trim_start().len());
    }
    let has_bracket = trimmed.starts_with(['[', '(']);
    let after = trimmed.trim_start_matches(['[', '(']).strip_prefix(label)?;
    let at = text.len() - after.len() - label.len();
    let run = inlines.runs.iter().find(|run| run.text.end > at);
    let is_raised = run.is_some_and(|run| run.style.script.is_some());
    let end = at + label.len();
    let is_strong =
        run.is_some_and(|run| run.style.strong && text[run.text.clone()].trim().len() <= label.len() + 3);
    // Before a sentence, the number alone is a marker.
    let begins_sentence = || {
        let words = text[end..].trim_start();
        label.bytes().all(|b| b.is_ascii_digit())
            && words.len() < text.len() - end
            && (words.starts_with(char::is_uppercase) || words.starts_with("http"))
    };
    let rest = after.trim_start_matches([']', ')']);
    let ends_bracket = rest.len() < after.len();
    let rest = rest.strip_prefix(['.', ':']).unwrap_or(rest);
    let has_sign = rest.len() < after.len() && (!has_bracket || ends_bracket);
    let is_apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    let is_marked = is_raised && !rest.starts_with(|c: char| c.is_ascii_digit());
    (is_marked
        || has_bracket && ends_bracket
        || is_apart && (has_sign || is_strong)
        || !has_bracket && begins_sentence())
    .then(|| text.len() - rest.trim_start().len())
}
