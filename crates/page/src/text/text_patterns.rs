//! Patterns in running text: URLs, e-mail addresses, dates, prices, telephone numbers.
//!
//! A text is split into tokens at white space. Each token is classified alone and together with the previous
//! token.

use crate::dates::months::{ascii_digit, begins_with_thai_month, is_between_day_and_month, makes_date};
use crate::dates::relative_dates::{RelativeDate, begins_with_past_unit};
use crate::word_lists::list;
use std::sync::LazyLock;
use threshr_html::text::classes::{NOSPACE, NUMERIC, SPACE, class};

/// Bits for the patterns, in the order of the columns of the family `pattern`.
const URL: u16 = 1;
const EMAIL: u16 = 1 << 1;
const DATE: u16 = 1 << 2;
const TIME: u16 = 1 << 3;
const PRICE: u16 = 1 << 4;
const COPYRIGHT: u16 = 1 << 5;
const PHONE: u16 = 1 << 6;
const PERCENT: u16 = 1 << 7;
const HANDLE: u16 = 1 << 8;
/// A relative date. Such a token also has the bit `DATE`. It has no separate column.
pub const RELATIVE_DATE: u16 = 1 << 9;

/// Common top-level domains.
static DOMAINS: LazyLock<Vec<&str>> =
    LazyLock::new(|| list(include_str!("../../data/top_level_domains.tsv"), "domains"));
/// Currency words and codes. A number next to one of them is a price.
static CURRENCIES: LazyLock<Vec<&str>> =
    LazyLock::new(|| list(include_str!("../../data/currencies.tsv"), "currencies"));

/// Kinds of dates in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dates {
    /// Whether the text contains a date or a time of day.
    pub any: bool,
    /// Whether the text contains a relative date.
    pub relative: bool,
}

impl Dates {
    /// Searches a text for dates.
    pub fn new(text: &str) -> Self {
        let found = scan(text).0;
        Dates { any: found & (DATE | TIME) != 0, relative: found & RELATIVE_DATE != 0 }
    }
}

/// Class of a token, used when the next token is classified.
#[derive(Clone, Copy, PartialEq)]
enum Token<'a> {
    Other,
    /// A number of at most four digits: a day or a year.
    Number,
    /// Another number, such as an amount.
    Amount,
    /// A word or a symbol, which is looked up if it is next to a number.
    Word(&'a str),
}

/// Returns the patterns in `text`, and the share of its tokens that belong to a pattern.
pub fn scan(text: &str) -> (u16, f32) {
    let (mut found, mut num, mut hits) = (0, 0u32, 0u32);
    let (mut last, mut relative) = (Token::Other, RelativeDate::default());
    let mut phone = Phone::default();
    let is_ascii = text.is_ascii();
    let is_separator = |c: char| {
        let is_punctuation =
            || matches!(c, '，' | '。' | '、' | '（' | '）' | '「' | '」' | '【' | '】' | '：' | '；');
        class(c) & (SPACE | NOSPACE) != 0 || is_punctuation()
    };
    for piece in text.split(is_separator).filter(|p| !p.is_empty()) {
        num += 1;
        let (mut bits, kind) = classify(piece);
        bits |= match (last, kind) {
            (number @ (Token::Number | Token::Amount), Token::Word(word)) => beside(word, number, true),
            (Token::Word(word), number @ (Token::Number | Token::Amount)) => beside(word, number, false),
            _ => 0,
        };
        if phone.extend(trimmed(piece), bits & (DATE | TIME) != 0) {
            bits |= PHONE;
        }
        match kind {
            Token::Number => relative.number(),
            Token::Word(word) if relative.word(word) => bits |= DATE | RELATIVE_DATE,
            Token::Word(_) => {}
            _ => relative.other(),
        }
        last = match (last, kind) {
            (Token::Number, Token::Word(word)) if is_between_day_and_month(word) => last,
            _ => kind,
        };
        hits += u32::from(bits != 0);
        found |= bits;
    }
    if !is_ascii {
        found |= unspaced_patterns(text);
    }
    (found, crate::text::ratio(hits, num))
}

/// Removes punctuation around a token.
fn trimmed(piece: &str) -> &str {
    const PUNCTUATION: &[char] =
        &[',', ';', '.', '!', '?', '"', '\'', '“', '”', '„', '«', '»', '[', ']', '{', '}', '<', '>', '…'];
    piece.trim_matches(PUNCTUATION)
}

