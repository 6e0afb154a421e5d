//! Tests of threads: forms of records, the gate, replies.

use super::*;
use threshr_html::blocks::REGISTRY;
use threshr_html::{Visibility, parse_str};

pub(super) const TEXTS: [&str; 3] = [
    "My rear wheel makes a ticking noise once per turn, but only when I pedal uphill.",
    "Look at the lockring first. Mine came loose after one season and made such a noise.",
    "That was it. After I tightened it the hill behind our house is silent again.",
];
pub(super) const NAMES: [&str; 3] = ["marten", "Torque", "Paula"];

/// The thread of a page.
pub(super) fn thread(html: &str) -> Option<Thread> {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let names = ElementNames::new(&doc, &blocks);
    find(&Tree::new(&doc, &blocks, &names, &words::of_names(&names)), Order::DayFirst)
}

/// Author, date and text of each post of a page.
fn posts_of(html: &str) -> Vec<(String, String, String)> {
    let posts = thread(html).map(|thread| thread.posts).unwrap_or_default();
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    posts.iter().map(|p| (value(&p.author), value(&p.date), value(&p.text))).collect()
}

/// The expected posts of the pages in these tests.
fn expected() -> Vec<(String, String, String)> {
    let day = |number: usize| format!("2024-05-0{}", number + 3);
    (0..3).map(|i| (NAMES[i].to_owned(), day(i), TEXTS[i].to_owned())).collect()
}

/// A page with a record for each post.
pub(super) fn page(record: impl Fn(usize, &str, &str) -> String) -> String {
    let records: String = (0..3).map(|i| record(i, NAMES[i], TEXTS[i])).collect();
    format!("<ul><li><a href=/>Home</a><li><a href=/b>Boards</a></ul>{records}<p><a href=/c>Contact</a>")
}

#[test]
fn records_are_elements_of_one_form() {
    let html = page(|i, name, text| {
        format!(
            "<div class='entry n{i}'><a href=/user/{name}>{name}</a> <i>{} May 2024</i><p>Joined: 1 Jan 2011</p>\
             <div class=words>{text}</div></div>",
            i + 3
        )
    });
    assert_eq!(posts_of(&html), expected());
}

#[test]
fn records_are_rows_of_a_table_that_follow_each_other() {
    let rows = page(|i, name, text| {
        format!(
            "<tr><td><a href=member.php?id={i}>{name}</a><td>{} May 2024<tr><td colspan=2>{text}<tr><td>Top<td>",
            i + 3
        )
    });
    let found = thread(&format!("<table>{rows}</table>")).expect("a thread").posts;
    let authors: Vec<_> = found.iter().filter_map(|post| post.author.as_deref()).collect();
    assert_eq!(authors, NAMES);
    assert!(found.iter().zip(TEXTS).all(|(post, text)| post.text.as_deref() == Some(text)), "{found:?}");
    assert!(found.iter().all(|post| post.node != post.last));
}

