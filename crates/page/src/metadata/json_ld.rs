//! Reads JSON-LD in the schema.org vocabulary.

use super::authors::{self, Form};
use super::name_parts::NameParts;
use super::text::{key, plain};
use super::{Facts, json, url};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use threshr_html::{Document, Kind, NodeId, Tag};

/// Maximum number of bytes of JSON-LD that are read per page.
const MAX_BYTES: usize = 1 << 21;
/// Maximum number of objects that are read per page.
const MAX_OBJECTS: usize = 20_000;
/// Maximum number of works of one type for which the first work is used if none has the title or URL of the page.
/// If there are more, no work is used in this case.
const MAX_WORKS: usize = 3;

type Object = Map<String, Value>;

/// Facts in JSON-LD about the main work of a page and about the page itself.
#[derive(Debug, Default)]
pub(super) struct JsonLd {
    /// Facts about an article, post, recipe or other work.
    pub work: Facts,
    /// Facts about the page and the site.
    pub page: Facts,
    /// Whether the work is a product or an event. Its author is not an author of the page.
    pub is_offer: bool,
    /// Whether the work is an article or a post.
    pub is_article: bool,
}

/// Keys whose values may contain the object that the page is about. Values of other keys contain components,
/// lists and links.
const WAYS: [&str; 5] = ["@graph", "mainEntity", "mainEntityOfPage", "about", "@reverse"];

/// Kinds of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ObjectKind {
    /// An article or a post.
    Article,
    /// Another work with an author, such as a recipe or a video.
    Work,
    Product,
    Page,
    Site,
    Body,
    Other,
}

fn kind(object: &Object) -> ObjectKind {
    let types = texts(object.get("@type"));
    types.iter().map(|t| kind_of_type(t)).min().unwrap_or(ObjectKind::Other)
}

fn kind_of_type(name: &str) -> ObjectKind {
    let name = name.rsplit(['/', '#', ':']).next().unwrap_or(name).to_ascii_lowercase();
    match name.as_str() {
        "blogposting"
        | "discussionforumposting"
        | "socialmediaposting"
        | "liveblogposting"
        | "report"
        | "question"
        | "reportage" => ObjectKind::Article,
        n if n.ends_with("article") => ObjectKind::Article,
        "recipe" | "howto" | "videoobject" | "podcastepisode" | "review" | "creativework"
        | "learningresource" | "guide" | "course" | "book" | "dataset" | "softwaresourcecode" | "movie"
        | "episode" => ObjectKind::Work,
        "product" | "productgroup" | "event" | "softwareapplication" | "service" | "jobposting" | "place" => {
            ObjectKind::Product
        }
        "website" => ObjectKind::Site,
        n if n.ends_with("page") => ObjectKind::Page,
        n if n.ends_with("organization") || n.ends_with("business") || n == "person" => ObjectKind::Body,
        _ => ObjectKind::Other,
    }
}

/// Reads all JSON-LD of a page. `url` is the URL of the page. `title` contains the words of its headline.
pub(super) fn read(doc: &Document, url: Option<&str>, title: &str) -> JsonLd {
    let mut left = MAX_BYTES;
    let mut values = Vec::new();
    for node in doc.elements_with(|tag| tag == Tag::SCRIPT).filter(|&n| is_json_ld(doc, n)) {
        let texts = doc.children(node).filter(|&n| doc.kind(n) == Kind::Text);
        let text: String = texts.map(|n| doc.text(n)).collect();
        if text.len() > left {
            break;
        }
        left -= text.len();
        values.extend(json::values(&text));
    }
    of_values(&values, url, title, doc.language())
}

fn is_json_ld(doc: &Document, node: NodeId) -> bool {
    let value = doc.attribute(node, "type").unwrap_or_default().trim().to_ascii_lowercase();
    value.starts_with("application/ld+json") || value == "application/json+ld"
}

