"""`extract` and `bare_extraction` as in trafilatura.

>>> from threshr.compat.trafilatura import extract
>>> text = extract(html, url=url, output_format="markdown", include_links=True)
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from threshr._errors import OptionError, PageError
from threshr._extract import _extractor
from threshr._threshr import Extraction
from threshr.compat import warn_of_ignored
from threshr.compat._rows_and_xml import csv_row, xml

_IGNORED: dict[str, Any] = {
    "fast": False,
    "no_fallback": False,
    "tei_validation": False,
    "deduplicate": False,
    "date_extraction_params": None,
    "settingsfile": None,
    "config": None,
    "options": None,
    "prune_xpath": None,
}
_FORMATS = ("txt", "markdown", "html", "json", "csv", "xml")


@dataclass
class Document:
    """The content and the metadata of a page."""

    title: str | None = None
    author: str | None = None
    url: str | None = None
    hostname: str | None = None
    description: str | None = None
    sitename: str | None = None
    date: str | None = None
    categories: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    id: str | None = None
    license: str | None = None
    comments: str | None = None
    raw_text: str | None = None
    text: str | None = None
    language: str | None = None
    image: str | None = None
    pagetype: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The fields as a dict."""
        return asdict(self)


def extract(
    filecontent: bytes | str,
    url: str | None = None,
    record_id: str | None = None,
    *,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    prune_xpath: str | list[str] | None = None,
    **ignored: Any,
) -> str | None:
    """The content of a page as text; None if there is none, or if the page is not HTML.

    `output_format` is txt, markdown, html, json, csv or xml. `include_formatting` with txt writes Markdown. CSV and XML have
    the columns and elements of trafilatura; there is no `fingerprint`. There is no xmltei.
    """
    if output_format not in _FORMATS:
        raise OptionError(f"`output_format` is {output_format!r}; expected one of {', '.join(_FORMATS)}")
    warn_of_ignored("extract", {**ignored, "prune_xpath": prune_xpath}, _IGNORED)
    wanted = _Wanted(target_language, only_with_metadata, url_blacklist, author_blacklist)
    options = _options(favor_precision, favor_recall, include_comments, include_tables, include_images, include_links)
    extraction = _extraction(filecontent, url, wanted, options)
    if extraction is None:
        return None
    has_markup = output_format == "markdown" or include_formatting
    text = extraction.html if output_format == "html" else extraction.markdown if has_markup else extraction.text
    if output_format in ("txt", "markdown"):
        return _front_matter(extraction, record_id) + text if with_metadata else text
    if output_format == "html":
        return text
    document = _document(extraction, text, record_id)
    if output_format == "csv":
        return csv_row(document)
    if output_format == "xml":
        return xml(document, extraction.html, with_metadata, bool(include_formatting))
    fields = document.as_dict()
    names = fields if with_metadata else ("text", "raw_text", "comments", "id")
    return json.dumps({name: fields[name] for name in names}, ensure_ascii=False)


def bare_extraction(
    filecontent: bytes | str,
    url: str | None = None,
    *,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    **ignored: Any,
) -> Document | dict[str, Any] | None:
    """The content and the metadata of a page; None if there is no content."""
    warn_of_ignored("bare_extraction", ignored, _IGNORED)
    wanted = _Wanted(target_language, only_with_metadata, url_blacklist, author_blacklist)
    options = _options(favor_precision, favor_recall, include_comments, include_tables, include_images, include_links)
    extraction = _extraction(filecontent, url, wanted, options)
    if extraction is None:
        return None
    text = extraction.markdown if include_formatting or output_format == "markdown" else extraction.text
    document = _document(extraction, text, None)
    return document.as_dict() if as_dict else document


@dataclass
class _Wanted:
    """Which pages are wanted."""

    language: str | None
    needs_metadata: bool
    urls: set[str] | None
    authors: set[str] | None

    def has(self, extraction: Extraction) -> bool:
        """Whether a page is wanted."""
        if self.language is not None and extraction.language != self.language:
            return False
        if self.urls and extraction.url in self.urls:
            return False
        metadata = extraction.metadata if self.needs_metadata or self.authors else None
        if self.needs_metadata and not (metadata and metadata.title and metadata.date_published and extraction.url):
            return False
        return not (self.authors and metadata and any(author in self.authors for author in metadata.authors))


def _options(
    favor_precision: bool,
    favor_recall: bool,
    include_comments: bool,
    include_tables: bool,
    include_images: bool,
    include_links: bool,
) -> dict[str, Any]:
    """trafilatura's switches as options of an `Extractor`."""
    options: dict[str, Any] = {"links": include_links, "images": include_images}
    if favor_precision or favor_recall:
        options["favor"] = "precision" if favor_precision else "recall"
    if not include_comments:
        options["policy"] = "auto-comments"
    if not include_tables:
        options["drop"] = "table"
    return options


def _extraction(
    page: bytes | str, url: str | None, wanted: _Wanted, options: dict[str, Any]
) -> Extraction | None:
    """The begin of both functions; None if the page has no content, is no HTML or is not wanted."""
    if not isinstance(page, (bytes, str)):
        raise TypeError("threshr takes the page as bytes or str")
    try:
        extraction = _extractor(options).extract(page, url=url)
    except PageError:
        return None
    return extraction if extraction.text and wanted.has(extraction) else None


def _document(extraction: Extraction, text: str, record_id: str | None) -> Document:
    from urllib.parse import urlsplit

    metadata = extraction.metadata
    url = extraction.url or metadata.canonical_url
    comments = "\n".join(comment["text"] for comment in extraction.comments)
    return Document(
        title=metadata.title,
        author="; ".join(metadata.authors) or None,
        url=url,
        hostname=urlsplit(url).hostname if url else None,
        description=metadata.description,
        sitename=metadata.site_name,
        date=metadata.date_published[:10] if metadata.date_published else None,
        tags=metadata.tags,
        id=record_id,
        license=metadata.licence,
        comments=comments or None,
        raw_text=extraction.text,
        text=text,
        language=extraction.language,
        image=metadata.image,
        pagetype=extraction.page_type,
    )


def _front_matter(extraction: Extraction, record_id: str | None) -> str:
    document = _document(extraction, "", record_id)
    names = ("title", "author", "url", "hostname", "description", "sitename", "date", "tags", "id", "license")
    lines = []
    for name in names:
        value = getattr(document, name)
        if value:
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(["---", *lines, "---", ""])
