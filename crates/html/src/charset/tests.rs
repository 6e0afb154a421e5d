//! Charsets of pages.

use super::*;
use memchr::memmem;

fn name(bytes: &[u8], hint: Option<&str>) -> &'static str {
    decode(bytes, hint).encoding
}

#[test]
fn order_of_evidence() {
    assert_eq!(name(b"\xef\xbb\xbfx", Some("koi8-r")), "UTF-8");
    assert_eq!(name(b"<meta charset=koi8-r>\xd4", Some("iso-8859-2")), "ISO-8859-2");
    assert_eq!(name(b"<meta charset='KOI8-R'>\xd4", None), "KOI8-R");
    assert_eq!(name("<meta charset=iso-8859-1>é".as_bytes(), None), "UTF-8");
    assert_eq!(name("é".as_bytes(), Some("iso-8859-1")), "UTF-8");
    assert_eq!(name("é".as_bytes(), Some("gbk")), "GBK");
    assert_eq!(name(b"<meta http-equiv=x content='text/html; charset=gb2312'>\xc4\xe3", None), "GBK");
    assert_eq!(name(b"<?xml version='1.0' encoding='shift_jis'?>\x83\x41\x82\xa0", None), "Shift_JIS");
    assert_eq!(name(b"plain", None), "windows-1252");
    let japanese = b"\x1b$B$3$l$OF|K\\8l$N%Z!<%8$G$9\x1b(B";
    assert_eq!(name(japanese, None), "ISO-2022-JP");
    assert_eq!(name(&[b"<meta charset=iso-2022-jp>", &japanese[..]].concat(), None), "ISO-2022-JP");
    assert_ne!(name(b"<meta charset=utf-16>x\xe9y", None), "UTF-16LE");
}

#[test]
fn utf16_needs_no_mark() {
    let units =
        |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> { "<p>x é 漢".encode_utf16().flat_map(bytes).collect() };
    let (little, big) = (units(u16::to_le_bytes), units(u16::to_be_bytes));
    for hint in [None, Some("utf-8")] {
        assert_eq!((name(&little, hint), name(&big, hint)), ("UTF-16LE", "UTF-16BE"));
    }
    assert_eq!(decode(&little, None).text, "<p>x é 漢");
    assert_ne!(name(b"<\0\0\0p\0\0\0>\0\0\0", None), "UTF-16LE");
}

#[test]
fn a_sample_may_end_inside_a_character() {
    // text before the sample moves the end of the sample by one to three bytes; the text is longer than the
    // sample
    for before in ["a", "ab", "abc"] {
        let text = format!("<p>{before}{}</p>", "这是一个关于网页内容提取的中文段落。".repeat(200));
        for charset in ["GBK", "Big5"] {
            let encoding = Encoding::for_label(charset.as_bytes()).expect("a charset");
            let bytes = encoding.encode(&text).0;
            assert_eq!(name(&bytes, None), charset, "{before}");
        }
    }
}

#[test]
fn a_false_declaration_of_utf8_is_ignored() {
    let latin =
        b"<meta charset=utf-8>caf\xe9 cr\xe8me d\xe9j\xe0 vu na\xefve \xe9t\xe9 h\xf4tel \xe0 c\xf4t\xe9";
    assert_eq!(decode(latin, Some("utf-8")).text.matches('\u{fffd}').count(), 0);
    // the same result on long pages
    let long = [b"It\x92s ".to_vec(), b"<p>plain text ".repeat(4_000)].concat();
    assert_eq!((name(&long, Some("utf-8")), name(&long, None)), ("windows-1252", "windows-1252"));
    // a few foreign bytes and truncated characters do not contradict UTF-8
    let mixed = ["naïve déjà vu — été — ".as_bytes(), b"caf\xe9 \xe2\x80\""].concat();
    let mixed = [b"<p>", &mixed[..], &mixed[..]].concat();
    assert_eq!((name(&mixed, Some("utf-8")), name(&mixed, None)), ("UTF-8", "UTF-8"));
    // truncated characters alone do not contradict UTF-8
    let cut = [b"<p>caf\xc3\xa9 ".to_vec(), b"that\xe2\x80\"s ".repeat(9)].concat();
    assert_eq!((name(&cut, Some("utf-8")), name(&cut, None)), ("UTF-8", "UTF-8"));
    let french = b"<meta charset=utf-8>Nouveaut\xe9\xa0: le march\xe9\xa0! La libert\xe9\xa0?";
    assert!(decode(french, Some("utf-8")).text.contains("march\u{e9}\u{a0}!"));
    // a truncated last character does not contradict UTF-8
    assert_eq!(name("<meta charset=utf-8>é".as_bytes().split_last().expect("bytes").1, None), "UTF-8");
}

