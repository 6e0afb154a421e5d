"""scrapy: the content of a response, and an item pipeline.

In a spider:

>>> from threshr.integrations.scrapy import extract
>>> def parse(self, response):
...     extraction = extract(response)
...     yield {"url": response.url, "title": extraction.metadata.title, "text": extraction.text}

As an item pipeline, in the settings:

>>> ITEM_PIPELINES = {"threshr.integrations.scrapy.ThreshrPipeline": 300}
>>> THRESHR_FIELDS = ["markdown", "language"]  # fields to add; default: text
>>> THRESHR_OPTIONS = {"policy": "article"}    # options of threshr.Extractor
>>> THRESHR_HTML_FIELD = "html"                # the field with the page; it is removed
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem, NotConfigured

from threshr._errors import PageError
from threshr._extract import _extractor
from threshr._threshr import Extraction, Extractor
from threshr.integrations import with_limits

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_FIELDS = ("text", "markdown", "html", "language", "page_type", "title", "metadata", "comments", "units", "quality")


def extract(response: Response, **options: Any) -> Extraction:
    """Returns the content of a response. `options` are the options of `threshr.Extractor`."""
    charset = options.pop("charset", None) or _charset(response)
    return _extractor(with_limits(options)).extract(response.body, url=response.url, charset=charset)


def _charset(response: Response) -> str | None:
    """Returns the charset of the header, or None if it is unknown."""
    from email.message import Message

    header = response.headers.get("Content-Type")
    message = Message()
    message["Content-Type"] = header.decode("latin-1") if header else ""
    charset = message.get_content_charset()
    try:
        import codecs

        return codecs.lookup(charset).name if charset else None
    except LookupError:
        return None


class ThreshrPipeline:
    """Extracts the page in a field of each item. An item whose page cannot be extracted is dropped."""

    def __init__(self, html: str, url: str, fields: list[str], options: dict[str, Any]):
        unknown = [name for name in fields if name not in _FIELDS]
        if unknown:
            raise NotConfigured(f"THRESHR_FIELDS has {unknown[0]!r}; expected some of {', '.join(_FIELDS)}")
        self.html, self.url, self.fields = html, url, fields
        self.extractor = Extractor(**with_limits(options))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ThreshrPipeline:
        """Reads the settings of a crawler."""
        settings = crawler.settings
        return cls(
            settings.get("THRESHR_HTML_FIELD", "html"),
            settings.get("THRESHR_URL_FIELD", "url"),
            settings.getlist("THRESHR_FIELDS", ["text"]),
            settings.getdict("THRESHR_OPTIONS", {}),
        )

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """Replaces the page in an item with its content."""
        adapter = ItemAdapter(item)
        if adapter.get(self.html) is None:
            return item
        try:
            extraction = self.extractor.extract(adapter[self.html], url=adapter.get(self.url))
            found = {name: _value(extraction, name) for name in self.fields}
        except PageError as error:
            raise DropItem(f"{adapter.get(self.url)}: {error}") from error
        if self.html not in found:
            del adapter[self.html]
        for name, value in found.items():
            adapter[name] = value
        return item


def _value(extraction: Extraction, name: str) -> Any:
    if name == "title":
        return extraction.metadata.title
    if name == "metadata":
        return extraction.metadata.to_dict()
    if name == "quality":
        return extraction.quality.expected if extraction.quality else None
    return getattr(extraction, name)
