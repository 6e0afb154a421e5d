//! Kinds of short texts that a block holds: addresses, dates, prices, telephone numbers.

use crate::page_index::months::{ascii_digit, begins_with_thai_month, is_between_day_and_month, makes_date};
use crate::page_index::relative_dates::{Ago, begins_with_span_ago};
use crate::{Column, Family, Grid, PageContext};
use threshr_html::text::classes::{NOSPACE, NUMERIC, SPACE, class};

/// The family.
pub(crate) struct Pattern;

const SOURCE: &str = "Victor (Marek et al. 2007)";

/// The patterns, in order, with what is taken for one.
const PATTERNS: &[(&str, &str)] = &[
    ("url", "an address: http://…, www.…, or a name under a common top-level domain"),
    ("email", "an e-mail address"),
    (
        "date",
        "a date: 3.5.2024, 2024-05-03, 3 May, May 2024, 3 de mayo de 2024 (months of some 45 languages), 5月3日, or how long ago: 3 hours ago, vor 3 Stunden, 3小时前",
    ),
    ("time", "a time of day: 12:30, 12:30:05, 5pm, 14h30, 3点"),
    ("price", "a number beside a sign or a name of a currency"),
    ("copyright", "©, ℗, (c), or the word copyright"),
    ("phone", "7 to 15 digits in groups or after +, with only spaces and ( ) . - / between"),
    ("percent", "a number before %"),
    ("handle", "@name"),
];

/// Kinds as bits, in the order of [`PATTERNS`].
const URL: u16 = 1;
const EMAIL: u16 = 1 << 1;
const DATE: u16 = 1 << 2;
const TIME: u16 = 1 << 3;
const PRICE: u16 = 1 << 4;
const COPYRIGHT: u16 = 1 << 5;
const PHONE: u16 = 1 << 6;
const PERCENT: u16 = 1 << 7;
const HANDLE: u16 = 1 << 8;
/// No kind of its own: a date that says how long ago.
const AGO: u16 = 1 << 9;

impl Family for Pattern {
    fn name(&self) -> &'static str {
        "pattern"
    }
    fn summary(&self) -> &'static str {
        "whether a block holds an address, a date, a price and the like"
    }
    fn columns(&self) -> Vec<Column> {
        let names = PATTERNS.iter().map(|p| p.0).collect::<Vec<_>>().join(", ");
        let first = format!("number of the first kind of {names} that occurs, from 1; 0 where none does");
        let mut columns = vec![Column::of("first", "code", first, SOURCE)];
        columns.extend(PATTERNS.iter().map(|(name, what)| {
            Column::of(format!("has_{name}"), "flag", format!("1 where there is {what}"), SOURCE)
        }));
        let share = "share of the stretches between white space that belong to one of the kinds, of two-part ones the second part; 0 without stretches";
        columns.push(Column::of("share", "ratio", share, SOURCE));
        columns
    }

    fn fill(&self, page: &PageContext<'_>, out: &mut Grid<'_>) {
        for index in 0..page.len() {
            let (found, share) = scan(page.blocks.text(index));
            let found = found & !AGO;
            let first = if found == 0 { 0 } else { found.trailing_zeros() + 1 };
            out.set(0, index, first as f32);
            for kind in 0..PATTERNS.len() {
                out.set(kind + 1, index, f32::from(found >> kind & 1));
            }
            out.set(PATTERNS.len() + 1, index, share);
        }
    }
}

/// What a text says of when something was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct When {
    /// Whether it has a date or a time of day.
    pub is_told: bool,
    /// Whether it says how long ago, a date as well.
    pub is_ago: bool,
}

impl When {
    pub(crate) fn of(text: &str) -> Self {
        let found = scan(text).0;
        When { is_told: found & (DATE | TIME) != 0, is_ago: found & AGO != 0 }
    }
}

/// What a stretch of text is to the one after it.
#[derive(Clone, Copy, PartialEq)]
enum Kind<'a> {
    Other,
    /// A number of at most four digits: a day or a year.
    Number,
    /// A number, whatever its size.
    Amount,
    /// A word or a sign, looked up where a number stands beside it.
    Word(&'a str),
}