#[test]
fn a_few_symbols_are_no_language() {
    for signs in [&b"costs \xa3125"[..], b"\xa9 2004 \xabnews\xbb", b"section \xa7 5 \xae"] {
        assert_eq!(name(signs, None), "windows-1252");
        assert_eq!(name(&[b"<meta charset=utf-8>", signs].concat(), None), "windows-1252");
    }
    let text = "เนื้อหาของหน้าเว็บ ข่าววันนี้ ".repeat(9);
    let thai = encoding_rs::WINDOWS_874.encode(&text).0.into_owned();
    assert_eq!(name(&thai, None), "windows-874");
}

#[test]
fn an_unsupported_charset_is_detected() {
    for label in ["iso-2022-kr", "hz-gb-2312", "replacement"] {
        let page = format!("<meta charset={label}><p>Text.");
        assert_eq!(decode(page.as_bytes(), None).text, page);
        assert_eq!(decode(page.as_bytes(), Some(label)).text, page);
    }
}

/// Cases of the html5lib encoding tests with a different result: file, number, reason.
const OTHERWISE: &[(&str, usize, &str)] = &[
    ("tests1.dat", 6, ANYWHERE),
    ("tests1.dat", 10, ANYWHERE),
    ("tests1.dat", 11, ANYWHERE),
    ("tests1.dat", 12, ANYWHERE),
    ("tests1.dat", 14, ANYWHERE),
    ("tests1.dat", 15, ANYWHERE),
    ("tests1.dat", 16, ANYWHERE),
    ("tests1.dat", 17, ANYWHERE),
    ("tests1.dat", 18, ANYWHERE),
    ("tests1.dat", 19, ANYWHERE),
    ("tests1.dat", 20, ANYWHERE),
    ("tests1.dat", 24, QUOTES),
    ("tests1.dat", 25, QUOTES),
    ("tests1.dat", 28, QUOTES),
    ("tests1.dat", 29, QUOTES),
    ("tests1.dat", 30, QUOTES),
    ("tests1.dat", 33, QUOTES),
    ("tests1.dat", 34, QUOTES),
    ("tests1.dat", 35, QUOTES),
    ("tests2.dat", 4, "a `<meta>` truncated by the end of the page counts"),
    ("tests2.dat", 9, QUOTES),
    ("tests2.dat", 11, QUOTES),
    ("test-yahoo-jp.dat", 0, "the file is valid UTF-8, which takes precedence over its declaration"),
];
const ANYWHERE: &str = "a `charset=` anywhere in a `<meta>` counts: many pages have syntax errors there";
const QUOTES: &str = "quotes are not matched to find a `<meta>`: some pages lack one";

#[test]
fn html5lib_encoding_tests() {
    let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/html5lib/encoding");
    let mut wrong = Vec::new();
    let mut num_cases = 0;
    for file in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let bytes = std::fs::read(dir.join(file)).expect("the suite is there");
        let starts: Vec<usize> = memmem::find_iter(&bytes, b"#data\n").collect();
        for (number, &start) in starts.iter().enumerate() {
            let case = &bytes[start + 6..starts.get(number + 1).copied().unwrap_or(bytes.len())];
            let at = memmem::rfind(case, b"\n#encoding\n").expect("an encoding");
            let label = case[at + 11..].trim_ascii();
            let expected = Encoding::for_label(label).expect("a label").name();
            let found = name(&case[..at], None);
            num_cases += 1;
            if found != expected {
                wrong.push((
                    file,
                    number,
                    expected,
                    found,
                    String::from_utf8_lossy(&case[..at]).into_owned(),
                ));
            }
        }
    }
    let list: Vec<_> = wrong.iter().map(|w| (w.0, w.1)).collect();
    let expected: Vec<_> = OTHERWISE.iter().map(|o| (o.0, o.1)).collect();
    assert!(list == expected, "of {num_cases} cases other ones than listed differ: {wrong:#?}");
}

#[test]
fn utf8_with_many_stray_bytes_stays_utf8() {
    let page = [
        "<p>Müller und Söhne, ein größeres Haus für alle </p>".as_bytes(),
        b"<p>sch\xf6n gr\xfcn \xe4rger</p>",
    ]
    .concat();
    for hint in [None, Some("utf-8")] {
        let decoded = decode(&page, hint);
        assert_eq!(decoded.encoding, "UTF-8");
        assert!(
            decoded.text.contains("Müller und Söhne, ein größeres") && decoded.text.contains("schön grün")
        );
    }
    // text that is entirely in another charset
    for (charset, text) in [
        ("windows-1252", "schön grün größer als früher, wie ÄÖÜ und für Übung"),
        ("GBK", "你 好 世 界 我 们 在 这 里 看 书 写 字"),
        ("windows-874", "เนื้อหาของหน้าเว็บ ข่าววันนี้"),
        ("KOI8-R", "Это текст на русском языке, а не что-то другое."),
    ] {
        let encoding = Encoding::for_label(charset.as_bytes()).expect("a charset");
        assert_ne!(name(&encoding.encode(text).0, None), "UTF-8", "{charset}");
    }
}

