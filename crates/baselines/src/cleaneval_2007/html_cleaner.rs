//! HTMLCleaner: keeps the sequence of sentences with many function words and few links.

use crate::shared::events::blocks_inside;
use crate::shared::stop_list::{LANGUAGE, STOP_WORDS, StopList, StopWords};
use serde::Deserialize;
use std::ops::Range;
use threshr_extract::baseline::{How, Method, System, SystemInput, SystemOption, option};
use threshr_html::Tag;
use threshr_html::text;

/// Girardi's HTMLCleaner.
///
/// Blocks in forms and applets are dropped. Other blocks are split into sentences: after `. ! ? …` before white
/// space or the end of the text, after `。！？`, and at block ends. A good sentence is longer than the mean, does not
/// begin with a lower-case letter and ends with a sentence-final character. The system considers all sequences that
/// begin and end with a good sentence. It keeps the first one that maximises the number of characters in function
/// words minus the number of characters in links. Function words are the stop words of the page's language. If
/// there is no list, or the language is written without spaces, every word is a function word. A block is kept if
/// half of its characters are in the sequence.
pub(crate) static SYSTEM: System = System {
    name: "htmlcleaner",
    summary: "keeps the sequence of sentences with most characters in function words minus characters in links",
    source: "Girardi, CleanEval 2007",
    options: &[SystemOption::new("drop_forms", "true", "drop blocks in forms"), LANGUAGE, STOP_WORDS],
    ..System::new(How::Plain(|settings| {
        let Settings { drop_forms, language, stop_words } = option::read(settings)?;
        Ok(Box::new(HtmlCleaner { drop_forms, stop_words: StopWords::new(&language, &stop_words)? }))
    }))
};

#[derive(Debug, Deserialize)]
struct Settings {
    drop_forms: bool,
    language: String,
    stop_words: Vec<String>,
}

#[derive(Debug)]
struct HtmlCleaner {
    drop_forms: bool,
    stop_words: StopWords,
}

#[derive(Debug)]
struct Sentence {
    block: usize,
    num_chars: usize,
    /// Number of characters in function words minus number of characters in links.
    worth: i64,
    /// Whether the text begins and ends like a sentence.
    has_form: bool,
}

impl Method for HtmlCleaner {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        let sentences = self.stop_words.with(page, |list| self.sentences(page, list));
        let best = best_stretch(&sentences);
        let (mut inside, mut all) = (vec![0; page.blocks.len()], vec![0; page.blocks.len()]);
        for (i, sentence) in sentences.iter().enumerate() {
            all[sentence.block] += sentence.num_chars;
            inside[sentence.block] += if best.contains(&i) { sentence.num_chars } else { 0 };
        }
        inside.iter().zip(&all).map(|(&inside, &all)| inside > 0 && 2 * inside >= all).collect()
    }
}

impl HtmlCleaner {
    fn sentences(&self, page: &SystemInput<'_>, list: Option<&StopList>) -> Vec<Sentence> {
        let is_form = |node| self.drop_forms && page.doc.tag(node) == Tag::FORM;
        let dropped = blocks_inside(page.blocks, |n| is_form(n) || page.doc.name(n) == "applet");
        let mut out = Vec::new();
        for index in (0..page.blocks.len()).filter(|&i| !dropped[i]) {
            let Some(block) = page.blocks.get(index) else { continue };
            let (start, whole) = (block.text.start, page.blocks.text(index));
            let mut links = page.blocks.spans(index).iter().filter(|s| s.link.is_some()).peekable();
            for range in split(whole) {
                let sentence = &whole[range.clone()];
                let end = start + range.end as u32;
                let mut num_linked = 0;
                while let Some(span) = links.peek().filter(|s| s.text.start < end) {
                    let from = span.text.start.max(start + range.start as u32);
                    num_linked += page.blocks.slice(&(from..span.text.end.min(end))).chars().count();
                    if span.text.end > end {
                        break;
                    }
                    links.next();
                }
                let has_form =
                    sentence.chars().next().is_some_and(|c| c.is_alphanumeric() && !c.is_lowercase())
                        && sentence.chars().next_back().is_some_and(ends);
                out.push(Sentence {
                    block: index,
                    num_chars: sentence.chars().count(),
                    worth: function_chars(sentence, list) as i64 - num_linked as i64,
                    has_form,
                });
            }
        }
        out
    }
}