#[test]
fn replies_are_nested_or_moved_to_the_right() {
    let reply = |i: usize, inside: &str| {
        format!(
            "<div class=comment id=c{i}><b class=author>{}</b> <time datetime=2024-05-0{}>x</time><p>{}</p>{inside}</div>",
            NAMES[i],
            i + 3,
            TEXTS[i]
        )
    };
    let nested = thread(&(reply(0, &reply(1, "")) + &reply(2, ""))).expect("a thread");
    assert_eq!(nested.posts.iter().map(|post| post.parent).collect::<Vec<_>>(), [None, Some(0), None]);
    assert!(nested.is_comments && nested.posts.iter().all(|post| post.kind == PostKind::Comment));
    let moved = page(|i, name, text| {
        format!(
            "<div class=post><div style='margin-left:{}px'><b class=author>{name}</b> <time datetime=2024-05-0{}>x</time>\
             <p>{text}</div></div>",
            20 * i,
            i + 3
        )
    });
    let moved = thread(&moved).expect("a thread").posts;
    assert_eq!(moved.iter().map(|post| post.parent).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
}

/// The parents of three posts with these texts.
fn parents(texts: [&str; 3]) -> Vec<Option<usize>> {
    let html = page(|i, name, _| {
        format!(
            "<div class=post id=p{i}00><a class=username href=/user/{name}>{name}</a> <time>{} May 2024</time>\
             <div class=content>{}</div></div>",
            i + 3,
            texts[i]
        )
    });
    thread(&html).expect("a thread").posts.iter().map(|post| post.parent).collect()
}

#[test]
fn replies_cite_an_earlier_post() {
    let quote = |quoted: &str| format!("<blockquote>{quoted}</blockquote><p>{}", TEXTS[2]);
    let with = |reply: String| parents([TEXTS[0], TEXTS[1], &reply]);
    assert_eq!(with(quote(TEXTS[1])), [None, None, Some(1)]);
    assert_eq!(with(quote(&TEXTS[0][8..50])), [None, None, Some(0)]);
    assert_eq!(with(quote("<cite>Torque schrieb:</cite> It may be loose")), [None, None, Some(1)]);
    assert_eq!(with(quote("<a href='/t?p=0#p000'>Source</a> It ticks")), [None, None, Some(0)]);
    assert_eq!(with(format!("<a href=#p000>marten</a> {}", TEXTS[2])), [None, None, Some(0)]);
    // what nobody wrote here
    assert_eq!(with(quote("A wheel is a circular component that rotates")), [None; 3]);
    assert_eq!(with(format!("<a href=#p000>Top of the page</a> {}", TEXTS[2])), [None; 3]);
    let backward = parents([&quote(TEXTS[1]), TEXTS[1], TEXTS[0]]);
    assert_eq!(backward, [None; 3], "a post cannot reply to a later one");
}

#[test]
fn answers_reply_to_the_question() {
    let html = page(|i, name, text| {
        let kind = if i == 0 { "question" } else { "answer" };
        format!(
            "<div class='post {kind}'><a class=username href=/user/{name}>{name}</a> <time>{} May 2024</time><p>{text}</div>",
            i + 3
        )
    });
    let posts = thread(&html).expect("a thread").posts;
    assert_eq!(posts.iter().map(|post| post.parent).collect::<Vec<_>>(), [None, Some(0), Some(0)]);
}

#[test]
fn quotations_are_marked_and_signatures_are_left_out() {
    let html = page(|i, name, text| {
        format!(
            "<div class=post id=p{i}00><a class=username href=/user/{name}>{name}</a> <time>{} May 2024</time><div class=content>\
             <blockquote>Somebody wrote: it ticks</blockquote>{text}<div class=signature>Steel is real {i}</div></div></div>",
            i + 3
        )
    });
    let found = thread(&html).expect("a thread").posts;
    assert_eq!(found[1].text, Some(format!("> Somebody wrote: it ticks\n{}", TEXTS[1])));
    assert_eq!(found[1].url.as_deref(), Some("#p100"));
}

#[test]
fn blocks_of_posts_are_texts_or_beside_them() {
    let html = page(|i, name, text| {
        format!(
            "<div class=post id=p{i}00><p><a class=username href=/user/{name}>{name}</a> <time>{} May 2024</time></p>\
             <div class=rank>Member</div><div class=content><blockquote>It ticks</blockquote><p>{text}</p>\
             <div class=bbExpandLink>Show all</div></div></div>",
            i + 3
        )
    });
    let doc = parse_str(&html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
    let parts = thread(&html).expect("a thread").parts;
    let by_block = parts.by_block(blocks.len());
    let of = |text: &str| {
        (0..blocks.len()).find(|&block| blocks.text(block).starts_with(text)).and_then(|b| by_block[b])
    };
    assert_eq!(of(TEXTS[1]), Some((PartKind::Text, 1)));
    assert_eq!(of("It ticks"), Some((PartKind::Text, 0)));
    assert_eq!(of("Paula"), Some((PartKind::Mark, 2)));
    assert_eq!([of("Member"), of("Show all")], [Some((PartKind::Beside, 0)); 2]);
    assert_eq!([of("Home"), of("Contact")], [None; 2]);
    assert_eq!(parts.quotes.len(), 3);
}

#[test]
fn comments_inside_the_article_have_its_form() {
    let comments: String = (0..3)
        .map(|i| {
            format!(
                "<article class=comment-form><b class=author>{}</b> <time datetime=2024-05-0{}>x</time><p>{}</p></article>",
                NAMES[i],
                i + 3,
                TEXTS[i]
            )
        })
        .collect();
    let html = format!(
        "<article class=node><b class=author>Ann Miller</b> <time datetime=2024-05-01>x</time><p>{}</p>{comments}</article>",
        "Why wheels tick, and what can be done. ".repeat(20)
    );
    let found = thread(&html).expect("comments");
    assert!(found.is_comments && found.posts.len() == 3, "{found:?}");
}

#[test]
fn pages_without_like_dates_and_names_are_not_searched() {
    let may_have = |html: &str| {
        let doc = parse_str(html);
        let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
        let names = ElementNames::new(&doc, &blocks);
        precheck::has_like_dates(&doc, &blocks)
            && precheck::has_names(&doc, &blocks, &names, &words::of_names(&names))
    };
    let names = "<a href=/user/a>Ann</a><a href=/user/b>Bo</a>";
    assert!(may_have(&format!("{names}<p>3 May 2024<p>4 May 2024")));
    assert!(may_have(&format!("{names}<p title='3 May 2024'>Friday<p>yesterday")));
    assert!(may_have("<div class=post><time>x</time></div><div class=post><time>y</time></div>"));
    assert!(!may_have(&format!("{names}<p>3 May 2024<h2>4 May 2024</h2>")), "other elements");
    assert!(!may_have("<a class=author href=/user/a>Ann</a><p>3 May 2024<p>4 May 2024"), "one name");
    assert!(!may_have(&format!("{names}<p>3 comments<p>4 comments")), "no dates");
}

#[test]
fn teasers_and_pages_without_dates_are_no_threads() {
    let teaser = page(|i, name, text| {
        format!(
            "<article class=post><h2><a href=/a/{name}>Why wheels tick</a></h2><a class=author href=/author/{name}>{name}</a>\
             <time datetime=2024-05-0{}>x</time><p>{text}</article>",
            i + 3
        )
    });
    assert_eq!(thread(&teaser), None);
    let undated = page(|_, name, text| format!("<div class=post><b class=author>{name}</b><p>{text}</div>"));
    assert_eq!(thread(&undated), None);
    assert_eq!(thread(""), None);
}

#[test]
fn hostile_pages_take_bounded_time() {
    let record = "<div class=post><b class=author>a</b><time datetime=2024-05-03>x</time><p>text";
    for html in
        [record.repeat(20_000), format!("{record}</div>").repeat(20_000), "<td>3 May 2024".repeat(20_000)]
    {
        let started = std::time::Instant::now();
        let _ = thread(&html);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
