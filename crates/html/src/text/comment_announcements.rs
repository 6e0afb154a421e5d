//! What pages call readers' comments, in forty languages, in forms that stand in headings and counters.

/// Words for one of them, which may head a column as well: they announce comments beside a number.
#[rustfmt::skip] // one a line would be thirty lines
pub const ONE: &[&str] = &[
    "comment", "commented", "kommentar", "commentaire", "comentario", "comentário", "commento", "reactie", "komentarz", "komentář",
    "komentár", "hozzászólás", "comentariu", "kommentti", "yorum", "комментарий", "комментария", "коментар", "коментара", "σχόλιο",
    "תגובה", "تعليق", "टिप्पणी", "कमेंट", "نظر", "komentar", "comentari", "diskuse", "keskustelu", "обсуждение",
];

/// Words for several.
#[rustfmt::skip] // one a line would be sixty lines
pub const MANY: &[&str] = &[
    "comments", "kommentare", "kommentaren", "kommentarer", "leserkommentare", "commentaires", "comentarios", "comentários",
    "commenti", "reacties", "komentarze", "komentarzy", "komentarzach", "komentáře", "komentářů", "komentáre",
    "komentárov", "hozzászólások", "comentarii", "kommentit", "kommentteja", "kommenttia", "kommentek", "yorumlar",
    "yorumu", "комментарии", "комментариев", "коментарі", "коментарів",
    "коментари", "коментаря", "σχόλια", "תגובות", "تعليقات", "التعليقات", "نظرات", "دیدگاه",
    "टिप्पणियाँ", "टिप्पणियां", "komentari", "komentarji", "komentarjev", "komentarai", "komentarų", "komentāri", "komentāru",
    "kommentaarid", "kommentaari", "comentaris", "komente", "komentet", "iruzkinak", "athugasemdir", "ummæli",
];

/// Words for what comments are, but other things too: they are no announcement by themselves.
pub const REPLIES: &[&str] = &["responses", "replies"];

/// The same where words are not cut at spaces, or have two parts.
pub const PHRASES: &[&str] = &[
    "评论",
    "評論",
    "留言",
    "回應",
    "回应",
    "跟帖",
    "网友",
    "コメント",
    "댓글",
    "의견",
    "ความคิดเห็น",
    "bình luận",
    "Bình luận",
];
