"""Reads pages and rendered Markdown: the stream of their letters, and their links, images, tables and other parts.

A *part* of a page is a link, an image, a table or a similar element inside the gold text. *Letters* are letters and digits
in lower case after NFKC, without white space and punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urljoin, urlsplit

import lxml.etree
import lxml.html
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

Element = lxml.html.HtmlElement
SKIPPED = set("script style template noscript head select iframe textarea svg annotation object".split())
BLOCKS = set(
    "p li td th h1 h2 h3 h4 h5 h6 dd dt blockquote div section article figcaption pre caption address summary body main"
    " ul ol dl table tr tbody thead figure header footer aside nav form details center".split()
)
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
EMPHASIS = ["strong", "b", "em", "i"]
MIN_BLOCK = 20  # minimum number of letters of a block to find it reliably in the gold
MIN_HEADING = 12
BESIDE = 30  # number of letters before and after an image or formula that the gold must contain
CODE_HINT = re.compile(r"\b(highlight|lang|language|code|codehilite|brush|prettyprint|syntax|sourceCode|hljs)", re.I)
GUTTER_CLASSES = "lineno linenos line-number line-numbers line-number-rows linenumber gutter rouge-gutter ln lnt ln-num"
GUTTER = re.compile(rf"\b({'|'.join(GUTTER_CLASSES.split())})\b", re.I)
IMAGE_ATTRIBUTES = ["src", "data-src", "data-lazy-src", "data-original", "data-lazy", "data-url"]
KINDS = ["heading", "link", "emphasis", "list item", "quotation", "image", "table", "code block", "inline code", "formula"]


def letters(text: str | None) -> str:
    """Letters and digits of a text, in lower case."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text or "").lower())


def squeeze(text: str) -> str:
    """A text without white space."""
    return re.sub(r"\s+", "", text)


def plain_code(text: str) -> str:
    """Code without white space at ends of lines and without empty lines around it."""
    lines = [line.rstrip() for line in text.replace("\xa0", " ").replace("\r", "").split("\n")]
    return "\n".join(lines).strip("\n")


def classes(element: Element) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"


class Tree:
    """An HTML tree, the stream of its letters, and the position of each element in the stream."""

    def __init__(self, html: str, base: str) -> None:
        html = re.sub(r"^\s*<\?xml[^>]*\?>", "", html).replace("\0", "")
        self.root = lxml.html.document_fromstring(html or "<html></html>", parser=lxml.html.HTMLParser(huge_tree=True))
        bases = [element.get("href") for element in self.root.iter("base") if element.get("href")]
        self.base = urljoin(base, bases[0].strip()) if bases else base
        self.spans: dict[Element, tuple[int, int]] = {}
        self.stream = self._read()

    def _read(self) -> str:
        pieces: list[str] = []
        length, skipping, starts = 0, 0, {}
        for event, element in lxml.etree.iterwalk(self.root, events=("start", "end", "comment", "pi")):
            text = element.tail
            if event in ("start", "end"):
                is_skipped = element.tag in SKIPPED
                if event == "start":
                    skipping += is_skipped
                    starts[element] = length
                    text = element.text
                else:
                    skipping -= is_skipped
                    self.spans[element] = (starts[element], length)
            if text and not skipping:
                piece = letters(text)
                pieces.append(piece)
                length += len(piece)
        return "".join(pieces)

    def letters(self, element: Element) -> str:
        start, end = self.spans.get(element, (0, 0))
        return self.stream[start:end]

    def elements(self, tags: list[str]) -> Iterator[Element]:
        """Elements with these tags, outside elements that are not read, such as scripts."""
        for element in self.root.iter(*tags):
            if not any(ancestor.tag in SKIPPED for ancestor in element.iterancestors()):
                yield element

    def beside(self, element: Element) -> tuple[str, str]:
        """The letters before and after an element."""
        start, end = self.spans.get(element, (0, 0))
        return self.stream[max(0, start - BESIDE) : start], self.stream[end : end + BESIDE]


