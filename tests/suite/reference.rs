//! Tests that the pages in `docs/reference` are generated from the registries.
//!
//! After a change of a registry, update the pages with `THRESHR_BLESS=1 cargo test --test suite reference`.

mod options;

use crate::support::{output, repository, threshr};
use options::options;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;
use threshr::training::Recipe;
use threshr_core::policy::{NAMED, PROPERTIES, PolicyChoice};
use threshr_evaluate::metrics;
use threshr_extract::baseline::System;
use threshr_extract::recipe::AugmentationRecipe;
use threshr_extract::{decision, filters};
use threshr_features::{Column, Family, NAMED_SETS, REGISTRY as FAMILIES};
use threshr_html::blocks;
use threshr_sets::gold;

/// A reference page: its file, its title, the text before the tables, and the tables.
struct Page {
    file: Cow<'static, str>,
    title: Cow<'static, str>,
    about: Cow<'static, str>,
    body: String,
}

/// Escapes text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

/// Formats a table under a heading.
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

/// Returns the value of a field if it is equal for all columns.
fn shared<T: PartialEq>(columns: &[Column], field: impl Fn(&Column) -> T) -> Option<T> {
    let first = field(columns.first()?);
    columns.iter().all(|column| field(column) == first).then_some(first)
}

/// Function that returns a field of a column as text.
type Field = fn(&Column) -> String;

/// Returns a sentence about a field that has this value in all columns of a family.
fn of_all_columns(field: &str, value: &str) -> String {
    match (field, value) {
        ("neighbours", "yes") => "`--neighbours` adds these columns for neighbouring blocks.".to_owned(),
        ("neighbours", _) => "`--neighbours` does not add these columns for neighbouring blocks.".to_owned(),
        ("source", _) => format!("Source: {value}."),
        ("unit", _) => format!("The unit of all columns is {value}."),
        _ => format!("All columns have {field} {value}."),
    }
}

/// Returns the page of a feature family. Values that all columns share are written above the table.
fn family(family: &dyn Family) -> Page {
    let columns = family.columns();
    let neighbours: Field = |column| if column.neighbours { "yes" } else { "no" }.to_owned();
    let fields: [(&str, Field); 5] = [
        ("unit", |column| column.unit.to_owned()),
        ("neighbours", neighbours),
        ("version", |column| column.version.to_string()),
        ("definition", |column| column.definition.to_string()),
        ("source", |column| column.source.to_owned()),
    ];
    let (mut of_all, mut head) = (Vec::new(), vec!["column"]);
    for (name, field) in fields {
        match shared(&columns, field).filter(|_| name != "definition") {
            Some(value) => of_all.push(of_all_columns(name, &cell(&value))),
            None => head.push(name),
        }
    }
    let mut about = format!("{}.", family.summary());
    for sentence in of_all {
        about += &format!(" {sentence}");
    }
    let mut body = format!("\n| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for column in &columns {
        let of_table = fields.iter().filter(|(name, _)| head.contains(name));
        let cells: Vec<String> = of_table.map(|(_, field)| cell(&field(column))).collect();
        let _ = writeln!(body, "| `{}` | {} |", column.name, cells.join(" | "));
    }
    let name = family.name();
    Page { file: format!("features/{name}.md").into(), title: name.into(), about: about.into(), body }
}

fn features() -> Vec<Page> {
    let mut body = table(
        "Named sets",
        &["set", "source", "expression"],
        NAMED_SETS.iter().map(|set| vec![code(set.name), set.source.to_owned(), code(set.expression)]),
    );
    let row = |family: &&dyn Family| {
        let name = family.name();
        vec![
            format!("[{name}](features/{name}.md)"),
            family.columns().len().to_string(),
            family.summary().to_owned(),
        ]
    };
    body += &table("Families", &["family", "columns", "what it describes"], FAMILIES.iter().map(row));
    let index = Page {
        file: "features.md".into(),
        title: "Features".into(),
        about: "A column is called FAMILY.COLUMN. A feature set is an expression over families, columns and named sets, \
                such as `all,-group` or `shallow+density.link_density`. `--neighbours` also adds columns with the values \
                of blocks before and after; `NAME@-1` is the value of the block before. A column whose values \
                change gets a new version, and models trained with another version are refused."
            .into(),
        body,
    };
    std::iter::once(index).chain(FAMILIES.iter().map(|f| family(*f))).collect()
}