/// Returns the patterns of a single token, and its class.
fn classify(piece: &str) -> (u16, Token<'_>) {
    // most tokens are words
    if piece.bytes().all(|b| b.is_ascii_alphabetic()) {
        let bits = if piece.eq_ignore_ascii_case("copyright") { COPYRIGHT } else { 0 };
        return (bits, Token::Word(piece));
    }
    if piece.chars().any(|c| ascii_digit(c).is_some()) {
        let plain: String = piece.chars().map(|c| ascii_digit(c).unwrap_or(c)).collect();
        return match classify(&plain) {
            (bits, Token::Number) => (bits, Token::Number),
            (bits, Token::Amount) => (bits, Token::Amount),
            // a word must not borrow from `plain`, which is a local copy
            (bits, _) => (bits, Token::Other),
        };
    }
    let token = trimmed(piece);
    let bytes = token.as_bytes();
    let has_digit = bytes.iter().any(u8::is_ascii_digit);
    let mut bits = 0;
    if memchr::memchr(b'@', bytes).is_some() {
        bits |= address(token);
    } else if memchr::memchr2(b'.', b':', bytes).is_some() && is_url(token) {
        bits |= URL;
    }
    let bare = token.trim_matches(['(', ')', ':']);
    if token.contains(['©', '℗'])
        || token.eq_ignore_ascii_case("(c)")
        || bare.eq_ignore_ascii_case("copyright")
    {
        bits |= COPYRIGHT;
    }
    if !has_digit {
        return (bits, Token::Word(bare));
    }
    if bits & (URL | EMAIL) != 0 {
        return (bits, Token::Other);
    }
    (bits | numeric(bare), number_kind(bare))
}

/// Returns the class of a token with digits. `3rd` is a number.
fn number_kind(token: &str) -> Token<'_> {
    let digits = token.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == 'º' || c == 'ª');
    let is_small = (1..=4).contains(&digits.len()) && token.len() - digits.len() <= 2;
    if is_small && digits.bytes().all(|b| b.is_ascii_digit()) {
        Token::Number
    } else if token.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        Token::Amount
    } else {
        Token::Other
    }
}

/// Recognises `name@host.tld` and `@name`.
fn address(token: &str) -> u16 {
    let token = token.trim_start_matches("mailto:").trim_matches(['(', ')', ':']);
    let Some((local, domain)) = token.split_once('@') else { return 0 };
    if local.is_empty() {
        let is_name = domain.starts_with(|c: char| c.is_alphabetic() || c == '_');
        return if is_name && domain.chars().count() >= 2 { HANDLE } else { 0 };
    }
    let inside = domain.trim_matches('.').contains('.') && !domain.contains(['@', '/']);
    if inside && domain.starts_with(char::is_alphanumeric) { EMAIL } else { 0 }
}

fn is_url(token: &str) -> bool {
    let token = token.trim_start_matches('(');
    let starts = |p: &str| token.get(..p.len()).is_some_and(|s| s.eq_ignore_ascii_case(p));
    if ["http://", "https://", "ftp://", "www."].iter().any(|p| starts(p)) {
        return true;
    }
    let host = token.split(['/', ':', '?']).next().unwrap_or("");
    let Some((name, last)) = host.rsplit_once('.') else { return false };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    let known = last.bytes().all(|b| b.is_ascii_lowercase()) && DOMAINS.contains(&last);
    known && !name.is_empty() && name.bytes().all(plain) && !name.ends_with('.')
}

/// Returns the patterns of a token of digits and symbols: date, time, price, percentage.
fn numeric(token: &str) -> u16 {
    let mut bits = 0;
    let mut last_digit = false;
    for c in token.chars() {
        if c == '%' && last_digit {
            bits |= PERCENT;
        }
        if is_currency(c) {
            bits |= PRICE;
        }
        last_digit = c.is_ascii_digit();
    }
    if is_date(token) {
        bits |= DATE;
    }
    if is_time(token) {
        bits |= TIME;
    }
    bits
}

fn is_currency(c: char) -> bool {
    matches!(c, '$' | '£' | '¥' | '¢' | '￥' | '＄' | '฿' | '\u{20A0}'..='\u{20C0}')
}

