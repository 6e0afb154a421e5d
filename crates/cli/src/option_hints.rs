//! The options of this program for the settings that errors of the library name.

use threshr_core::Error;

/// The setting of the library, and the option for it.
const OPTIONS: [(&str, &str); 21] = [
    ("Cache", "--cache"),
    ("Extractor::explain", "--explain without --system"),
    ("Favor", "--favor"),
    ("FeatureSet", "--features; threshr features list has all columns"),
    ("Fields", "--id-field, --url-field or --date-field"),
    ("Fields::html", "--html-field"),
    ("Format", "--format"),
    ("GoldFields::text", "--text-field"),
    ("Layout::Folder", "--format folder"),
    ("Output::create", "--out"),
    ("ReadOptions::format", "--gold-format"),
    ("ReadOptions::labels", "--gold-labels"),
    ("ReadOptions::selector", "--gold-selector"),
    ("Recipe", "threshr train --recipe MODEL"),
    ("Reuse::Resume", "--resume"),
    ("SiteFits::learn", "--site"),
    ("SiteSettings::ridge", "--prior"),
    ("SystemChoice::method", "--system of predict and evaluate"),
    ("SystemChoice::train", "threshr train --system, then --model; in evaluate and compare also --folds"),
    ("most_bytes", "--page-mb"),
    ("most_memory", "--page-memory"),
];

/// The option for the setting of an error or of one of its causes, as ` (option: --name)`. Empty if there is none.
pub(super) fn of(error: &(dyn std::error::Error + 'static)) -> String {
    let setting = error.downcast_ref::<Error>().and_then(|error| error.setting);
    let option = OPTIONS.iter().find(|(name, _)| Some(*name) == setting);
    option.map(|(_, option)| format!(" (option: {option})")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Adds the settings that the errors in the Rust files of a folder name.
    fn collect(folder: &Path, settings: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, settings);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("text");
                let named = text.split(".with_setting(\"").skip(1);
                settings
                    .extend(named.filter_map(|rest| rest.split_once('"')).map(|(name, _)| name.to_owned()));
            }
        }
    }

    #[test]
    fn every_setting_has_an_option() {
        let mut settings = Vec::new();
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates"), &mut settings);
        settings.sort_unstable();
        settings.dedup();
        assert_eq!(settings, OPTIONS.map(|(setting, _)| setting));
    }

    #[test]
    fn an_option_is_named_once() {
        let error = Error::data("the page is too large").with_setting("most_bytes");
        assert_eq!(of(&error), " (option: --page-mb)");
        assert_eq!(of(&Error::data("damaged")) + &of(&std::io::Error::other("x")), "");
    }
}
