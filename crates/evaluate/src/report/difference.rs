//! The report of what two sides keep otherwise: one HTML page with its own style and a small script for filters. A
//! content security policy allows these two only.

use crate::difference::{Counts, Example, Group, Keeper, NamedPages, PageOfGroup, Site, Summary};
use crate::report::markup::{escape, place, table};
use base64::Engine;
use sha2::{Digest, Sha256};
use std::fmt::Write;

const STYLE: &str = include_str!("difference.css");
const SCRIPT: &str = include_str!("difference.js");

/// Most characters of a path that are shown.
const MAX_PATH: usize = 90;

/// The HTML page of a comparison. The same summary gives the same bytes. All texts of pages are escaped.
pub fn html(summary: &Summary) -> String {
    let [a, b] = summary.names.each_ref().map(|name| escape(name));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\" data-report=\"threshr diff\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{a} – {b}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#groups\">To the differences</a>\n\
         <header><h1>What two sides keep otherwise</h1>\n\
         <p class=\"sides\"><b class=\"a\">A</b> <bdi>{a}</bdi> <b class=\"b\">B</b> <bdi>{b}</bdi></p></header>\n<main>\n",
        escape(&policy)
    );
    let _ = write!(
        out,
        "<div class=\"totals\">\n{}{}{}{}{}{}</div>\n",
        totals(summary),
        notes(summary),
        named("By page type", "page type", &summary.page_types),
        named("By language", "language", &summary.languages),
        top_pages(summary),
        errors(summary)
    );
    out.push_str(&groups(summary));
    let _ = write!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
    out
}

/// The checksum of a style or script in a content security policy.
fn digest(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
}

/// A whole number with narrow spaces between thousands.
fn whole(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

fn share(part: u64, all: u64) -> String {
    if all == 0 { "–".to_owned() } else { percent(Some(part as f64 / all as f64)) }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1}\u{202f}%", 100.0 * share))
}

fn kappa(counts: &Counts) -> String {
    counts.kappa().map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.3}").replace('-', "−"))
}

fn totals(summary: &Summary) -> String {
    let letters = &summary.letters;
    let card = |class: &str, name: &str, value: &str, more: &str| {
        format!("<div class=\"card {class}\"><dt>{name}</dt><dd>{value}<small>{more}</small></dd></div>\n")
    };
    let of_letters = |num: u64| share(num, letters.all());
    let mut out = "<h2>Totals</h2>\n<dl class=\"cards\">\n".to_owned();
    let different = share(summary.num_different, summary.num_pages);
    out.push_str(&card("", "pages", &whole(summary.num_pages), "compared"));
    out.push_str(&card("", "pages that differ", &whole(summary.num_different), &different));
    out.push_str(&card("", "agreement", &percent(letters.agreement()), "of letters"));
    out.push_str(&card("", "kappa", &kappa(letters), "of letters"));
    out.push_str(&card("a", "letters only A keeps", &whole(letters.only_a), &of_letters(letters.only_a)));
    out.push_str(&card("b", "letters only B keeps", &whole(letters.only_b), &of_letters(letters.only_b)));
    out.push_str(&card("both", "letters both keep", &whole(letters.both), &of_letters(letters.both)));
    out.push_str(&card("", "letters neither keeps", &whole(letters.neither), &of_letters(letters.neither)));
    out.push_str("</dl>\n");
    out.push_str(&bar(letters));
    let blocks = &summary.blocks;
    let _ = writeln!(
        out,
        "<p class=\"soft\">Blocks: {} both, {} only A, {} only B, {} neither; agreement {}, kappa {}.</p>",
        whole(blocks.both),
        whole(blocks.only_a),
        whole(blocks.only_b),
        whole(blocks.neither),
        percent(blocks.agreement()),
        kappa(blocks)
    );
    out
}