fn ends(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？')
}

/// Returns the byte ranges of the sentences of a text.
fn split(text: &str) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let from = *start.get_or_insert(at);
        let end = at + c.len_utf8();
        let last = chars.peek().is_none_or(|&(_, next)| next.is_whitespace());
        if matches!(c, '。' | '！' | '？') || ends(c) && last {
            out.push(from..end);
            start = None;
        }
    }
    out.extend(start.map(|from| from..text.trim_end().len()));
    out
}

/// Number of characters in function words of a sentence. If there is no list, all words count.
fn function_chars(sentence: &str, list: Option<&StopList>) -> usize {
    let words = text::words(sentence).map(|(start, end)| &sentence[start..end]);
    words.filter(|w| list.is_none_or(|l| l.contains(&w.to_lowercase()))).map(|w| w.chars().count()).sum()
}

/// Returns the index range of the best sequence of sentences.
fn best_stretch(sentences: &[Sentence]) -> Range<usize> {
    let mean = sentences.iter().map(|s| s.num_chars).sum::<usize>() as f64 / sentences.len().max(1) as f64;
    let (mut best, mut most) = (0..0, None);
    // the smallest prefix sum before a good sentence that was seen, and the index of this sentence
    let (mut sum, mut least): (i64, Option<(i64, usize)>) = (0, None);
    for (i, sentence) in sentences.iter().enumerate() {
        let is_good = sentence.has_form && sentence.num_chars as f64 > mean;
        if is_good && least.is_none_or(|(l, _)| sum < l) {
            least = Some((sum, i));
        }
        sum += sentence.worth;
        if let (true, Some((before, start))) = (is_good, least)
            && most.is_none_or(|m| sum - before > m)
        {
            (best, most) = (start..i + 1, Some(sum - before));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    fn kept(html: &str) -> Vec<String> {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let words = ["on", "the", "of", "in", "was", "is", "and"].map(str::to_owned);
        let stop_words = StopWords::new("auto", &words).expect("a list");
        let system = HtmlCleaner { drop_forms: true, stop_words };
        let kept = system.keep(&SystemInput::new(&doc, &blocks));
        (0..blocks.len()).filter(|&i| kept[i]).map(|i| blocks.text(i).to_owned()).collect()
    }

    #[test]
    fn sentences_end_at_signs() {
        let cut = |text: &str| split(text).into_iter().map(|r| text[r].to_owned()).collect::<Vec<_>>();
        assert_eq!(cut("One, v1.2. Two! three"), ["One, v1.2.", "Two!", "three"]);
        assert_eq!(cut("我们走。好？ "), ["我们走。", "好？"]);
        assert!(cut(" ").is_empty());
    }

    #[test]
    fn the_best_sequence_of_good_sentences() {
        // Sentences: Home (4), A (51), Ad (2), B (48), News link (24), C (31): mean 26.7, so A, B and C are good.
        // Values: A: on the of the = 2+3+2+3 = 10; Ad: 0; B: the in was = 8; News link: and the = 6 − 24; C: the
        // is = 5. A…B has 10 + 0 + 8 = 18, and A…C has 18 − 18 + 5 = 5. So A…B is kept, with the small block
        // between them.
        let html = "<p>Home<p>Cats sat on the sunny mats of the old house garden.<p>Ad<p>Birds sang the songs in \
            trees; nothing was lost.<p><a href=/>News and the other links</a><p>Copyright the owner is Example.";
        assert_eq!(kept(html).len(), 3);
        assert_eq!(kept(html)[1], "Ad");
        // no block in a form is kept
        assert!(kept(&format!("<form>{html}</form>")).is_empty());
    }
}
