//! The pages of `docs/reference` are generated from the registries.
//!
//! After a change of a registry, write them anew with `THRESHR_BLESS=1 cargo test --test suite reference`.

use crate::support::repository;
use std::fmt::Write;
use threshr_core::policy::{NAMED, PROPERTIES};
use threshr_evaluate::metrics;
use threshr_extract::{decision, filters};
use threshr_features::{NAMED_SETS, REGISTRY as FAMILIES};
use threshr_html::blocks;
use threshr_io::gold;

/// A page: its file, its title, what it says before the tables, and the tables.
struct Page {
    file: &'static str,
    title: &'static str,
    about: &'static str,
    body: String,
}

/// A text as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

/// A table under a heading.
fn table(heading: &str, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut out = format!("\n## {heading}\n\n| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

fn code(name: &str) -> String {
    format!("`{name}`")
}

fn features() -> Page {
    let mut body = table(
        "Named sets",
        &["set", "source", "expression"],
        NAMED_SETS.iter().map(|set| vec![code(set.name), set.source.to_owned(), code(set.expression)]),
    );
    for family in FAMILIES {
        let _ = write!(body, "\n## {}\n\n{}.\n", family.name(), family.summary());
        let _ = write!(
            body,
            "\n| column | unit | neighbours | version | definition | source |\n|---|---|---|---|---|---|\n"
        );
        for column in family.columns() {
            let neighbours = if column.neighbours { "yes" } else { "" };
            let _ = writeln!(
                body,
                "| `{}` | {} | {neighbours} | {} | {} | {} |",
                column.name,
                cell(column.unit),
                column.version,
                cell(&column.definition),
                cell(column.source)
            );
        }
    }
    Page {
        file: "features.md",
        title: "Features",
        about: "A column is called FAMILY.COLUMN. A feature set is an expression over families, columns and named sets, \
                such as `all,-group` or `shallow+density.link_density`. Columns with neighbours are added for the blocks \
                before and after by `--neighbours`; `NAME@-1` is the value of the block before. A column whose values \
                change gets a new version, and models trained with another version are refused.",
        body,
    }
}

fn systems() -> Page {
    let registries = threshr::registries();
    let mut body = String::new();
    for system in registries.systems.all() {
        let training = match (system.is_trainable(), system.must_be_trained()) {
            (false, _) => "Needs no training.",
            (true, false) => "Can be trained.",
            (true, true) => "Must be trained.",
        };
        let _ = write!(
            body,
            "\n## {}\n\n{}. Source: {}. {training}\n",
            system.name, system.summary, system.source
        );
        if !system.options.is_empty() {
            let _ = write!(body, "\n| option | default | what it does |\n|---|---|---|\n");
            for option in system.options {
                let _ = writeln!(
                    body,
                    "| `{}` | `{}` | {} |",
                    option.name,
                    cell(option.default),
                    cell(option.help)
                );
            }
        }
    }
    Page {
        file: "systems.md",
        title: "Systems",
        about: "Published methods that run on the same blocks and under the same evaluation as models: \
                `--system NAME`, or `--system NAME+FILTER` with a filter after it. `--system-param NAME.OPTION=VALUE` sets \
                an option.",
        body,
    }
}

fn classifiers() -> Page {
    let registries = threshr::registries();
    let mut body = String::new();
    for classifier in registries.classifiers.all() {
        let _ = write!(
            body,
            "\n## {}\n\n{}. Source: {}.\n\nLimits: {}\n\n| setting | default |\n|---|---|\n",
            classifier.name, classifier.summary, classifier.source, classifier.limits
        );
        for (key, value) in (classifier.defaults)().as_object().into_iter().flatten() {
            let _ = writeln!(body, "| `{key}` | `{}` |", cell(&value.to_string()));
        }
    }
    Page {
        file: "classifiers.md",
        title: "Classifiers",
        about: "What a recipe names under `[classifier]`, and `--classifier` on the command line. Settings stand under \
                `params`, or in `--param KEY=VALUE`.",
        body,
    }
}

fn decisions() -> Page {
    let mut body = table(
        "Decision rules",
        &["rule", "what it does", "source"],
        decision::REGISTRY.iter().map(|r| vec![code(r.name), r.summary.to_owned(), r.source.to_owned()]),
    );
    body += &table(
        "Filters",
        &["filter", "what it does", "source"],
        filters::REGISTRY.iter().map(|f| vec![code(f.name), f.summary.to_owned(), f.source.to_owned()]),
    );
    body += &table(
        "Policies",
        &["policy", "what counts as content", "properties"],
        NAMED.iter().map(|p| vec![code(p.name), p.summary.to_owned(), p.properties.join(", ")]),
    );
    body += &table(
        "Properties of policies",
        &["property", "what it is"],
        PROPERTIES.iter().map(|p| vec![code(p.name), p.definition.to_owned()]),
    );
    body += &table(
        "Segmentations",
        &["segmentation", "where blocks end", "source"],
        blocks::REGISTRY.iter().map(|s| vec![code(s.name), s.summary.to_owned(), s.source.to_owned()]),
    );
    Page {
        file: "decisions.md",
        title: "Decision rules, filters, policies, segmentations",
        about: "What stands between the blocks of a page and its content, apart from the classifier.",
        body,
    }
}

fn metric_page() -> Page {
    let mut body = String::new();
    for metric in metrics::REGISTRY {
        let _ = write!(
            body,
            "\n## {}\n\n{}. Source: {}.\n\n| column | definition |\n|---|---|\n",
            metric.name, metric.summary, metric.source
        );
        for column in metric.columns {
            let _ = writeln!(body, "| `{}` | {} |", column.name, cell(column.definition));
        }
    }
    Page {
        file: "metrics.md",
        title: "Metrics",
        about: "What `threshr evaluate --metrics` computes for every page.",
        body,
    }
}

fn formats() -> Page {
    let endings = |endings: &[&str]| endings.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" ");
    let mut body = table(
        "Output of `predict`",
        &["format", "endings", "what is written"],
        threshr_crawl::formats().iter().map(|f| vec![code(f.name), endings(f.endings), f.summary.to_owned()]),
    );
    body += &table(
        "Input of `predict`",
        &["format", "endings", "what is read"],
        threshr_io::READERS.iter().map(|r| vec![code(r.name), endings(r.endings), r.summary.to_owned()]),
    );
    body += &table(
        "Annotated sets",
        &["format", "what is read", "source"],
        gold::REGISTRY.iter().map(|r| vec![code(r.name), r.summary.to_owned(), r.source.to_owned()]),
    );
    Page { file: "formats.md", title: "Formats", about: "What is read and written.", body }
}

#[test]
fn reference_pages_are_those_of_the_registries() {
    let bless = std::env::var_os("THRESHR_BLESS").is_some_and(|v| v == "1");
    let mut stale = Vec::new();
    for Page { file, title, about, body } in
        [features(), systems(), classifiers(), decisions(), metric_page(), formats()]
    {
        let text = format!(
            "<!-- generated from the registries: THRESHR_BLESS=1 cargo test --test suite reference -->\n\n# {title}\n\n{about}\n{body}"
        );
        let path = repository(&format!("docs/reference/{file}"));
        if std::fs::read_to_string(&path).is_ok_and(|stored| stored == text) {
            continue;
        }
        if bless {
            std::fs::create_dir_all(repository("docs/reference")).expect("made");
            std::fs::write(&path, text).expect("written");
        }
        stale.push(file);
    }
    assert!(
        bless || stale.is_empty(),
        "stale: {}; THRESHR_BLESS=1 cargo test --test suite reference writes them",
        stale.join(", ")
    );
}