/// A bar with the shares of both, only A, only B, and neither.
fn bar(letters: &Counts) -> String {
    let all = letters.all().max(1) as f64;
    let mut x = 0.0;
    let parts = [
        ("both", "both", letters.both),
        ("a", "only A", letters.only_a),
        ("b", "only B", letters.only_b),
        ("none", "neither", letters.neither),
    ];
    let mut out = "<svg class=\"bar\" viewBox=\"0 0 1000 14\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Shares of letters: both, only A, only B, neither\">".to_owned();
    for (class, name, num) in parts {
        let width = 1000.0 * num as f64 / all;
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"14\"><title>{name}: {}</title></rect>",
            place(x),
            place(width),
            share(num, letters.all())
        );
        x += width;
    }
    out.push_str("</svg>\n<p class=\"legend\"><i class=\"both\"></i>both <i class=\"a\"></i>only A <i class=\"b\"></i>only B <i class=\"none\"></i>neither</p>\n");
    out
}

fn notes(summary: &Summary) -> String {
    let mut items = Vec::new();
    if summary.num_failed > 0 {
        items.push(format!("{} pages or inputs could not be read or compared.", whole(summary.num_failed)));
    }
    if summary.num_defects > 0 {
        items.push(format!("{} may be incomplete.", plural(summary.num_defects, "page")));
    }
    for (side, name) in ["A", "B"].into_iter().enumerate() {
        if summary.missing[side] > 0 {
            let num = whole(summary.missing[side]);
            items.push(format!("{name} has no text of {num} pages. They count as empty."));
        }
        if summary.not_found[side] > 0 {
            let num = whole(summary.not_found[side]);
            items
                .push(format!("{num} words of {name} are in no block of their page. They are not compared."));
        }
    }
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li>{item}</li>")).collect();
    format!("<ul class=\"notes\">{items}</ul>\n")
}

fn named(title: &str, head: &str, names: &[NamedPages]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let row = |found: &NamedPages| {
        vec![
            format!("<bdi>{}</bdi>", escape(&found.name)),
            whole(found.num_pages),
            whole(found.num_different),
            percent(found.letters.agreement()),
            whole(found.letters.only_a),
            whole(found.letters.only_b),
        ]
    };
    let rows: Vec<_> = names.iter().map(row).collect();
    let head = [head, "pages", "differ", "agree", "only A", "only B"];
    format!("<section><h2>{title}</h2>\n{}</section>\n", table(&head, &rows, 1))
}

fn top_pages(summary: &Summary) -> String {
    if summary.top_pages.is_empty() {
        return String::new();
    }
    let row = |page: &crate::difference::TopPage| {
        vec![
            page_name(&page.id, page.url.as_deref()),
            percent(page.letters.agreement()),
            whole(page.letters.only_a),
            whole(page.letters.only_b),
        ]
    };
    let rows: Vec<_> = summary.top_pages.iter().map(row).collect();
    let table = table(&["page", "agree", "only A", "only B"], &rows, 1);
    format!(
        "<section class=\"wide\"><h2>Pages that differ most</h2>\n<details><summary>{}</summary>\n{table}</details></section>\n",
        plural(rows.len() as u64, "page")
    )
}

fn errors(summary: &Summary) -> String {
    if summary.errors.is_empty() {
        return String::new();
    }
    let row = |page: &crate::difference::FailedPage| {
        let [id, error] = [&page.id, &page.error].map(|text| format!("<bdi>{}</bdi>", escape(text)));
        vec![id, error]
    };
    let rows: Vec<_> = summary.errors.iter().map(row).collect();
    format!(
        "<section class=\"wide\"><h2>Failed pages</h2>\n<details><summary>The first {}</summary>\n{}</details></section>\n",
        rows.len(),
        table(&["page", "error"], &rows, 2)
    )
}

