//! The tree builder beside html5ever.

use crate::Target;
use threshr_html::{decode, oracle};

pub(crate) static TARGET: Target =
    Target { name: "tree", summary: "a page: our tree equals that of html5ever", body };

fn body(bytes: &[u8]) {
    // html5ever drops U+FEFF after scripts and `<meta charset>`.
    let html = decode(bytes, None).text.replace('\u{feff}', "");
    for scripting in [true, false] {
        if let Some(difference) = oracle::difference(&html, scripting) {
            panic!("scripting {scripting}: {difference}");
        }
    }
}
