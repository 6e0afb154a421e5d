//! Library settings that errors can refer to.

use std::fmt;

macro_rules! settings {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// A library setting. An [`Error`](crate::Error) contains the setting that controls the failed operation,
        /// so that a program can show the name of its own option.
        ///
        /// Extractor options have the names of the builder methods and of the Python keyword arguments.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Setting {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Setting {
            /// All settings.
            pub const ALL: &[Setting] = &[$(Setting::$variant),*];

            /// Returns the name of the setting in the library.
            pub fn name(self) -> &'static str {
                match self {
                    $(Setting::$variant => $name,)*
                }
            }
        }
    };
}

settings! {
    /// The model of an extractor.
    Model = "model",
    /// The system of an extractor.
    System = "system",
    /// The options of the system.
    SystemOptions = "system_options",
    /// The policy that defines what counts as content.
    Policy = "policy",
    /// The filter that is applied after the decision rule.
    Filter = "filter",
    /// The minimum score of content blocks.
    Threshold = "threshold",
    /// The decision rule.
    Decision = "decision",
    /// Whether the decisions favor precision, recall or a balance.
    Favor = "favor",
    /// Selectors of elements whose blocks are kept.
    Select = "select",
    /// Selectors of elements whose blocks are dropped.
    Drop = "drop",
    /// The charset of pages.
    Charset = "charset",
    /// Whether hidden text is kept.
    KeepHidden = "keep_hidden",
    /// Whether hidden text is left out even if a script probably shows it.
    StrictVisibility = "strict_visibility",
    /// Whether output units contain their byte ranges in the page.
    SourceMap = "source_map",
    /// Whether the output begins with the title of the page.
    Title = "title",
    /// Whether the output contains links.
    Links = "links",
    /// Whether the output contains images.
    Images = "images",
    /// Whether tables are written as tables.
    Tables = "tables",
    /// Whether formulas are written as TeX.
    Formulas = "formulas",
    /// The CPU-time limit per page.
    Timeout = "timeout",
    /// The size limit per page.
    MaxBytes = "max_bytes",
    /// The memory limit per page.
    MaxMemory = "max_memory",
    /// Explanations of block scores.
    Explain = "Extractor::explain",
    /// The name of a feature set or column.
    Features = "FeatureSet",
    /// The recipe of a training run.
    Recipe = "Recipe",
    /// A system that labels pages without training.
    SystemMethod = "SystemChoice::method",
    /// Training of a system.
    SystemTraining = "SystemChoice::train",
    /// The site from whose pages a correction is learned.
    Site = "SiteFits::learn",
    /// The strength of the prior on a site correction.
    Prior = "SiteSettings::ridge",
    /// Whether pages that the evaluated model was trained on are refused, left out or scored.
    Overlap = "overlap",
    /// The record field that contains the HTML.
    HtmlField = "Fields::html",
    /// The record fields that contain ids, URLs and dates.
    FieldNames = "Fields",
    /// The format of an annotated data set.
    GoldFormat = "ReadOptions::format",
    /// The labels of an annotated data set that mean content.
    GoldLabels = "ReadOptions::labels",
    /// The CSS selector of the gold content in pages.
    GoldSelector = "ReadOptions::selector",
    /// The record field that contains the gold text.
    GoldTextField = "GoldFields::text",
    /// The output format.
    Format = "Format",
    /// The output format that writes a folder.
    FolderLayout = "Layout::Folder",
    /// The output file or folder.
    Output = "Output::create",
    /// Whether an incomplete output is continued.
    Resume = "Reuse::Resume",
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