/// Returns the lengths of up to three runs of digits that are separated by the same character of
/// `separators`; zeros for other tokens.
fn digit_groups(token: &str, separators: &str) -> [usize; 3] {
    let mut groups = [0; 3];
    let mut at = 0;
    let mut separator = None;
    for c in token.chars() {
        if c.is_ascii_digit() {
            groups[at] += 1;
        } else if separators.contains(c) && groups[at] > 0 && at < 2 && separator.is_none_or(|s| s == c) {
            at += 1;
            separator = Some(c);
        } else {
            return [0; 3];
        }
    }
    groups
}

/// Whether a token is a date: the year first, or at the end with four or two digits. A time may follow after
/// `T`.
fn is_date(token: &str) -> bool {
    let token = token.split_once('T').map_or(token, |(date, _)| date);
    let small = 1..=2;
    match digit_groups(token, ".-/") {
        [4, b, c] => small.contains(&b) && small.contains(&c),
        [a, b, c] => small.contains(&a) && small.contains(&b) && (c == 4 || c == 2),
    }
}

/// Whether a token is a time: `12:30` or `12:30:05`, optionally with am or pm; `5pm`; `14h30`.
fn is_time(token: &str) -> bool {
    let clock = token.split_once('T').map_or(token, |(_, clock)| clock);
    let lower = clock.to_ascii_lowercase();
    let half = ["am", "pm", "a.m", "p.m"].iter().find_map(|s| lower.strip_suffix(s));
    let digits = half.unwrap_or(&lower).trim_end_matches('z');
    let few = |n: usize| (1..=2).contains(&n);
    if half.is_some() && few(digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
        return true;
    }
    match (digit_groups(digits, ":"), digit_groups(digits, "h")) {
        ([a, 2, 0 | 2], _) if few(a) => true,
        (_, [a, 2, 0]) => few(a),
        _ => false,
    }
}

/// Returns the pattern that a word and an adjacent number form: a date or a price.
fn beside(word: &str, number: Token<'_>, is_after_number: bool) -> u16 {
    // long words are in no list; the limit is in bytes, and a letter has up to three
    if word.is_empty() || word.len() > 40 {
        return 0;
    }
    if word.chars().all(is_currency) || CURRENCIES.contains(&word) {
        return PRICE;
    }
    if number == Token::Number && makes_date(word, is_after_number) { DATE } else { 0 }
}

/// Returns the patterns formed by a number and the characters after it, in texts without spaces between words:
/// 5月3日, 3点, 100元, 3小时前, 3 มีนาคม.
fn unspaced_patterns(text: &str) -> u16 {
    let mut bits = 0;
    // the number of digits of the current number that were read, and the character between the previous
    // number and this number; `None` if there are several characters between them
    let (mut num_digits, mut mark) = (0, None);
    for (at, c) in text.char_indices() {
        let is_digit = class(c) & (NUMERIC | NOSPACE) == NUMERIC;
        if num_digits > 0 && !is_digit && c != ' ' {
            // after a month, the number is a day of the month and not a count of days
            if !matches!(mark, Some('月' | '월')) && begins_with_past_unit(&text[at..], num_digits) {
                bits |= DATE | RELATIVE_DATE;
            } else if begins_with_thai_month(&text[at..]) {
                bits |= DATE;
            }
            bits |= match c {
                '年' | '月' | '日' | '년' | '월' | '일' => DATE,
                '点' | '點' | '時' | '时' | '시' => TIME,
                '元' | '円' | '원' | '฿' => PRICE,
                _ => 0,
            };
            (num_digits, mark) = (0, Some(c));
        } else if is_digit {
            num_digits += 1;
        } else if c != ' ' {
            mark = None;
        }
    }
    bits
}

/// Consecutive tokens that may form a telephone number.
#[derive(Default)]
struct Phone {
    digits: usize,
    groups: usize,
    plus: bool,
}

