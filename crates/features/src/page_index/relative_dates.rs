//! How long ago something was, as posts are dated today: `3 hours ago`, `vor 3 Stunden`, `il y a 3 heures`, `3小时前`.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;
use threshr_html::text::normalise;

/// Stretches in a row that may say so.
#[derive(Default)]
pub(crate) struct Ago<'t> {
    /// The last words before a number, the latest last.
    before: [&'t str; 3],
    /// Stretches since a number, itself included; 0 without one.
    since_number: u8,
    /// Languages, as bits, whose words before a span of time stood there.
    led: u64,
    /// The word behind the number.
    span: &'t str,
}

/// Most stretches from a number to the word that ends it.
const MOST_STRETCHES: u8 = 4;

impl<'t> Ago<'t> {
    /// Takes a number.
    pub(crate) fn number(&mut self) {
        let [_, _, last] = self.before;
        let may_lead = if last.is_empty() { 0 } else { said(&ENDS_OF_LEADS, &normalise(last)) };
        let led = languages(may_lead, |l| l.is_led_by(&self.before));
        *self = Ago { since_number: 1, led, ..Ago::default() };
    }

    /// Takes a word; whether a stretch ends there that says how long ago.
    pub(crate) fn word(&mut self, word: &'t str) -> bool {
        self.before = [self.before[1], self.before[2], word];
        if self.since_number == 0 {
            return false;
        }
        self.since_number = (self.since_number + 1) % (MOST_STRETCHES + 1);
        let asked = if self.since_number == 2 {
            self.span = word;
            // 5m ago
            if plain(word).eq_ignore_ascii_case("ago") {
                return true;
            }
            self.led
        } else {
            said(&BEHIND, plain(&normalise(word)))
        };
        // few words come so far
        asked != 0 && languages(asked, |l| l.is_span(plain(&normalise(self.span)))) != 0
    }

    /// Takes what is neither.
    pub(crate) fn other(&mut self) {
        *self = Ago::default();
    }
}

fn plain(word: &str) -> &str {
    word.trim_end_matches([',', '.', ':', ')'])
}

/// Whether a text without blanks between words begins, behind a number of so many digits, with a span of time that is past.
pub(crate) fn begins_with_span_ago(text: &str, num_digits: u32) -> bool {
    let is_past = |rest: &str| {
        let rest = rest.trim_start_matches(' ');
        if let Some(korean) = rest.strip_prefix('전') {
            // other words begin so, too
            let is_letter = |c: char| ('가'..='힣').contains(&c);
            return !korean.starts_with(is_letter) || korean.starts_with('에') || korean.starts_with("부터");
        }
        // before a year is not so many years ago
        num_digits < 4 && ["前", "ที่แล้ว", "ที่ผ่านมา"].iter().any(|past| rest.starts_with(past))
    };
    SPANS.iter().filter_map(|span| text.strip_prefix(span)).any(is_past)
}

