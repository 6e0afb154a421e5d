"""`extract_plain_text` as in Resiliparse.

>>> from threshr.compat.resiliparse import extract_plain_text
>>> text = extract_plain_text(html, main_content=True)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from threshr._arguments import wrong_type
from threshr._errors import NotHtmlError
from threshr._extract import _extractor
from threshr._threshr import Extraction, decode
from threshr.compat import warn_of_ignored
from threshr.compat._plain_text import PlainText

_IGNORED: dict[str, Any] = {"form_fields": False, "noscript": False}
_FORM = "button, input, select, textarea, option, datalist"


def extract_plain_text(
    html: Any,
    preserve_formatting: bool | Literal["minimal_html"] = True,
    main_content: bool = False,
    list_bullets: bool = True,
    alt_texts: bool = True,
    links: bool = False,
    form_fields: bool = False,
    noscript: bool = False,
    comments: bool = True,
    post_meta: bool = True,
    hidden_elements: bool = False,
    skip_elements: Iterable[str] | None = None,
) -> str:
    """Returns the text of a page: its content if `main_content`, otherwise all visible text.

    `html` is text, bytes or an `HTMLTree` of Resiliparse. `preserve_formatting` keeps lines; `minimal_html` writes headings,
    paragraphs, lists, code and links as HTML. `list_bullets` writes bullets of lists, `alt_texts` alternative texts of
    images, `links` addresses of links. `comments` states whether comments are content, and `post_meta` whether author and
    date are content. `form_fields` writes the text of buttons, but not the values of fields. `noscript` has no effect.
    """
    warn_of_ignored("extract_plain_text", {"form_fields": form_fields, "noscript": noscript}, _IGNORED)
    given = [skip_elements] if isinstance(skip_elements, str) else skip_elements or ()
    skipped = [*given] if form_fields else [_FORM, *given]
    options: dict[str, Any] = {"drop": ", ".join(skipped) or None, "title": False, "images": bool(alt_texts)}
    if hidden_elements:
        options["keep_hidden"] = True
    if main_content:
        left_out = ("" if comments else "-comments") + ("" if post_meta else "-byline")
        if left_out:
            options["policy"] = "auto" + left_out
    else:
        options["system"] = "keep-everything"
    extraction = _extraction(_page(html), options)
    is_flat = not preserve_formatting
    has_markup = preserve_formatting == "minimal_html"
    writer = PlainText(bool(list_bullets) and not is_flat, bool(alt_texts), bool(links), has_markup)
    text = writer.result(extraction.html)
    return " ".join(text.split()) if is_flat else text


def _page(html: Any) -> bytes | str:
    if isinstance(html, (str, bytes, bytearray, memoryview)):
        return html if isinstance(html, (str, bytes)) else bytes(html)
    if hasattr(html, "document") and hasattr(html, "body"):
        # An `HTMLTree` can be converted to text.
        return str(html)
    raise wrong_type("`html`", html, "str, bytes or HTMLTree")


def _extraction(page: bytes | str, options: dict[str, Any]) -> Extraction:
    extractor = _extractor(options)
    try:
        return extractor.extract(page)
    except NotHtmlError:
        # Resiliparse parses everything as HTML.
        text = page if isinstance(page, str) else decode(page)
        return extractor.extract("<body>" + text)
