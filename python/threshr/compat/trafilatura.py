"""`extract` and `bare_extraction` as in trafilatura.

>>> from threshr.compat.trafilatura import extract
>>> text = extract(html, url=url, output_format="markdown", include_links=True)
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from threshr._errors import OptionError, PageError
from threshr._extract import _extractor
from threshr._threshr import Extraction, decode
from threshr.compat import warn_of_ignored
from threshr.compat._rows_and_xml import csv_row, xml

_IGNORED: dict[str, Any] = {
    "fast": False,
    "no_fallback": False,
    "tei_validation": False,
    "deduplicate": False,
    "date_extraction_params": None,
    "max_tree_size": None,
    "settingsfile": None,
    "config": None,
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
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """Returns the content of a page as text; None if it has no content or is not a page.

    `filecontent` is a page as text or bytes, a tree of lxml, or a response with `data`. `output_format` is txt, markdown, html,
    json, csv or xml, but not xmltei. `include_formatting` with txt writes Markdown. CSV and XML have the columns and elements
    of trafilatura, without a computed `fingerprint`. `prune_xpath` needs lxml. `options` is an `Extractor` of trafilatura,
    whose values replace the keywords.
    """
    asked = _Asked.of("extract", locals())
    if asked.format not in _FORMATS:
        raise OptionError(f"`output_format` is {asked.format!r}; expected one of {', '.join(_FORMATS)}")
    extraction = _extraction(filecontent, asked, prune_xpath, "extract")
    if extraction is None:
        return None
    text = extraction.markdown if asked.has_markup and asked.format != "json" else extraction.text
    if asked.format in ("txt", "markdown"):
        return _front_matter(_document(extraction, "", record_id, asked)) + text if asked.with_metadata else text
    document = _document(extraction, text, record_id, asked)
    if asked.format == "html":
        return _html(document, extraction.html) if asked.with_metadata else extraction.html
    if asked.format == "csv":
        return csv_row(document)
    if asked.format == "xml":
        return xml(document, extraction.html, asked.with_metadata, asked.has_markup)
    fields = document.as_dict()
    names = fields if asked.with_metadata else ("text", "raw_text", "comments", "id")
    return json.dumps({name: fields[name] for name in names}, ensure_ascii=False)


def bare_extraction(
    filecontent: Any,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: Any = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    prune_xpath: str | list[str] | None = None,
    config: Any = None,
    options: Any = None,
) -> Document | dict[str, Any] | None:
    """Returns the content and the metadata of a page; None if it has no content. The keywords are those of `extract`."""
    asked = _Asked.of("bare_extraction", locals())
    extraction = _extraction(filecontent, asked, prune_xpath, "bare_extraction")
    if extraction is None:
        return None
    document = _document(extraction, extraction.markdown if asked.has_markup else extraction.text, None, asked)
    return document.as_dict() if as_dict else document


@dataclass
class _Asked:
    """Settings of a call: its keywords, or an `Extractor` of trafilatura."""

    format: str
    focus: str
    comments: bool
    formatting: bool | None
    links: bool
    images: bool
    tables: bool
    lang: str | None
    url: str | None
    with_metadata: bool
    only_with_metadata: bool
    url_blacklist: set[str]
    author_blacklist: set[str]

    @classmethod
    def of(cls, function: str, given: dict[str, Any]) -> _Asked:
        """Reads the arguments of a call, and warns about arguments without effect."""
        options = given.pop("options")
        # Number of frames up to the caller of the public function.
        level = 4
        if options is not None and not all(hasattr(options, name) for name in cls.__dataclass_fields__):
            warn_of_ignored(function, {"options": options}, {"options": None}, level)
            options = None
        if options is None:
            warn_of_ignored(function, given, _IGNORED, level)
            favored = "precision" if given["favor_precision"] else "balanced"
            return cls(
                format=given["output_format"],
                focus="recall" if given["favor_recall"] else favored,
                comments=given["include_comments"],
                formatting=given["include_formatting"],
                links=given["include_links"],
                images=given["include_images"],
                tables=given["include_tables"],
                lang=given["target_language"],
                url=given["url"],
                with_metadata=given["with_metadata"],
                only_with_metadata=given["only_with_metadata"],
                url_blacklist=given["url_blacklist"] or set(),
                author_blacklist=given["author_blacklist"] or set(),
            )
        others = {
            "fast": options.fast,
            "tei_validation": options.tei_validation,
            "deduplicate": bool(options.dedup),
            "max_tree_size": options.max_tree_size,
        }
        warn_of_ignored(function, others, _IGNORED, level)
        return cls(**{name: getattr(options, name) for name in cls.__dataclass_fields__})

    @property
    def has_markup(self) -> bool:
        """Whether text is written as Markdown."""
        return self.format == "markdown" if self.formatting is None else bool(self.formatting)

    @property
    def options(self) -> dict[str, Any]:
        """The options of an `Extractor` of threshr."""
        options: dict[str, Any] = {"title": False, "links": bool(self.links), "images": bool(self.images)}
        if self.focus in ("precision", "recall"):
            options["favor"] = self.focus
        if not self.comments:
            options["policy"] = "auto-comments"
        if not self.tables:
            options["drop"] = "table"
        return options

    def has(self, extraction: Extraction) -> bool:
        """Whether the options allow a page."""
        if self.lang is not None and extraction.language != self.lang:
            return False
        if self.url_blacklist and extraction.url in self.url_blacklist:
            return False
        metadata = extraction.metadata if self.only_with_metadata else None
        return metadata is None or bool(metadata.title and metadata.date_published and extraction.url)


def _extraction(page: Any, asked: _Asked, xpaths: Any, function: str) -> Extraction | None:
    """The common part of both functions. Returns None if the page has no content, is not HTML, or is excluded by the
    options."""
    content = _content(page)
    if xpaths is not None and content is not None:
        content = _pruned(content, [xpaths] if isinstance(xpaths, str) else xpaths, function)
    if content is None:
        return None
    # Unpaired surrogates are replaced, because a valid address contains none.
    url = asked.url.encode("utf-8", "replace").decode("utf-8") if isinstance(asked.url, str) else None
    try:
        extraction = _extractor(asked.options).extract(content, url=url)
        return extraction if extraction.text and asked.has(extraction) else None
    except PageError:
        return None


def _content(page: Any) -> bytes | str | None:
    """Returns the page in a string, bytes, an lxml tree or a response; None for other types, as in trafilatura."""
    if hasattr(page, "getroottree"):
        return _serialized(page)
    if hasattr(page, "getroot") and hasattr(page, "docinfo"):
        return _serialized(page.getroot())
    if not isinstance(page, (bytes, str, bytearray, memoryview)):
        page = getattr(page, "data", None)
    if isinstance(page, (bytearray, memoryview)):
        return bytes(page)
    return page if isinstance(page, (bytes, str)) else None


def _serialized(tree: Any) -> str:
    """Serialises an lxml tree. lxml is installed, because the caller created the tree with it."""
    from lxml import html

    return html.tostring(tree, encoding="unicode", with_tail=False)


def _pruned(page: bytes | str, xpaths: list[str], function: str) -> bytes | str | None:
    """Removes the elements that XPath expressions match. Without lxml, returns the page unchanged and warns."""
    try:
        from lxml import etree, html
    except ImportError:
        warn_of_ignored(function, {"prune_xpath": xpaths}, {"prune_xpath": None}, 5)
        return page
    text = page if isinstance(page, str) else decode(page)
    parser = html.HTMLParser(encoding="utf-8")
    find: list[Callable[[Any], Any]] = [etree.XPath(expression) for expression in xpaths]
    try:
        tree = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:
        # the page is empty
        return page
    for expression in find:
        found = expression(tree)
        for element in found if isinstance(found, list) else []:
            if hasattr(element, "drop_tree") and element.getparent() is not None:
                element.drop_tree()
    return _serialized(tree)


def _document(extraction: Extraction, text: str, record_id: str | None, asked: _Asked) -> Document:
    from urllib.parse import urlsplit

    metadata = extraction.metadata
    url = extraction.url or metadata.canonical_url
    comments = "\n".join(comment["text"] for comment in extraction.comments) if asked.comments else ""
    unwanted = {author.lower() for author in asked.author_blacklist}
    authors = [author for author in metadata.authors if author.lower() not in unwanted]
    return Document(
        title=metadata.title,
        author="; ".join(authors) or None,
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


def _html(document: Document, content: str) -> str:
    """The content with the metadata in the head, as in trafilatura."""
    lines = []
    for name, value in document.as_dict().items():
        if value and name not in ("text", "raw_text", "comments"):
            shown = ";".join(value) if isinstance(value, list) else str(value)
            lines.append(f'<meta name="{name}" content="{escape(shown)}">')
    return "\n".join(["<html>", "<head>", *lines, "</head>", "<body>", content, "</body>", "</html>"])


def _front_matter(document: Document) -> str:
    names = ("title", "author", "url", "hostname", "description", "sitename", "date", "tags", "id", "license")
    lines = []
    for name in names:
        value = getattr(document, name)
        if value:
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(["---", *lines, "---", ""])
