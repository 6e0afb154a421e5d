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

_IGNORED: dict[str, Any] = {
    "fast": False,
    "no_fallback": False,
    "tei_validation": False,
    "deduplicate": False,
    "date_extraction_params": None,
    "settingsfile": None,
    "config": None,
    "options": None,
}
_FORMATS = ("txt", "markdown", "html", "json")


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

    `output_format` is txt, markdown, html or json. `include_formatting` with txt writes Markdown.
    """
    if output_format not in _FORMATS:
        raise OptionError(f"`output_format` is {output_format!r}; expected one of {', '.join(_FORMATS)}")
    warn_of_ignored("extract", ignored, _IGNORED)
    if prune_xpath is not None:
        warn_of_ignored("extract", {"prune_xpath": prune_xpath}, {"prune_xpath": None})
    extraction = _extraction(
        filecontent, url, favor_precision, favor_recall, include_comments, include_tables, include_images, include_links
    )
    if extraction is None or _is_unwanted(extraction, target_language, only_with_metadata, url_blacklist, author_blacklist):
        return None
    has_markup = output_format == "markdown" or include_formatting
    text = extraction.html if output_format == "html" else extraction.markdown if has_markup else extraction.text
    if output_format == "json":
        document = _document(extraction, text, record_id).as_dict()
        names = document if with_metadata else ("text", "raw_text", "comments", "id")
        return json.dumps({name: document[name] for name in names}, ensure_ascii=False)
    if with_metadata and output_format != "html":
        return _front_matter(extraction, record_id) + text
    return text


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
    warn_of_ignored("bare_extraction", ignored, {**_IGNORED, "prune_xpath": None})
    extraction = _extraction(
        filecontent, url, favor_precision, favor_recall, include_comments, include_tables, include_images, include_links
    )
    if extraction is None or _is_unwanted(extraction, target_language, only_with_metadata, url_blacklist, author_blacklist):
        return None
    text = extraction.markdown if include_formatting or output_format == "markdown" else extraction.text
    document = _document(extraction, text, None)
    return document.as_dict() if as_dict else document


def _extraction(
    page: bytes | str,
    url: str | None,
    favor_precision: bool,
    favor_recall: bool,
    include_comments: bool,
    include_tables: bool,
    include_images: bool,
    include_links: bool,
) -> Extraction | None:
    if not isinstance(page, (bytes, str)):
        raise TypeError("threshr takes the page as bytes or str")
    options: dict[str, Any] = {"links": include_links, "images": include_images}
    if favor_precision or favor_recall:
        options["favor"] = "precision" if favor_precision else "recall"
    if not include_comments:
        options["policy"] = "auto-comments"
    if not include_tables:
        options["drop"] = "table"
    try:
        extraction = _extractor(options).extract(page, url=url)
    except PageError:
        return None
    return extraction if extraction.text else None


def _is_unwanted(
    extraction: Extraction,
    language: str | None,
    needs_metadata: bool,
    urls: set[str] | None,
    authors: set[str] | None,
) -> bool:
    if language is not None and extraction.language != language:
        return True
    if urls and extraction.url in urls:
        return True
    metadata = extraction.metadata
    if needs_metadata and not (metadata.title and metadata.date_published and extraction.url):
        return True
    return authors is not None and any(author in authors for author in metadata.authors)


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
