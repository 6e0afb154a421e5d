//! What columns said of themselves once: files of models that were trained then are read.

/// What two of them said.
macro_rules! former_headline {
    () => {
        "the headline: of blocks of 2 to 40 words at least 0.7 of whose words stand in <title> the first in <h1>, in another heading, or, of 3 words and 8 characters or more and half of its words outside links at least, one that is all of <title> or whole parts of it (of its first 100 words, divided by |–—«»‹›<>·•:/~｜：_ or by hyphens with white space around), in this order, but where a later one has more of its different words and no smaller share of its own; else the first <h1> of 2 to 40 words, where no more than half of the page's words outside links stand above; a block stands in a heading where one of the innermost four elements around its begin is one"
    };
}

/// What they said next.
macro_rules! later_headline {
    () => {
        "the headline: of blocks of 2 to 40 words at least 0.7 of whose words stand in <title> the first in <h1>, in another heading, or, of 3 words and 8 characters or more and half of its words outside links at least, one that is all of <title> or whole parts of it (of its first 100 words, divided by |–—«»‹›<>·•:/~｜：_ or by hyphens with white space around), in this order, but where a later one has more of the different words of <title> and no smaller share of its own, of those outside <h1> only such as have no more than half of the page's words outside links above; else the first <h1> of 2 to 40 words of which the same holds; else, wherever they stand, of those outside <h1> that have more than half of the different words of <title> the one so chosen; a block stands in a heading where one of the innermost four elements around its begin is one"
    };
}

/// Columns whose definitions say today what they said otherwise once, of values that are the same but where a column finds now what it is to
/// find, or by chance found what it is not to: model files of then are read. Changes of one time stand together, the latest first; a file of one time has all later texts as they were.
pub(super) const FORMER: &[&[(&str, &str)]] = &[
    &[(
        "policy.comment",
        // posts alone had a sign of their own
        "for blocks in something that is named as comments are (see attribute.near_comment): 1 where the policy counts comments, -0.5 where it counts posts alone, which have such names too, -1 where it counts neither; 0 for other blocks",
    )],
    &[
        (
            "position.is_headline",
            // none of one word
            concat!("1 for ", later_headline!()),
        ),
        (
            "policy.headline",
            // the same
            concat!(
                "1 for ",
                later_headline!(),
                " where the policy counts title, -1 where it does not; 0 for other blocks"
            ),
        ),
    ],
    &[
        (
            "policy.credit",
            // by the words of fewer languages, dates above the headline wherever they stood
            "1 for author and date around the headline: of the 8 blocks after it and the 2 before it, on either side up to the first of more than 20 words, those before being no links for the most part: stamps (see thread.is_stamp), blocks of whose innermost two elements one is <time>, has in rel the word author, or has in class, id or itemprop one of: byline author authors dateline date datetime time timestamp posted published pubdate credit credits contributor, and, of those after it, blocks of two words or more that begin with one of: by von por par di od av af door oleh autor autorem author auteur autore auteurs autoren автор авторы yazan írta szerző kirjoittaja بقلم كتب كتبت نویسنده written posted published, or, whatever follows, with one of: 作者 记者 記者 来源 來源 编辑 編輯 责任编辑 責任編輯 โดย; no captions where the policy counts byline, -1 where it does not; 0 for other blocks",
        ),
        (
            "thread.is_stamp",
            // dates of fewer languages, nothing ago
            "1 where it has at most 25 words, 3 digits or more, and a date or a time of day: a stamp",
        ),
        (
            "pattern.has_date",
            // the same
            "1 where there is a date: 3.5.2024, 2024-05-03, 3 May, May 2024 (English and other European months), 5月3日",
        ),
    ],
    &[
        (
            "position.is_headline",
            // headings below the page, too, before the first <h1>
            concat!("1 for ", former_headline!()),
        ),
        (
            "policy.headline",
            // the same, said there
            concat!(
                "1 for ",
                former_headline!(),
                " where the policy counts title, -1 where it does not; 0 for other blocks"
            ),
        ),
        (
            "policy.credit",
            // below the headline alone, by the words of fewer languages
            "1 for author and date below the headline: of the 8 blocks after it, up to the first of more than 20 words, stamps (see thread.is_stamp), blocks of two words or more that begin with one of: by von por par di od av af door autor autorem author auteur autore written posted published, and blocks of whose innermost two elements one is <time>, has in rel the word author, or has in class, id or itemprop one of: byline author authors dateline date datetime time timestamp posted published pubdate credit credits contributor; no captions where the policy counts byline, -1 where it does not; 0 for other blocks",
        ),
    ],
    &[
        (
            "position.is_headline",
            // the first of those in <h1>, whatever other headings have; none outside headings
            "1 for the headline: of <h1> that repeat <title>, else of other headings that do, the first, but where a later one has more of its words; else the first <h1>",
        ),
        (
            "policy.headline",
            // the same, said there
            "1 for the headline (see position.is_headline) where the policy counts title, -1 where it does not; 0 for other blocks",
        ),
        (
            "policy.credit",
            // rel had all the names, more words began an author's line
            "1 for author and date below the headline: of the 8 blocks after it, up to the first of more than 20 words, stamps (see thread.is_stamp), blocks of two words or more that begin with one of: by von por par di od av af door autor autorem author auteur autore written posted published text tekst, and blocks of whose innermost two elements one is <time> or has in class, id, itemprop or rel one of: byline author authors dateline date datetime time timestamp posted published pubdate credit credits contributor; no captions where the policy counts byline, -1 where it does not; 0 for other blocks",
        ),
        (
            "policy.caption",
            // by the element alone
            "1 for captions of pictures and tables that are no links for the most part where the policy counts captions, -1 where it does not; 0 for other blocks",
        ),
    ],
    &[
        (
            "position.after_title",
            // always the first such heading
            "blocks since the block that repeats <title>; negative before it; 0 where there is none",
        ),
        (
            "hidden.is_hidden",
            // neither closed dialogs nor what players hold
            "1 where `hidden` or an inline style hides it, and the page does not live by what is hidden; a dialog for consent is hidden",
        ),
    ],
    &[(
        "policy.items",
        // posts have a property of their own since
        "1 where the policy counts as content: posts of a thread, entries of a listing, products, cards, where the page is for these",
    )],
];