/// The id of a page, and its URL where the id is not part of it. No links: the report loads nothing.
fn page_name(id: &str, url: Option<&str>) -> String {
    let url = url.filter(|url| !url.contains(id) && !id.contains(url));
    let url = url.map(|url| format!(" <bdi class=\"soft\">{}</bdi>", escape(url))).unwrap_or_default();
    format!("<bdi>{}</bdi>{url}", escape(id))
}

fn groups(summary: &Summary) -> String {
    let mut out = "<div class=\"groups\" id=\"groups\" tabindex=\"-1\">\n<h2>Differences by site and template</h2>\n\
         <p class=\"soft\">A group is the differing blocks of a site with the same path of elements. Sites and groups are sorted by letters that differ; the numbers behind A and B are letters that only this side keeps.</p>\n"
        .to_owned();
    if summary.sites.is_empty() && summary.left_out.num_groups == 0 {
        out.push_str("<p>There is no difference.</p>\n");
    }
    if !summary.sites.is_empty() {
        out.push_str(
            "<form class=\"tools\" id=\"tools\" hidden=\"\">\
             <label>Find <input type=\"search\" id=\"find\" placeholder=\"site, path, text or page\" autocomplete=\"off\"/></label>\
             <label>Show <select id=\"side\"><option value=\"\">all groups</option><option value=\"a\">only A keeps most</option><option value=\"b\">only B keeps most</option></select></label>\
             <button type=\"button\" id=\"open\">Open all</button><button type=\"button\" id=\"close\">Close all</button>\
             <output id=\"count\" aria-live=\"polite\"></output>\
             <span class=\"keys\"><kbd>/</kbd> find <kbd>j</kbd> <kbd>k</kbd> next, previous <kbd>Enter</kbd> open</span></form>\n",
        );
    }
    let most = summary.sites.iter().flat_map(|s| &s.groups).map(|g| g.letters.different()).max().unwrap_or(1);
    for site in &summary.sites {
        out.push_str(&site_section(site, most));
    }
    let left_out = &summary.left_out;
    if left_out.letters > 0 {
        let _ = writeln!(
            out,
            "<p class=\"soft\">Not listed: {} with few letters, {} in all. The totals include them.</p>",
            plural(left_out.num_groups, "group"),
            plural(left_out.letters, "letter")
        );
    }
    out.push_str("</div>\n");
    out
}

fn site_section(site: &Site, most: u64) -> String {
    let name = site
        .site
        .as_deref()
        .map_or_else(|| "<em>site unknown</em>".to_owned(), |site| format!("<bdi>{}</bdi>", escape(site)));
    let mut out = format!(
        "<section class=\"site\">\n<h3>{name} <small>{} of {} pages differ, agreement {}</small></h3>\n",
        whole(site.num_different),
        whole(site.num_pages),
        percent(site.letters.agreement())
    );
    for group in &site.groups {
        out.push_str(&group_details(group, most));
    }
    out.push_str("</section>\n");
    out
}

