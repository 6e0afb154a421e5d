//! Tests of posts: comments, threads, microdata.

use super::*;
use threshr_html::blocks::REGISTRY;
use threshr_html::{Visibility, parse_str};

/// Author, date and text of each post, and the number of the post around it.
fn found_in(html: &str) -> Vec<(PostKind, String, String, String, Option<usize>)> {
    let doc = parse_str(html);
    let blocks = Blocks::of(&doc, REGISTRY[0], Visibility::Visible);
    let text = |post: &Post| post.blocks.iter().map(|&i| blocks.text(i)).collect::<Vec<_>>().join("|");
    let all = posts(&doc, &blocks);
    all.iter()
        .map(|p| {
            let or_empty = |value: &Option<String>| value.clone().unwrap_or_default();
            (p.kind, or_empty(&p.author), or_empty(&p.date), text(p), p.parent)
        })
        .collect()
}

#[test]
fn comments_have_authors_dates_and_replies() {
    let html = "<article><p>Text of the article, by nobody.</article><div id=comments><h3>2 comments</h3><ol class=comment-list>\
        <li class='comment byuser comment-author-ann' id=comment-1><div class=comment-body><div class=comment-author><cite class=fn>Ann Miller</cite>\
        <span class=says>says:</span></div><div class=comment-meta><time datetime=2024-05-03T10:00>3 May</time></div><p>Thanks for it.</p>\
        <a class=comment-reply-link href=#>Reply</a></div><ol class=children><li class=comment id=comment-2><div class=comment-body>\
        <cite class=fn>bo</cite><time>4 May 2024</time><p>Me too.</p></div></ol></ol>\
        <form class=comment-form><p>Your comment<textarea></textarea><p class=comment-form-author>Name</form></div>";
    let found = found_in(html);
    let say = |author: &str, date: &str, text: &str, parent| {
        (PostKind::Comment, author.to_owned(), date.to_owned(), text.to_owned(), parent)
    };
    assert_eq!(
        found,
        [
            say("Ann Miller", "2024-05-03T10:00:00", "Thanks for it.", None),
            say("bo", "2024-05-04", "Me too.", Some(0))
        ]
    );
}

#[test]
fn posts_of_a_thread_are_two_or_more() {
    let post = |name: &str, text: &str| {
        format!(
            "<div class='post bg2' id=p7><div class=postprofile><a class=username href=u>{name}</a><p>Posts: 9</div>\
             <div class=postbody><p class=author>by <strong>{name}</strong> » <time>2024-05-03</time><div class=content>{text}</div></div></div>"
        )
    };
    let found = found_in(&(post("ann", "Does it rain?") + &post("bo", "It does.")));
    let authors: Vec<_> = found.iter().map(|f| (f.0, f.1.as_str(), f.2.as_str())).collect();
    assert_eq!(authors, [(PostKind::Post, "ann", "2024-05-03"), (PostKind::Post, "bo", "2024-05-03")]);
    assert!(found[1].3.ends_with("It does."));
    assert!(found_in(&post("ann", "An article.")).is_empty());
    let nested =
        format!("<div class=post><i class=author>Ann</i> about Ann {}</div>", post("bo", "An article."));
    assert!(found_in(&nested).is_empty());
}

#[test]
fn microdata_marks_posts() {
    let answer = |name: &str| {
        format!(
            "<div itemscope itemtype='https://schema.org/Answer'><div itemprop=text><p>So it is.</div>\
             <span itemprop=author><span itemprop=name>{name}</span></span></div>"
        )
    };
    let found = found_in(&(answer("Ann") + &answer("Bo")));
    assert_eq!(
        found.iter().map(|f| (f.1.as_str(), f.3.as_str())).collect::<Vec<_>>(),
        [("Ann", "So it is."), ("Bo", "So it is.")]
    );
}
