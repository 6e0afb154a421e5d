//! The title of the page as a heading before its content.

use crate::units::{Inlines, Kind, Run, Style, Unit};
use threshr_page::metadata::key;

/// Number of units at the start of the content that are compared with the title.
const NUM_FIRST: usize = 4;

/// Puts the title of a page before its content as a heading of level 1, unless it is one of the first units. Empty
/// content stays empty.
pub(crate) fn with_title(mut units: Vec<Unit>, title: &str) -> Vec<Unit> {
    let mut first = Vec::new();
    first_texts(&units, &mut first);
    let wanted = key(title);
    if wanted.is_empty() || first.is_empty() || first.iter().any(|unit| is_title(unit, &wanted)) {
        return units;
    }
    units.insert(0, heading(title));
    units
}

/// Whether the text of a unit is the title. A heading may contain more text, such as the name of the site, or only a part
/// of the title: most of it, or half of it if the heading has level 1.
fn is_title(unit: &Unit, title: &str) -> bool {
    let text = key(&unit.inlines.text);
    let Kind::Heading { level } = unit.kind else { return text == title };
    let is_part = || {
        let (part, whole) = (text.chars().count(), title.chars().count());
        title.contains(&text) && if level == 1 { 2 * part >= whole } else { 5 * part >= 4 * whole }
    };
    text.contains(title) || is_part()
}

fn first_texts<'u>(units: &'u [Unit], found: &mut Vec<&'u Unit>) {
    for unit in units.iter().filter(|unit| unit.kept) {
        if found.len() == NUM_FIRST {
            return;
        }
        if !unit.inlines.text.is_empty() {
            found.push(unit);
        }
        first_texts(&unit.children, found);
    }
}

fn heading(title: &str) -> Unit {
    // the sign of a permalink
    let title = title.trim_end_matches('¶').trim_end();
    let run = Run { text: 0..title.len(), style: Style::default(), link: None };
    Unit {
        kind: Kind::Heading { level: 1 },
        inlines: Inlines { text: title.to_owned(), runs: vec![run], atoms: Vec::new() },
        children: Vec::new(),
        node: 0,
        source: None,
        blocks: 0..0,
        score: None,
        kept: true,
    }
}

#[cfg(test)]
mod tests {
    use crate::formats::tests::markdown_of;

    #[test]
    fn markdown_begins_with_the_title_once() {
        let title = "<title>Rain in the north | The Daily</title><h1>Rain in the north</h1>";
        let body = "<p>It rained all day.</p><p>Rivers rose.</p>";
        let expected = "# Rain in the north\n\nIt rained all day.\n\nRivers rose.";
        assert_eq!(markdown_of(&format!("{title}{body}"), |text| !text.starts_with("Rain")), expected);
        assert_eq!(markdown_of(&format!("{title}{body}"), |_| true), expected);
        assert_eq!(markdown_of(&format!("{title}{body}"), |_| false), "");
        // a heading with one word of the title is not the title
        let other = format!("<title>Rain in the north</title><h2>Rain</h2>{body}");
        assert!(markdown_of(&other, |_| true).starts_with("# Rain in the north\n\n## Rain\n"));
        let with_date = markdown_of(&format!("<p>3 May 2024</p>{title}{body}"), |_| true);
        assert_eq!(with_date, format!("3 May 2024\n\n{expected}"));
    }
}
