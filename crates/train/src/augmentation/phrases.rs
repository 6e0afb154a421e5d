//! Words that stand around comments, entries and lists of other stories, by language.

/// The words of a language; `{}` is a number.
#[derive(Debug)]
pub(crate) struct Phrases {
    /// Its code.
    pub lang: &'static str,
    /// Headings above comments.
    pub comments: &'static [&'static str],
    /// What can be done with a comment.
    pub actions: &'static [&'static str],
    /// What stands before and after the name of who wrote one.
    pub by: &'static [(&'static str, &'static str)],
    /// Headings above other stories.
    pub stories: &'static [&'static str],
    /// Links to the rest of a story.
    pub more: &'static [&'static str],
    /// Whether dates are written year, month, day with signs between.
    pub is_marked: bool,
}

impl Phrases {
    /// Whether `text` is one of the links that stand below a comment or an entry, with any number.
    pub fn is_button(&self, text: &str) -> bool {
        let same = |phrase: &&str| match phrase.split_once("{}") {
            None => text == *phrase,
            Some((before, after)) => {
                let number = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            }
        };
        self.more.iter().chain(self.actions).any(same)
    }
}

/// Those of a language, or English ones.
pub(crate) fn of(lang: &str) -> &'static Phrases {
    let code = lang.get(..2).unwrap_or("").to_ascii_lowercase();
    let code = if matches!(code.as_str(), "nb" | "nn") { "no" } else { &code };
    ALL.iter().find(|p| p.lang == code).unwrap_or(&ALL[0])
}

const NONE: &[(&str, &str)] = &[("", "")];

#[rustfmt::skip] // one word a line would be 200 lines
static ALL: &[Phrases] = &[
    Phrases {
        lang: "en", is_marked: false,
        comments: &[
            "Comments", "Comments ({})", "{} Comments", "{} comments so far", "Reader comments", "Responses", "{} Responses",
            "Discussion", "Join the discussion", "Your comments", "Leave a comment", "What do you think?", "{} Replies",
        ],
        actions: &["Reply", "Report abuse", "Flag", "Permalink", "Like", "Recommend ({})", "Quote", "+{}", "Share"],
        by: &[("", ""), ("", ""), ("by ", ""), ("Posted by ", ""), ("Posted by: ", ""), ("", " says:"), ("", " wrote:")],
        stories: &[
            "More news", "Related articles", "Most read", "Latest headlines", "You may also like", "Top stories", "Recent posts",
            "More from this section", "Headlines", "In other news", "Editors' picks",
        ],
        more: &["Read more", "Full story", "More »", "Continue reading", "[more]", "Details"],
    },
    Phrases {
        lang: "de", is_marked: false, comments: &["Kommentare", "Kommentare ({})", "{} Kommentare", "Leserkommentare", "Ihre Meinung"],
        actions: &["Antworten", "Melden", "Zitieren", "Gefällt mir"], by: &[("", ""), ("von ", ""), ("", " schrieb:")],
        stories: &["Mehr zum Thema", "Meistgelesen", "Weitere Artikel", "Aktuelle Meldungen"], more: &["mehr", "Weiterlesen", "[mehr]"],
    },
    Phrases {
        lang: "fr", is_marked: false, comments: &["Commentaires", "{} commentaires", "Réactions", "Vos réactions ({})"],
        actions: &["Répondre", "Signaler"], by: &[("", ""), ("par ", "")],
        stories: &["À lire aussi", "Les plus lus", "Sur le même sujet"], more: &["Lire la suite", "» Suite"],
    },
    Phrases {
        lang: "es", is_marked: false, comments: &["Comentarios", "{} comentarios", "Opiniones"], actions: &["Responder", "Denunciar"],
        by: &[("", ""), ("por ", "")], stories: &["Más noticias", "Lo más leído"], more: &["Leer más", "Ver más"],
    },
    Phrases {
        lang: "it", is_marked: false, comments: &["Commenti", "{} commenti"], actions: &["Rispondi", "Segnala"],
        by: &[("", ""), ("di ", "")], stories: &["Leggi anche", "I più letti"], more: &["Leggi tutto", "continua"],
    },
    Phrases {
        lang: "pt", is_marked: false, comments: &["Comentários", "{} comentários"], actions: &["Responder", "Denunciar"],
        by: &[("", ""), ("por ", "")], stories: &["Leia também", "Mais lidas"], more: &["Leia mais"],
    },
    Phrases {
        lang: "nl", is_marked: false, comments: &["Reacties", "{} reacties"], actions: &["Reageer", "Meld"], by: &[("", ""), ("door ", "")],
        stories: &["Meer nieuws", "Meest gelezen"], more: &["Lees meer"],
    },
    Phrases {
        lang: "pl", is_marked: false, comments: &["Komentarze", "Komentarze ({})", "Opinie"], actions: &["Odpowiedz", "Zgłoś"], by: NONE,
        stories: &["Zobacz także", "Najczęściej czytane"], more: &["więcej", "Czytaj dalej"],
    },
    Phrases {
        lang: "cs", is_marked: false, comments: &["Komentáře", "Diskuse ({})"], actions: &["Odpovědět"], by: NONE,
        stories: &["Další články", "Nejčtenější"], more: &["více", "Číst dále"],
    },
    Phrases {
        lang: "sv", is_marked: false, comments: &["Kommentarer", "{} kommentarer"], actions: &["Svara", "Anmäl"], by: NONE,
        stories: &["Läs också", "Mest läst"], more: &["Läs mer"],
    },
    Phrases {
        lang: "da", is_marked: false, comments: &["Kommentarer", "{} kommentarer"], actions: &["Svar", "Anmeld"], by: NONE,
        stories: &["Læs også", "Mest læste"], more: &["Læs mere"],
    },
    Phrases {
        lang: "no", is_marked: false, comments: &["Kommentarer", "{} kommentarer"], actions: &["Svar", "Rapporter"], by: NONE,
        stories: &["Les også", "Mest lest"], more: &["Les mer"],
    },
    Phrases {
        lang: "fi", is_marked: false, comments: &["Kommentit", "{} kommenttia"], actions: &["Vastaa"], by: NONE,
        stories: &["Lue myös", "Luetuimmat"], more: &["Lue lisää"],
    },
    Phrases {
        lang: "tr", is_marked: false, comments: &["Yorumlar", "{} yorum"], actions: &["Yanıtla"], by: NONE,
        stories: &["İlgili haberler", "En çok okunanlar"], more: &["Devamı"],
    },
    Phrases {
        lang: "ru", is_marked: false, comments: &["Комментарии", "{} комментариев"], actions: &["Ответить"], by: NONE,
        stories: &["Читайте также", "Самое читаемое"], more: &["Далее", "Подробнее"],
    },
    Phrases {
        lang: "ja", is_marked: true, comments: &["コメント", "コメント {}件"], actions: &["返信", "報告"], by: NONE,
        stories: &["関連記事", "ランキング"], more: &["続きを読む"],
    },
    Phrases {
        lang: "zh", is_marked: true, comments: &["评论", "{}条评论", "網友回應"], actions: &["回复", "举报"], by: NONE,
        stories: &["相关新闻", "热门新闻"], more: &["更多", "详细"],
    },
    Phrases {
        lang: "ko", is_marked: true, comments: &["댓글", "댓글 {}"], actions: &["답글", "신고"], by: NONE,
        stories: &["관련기사", "많이 본 뉴스"], more: &["더보기"],
    },
];

