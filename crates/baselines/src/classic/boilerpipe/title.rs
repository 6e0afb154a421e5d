//! Finds the blocks that repeat the title of the page. Separators such as `|` split a title into parts, and one
//! part, such as `Story` in `Story | Site`, may stand for the whole title.

use crate::classic::boilerpipe::text_block::TextBlock;
use rustc_hash::FxHashSet;

/// Sets of separator characters that split a title into parts, from the strictest to the loosest.
const PARTS: [&str; 6] = ["|»-", "|»:", "|»:()", "|»:()-", "|»,:()-", "|»,:()-\u{a0}"];
/// Separator sets of the Python port.
const PORT_PARTS: [&str; 4] = ["|:", "|:()", "|:()-", "|,:()-"];

/// Minimum number of words of a part between ` | ` or ` - ` that may stand for the title.
const MIN_WORDS: usize = 4;

/// Labels the first block whose text is the title, or a part that may stand for the title.
pub(crate) fn mark(blocks: &mut [TextBlock], title: &str) {
    let title = normal(title);
    if title.is_empty() {
        return;
    }
    let wanted = titles(&title);
    let found = blocks.iter_mut().find(|block| {
        let text = normal(&block.text);
        if wanted.contains(text.as_str()) {
            return true;
        }
        let bare: String = text.chars().filter(|c| !"?!.-:".contains(*c)).collect();
        wanted.contains(bare.trim())
    });
    if let Some(block) = found {
        block.labels.title = true;
    }
}

/// Labels every block whose text is the title or its longest part. The comparison is case-sensitive.
pub(crate) fn mark_same(blocks: &mut [TextBlock], title: &str) {
    let title = title.trim();
    let parts = PARTS[1..5].iter().filter_map(|signs| longest_part(title, signs));
    let wanted: FxHashSet<String> = parts.chain((!title.is_empty()).then(|| title.to_owned())).collect();
    blocks.iter_mut().filter(|b| wanted.contains(&b.text)).for_each(|b| b.labels.title = true);
}

/// Labels every block whose text is the title or its selected part, as in the Python port. The comparison is
/// case-insensitive, there are fewer separators, and the part is selected by `larger_part`.
pub(crate) fn mark_any_case(blocks: &mut [TextBlock], title: &str) {
    let title = title.trim().to_lowercase();
    let parts = PORT_PARTS.iter().filter_map(|signs| larger_part(&title, signs));
    let wanted: FxHashSet<&str> = parts.chain((!title.is_empty()).then_some(&*title)).collect();
    blocks
        .iter_mut()
        .filter(|b| wanted.contains(b.text.to_lowercase().as_str()))
        .for_each(|b| b.labels.title = true);
}

/// Selects a part as the port does: a part replaces the previously selected part if it has more words or more
/// characters. Returns `None` for a title without separators.
fn larger_part<'a>(title: &'a str, signs: &str) -> Option<&'a str> {
    let is_sign = |c| signs.contains(c);
    title.contains(is_sign).then_some(())?;
    let mut taken = ("", 0);
    for part in title.split(is_sign).map(|p| p.trim_matches(' ')).filter(|p| !p.contains(".com")) {
        let num_words =
            part.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).count();
        if num_words > taken.1 || part.chars().count() > taken.0.chars().count() {
            taken = (part, num_words);
        }
    }
    (!taken.0.is_empty()).then_some(taken.0)
}

fn normal(text: &str) -> String {
    text.replace('\u{a0}', " ").replace('\'', "").trim().to_lowercase()
}

/// Returns the title and the parts that may stand for it.
fn titles(title: &str) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    found.insert(title.to_owned());
    found.extend(PARTS.iter().filter_map(|signs| longest_part(title, signs)));
    for sign in [" | ", " - "] {
        let parts: Vec<&str> = title.split(sign).map(str::trim).collect();
        let is_long = |p: &&&str| !p.contains(".com") && p.split_whitespace().count() >= MIN_WORDS;
        if parts.len() > 1 {
            found.extend(parts.iter().filter(is_long).map(|p| (*p).to_owned()));
        }
    }
    // add the title without the part before the first ` - `, and without the part after the last ` - `
    if let Some((start, end)) = title.rsplit_once(" - ").filter(|(_, e)| !e.contains('-') && !e.is_empty()) {
        debug_assert!(!end.is_empty());
        found.insert(start.to_owned());
    }
    if let Some((_, end)) = title.split_once(" - ").filter(|(s, _)| !s.contains('-') && !s.is_empty()) {
        found.insert(end.to_owned());
    }
    found
}

/// Returns the longest part of a title in characters; of equally long parts, the first. Returns `None` for a title
/// without separators. The library intends to compare numbers of words first, but its pattern finds one word in
/// every part. Empty parts at the end are ignored.
fn longest_part(title: &str, signs: &str) -> Option<String> {
    let parts: Vec<&str> = title
        .trim_end_matches(|c: char| c == ' ' || signs.contains(c))
        .split(|c| signs.contains(c))
        .collect();
    if parts.len() == 1 {
        return None;
    }
    let parts = parts.into_iter().map(|p| p.trim_matches(' ')).filter(|p| !p.contains(".com"));
    let longest = parts.rev().max_by_key(|p| p.chars().count())?;
    (!longest.is_empty()).then(|| longest.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_title_stand_for_it() {
        let found = titles("ten ways to pack a box - the daily example | news");
        for part in ["ten ways to pack a box", "ten ways to pack a box - the daily example | news"] {
            assert!(found.contains(part), "{found:?}");
        }
        assert!(!found.contains("news"));
        assert_eq!(longest_part("no parts", "|»-"), None);
        assert_eq!(longest_part("at the end |", "|»-"), None);
        // length is measured in characters, not in words
        assert_eq!(longest_part("a b c | extraordinary | four", "|").as_deref(), Some("extraordinary"));
        let block = |text: &str| TextBlock { text: text.into(), ..TextBlock::default() };
        let mut blocks = [block("Home"), block("It's here!"), block("It's here!")];
        mark(&mut blocks, "Its here | Example.com");
        assert_eq!(blocks.map(|b| b.labels.title), [false, true, false]);
        let mut blocks = ["Its here", "its here", "Example.com", "Its here"].map(block);
        mark_same(&mut blocks, "Its here | Example.com");
        assert_eq!(blocks.map(|b| b.labels.title), [true, false, false, true]);
        let mut blocks = ["Its here", "its here", "Example.com", "Its  here"].map(block);
        mark_any_case(&mut blocks, "ITS here | Example.com");
        assert_eq!(blocks.map(|b| b.labels.title), [true, true, false, false]);
    }

    #[test]
    fn the_port_takes_a_part_with_more_words_or_characters() {
        assert_eq!(larger_part("no parts », here", "|:"), None);
        // "a b c" has 3 words; "extraordinary" has fewer words but more characters; "four" has neither
        assert_eq!(larger_part("a b c | extraordinary", "|:"), Some("extraordinary"));
        assert_eq!(larger_part("a b c | extraordinary | four", "|:"), Some("extraordinary"));
        assert_eq!(larger_part("extraordinary: a b c", "|:"), Some("a b c"));
        assert_eq!(larger_part("| site.com", "|:"), None);
    }
}
