"""NeMo Curator: an algorithm for its Common Crawl stages, and an extractor of records.

>>> from nemo_curator.stages.text.download import CommonCrawlDownloadExtractStage
>>> from threshr.integrations.nemo_curator import ThreshrAlgorithm
>>> stage = CommonCrawlDownloadExtractStage(
...     "2026-40", "2026-43", download_dir="crawl", html_extraction=ThreshrAlgorithm(output="markdown")
... )
"""

from __future__ import annotations

from typing import Any, Literal

from nemo_curator.stages.text.download import DocumentExtractor
from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm

from threshr._errors import PageError
from threshr._threshr import Extraction, Extractor
from threshr.integrations import with_limits

Output = Literal["text", "markdown", "html"]


def _check(output: str) -> None:
    if output not in ("text", "markdown", "html"):
        raise ValueError(f"`output` is {output!r}; expected text, markdown or html")


class ThreshrAlgorithm(HTMLExtractorAlgorithm):
    """Extracts the content of a page as paragraphs.

    `output` is the format of the text. The stages join the paragraphs with empty lines, which restores the Markdown.
    A page that fails, or whose expected quality is below `min_quality`, is passed to `fallback`, which is another algorithm,
    for example a slower one. Without `fallback`, the page is dropped. `options` are those of `threshr.Extractor`.
    """

    def __init__(
        self,
        output: Output = "text",
        min_quality: float | None = None,
        fallback: HTMLExtractorAlgorithm | None = None,
        **options: Any,
    ):
        _check(output)
        self.output = output
        self.min_quality = min_quality
        self.fallback = fallback
        self.extractor = Extractor(**with_limits(options))

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        """Returns the paragraphs of a page; None if it is dropped. Only `fallback` uses stop words and language."""
        try:
            extraction = self.extractor.extract(html)
            text = getattr(extraction, self.output)
            quality = extraction.quality
        except PageError:
            return self._fall_back(html, stop_words, language)
        if self.min_quality is not None and quality is not None and quality.expected < self.min_quality:
            return self._fall_back(html, stop_words, language)
        # An empty paragraph represents an empty line in the text, for example in code.
        separator = "\n" if self.output == "text" else "\n\n"
        return text.strip("\n").split(separator) if text.strip() else []

    def _fall_back(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:
        return self.fallback.extract_text(html, stop_words, language) if self.fallback else None


class ThreshrExtractor(DocumentExtractor):
    """Extracts records with the page in `content`, as bytes or text, in all languages.

    The columns are the columns of NeMo Curator's own extractor, and title, authors, date, page_type and quality. A record
    without content, or with an expected quality below `min_quality`, is dropped. `options` are those of `threshr.Extractor`.
    """

    def __init__(self, output: Output = "text", min_quality: float | None = None, **options: Any):
        super().__init__()
        _check(output)
        self.output = output
        self.min_quality = min_quality
        self.extractor = Extractor(**with_limits(options))

    def extract(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the record with the content; None if it is dropped."""
        page = record.get("content")
        if not page:
            return None
        try:
            extraction: Extraction = self.extractor.extract(page, url=record.get("url"))
            text = getattr(extraction, self.output)
            metadata = extraction.metadata
        except PageError:
            return None
        quality = extraction.quality.expected if extraction.quality else None
        is_low = self.min_quality is not None and quality is not None and quality < self.min_quality
        if is_low or not text:
            return None
        return {
            **{name: record.get(name) for name in ("url", "warc_id", "source_id")},
            "language": extraction.language,
            "text": text,
            "title": metadata.title,
            "authors": "; ".join(metadata.authors) or None,
            "date": metadata.date_published,
            "page_type": extraction.page_type,
            "quality": quality,
        }

    def input_columns(self) -> list[str]:
        """The columns that are read."""
        return ["url", "warc_id", "source_id", "content"]

    def output_columns(self) -> list[str]:
        """The columns that are written."""
        added = ["title", "authors", "date", "page_type", "quality"]
        return ["url", "warc_id", "source_id", "language", "text", *added]
