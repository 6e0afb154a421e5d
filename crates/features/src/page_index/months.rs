//! Names of months, and what else stands beside numbers in dates.

use threshr_html::text::normalise;

/// Whether a word beside a number, before it or behind it, makes a date of it.
pub(crate) fn makes_date(word: &str, is_behind: bool) -> bool {
    let word = normalise(word);
    let word = word.trim_end_matches('.');
    // Catalan: 3 d'abril
    let name = ["d'", "d’"].iter().find_map(|d| word.strip_prefix(d)).unwrap_or(word);
    let one_side = if is_behind { BEHIND_ALONE } else { BEFORE_ALONE };
    MONTHS.binary_search(&name).is_ok() || one_side.contains(&name)
}

/// Whether a word may stand between a day and its month: `3 de mayo`, `3rd of May`.
pub(crate) fn is_between_day_and_month(word: &str) -> bool {
    ["de", "of", "di", "del"].iter().any(|w| word.eq_ignore_ascii_case(w))
}

/// Whether a Thai text, which has no blanks between words, begins with a month.
pub(crate) fn begins_with_thai_month(text: &str) -> bool {
    THAI_MONTHS.iter().any(|month| text.starts_with(month))
}

/// Decimal digits of other scripts as ASCII; Thai ones, which stand among letters without blanks, are none here.
pub(crate) fn ascii_digit(c: char) -> Option<char> {
    // Arabic, Persian, Devanagari, Bengali, Tamil, full width
    const ZEROS: [u32; 6] = [0x660, 0x6F0, 0x966, 0x9E6, 0xBE6, 0xFF10];
    if c < '\u{660}' {
        return None; // most texts have no others
    }
    let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&(c as u32)))?;
    char::from_digit(c as u32 - zero, 10)
}

/// Months that are other words before numbers: the Levant's August is Persian water, the Slovak one a town.
const BEHIND_ALONE: &[&str] = &["آب", "augusta"];
/// The Vietnamese word for month, which behind a number is so many of them.
const BEFORE_ALONE: &[&str] = &["tháng"];

/// Months of Thai and their short forms.
const THAI_MONTHS: &[&str] = &[
    "มกราคม",
    "กุมภาพันธ์",
    "มีนาคม",
    "เมษายน",
    "พฤษภาคม",
    "มิถุนายน",
    "กรกฎาคม",
    "สิงหาคม",
    "กันยายน",
    "ตุลาคม",
    "พฤศจิกายน",
    "ธันวาคม",
    "ม.ค.",
    "ก.พ.",
    "มี.ค.",
    "เม.ย.",
    "พ.ค.",
    "มิ.ย.",
    "ก.ค.",
    "ส.ค.",
    "ก.ย.",
    "ต.ค.",
    "พ.ย.",
    "ธ.ค.",
];