/// Formats the sections of systems. Options that an earlier system on the page already has are not
/// repeated.
fn sections(systems: &[&'static System]) -> String {
    let mut body = String::new();
    for (i, system) in systems.iter().enumerate() {
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
        let text = |system: &System| -> Vec<[String; 3]> {
            system.options.iter().map(|o| [code(o.name), code(&cell(o.default)), cell(o.help)]).collect()
        };
        let options = text(system);
        let mut earlier = systems[..i].iter().filter(|_| !options.is_empty());
        if let Some(other) = earlier.find(|other| text(other) == options) {
            let _ = write!(body, "\nIt has the options of `{}`, with the same defaults.\n", other.name);
        } else if !options.is_empty() {
            let _ = write!(body, "\n| option | default | what it does |\n|---|---|---|\n");
            options.iter().for_each(|cells| {
                let _ = writeln!(body, "| {} |", cells.join(" | "));
            });
        }
    }
    body
}

/// A page for a group of systems: file, title, and whether a system belongs to the group.
type Group = (&'static str, &'static str, fn(&System) -> bool);

const GROUPS: [Group; 2] = [
    ("systems-boilerpipe.md", "Boilerpipe's extractors", |s| s.name.starts_with("boilerpipe")),
    ("systems-cleaneval-2007.md", "Systems of CleanEval 2007", |s| s.source.contains("CleanEval 2007")),
];

fn systems() -> Vec<Page> {
    let registries = threshr::registries();
    let mut rest: Vec<&'static System> = registries.systems.all().to_vec();
    let (mut pages, mut links) = (Vec::new(), Vec::new());
    for (file, title, is_member) in GROUPS {
        let (of_group, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|s| is_member(s));
        rest = others;
        links.push(format!("[{title}]({file})"));
        let about = "They run as the [other systems](systems.md).".into();
        pages.push(Page { file: file.into(), title: title.into(), about, body: sections(&of_group) });
    }
    let about = format!(
        "Published methods that run on the same blocks and under the same evaluation as models: `--system NAME`, or \
         `--system NAME+FILTER` with a filter after it. `--system-param NAME.OPTION=VALUE` sets an option. Separate \
         pages: {}.",
        links.join(", ")
    );
    pages.push(Page {
        file: "systems.md".into(),
        title: "Systems".into(),
        about: about.into(),
        body: sections(&rest),
    });
    pages
}

fn classifiers() -> Page {
    let registries = threshr::registries();
    let mut body = String::new();
    for classifier in registries.classifiers.all() {
        let _ = write!(
            body,
            "\n## {}\n\n{}. Source: {}.\n\nLimits: {}\n\n| setting | default |\n|---|---|\n",
            classifier.name(),
            classifier.summary,
            classifier.source,
            classifier.limits
        );
        for (key, value) in (classifier.defaults)().as_object().into_iter().flatten() {
            let _ = writeln!(body, "| `{key}` | `{}` |", cell(&value.to_string()));
        }
    }
    Page {
        file: "classifiers.md".into(),
        title: "Classifiers".into(),
        about: "A recipe names a classifier under `[classifier]`, with its settings under `params`. On the command line \
                these are `--classifier` and `--param KEY=VALUE`.".into(),
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
        file: "decisions.md".into(),
        title: "Decision rules, filters, policies, segmentations".into(),
        about:
            "The steps from the scores of blocks to labels, the policies, and how a page is split into blocks."
                .into(),
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
        file: "metrics.md".into(),
        title: "Metrics".into(),
        about: "What `threshr evaluate --metrics` computes for every page.".into(),
        body,
    }
}

fn formats() -> Page {
    let extensions =
        |extensions: &[&str]| extensions.iter().map(|e| format!(".{e}")).collect::<Vec<_>>().join(" ");
    let mut body = table(
        "Output of `predict`",
        &["format", "extensions", "what is written"],
        threshr_crawl::formats()
            .iter()
            .map(|f| vec![code(f.name), extensions(f.extensions), f.summary.to_owned()]),
    );
    body += &table(
        "Input of `predict`",
        &["format", "extensions", "what is read"],
        threshr_io::READERS
            .iter()
            .map(|r| vec![code(r.name), extensions(r.extensions), r.summary.to_owned()]),
    );
    body += &table(
        "Annotated sets",
        &["format", "what is read", "source"],
        gold::REGISTRY.iter().map(|r| vec![code(r.name), r.summary.to_owned(), r.source.to_owned()]),
    );
    Page {
        file: "formats.md".into(),
        title: "Formats".into(),
        about: "What is read and written.".into(),
        body,
    }
}

/// Settings of a recipe: key, possible values, description.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("seed", "integer", "seed of all random numbers"),
    ("page.keep_hidden", "true, false", "blocks also contain hidden text"),
    (
        "page.strict_visibility",
        "true, false",
        "text that is hidden until a script runs is left out, even if it is nearly all text of the page",
    ),
    ("block.segmentation", "a segmentation, see Decisions", "where blocks end"),
    ("features.set", "a feature set, see Features", "the columns of the model"),
    (
        "features.neighbours",
        "list of distances",
        "distances; the features of the blocks at these distances before and after a block are added",
    ),
    ("labels.threshold", "0 to 1", "minimum share of content tokens of a content block"),
    (
        "labels.min_aligned",
        "0 to 1",
        "minimum share of the gold text that the blocks of a page must contain; other pages are not used in training",
    ),
    (
        "labels.mask_repeats",
        "true, false",
        "boilerplate blocks with the same text as a content block are not used in training",
    ),
    (
        "labels.teacher",
        "a model file, or default, fast, tiny",
        "a model whose scores are learned in addition to the gold; on pages without gold, only its scores are learned",
    ),
    (
        "labels.teacher_weight",
        "0 to 1",
        "weight of the teacher's scores on pages with gold or snippets; the gold has the rest",
    ),
    ("weights.page", "equal, blocks", "pages of equal weight, or blocks of equal weight"),
    ("weights.class", "none, balanced", "no class weights, or equal total weight of content and boilerplate"),
    ("weights.block", "equal, log, sqrt", "weight of a block by its number of words"),
    ("policy.default", "a policy, or auto", "the policy of sets without one, and of predictions"),
    (
        "policy.vary",
        "true, false",
        "some training pages get another policy, so that the model learns overrides",
    ),
    ("policy.sets", "table: set to policy", "the policy of each training set"),
    (
        "augmentation.without_attributes",
        "0 to 1",
        "share of the pages whose attributes are removed in training",
    ),
    (
        "augmentation.insert_comments",
        "0 to 1",
        "share of the pages with a second example with inserted comments",
    ),
    (
        "augmentation.insert_stories",
        "0 to 1",
        "share of the pages with a second example with an inserted list of stories",
    ),
    ("augmentation.max_stories", "5 to 1000", "exclusive maximum number of stories in an inserted list"),
    ("classifier.name", "a classifier, see Classifiers", "the classifier"),
    ("classifier.params", "table", "settings of the classifier; missing settings have their defaults"),
    ("decision.folds", "2 to 100", "folds by site, whose held-out pages calibrate scores and tune the rule"),
    ("decision.rule", "a decision rule, see Decisions", "how scores become labels"),
    ("decision.threshold", "0 to 1", "the parameter of the rule; not set: tuned on held-out pages"),
    ("decision.filter", "a filter, see Decisions", "the filter after the rule"),
    (
        "page_level.types",
        "true, false",
        "learn page types from the sets that declare them, see the guide to pages",
    ),
    ("page_level.quality", "true, false", "learn the expected token F1 of the text of pages"),
];

