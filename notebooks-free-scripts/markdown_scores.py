"""Scores one page for markdown_peers.py: parts kept, text changed by the Markdown, agreement with the gold."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import lxml.etree
from markdown_it import MarkdownIt
from markdown_parts import BLOCKS, HEADINGS, PageReader, Rendered, Tree, letters, renderer
from rapidfuzz.distance import Indel

ESCAPE = re.compile(r"\\[!-/:-@\[-`{-~]")
MAX_ESCAPES = 60  # maximum number of tried escapes per page
MAX_LETTERS = 300_000  # longer texts are not compared letter by letter
CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
WORD = re.compile(f"[{CJK}]|[^\\W{CJK}]+")


def words(text: str) -> list[str]:
    """Words in lower case; each Chinese, Japanese, Korean and Thai character is a word."""
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


def token_f1(found: list[str], gold: list[str]) -> float:
    """F1 of the multisets of words."""
    shared = sum((Counter(found) & Counter(gold)).values())
    return 2 * shared / (len(found) + len(gold)) if found or gold else 1.0


def chunks(markdown: str) -> list[str]:
    """The paragraphs of a Markdown text, without fences."""
    outside = re.sub(r"^([ >]*)(`{3,}|~{3,}).*?^[ >]*\2`*[ ]*$", "", markdown, flags=re.S | re.M)
    return [textwrap.dedent(chunk) for chunk in re.split(r"\n[ >]*\n", outside) if "\\" in chunk]


def needless_escapes(markdown: str, rules: MarkdownIt) -> tuple[int, int]:
    """Number of escapes that can be removed, and number of escapes that were tried.

    Escapes are removed one after another as long as the rendered paragraph stays the same.
    """
    needless = tried = 0
    for chunk in chunks(markdown):
        html = rules.render(chunk)
        position = 0
        while (hit := ESCAPE.search(chunk, position)) and tried < MAX_ESCAPES:
            shorter = chunk[: hit.start()] + chunk[hit.start() + 1 :]
            if rules.render(shorter) == html:
                needless, tried, chunk, position = needless + 1, tried + 1, shorter, hit.start() + 1
            else:
                tried += not in_code(chunk, hit.start())
                position = hit.end()
    return needless, tried


def in_code(chunk: str, position: int) -> bool:
    """Whether a position seems to be inside a code span, where a backslash is not an escape."""
    return chunk.count("`", 0, position) % 2 == 1


def typed_words(tree: Tree) -> list[str]:
    """The words of a tree, with a marker before each heading, list item and other block."""
    found: list[str] = []
    last = None
    for event, element in lxml.etree.iterwalk(tree.root, events=("start", "end")):
        text = element.text if event == "start" else element.tail
        holder = element if event == "start" else element.getparent()
        if not text or not text.strip() or holder is None:
            continue
        block = next((e for e in (holder, *holder.iterancestors()) if e.tag in BLOCKS), holder)
        if block is not last:
            in_item = block.tag == "li" or (block.getparent() is not None and block.getparent().tag == "li")
            found.append("<h>" if block.tag in HEADINGS else "<l>" if in_item else "<p>")
            last = block
        found += words(text)
    return found


def gold_words(markup: str) -> list[str]:
    """Returns such words for gold with `<p>`, `<h>` and `<l>` before each line."""
    found: list[str] = []
    for line in markup.splitlines():
        sign = re.match(r"<([phl])>", line)
        found += [sign.group(0)] if sign else []
        found += words(re.sub(r"^<[phl]>", "", line))
    return found


@dataclass
class Score:
    """Scores of one program on one page.

    `parts` has a pair (text kept, part kept) for each part of the page. `torn` contains the rows of each partly kept table.
    `touched` is the number of tables with at least one kept row. `damage` is the share of letters that differ from the
    program's own text.
    """

    parts: list[tuple[bool, bool]] = field(default_factory=list)
    torn: list[list[str]] = field(default_factory=list)
    touched: int = 0
    needless: int = 0
    tried: int = 0
    letters: int = 0
    damage: float | None = None
    token_f1: float = 0.0
    markup: float | None = None


def own_letters(row: dict[str, Any]) -> str:
    return letters(row["text"]) if "text" in row else Tree(f"<div>{row['html']}</div>", "").stream


def score_tool(page: dict[str, Any], parts: list, tables: list, row: dict[str, Any], has_dollars: bool) -> Score:
    rules = renderer(has_dollars)
    rendered = Rendered(rules.render(row["markdown"]), page["url"])
    score = Score([(rendered.has_text(part), rendered.has(part)) for part in parts])
    for rows in tables:
        kept = sum(text in rendered.stream for text in rows)
        score.touched += kept > 0
        if 0 < kept < len(rows):
            score.torn.append(rows)
    score.needless, score.tried = needless_escapes(row["markdown"], rules)
    score.letters = len(rendered.stream)
    own = own_letters(row)
    if max(len(own), len(rendered.stream)) <= MAX_LETTERS:
        score.damage = Indel.normalized_distance(own, rendered.stream)
    typed = typed_words(rendered.tree)
    score.token_f1 = token_f1([word for word in typed if not word.startswith("<")], words(page["gold"]))
    if page["gold_markup"]:
        score.markup = Indel.normalized_similarity(typed, gold_words(page["gold_markup"]))
    return score


def score_page(task: tuple[dict[str, Any], list[tuple[dict[str, Any], bool]]]) -> dict[str, Any]:
    """Scores all programs on one page."""
    page, rows = task
    found = PageReader(page["html"], page["url"], page["gold"]).read()
    scores = [score_tool(page, found.parts, found.tables, row, has_dollars) for row, has_dollars in rows]
    parts = [(part.kind, part.source, part.anchors) for part in found.parts]
    return {"id": page["id"], "set": page["set"], "site": page["site"], "parts": parts, "scores": scores}
