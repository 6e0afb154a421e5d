//! Kinds of words in a block, independent of the language (stop words, short words, frequent words, case), and
//! special characters.

use crate::{Column, Family, Grid, PageContext, ratio};
use rustc_hash::FxHashMap;
use threshr_html::text::classes::{LOWER, NOSPACE, UPPER, class};
use threshr_page::Word;
use threshr_page::language::{StopWords, stop_words_of};

/// The family.
pub(crate) struct Lexical;

const SOURCE: &str =
    "jusText (Pomikálek 2011), HTMLCleaner (Girardi, CleanEval 2007), FIASCO (Bauer et al. 2007)";

/// Maximum number of frequent words per page, and minimum number of occurrences of a frequent word.
const NUM_FREQUENT: usize = 20;
const MIN_FREQUENT: u32 = 3;
/// Maximum number of characters of a short word.
const SHORT: usize = 3;

/// Columns: name, unit, whether feature sets add it for neighbouring blocks, definition.
const COLUMNS: &[(&str, &str, bool, &str)] = &[
    (
        "stop_ratio",
        "ratio",
        true,
        "share of the words that are stop words of the page's language; in scripts without spaces, share of \
         the letters that are inside a stop word; 0 without words or without a list. The language is taken \
         from <html lang> if the text confirms it, and otherwise detected",
    ),
    ("stop_relative", "ratio", false, "stop_ratio of the block minus stop_ratio of the page"),
    ("stop_chars", "characters", false, "number of characters inside stop words"),
    ("stop_minus_link", "characters", false, "characters inside stop words minus characters in links"),
    (
        "has_stop_words",
        "flag",
        false,
        "1 if there is a list of stop words for the page's language; the same for all blocks",
    ),
    (
        "short_ratio",
        "ratio",
        false,
        "share of the words that have at most 3 characters, are not numbers and do not belong to a script \
         without spaces; 0 without words",
    ),
    (
        "frequent_ratio",
        "ratio",
        true,
        "share of the words that are among the 20 most frequent words of the page; frequent words occur at \
         least 3 times and are not numbers; 0 without words",
    ),
    ("num_types", "words", false, "number of different words; case is ignored"),
    ("type_ratio", "ratio", false, "different words / words; 0 without words"),
    (
        "lower_ratio",
        "ratio",
        false,
        "share of the words that begin with a lower-case letter; 0 without words",
    ),
    ("capital_run", "words", false, "longest run of words that begin with an upper-case letter"),
    (
        "is_title_case",
        "flag",
        false,
        "1 if the block has 2 or more words of over 3 characters and all of them begin with an upper-case \
         letter",
    ),
    ("number_ratio", "ratio", false, "share of the words that are numbers; 0 without words"),
    (
        "is_count",
        "flag",
        false,
        "1 if the block has 2 to 4 words, and exactly one of them is a number, such as `3 comments`",
    ),
    ("longest_word", "characters", false, "number of characters of the longest word"),
    ("num_at", "signs", false, "number of @"),
    ("num_legal", "signs", false, "number of © ® ™ ℗"),
    ("num_hash", "signs", false, "number of #"),
    (
        "starts_sign",
        "flag",
        false,
        "1 if the first character is not a letter, digit, quotation mark or bracket",
    ),
    ("ends_colon", "flag", false, "1 if the block ends with a colon"),
    (
        "ends_ellipsis",
        "flag",
        false,
        "1 if the block ends with … or two full stops; closing quotation marks and brackets are ignored",
    ),
    ("ends_arrow", "flag", false, "1 if the block ends with an arrow such as » › > →"),
];

impl Family for Lexical {
    fn name(&self) -> &'static str {
        "lexical"
    }
    fn summary(&self) -> &'static str {
        "kinds of words: stop words (53 languages, detected from the text), frequent words, case; special \
         characters"
    }
    fn columns(&self) -> Vec<Column> {
        let column = |&(name, unit, neighbours, text): &(&'static str, _, bool, &'static str)| Column {
            neighbours,
            ..Column::new(name, unit, text, SOURCE)
        };
        COLUMNS.iter().map(column).collect()
    }

    fn reads_words(&self, _wanted: &[bool]) -> bool {
        true
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        let stop_words = stop_words_of(page);
        let mut pass = Pass { stop_words, ..Pass::default() };
        let counts: Vec<Counts> =
            (0..page.len()).map(|i| pass.count(i, page.blocks.text(i), page.words().block(i))).collect();
        let frequent = pass.frequent();
        let all: u32 = counts.iter().map(|c| c.stops).sum();
        let page_ratio = ratio(all, page.total().words);
        let mut from = 0;
        for (index, c) in counts.iter().enumerate() {
            let ids = &pass.ids[from..from + c.words as usize];
            from += c.words as usize;
            let num_frequent = ids.iter().filter(|&&id| frequent[id as usize]).count() as u32;
            let characters = Characters::new(page.blocks.text(index));
            let stop_ratio = ratio(c.stops, c.words);
            let values = [
                stop_ratio,
                stop_ratio - page_ratio,
                c.stop_chars as f32,
                c.stop_chars as f32 - page.stats[index].num_link_chars as f32,
                flag(stop_words.is_some()),
                ratio(c.short, c.words),
                ratio(num_frequent, c.words),
                c.types as f32,
                ratio(c.types, c.words),
                ratio(c.lower, c.words),
                c.capital_run as f32,
                flag(c.long >= 2 && c.long_capitals == c.long),
                ratio(c.numbers, c.words),
                flag((2..=4).contains(&c.words) && c.numbers == 1),
                c.longest as f32,
                characters.at as f32,
                characters.legal as f32,
                characters.hash as f32,
                flag(characters.starts_sign),
                flag(characters.ends_colon),
                flag(characters.ends_ellipsis),
                flag(characters.ends_arrow),
            ];
            out.set_all(0, index, &values);
        }
    }
}

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