fn group_details(group: &Group, most: u64) -> String {
    let letters = &group.letters;
    let side = if letters.only_a >= letters.only_b { "a" } else { "b" };
    let [width_a, width_b] =
        [letters.only_a, letters.only_b].map(|num| 100.0 * num as f64 / most.max(1) as f64);
    let text = group.examples.first().map(|example| escape(&example.text)).unwrap_or_default();
    let mut out = format!(
        "<details class=\"group\" data-side=\"{side}\"><summary><div><bdi class=\"first\">{text}</bdi>{}</div><span>{}</span>\
         <svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"a\" x=\"0\" y=\"0\" width=\"{}\" height=\"10\"/><rect class=\"b\" x=\"{}\" y=\"0\" width=\"{}\" height=\"10\"/></svg>\
         <span class=\"num a\">A {}</span><span class=\"num b\">B {}</span></summary>\n",
        path(&group.path),
        plural(group.num_pages, "page"),
        place(width_a),
        place(width_a),
        place(width_b),
        whole(letters.only_a),
        whole(letters.only_b)
    );
    let _ = writeln!(
        out,
        "<p class=\"soft\">{} that only A keeps, {} that only B keeps.</p>",
        plural(group.blocks.only_a, "block"),
        whole(group.blocks.only_b)
    );
    let row = |example: &Example| {
        let side = match example.kept_by {
            Keeper::A => "<b class=\"a\">A</b>",
            Keeper::B => "<b class=\"b\">B</b>",
        };
        let seen = match example.num_seen {
            1 => String::new(),
            num => format!(" <small>{} times</small>", whole(num)),
        };
        vec![
            side.to_owned(),
            format!("<bdi class=\"text\">{}</bdi>{seen}", escape(&example.text)),
            format!("<bdi>{}</bdi>", escape(&example.page)),
        ]
    };
    let rows: Vec<_> = group.examples.iter().map(row).collect();
    out.push_str(&table(&["only", "text", "page"], &rows, 3));
    let name = |page: &PageOfGroup| format!("<li>{}</li>", page_name(&page.id, page.url.as_deref()));
    let names: String = group.pages.iter().map(name).collect();
    let more = group.num_pages.saturating_sub(group.pages.len() as u64);
    let more = if more > 0 { format!("<li>and {} more</li>", whole(more)) } else { String::new() };
    let _ = writeln!(out, "<ul class=\"pages\" aria-label=\"Pages\">{names}{more}</ul>\n</details>");
    out
}

/// A path on one line. The middle of a long one is cut; the title has all of it.
fn path(path: &str) -> String {
    let chars: Vec<char> = path.chars().collect();
    let part = |chars: &[char]| escape(&chars.iter().collect::<String>());
    let shown = if chars.len() > MAX_PATH {
        let (begin, end) = (MAX_PATH / 3, MAX_PATH - MAX_PATH / 3 - 1);
        format!("{}…{}", part(&chars[..begin]), part(&chars[chars.len() - end..]))
    } else {
        escape(path)
    };
    format!("<code title=\"{}\">{shown}</code>", escape(path))
}

/// A number of things.
fn plural(num: u64, thing: &str) -> String {
    format!("{} {thing}{}", whole(num), if num == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::{Difference, ExampleText, PageDifference, PlaceDifference};

    /// A summary whose texts all try to leave their place.
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
        // a browser reads the same elements
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
        let shown = path(&long);
        assert!(shown.starts_with(&format!("<code title=\"{}\">html&gt;body", escape(&long))), "{shown}");
        assert!(shown.contains('…') && shown.ends_with("&gt;p.last</code>"), "{shown}");
        assert_eq!(path("html>p"), "<code title=\"html&gt;p\">html&gt;p</code>");
    }

    #[test]
    fn all_groups_are_closed() {
        let page = html(&hostile("x"));
        assert!(page.contains("<details class=\"group\"") && !page.contains("open=\"\""));
        assert!(page.contains("7 blocks that only A keeps") && page.contains("<span>1 page</span>"));
        assert_eq!(
            (plural(1, "block"), plural(1_000, "block")),
            ("1 block".into(), "1\u{202f}000 blocks".into())
        );
    }

    #[test]
    fn the_policy_names_style_and_script() {
        let page = html(&hostile("x"));
        for (text, name) in [(STYLE, "style"), (SCRIPT, "script")] {
            assert!(page.contains(&format!("{name}-src &#39;sha256-{}&#39;", digest(text))), "{name}");
            assert!(page.contains(&format!("<{name}>{text}</{name}>")), "{name}");
        }
        assert_eq!(digest(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn an_empty_comparison_is_told() {
        let page = html(&Difference::default().finish(["a".to_owned(), "b".to_owned()], 10));
        assert!(page.contains("There is no difference") && page.contains("<dd>–<small>"));
        assert_eq!((whole(0), whole(1_234_567)), ("0".to_owned(), "1\u{202f}234\u{202f}567".to_owned()));
    }
}
