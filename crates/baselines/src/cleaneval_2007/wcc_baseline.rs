//! WCC's baseline: every block is a paragraph.

use threshr_extract::baseline::{How, Method, System, SystemInput};
use threshr_html::blocks::ParagraphClass;

/// Keeps every block as `<p>`. Two consecutive `<br>` end a block, as in all systems.
pub(crate) static SYSTEM: System = System {
    name: "wcc-baseline",
    summary: "keeps every block as a paragraph",
    source: "Hofmann & Weerkamp, CleanEval 2007",
    ..System::new(How::Plain(|_| Ok(Box::new(Baseline))))
};

#[derive(Debug)]
struct Baseline;

impl Method for Baseline {
    fn keep(&self, page: &SystemInput<'_>) -> Vec<bool> {
        vec![true; page.blocks.len()]
    }
    fn classes(&self, page: &SystemInput<'_>) -> Option<Vec<ParagraphClass>> {
        Some(vec![ParagraphClass::Paragraph; page.blocks.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threshr_html::blocks as block;
    use threshr_html::blocks::Blocks;
    use threshr_html::{Visibility, parse_str};

    #[test]
    fn all_is_a_paragraph() {
        let doc = parse_str("<h1>a</h1><li>b<p>c<br><br>d");
        let blocks = Blocks::new(&doc, block::REGISTRY[0], Visibility::Visible);
        let page = SystemInput::new(&doc, &blocks);
        assert_eq!(Baseline.keep(&page), [true; 4]);
        assert_eq!(Baseline.classes(&page), Some(vec![ParagraphClass::Paragraph; 4]));
    }
}