/// A language's words with a past span of time, with blanks between: those before it, by commas, those behind it, and spans,
/// which with `-` may have an ending.
struct Language(&'static str, &'static str, &'static str);

impl Language {
    fn is_led_by(&self, before: &[&str; 3]) -> bool {
        let said = |phrase: &str| {
            before.iter().rev().zip(phrase.rsplit(' ')).all(|(said, word)| normalise(said) == word)
        };
        self.0.split(", ").any(said)
    }

    fn is_span(&self, word: &str) -> bool {
        const MOST_OF_ENDING: usize = 4;
        self.2.split(' ').any(|span| match span.strip_suffix('-') {
            Some(stem) => word.strip_prefix(stem).is_some_and(|end| end.chars().count() <= MOST_OF_ENDING),
            None => word == span,
        })
    }
}

/// The languages among `asked` of which something holds, as bits.
fn languages(asked: u64, holds: impl Fn(&Language) -> bool) -> u64 {
    let holds = |i: usize| asked >> i & 1 == 1 && holds(&LANGUAGES[i]);
    (0..LANGUAGES.len()).filter(|&i| holds(i)).fold(0, |bits, i| bits | 1 << i)
}

/// Languages, as bits, by a word: most words, which are in none, are told at once.
type ByWord = LazyLock<FxHashMap<&'static str, u64>>;

/// By the last of the words before a span.
static ENDS_OF_LEADS: ByWord =
    LazyLock::new(|| by_word(|l| l.0.split(", ").filter_map(|phrase| phrase.split(' ').next_back())));
/// By the words behind one.
static BEHIND: ByWord = LazyLock::new(|| by_word(|l| l.1.split(' ')));

fn by_word<W: Iterator<Item = &'static str>>(words: impl Fn(&Language) -> W) -> FxHashMap<&'static str, u64> {
    let mut found = FxHashMap::default();
    for (i, language) in LANGUAGES.iter().enumerate() {
        words(language).filter(|w| !w.is_empty()).for_each(|w| *found.entry(w).or_insert(0) |= 1 << i);
    }
    found
}

fn said(words: &ByWord, word: &str) -> u64 {
    words.get(word).copied().unwrap_or(0)
}

#[rustfmt::skip]
const LANGUAGES: [Language; 35] = [
    Language("", "ago", "second- minute- hour- day- week- month- year- min mins hr hrs sec secs"),
    Language("vor", "", "sekunde- minute- stunde- tag tage tagen woche- monat- jahr- min std sek"),
    Language("", "geleden", "second- minut- uur uren dag dagen week weken maand- jaar jaren min"),
    Language("", "siden", "sekund- minut- time timer dag dage dager døgn uge uger uke uker måned- år min"),
    Language("", "sedan", "sekund- minut- timm- dag dagar dygn veck- månad- år min tim"),
    Language("", "sitten", "sekunti- minuutti- tunti- päivä- viikko- kuukau- vuosi vuotta min"),
    Language("il y a", "", "seconde- minute- heure- jour jours semaine- mois an ans année- min h"),
    Language("hace", "atrás", "segundo- minuto- hora- día- dia dias semana- mes meses año- min h"),
    Language("há", "atrás", "segundo- minuto- hora- dia dias semana- mês mes meses ano anos min h"),
    Language("fa", "", "segon- minut- hora hores dia dies setman- mes mesos any anys"),
    Language("", "fa", "second- minut- ora ore giorn- settiman- mese mesi anno anni min"),
    Language("acum, urmă cu", "urmă", "secund- minut- oră ore zi zile săptăm- lună luni an ani"),
    Language("przed", "temu", "sekund- minut- godzin- godz dzień dni dniami tydzień tygodni- tyg miesi- mies rok lat lata min"),
    Language("před", "zpět", "sekund- minut- hodin- den dny dní týdn- týden měsíc- rok rokem let lety"),
    Language("pred", "", "sekund- minút- minut- hodin- dňom dňami dní týžd- mesiac- rok- sat- dan dana dni dnevi nedelj- mesec- godin- ur urami tedn- let leti"),
    Language("prije, pre", "", "sekund- minut- sat sata sati dan dana tjed- nedelj- mjesec- mesec- godin-"),
    Language("преди, пред, пре", "", "секунд- минут- час часа сат сата сати ден дни дена дан дана седмиц- недел- недељ- месец- годин-"),
    Language("", "назад", "секунд- минут- мин час- день дня дней недел- месяц- год года лет"),
    Language("", "тому", "секунд- хвилин- хв годин- день дні днів тиж- місяц- рік роки років"),
    Language("", "таму", "секунд- хвілін- гадзін- дзень дні дзён тыдн- месяц- год гады гадоў"),
    Language("prieš", "", "sekund- minu- min valand- val dien- savait- mėnes- mėn met-"),
    Language("pirms", "", "sekund- minūt- stund- dien- nedēļ- mēneš- gad-"),
    Language("", "tagasi", "sekund- minut- tund- päev- nädal- kuu kuud aasta-"),
    Language("", "ezelőtt", "másodperc- perc- órá- nap- hét héttel hónap- év- éve-"),
    Language("", "önce", "saniye dakika dk saat gün hafta ay yıl sene"),
    Language("", "əvvəl", "saniyə dəqiqə saat gün həftə ay il"),
    Language("πριν, πριν από", "πριν", "δευτερόλεπτ- λεπτ- ώρα ώρες ημέρ- μέρ- εβδομάδ- μήνα- μήνες χρόνι-"),
    Language("منذ, قبل", "", "ثانية ثواني ثوان دقيقة دقائق ساعة ساعات يوم يوما يوماً أيام ايام أسبوع أسابيع شهر أشهر شهور سنة سنوات عام أعوام"),
    Language("לפני", "", "שניות דקה דקות שעה שעות יום ימים שבוע שבועות חודש חודשים שנה שנים"),
    Language("", "پیش قبل", "ثانیه دقیقه ساعت روز هفته ماه سال"),
    Language("", "پہلے", "سیکنڈ منٹ گھنٹہ گھنٹے دن ہفتہ ہفتے ماہ مہینہ مہینے سال"),
    Language("", "पहले", "सेकंड मिनट घंटा घंटे घण्टे दिन सप्ताह हफ्ते महीना महीने माह साल वर्ष"),
    Language("", "আগে পূর্বে", "সেকেন্ড মিনিট ঘণ্টা ঘন্টা দিন সপ্তাহ মাস বছর"),
    Language("", "lalu", "detik menit minit saat jam hari minggu bulan tahun"),
    Language("", "trước", "giây phút giờ ngày tuần tháng năm"),
];

/// Spans of time of languages without blanks between words, and of Korean.
const SPANS: &[&str] = &[
    "秒",
    "分",
    "分钟",
    "分鐘",
    "小时",
    "小時",
    "个小时",
    "個小時",
    "時間",
    "天",
    "日",
    "周",
    "週",
    "週間",
    "个月",
    "個月",
    "か月",
    "ヶ月",
    "カ月",
    "ヵ月",
    "年",
    "초",
    "분",
    "시간",
    "일",
    "주",
    "개월",
    "달",
    "년",
    "นาที",
    "ชั่วโมง",
    "วัน",
    "สัปดาห์",
    "เดือน",
    "ปี",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_texts_are_looked_at() {
        assert!(LANGUAGES.len() <= 64);
        assert!(LANGUAGES.iter().all(|l| [l.0, l.1, l.2].iter().all(|words| normalise(words) == *words)));
    }
}
