//! Tests of posts: comments, threads, microdata.

use super::*;
use threshr_html::blocks::REGISTRY;
use threshr_html::{Visibility, parse_str};

/// Returns kind, author, date and text of each post, and the index of the post that contains it.
fn found_in(html: &str) -> Vec<(PostKind, String, String, String, Option<usize>)> {
    let doc = parse_str(html);
    let blocks = Blocks::new(&doc, REGISTRY[0], Visibility::Visible);
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

#[test]
fn the_text_of_a_post_is_what_its_writer_wrote() {
    let post = |name: &str, text: &str| {
        format!(
            "<div class=post><div class=head><a href='#p'>Re: The rain in May</a> by <b class=author>{name}</b></div>\
             <div class=user><p>Senior member<p>Posts: 1{}</p></div><div class=words>{text}</div>\
             <div class=tools><span>3</span> <a href=s>Share on a network of friends</a></div></div>",
            name.len()
        )
    };
    let texts = ["<p>Does it rain?<p>Yes or no", "It does, all day.", "<ul><li>It did<li>not stop</ul>"];
    let found =
        found_in(&["ann", "bo", "cleo"].iter().zip(texts).map(|(n, t)| post(n, t)).collect::<String>());
    let own: Vec<_> = found.iter().map(|f| (f.1.as_str(), f.3.as_str())).collect();
    assert_eq!(
        own,
        [("ann", "Does it rain?|Yes or no"), ("bo", "It does, all day."), ("cleo", "It did|not stop")]
    );
    // if there is no common text element, the text ends before counters and buttons; a written URL is text
    let alone = |text: &str| {
        let html = format!(
            "<div class=comment><p class=author>Ann</p><time>3 May 2024</time><p>12</p>{text}<p>4<p><a href=r>Reply to this one</a></div>"
        );
        found_in(&html).into_iter().map(|f| f.3).collect::<Vec<_>>()
    };
    assert_eq!(alone("<p>It rains.<p>7<p>And so on."), ["It rains.|7|And so on."]);
    assert_eq!(alone("<p>See<p><a href=h>https://example.org/rain</a>"), ["See|https://example.org/rain"]);
}

#[test]
fn entries_and_cards_about_authors_are_no_posts() {
    let entry = |class: &str, href: &str| {
        format!(
            "<div class='{class}'><h2><a href='{href}'>Rain</a></h2><b class=author>Ann</b><time>3 May 2024</time><p>It rains.</div>"
        )
    };
    assert!(found_in(&entry("post", "rain.html").repeat(3)).is_empty());
    assert!(found_in(&entry("post hentry", "#p1").repeat(3)).is_empty());
    assert_eq!(found_in(&entry("post", "#p1").repeat(3)).len(), 3);
    assert_eq!(found_in(&entry("post reply hentry", "#p1").repeat(3)).len(), 3);
    let card = "<div class=writer-comment><b class=author>Ann</b><p>Ann writes about rain.</div>";
    assert!(found_in(card).is_empty());
    let form = "<div class=comment-box><time>3 May 2024</time><p>Name<p>Your address<input name=email></div>";
    assert!(found_in(form).is_empty());
}

#[test]
fn parts_of_one_post_are_joined() {
    let post = |name: &str| {
        format!(
            "<div class=postItem><div class=postCell><p class=name>{name}</p><p>Posts: 9</div>\
             <div class=postCell><p class=postdate>3 May 2024</p><div class=postText>{} rains.</div></div></div>",
            name.chars().rev().collect::<String>()
        )
    };
    let found = found_in(&["ann", "bo", "cleo"].map(post).concat());
    let own: Vec<_> = found.iter().map(|f| (f.1.as_str(), f.2.as_str(), f.3.as_str())).collect();
    let say = |name, text| (name, "2024-05-03", text);
    assert_eq!(own, [say("ann", "nna rains."), say("bo", "ob rains."), say("cleo", "oelc rains.")]);
    let article = |name: &str| {
        format!(
            "<article><p class=PostUser><b class=author>{name}</b><p class=Post-body>I am {name}.</article>"
        )
    };
    assert_eq!(found_in(&(article("ann") + &article("bo"))).len(), 2);
}
