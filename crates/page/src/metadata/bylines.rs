//! Finds the authors in a byline in which only some names are links.

use super::authors::{self, looks_like_name};
use super::text::key;

/// Labels of several authors, in lower case.
const PLURAL_LABELS: [&str; 9] =
    ["authors", "autoren", "auteurs", "autores", "autori", "autorzy", "авторы", "автори", "συγγραφείς"];

/// Returns the names of the authors in a byline, in order. `text` is the text of the byline, `linked` are the names in
/// its links.
///
/// A name without a link may be an employer or a place after the last author. Therefore, the name counts only
/// if a linked name follows, or if a word such as `and` precedes this name or a later name.
pub(super) fn with_unlinked(text: &str, linked: Vec<String>) -> Vec<String> {
    let labelled = authors::labelled(text);
    let is_labelled = !labelled.is_empty();
    let stated = if is_labelled { labelled } else { authors::shown(text) };
    let at: Vec<Option<usize>> = stated.iter().map(|name| text.find(name.as_str())).collect();
    let is_joined = |at: &Option<usize>| at.is_some_and(|at| authors::ends_in_joint(&text[..at]));
    let is_plural = || {
        let label = text.split([':', '：']).next().unwrap_or_default().trim().to_lowercase();
        PLURAL_LABELS.contains(&label.as_str())
    };
    // after a label such as `Authors:`, each name is an author
    let last_joined = if is_plural() { stated.len().checked_sub(1) } else { at.iter().rposition(is_joined) };
    let keys: Vec<String> = linked.iter().map(|name| key(name)).collect();
    let is_linked = |name: &str| keys.iter().any(|own| own.contains(name) || name.contains(own.as_str()));
    let last_linked = stated.iter().rposition(|name| is_linked(&key(name)));
    let mut names: Vec<String> = Vec::new();
    let mut push = |name: &String| {
        if !names.iter().any(|known| key(known) == key(name)) {
            names.push(name.clone());
        }
    };
    for (i, name) in stated.iter().enumerate() {
        let own = key(name);
        if is_linked(&own) {
            let in_link = |link: &&String| own.contains(&key(link)) || key(link).contains(&own);
            linked.iter().filter(in_link).for_each(&mut push);
        } else if (last_joined.max(last_linked) >= Some(i)) && at[i].is_some() && looks_like_name(name) {
            push(name);
        }
    }
    // links before the label lead to topics and places
    let start = at.first().copied().flatten().filter(|_| is_labelled && last_linked.is_some()).unwrap_or(0);
    let is_after = |name: &&String| text.find(name.as_str()).is_none_or(|at| at >= start);
    linked.iter().filter(is_after).for_each(&mut push);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_a_link_are_authors_where_the_list_says_so() {
        for (text, linked, expected) in [
            ("By Ann Miller and Bo Berg", "Ann Miller", "Ann Miller + Bo Berg"),
            (
                "By Ann Miller, Bo Berg and Cy Young | 3 May 2024",
                "Bo Berg",
                "Ann Miller + Bo Berg + Cy Young",
            ),
            ("By Bo Berg, Ann Miller", "Ann Miller", "Bo Berg + Ann Miller"),
            ("Von Anna Müller und Bernd Berg", "Anna Müller", "Anna Müller + Bernd Berg"),
            ("Par Anne Meunier et Bo Berg, à Paris", "Bo Berg", "Anne Meunier + Bo Berg"),
            ("Por Ana Gil y Luis Paz", "Luis Paz", "Ana Gil + Luis Paz"),
            ("Автор: Анна Иванова и Пётр Сомов", "Анна Иванова", "Анна Иванова + Пётр Сомов"),
            ("Авторы: Анна Иванова, Пётр Сомов", "Анна Иванова", "Анна Иванова + Пётр Сомов"),
            ("Authors: Ann Miller, Bo Berg", "Ann Miller", "Ann Miller + Bo Berg"),
            ("作者：王攀、李丽、张伟", "李丽", "王攀 + 李丽 + 张伟"),
            ("Ann Miller & Bo Berg", "Ann Miller", "Ann Miller + Bo Berg"),
            ("Írta: Nagy Anna és Kis Béla", "Kis Béla", "Nagy Anna + Kis Béla"),
            ("By Ann Miller and Bo Berg", "Ann Miller + Bo Berg", "Ann Miller + Bo Berg"),
            // an employer, a role or a place after the author, or a second link
            ("By Ann Miller, The Daily", "Ann Miller", "Ann Miller"),
            ("By Ann Miller, Senior Editor and Bo Berg", "Ann Miller + Bo Berg", "Ann Miller + Bo Berg"),
            ("By Ann Miller and Bo Berg, The Daily", "Ann Miller", "Ann Miller + Bo Berg"),
            ("Ann Miller in Oslo and Rome", "Ann Miller", "Ann Miller"),
            ("Ann Miller", "Ann Miller + Bo Berg", "Ann Miller + Bo Berg"),
            ("上海 作者：王攀", "上海 + 王攀", "王攀"),
        ] {
            let linked = linked.split(" + ").map(str::to_owned).collect();
            assert_eq!(with_unlinked(text, linked).join(" + "), expected, "{text}");
        }
    }
}
