//! Report of the text that only one of two methods (sides A and B) keeps. It is one HTML page with its own style sheet
//! and a small script for filters. A content security policy allows only this style sheet and this script.

use crate::difference::{Keeper, Summary};
use crate::report::filters;
use askama::Template;
use base64::Engine;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("difference.css");
const SCRIPT: &str = include_str!("difference.js");

#[derive(Template)]
#[template(path = "difference.html")]
struct Page<'a> {
    summary: &'a Summary,
    policy: String,
    /// Maximum number of differing letters over all groups.
    most: u64,
}

/// A segment of the bar that shows all letters.
struct Part {
    class: &'static str,
    name: &'static str,
    letters: u64,
    x: f64,
    width: f64,
}

/// Renders the HTML page of a comparison. Equal summaries give equal bytes. All texts of pages are escaped.
pub fn html(summary: &Summary) -> String {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let groups = summary.sites.iter().flat_map(|site| &site.groups);
    let most = groups.map(|group| group.letters.different()).max().unwrap_or(1);
    Page { summary, policy, most }.to_string()
}

/// Base64 SHA-256 digest of a style or script, as a content security policy contains it.
fn digest(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
}

impl Page<'_> {
    /// Returns the segments of a bar of width 1000: both, only A, only B, and neither.
    fn bar(&self) -> Vec<Part> {
        let counts = &self.summary.letters;
        let all = counts.all().max(1) as f64;
        let mut end = 0.0;
        let parts = [
            ("both", "both", counts.both),
            ("a", "only A", counts.only_a),
            ("b", "only B", counts.only_b),
            ("none", "neither", counts.neither),
        ];
        let part = |(class, name, letters)| {
            let (x, width) = (end, 1000.0 * letters as f64 / all);
            end += width;
            Part { class, name, letters, x, width }
        };
        parts.map(part).into()
    }

    fn has_notes(&self) -> bool {
        let Summary { num_failed, num_defects, missing: [a, b], not_found: [c, d], .. } = *self.summary;
        num_failed + num_defects + a + b + c + d > 0
    }

    /// Returns the width of a number of letters in a bar whose full width is 100.
    fn width(&self, letters: &u64) -> f64 {
        100.0 * *letters as f64 / self.most.max(1) as f64
    }
}

/// Returns the URL of a page, unless the id contains the URL or the URL contains the id.
fn further_url<'a>(id: &str, url: &'a Option<String>) -> Option<&'a str> {
    url.as_deref().filter(|url| !url.contains(id) && !id.contains(url))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::{Counts, Difference, ExampleText, PageDifference, PlaceDifference};
    use threshr_output::formats::escape;

    /// A summary in which every text is `text`, used to test escaping.
    fn hostile(text: &str) -> Summary {
        let counts = Counts { both: 1, only_a: 7, only_b: 2, neither: 3 };
        let text = || text.to_owned();
        let place = PlaceDifference {
            path: text(),
            blocks: counts,
            letters: counts,
            examples: [Keeper::A, Keeper::B].map(|kept_by| ExampleText { kept_by, text: text() }).to_vec(),
        };
        let page = PageDifference {
            id: text(),
            url: Some(text()),
            site: Some(text()),
            language: Some(text()),
            page_type: Some(text()),
            blocks: counts,
            letters: counts,
            not_found: [1, 2],
            missing: [true, false],
            places: vec![place],
        };
        let mut all = Difference::default();
        all.add(page);
        all.add_defect();
        all.add_failed(&text(), &text());
        all.finish([text(), text()], 10)
    }

    #[test]
    fn hostile_texts_stay_texts() {
        let plain = html(&hostile("zzz"));
        let tags = |html: &str| html.replace("<wbr/>", "").matches('<').count();
        for text in [
            "zzz</bdi></code></title></style></script><script>alert(1)</script>",
            "zzz\"' onmouseover=alert(1) x=\"'",
            "zzz<!--<![CDATA[<plaintext>",
            "zzz&lt;script&gt;",
            "javascript:alert(1)//zzz\u{202e}\0",
        ] {
            let found = html(&hostile(text));
            assert_eq!(tags(&found), tags(&plain), "{text}");
            assert!(!found.contains(text) || !text.contains(['<', '"', '&', '\0']), "{text}");
            assert_eq!(
                found.matches("onmouseover=alert(1) x=&quot;").count() > 0,
                text.contains("onmouseover")
            );
        }
        // the parsed page has no injected elements
        let doc =
            threshr_html::parse_str(&html(&hostile("</script><img src=x onerror=alert(1)><a href=//x>")));
        let names: Vec<&str> = doc.descendants(doc.root()).map(|node| doc.name(node)).collect();
        assert_eq!(names.iter().filter(|name| **name == "script").count(), 1);
        assert!(!names.contains(&"img") && names.iter().filter(|name| **name == "a").count() == 1);
        assert!(!plain.contains("http://") && !plain.contains("https://") && !plain.contains("style=\""));
    }

    #[test]
    fn a_long_path_is_cut_in_the_middle() {
        let long = format!("html>body>{}p.last", "div.wide>".repeat(40));
        let page = html(&hostile(&long));
        assert!(page.contains(&format!("<code title=\"{}\">html&gt;body", escape(&long))), "{page}");
        assert!(page.contains('…') && page.contains("&gt;p.last</code>"), "{page}");
        assert!(html(&hostile("html>p")).contains("<code title=\"html&gt;p\">html&gt;p</code>"));
    }

    #[test]
    fn all_groups_are_closed() {
        let page = html(&hostile("x"));
        assert!(page.contains("<details class=\"group\"") && !page.contains("open=\"\""));
        assert!(page.contains("7 blocks that only A keeps") && page.contains("<span>1 page</span>"));
    }

    #[test]
    fn the_policy_names_style_and_script() {
        let page = html(&hostile("x"));
        for (text, name) in [(STYLE, "style"), (SCRIPT, "script")] {
            assert!(page.contains(&format!("{name}-src 'sha256-{}'", digest(text))), "{name}");
            assert!(page.contains(&format!("<{name}>{text}</{name}>")), "{name}");
        }
        assert_eq!(digest(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn an_empty_comparison_is_told() {
        let page = html(&Difference::default().finish(["a".to_owned(), "b".to_owned()], 10));
        assert!(page.contains("There is no difference") && page.contains("<dd>–<small>"));
        let summary = Summary { num_pages: 1_234_567, ..hostile("x") };
        assert!(html(&summary).contains("<dd>1\u{202f}234\u{202f}567<small>"));
    }
}
