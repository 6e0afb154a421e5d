//! Reads microdata, RDFa and microformats in the body of a page.

use super::Facts;
use super::authors::{self, Form};
use super::name_parts::NameParts;
use super::text::{key, of_node, plain};
use threshr_html::{Document, Kind, NodeId, Tag, known_number};

/// Maximum number of properties that are read, and of descendants that are searched below an element.
const MAX_PROPERTIES: usize = 3000;
const MAX_BELOW: usize = 400;
/// Maximum number of works for which the first work is used if none has the page title. If there are more, no work
/// is used in this case.
const MAX_WORKS: usize = 3;

/// Item types that are not the main work of a page. Their properties are ignored.
const NO_WORKS: [&str; 16] = [
    "person",
    "organization",
    "comment",
    "answer",
    "review",
    "listitem",
    "imageobject",
    "videoobject",
    "offer",
    "brand",
    "rating",
    "aggregaterating",
    "breadcrumblist",
    "usercomments",
    "localbusiness",
    "corporation",
];

/// Classes of the entries of microformats.
const ENTRY: [&str; 2] = ["hentry", "h-entry"];

/// A property and the work that it describes.
struct Property {
    work: NodeId,
    name: String,
    node: NodeId,
}

/// Returns the facts in microdata, RDFa and microformats about the main work of the page. `title` contains the
/// words of the headline.
pub(super) fn read(doc: &Document, title: &str) -> Facts {
    let (has_properties, has_entries) = vocabularies(doc);
    let mut found = if has_properties { facts(doc, &properties(doc), title) } else { Facts::default() };
    if has_entries {
        found.fill(microformats(doc, title));
    }
    found
}

/// Returns whether a page has properties of microdata or RDFa, and whether it has entries of microformats. Most pages
/// have neither.
fn vocabularies(doc: &Document) -> (bool, bool) {
    const ITEMPROP: u16 = known_number("itemprop");
    const PROPERTY: u16 = known_number("property");
    const CLASS: u16 = known_number("class");
    let (mut has_properties, mut has_entries) = (false, false);
    let is_read = |name: u16| matches!(name, ITEMPROP | PROPERTY | CLASS);
    for node in doc.elements_with(|_| true) {
        for (name, value) in doc.attributes_with(node, is_read) {
            match name {
                ITEMPROP => has_properties = true,
                PROPERTY => has_properties = has_properties || rdfa(doc, node).is_some(),
                // most values are rejected without being split
                CLASS if value.contains("entry") => {
                    has_entries = has_entries || value.split_ascii_whitespace().any(|c| ENTRY.contains(&c))
                }
                _ => {}
            }
        }
    }
    (has_properties, has_entries)
}

fn properties(doc: &Document) -> Vec<Property> {
    let mut properties = Vec::new();
    for node in doc.descendants(doc.root()).filter(|&n| doc.kind(n) == Kind::Element) {
        let Some(names) = doc.attribute(node, "itemprop").or_else(|| rdfa(doc, node)) else { continue };
        let scope = doc.ancestors(node).find(|&n| is_scope(doc, n));
        if scope.is_some_and(|s| is_no_work(doc, s)) {
            continue;
        }
        for name in names.split_ascii_whitespace() {
            let name = name.rsplit([':', '/']).next().unwrap_or(name).to_ascii_lowercase();
            properties.push(Property { work: scope.unwrap_or(doc.root()), name, node });
        }
        if properties.len() > MAX_PROPERTIES {
            break;
        }
    }
    properties
}

/// Returns the RDFa properties of an element. Open Graph properties are excluded.
fn rdfa(doc: &Document, node: NodeId) -> Option<&str> {
    let value = doc.attribute(node, "property")?;
    let vocabulary = value.split_once(':').map(|p| p.0.to_ascii_lowercase());
    let is_known = match vocabulary.as_deref() {
        None => {
            doc.tag(node) != Tag::META || doc.ancestors(node).any(|n| doc.attribute(n, "typeof").is_some())
        }
        Some(v) => matches!(v, "schema" | "dc" | "dcterms" | "sioc" | "rnews" | "http" | "https"),
    };
    is_known.then_some(value)
}

