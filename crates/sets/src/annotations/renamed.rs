//! Labels of pages that were renamed. They are found by the hash of the page.

use crate::annotations::Record;
use std::collections::{HashMap, HashSet};

/// A record without a page of its id in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The id of the record.
    pub id: String,
    /// The annotator of the record.
    pub annotator: String,
    /// The id of a page with the same bytes; `None` if all such pages have labels of this annotator.
    pub to: Option<String>,
}

/// Finds the pages of records whose ids are not among `pages`. A page with the hash of such a record gets the
/// labels of the record, unless the annotator has labelled the page under its id. Records without such a page
/// are not returned.
///
/// `pages` are the ids of all pages of the folder. `hash_of` returns the [hash](super::hash) of a page by its index;
/// it is called only if there are such records.
pub fn renamed<'a>(
    records: impl IntoIterator<Item = &'a Record>,
    pages: &[String],
    hash_of: impl Fn(usize) -> Option<String>,
) -> Vec<Renamed> {
    let records: Vec<&Record> = records.into_iter().collect();
    let ids: HashSet<&str> = pages.iter().map(String::as_str).collect();
    let mut lost: Vec<&Record> = records.iter().copied().filter(|r| !ids.contains(r.id.as_str())).collect();
    if lost.is_empty() {
        return Vec::new();
    }
    lost.sort_by(|a, b| (&a.id, &a.annotator).cmp(&(&b.id, &b.annotator)));
    let wanted: HashSet<&str> = lost.iter().map(|r| r.sha256.as_str()).collect();
    // A page whose record has a different hash need not be read.
    let others: HashSet<&str> =
        records.iter().filter(|r| !wanted.contains(r.sha256.as_str())).map(|r| r.id.as_str()).collect();
    let mut by_hash: HashMap<String, Vec<&str>> = HashMap::new();
    for (index, id) in pages.iter().enumerate().filter(|(_, id)| !others.contains(id.as_str())) {
        let hash = hash_of(index).filter(|hash| wanted.contains(hash.as_str()));
        hash.into_iter().for_each(|hash| by_hash.entry(hash).or_default().push(id));
    }
    let mut taken: HashSet<(&str, &str)> =
        records.iter().map(|r| (r.id.as_str(), r.annotator.as_str())).collect();
    let mut found = Vec::new();
    for record in lost {
        let Some(same) = by_hash.get(&record.sha256) else { continue };
        let annotator = record.annotator.as_str();
        let to = same.iter().find(|id| taken.insert((id, annotator))).map(|&id| id.to_owned());
        found.push(Renamed { id: record.id.clone(), annotator: annotator.to_owned(), to });
    }
    found
}

/// Returns a remark for the user about renamed pages; `None` if there are none.
pub fn renamed_remark(renamed: &[Renamed]) -> Option<String> {
    let mut new: Vec<(&str, &str)> =
        renamed.iter().filter_map(|r| Some((r.id.as_str(), r.to.as_deref()?))).collect();
    new.dedup();
    let (id, to) = new.first()?;
    Some(match new.len() {
        1 => format!("1 page was renamed; its labels are found by the hash of its bytes: {id} is {to}"),
        n => {
            format!(
                "{n} pages were renamed; their labels are found by the hash of their bytes, such as {id}, which is {to}"
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotations::{State, hash, now};

    fn record(id: &str, annotator: &str, page: &str) -> Record {
        Record {
            id: id.to_owned(),
            url: None,
            sha256: hash(page.as_bytes()),
            annotator: annotator.to_owned(),
            time: now(),
            state: State::Done,
            model: None,
            labels: Vec::new(),
        }
    }

    /// Returns `id annotator to` of each renamed record. A page is an id and its bytes.
    fn found(records: &[Record], pages: &[(&str, &str)]) -> Vec<String> {
        let ids: Vec<String> = pages.iter().map(|(id, _)| (*id).to_owned()).collect();
        let renamed = renamed(records, &ids, |index| Some(hash(pages[index].1.as_bytes())));
        renamed
            .iter()
            .map(|r| format!("{} {} {}", r.id, r.annotator, r.to.as_deref().unwrap_or("-")))
            .collect()
    }

    #[test]
    fn labels_follow_renamed_pages() {
        let records = [record("a", "ada", "A"), record("b", "ada", "B"), record("a", "bob", "A")];
        assert!(found(&records, &[("a", "A"), ("b", "B"), ("c", "A")]).is_empty());
        assert_eq!(found(&records, &[("new/a", "A"), ("b", "B")]), ["a ada new/a", "a bob new/a"]);
        // pages with swapped names count as changed, not as renamed
        assert!(found(&records, &[("a", "B"), ("b", "A")]).is_empty());
        // the page was labelled with these bytes, but its bytes have changed
        assert!(found(&[record("a", "ada", "A"), record("b", "ada", "A")], &[("a", "C")]).is_empty());
        // no page has these bytes
        assert!(found(&records, &[("c", "C"), ("b", "B")]).is_empty());
    }

    #[test]
    fn each_page_gets_the_labels_of_one_page() {
        let records = [record("a", "ada", "A"), record("b", "ada", "A")];
        assert_eq!(found(&records, &[("x", "A"), ("y", "A")]), ["a ada x", "b ada y"]);
        assert_eq!(found(&records, &[("x", "A")]), ["a ada x", "b ada -"]);
        // labelled again under the new name, by one of two annotators
        let records = [record("a", "ada", "A"), record("a", "bob", "A"), record("x", "ada", "A")];
        assert_eq!(found(&records, &[("x", "A")]), ["a ada -", "a bob x"]);
    }
}
