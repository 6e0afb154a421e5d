//! The options of an extractor with their names in each interface: Rust, command line and Python.

use threshr_core::Setting;

/// An option of an extractor.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ExtractionOption {
    /// The setting. Its name is also the keyword in Python.
    pub setting: Setting,
    /// The methods of [`ExtractorBuilder`](crate::ExtractorBuilder).
    pub builder: &'static [&'static str],
    /// Options of `threshr predict`, without leading hyphens.
    pub command: &'static [&'static str],
    /// Feature of the package `threshr` that the methods need. Empty if they need none.
    pub feature: &'static str,
    /// Description of the option, for the reference.
    pub summary: &'static str,
}

const fn option(
    setting: Setting,
    builder: &'static [&'static str],
    command: &'static [&'static str],
    summary: &'static str,
) -> ExtractionOption {
    ExtractionOption { setting, builder, command, feature: "", summary }
}

/// All options of an extractor. Tests compare this table with the methods of the builder, the options of
/// `threshr predict` and the keywords in Python.
pub static OPTIONS: &[ExtractionOption] = &[
    option(
        Setting::Model,
        &["model", "model_file", "model_bytes"],
        &["model"],
        "another model than `default`",
    ),
    ExtractionOption {
        feature: "systems",
        ..option(Setting::System, &["system"], &["system"], "a published system instead of a model")
    },
    ExtractionOption {
        feature: "systems",
        ..option(Setting::SystemOptions, &["system_option"], &["system-param"], "an option of the system")
    },
    option(Setting::Policy, &["policy"], &["policy"], "what counts as content"),
    option(Setting::Filter, &["filter"], &["filter", "filter-depth"], "the filter after the decision rule"),
    option(Setting::Threshold, &["threshold"], &["threshold"], "the minimum score of content, 0 to 1"),
    option(Setting::Decision, &["decision"], &["decision"], "the rule that sets the minimum score"),
    option(Setting::Favor, &["favor"], &["favor"], "`precision`, `balance` or `recall`"),
    ExtractionOption {
        feature: "selectors",
        ..option(Setting::Select, &["select"], &["select"], "keep only blocks inside these elements")
    },
    ExtractionOption {
        feature: "selectors",
        ..option(Setting::Drop, &["drop"], &["drop"], "leave out blocks inside these elements")
    },
    option(Setting::Charset, &["charset"], &["charset"], "the charset of all pages"),
    option(
        Setting::KeepHidden,
        &["keep_hidden"],
        &["keep-hidden", "no-hidden"],
        "whether hidden text is read",
    ),
    option(
        Setting::StrictVisibility,
        &["strict_visibility"],
        &["strict-visibility"],
        "leave out hidden text even on pages where nearly all text is hidden",
    ),
    option(
        Setting::SourceMap,
        &["source_map"],
        &["units"],
        "give each unit its byte range in the page; `--units` writes the range",
    ),
    option(Setting::Title, &["title"], &["no-title"], "whether Markdown and HTML begin with the title"),
    option(Setting::Links, &["links"], &["no-links"], "whether Markdown and HTML contain links"),
    option(Setting::Images, &["images"], &["no-images"], "whether Markdown and HTML contain images"),
    option(Setting::Tables, &["tables"], &["no-tables"], "whether Markdown contains tables"),
    option(Setting::Formulas, &["formulas"], &["no-formulas"], "whether Markdown and HTML contain formulas"),
    option(Setting::Timeout, &["timeout"], &["page-seconds"], "the limit of CPU time of a page"),
    option(Setting::MaxBytes, &["max_bytes"], &["page-mb"], "the limit of the size of a page"),
    option(Setting::MaxMemory, &["max_memory"], &["page-memory"], "the limit of memory of a page"),
];