/// The kinds that occur in `text`, and the share of its stretches that are of one.
fn scan(text: &str) -> (u16, f32) {
    let (mut found, mut num, mut hits) = (0, 0u32, 0u32);
    let (mut last, mut ago) = (Kind::Other, Ago::default());
    let mut phone = Phone::default();
    let is_ascii = text.is_ascii();
    let apart = |c: char| {
        let is_sign =
            || matches!(c, '，' | '。' | '、' | '（' | '）' | '「' | '」' | '【' | '】' | '：' | '；');
        class(c) & (SPACE | NOSPACE) != 0 || is_sign()
    };
    for piece in text.split(apart).filter(|p| !p.is_empty()) {
        num += 1;
        let (mut bits, kind) = classify(piece);
        bits |= match (last, kind) {
            (number @ (Kind::Number | Kind::Amount), Kind::Word(word)) => beside(word, number, true),
            (Kind::Word(word), number @ (Kind::Number | Kind::Amount)) => beside(word, number, false),
            _ => 0,
        };
        if phone.extend(trimmed(piece), bits & (DATE | TIME) != 0) {
            bits |= PHONE;
        }
        match kind {
            Kind::Number => ago.number(),
            Kind::Word(word) if ago.word(word) => bits |= DATE | AGO,
            Kind::Word(_) => {}
            _ => ago.other(),
        }
        last = match (last, kind) {
            (Kind::Number, Kind::Word(word)) if is_between_day_and_month(word) => last,
            _ => kind,
        };
        hits += u32::from(bits != 0);
        found |= bits;
    }
    if !is_ascii {
        found |= marked_numbers(text);
    }
    (found, crate::ratio(hits, num))
}

fn trimmed(piece: &str) -> &str {
    piece.trim_matches(|c: char| {
        matches!(
            c,
            ',' | ';'
                | '.'
                | '!'
                | '?'
                | '"'
                | '\''
                | '“'
                | '”'
                | '„'
                | '«'
                | '»'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '…'
        )
    })
}

/// The kinds of one stretch alone.
fn classify(piece: &str) -> (u16, Kind<'_>) {
    // most stretches are words
    if piece.bytes().all(|b| b.is_ascii_alphabetic()) {
        let bits = if piece.eq_ignore_ascii_case("copyright") { COPYRIGHT } else { 0 };
        return (bits, Kind::Word(piece));
    }
    if piece.chars().any(|c| ascii_digit(c).is_some()) {
        let plain: String = piece.chars().map(|c| ascii_digit(c).unwrap_or(c)).collect();
        return match classify(&plain) {
            (bits, Kind::Number) => (bits, Kind::Number),
            (bits, Kind::Amount) => (bits, Kind::Amount),
            // no word of the text
            (bits, _) => (bits, Kind::Other),
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
        return (bits, Kind::Word(bare));
    }
    if bits & (URL | EMAIL) != 0 {
        return (bits, Kind::Other);
    }
    (bits | numeric(bare), number_kind(bare))
}

/// Whether a token with digits is a number; `3rd` is.
fn number_kind(token: &str) -> Kind<'_> {
    let digits = token.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == 'º' || c == 'ª');
    let is_small = (1..=4).contains(&digits.len()) && token.len() - digits.len() <= 2;
    if is_small && digits.bytes().all(|b| b.is_ascii_digit()) {
        Kind::Number
    } else if token.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        Kind::Amount
    } else {
        Kind::Other
    }
}

/// `name@host.tld` or `@name`.
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
    #[rustfmt::skip]
    const DOMAINS: &[&str] = &[
        "com", "org", "net", "edu", "gov", "info", "io", "co", "eu", "de", "fr", "it", "es", "pl", "cz", "ru", "cn", "jp",
        "uk", "us", "nl", "br", "tv",
    ];
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

/// Dates, times, prices and shares made of digits and signs.
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

/// Lengths of the runs of digits of a token that has but digits and one sign of `signs` between them; 0 for none.
fn digit_groups(token: &str, signs: &str) -> [usize; 3] {
    let mut groups = [0; 3];
    let mut at = 0;
    let mut sign = None;
    for c in token.chars() {
        if c.is_ascii_digit() {
            groups[at] += 1;
        } else if signs.contains(c) && groups[at] > 0 && at < 2 && sign.is_none_or(|s| s == c) {
            at += 1;
            sign = Some(c);
        } else {
            return [0; 3];
        }
    }
    groups
}