/// Returns the values of a recipe by key, such as `decision.folds`.
fn settings_of(recipe: &Recipe) -> BTreeMap<String, String> {
    let table: toml::Table = recipe.to_toml().parse().expect("TOML");
    let mut values = BTreeMap::new();
    for (section, value) in table {
        match value {
            toml::Value::Table(settings) => {
                values.extend(settings.into_iter().map(|(k, v)| (format!("{section}.{k}"), v.to_string())));
            }
            value => {
                values.insert(section, value.to_string());
            }
        }
    }
    values
}

fn recipe() -> Page {
    let defaults = settings_of(&Recipe::default());
    // Default values of settings that are not written to files.
    let unwritten = |key: &str| match key {
        "policy.vary" | "page_level.types" | "page_level.quality" => "false".to_owned(),
        "policy.default" => format!("{:?}", PolicyChoice::default().name()),
        "policy.sets" | "classifier.params" => "{}".to_owned(),
        "augmentation.max_stories" => AugmentationRecipe::default().max_stories.to_string(),
        "decision.rule" => format!("{:?}", decision::REGISTRY[0].name),
        "decision.threshold" | "labels.teacher" => String::new(),
        "labels.teacher_weight" => Recipe::default().labels.teacher_weight.to_string(),
        key if key.starts_with("augmentation.") => "0.0".to_owned(),
        key => panic!("{key} has no default"),
    };
    let row = |&(key, values, meaning): &(&str, &str, &str)| {
        let default = defaults.get(key).cloned().unwrap_or_else(|| unwritten(key));
        let default = if default.is_empty() { default } else { code(&default) };
        vec![code(key), values.to_owned(), default, meaning.to_owned()]
    };
    Page {
        file: "recipe.md".into(),
        title: "Recipe".into(),
        about: "A recipe is a TOML file with the settings of a training run. `threshr train --recipe FILE` reads it; a model \
                file contains its recipe. Settings that are not given have their defaults; unknown keys are errors.".into(),
        body: table("Settings", &["key", "values", "default", "meaning"], SETTINGS.iter().map(row)),
    }
}