fn is_scope(doc: &Document, node: NodeId) -> bool {
    doc.attribute(node, "itemscope").is_some() || doc.attribute(node, "typeof").is_some()
}

fn is_no_work(doc: &Document, scope: NodeId) -> bool {
    let types =
        doc.attribute(scope, "itemtype").or_else(|| doc.attribute(scope, "typeof")).unwrap_or_default();
    types.split_ascii_whitespace().any(|t| {
        let name = t.rsplit(['/', '#', ':']).next().unwrap_or(t).to_ascii_lowercase();
        NO_WORKS.contains(&name.as_str())
    })
}

fn facts(doc: &Document, properties: &[Property], title: &str) -> Facts {
    const MARKS: [&str; 3] = ["headline", "author", "datepublished"];
    let mut works: Vec<NodeId> =
        properties.iter().filter(|p| MARKS.contains(&p.name.as_str())).map(|p| p.work).collect();
    works.dedup();
    let title = key(title);
    let is_titled = |&&work: &&NodeId| {
        let mut names =
            properties.iter().filter(|p| p.work == work && matches!(p.name.as_str(), "headline" | "name"));
        names.any(|p| {
            let name = key(&value(doc, p.node));
            !name.is_empty() && title.contains(&name)
        })
    };
    let work = works.iter().find(is_titled).or_else(|| works.first().filter(|_| works.len() <= MAX_WORKS));
    let Some(&work) = work else { return Facts::default() };
    let of_work = |name: &str| {
        properties.iter().filter(|p| p.work == work && p.name == name).map(|p| p.node).collect::<Vec<_>>()
    };
    let first = |names: &[&str]| {
        names.iter().find_map(|n| of_work(n).first().map(|&n| value(doc, n)).filter(|v| !v.is_empty()))
    };
    let mut authors: Vec<String> = Vec::new();
    for name in ["author", "creator"] {
        if authors.is_empty() {
            authors =
                of_work(name).into_iter().take(authors::MAX_AUTHORS).flat_map(|n| author(doc, n)).collect();
        }
    }
    let mut seen = Vec::new();
    authors.retain(|a| {
        let is_new = !seen.contains(&key(a));
        seen.push(key(a));
        is_new
    });
    Facts {
        title: first(&["headline"]),
        authors,
        published: first(&["datepublished", "datecreated", "issued", "date", "created", "uploaddate"]),
        modified: first(&["datemodified", "modified"]),
        description: first(&["description"]),
        image: first(&["image"]),
        language: first(&["inlanguage"]),
        licence: first(&["license"]),
        tags: of_work("keywords")
            .iter()
            .flat_map(|&n| value(doc, n).split(',').map(plain).collect::<Vec<_>>())
            .collect(),
        ..Facts::default()
    }
}

/// Returns the value of a property.
fn value(doc: &Document, node: NodeId) -> String {
    let attribute = |name| doc.attribute(node, name).map(str::trim).filter(|v| !v.is_empty());
    let own = attribute("content").or_else(|| attribute("datetime")).or_else(|| match doc.tag(node) {
        Tag::LINK => attribute("href"),
        Tag::IMG => attribute("src"),
        _ => None,
    });
    own.map_or_else(|| of_node(doc, node), plain)
}

/// Returns the names in an element with an author property.
fn author(doc: &Document, node: NodeId) -> Vec<String> {
    let properties =
        |n: NodeId| ["itemprop", "property"].into_iter().filter_map(move |a| doc.attribute(n, a));
    let is_name = |n: NodeId| {
        properties(n).any(|v| v.split_ascii_whitespace().any(|v| v.rsplit(':').next() == Some("name")))
    };
    let below: Vec<NodeId> =
        doc.descendants(node).take(MAX_BELOW).filter(|&n| doc.kind(n) == Kind::Element).collect();
    // a list of authors in one scope has several names
    let named = below.iter().filter(|&&n| is_name(n)).map(|&n| value(doc, n));
    let named: Vec<String> = named.flat_map(|name| authors::names(&name, Form::One)).collect();
    if !named.is_empty() {
        return named;
    }
    let parts = of_parts(doc, below.iter().flat_map(|&n| properties(n).map(move |names| (n, names))));
    if is_scope(doc, node) || !parts.is_empty() || below.iter().any(|&n| is_name(n)) {
        return parts;
    }
    let text = value(doc, node);
    let labelled = authors::labelled(&text);
    if labelled.is_empty() { authors::names(&text, Form::Many) } else { labelled }
}

