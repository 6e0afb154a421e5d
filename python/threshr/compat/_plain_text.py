"""Converts clean HTML to plain text in the format of Resiliparse."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

_BLOCKS = ("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "figure", "details", "hr", "math")
_LINES = ("li", "dt", "dd", "tr", "div", "figcaption", "caption", "summary")
_KEPT = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "pre")
_LISTS = ("ul", "ol")


class PlainText(HTMLParser):
    """Writes blocks separated by an empty line. List items and table rows are lines.

    `bullets` writes bullets and numbers of items, `alt_texts` the alternative texts of images, `links` the addresses of
    links in brackets. `has_markup` keeps the elements that Resiliparse calls minimal HTML.
    """

    def __init__(self, bullets: bool, alt_texts: bool, links: bool, has_markup: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.bullets, self.alt_texts, self.links, self.has_markup = bullets, alt_texts, links, has_markup
        self.out: list[str] = []
        # Number of line breaks before the next text.
        self.breaks = 0
        # The open lists, each with the number of its last item, or with None if the list is not numbered.
        self.lists: list[int | None] = []
        self.mark = ""
        self.num_pre = 0
        self.addresses: list[str] = []

    def result(self, html: str) -> str:
        """The text of clean HTML."""
        self.feed(html)
        self.close()
        return "".join(self.out).strip("\n")

    def _break(self, num_lines: int) -> None:
        # The first paragraph of an item is on the line of its bullet.
        if not self.mark and self.out:
            self.breaks = max(self.breaks, num_lines)

    def _write(self, text: str) -> None:
        self.out.append("\n" * self.breaks + self.mark + text)
        self.breaks, self.mark = 0, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _LISTS:
            self.mark = ""
            self._break(1 if self.lists else 2)
            start = given.get("start", "1")
            self.lists.append((int(start) if start.lstrip("-").isdecimal() else 1) - 1 if tag == "ol" else None)
            if self.has_markup:
                self._write(f"{'  ' * (len(self.lists) - 1)}<{tag}>")
        elif tag == "li":
            self._item()
        elif tag in _BLOCKS:
            self._break(1 if self.lists else 2)
            self.num_pre += tag == "pre"
            if self.has_markup and tag in _KEPT and not (tag == "p" and self.lists):
                self._write(f"<{tag}>")
        elif tag in _LINES:
            self._break(1)
        elif tag == "br":
            self._write("<br>\n" if self.has_markup else "\n")
        elif tag == "img" and self.alt_texts and given.get("alt"):
            self.handle_data(f" {given['alt']} ")
        elif tag == "a":
            self.addresses.append(given.get("href", ""))
            if self.has_markup and self.links and self.addresses[-1]:
                self._write(f'<a href="{escape(self.addresses[-1])}">')
        elif tag in ("td", "th"):
            self.handle_data(" ")

    def _item(self) -> None:
        self.mark = ""
        self._break(1)
        depth = max(1, len(self.lists))
        number = self.lists[-1] if self.lists else None
        if number is not None:
            self.lists[-1] = number + 1
        if self.has_markup:
            self.mark = f"{'  ' * depth}<li>"
        elif self.bullets:
            self.mark = "  " * depth + ("• " if number is None else f"{number + 1}. ")
        else:
            self.mark = "  " * depth

    def handle_endtag(self, tag: str) -> None:
        if tag in _LISTS and self.lists:
            self.mark = ""
            self.lists.pop()
            if self.has_markup:
                self._break(1)
                self._write(f"{'  ' * len(self.lists)}</{tag}>")
            self._break(1 if self.lists else 2)
        elif tag == "li":
            if self.has_markup:
                self._write("</li>")
            self.mark = ""
            self._break(1)
        elif tag in _BLOCKS:
            if self.has_markup and tag in _KEPT and not (tag == "p" and self.lists):
                self.breaks = 0
                self._write(f"</{tag}>")
            self.num_pre -= tag == "pre" and self.num_pre > 0
            if not (self.has_markup and self.lists):
                self._break(1 if self.lists else 2)
        elif tag in _LINES:
            self._break(1)
        elif tag == "a" and self.addresses:
            address = self.addresses.pop()
            if self.links and address:
                self._write("</a>" if self.has_markup else f" ({address})")

    def handle_data(self, data: str) -> None:
        if not self.num_pre:
            if "\n" in data and not data.strip():
                # A line break between blocks.
                return
            data = re.sub(r"\s+", " ", data)
            before = self.out[-1][-1:] if self.out else "\n"
            if self.breaks or self.mark or before in "\n ":
                data = data.lstrip(" ")
        if data:
            self._write(escape(data, quote=False) if self.has_markup else data)