impl Phone {
    /// Processes the next token. Returns whether the tokens up to this token form a telephone number.
    fn extend(&mut self, token: &str, is_other: bool) -> bool {
        let plain = |b: u8| b.is_ascii_digit() || b"+-()./".contains(&b);
        if is_other || token.is_empty() || !token.bytes().all(plain) {
            *self = Phone::default();
            return false;
        }
        self.plus |= self.digits == 0 && token.trim_start_matches('(').starts_with('+');
        let mut inside = false;
        for b in token.bytes() {
            self.digits += usize::from(b.is_ascii_digit());
            self.groups += usize::from(b.is_ascii_digit() && !inside);
            inside = b.is_ascii_digit();
        }
        (7..=15).contains(&self.digits) && (self.plus || (2..=6).contains(&self.groups))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_found_in_running_text() {
        for (text, expected) in [
            ("See https://example.org/a?b=1 or www.example.org.", URL),
            ("example.com and e.g. this", URL),
            ("nothing.here, v1.2", 0),
            ("write to a.b@example.org", EMAIL),
            ("by @some_body", HANDLE),
            ("a @ b", 0),
            ("on 3.5.2024", DATE),
            ("2024-05-03T12:30:05Z", DATE | TIME),
            ("05/03/24, 5pm", DATE | TIME),
            ("May 3rd", DATE),
            ("3. května", DATE),
            ("12 октября", DATE),
            ("el 3 de marzo de 2024", DATE),
            ("3. marts 2024", DATE),
            ("3rd of May", DATE),
            ("3 Σεπτεμβρίου 2024", DATE),
            ("3 செப்டம்பர் 2024", DATE),
            ("١٥ كانون الثاني", DATE),
            ("५ मार्च २०२४", DATE),
            ("ngày 3 tháng 5", DATE),
            ("3 มีนาคม 2567", DATE),
            ("3 hours ago", DATE | RELATIVE_DATE),
            ("5m ago", DATE | RELATIVE_DATE),
            ("vor 3 Stunden", DATE | RELATIVE_DATE),
            ("il y a 12 jours", DATE | RELATIVE_DATE),
            ("3 jam yang lalu", DATE | RELATIVE_DATE),
            ("3小时前", DATE | RELATIVE_DATE),
            ("3일 전", DATE | RELATIVE_DATE),
            ("منذ ٣ ساعات", DATE | RELATIVE_DATE),
            ("3 жовтня, 12. Dez. 2024", DATE),
            ("3 березня", DATE),
            ("3 d’abril", DATE),
            ("٥٠٠٠٠ USD", PRICE),
            ("Updated 12 hr 33 min ago", DATE | RELATIVE_DATE),
            ("vor 2 Std.", DATE | RELATIVE_DATE),
            ("πριν από 3 ώρες", DATE | RELATIVE_DATE),
            ("în urmă cu 3 ore", DATE | RELATIVE_DATE),
            ("منذ 3 أشهر", DATE | RELATIVE_DATE),
            ("3 timmar sedan", DATE | RELATIVE_DATE),
            ("3시간전에", DATE | TIME | RELATIVE_DATE),
            ("3个小时前", DATE | RELATIVE_DATE),
            ("45分钟前", DATE | RELATIVE_DATE),
            ("2週間前", DATE | RELATIVE_DATE),
            ("3 ชั่วโมงที่แล้ว", DATE | RELATIVE_DATE),
            ("May I", 0),
            ("发布于2024年5月3日", DATE),
            ("下午3点，100元", TIME | PRICE),
            ("at 12:30 or 14h30", TIME),
            ("ratio 16:9", 0),
            ("$5.99", PRICE),
            ("12 EUR", PRICE),
            ("€ 1.200,50", PRICE),
            ("© 2024 A", COPYRIGHT),
            ("Copyright: A", COPYRIGHT),
            ("+420 123 456 789", PHONE),
            ("(555) 123-4567", PHONE),
            ("in 1234567 steps", 0),
            ("up 5% or 7 %", PERCENT),
            ("", 0),
            // numbers and words that are not dates
            ("vor 3 Leuten, 3 hours, a 3 minute walk", 0),
            ("2024 FA Cup final, 2019 Honda Civic Sedan, 5 Temu haul", 0),
            ("Il y a 12 messages, vor 50 Minderjährigen, vor 20 Anschlägen, vor 10 Orten", 0),
            ("a 5 km de la playa y a 10 minutos del centro", 0),
            ("μετά από 3 ημέρες", 0),
            ("Bảo hành 12 tháng", 0),
            ("۳ جوان کشته شدند", 0),
            ("آب ۲ لیوان", 0),
            ("3일 전남", DATE),
            ("5月3日前", DATE),
            ("2024年前", DATE),
        ] {
            assert_eq!(scan(text).0, expected, "{text}");
        }
    }
}
