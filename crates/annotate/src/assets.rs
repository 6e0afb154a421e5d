//! Static files of the web application. They are compiled into the program.

/// A file of the application.
#[derive(Debug)]
pub(crate) struct Asset {
    pub(crate) name: &'static str,
    pub(crate) content_type: &'static str,
    pub(crate) content: &'static str,
}

macro_rules! assets {
    ($($name:literal $content_type:expr),* $(,)?) => {
        &[$(Asset {
            name: $name,
            content_type: $content_type,
            content: include_str!(concat!("../assets/", $name)),
        }),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// All files.
static ASSETS: &[Asset] = assets![
    "index.html" HTML,
    "app.css" CSS,
    "icon.svg" SVG,
    "api.js" SCRIPT,
    "app.js" SCRIPT,
    "blocks.js" SCRIPT,
    "details.js" SCRIPT,
    "frame.js" SCRIPT,
    "keys.js" SCRIPT,
    "labels.js" SCRIPT,
    "looks.js" SCRIPT,
    "messages.js" SCRIPT,
    "page.js" SCRIPT,
    "pages.js" SCRIPT,
    "saver.js" SCRIPT,
    "tabs.js" SCRIPT,
];

/// Returns the file with this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}
