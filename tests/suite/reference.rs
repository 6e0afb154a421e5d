//! The pages of `docs/reference` are generated from the registries.
//!
//! After a change of a registry, write them anew with `THRESHR_BLESS=1 cargo test --test suite reference`.

use crate::support::repository;
use std::collections::BTreeMap;
use std::fmt::Write;
use threshr::training::Recipe;
use threshr_core::policy::{NAMED, PROPERTIES, PolicyChoice};
use threshr_evaluate::metrics;
use threshr_extract::recipe::AugmentationRecipe;
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
        about: "A recipe names a classifier under `[classifier]`, with its settings under `params`. On the command line \
                these are `--classifier` and `--param KEY=VALUE`.",
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
        about: "The steps from the scores of blocks to labels, the policies, and how a page is cut into blocks.",
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

/// The settings of a recipe: key, values, meaning.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("seed", "integer", "seed of all random numbers"),
    ("page.keep_hidden", "true, false", "blocks also contain hidden text"),
    ("page.weigh_hidden", "true, false", "hidden text becomes blocks of its own, which the model labels"),
    (
        "page.strict_visibility",
        "true, false",
        "text that is hidden until a script runs stays hidden, even if this is nearly all text of the page",
    ),
    ("block.segmentation", "a segmentation, see Decisions", "where blocks end"),
    ("features.set", "a feature set, see Features", "the columns of the model"),
    ("features.neighbours", "list of distances", "neighbouring blocks whose columns are added"),
    ("labels.threshold", "0 to 1", "least share of content tokens of a content block"),
    ("labels.min_aligned", "0 to 1", "pages are not trained on if less of their gold is found in the blocks"),
    (
        "labels.mask_repeats",
        "true, false",
        "boilerplate blocks with the text of a content block are not trained on",
    ),
    ("weights.page", "equal, blocks", "pages of equal weight, or blocks of equal weight"),
    ("weights.class", "none, balanced", "no class weights, or equal total weight of content and boilerplate"),
    ("weights.block", "equal, log, sqrt, words", "weight of a block by its number of words"),
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
        "share of the pages that are trained on without attributes",
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
    ("augmentation.max_stories", "5 to 1000", "an inserted list has fewer stories than this"),
    (
        "augmentation.replace_content",
        "0 to 1",
        "share of the pages with a second example with content of another page type",
    ),
    ("classifier.name", "a classifier, see Classifiers", "the classifier"),
    ("classifier.params", "table", "settings of the classifier; missing ones have their defaults"),
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

/// A recipe as the values of its keys, such as `decision.folds`.
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
    // settings with these values are not written to files
    let unwritten = |key: &str| match key {
        "page.weigh_hidden" | "policy.vary" | "page_level.types" | "page_level.quality" => "false".to_owned(),
        "policy.default" => format!("{:?}", PolicyChoice::default().name()),
        "policy.sets" | "classifier.params" => "{}".to_owned(),
        "augmentation.max_stories" => AugmentationRecipe::default().max_stories.to_string(),
        "decision.rule" => format!("{:?}", decision::REGISTRY[0].name),
        "decision.threshold" => String::new(),
        key if key.starts_with("augmentation.") => "0.0".to_owned(),
        key => panic!("{key} has no default"),
    };
    let row = |&(key, values, meaning): &(&str, &str, &str)| {
        let default = defaults.get(key).cloned().unwrap_or_else(|| unwritten(key));
        let default = if default.is_empty() { default } else { code(&default) };
        vec![code(key), values.to_owned(), default, meaning.to_owned()]
    };
    Page {
        file: "recipe.md",
        title: "Recipe",
        about: "A recipe is a TOML file with the settings of a training run. `threshr train --recipe FILE` reads it; a model \
                file contains its recipe. Settings that are not given have their defaults; unknown keys are errors.",
        body: table("Settings", &["key", "values", "default", "meaning"], SETTINGS.iter().map(row)),
    }
}

#[test]
fn the_page_of_the_recipe_has_every_key_of_the_shipped_recipes() {
    let listed: Vec<&str> = SETTINGS.iter().map(|s| s.0).collect();
    for name in ["default", "research", "cleaneval", "tiny"] {
        let text = std::fs::read_to_string(repository(&format!("models/{name}.toml"))).expect("a recipe");
        let recipe = Recipe::from_toml(&text).expect("a recipe");
        let missing: Vec<String> =
            settings_of(&recipe).into_keys().filter(|key| !listed.contains(&key.as_str())).collect();
        assert!(missing.is_empty(), "{name}: add to SETTINGS: {missing:?}");
    }
    // and no key that a recipe does not have
    for (key, ..) in SETTINGS {
        let value = settings_of(&Recipe::default()).remove(*key);
        let Some(value) = value else { continue };
        Recipe::from_toml(&format!("{key} = {value}")).unwrap_or_else(|e| panic!("{key}: {e}"));
    }
}

#[test]
fn every_file_extension_has_one_format() {
    let formats = threshr_crawl::formats();
    let formats: Vec<_> = formats.iter().map(|f| (f.name, f.endings)).collect();
    let readers: Vec<_> = threshr_io::READERS.iter().map(|r| (r.name, r.endings)).collect();
    for registry in [formats, readers] {
        let mut owners = BTreeMap::new();
        for (name, endings) in registry {
            for ending in endings {
                let other = owners.insert(*ending, name);
                assert!(
                    other.is_none(),
                    "`{name}` and `{}` both have the extension .{ending}",
                    other.unwrap_or("")
                );
            }
        }
    }
}

#[test]
fn the_page_of_the_model_file_has_every_key() {
    let page = std::fs::read_to_string(repository("docs/reference/model-file.md")).expect("a page");
    for file in ["models/default.json", "models/cleaneval.json", "tests/suite/models/system.json"] {
        let text = std::fs::read_to_string(repository(file)).expect("a model");
        let model: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        for key in model.as_object().expect("an object").keys() {
            assert!(page.contains(&format!("`{key}`")), "{file}: docs/reference/model-file.md lacks `{key}`");
        }
    }
}

#[test]
fn reference_pages_are_those_of_the_registries() {
    let bless = std::env::var_os("THRESHR_BLESS").is_some_and(|v| v == "1");
    let mut stale = Vec::new();
    for Page { file, title, about, body } in
        [features(), systems(), classifiers(), decisions(), metric_page(), formats(), recipe()]
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
