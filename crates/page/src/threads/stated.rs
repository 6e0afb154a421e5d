//! Reads posts from JSON-LD. Their values fill those that the page does not show.

use crate::json_ld;
use crate::metadata::dates::{self, DateStyle};
use crate::metadata::text::{MAX_VALUE, cut, key, plain};
use crate::metadata::{Post, PostKind};
use chrono::NaiveDate;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::borrow::Cow;
use threshr_html::{Document, Tag};

/// Number of letters at the start of a text that are compared, and their minimum number.
const MAX_START: usize = 60;
const MIN_START: usize = 8;

type Object = Map<String, Value>;

/// Fills author, date, URL, score and kind of posts from JSON-LD objects with the same text.
pub(super) fn fill(doc: &Document, posts: &mut [Post], style: DateStyle<'_>) {
    let mut budget = json_ld::Budget::default();
    let scripts = doc.elements_with(|tag| tag == Tag::SCRIPT);
    let values: Vec<Value> = scripts.filter_map(|node| json_ld::value(doc, node, &mut budget)).collect();
    let mut by_start: FxHashMap<String, &Object> = FxHashMap::default();
    for value in &values {
        json_ld::walk(value, |_, value| {
            if let Some((object, start)) = value.as_object().and_then(|o| Some((o, start(text_of(o)?)?))) {
                by_start.entry(start).or_insert(object);
            }
        });
    }
    for post in posts.iter_mut().filter(|_| !by_start.is_empty()) {
        let text = post.text.as_deref().unwrap_or_default();
        let own = text.lines().filter(|line| !line.starts_with("> ")).collect::<Vec<_>>().join("\n");
        if let Some(object) = [text, own.as_str()].iter().find_map(|text| by_start.get(&start(text)?)) {
            fill_post(post, object, style);
        }
    }
}

/// Fills what a post lacks. A date without a day counts as lacking.
fn fill_post(post: &mut Post, object: &Object, style: DateStyle<'_>) {
    let author = object.get("author").or_else(|| object.get("creator")).map(first);
    let name = author.and_then(|author| text(author).or_else(|| text(author.get("name")?))).map(plain);
    let is_same = match (&post.author, &name) {
        (Some(shown), Some(name)) => key(shown) == key(name),
        _ => true,
    };
    let url = author.filter(|_| is_same).and_then(|author| text(author.get("url")?));
    fill_value(&mut post.author, name);
    fill_value(&mut post.author_url, url.map(str::to_owned));
    fill_value(&mut post.url, object.get("url").and_then(text).map(str::to_owned));
    let date =
        || ["datePublished", "dateCreated"].iter().find_map(|k| dates::parse(text(object.get(*k)?)?, style));
    let is_day =
        |date: &str| date.get(..10).is_some_and(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").is_ok());
    if !post.date.as_deref().is_some_and(is_day) {
        post.date = date().or(post.date.take());
    }
    let votes = || {
        let votes = object.get("upvoteCount")?;
        votes.as_i64().or_else(|| votes.as_str()?.trim().parse().ok())
    };
    post.score = post.score.or_else(votes);
    if post.kind == PostKind::Post {
        post.kind = kind(object).unwrap_or(PostKind::Post);
    }
}

fn fill_value(own: &mut Option<String>, stated: Option<String>) {
    if own.is_none() {
        *own = stated.filter(|value| !value.trim().is_empty());
    }
}

/// Returns the kind of post that an object is.
fn kind(object: &Object) -> Option<PostKind> {
    let name = text(first(object.get("@type")?))?;
    match name.rsplit(['/', '#', ':']).next().unwrap_or(name) {
        "Question" => Some(PostKind::Question),
        "Answer" => Some(PostKind::Answer),
        "Review" | "UserReview" => Some(PostKind::Review),
        _ => None,
    }
}

/// Returns the text of a post object. Other objects have none.
fn text_of(object: &Object) -> Option<&str> {
    object.get("author").or_else(|| object.get("creator")).or_else(|| object.get("datePublished"))?;
    ["text", "articleBody", "reviewBody", "commentText", "description"]
        .iter()
        .find_map(|k| text(object.get(*k)?))
}

/// Returns the first item of an array, or the value itself.
fn first(value: &Value) -> &Value {
    value.as_array().and_then(|items| items.first()).unwrap_or(value)
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty())
}

/// Returns the letters and digits at the start of a text, or `None` if there are too few.
fn start(text: &str) -> Option<String> {
    let text = cut(text, MAX_VALUE);
    let is_plain = text.is_ascii() && !text.contains(['&', '<']);
    let text = if is_plain { Cow::Borrowed(text) } else { Cow::Owned(plain(text)) };
    let letters = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
    let start: String = letters.take(MAX_START).collect();
    (start.chars().count() >= MIN_START).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::tests::{NAMES, TEXTS, page, thread};

    #[test]
    fn json_ld_states_what_is_not_shown() {
        let stated: Vec<String> = (0..3)
            .map(|i| {
                format!(
                    r#"{{"@type": "Answer", "text": "<p>{}</p>", "upvoteCount": {i}, "dateCreated": "2024-05-0{}T10:00:00Z",
                    "author": {{"@type": "Person", "name": "{}", "url": "/people/{i}"}}, "url": "/a/{i}"}}"#,
                    TEXTS[i],
                    i + 3,
                    NAMES[i]
                )
            })
            .collect();
        let json = format!(
            r#"<script type="application/ld+json">{{"@type": "QAPage", "mainEntity": {{"suggestedAnswer": [{}]}}}}</script>"#,
            stated.join(",")
        );
        let shown = page(|i, name, text| {
            format!(
                "<div class=post><b class=author>{name}</b> <i>{} days ago</i><div>{text}</div></div>",
                9 - i
            )
        });
        let posts = thread(&(json + &shown)).expect("a thread").posts;
        for (i, post) in posts.iter().enumerate() {
            assert_eq!(post.date, Some(format!("2024-05-0{}T10:00:00Z", i + 3)));
            assert_eq!(post.author_url, Some(format!("/people/{i}")));
            assert_eq!((post.url.clone(), post.score), (Some(format!("/a/{i}")), Some(i as i64)));
            assert_eq!(post.kind, PostKind::Answer);
        }
        assert_eq!(posts.len(), 3);
    }
}