#[test]
fn the_page_of_the_recipe_has_every_key_of_the_shipped_recipes() {
    let listed: Vec<&str> = SETTINGS.iter().map(|s| s.0).collect();
    for name in ["default", "fast", "research", "cleaneval", "tiny"] {
        let text = std::fs::read_to_string(repository(&format!("models/{name}.toml"))).expect("a recipe");
        let recipe = Recipe::from_toml(&text).expect("a recipe");
        let missing: Vec<String> =
            settings_of(&recipe).into_keys().filter(|key| !listed.contains(&key.as_str())).collect();
        assert!(missing.is_empty(), "{name}: add to SETTINGS: {missing:?}");
    }
    // Every key in the table is a valid key of a recipe.
    for (key, ..) in SETTINGS {
        let value = settings_of(&Recipe::default()).remove(*key);
        let Some(value) = value else { continue };
        Recipe::from_toml(&format!("{key} = {value}")).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
}

#[test]
fn every_file_extension_has_one_format() {
    let formats = threshr_crawl::formats();
    let formats: Vec<_> = formats.iter().map(|f| (f.name, f.extensions)).collect();
    let readers: Vec<_> = threshr_io::READERS.iter().map(|r| (r.name, r.extensions)).collect();
    for registry in [formats, readers] {
        let mut owners = BTreeMap::new();
        for (name, extensions) in registry {
            for extension in extensions {
                let other = owners.insert(*extension, name);
                assert!(
                    other.is_none(),
                    "`{name}` and `{}` both have the extension .{extension}",
                    other.unwrap_or("")
                );
            }
        }
    }
}

#[test]
fn the_page_of_the_model_file_has_every_key() {
    let page = std::fs::read_to_string(repository("docs/reference/model-file.md")).expect("a page");
    for file in ["models/default.bin", "models/cleaneval.json", "tests/suite/models/system.json"] {
        let text = output(threshr().args(["model", "show", "--json", file]));
        let model: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for key in model.as_object().expect("an object").keys() {
            assert!(page.contains(&format!("`{key}`")), "{file}: docs/reference/model-file.md lacks `{key}`");
        }
    }
}

/// Inserts the feature families below the page of features in `docs/SUMMARY.md`.
fn summary_of_book(stored: &str) -> String {
    const BEFORE: &str = "- [Features](reference/features.md)\n";
    let (before, rest) = stored.split_once(BEFORE).expect("the page of features");
    let after = rest.find("\n- [").map_or("", |at| &rest[at + 1..]);
    let after = if rest.starts_with("- [") { rest } else { after };
    let line = |family: &&dyn Family| format!("  - [{0}](reference/features/{0}.md)\n", family.name());
    format!("{before}{BEFORE}{}{after}", FAMILIES.iter().map(line).collect::<String>())
}

/// Maximum number of words of a page.
const MAX_WORDS: usize = 1500;

#[test]
fn reference_pages_are_those_of_the_registries() {
    let bless = std::env::var_os("THRESHR_BLESS").is_some_and(|v| v == "1");
    let pages = features().into_iter().chain(systems());
    let pages = pages.chain([classifiers(), decisions(), metric_page(), formats(), options(), recipe()]);
    let mut files: Vec<(String, String)> = pages
        .map(|Page { file, title, about, body }| {
            let notice =
                "<!-- generated from the registries: THRESHR_BLESS=1 cargo test --test suite reference -->";
            let text = format!("{notice}\n\n# {title}\n\n{about}\n{body}");
            let is_word = |word: &&str| word.contains(char::is_alphanumeric);
            let num_words = text.split_whitespace().filter(is_word).count();
            assert!(num_words <= MAX_WORDS, "{file} has {num_words} words; split it");
            (format!("docs/reference/{file}"), text)
        })
        .collect();
    let stored = std::fs::read_to_string(repository("docs/SUMMARY.md")).expect("the list of pages");
    files.push(("docs/SUMMARY.md".to_owned(), summary_of_book(&stored)));
    let mut stale = Vec::new();
    for (file, text) in &files {
        let path = repository(file);
        if std::fs::read_to_string(&path).is_ok_and(|stored| stored == *text) {
            continue;
        }
        if bless {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, text).expect("written");
        }
        stale.push(file.as_str());
    }
    assert!(
        bless || stale.is_empty(),
        "stale: {}; THRESHR_BLESS=1 cargo test --test suite reference writes them",
        stale.join(", ")
    );
    for entry in std::fs::read_dir(repository("docs/reference/features")).expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_generated = files.iter().any(|(file, _)| *file == format!("docs/reference/features/{name}"));
        assert!(is_generated, "docs/reference/features/{name} is no page of a family: remove it");
    }
}
