//! The two sides of a comparison: models, systems, or the texts of other tools.

use crate::Predictions;
use crate::difference::PageDifference;
use std::borrow::Cow;
use threshr_core::site_of;
use threshr_core::{Budget, Error, ErrorKind, Result};
use threshr_extract::RawExtraction;
use threshr_extract::flow::{self, Page, PageOptions};
use threshr_extract::parts::Labelled;
use threshr_extract::{Extraction, Extractor, Input};
use threshr_html::blocks::{Blocks, REGISTRY as SEGMENTATIONS};
use threshr_html::{Document, ParseOptions, Visibility};
use threshr_train::Alignment;

/// A text keeps a block if at least this share of the block's words is in the text.
const MIN_SHARE: f32 = 0.5;
/// Maximum product of the byte lengths of a page's blocks and a text. It limits the time of their alignment.
const MAX_ALIGNED: u64 = 1 << 43;
/// Approximate number of bytes of kept text that are used for language detection.
const LANGUAGE_BYTES: usize = 4_000;

/// One side of a comparison.
#[derive(Debug)]
pub struct Side {
    /// Name of the side in reports.
    pub name: String,
    /// Method of extraction.
    pub method: SideMethod,
}

/// A method of extraction that decides which blocks are kept.
#[derive(Debug)]
pub enum SideMethod {
    /// A trained model or a published system.
    Extractor(Box<Extractor>),
    /// Texts of another tool. A text keeps a block if the text has at least half of the block's words.
    Texts(Predictions),
}

impl SideMethod {
    fn extract(&self, input: &Input<'_>, budget: &Budget) -> Result<Option<Extraction>> {
        match self {
            SideMethod::Extractor(extractor) => extractor.extract(input, budget).map(Some),
            SideMethod::Texts(_) => Ok(None),
        }
    }
}

/// The blocks that one side keeps on a page.
struct Kept<'a> {
    doc: &'a Document,
    blocks: &'a Blocks,
    kept: Cow<'a, [bool]>,
    not_found: u64,
    is_missing: bool,
}

impl<'a> Kept<'a> {
    fn of_extraction(extraction: &'a Extraction) -> Self {
        Kept {
            doc: extraction.document(),
            blocks: extraction.page_blocks(),
            kept: Cow::Borrowed(&extraction.labels().kept),
            not_found: 0,
            is_missing: false,
        }
    }

    /// Aligns a text with the blocks of a page. `None` is aligned as an empty text.
    fn of_text(doc: &'a Document, blocks: &'a Blocks, text: Option<&str>) -> Result<Self> {
        let is_missing = text.is_none();
        let text = text.unwrap_or_default();
        if blocks.text.len() as u64 * text.len() as u64 > MAX_ALIGNED {
            let error =
                Error::new(ErrorKind::TooLarge, "page and predicted text are too large to be aligned");
            return Err(error.expected("texts whose sizes in bytes have a product of at most 2^43"));
        }
        let alignment = Alignment::of_text(blocks, text, None);
        let kept = Cow::Owned(alignment.labels(MIN_SHARE));
        Ok(Kept { doc, blocks, kept, not_found: u64::from(alignment.num_unaligned), is_missing })
    }

    fn labelled(&self) -> (&Document, Labelled<'_>) {
        (self.doc, Labelled { blocks: self.blocks, kept: &self.kept })
    }
}

/// Compares the blocks that two sides keep on a page. The text of a tool is found by `id`, or by the URL of
/// `input`. The text is aligned with the blocks of the other side. If both sides are texts of tools, the
/// texts are aligned with the blocks of the default segmentation.
///
/// # Errors
/// The errors of [`Extractor::extract`], or [`ErrorKind::TooLarge`] if page and text are too large to be aligned.
pub fn compare_page(
    sides: &[Side; 2],
    id: &str,
    input: &Input<'_>,
    budget: &Budget,
) -> Result<PageDifference> {
    let [a, b] = sides;
    let extractions = [a.method.extract(input, budget)?, b.method.extract(input, budget)?];
    let own: Page;
    let (doc, blocks) = match extractions.iter().flatten().next() {
        Some(extraction) => (extraction.document(), extraction.page_blocks()),
        None => {
            own = read(input, budget)?;
            (&own.doc, &own.blocks)
        }
    };
    let url = input.url.map(str::to_owned).or_else(|| doc.url());
    let kept = [(a, &extractions[0]), (b, &extractions[1])].map(|(side, extraction)| {
        match (&side.method, extraction) {
            (SideMethod::Texts(texts), _) => Kept::of_text(doc, blocks, texts.text_of(id, url.as_deref())),
            (SideMethod::Extractor(_), Some(extraction)) => Ok(Kept::of_extraction(extraction)),
            (SideMethod::Extractor(_), None) => unreachable!("an extractor extracts or fails"),
        }
    });
    let [a, b] = kept;
    let (a, b) = (a?, b?);
    budget.check()?;
    let page_type = extractions.iter().flatten().find_map(|e| e.type_and_quality()?.page_type());
    Ok(PageDifference {
        id: id.to_owned(),
        site: url.as_deref().and_then(site_of),
        url,
        language: language(doc, &a, &b),
        page_type: page_type.map(str::to_owned),
        not_found: [a.not_found, b.not_found],
        missing: [a.is_missing, b.is_missing],
        ..PageDifference::between(a.labelled(), b.labelled())
    })
}