/// Counts over the words of a block.
#[derive(Debug, Default)]
struct Counts {
    words: u32,
    stops: u32,
    stop_chars: u32,
    short: u32,
    types: u32,
    lower: u32,
    numbers: u32,
    capital_run: u32,
    /// Number of words longer than [`SHORT`] characters, and number of these that begin with an upper-case
    /// letter.
    long: u32,
    long_capitals: u32,
    longest: u32,
}

/// A distinct word of the page.
#[derive(Debug, Clone, Copy)]
struct DistinctWord {
    count: u32,
    is_stop: bool,
    is_number: bool,
    /// The last block that contains the word, numbered from 1; 0 if there is none yet.
    seen: u32,
}

/// Counts the words of a page, block after block.
#[derive(Default)]
struct Pass {
    stop_words: Option<&'static StopWords>,
    /// Ids of the distinct words, by hash.
    numbers: FxHashMap<u64, u32>,
    words: Vec<DistinctWord>,
    /// Ids of all words, block after block.
    ids: Vec<u32>,
}

impl Pass {
    fn count(&mut self, block: usize, text: &str, words: &[Word]) -> Counts {
        let mut c = Counts::default();
        let (mut run, mut phrase_end) = (0, 0);
        for at in words {
            let (start, word) = (at.range().start, at.of(text));
            let Some(first) = word.chars().next() else { continue };
            let length = if word.is_ascii() { word.len() } else { word.chars().count() } as u32;
            let id = self.id(word, at.hash);
            self.ids.push(id);
            let known = &mut self.words[id as usize];
            known.count += 1;
            let is_new = known.seen != block as u32 + 1;
            known.seen = block as u32 + 1;
            let known = *known;
            let first = class(first);
            let is_stop = if first & NOSPACE != 0 {
                if start >= phrase_end {
                    phrase_end = start + self.stop_words.map_or(0, |list| list.phrase_at(&text[start..]));
                }
                start < phrase_end
            } else {
                known.is_stop
            };
            c.words += 1;
            c.stops += u32::from(is_stop);
            c.stop_chars += if is_stop { length } else { 0 };
            c.types += u32::from(is_new);
            c.numbers += u32::from(known.is_number);
            c.lower += u32::from(first & LOWER != 0);
            run = if first & UPPER != 0 { run + 1 } else { 0 };
            c.capital_run = c.capital_run.max(run);
            c.longest = c.longest.max(length);
            if length > SHORT as u32 {
                c.long += 1;
                c.long_capitals += u32::from(first & UPPER != 0);
            } else {
                c.short += u32::from(first & NOSPACE == 0 && !known.is_number);
            }
        }
        c
    }

    /// Returns the id of a word. Case is ignored.
    fn id(&mut self, word: &str, hash: u64) -> u32 {
        let id = *self.numbers.entry(hash).or_insert(self.words.len() as u32);
        if id as usize == self.words.len() {
            self.words.push(DistinctWord {
                count: 0,
                is_stop: self.stop_words.is_some_and(|list| list.contains(hash)),
                is_number: word.chars().all(char::is_numeric),
                seen: 0,
            });
        }
        id
    }

    /// Returns for each word whether it is among the page's most frequent words. If counts are equal, words
    /// that occur first win.
    fn frequent(&self) -> Vec<bool> {
        let mut order: Vec<usize> = (0..self.words.len())
            .filter(|&i| self.words[i].count >= MIN_FREQUENT && !self.words[i].is_number)
            .collect();
        order.sort_by_key(|&i| (std::cmp::Reverse(self.words[i].count), i));
        let mut frequent = vec![false; self.words.len()];
        order.into_iter().take(NUM_FREQUENT).for_each(|i| frequent[i] = true);
        frequent
    }
}

/// Special characters of a block.
struct Characters {
    at: u32,
    legal: u32,
    hash: u32,
    starts_sign: bool,
    ends_colon: bool,
    ends_ellipsis: bool,
    ends_arrow: bool,
}