/// Day, month and year in any order, year with four digits, or with two at the end; a time may follow after `T`.
fn is_date(token: &str) -> bool {
    let token = token.split_once('T').map_or(token, |(date, _)| date);
    let small = 1..=2;
    match digit_groups(token, ".-/") {
        [4, b, c] => small.contains(&b) && small.contains(&c),
        [a, b, c] => small.contains(&a) && small.contains(&b) && (c == 4 || c == 2),
    }
}

/// `12:30`, `12:30:05`, either with am or pm; `5pm`; `14h30`.
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

/// What a word makes of a number beside it, before or behind which it stands: a date or a price.
fn beside(word: &str, number: Kind<'_>, is_behind: bool) -> u16 {
    // long words are neither; in bytes, of which letters may have three
    if word.is_empty() || word.len() > 40 {
        return 0;
    }
    if word.chars().all(is_currency) || CURRENCIES.contains(&word) {
        return PRICE;
    }
    if number == Kind::Number && makes_date(word, is_behind) { DATE } else { 0 }
}

#[rustfmt::skip]
const CURRENCIES: &[&str] = &[
    "USD", "EUR", "GBP", "JPY", "CHF", "CZK", "PLN", "CNY", "RUB", "INR", "AUD", "CAD", "SEK", "NOK", "DKK", "BRL", "euro",
    "euros", "Euro", "dollars", "kr", "Kč", "zł", "Ft", "lei", "руб", "грн", "лв",
];

/// Numbers before characters that say what they are, in texts without blanks between words: 5月3日, 3点, 100元, 3小时前, 3 มีนาคม.
fn marked_numbers(text: &str) -> u16 {
    let mut bits = 0;
    // digits of the number before, and what stands behind the one before that
    let (mut num_digits, mut mark) = (0, None);
    for (at, c) in text.char_indices() {
        let is_digit = class(c) & (NUMERIC | NOSPACE) == NUMERIC;
        if num_digits > 0 && !is_digit && c != ' ' {
            // before a day is not so many days ago
            if !matches!(mark, Some('月' | '월')) && begins_with_span_ago(&text[at..], num_digits) {
                bits |= DATE | AGO;
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

/// Stretches in a row that may be a telephone number.
#[derive(Default)]
struct Phone {
    digits: usize,
    groups: usize,
    plus: bool,
}

impl Phone {
    /// Takes the next stretch; whether a number is whole with it.
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
    use crate::testing::values;

    #[test]
    fn kinds_are_found_in_running_text() {
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
            ("3 hours ago", DATE | AGO),
            ("5m ago", DATE | AGO),
            ("vor 3 Stunden", DATE | AGO),
            ("il y a 12 jours", DATE | AGO),
            ("3 jam yang lalu", DATE | AGO),
            ("3小时前", DATE | AGO),
            ("3일 전", DATE | AGO),
            ("منذ ٣ ساعات", DATE | AGO),
            ("3 жовтня, 12. Dez. 2024", DATE),
            ("3 березня", DATE),
            ("3 d’abril", DATE),
            ("٥٠٠٠٠ USD", PRICE),
            ("Updated 12 hr 33 min ago", DATE | AGO),
            ("vor 2 Std.", DATE | AGO),
            ("πριν από 3 ώρες", DATE | AGO),
            ("în urmă cu 3 ore", DATE | AGO),
            ("منذ 3 أشهر", DATE | AGO),
            ("3 timmar sedan", DATE | AGO),
            ("3시간전에", DATE | TIME | AGO),
            ("3个小时前", DATE | AGO),
            ("45分钟前", DATE | AGO),
            ("2週間前", DATE | AGO),
            ("3 ชั่วโมงที่แล้ว", DATE | AGO),
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
            // numbers and words that are no dates
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

    #[test]
    fn the_first_kind_has_a_number() {
        let html = "<p>www.example.org 3.5.2024<p>12:30<p>plain text";
        assert_eq!(values(html, "pattern.first"), [1.0, 4.0, 0.0]);
        assert_eq!(values(html, "pattern.share"), [1.0, 1.0, 0.0]);
        assert_eq!(values(html, "pattern.has_date"), [1.0, 0.0, 0.0]);
    }
}
