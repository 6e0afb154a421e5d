//! Document types that cause quirks mode, in which a table does not end a paragraph.

use crate::tokenizer::Doctype;

/// Prefixes of public identifiers that cause quirks mode, in lower case.
const PREFIXES: &str = include_str!("../../data/quirks_doctypes.txt");

/// Complete public identifiers that cause quirks mode.
const WHOLE: [&str; 3] =
    ["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// Prefixes of public identifiers that cause quirks mode only if there is no system identifier.
const WITHOUT_SYSTEM: [&str; 2] =
    ["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

const SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Whether a page with this document type is in quirks mode.
pub(crate) fn is_quirky(doctype: &Doctype) -> bool {
    if doctype.force_quirks || doctype.name.as_deref() != Some("html") {
        return true;
    }
    let public = doctype.public_id.as_deref().map(str::to_ascii_lowercase);
    let begins = |prefix: &str| public.as_deref().is_some_and(|p| p.starts_with(prefix));
    public.as_deref().is_some_and(|p| WHOLE.contains(&p))
        || doctype.system_id.as_deref().is_some_and(|s| s.eq_ignore_ascii_case(SYSTEM))
        || PREFIXES.lines().skip(1).any(begins)
        || (doctype.system_id.is_none() && WITHOUT_SYSTEM.into_iter().any(begins))
}