impl Characters {
    fn new(text: &str) -> Self {
        let bytes = |b: u8| memchr::memchr_iter(b, text.as_bytes()).count() as u32;
        // the UTF-8 encoding of all four characters begins with C2 or E2
        let legal = if text.is_ascii() { 0 } else { text.matches(['©', '®', '™', '℗']).count() as u32 };
        let closed = text.trim_end_matches([')', ']', '"', '”', '»', '’', '」', '）']);
        let last = text.chars().next_back();
        Characters {
            at: bytes(b'@'),
            legal,
            hash: bytes(b'#'),
            starts_sign: text
                .chars()
                .next()
                .is_some_and(|c| !c.is_alphanumeric() && !"\"'“„«‚‘”’([「『（【¿¡".contains(c)),
            ends_colon: matches!(last, Some(':' | '：')),
            ends_ellipsis: closed.ends_with("..") || closed.ends_with('…'),
            ends_arrow: last.is_some_and(|c| "»›>→⇒▸►▶➔➜❯≫".contains(c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::values;

    #[test]
    fn case_and_characters() {
        let html = "<p>The United Nations met in New York City.<p>3 comments<p>Read More »<p>Tags: #a @b<p>and so on […]<p>Author:";
        assert_eq!(values(html, "lexical.capital_run"), [3.0, 0.0, 2.0, 1.0, 0.0, 1.0]);
        assert_eq!(values(html, "lexical.lower_ratio")[0], 0.25);
        assert_eq!(values(html, "lexical.is_count"), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(values(html, "lexical.is_title_case"), [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(values(html, "lexical.ends_arrow"), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(values(html, "lexical.ends_ellipsis"), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!(values(html, "lexical.ends_colon"), [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(values(html, "lexical.num_at")[3] + values(html, "lexical.num_hash")[3], 2.0);
    }

    #[test]
    fn types_short_and_frequent_words() {
        let html = "<p>the cat and the dog<p>the end of 7 days<p>12 12 12";
        assert_eq!(values(html, "lexical.num_types"), [4.0, 5.0, 1.0]);
        // only `the` occurs three times; numbers are excluded
        assert_eq!(values(html, "lexical.frequent_ratio"), [0.4, 0.2, 0.0]);
        assert_eq!(values(html, "lexical.short_ratio"), [1.0, 0.6, 0.0]);
    }

    /// Compares with manual counts of stop words; for scripts without spaces, of the letters in stop words.
    #[test]
    fn stop_words_of_many_languages() {
        for (text, stops, words) in [
            // stop words: the of the was not by the in the
            ("The report of the committee was not read by the members in the room yesterday.", 9, 15),
            // stop words: er mit seinen weil der nicht in die
            (
                "Gestern ging er mit seinen Freunden, weil der Regen nicht aufhörte, schnell in die Kirche.",
                8,
                15,
            ),
            // 我们 在 一个 的 了 那里 的
            ("我们在一个很小的城市里住了三年，那里的人都很友好。", 10, 23),
            // 私 は と に の し い へ き し た
            ("私は昨日、友達と一緒に東京の新しい図書館へ行きました。", 11, 25),
            // ไป กับ เพื่อ (the start of `friend`) ของ เขา ที่ อยู่ ใน
            ("เด็กไปโรงเรียนกับเพื่อนของเขาที่อยู่ในเมือง", 12, 22),
            // ذهب إلى في مع هناك
            ("ذهب الطالب إلى المدرسة في الصباح مع صديقه ولم يجد المعلم هناك", 5, 12),
            // мы не что он уже был в когда над
            ("Мы не знали, что он уже был в городе, когда началась гроза над рекой.", 9, 14),
            // अपने के साथ में गया और वह बहुत था
            ("लड़का अपने दोस्त के साथ स्कूल में गया और वह बहुत खुश था।", 9, 13),
            // 함께; particles are parts of words
            ("저는 어제 친구와 함께 서울에 있는 새로운 도서관에 갔습니다.", 1, 9),
        ] {
            let html = format!("<p>{text}");
            assert_eq!(values(&html, "lexical.has_stop_words"), [1.0], "{text}");
            assert_eq!(values(&html, "lexical.stop_ratio"), [crate::ratio(stops, words)], "{text}");
            let html = format!("<p>{text}<p><a href=x>{text}</a>");
            let minus = values(&html, "lexical.stop_minus_link");
            let chars = values(&html, "lexical.stop_chars");
            assert!(minus[0] == chars[0] && minus[1] < 0.0 && chars[1] == chars[0], "{text}");
        }
        // Han text has no short words; if a language has no list, there are no stop words
        assert_eq!(values("<p>我们在一个很小的城市里", "lexical.short_ratio"), [0.0]);
        assert_eq!(values("<p>ქართული ენა არის საქართველოს ენა", "lexical.has_stop_words"), [0.0]);
    }
}
