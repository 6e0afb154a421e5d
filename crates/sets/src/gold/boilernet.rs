//! BoilerNet labels: an attribute on the elements around text nodes.

use crate::gold::in_page::{self, labelled_pages};
use crate::gold::{Match, Probe, Reader};
use crate::labelling::Annotation;

const MARK: &str = "__boilernet_label";

/// Elements with `__boilernet_label="1"` or `"0"`.
pub(super) static READER: Reader = Reader {
    name: "boilernet",
    summary: "HTML files with __boilernet_label=\"1\" (content) or \"0\" on the elements around text",
    source: "Leonhardt, Anand & Khosla, WWW 2020 (BoilerNet)",
    rank: 7,
    detect: |probe: &Probe, _| match in_page::folder_with(probe, MARK) {
        Some(_) => Match::Yes,
        None => Match::No,
    },
    read: |dir, _| labelled_pages(dir, MARK, &Annotation::boilernet()),
};
