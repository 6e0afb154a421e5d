//! Units, and the output formats that are generated from units, for the sample pages.

use crate::support::{output, repository, sample, threshr};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Returns the letters and digits of a string.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the letters and digits of HTML, without tags.
fn letters_of_html(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        rest = rest[start..].split_once('>').map_or("", |(_, after)| after);
    }
    text.push_str(rest);
    for (reference, sign) in [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\"")] {
        text = text.replace(reference, sign);
    }
    letters(&text)
}

/// Returns the letters and digits of rendered Markdown. Ignores alternative texts of images. The marker of a box such as
/// `[!NOTE]` is `NOTE` between two control characters.
fn letters_of_markdown(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_GFM
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH;
    let mut out = String::new();
    let mut num_images = 0;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::BlockQuote(Some(kind))) => {
                out.push_str(&format!("\u{1}{}\u{2}", format!("{kind:?}").to_uppercase()));
            }
            Event::Start(Tag::Image { .. }) => num_images += 1,
            Event::End(TagEnd::Image) => num_images -= 1,
            Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text)
                if num_images == 0 =>
            {
                out.push_str(&letters(&text));
            }
            Event::Html(html) | Event::InlineHtml(html) => out.push_str(&letters_of_html(&html)),
            Event::FootnoteReference(label) => out.push_str(&letters(&label)),
            _ => {}
        }
    }
    out
}