/// Returns names that consist of parts in separate elements. `parts` contains the elements, each with the
/// names of its properties. If a part occurs again, the next name begins.
fn of_parts<'d>(doc: &Document, parts: impl Iterator<Item = (NodeId, &'d str)>) -> Vec<String> {
    let mut found: Vec<NameParts> = Vec::new();
    for (node, names) in parts {
        for name in names.split_ascii_whitespace() {
            if NameParts::default().part(name).is_none() {
                continue;
            }
            if found.last_mut().and_then(|last| last.part(name)).is_none_or(|part| !part.is_empty()) {
                found.push(NameParts::default());
            }
            if let Some(part) = found.last_mut().and_then(|last| last.part(name)) {
                *part = value(doc, node);
            }
        }
    }
    let wholes = found.iter().map(|parts| parts.whole(doc.language()));
    wholes.flat_map(|name| authors::names(&name, Form::One)).collect()
}

/// Reads hEntry and hCard.
fn microformats(doc: &Document, title: &str) -> Facts {
    let has = |n: NodeId, names: &[&str]| {
        let class = doc.attribute(n, "class").unwrap_or_default();
        class.split_ascii_whitespace().any(|c| names.contains(&c))
    };
    let entries: Vec<NodeId> = doc
        .descendants(doc.root())
        .filter(|&n| doc.kind(n) == Kind::Element && has(n, &ENTRY))
        .take(MAX_PROPERTIES)
        .collect();
    let title = key(title);
    let inside = |entry: NodeId, names: &[&str]| {
        let found = doc
            .descendants(entry)
            .take(20 * MAX_BELOW)
            .filter(|&n| doc.kind(n) == Kind::Element && has(n, names));
        found.into_iter().next()
    };
    let is_titled = |&&entry: &&NodeId| {
        let name = inside(entry, &["entry-title", "p-name"]).map(|n| key(&of_node(doc, n)));
        name.is_some_and(|name| !name.is_empty() && title.contains(&name))
    };
    let entry = match entries.len() {
        1 => entries.first(),
        _ => entries.iter().take(MAX_PROPERTIES / 100).find(is_titled),
    };
    let Some(&entry) = entry else { return Facts::default() };
    let author = inside(entry, &["p-author", "author"])
        .filter(|&n| !super::element_names::is_elsewhere(doc, n, Some(entry)));
    let authors = author.map(|a| {
        let below = || doc.descendants(a).take(MAX_BELOW).filter(|&n| doc.kind(n) == Kind::Element);
        let name = below().find(|&n| has(n, &["fn", "p-name"]));
        let classes = below().filter_map(|n| Some((n, doc.attribute(n, "class")?)));
        let parts = if name.is_none() { of_parts(doc, classes) } else { Vec::new() };
        if !parts.is_empty() {
            return parts;
        }
        let name = name.or_else(|| has(a, &["vcard", "h-card", "p-author"]).then_some(a));
        name.map(|n| authors::names(&of_node(doc, n), Form::Many)).unwrap_or_default()
    });
    Facts {
        authors: authors.unwrap_or_default(),
        published: inside(entry, &["dt-published", "published"]).map(|n| value(doc, n)),
        modified: inside(entry, &["dt-updated", "updated"])
            .filter(|&n| !has(n, &["published"]))
            .map(|n| value(doc, n)),
        ..Facts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::parse_str;

    #[test]
    fn microdata_and_rdfa_are_read() {
        let html = "<article itemscope itemtype='https://schema.org/Article'><h1 itemprop=headline>Rain</h1>\
            <span itemprop='author creator' itemscope itemtype='https://schema.org/Person'>By <a itemprop=name>Ann Miller</a></span>\
            <time itemprop=datePublished datetime=2024-05-03>today</time><div itemprop=comment itemscope itemtype='https://schema.org/Comment'>\
            <b itemprop=author>Bo Berg</b></div></article>";
        let facts = read(&parse_str(html), "Rain");
        assert_eq!(facts.title.as_deref(), Some("Rain"));
        assert_eq!(facts.authors, ["Ann Miller"]);
        assert_eq!(facts.published.as_deref(), Some("2024-05-03"));
        let rdfa = "<div typeof='schema:Article'><b property='schema:author'>Von Anna Müller</b>\
            <i property='schema:datePublished' content=2024-05-03>heute</i></div><meta property='og:author' content=x>";
        let facts = read(&parse_str(rdfa), "");
        assert_eq!(
            (facts.authors, facts.published.as_deref()),
            (vec!["Anna Müller".to_owned()], Some("2024-05-03"))
        );
    }

    #[test]
    fn microformats_are_read() {
        let html = "<div class='post hentry'><h2 class=entry-title>Rain</h2><span class='author vcard'>by <a class='url fn n'>Ann Miller</a></span>\
            <abbr class=published title=x>3 May 2024</abbr></div>";
        let facts = read(&parse_str(html), "Rain");
        assert_eq!(
            (facts.authors, facts.published.as_deref()),
            (vec!["Ann Miller".to_owned()], Some("3 May 2024"))
        );
        assert!(read(&parse_str(&html.repeat(2).replace("Rain", "Snow")), "Rain").authors.is_empty());
    }

    #[test]
    fn parts_of_names_are_joined() {
        let person = |given: &str, more: &str, family: &str| {
            format!(
                "<span itemprop=author itemscope itemtype='https://schema.org/Person'><b itemprop=familyName>{family}</b>, \
                 <i itemprop=givenName>{given}</i> {more}</span>"
            )
        };
        let page = |authors: &str| {
            let html = format!(
                "<html lang=fr><article itemscope itemtype='https://schema.org/Article'><h1 itemprop=headline>Pluie</h1>{authors}"
            );
            read(&parse_str(&html), "Pluie").authors.join(" + ")
        };
        let two = person("Zoé", "", "Lebrun")
            + " et "
            + &person("Tom", "<meta itemprop=additionalName content=J.>", "Agar");
        assert_eq!(page(&two), "Zoé Lebrun + Tom J. Agar");
        assert_eq!(page(&person("小明", "", "王")), "王小明");
        assert_eq!(
            page(
                "<p itemprop=author><i itemprop=givenName>Ann</i> <b itemprop=familyName>Miller</b>, \
                  <i itemprop=givenName>Bo</i> <b itemprop=familyName>Berg</b></p>"
            ),
            "Ann Miller + Bo Berg"
        );
        assert_eq!(
            page(
                "<p property='schema:author' typeof='schema:Person'><i property='schema:givenName'>Ann</i> \
                  <b property='schema:familyName'>Miller</b></p>"
            ),
            "Ann Miller"
        );
        assert_eq!(page("<p itemprop=author itemscope><i itemprop=givenName></i></p>"), "");
        let card = "<div class=h-entry><h2 class=p-name>Rain</h2><p class='p-author h-card'><i class=p-given-name>Ann</i>, \
                    the <b class=p-family-name>Miller</b></p></div>";
        assert_eq!(read(&parse_str(card), "Rain").authors, ["Ann Miller"]);
    }

    #[test]
    fn lists_have_no_work_of_the_page() {
        let item = "<div itemscope itemtype='https://schema.org/BlogPosting'><b itemprop=author>Ann Miller</b></div>";
        assert_eq!(read(&parse_str(item), "").authors.len(), 1);
        assert!(read(&parse_str(&item.repeat(5)), "").authors.is_empty());
    }
}
