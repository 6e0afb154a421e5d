//! The comments of a page as JSON.

use crate::formats::PageOutput;
use serde_json::{Map, Value, json};
use threshr_html::Paths;
use threshr_page::metadata::{Post, PostKind};

/// Returns the comments of a page as JSON values, each with author, date, text, path and, for replies, the index of
/// the parent comment. All comments are returned, whether or not the policy keeps them.
pub fn comments_json(page: &PageOutput<'_>, posts: &[Post]) -> Value {
    let is_comment = |post: &Post| post.kind == PostKind::Comment && !post.blocks.is_empty();
    let mut places = vec![None; posts.len()];
    let mut values = Vec::new();
    let paths = posts.iter().any(is_comment).then(|| Paths::new(page.doc));
    for (index, post) in posts.iter().enumerate() {
        // parents precede their replies
        let reply_to = post.parent.and_then(|parent: usize| places[parent]);
        if !is_comment(post) {
            places[index] = reply_to;
            continue;
        }
        places[index] = Some(values.len());
        let lines: Vec<&str> = post.blocks.iter().map(|&block| page.blocks.text(block)).collect();
        let fields = [
            ("author", post.author.as_ref().map(|author| json!(author))),
            ("date", post.date.as_ref().map(|date| json!(date))),
            ("text", Some(json!(lines.join("\n")))),
            ("reply_to", reply_to.map(|number| json!(number))),
            ("path", paths.as_ref().map(|paths| json!(paths.of_node(post.node)))),
        ];
        let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let value: Map<String, Value> = present.collect();
        values.push(Value::Object(value));
    }
    Value::Array(values)
}