def address(href: str, base: str) -> str:
    """An absolute address in one form, so that addresses can be compared."""
    href = href.strip().replace("\\", "/")
    try:
        parts = urlsplit(urljoin(base, href))
    except ValueError:
        return href
    path = "" if parts.path == "/" else parts.path
    return unquote(parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower(), path=path).geturl()).rstrip("/")


def block_of(element: Element) -> Element | None:
    return next((a for a in element.iterancestors() if a.tag in BLOCKS), None)


def emphasis_runs(tree: Tree, is_across: bool = False) -> list[tuple[Element, Element, str]]:
    """Emphasised text with its block and first element. Consecutive elements in a block are one run. With `is_across`, a run
    may continue in the next block, because line breaks of a page may become paragraphs.
    """
    runs: list[list] = []
    for element in tree.elements(EMPHASIS):
        start, end = tree.spans.get(element, (0, 0))
        block = block_of(element)
        is_code = next(element.iterancestors("code", "kbd", "pre", *HEADINGS), None) is not None
        if start == end or block is None or is_code:
            continue
        if runs and (is_across or runs[-1][0] is block) and start <= runs[-1][3]:
            runs[-1][3] = max(end, runs[-1][3])
        else:
            runs.append([block, element, start, end])
    return [(block, element, tree.stream[start:end]) for block, element, start, end in runs]


def code_text(pre: Element) -> str:
    """The text of a <pre>, with <br> as line breaks, without line numbers and buttons."""
    pieces: list[str] = []
    skipping = 0
    for event, element in lxml.etree.iterwalk(pre, events=("start", "end")):
        is_gutter = element is not pre and bool(GUTTER.search(classes(element)))
        is_skipped = is_gutter or element.tag in ("button", "style", "script")
        if event == "start":
            skipping += is_skipped
            text = ("\n" if element.tag == "br" else "") + (element.text or "")
        else:
            skipping -= is_skipped
            text = element.tail or "" if element is not pre else ""
        if not skipping:
            pieces.append(text)
    return "".join(pieces)


def rows_of(table: Element, tree: Tree) -> list[list[str]]:
    """The cells of a table that have letters, row by row."""
    rows = []
    for row in table.iter("tr"):
        cells = [tree.letters(cell) for cell in row if cell.tag in ("td", "th")]
        rows.append([cell for cell in cells if cell])
    return [row for row in rows if row]