/// Parts of names, and names of their own making, that comments are signed with.
#[rustfmt::skip]
pub(crate) const FIRST_NAMES: &[&str] = &[
    "Anna", "Tom", "Kate", "Mark", "Lee", "Maria", "Jan", "Petra", "Olaf", "Ivan", "Yuki", "Chen", "Ahmed", "Sofia", "Luc",
    "Pierre", "Hans", "Greta", "Pablo", "Lucia", "Marco", "Paola", "Piotr", "Ewa", "Jiri", "Eva", "Sven", "Lars", "Mehmet", "Ayse",
];
#[rustfmt::skip]
pub(crate) const LAST_NAMES: &[&str] = &[
    "Smith", "Jones", "Müller", "Schmidt", "Rossi", "Garcia", "Novak", "Kowalski", "Dubois", "Martin", "Silva", "Ivanov",
    "Tanaka", "Wang", "Kim", "Ali", "Hansen", "Berg", "King", "Hill",
];
#[rustfmt::skip]
pub(crate) const NICKNAMES: &[&str] = &[
    "truthseeker", "skywalker", "bigdog", "moonchild", "redsox_fan", "coffee4me", "walters", "voter2008", "happycat", "the_dude",
    "jb007", "lurker", "nomad", "catlady", "oldtimer", "bluebird", "kibic", "obserwator", "gast", "leser", "anonymous", "Guest",
    "xyz123", "rocky_b",
];
pub(crate) const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_are_told_by_all_of_their_text() {
        let is_button = |text| of("en").is_button(text);
        assert!(is_button("Reply") && is_button("Recommend (7)") && is_button("+12") && is_button("[more]"));
        assert!(
            !is_button("Reply to this") && !is_button("Recommend ()") && !is_button("+x") && !is_button("")
        );
        assert!(of("de").is_button("Weiterlesen") && !of("de").is_button("Reply"));
    }
}
