//! Named models with a policy, for commands that show or compare models.

use crate::args;
use std::path::Path;
use threshr_core::Result;
use threshr_core::policy::PolicyChoice;
use threshr_extract::{Extractor, Labeller, Options};
use threshr_html::ParseOptions;
use threshr_sets::gold::CleanevalWrapper;

/// Loads the model or trained system of a file. Returns the name that views and reports show, and an
/// extractor. `policy` returns the policy that replaces the default of the recipe. If `source_map` is true,
/// pages contain the source positions of their text.
///
/// # Errors
/// If the file cannot be read, or `policy` returns an error.
pub(super) fn named(
    path: &Path,
    source_map: bool,
    policy: impl FnOnce(&Labeller) -> Result<Option<PolicyChoice>>,
) -> Result<(String, Extractor)> {
    let labeller = Labeller::from(args::trained(path)?);
    let policy = policy(&labeller)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = policy.map_or_else(|| name.to_string(), |policy| format!("{name}, {}", policy.name()));
    let options = Options {
        policy,
        parse: ParseOptions { source_map, unwrap: Some(&CleanevalWrapper), ..ParseOptions::default() },
        page_type: true,
        quality: true,
        ..Options::default()
    };
    Ok((name, Extractor::new(labeller, options)))
}
