"""markitdown: a plug-in that converts HTML pages to the Markdown of their content.

markitdown finds the plug-in by its entry point:

>>> from markitdown import MarkItDown
>>> MarkItDown(enable_plugins=True, threshr={"policy": "article"}).convert("page.html").markdown

`threshr=` has the options of `threshr.Extractor`. Converters for certain sites, such as Wikipedia, still come first.
"""

from __future__ import annotations

from typing import Any, BinaryIO

from markitdown import PRIORITY_GENERIC_FILE_FORMAT, DocumentConverterResult, MarkItDown, StreamInfo
from markitdown.converters import HtmlConverter

from threshr._threshr import Extractor
from threshr.integrations import with_limits

__plugin_interface_version__ = 1


def register_converters(markitdown: MarkItDown, threshr: dict[str, Any] | None = None, **_: Any) -> None:
    """Registers the converter before the HTML converter of markitdown, which then converts only pages that fail."""
    markitdown.register_converter(ThreshrConverter(**(threshr or {})), priority=PRIORITY_GENERIC_FILE_FORMAT)


class ThreshrConverter(HtmlConverter):
    """Converts the files that the HTML converter of markitdown accepts. `options` are the options of `threshr.Extractor`."""

    def __init__(self, **options: Any):
        super().__init__()
        self._extractor = Extractor(**with_limits(options))

    def convert(self, file_stream: BinaryIO, stream_info: StreamInfo, **_: Any) -> DocumentConverterResult:
        """Returns the content of a page as Markdown, and its title."""
        # `stream_info.charset` may be a guess, and threshr guesses better.
        extraction = self._extractor.extract(file_stream.read(), url=stream_info.url)
        return DocumentConverterResult(extraction.markdown, title=extraction.metadata.title)