/// Extracts the sample pages as JSON lines with these options.
fn pages(options: &[&str]) -> Vec<serde_json::Value> {
    let mut command = threshr();
    command.arg("predict").arg(sample().join("pages")).args(["--format", "jsonl", "-q"]).args(options);
    output(&mut command).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Resolves the markers of boxes against the expected letters. A marker stands for a title that names the type of the box;
/// other titles stand behind it.
fn without_markers(rendered: &str, expected: &str) -> String {
    let mut parts = rendered.split('\u{1}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (kind, rest) = part.split_once('\u{2}').expect("the end of a marker");
        let begins =
            |text: &str| text.get(..kind.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(kind));
        if let Some(title) =
            expected.get(out.len()..out.len() + kind.len()).filter(|t| begins(t) && !begins(rest))
        {
            out.push_str(title);
        }
        out.push_str(rest);
    }
    out
}

#[test]
fn rendered_markdown_has_the_letters_of_the_text() {
    let switches = ["--no-links", "--no-images", "--no-tables", "--no-formulas"];
    for options in [&[][..], &["--no-links"], &switches] {
        for page in pages(&[&["--markdown", "--no-title"], options].concat()) {
            let (text, markdown) = (page["text"].as_str().expect("text"), page["markdown"].as_str());
            let expected = letters(text);
            let rendered = without_markers(&letters_of_markdown(markdown.expect("Markdown")), &expected);
            let at = rendered.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
            let around = |text: &str| text.chars().skip(at.saturating_sub(20)).take(60).collect::<String>();
            assert!(
                rendered == expected,
                "{} {options:?}: rendered `{}`, text `{}`",
                page["id"],
                around(&rendered),
                around(&expected)
            );
        }
    }
}

#[test]
fn options_of_markdown_change_no_text() {
    let texts = |options: &[&str]| pages(options).into_iter().map(|p| p["text"].clone()).collect::<Vec<_>>();
    let plain = texts(&[]);
    for option in ["--no-links", "--no-images", "--no-tables", "--no-formulas", "--units", "--metadata"] {
        assert!(texts(&["--markdown", option]) == plain, "{option}");
    }
}

/// Calls `f` on all units of a page.
fn for_units(units: &serde_json::Value, f: &mut impl FnMut(&serde_json::Value)) {
    for unit in units.as_array().into_iter().flatten() {
        f(unit);
        for_units(&unit["children"], f);
    }
}

#[test]
fn tables_and_code_are_kept_whole() {
    let (mut num_tables, mut num_code) = (0, 0);
    for page in pages(&["--units"]) {
        for_units(&page["units"], &mut |unit| match unit["kind"].as_str() {
            Some("table") => {
                num_tables += 1;
                let cells = || {
                    unit["children"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter(|c| c["kind"] == "cell" && c["blocks"].is_array())
                };
                let num_kept = cells().filter(|c| c["kept"] == true).count();
                let num = cells().count();
                assert!(num_kept == 0 || num_kept == num, "{}: {num_kept} of {num} cells", page["id"]);
            }
            Some("code") => num_code += 1,
            _ => {}
        });
    }
    assert!(num_tables > 5 && num_code > 5, "{num_tables} tables, {num_code} code blocks");
}

#[test]
fn units_have_the_documented_form() {
    let schema = std::fs::read_to_string(repository("docs/reference/units.schema.json")).expect("a schema");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for page in pages(&["--units", "--metadata"]) {
        assert_eq!(page["schema"], 2);
        if let Some(error) = validator.iter_errors(&page["units"]).next() {
            panic!("{}: {error} at {}", page["id"], error.instance_path);
        }
        let mut paths = Vec::new();
        for_units(&page["units"], &mut |unit| {
            paths.push((unit["path"].as_str().expect("a path").to_owned(), unit["kind"].clone()));
        });
        assert!(
            !paths.is_empty() && paths.iter().all(|(path, _)| path.starts_with("html[1]")),
            "{}",
            page["id"]
        );
    }
    // The schema rejects invalid units.
    assert!(!validator.is_valid(&serde_json::json!([{"kind": "paragraph"}])));
    assert!(!validator.is_valid(&serde_json::json!([{"kind": "song", "kept": true, "path": "html[1]"}])));
}

/// Returns the text of a unit and of all units inside it.
fn text_of(unit: &serde_json::Value) -> String {
    let own = unit["text"].as_str().unwrap_or_default().to_owned();
    unit["children"].as_array().into_iter().flatten().map(text_of).fold(own, |all, text| all + "\n" + &text)
}

#[test]
fn units_are_where_their_source_says() {
    let mut num_found = 0;
    for page in pages(&["--units"]) {
        let id = page["id"].as_str().expect("an id");
        let path = sample().join("pages").join(format!("{id}.html"));
        let Ok(html) = String::from_utf8(std::fs::read(path).expect("a page")) else { continue };
        for_units(&page["units"], &mut |unit| {
            let text = text_of(unit);
            let Some(source) = unit["source"].as_array() else { return };
            let at = |i: usize| source[i].as_u64().expect("an offset") as usize;
            let part = html.get(at(0)..at(1)).unwrap_or_else(|| panic!("{id}: {source:?}"));
            assert!(!part.trim().is_empty());
            let word = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max();
            let longest = text.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|w| w.len());
            if word(&text) > Some(4) && unit["kind"] != "math" {
                num_found += 1;
                // only the first letters are compared, because a word may contain tags
                let begin = &longest.unwrap_or_default()[..4];
                assert!(letters_of_html(part).contains(begin), "{id}: {begin} in {part}");
            }
        });
    }
    assert!(num_found > 5_000, "{num_found}");
}

#[test]
fn comments_and_posts_say_who_wrote_them() {
    let path = sample().join("pages/0576.html");
    let line =
        output(threshr().arg("predict").arg(path).args(["--format", "jsonl", "--units", "--metadata", "-q"]));
    let page: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    // the page is a forum thread
    let comments = page["posts"].as_array().expect("posts");
    let named = comments
        .iter()
        .filter(|c| c["author"].is_string() && c["text"].as_str().is_some_and(|t| !t.is_empty()));
    assert!(comments.len() > 5 && named.count() == comments.len(), "{comments:?}");
    let mut num_posts = 0;
    for_units(&page["units"], &mut |unit| {
        num_posts += usize::from(unit["kind"] == "post" && unit["author"].is_string())
    });
    assert!(num_posts >= comments.len(), "{num_posts}");
}

#[test]
fn hostile_structures_are_written_within_the_limit() {
    let text = "It rained all day in the north of the country, and some rivers rose by two metres, the police said. ";
    let repeat = |piece: &str, times: usize| piece.repeat(times);
    let cells = format!("<tr>{}", repeat("<td>a b", 60));
    let pages = [
        ("lists", repeat("<ul><li>", 2_000)),
        ("quotations", repeat("<blockquote>", 2_000)),
        ("nested tables", repeat("<table><tr><td>", 1_000)),
        ("cells", format!("<table>{}", repeat(&cells, 1_000))),
        ("definitions", repeat("<dl><dt>a<dd>", 1_000)),
        ("marks", repeat("<b>a<i>b", 1_000)),
        ("links", (0..10_000).map(|i| format!("<a href=/{i}><b>t</b> {i}</a> ")).collect()),
        ("images", (0..10_000).map(|i| format!("<img src=/{i} alt=a>")).collect()),
        ("brackets", repeat("[", 50_000)),
        ("dollars", format!("<script src=mathjax.js></script>{}", repeat("$x ", 50_000))),
        ("open formulas", repeat("word \\( ", 100_000)),
        ("formulas and runs", repeat("<b>a</b> \\(x\\) ", 40_000)),
        ("readings", format!("<ruby>{}", repeat("<rt>a", 100_000))),
        ("rules", format!("{}{}", repeat("-", 400_000), repeat("<hr>", 100_000))),
        (
            "nested captions",
            repeat("<table><caption>c</caption><tr><td>a<td>b<tr><td>c<td>", 120)
                + &repeat("<b></b>", 50_000),
        ),
        ("formula", format!("<math>{}<mi>x", repeat("<mrow><msup>", 400))),
        ("notes", (0..2_000).map(|i| format!("<p>a<sup><a href=#n{i}>{i}</a></sup><p id=n{i}>b")).collect()),
    ];
    for (name, page) in pages {
        let html = format!("<article><p>{text}{text}<p>{text}{page}{text}");
        for format in ["text", "markdown", "html", "tei"] {
            let mut command = threshr();
            command.args([
                "predict",
                "-",
                "--system",
                "keep-everything",
                "--page-seconds",
                "4",
                "--format",
                format,
            ]);
            assert!(output(command.write_stdin(html.clone())).contains("rained"), "{name} {format}");
        }
        let mut command = threshr();
        command.args(["predict", "-", "--system", "keep-everything", "--page-seconds", "4"]);
        let json = output(command.args(["--format", "jsonl", "--units"]).write_stdin(html));
        // the JSON parser accepts at most 128 nested levels
        let page: serde_json::Value = serde_json::from_str(&json).expect(name);
        assert!(page["units"].is_array() && page["error"].is_null(), "{name}");
    }
}

#[test]
fn posts_lose_no_text() {
    let rows =
        "<tr class=comment><td class=author>Ann Miller<td>A long comment on the rain in the north".repeat(3);
    let texts = [
        format!("<table><thead><tr><th>Name<th>Text</thead>{rows}</table>"),
        "<ul class=post><li class=comment><b class=author>Ann</b><p>It rained.</ul>".to_owned(),
        "<details class=comment><summary>Ann</summary><b class=author>Ann</b><p>It rained.</details>"
            .to_owned(),
        "<dl class=post><dt class=author>Ann<dd class=post>It rained.</dl>".to_owned(),
    ];
    for page in texts {
        let of = |format: &str| {
            let mut command = threshr();
            command.args(["predict", "-", "--system", "keep-everything", "-q", "--format", format]);
            output(command.write_stdin(page.clone()))
        };
        let text = letters(&of("text"));
        let html = of("html");
        let mut parts = html.split("<footer>");
        let mut own = parts.next().unwrap_or_default().to_owned();
        // the footer contains author and date of a post
        own.extend(parts.map(|part| part.split_once("</footer>").map_or("", |(_, after)| after)));
        assert_eq!(letters_of_html(&own), text, "{page}");
    }
}

#[test]
fn without_images_nothing_is_left_of_them() {
    let page = "<p>It rained.<figure><img src=x.png></figure><p><img src=y.png><p>All day.";
    let of = |options: &[&str]| {
        let mut command = threshr();
        command.args(["predict", "-", "--system", "keep-everything", "-q", "--format", "html"]).args(options);
        output(command.write_stdin(page))
    };
    assert_eq!(of(&["--no-images"]), "<article>\n<p>It rained.</p>\n<p>All day.</p>\n</article>\n");
    assert_eq!(of(&[]).matches("<img").count(), 2);
}