fn of_values(values: &[Value], url: Option<&str>, title: &str, language: Option<&str>) -> JsonLd {
    let objects = objects(values);
    let ids = ids(values);
    let reader = Reader { ids: &ids, language };
    let mut found = JsonLd::default();
    let of_kind = |wanted: ObjectKind| objects.iter().copied().filter(move |o| kind(o) == wanted);
    for wanted in [ObjectKind::Article, ObjectKind::Work, ObjectKind::Product] {
        let works: Vec<&Object> = of_kind(wanted).collect();
        let Some(work) = main_work(&works, url, title) else { continue };
        found.is_article = wanted == ObjectKind::Article;
        found.is_offer = wanted == ObjectKind::Product;
        found.work = reader.work(work);
        if found.is_offer {
            found.work.authors.clear();
        }
        // a work is often stated twice, with different properties
        let title = found.work.title.clone();
        for other in works.iter().filter(|o| !std::ptr::eq(**o, work) && reader.title(o) == title) {
            found.work.fill(reader.work(other));
        }
        break;
    }
    for page in of_kind(ObjectKind::Page) {
        found.page.fill(reader.work(page));
    }
    let bodies = of_kind(ObjectKind::Site)
        .chain(of_kind(ObjectKind::Body).filter(|o| !texts(o.get("@type")).contains(&"Person")));
    let name = bodies.filter_map(|body| body.get("name").and_then(first_text)).next();
    found.page.site_name = found.work.site_name.take().or(found.page.site_name.take()).or(name.map(plain));
    found.work.site_name.clone_from(&found.page.site_name);
    if found.page.language.is_none() {
        found.page.language = of_kind(ObjectKind::Site).find_map(|site| reader.language(site));
    }
    found
}

/// Returns the main work of the page. This is the work with the title of the page, or else the work with its
/// URL, or else the first work if there are at most [`MAX_WORKS`].
fn main_work<'v>(works: &[&'v Object], url: Option<&str>, title: &str) -> Option<&'v Object> {
    let title = key(title);
    let is_titled = |object: &&&Object| {
        let name = ["headline", "name"].iter().find_map(|k| first_text(object.get(*k)?));
        name.is_some_and(|name| !key(name).is_empty() && title.contains(&key(&plain(name))))
    };
    let is_at_url = |object: &&&Object| {
        let addresses = ["url", "@id", "mainEntityOfPage"].iter().filter_map(|k| object.get(*k));
        url.is_some_and(|page| addresses.filter_map(first_text).any(|a| url::is_same_page(a, page)))
    };
    let is_few = works.len() <= MAX_WORKS;
    let main = works.iter().find(is_titled).or_else(|| works.iter().find(is_at_url));
    main.or_else(|| works.first().filter(|_| is_few)).copied()
}

/// Returns the objects that may describe the page, in order.
fn objects(values: &[Value]) -> Vec<&Object> {
    let mut objects = Vec::new();
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop() {
        if objects.len() >= MAX_OBJECTS {
            break;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(object) => {
                objects.push(object);
                open.extend(WAYS.iter().rev().filter_map(|way| object.get(*way)));
            }
            _ => {}
        }
    }
    objects
}

/// Maps ids to objects that have at least a name or a URL, so that references can be resolved.
fn ids(values: &[Value]) -> FxHashMap<&str, &Object> {
    let mut ids = FxHashMap::default();
    let mut open: Vec<&Value> = values.iter().collect();
    let mut seen = 0;
    while let Some(value) = open.pop() {
        seen += 1;
        if seen > MAX_OBJECTS {
            break;
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(object) => {
                let has_more = object.contains_key("url") || has_name(object);
                if let Some(Value::String(id)) = object.get("@id").filter(|_| has_more) {
                    ids.entry(id.as_str()).or_insert(object);
                }
                open.extend(object.values().filter(|v| v.is_object() || v.is_array()));
            }
            _ => {}
        }
    }
    ids
}

/// Returns whether an object has a name or parts of a name.
fn has_name(object: &Object) -> bool {
    let mut parts = NameParts::default();
    object.keys().any(|key| key == "name" || parts.part(key).is_some())
}

/// Returns the text of a value: a string, the first string of an array, or the value, name, id or URL of an
/// object.
fn first_text(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Array(items) => {
            items.iter().find_map(|item| if item.is_array() { None } else { first_text(item) })
        }
        Value::Object(object) => {
            ["@value", "name", "@id", "url"].iter().find_map(|k| object.get(*k)?.as_str())
        }
        _ => None,
    }
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(first_text).collect(),
        Some(object @ Value::Object(_)) => first_text(object).into_iter().collect(),
        _ => Vec::new(),
    }
}

struct Reader<'r, 'v> {
    ids: &'r FxHashMap<&'v str, &'v Object>,
    /// The language of the page, which determines the order of given name and family name.
    language: Option<&'r str>,
}