/// Months of some 45 languages and their common short forms, in NFC, sorted.
#[rustfmt::skip] // one a line would be 590 lines
const MONTHS: &[&str] = &[
    "abr", "abril", "agost", "agosti", "agosto", "agt", "agustus", "août", "apr", "aprel", "april", "aprila",
    "aprile", "aprili", "aprilie", "aprill", "apríl", "apríla", "aprīlis", "aprīlī", "aralık", "aug", "august",
    "augusti", "augusts", "augustus", "augustā", "augusztus", "avgust", "avgusta", "avqust", "avr", "avril",
    "ağustos", "balandžio", "birželio", "březen", "března", "cze", "czerwca", "czerwiec", "dec", "decembar",
    "december", "decembra", "decembrie", "decembris", "decembrī", "dekabr", "desemba", "desember", "desembre",
    "detsember", "dez", "dezember", "dezembro", "dhjetor", "dic", "dicembre", "diciembre", "disember", "disyembre",
    "duben", "dubna", "déc", "décembre", "ekim", "elokuuta", "ene", "enero", "eylül", "feb", "febbraio", "febr",
    "febrer", "febrero", "februar", "februara", "februari", "februarie", "februarja", "february", "február",
    "februára", "februāris", "februārī", "febrúar", "fev", "fevereiro", "fevral", "févr", "février", "gegužės",
    "gener", "gennaio", "giugno", "grudnia", "grudzień", "gruodžio", "gusht", "haziran", "heinäkuuta", "helmikuuta",
    "huhtikuuta", "hulyo", "hunyo", "ianuarie", "iulie", "iunie", "iyul", "iyun", "jaanuar", "jan", "janar",
    "janari", "janeiro", "januar", "januara", "januari", "januarja", "january", "január", "januára", "janv",
    "janvier", "janvāris", "janvārī", "janúar", "joulukuuta", "juil", "juillet", "juin", "jul", "jula", "julai",
    "julho", "juli", "julija", "julio", "juliol", "july", "jun", "juna", "june", "junho", "juni", "junija", "junio",
    "juny", "juuli", "juuni", "júl", "júla", "július", "júlí", "jún", "júna", "június", "júní", "jūlijs", "jūlijā",
    "jūnijs", "jūnijā", "kasım", "kesäkuuta", "kolovoz", "kolovoza", "korrik", "kovo", "květen", "května",
    "kwiecień", "kwietnia", "lapkričio", "leden", "ledna", "liepos", "lipanj", "lipca", "lipiec", "lipnja",
    "listopad", "listopada", "listopadu", "lokakuuta", "luglio", "lutego", "luty", "maaliskuuta", "maart", "machi",
    "maggio", "mai", "maig", "maijs", "maijā", "maio", "maj", "maja", "mar", "marca", "march", "maret",
    "marraskuuta", "mars", "marso", "mart", "marta", "martie", "marts", "martā", "marzec", "marzo", "març", "março",
    "may", "mayo", "mayıs", "maí", "mei", "máj", "mája", "május", "március", "märts", "märz", "nisan", "nobyembre",
    "noiembrie", "nop", "nov", "novemba", "novembar", "november", "novembra", "novembre", "novembris", "novembro",
    "novembrī", "noviembre", "noyabr", "nëntor", "nóvember", "ocak", "oct", "october", "octobre", "octombrie",
    "octubre", "ogos", "okt", "oktabr", "oktoba", "oktobar", "oktober", "oktobra", "oktobris", "oktobrī",
    "oktoober", "oktubre", "oktyabr", "október", "októbra", "ott", "ottobre", "outubro", "ožujak", "ožujka",
    "październik", "października", "pebrero", "prill", "prosinac", "prosinca", "prosince", "prosinec", "qershor",
    "rugpjūčio", "rugsėjo", "rujan", "rujna", "sausio", "sentabr", "sentyabr", "sep", "sept", "septemba",
    "septembar", "september", "septembra", "septembre", "septembrie", "septembris", "septembrī", "septiembre",
    "setembre", "setembro", "settembre", "setyembre", "shkurt", "shtator", "sierpień", "sierpnia", "siječanj",
    "siječnja", "spalio", "srpanj", "srpen", "srpna", "srpnja", "studeni", "studenog", "studenoga", "styczeń",
    "stycznia", "svibanj", "svibnja", "syyskuuta", "szeptember", "tammikuuta", "temmuz", "tetor", "toukokuuta",
    "travanj", "travnja", "vasario", "veebruar", "veljača", "veljače", "wrzesień", "września", "yanvar", "září",
    "ágúst", "április", "únor", "února", "červen", "července", "červenec", "června", "říjen", "října", "şubat",
    "απρ", "απριλίου", "αυγ", "αυγούστου", "δεκ", "δεκεμβρίου", "ιαν", "ιανουαρίου", "ιουλ", "ιουλίου", "ιουν",
    "ιουνίου", "μαΐ", "μαΐου", "μαρ", "μαρτίου", "νοε", "νοεμβρίου", "οκτ", "οκτωβρίου", "σεπ", "σεπτεμβρίου",
    "φεβ", "φεβρουαρίου", "авг", "август", "августа", "апр", "апрель", "апреля", "април", "априла", "березня",
    "верасня", "вересня", "грудня", "дек", "декабрь", "декабря", "декември", "децембар", "децембра", "жніўня",
    "жовтня", "июл", "июль", "июля", "июн", "июнь", "июня", "кастрычніка", "квітня", "красавіка", "липня",
    "листопада", "лютага", "лютого", "ліпеня", "лістапада", "май", "март", "марта", "мая", "мај", "маја",
    "новембар", "новембра", "ноември", "ноя", "нояб", "ноябрь", "ноября", "окт", "октобар", "октобра", "октомври",
    "октябрь", "октября", "сакавіка", "сен", "сент", "сентябрь", "сентября", "септембар", "септембра", "септември",
    "серпня", "снежня", "студзеня", "січня", "травня", "фебруар", "фебруара", "фев", "февр", "февраль", "февраля",
    "февруари", "червня", "чэрвеня", "юли", "юни", "янв", "январь", "января", "януари", "јануар", "јануара",
    "јануари", "јул", "јула", "јули", "јун", "јуна", "јуни", "אוגוסט", "אוקטובר", "אפריל", "באוגוסט", "באוקטובר",
    "באפריל", "בדצמבר", "ביולי", "ביוני", "בינואר", "במאי", "במרס", "במרץ", "בנובמבר", "בספטמבר", "בפברואר",
    "דצמבר", "יולי", "יוני", "ינואר", "מאי", "מרס", "מרץ", "נובמבר", "ספטמבר", "פברואר", "آبان", "آذار", "آذر",
    "آوریل", "أبريل", "أغسطس", "أفريل", "أكتوبر", "أوت", "أيار", "أيلول", "إبريل", "ابريل", "اردیبهشت", "اسفند",
    "اغسطس", "اكتوبر", "اوت", "اپریل", "اکتبر", "اکتوبر", "اگست", "بهمن", "تشرين", "تموز", "تیر", "جانفي", "جنوری",
    "جولائی", "جون", "جويلية", "حزيران", "خرداد", "دسامبر", "دسمبر", "ديسمبر", "دی", "سبتمبر", "ستمبر", "سپتامبر",
    "شباط", "شهریور", "فبراير", "فروردین", "فروری", "فوریه", "فيفري", "كانون", "مئی", "مارس", "مارچ", "ماي", "مايو",
    "مرداد", "مه", "مهر", "نوامبر", "نوفمبر", "نومبر", "نيسان", "يناير", "يوليو", "يونيو", "ژانویه", "ژوئن",
    "ژوئیه", "अक्टूबर", "अक्तूबर", "अगस्त", "अप्रैल", "जनवरी", "जुलाई", "जून", "दिसंबर", "दिसम्बर", "नवंबर", "नवम्बर",
    "फरवरी", "फ़रवरी", "मई", "मार्च", "सितंबर", "सितम्बर", "অক্টোবর", "আগস্ট", "এপ্রিল", "জানুয়ারি", "জুন", "জুলাই",
    "ডিসেম্বর", "নভেম্বর", "ফেব্রুয়ারি", "মার্চ", "মে", "সেপ্টেম্বর", "அக்டோபர்", "ஆகஸ்ட்", "ஏப்ரல்", "செப்டம்பர்", "ஜனவரி", "ஜூன்",
    "ஜூலை", "டிசம்பர்", "நவம்பர்", "பிப்ரவரி", "மார்ச்", "மே",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_can_be_looked_up() {
        assert!(MONTHS.is_sorted(), "{:?}", MONTHS.windows(2).find(|w| w[0] > w[1]));
        assert!(MONTHS.iter().all(|m| normalise(m) == *m));
        for word in ["Sept.", "MAY", "Σεπτεμβρίου", "październik", "d’abril", "জানুয়ারি", "aou\u{302}t"]
        {
            assert!(makes_date(word, false) && makes_date(word, true), "{word}");
        }
        assert!(!makes_date("रविवार", true));
        assert!(makes_date("آب", true) && !makes_date("آب", false));
        assert!(makes_date("tháng", false) && !makes_date("tháng", true));
    }
}