#[test]
fn a_declared_multi_byte_charset_may_be_wrong() {
    let text = "これは日本語のページです。今日の天気は晴れで、気温は二十度です。カタカナもあります。";
    for (declared, is) in [
        ("euc-jp", "Shift_JIS"),
        ("shift_jis", "EUC-JP"),
        ("iso-2022-jp", "Shift_JIS"),
        ("euc-jp", "EUC-JP"),
        ("shift_jis", "Shift_JIS"),
    ] {
        let bytes = Encoding::for_label(is.as_bytes()).expect("a charset").encode(text).0;
        let page = [format!("<meta charset={declared}><p>").as_bytes(), &bytes].concat();
        assert!(decode(&page, None).text.ends_with(text), "{declared} {is}");
        assert!(decode(&bytes, Some(declared)).text == text, "{declared} {is}");
    }
    // a few wrong bytes do not change the charset
    let damaged =
        [&encoding_rs::GBK.encode(&"这是一个关于网页的段落。".repeat(9)).0[..], b"\xff\xff"].concat();
    assert_eq!(name(&damaged, Some("gbk")), "GBK");
}

#[test]
fn charsets_of_old_systems_are_read() {
    let french = "Le comité a décidé après un long débat que les travaux commenceraient l'été prochain, \
        où l'eau est basse à côté du pont ; la mairie a déjà versé la moitié de la somme prévue.";
    let german = "Der Ausschuß beschloß über die nächste Brücke, daß die Arbeiten im Frühjahr anfangen können, \
        wenn das nördliche Ufer für die Bauleute erreichbar wäre; höhere Gebühren gibt es für Fußgänger nicht.";
    let spanish = "La comisión decidió según el informe que mañana habrá una reunión sobre el río pequeño, \
        aunque los años pasados también hubo algún niño que pasó por aquí. Después está más cómodo el señor, \
        y también la máquina que quedará detrás del café.";
    let russian = "Комиссия решила, что в следующем году начнётся новая стройка. Я думаю, что эта линия \
        пройдёт через всю Россию; большая часть стоила бы дешевле. Здесь стоят каменные дома и своя школа.";
    let encode = |text: &str, charset: Charset| -> Vec<u8> {
        let byte = |c: char| {
            let is = |b: &u8| charset.decode(&[*b]).chars().eq([c]);
            (0..=255u8).find(is).unwrap_or_else(|| panic!("{c} in {}", charset.name()))
        };
        text.chars().map(byte).collect()
    };
    let mac = Charset::Standard(encoding_rs::MACINTOSH);
    let mac_cyrillic = Charset::Standard(encoding_rs::X_MAC_CYRILLIC);
    for (text, charset) in [
        (french, mac),
        (german, mac),
        (spanish, mac),
        (french, Charset::Cp850),
        (german, Charset::Cp850),
        (spanish, Charset::Cp850),
        (russian, mac_cyrillic),
    ] {
        let bytes = encode(text, charset);
        let western = if charset == mac_cyrillic { "windows-1251" } else { "iso-8859-1" };
        for hint in [None, Some(charset.name()), Some(western)] {
            assert_eq!(decode(&bytes, hint).text, text, "{} {hint:?}", charset.name());
        }
    }
    // Windows charsets are not mistaken for Macintosh or DOS charsets
    for (text, charset) in [
        (french, "windows-1252"),
        (german, "windows-1252"),
        (spanish, "windows-1252"),
        (russian, "windows-1251"),
        (russian, "koi8-r"),
        (russian, "ibm866"),
        ("Zażółć gęślą jaźń, a później więcej światła dla wszystkich mieszkańców.", "windows-1250"),
    ] {
        let encoding = Encoding::for_label(charset.as_bytes()).expect("a charset");
        let bytes = encoding.encode(text).0;
        for hint in [None, Some(charset)] {
            assert_eq!(decode(&bytes, hint).text, text, "{charset} {hint:?}");
        }
    }
}

#[test]
fn surrogates_in_utf8_are_joined() {
    let bytes = "<p>A smile: \u{1f600}, und ein Satz für alle.</p>".replace('\u{1f600}', "@@");
    let (before, after) = bytes.split_once("@@").expect("a place");
    let page = [before.as_bytes(), b"\xed\xa0\xbd\xed\xb8\x80", after.as_bytes()].concat();
    let marked = [b"\xef\xbb\xbf", &page[..]].concat();
    for (page, hint) in [(&page, None), (&page, Some("utf-8")), (&page, Some("cesu-8")), (&marked, None)] {
        let decoded = decode(page, hint);
        assert!(decoded.text.contains("smile: \u{1f600}, und ein Satz für"), "{}", decoded.text);
    }
    // in other charsets, the bytes of surrogates are letters
    let greek = b"\xed\xa0\xbd\xed\xb8\x80 \xe1\xeb\xeb\xe1 \xea\xe1\xe9 \xf4\xef \xf0\xe5\xf1\xe9\xe5\xf7\xfc\xec\xe5\xed\xef";
    assert_eq!(name(greek, Some("iso-8859-7")), "ISO-8859-7");
}
