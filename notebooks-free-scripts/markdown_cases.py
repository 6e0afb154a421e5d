"""Runs programs on the cases of structure (tests/cases) for markdown_peers.py.

A case passes if the Markdown between two lines of the article gives the same HTML as one of the expected texts, once
rendered. White space outside code, loose and tight lists, `id`, `title` and most classes make no difference.
"""

from __future__ import annotations

import pathlib
import re
from collections import Counter

import lxml.html
from markdown_parts import renderer
from markdown_tools import Tool

BEFORE = "Here the first half of this article comes to its end, and the passage in question stands below it."
AFTER = "With this the passage in question is over, and the second half of this article begins and goes on."
URL = "https://example.org/articles/threshing.html"
MATHJAX = '<script src="https://cdn.example/mathjax@3/es5/tex-mml-chtml.js"></script>'
KINDS = "code notes headings images links lists formulas inline quotes boxes posts tables".split()
KEPT_ATTRIBUTES = {"href", "src", "alt", "start", "checked", "style", "colspan", "rowspan", "open", "type", "cite"}
KEPT_CLASS = re.compile(r"language-\S+|math\S*|task\S*")


def parts(folder: pathlib.Path, extension: str) -> dict[str, str]:
    """The parts of the structure cases with an extension, by KIND/NAME. A line `==== NAME` begins a part."""
    texts = {kind: (folder / "structure" / f"{kind}.txt").read_text(encoding="utf-8") for kind in KINDS}
    named = [(kind, part.partition("\n")) for kind in KINDS for part in f"\n{texts[kind]}".split("\n==== ")[1:]]
    return {f"{kind}/{name.removesuffix(extension)}": text for kind, (name, _, text) in named if name.endswith(extension)}


def pages(folder: pathlib.Path) -> list[dict]:
    """The articles with the snippets."""
    template = (folder / "structure.template").read_text(encoding="utf-8")
    rows = []
    for name, snippet in parts(folder, ".html").items():
        head = '<base href="https://example.org/machines/">' if "base" in name else ""
        head += MATHJAX if name.startswith(("formulas/m07", "formulas/m08")) else ""
        html = template.replace("{head}", head).replace("{snippet}", snippet)
        rows.append({"id": name, "url": URL, "html": html})
    return rows


def normal(element: lxml.html.HtmlElement, is_code: bool = False) -> list:
    """An element as nested lists of the compared parts: tag, attributes, texts and children."""
    is_code = is_code or element.tag == "pre"
    attributes = {name: value for name, value in element.attrib.items() if name in KEPT_ATTRIBUTES}
    attributes["class"] = " ".join(KEPT_CLASS.findall(element.get("class") or ""))
    parts: list = [element.tag, sorted(attributes.items())]

    def add(text: str | None) -> None:
        folded = "\n".join(line.rstrip() for line in (text or "").split("\n")) if is_code else " ".join((text or "").split())
        if folded:
            parts.append(folded)

    add(element.text)
    for child in element:
        if isinstance(child.tag, str) and "footnote-backref" not in (child.get("class") or ""):
            inner = normal(child, is_code)
            is_tight = element.tag == "li" and child.tag == "p" and len([c for c in element if c.tag == "p"]) == 1
            parts += inner[2:] if is_tight else [inner]
        add(child.tail)
    return parts


def meaning(markdown: str) -> list:
    """Normal form of Markdown: equal for texts that render equally."""
    return normal(lxml.html.fromstring(f"<div>{renderer(True).render(markdown)}</div>"))


def passes(markdown: str, expected: str) -> bool:
    start, end = markdown.find(BEFORE), markdown.find(AFTER)
    if start < 0 or end < 0:
        return False
    found = meaning(markdown[start + len(BEFORE) : end].strip("\n"))
    return any(found == meaning(form) for form in expected.split("\n%%%%\n"))


def rows(tools: list[Tool], folder: pathlib.Path) -> list[list[str]]:
    """For each program the number of cases that pass, in all and by kind."""
    inputs = pages(folder)
    expected = parts(folder, ".md")
    total = Counter(name.partition("/")[0] for name in expected)
    table = []
    for tool in tools:
        good = [row["id"] for row in tool.run(inputs) if passes(row["markdown"], expected[row["id"]])]
        passed = Counter(name.partition("/")[0] for name in good)
        counts = [f"{passed[kind]} of {total[kind]}" for kind in KINDS]
        table.append([tool.label, f"{len(good)} of {len(expected)}", *counts])
    return table
