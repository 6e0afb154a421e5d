//! Which block repeats the page's title.

use super::text_block::TextBlock;
use rustc_hash::FxHashSet;

/// Signs that part a title, from the strictest reading to the loosest.
const PARTS: [&str; 6] = ["|»-", "|»:", "|»:()", "|»:()-", "|»,:()-", "|»,:()-\u{a0}"];

/// Least words of a part between ` | ` or ` - ` that may stand for the title.
const MIN_WORDS: usize = 4;

/// Marks the first block whose text is the title, or a part of it that may stand for it.
pub(super) fn mark(blocks: &mut [TextBlock], title: &str) {
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

fn normal(text: &str) -> String {
    text.replace('\u{a0}', " ").replace('\'', "").trim().to_lowercase()
}

/// The title and what of it may stand for it.
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
    // without what stands before the first or after the last ` - `
    if let Some((start, end)) = title.rsplit_once(" - ").filter(|(_, e)| !e.contains('-') && !e.is_empty()) {
        debug_assert!(!end.is_empty());
        found.insert(start.to_owned());
    }
    if let Some((_, end)) = title.split_once(" - ").filter(|(s, _)| !s.contains('-') && !s.is_empty()) {
        found.insert(end.to_owned());
    }
    found
}

/// The part with most words, or the longest, of a title that signs part; none of an unparted title.
fn longest_part(title: &str, signs: &str) -> Option<String> {
    let parts: Vec<&str> = title.split(|c| signs.contains(c)).collect();
    if parts.len() == 1 {
        return None;
    }
    let (mut longest, mut most) = ("", 0);
    for part in parts.into_iter().map(|p| p.trim_matches(' ')).filter(|p| !p.contains(".com")) {
        let num_words = part.split_whitespace().count();
        if num_words > most || part.len() > longest.len() {
            (longest, most) = (part, num_words);
        }
    }
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
        let block = |text: &str| TextBlock { text: text.into(), ..TextBlock::default() };
        let mut blocks = [block("Home"), block("It's here!"), block("It's here!")];
        mark(&mut blocks, "Its here | Example.com");
        assert_eq!(blocks.map(|b| b.labels.title), [false, true, false]);
    }
}
