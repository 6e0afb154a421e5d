//! Converts a snapshot of a page in Chromium to HTML and geometry. The HTML is the state of the page after
//! its scripts have run.
//!
//! Both are created from one response of `DOMSnapshot.captureSnapshot`, so that they are consistent. This
//! crate does not start a browser; the module `threshr.render` of the Python package starts it.

mod geometry;
mod html;
mod served;
mod snapshot;

pub use served::served;
pub use snapshot::{STYLES, Snapshot};

use threshr_core::{Budget, Result};
use threshr_html::DrawnPage;

/// A rendered page.
#[derive(Debug, Clone)]
pub struct Page {
    /// The page after its scripts have run, as HTML in UTF-8 with a byte-order mark.
    pub html: String,
    /// Positions of the rendered elements.
    pub geometry: DrawnPage,
    /// Number of elements in which the parsed HTML differs from the rendered page: rendered elements that
    /// are missing and have no geometry, rendered elements with another parent, and elements that are not
    /// rendered.
    pub num_lost: usize,
}

/// Converts a snapshot to a page. If the page has no `<base>` with an absolute URL, `address` becomes its
/// `<base>`.
///
/// # Errors
/// If the snapshot is invalid or too large, its HTML does not parse to the rendered elements, or the budget
/// is exhausted.
pub fn page(snapshot: &Snapshot, address: Option<&str>, budget: &Budget) -> Result<Page> {
    let drawing = snapshot.page()?;
    let plain = html::write(snapshot, drawing, address, false)?;
    let marked = html::write(snapshot, drawing, address, true)?;
    let (geometry, num_lost) = geometry::of(snapshot, drawing, &marked, &plain, budget)?;
    Ok(Page { html: plain, geometry, num_lost })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `<p style="color: #fff">Text <b>bold</b></p>` in a page of 800 × 600 pixels, without a `<head>`
    /// element.
    const SNAPSHOT: &str = r#"{
        "documents": [{
            "publicId": -1, "systemId": -1, "contentWidth": 800, "contentHeight": 600.126,
            "nodes": {
                "parentIndex": [-1, 0, 1, 2, 3, 4, 3, 6],
                "nodeType": [9, 1, 1, 1, 3, 1, 1, 3],
                "nodeName": [-1, 1, 2, 3, -1, 4, 5, -1],
                "nodeValue": [-1, -1, -1, -1, 6, -1, -1, 7],
                "attributes": [[], [], [], [8, 9], [], [], [], []],
                "pseudoType": {"index": [5], "value": [4]}
            },
            "layout": {
                "nodeIndex": [2, 3, 4, 6, 7],
                "styles": [[10, 11, 12, 13, 14, 15, 16], [10, 11, 17, 18, 14, 15, 16], [], [10, 19, 17, 13, 14, 15, 20], []],
                "bounds": [[0, 0, 800, 600], [8, 8, 784, 20], [8, 8, 40, 18], [48, 8, 30, 18], [48, 8, 30, 18]],
                "paintOrders": [0, 1, 1, 1, 1]
            },
            "textBoxes": {"layoutIndex": [2, 4], "bounds": [[8, 8, 40, 18], [48, 8, 30, 18]]}
        }],
        "strings": ["http://page.invalid/", "HTML", "BODY", "P", "::before", "B", "Text & ", "bold", "style", "color: #fff",
            "16px", "400", "rgb(0, 0, 0)", "rgba(0, 0, 0, 0)", "visible", "1", "block", "rgb(255, 255, 255)", "rgb(0, 0, 128)",
            "700", "inline"]
    }"#;

    #[test]
    fn a_snapshot_becomes_page_and_geometry() {
        let snapshot = Snapshot::parse(SNAPSHOT.as_bytes()).expect("read");
        let page = page(&snapshot, Some("http://a.example/"), &Budget::UNLIMITED).expect("a page");
        let expected =
            "\u{feff}<html><body><p style=\"color: #fff\">Text &amp; <b>bold</b></p></body></html>";
        assert_eq!((page.html.as_str(), page.num_lost), (expected, 0));
        assert_eq!(page.geometry.page, [800.0, 600.13]);
        let mut paths: Vec<&str> = page.geometry.elements.keys().map(String::as_str).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["/html/body", "/html/body/p", "/html/body/p/b"]);
        let style = |path: &str| page.geometry.styles[page.geometry.elements[path].style as usize];
        let (body, bold) = (style("/html/body"), style("/html/body/p/b"));
        assert_eq!((body.font_weight, bold.font_weight), (400.0, 700.0));
        assert_eq!((bold.color.0, bold.background.0), ([255; 3], [0, 0, 128]));
    }

    #[test]
    fn damaged_snapshots_are_errors() {
        for (from, to) in [
            ("\"parentIndex\": [-1, 0", "\"parentIndex\": [-1, 1"),
            ("\"nodeType\": [9, ", "\"nodeType\": ["),
            ("\"nodeIndex\": [2, ", "\"nodeIndex\": ["),
            ("\"documents\": [{", "\"documents\": [], \"other\": [{"),
        ] {
            let damaged = SNAPSHOT.replace(from, to);
            assert_ne!(damaged, SNAPSHOT, "{from}");
            let snapshot = Snapshot::parse(damaged.as_bytes()).expect("read");
            assert!(page(&snapshot, None, &Budget::UNLIMITED).is_err(), "{to}");
        }
        assert!(Snapshot::parse(b"{}").is_err());
    }
}
