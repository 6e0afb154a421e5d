"""CSV and XML in the format of trafilatura."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from threshr.compat.trafilatura import Document

_TAGS = {
    "p": "p",
    "ul": "list",
    "ol": "list",
    "dl": "list",
    "li": "item",
    "dt": "item",
    "dd": "item",
    "blockquote": "quote",
    "pre": "code",
    "code": "code",
    "table": "table",
    "tr": "row",
    "td": "cell",
    "th": "cell",
    "a": "ref",
    "del": "del",
    "s": "del",
}
_INLINE = {"b": "#b", "strong": "#b", "i": "#i", "em": "#i", "u": "#u", "sub": "#sub", "sup": "#sup"}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ATTRIBUTES = (
    "sitename",
    "title",
    "author",
    "date",
    "url",
    "hostname",
    "description",
    "categories",
    "tags",
    "license",
    "id",
    "language",
)


def csv_row(document: Document) -> str:
    """Returns a row as trafilatura writes it: separated by tabs, `null` for missing values, without a header.

    Columns: url, id, fingerprint, hostname, title, image, date, text, comments, license, pagetype. `fingerprint` is `null`.
    """
    values = (
        document.url,
        document.id,
        None,
        document.hostname,
        document.title,
        document.image,
        document.date,
        document.text,
        document.comments,
        document.license,
        document.pagetype,
    )
    out = io.StringIO()
    csv.writer(out, delimiter="\t").writerow([value or "null" for value in values])
    return out.getvalue()


def xml(document: Document, html: str, with_metadata: bool, with_formatting: bool) -> str:
    """The content as `<doc>` with `<main>` and `<comments>`, in the elements of trafilatura."""
    root = ElementTree.Element("doc")
    for name in _ATTRIBUTES if with_metadata else ("id",):
        value = getattr(document, name)
        if value:
            root.set(name, _allowed(";".join(value) if isinstance(value, list) else value))
    main = ElementTree.SubElement(root, "main")
    builder = _Elements(main, with_formatting)
    builder.feed(html)
    builder.close()
    comments = ElementTree.SubElement(root, "comments")
    for line in (document.comments or "").splitlines():
        ElementTree.SubElement(comments, "p").text = _allowed(line)
    _indent(root)
    return ElementTree.tostring(root, encoding="unicode")


class _Elements(HTMLParser):
    """Converts clean HTML to the elements of trafilatura. Other elements are removed, and their text is kept."""

    def __init__(self, root: ElementTree.Element, with_formatting: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.with_formatting = with_formatting
        # Open HTML elements, each with its trafilatura element, or None if there is none.
        self.open: list[tuple[str, ElementTree.Element | None]] = [("", root)]

    def _parent(self) -> ElementTree.Element:
        return next(element for _, element in reversed(self.open) if element is not None)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "br":
            ElementTree.SubElement(self._parent(), "lb")
        elif tag == "hr":
            pass
        elif tag == "img":
            values = {name: _allowed(given[name]) for name in ("src", "alt", "title") if given.get(name)}
            ElementTree.SubElement(self._parent(), "graphic", values)
        else:
            self.open.append((tag, self._element(tag, given)))

    def _element(self, tag: str, given: dict[str, str]) -> ElementTree.Element | None:
        attributes = {}
        name = _TAGS.get(tag)
        if tag in _HEADINGS:
            name, attributes = "head", {"rend": tag}
        elif tag in _INLINE and self.with_formatting:
            name, attributes = "hi", {"rend": _INLINE[tag]}
        elif tag in ("ul", "ol", "dl", "dt", "dd"):
            attributes = {"rend": tag}
        elif tag == "th":
            attributes = {"role": "head"}
        elif tag == "a" and given.get("href"):
            attributes = {"target": _allowed(given["href"])}
        parent = self._parent()
        if name == "p" and parent.tag in ("item", "cell"):
            # In items and cells, trafilatura writes the text of paragraphs without <p>, and <lb> before each further
            # paragraph.
            if len(parent) or (parent.text or "").strip():
                ElementTree.SubElement(parent, "lb")
            return None
        if name is None or (name == "code" and parent.tag == "code"):
            return None
        return ElementTree.SubElement(parent, name, attributes)

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _ in self.open[1:]):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        parent = self._parent()
        if not data.strip() and (parent.tag in _OF_BLOCKS or ("\n" in data and self.open[-1][0] in _WITH_BLOCKS)):
            return
        text = _allowed(data)
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + text
        else:
            parent.text = (parent.text or "") + text


_OF_BLOCKS = ("main", "list", "table", "row", "quote")
_WITH_BLOCKS = ("li", "dt", "dd", "td", "th")


def _indent(element: ElementTree.Element, level: int = 0) -> None:
    """Writes each block on its own line. Elements with text are not changed."""
    has_text = (element.text or "").strip() or any((child.tail or "").strip() for child in element)
    if len(element) == 0 or has_text or element.tag not in ("doc", "comments", *_OF_BLOCKS):
        return
    element.text = "\n" + "  " * (level + 1)
    for child in element:
        _indent(child, level + 1)
        child.tail = element.text
    element[-1].tail = "\n" + "  " * level


def _allowed(text: str) -> str:
    """The text without the control characters that XML 1.0 forbids."""
    return "".join(c for c in text if c >= " " and c not in "\ufffe\uffff" or c in "\t\n\r")