def is_data_table(table: Element, rows: list[list[str]]) -> bool:
    """Whether a table holds data: two rows of two cells, no table or code inside, no form, mostly short cells."""
    inner = next(table.iterdescendants("table", "pre", "form"), None)
    if table.get("role") in ("presentation", "none") or inner is not None:
        return False
    lengths = sorted(len(cell) for row in rows for cell in row)
    return sum(len(row) >= 2 for row in rows) >= 2 and lengths[len(lengths) // 2] <= 100


def tex_of(element: Element) -> str | None:
    """The TeX of a formula in a page."""
    if element.tag == "annotation" and "tex" in (element.get("encoding") or "").lower():
        return element.text
    if element.tag == "script" and (element.get("type") or "").startswith("math/tex"):
        return element.text
    if element.tag == "math" and next(element.iter("annotation"), None) is None:
        return element.get("alttext")
    if element.tag == "img" and re.search(r"\b(latex|tex|mwe-math-fallback-image-inline|math)\b", classes(element)):
        has_math = element.getparent() is not None and next(element.getparent().iter("math"), None) is not None
        return None if has_math else element.get("alt")
    return None


@dataclass
class Part:
    """A part of a page. `anchors` are letters that the output has if it keeps the text of the part."""

    kind: str
    anchors: list[str]
    want: object
    source: str


@dataclass
class Page:
    """The parts of a page inside its gold, and the rows of all its data tables."""

    parts: list[Part] = field(default_factory=list)
    tables: list[list[str]] = field(default_factory=list)


class PageReader:
    """Finds the parts of a page inside its gold text."""

    def __init__(self, html: str, base: str, gold: str) -> None:
        self.tree = Tree(html, base)
        self.gold = letters(gold)
        self.page = Page()

    def read(self) -> Page:
        for reader in (self._blocks, self._inline, self._links, self._images, self._tables, self._code, self._formulas):
            reader()
        return self.page

    def _inside(self, text: str, minimum: int) -> bool:
        """Whether a text is in the gold, and only once in the page."""
        return len(text) >= minimum and text in self.gold and self.tree.stream.count(text) == 1

    def _between(self, element: Element) -> list[str]:
        """The letters before and after an element, if both are in the gold."""
        sides = list(self.tree.beside(element))
        return sides if all(self._inside(side, MIN_BLOCK) for side in sides) else []

    def _add(self, kind: str, element: Element, anchors: list[str], want: object) -> None:
        source = lxml.html.tostring(element, encoding="unicode", with_tail=False)
        self.page.parts.append(Part(kind, anchors, want, source[:600]))

    def _blocks(self) -> None:
        for element in self.tree.elements([*HEADINGS, "li", "blockquote"]):
            text = self.tree.letters(element)
            kind = {"li": "list item", "blockquote": "quotation"}.get(element.tag, "heading")
            inner = next(element.iterdescendants("ul", "ol", "pre", "table", *HEADINGS), None)
            if kind == "list item" and inner is not None:
                continue
            if self._inside(text, MIN_HEADING if kind == "heading" else MIN_BLOCK):
                self._add(kind, element, [text], text)

    def _inline(self) -> None:
        for element in self.tree.elements(["code"]):
            block, text = block_of(element), self.tree.letters(element)
            above = {ancestor.tag for ancestor in element.iterancestors()}
            if block is None or len(text) < 2 or "pre" in above or above & set(HEADINGS) or "th" in above:
                continue
            whole = self.tree.letters(block)
            if "\n" not in element.text_content().strip() and self._inside(whole, MIN_BLOCK):
                self._add("inline code", element, [whole], " ".join(element.text_content().split()))
        for block, element, text in emphasis_runs(self.tree):
            whole = self.tree.letters(block)
            if block.tag != "th" and len(text) >= 2 and self._inside(whole, MIN_BLOCK):
                self._add("emphasis", element, [whole], text)

    def _links(self) -> None:
        for element in self.tree.elements(["a"]):
            href, block, text = (element.get("href") or "").strip(), block_of(element), self.tree.letters(element)
            is_other = re.match(r"#|(?!https?:)[a-z][a-z0-9+.-]*:|.*/email-protection", href, re.I)
            is_code = next(element.iterancestors("pre"), None) is not None
            if not href or is_other or is_code or block is None or len(text) < 2:
                continue
            if self._inside(self.tree.letters(block), MIN_BLOCK):
                self._add("link", element, [self.tree.letters(block)], (text, address(href, self.tree.base)))

    def _images(self) -> None:
        for element in self.tree.elements(["img"]):
            values = [element.get(name) or "" for name in IMAGE_ATTRIBUTES]
            for name in ("srcset", "data-srcset"):
                values += [item.split()[0] for item in re.split(r",\s+", element.get(name) or "") if item.split()]
            wanted = {address(v, self.tree.base) for v in values if v and not v.startswith(("data:", "about:"))}
            sizes = [re.sub(r"px$", "", element.get(name) or "") for name in ("width", "height")]
            is_small = any(size.isdigit() and int(size) < 32 for size in sizes)
            if wanted and not is_small and not tex_of(element) and (anchors := self._between(element)):
                self._add("image", element, anchors, wanted)

    def _tables(self) -> None:
        for element in self.tree.elements(["table"]):
            rows = rows_of(element, self.tree)
            if not is_data_table(element, rows):
                continue
            texts = ["".join(row) for row in rows]
            unique = [text for text in texts if len(text) >= MIN_HEADING and self.tree.stream.count(text) == 1]
            if len(unique) >= 2:
                self.page.tables.append(unique)
                if all(text in self.gold for text in texts):
                    self._add("table", element, unique, [cell for row in rows for cell in row])

    def _code(self) -> None:
        for element in self.tree.elements(["pre"]):
            near = [element, *list(element.iterancestors())[:2], *element.iterdescendants("code")]
            is_code = any(e.tag == "code" or CODE_HINT.search(classes(e)) for e in near)
            is_gutter = any(GUTTER.search(classes(e)) for e in near)
            text = code_text(element)
            if is_code and not is_gutter and self._inside(letters(text), MIN_HEADING):
                has_boxes = next(element.iterdescendants("div", "p", "li", "tr"), None) is not None
                has_boxes |= any(re.search(r"\bline\b", classes(e)) for e in element.iterdescendants("span"))
                self._add("code block", element, [letters(text)], squeeze(text) if has_boxes else plain_code(text))

    def _formulas(self) -> None:
        for element in self.tree.root.iter("annotation", "script", "math", "img"):
            tex = tex_of(element)
            outer = next((a for a in element.iterancestors() if "katex" in classes(a) or a.tag == "math"), element)
            holders = (a for a in outer.iterancestors() if a.tag in ("span", "div"))
            top = [a for a in holders if re.search(r"katex|mwe-math|mathjax", classes(a), re.I)]
            if tex and tex.strip() and (anchors := self._between(top[-1] if top else outer)):
                self._add("formula", element, anchors, clean_tex(tex))


def clean_tex(tex: str) -> str:
    """TeX without white space and without the wrapper that Wikipedia adds."""
    inner = re.fullmatch(r"\{\\displaystyle(.*)\}", squeeze(tex), re.S)
    return (inner.group(1) if inner else squeeze(tex)).strip("$")


def renderer(has_dollars: bool) -> MarkdownIt:
    """CommonMark with tables, strike, notes and task lists; formulas between dollars for programs that write them."""
    rules = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    rules = rules.use(footnote_plugin).use(tasklists_plugin)
    return rules.use(dollarmath_plugin, allow_space=False, double_inline=True) if has_dollars else rules


class Rendered:
    """The parts of a rendered Markdown text."""

    def __init__(self, html: str, base: str) -> None:
        tree = self.tree = Tree(f"<html><body>{html}</body></html>", base)
        self.stream, root = tree.stream, tree.root
        self.headings = {tree.letters(e) for e in tree.elements(HEADINGS)}
        self.items = {tree.letters(e) for e in tree.elements(["li", "dd", "dt"])}
        self.quotes = [tree.letters(e) for e in tree.elements(["blockquote"])]
        self.emphasis = {tree.letters(e) for e in tree.elements(EMPHASIS)}
        self.emphasis |= {text for _, _, text in (*emphasis_runs(tree), *emphasis_runs(tree, True))}
        self.links: dict[str, str] = {}  # a link around several blocks becomes several links to the same address
        for element in tree.elements(["a"]):
            url = address(element.get("href") or "", base)
            self.links[url] = self.links.get(url, "") + tree.letters(element)
        self.images = {address(e.get("src") or "", base) for e in root.iter("img")}
        fences = [code_text(e) for e in root.iter("pre")]
        self.fences = {*map(plain_code, fences), *map(squeeze, fences)}
        self.code = {" ".join(e.text_content().split()) for e in root.iter("code")}
        self.formulas = {clean_tex(e.text_content()) for e in root.iter("span", "div", "eq", "eqn") if "math" in classes(e)}
        self.tables = [{cell for row in rows_of(e, tree) for cell in row} for e in root.iter("table")]

    def has_text(self, part: Part) -> bool:
        return all(anchor in self.stream for anchor in part.anchors)

    def has(self, part: Part) -> bool:
        want: object = part.want
        match part.kind:
            case "heading":
                return is_near(want, self.headings)
            case "list item":
                return is_near(want, self.items)
            case "emphasis":
                return is_near(want, self.emphasis) or want in self.headings
            case "quotation":
                return any(want in text for text in self.quotes)
            case "link":
                return want[0] in self.links.get(want[1], "")
            case "image":
                return bool(want & self.images)
            case "table":
                return any(set(want) <= table for table in self.tables)
            case "code block":
                return want in self.fences
            case "inline code":
                return want in self.code
            case "formula":
                return want in self.formulas
        raise ValueError(f"no such kind: {part.kind}")


def is_near(want: str, texts: set[str]) -> bool:
    """Whether the text or a slightly longer or shorter text occurs."""
    if want in texts:
        return True
    return any((want in t or t in want) and 0.8 <= len(t) / len(want) <= 1.25 for t in texts if t)
