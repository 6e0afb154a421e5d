//! Maps the settings that library errors refer to to command-line options.

use threshr::raw::OPTIONS;
use threshr_core::{Error, Setting};

/// Options for settings that are not extractor options, or that need an explanation.
const OTHERS: [(Setting, &str); 20] = [
    (Setting::Explain, "--explain without --system"),
    (Setting::Features, "--features; threshr features list has all columns"),
    (Setting::FieldNames, "--id-field, --url-field or --date-field"),
    (Setting::FolderLayout, "--format folder"),
    (Setting::Format, "--format"),
    (Setting::GoldFormat, "--gold-format"),
    (Setting::GoldLabels, "--gold-labels"),
    (Setting::GoldSelector, "--gold-selector"),
    (Setting::GoldTextField, "--text-field"),
    (Setting::HtmlField, "--html-field"),
    (Setting::Output, "--out"),
    (Setting::Overlap, "--overlap; --folds K without --model"),
    (Setting::Prior, "--prior"),
    (Setting::Recipe, "threshr train --recipe MODEL"),
    (Setting::Resume, "--resume"),
    (Setting::Site, "--site"),
    (Setting::SystemMethod, "--system of predict and evaluate"),
    (Setting::SystemTraining, "threshr train --system, then --model; in evaluate and compare also --folds"),
    (Setting::SystemOptions, "--system-param"),
    (Setting::SourceMap, "--units"),
];

/// Returns ` (option: --name)` for the setting that an error refers to. Returns an empty string if there is
/// none.
pub(super) fn of(error: &(dyn std::error::Error + 'static)) -> String {
    let setting = error.downcast_ref::<Error>().and_then(|error| error.setting);
    setting.and_then(option).map(|option| format!(" (option: {option})")).unwrap_or_default()
}

/// Returns the option for a setting.
fn option(setting: Setting) -> Option<String> {
    if let Some((_, option)) = OTHERS.iter().find(|(other, _)| *other == setting) {
        return Some((*option).to_owned());
    }
    let option = OPTIONS.iter().find(|option| option.setting == setting)?;
    Some(format!("--{}", option.command.first()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_an_option() {
        let missing: Vec<&Setting> = Setting::ALL.iter().filter(|s| option(**s).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn predict_has_the_options_of_an_extractor() {
        let command = crate::command();
        let predict = command.find_subcommand("predict").expect("a command");
        let has = |name: &str| predict.get_arguments().any(|arg| arg.get_long() == Some(name));
        for option in OPTIONS {
            assert!(option.command.iter().all(|name| has(name)), "{:?}", option.command);
        }
    }

    #[test]
    fn an_option_is_named_once() {
        let error = Error::data("the page is too large").with_setting(Setting::MaxBytes);
        assert_eq!(of(&error), " (option: --page-mb)");
        assert_eq!(of(&Error::data("damaged")) + &of(&std::io::Error::other("x")), "");
    }
}
