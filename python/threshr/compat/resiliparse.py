"""`extract_plain_text` as in Resiliparse.

>>> from threshr.compat.resiliparse import extract_plain_text
>>> text = extract_plain_text(html, main_content=True)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from threshr._extract import _extractor
from threshr.compat import warn_of_ignored

_IGNORED: dict[str, Any] = {
    "list_bullets": True,
    "alt_texts": True,
    "form_fields": False,
    "noscript": False,
    "post_meta": True,
}


def extract_plain_text(
    html: str | bytes,
    preserve_formatting: bool | Literal["minimal_html"] = True,
    main_content: bool = False,
    *,
    links: bool = False,
    comments: bool = True,
    hidden_elements: bool = False,
    skip_elements: Iterable[str] | None = None,
    **ignored: Any,
) -> str:
    """The text of a page: its content with `main_content`, else all visible text.

    `preserve_formatting` keeps lines; `minimal_html` writes clean HTML, only with `main_content`. `links` writes the
    addresses of links, as Markdown, only with `main_content`.
    """
    warn_of_ignored("extract_plain_text", ignored, _IGNORED)
    if not isinstance(html, (str, bytes)):
        raise TypeError("threshr takes the page as str or bytes, not as a tree")
    options: dict[str, Any] = {}
    if not comments:
        options["policy"] = "auto-comments"
    if hidden_elements:
        options["keep_hidden"] = True
    if skip_elements is not None:
        options["drop"] = ", ".join(skip_elements) or None
    if links:
        options.update(images=False)
    extraction = _extractor(options).extract(html)
    if main_content:
        if preserve_formatting == "minimal_html":
            return extraction.html
        text = extraction.markdown if links else extraction.text
    else:
        # Without a model every block counts, but not those of dropped elements.
        system = {name: value for name, value in options.items() if name != "policy"}
        text = _extractor({**system, "system": "keep-everything"}).extract(html).text
    return text if preserve_formatting else " ".join(text.split())
