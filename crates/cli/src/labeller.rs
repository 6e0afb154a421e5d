//! A model under a name and a policy, for commands that show or compare models.

use crate::args;
use std::path::Path;
use threshr_core::Result;
use threshr_core::policy::PolicyChoice;
use threshr_extract::{Extractor, Labeller, Options};
use threshr_html::ParseOptions;

/// The model or trained system of a file, with its name in views and reports. `policy` gives the policy that replaces
/// that of its recipe. With `source_map`, pages know where their texts are.
///
/// # Errors
/// If the file cannot be read, and those of `policy`.
pub(super) fn named(
    path: &Path,
    source_map: bool,
    policy: impl FnOnce(&Labeller) -> Result<Option<PolicyChoice>>,
) -> Result<(String, Extractor)> {
    let labeller = Labeller::from(args::trained(path)?);
    let policy = policy(&labeller)?;
    let strict_visibility =
        matches!(&labeller, Labeller::Model(model) if model.recipe().page.strict_visibility);
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = policy.map_or_else(|| name.to_string(), |policy| format!("{name}, {}", policy.name()));
    let options = Options {
        policy,
        parse: ParseOptions { strict_visibility, source_map, ..ParseOptions::default() },
        page_level: true,
        ..Options::default()
    };
    Ok((name, Extractor::new(labeller, options)))
}
