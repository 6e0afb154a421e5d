//! The posts of a thread as JSON.

use crate::formats::PageOutput;
use crate::formats::unit_json::units_of_posts;
use serde_json::{Map, Value, json};
use threshr_core::Result;
use threshr_html::Paths;
use threshr_page::metadata::Post;
use threshr_page::threads::{is_thread, text};

/// Returns the posts of the page's thread as JSON values. Each has its kind, author, date, URLs, votes, text, path
/// and, for replies, the index of the parent post. All posts are returned, whether or not the policy keeps them. If
/// `page.added.units` is true, each post also has the units of its text. The array is empty if the page has no
/// thread; comments below an article are not a thread.
///
/// # Errors
/// [`ErrorKind::Timeout`](threshr_core::ErrorKind::Timeout) if the budget is exceeded.
pub fn posts_json(page: &PageOutput<'_>, posts: &[Post]) -> Result<Value> {
    if !is_thread(posts) {
        return Ok(Value::Array(Vec::new()));
    }
    let paths = Paths::new(page.doc);
    let units = if page.added.units { units_of_posts(page, posts)? } else { Vec::new() };
    let mut units = units.into_iter();
    let values = posts.iter().map(|post| {
        let fields = [
            ("kind", Some(json!(post.kind))),
            ("author", post.author.as_ref().map(|author| json!(author))),
            ("author_url", post.author_url.as_ref().map(|url| json!(url))),
            ("date", post.date.as_ref().map(|date| json!(date))),
            ("url", post.url.as_ref().map(|url| json!(url))),
            ("score", post.score.map(|score| json!(score))),
            ("reply_to", post.parent.map(|number: usize| json!(number))),
            ("text", Some(json!(text(post, page.blocks)))),
            ("path", Some(json!(paths.of_node(post.node)))),
            ("units", units.next()),
        ];
        let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(present.collect::<Map<String, Value>>())
    });
    Ok(Value::Array(values.collect()))
}