/// Reads a page if both sides are texts of tools.
fn read(input: &Input<'_>, budget: &Budget) -> Result<Page> {
    let charset = input.charset.map(str::to_owned);
    let options = PageOptions {
        parse: ParseOptions { charset, ..ParseOptions::default() },
        segmentation: SEGMENTATIONS[0],
        visibility: Visibility::default(),
    };
    flow::prepare(input.bytes, input.geometry, &options, budget)
}

/// Detects the language of the text that the sides keep. If they keep nothing, all blocks are used.
fn language(doc: &Document, a: &Kept<'_>, b: &Kept<'_>) -> Option<String> {
    let add = |text: &mut String, side: &Kept<'_>, is_all: bool| {
        for block in (0..side.blocks.len()).filter(|&i| is_all || side.kept.get(i) == Some(&true)) {
            if text.len() > LANGUAGE_BYTES {
                break;
            }
            text.push_str(side.blocks.text(block));
            text.push('\n');
        }
    };
    let mut text = String::new();
    add(&mut text, a, false);
    add(&mut text, b, false);
    if text.is_empty() {
        add(&mut text, a, true);
    }
    threshr_page::language::language(&text, doc.language()).map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference::Counts;
    use threshr_extract::model::Known;
    use threshr_extract::model::file;
    use threshr_extract::{Labeller, Options};

    const PAGE: &[u8] =
        b"<link rel=canonical href=http://www.x.org/a><ul class=menu><li><a href=/>Home page</a></ul>\
        <p>It rained all day, and nobody in the town went out of the house.<p>The end of the story.";

    fn texts(dir: &std::path::Path, lines: &str) -> Side {
        let path = dir.join("texts.jsonl");
        std::fs::write(&path, lines).expect("written");
        let texts = Predictions::read(&path, None, None).expect("read");
        Side { name: "texts".to_owned(), method: SideMethod::Texts(texts) }
    }

    #[test]
    fn texts_are_compared_by_the_blocks_of_the_page() {
        let dir = tempfile::tempdir().expect("a folder");
        let a = texts(
            dir.path(),
            "{\"id\": \"1\", \"text\": \"Home page It rained all day, and nobody in the town\"}\n",
        );
        let b = texts(
            dir.path(),
            "{\"id\": \"z\", \"url\": \"http://www.x.org/a\", \"text\": \"It rained all day, and nobody in the town went out. \
             Unheard words\"}\n",
        );
        let sides = [a, b];
        let input = Input { bytes: PAGE, ..Input::default() };
        let page = compare_page(&sides, "1", &input, &Budget::UNLIMITED).expect("compared");
        assert_eq!(page.blocks, Counts { both: 1, only_a: 1, only_b: 0, neither: 1 });
        assert_eq!((page.letters.only_a, page.not_found, page.missing), (8, [0, 2], [false; 2]));
        assert_eq!((page.site.as_deref(), page.places[0].path.as_str()), (Some("x.org"), "ul.menu>li"));
        let page =
            compare_page(&sides, "2", &Input { url: Some("http://y.org"), ..input }, &Budget::UNLIMITED);
        assert_eq!(page.expect("compared").missing, [true, true]);
    }

    #[test]
    fn a_model_is_compared_with_a_text() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let model = file::load(&root.join("models/default.bin"), &Known::default()).expect("a model");
        let extractor = Extractor::new(
            Labeller::from(model),
            Options { page_type: true, quality: true, ..Options::default() },
        );
        let dir = tempfile::tempdir().expect("a folder");
        let model = Side { name: "model".to_owned(), method: SideMethod::Extractor(Box::new(extractor)) };
        let sides = [texts(dir.path(), "{\"id\": \"1\", \"text\": \"Home page\"}\n"), model];
        let input = Input { bytes: PAGE, ..Input::default() };
        let page = compare_page(&sides, "1", &input, &Budget::UNLIMITED).expect("compared");
        assert!(page.letters.only_b > 50 && page.letters.only_a == 8, "{page:?}");
        assert!(page.page_type.is_some() && page.language.as_deref() == Some("en"), "{page:?}");
    }
}