impl<'v> Reader<'_, 'v> {
    fn title(&self, work: &Object) -> Option<String> {
        let name = ["headline", "name", "title", "alternativeHeadline"]
            .iter()
            .find_map(|k| first_text(work.get(*k)?));
        name.map(plain).filter(|t| !t.is_empty())
    }

    fn work(&self, work: &Object) -> Facts {
        let text = |keys: &[&str]| keys.iter().find_map(|k| first_text(work.get(*k)?)).map(plain);
        let raw = |keys: &[&str]| keys.iter().find_map(|k| first_text(work.get(*k)?)).map(str::to_owned);
        let mut tags = Vec::new();
        for list in ["keywords", "articleSection"].iter().filter_map(|k| work.get(*k)) {
            tags.extend(
                texts(Some(list)).into_iter().flat_map(|t| t.split(',').map(plain).collect::<Vec<_>>()),
            );
        }
        Facts {
            title: self.title(work),
            authors: self.authors(work),
            published: raw(&["datePublished", "dateCreated", "uploadDate"]),
            modified: raw(&["dateModified"]),
            site_name: self.name_of(work.get("publisher")),
            description: text(&["description"]),
            image: self.image(work),
            language: self.language(work),
            tags,
            licence: raw(&["license"]),
            canonical: raw(&["url"]).or_else(|| raw(&["mainEntityOfPage"])),
        }
    }

    fn authors(&self, work: &Object) -> Vec<String> {
        let found = |key: &str| -> Vec<String> {
            let mut names = Vec::new();
            match work.get(key) {
                Some(Value::Array(items)) => {
                    items.iter().take(authors::MAX_AUTHORS).for_each(|item| self.author(item, &mut names));
                }
                Some(value) => self.author(value, &mut names),
                None => {}
            }
            names
        };
        let authors = found("author");
        if authors.is_empty() { found("creator") } else { authors }
    }

    fn author(&self, value: &Value, names: &mut Vec<String>) {
        let found = match value {
            Value::String(text) => match self.ids.get(text.as_str()) {
                Some(object) => self.names(object),
                None => authors::names(text, Form::Many),
            },
            Value::Object(object) => self.names(self.resolved(object)),
            _ => return,
        };
        for name in found {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }

    /// Returns the names of an author: the property `name`, or else the parts of the name.
    fn names(&self, object: &Object) -> Vec<String> {
        // one object with several names represents several authors
        let named = texts(object.get("name"));
        let is_list = named.iter().any(|n| n.contains([';', '、']) || n.matches(',').count() > 1);
        let form = if is_list { Form::Many } else { Form::One };
        let named: Vec<String> = named.into_iter().flat_map(|text| authors::names(text, form)).collect();
        if !named.is_empty() {
            return named;
        }
        let mut parts = NameParts::default();
        for (key, value) in object {
            if let Some(part) = parts.part(key) {
                *part = texts(Some(value)).join(" ");
            }
        }
        authors::names(&parts.whole(self.language), Form::One)
    }

    /// Resolves an object that is only a reference by `@id`. Returns the object itself if there is no target.
    fn resolved<'o>(&self, object: &'o Object) -> &'o Object
    where
        'v: 'o,
    {
        let id = object.get("@id").and_then(Value::as_str).filter(|_| !has_name(object));
        id.and_then(|id| self.ids.get(id).copied()).unwrap_or(object)
    }

    fn name_of(&self, value: Option<&Value>) -> Option<String> {
        let name = match value? {
            Value::Object(object) => first_text(self.resolved(object).get("name")?)?,
            Value::Array(items) => match items.first()? {
                Value::Object(object) => first_text(self.resolved(object).get("name")?)?,
                other => first_text(other)?,
            },
            other => first_text(other)?,
        };
        Some(plain(name)).filter(|name| !name.is_empty() && !name.contains("://"))
    }

    fn image(&self, work: &Object) -> Option<String> {
        let mut image = work.get("image").or_else(|| work.get("thumbnailUrl"))?;
        if let Value::Array(items) = image {
            image = items.first()?;
        }
        match image {
            Value::Object(object) => {
                let object = self.resolved(object);
                ["url", "contentUrl"].iter().find_map(|k| object.get(*k)?.as_str()).map(str::to_owned)
            }
            other => other.as_str().map(str::to_owned),
        }
    }

    fn language(&self, work: &Object) -> Option<String> {
        match work.get("inLanguage")? {
            Value::Object(object) => ["alternateName", "name"].iter().find_map(|k| object.get(*k)?.as_str()),
            other => first_text(other),
        }
        .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests;
