//! Kinds of short texts that a block holds: addresses, dates, prices, telephone numbers.

use super::{Column, Family, Grid, PageContext};
use crate::text::classes::{NOSPACE, NUMERIC, SPACE, class};

/// The family.
pub(super) struct Pattern;

const SOURCE: &str = "Victor (Marek et al. 2007)";

/// The patterns, in order, with what is taken for one.
const PATTERNS: &[(&str, &str)] = &[
    ("url", "an address: http://…, www.…, or a name under a common top-level domain"),
    ("email", "an e-mail address"),
    ("date", "a date: 3.5.2024, 2024-05-03, 3 May, May 2024 (English and other European months), 5月3日"),
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
            let first = if found == 0 { 0 } else { found.trailing_zeros() + 1 };
            out.set(0, index, first as f32);
            for kind in 0..PATTERNS.len() {
                out.set(kind + 1, index, f32::from(found >> kind & 1));
            }
            out.set(PATTERNS.len() + 1, index, share);
        }
    }
}

/// Whether a text has a date or a time of day.
pub(super) fn has_date_or_time(text: &str) -> bool {
    scan(text).0 & (DATE | TIME) != 0
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
    let mut last = Kind::Other;
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
            (number @ (Kind::Number | Kind::Amount), Kind::Word(word))
            | (Kind::Word(word), number @ (Kind::Number | Kind::Amount)) => beside(word, number),
            _ => 0,
        };
        if phone.extend(trimmed(piece), bits & (DATE | TIME) != 0) {
            bits |= PHONE;
        }
        last = kind;
        hits += u32::from(bits != 0);
        found |= bits;
    }
    if !is_ascii {
        found |= marked_numbers(text);
    }
    (found, super::ratio(hits, num))
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

/// What a word makes of a number beside it: a date or a price.
fn beside(word: &str, number: Kind<'_>) -> u16 {
    // long words are neither
    if word.is_empty() || word.len() > 20 {
        return 0;
    }
    if word.chars().all(is_currency) || CURRENCIES.contains(&word) {
        return PRICE;
    }
    let is_month = || MONTHS.binary_search(&word.to_lowercase().trim_end_matches('.')).is_ok();
    if number == Kind::Number && is_month() { DATE } else { 0 }
}

#[rustfmt::skip]
const CURRENCIES: &[&str] = &[
    "USD", "EUR", "GBP", "JPY", "CHF", "CZK", "PLN", "CNY", "RUB", "INR", "AUD", "CAD", "SEK", "NOK", "DKK", "BRL", "euro",
    "euros", "Euro", "dollars", "kr", "Kč", "zł", "Ft", "lei", "руб", "грн", "лв",
];

/// Months of European languages and their common short forms, sorted.
#[rustfmt::skip] // one a line would be 150 lines
const MONTHS: &[&str] = &[
    "abr", "abril", "agosto", "août", "apr", "april", "aprile", "aug", "august", "augusti", "augustus",
    "avr", "avril", "březen", "března", "cze", "czerwca", "czerwiec", "dec", "december", "dezember",
    "dezembro", "dic", "dicembre", "diciembre", "duben", "dubna", "décembre", "enero", "feb", "febbraio",
    "febr", "febrero", "februar", "februari", "february", "fevereiro", "février", "gennaio", "giugno",
    "grudnia", "grudzień", "jan", "janeiro", "januar", "januari", "january", "janvier", "juillet", "juin",
    "jul", "julho", "juli", "julio", "july", "jun", "june", "junho", "juni", "junio", "květen", "května",
    "kwiecień", "kwietnia", "leden", "ledna", "lipca", "lipiec", "listopad", "listopada", "listopadu",
    "luglio", "lutego", "luty", "maart", "maggio", "mai", "maio", "maj", "maja", "mar", "marca", "march",
    "mars", "marzec", "marzo", "março", "may", "mayo", "mei", "märz", "nov", "november", "novembre",
    "novembro", "noviembre", "oct", "october", "octobre", "octubre", "okt", "oktober", "ott", "ottobre",
    "outubro", "październik", "października", "prosince", "prosinec", "sep", "sept", "september",
    "septembre", "septiembre", "setembro", "settembre", "sierpień", "sierpnia", "srpen", "srpna", "styczeń",
    "stycznia", "wrzesień", "września", "září", "únor", "února", "červen", "července", "červenec", "června",
    "říjen", "října", "августа", "апреля", "вересня", "грудня", "декабря", "жовтня", "июля", "июня",
    "квітня", "липня", "листопада", "лютого", "марта", "мая", "ноября", "октября", "сентября", "серпня",
    "січня", "травня", "февраля", "червня", "января",
];

/// Numbers before a character that says what they are: 5月3日, 3点, 100元.
fn marked_numbers(text: &str) -> u16 {
    let mut bits = 0;
    let mut last_digit = false;
    for c in text.chars() {
        if last_digit {
            bits |= match c {
                '年' | '月' | '日' | '년' | '월' | '일' => DATE,
                '点' | '點' | '時' | '时' | '시' => TIME,
                '元' | '円' | '원' | '฿' => PRICE,
                _ => 0,
            };
        }
        // spaces may stand between
        last_digit = class(c) & (NUMERIC | NOSPACE) == NUMERIC || (last_digit && c == ' ');
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
    use crate::features::testing::values;

    #[test]
    fn months_can_be_looked_up() {
        assert!(PATTERNS.len() == 9 && MONTHS.is_sorted(), "{:?}", MONTHS.windows(2).find(|w| w[0] > w[1]));
    }

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
