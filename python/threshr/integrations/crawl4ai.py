"""crawl4ai: a content filter for `fit_markdown`.

>>> from crawl4ai import CrawlerRunConfig, DefaultMarkdownGenerator
>>> from threshr.integrations.crawl4ai import ThreshrContentFilter
>>> generator = DefaultMarkdownGenerator(content_filter=ThreshrContentFilter(), content_source="raw_html")
>>> config = CrawlerRunConfig(markdown_generator=generator)

Pass `content_source="raw_html"`: by default, crawl4ai removes the head of the page and most attributes, but threshr reads them.
"""

from __future__ import annotations

import logging
from typing import Any

from crawl4ai.content_filter_strategy import RelevantContentFilter

from threshr._errors import PageError
from threshr._threshr import Extractor
from threshr.integrations import with_limits

_LOG = logging.getLogger(__name__)


class ThreshrContentFilter(RelevantContentFilter):
    """Keeps the content of a page. `options` are the options of `threshr.Extractor`."""

    def __init__(self, **options: Any):
        super().__init__()
        self._extractor = Extractor(**with_limits(options))

    def filter_content(self, html: str) -> list[str]:
        """Returns the content of a page as HTML, in one part. For a page that fails, logs a warning and returns no part,
        because crawl4ai would write the text of an exception into `fit_markdown`."""
        try:
            return [self._extractor.extract(html).html]
        except PageError as error:
            _LOG.warning("a page has no content: %s", error)
            return []
