"""Runs the programs of markdown_peers.py on pages. Each gives the Markdown of a page, and its own text or HTML."""

from __future__ import annotations

import importlib.metadata
import json
import logging
import pathlib
import queue
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
PAGE_SECONDS = 60  # defuddle is stopped after this time, and its result for the page is empty


@dataclass(frozen=True)
class Tool:
    """A program. `run` reads rows with id, url and html, and returns rows with id, markdown, and text or html."""

    name: str
    version: str
    has_dollars: bool
    run: Callable[[list[dict]], Iterator[dict]]

    @property
    def label(self) -> str:
        return f"{self.name} {self.version}".strip()


def threshr(binary: pathlib.Path, folder: pathlib.Path, options: list[str] | None = None, name: str = "threshr") -> Tool:
    def run(pages: list[dict]) -> Iterator[dict]:
        path = folder / "pages.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(page) + "\n" for page in pages)
        command = [str(binary), "predict", str(path), "--format", "jsonl", "--markdown", "-q", "--page-seconds", "0"]
        command += options or []
        done = subprocess.run(command, capture_output=True, check=True)
        for line in done.stdout.decode("utf-8").splitlines():
            row = json.loads(line)
            yield {"id": row["id"], "markdown": row.get("markdown") or "", "text": row.get("text") or ""}

    return Tool(name, "", True, run)


def trafilatura() -> Tool:
    from trafilatura import extract

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    rich = {"include_links": True, "include_formatting": True, "include_images": True}

    def run(pages: list[dict]) -> Iterator[dict]:
        for page in pages:
            common = {"url": page["url"], "include_comments": False, "include_tables": True}
            markdown = extract(page["html"], output_format="markdown", **common, **rich)
            yield {"id": page["id"], "markdown": markdown or "", "text": extract(page["html"], **common) or ""}

    return Tool("trafilatura", importlib.metadata.version("trafilatura"), False, run)


def readability() -> Tool:
    import html_to_markdown
    from readability import Document

    logging.getLogger("readability").setLevel(logging.CRITICAL)

    def run(pages: list[dict]) -> Iterator[dict]:
        for page in pages:
            try:
                html = Document(page["html"], url=page["url"]).summary(html_partial=True)
                row = {"markdown": html_to_markdown.convert(html).content or "", "html": html}
            except Exception as error:  # the program raises errors of many kinds on empty and broken pages
                row = {"markdown": "", "html": "", "error": str(error)}
            yield {"id": page["id"], **row}

    versions = [importlib.metadata.version(name) for name in ("readability-lxml", "html-to-markdown")]
    version = " + html-to-markdown ".join(versions)
    return Tool("readability-lxml", version, False, run)


def html_to_markdown() -> Tool:
    from html_to_markdown import convert

    def run(pages: list[dict]) -> Iterator[dict]:
        for page in pages:
            yield {"id": page["id"], "markdown": convert(page["html"]).content or "", "html": page["html"]}

    return Tool("html-to-markdown", f"{importlib.metadata.version('html-to-markdown')}, whole page", False, run)


def defuddle(node: pathlib.Path) -> Tool:
    if not (node / "node_modules/linkedom").is_dir():
        raise FileNotFoundError(f"no linkedom in {node}")
    version = json.loads((node / "node_modules/defuddle/package.json").read_text(encoding="utf-8"))["version"]

    def run(pages: list[dict]) -> Iterator[dict]:
        start = 0
        while start < len(pages):
            for row in lines_of(["node", str(HERE / "markdown_defuddle.mjs"), str(node)], pages[start:]):
                start += 1
                yield {"id": row["id"], "markdown": row["markdown"], "html": row["html"]}
            if not start:
                raise RuntimeError("defuddle gave no answer to the first page")
            if start < len(pages):  # the process took too long for this page, or crashed
                yield {"id": pages[start]["id"], "markdown": "", "html": "", "error": "no answer"}
                start += 1

    return Tool("defuddle", version, True, run)


def lines_of(command: list[str], pages: list[dict]) -> Iterator[dict]:
    """Sends pages to a process line by line and yields its answers, until an answer takes longer than PAGE_SECONDS."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    answers: queue.Queue[str] = queue.Queue()
    assert process.stdin is not None and process.stdout is not None
    output, source = process.stdout, process.stdin

    def read() -> None:
        for line in output:
            answers.put(line)
        answers.put("")

    threading.Thread(target=read, daemon=True).start()
    try:
        for page in pages:
            source.write(json.dumps(page) + "\n")
            source.flush()
            answer = answers.get(timeout=PAGE_SECONDS)
            if not answer:
                return
            yield json.loads(answer)
    except (queue.Empty, BrokenPipeError):
        return
    finally:
        process.kill()
        process.wait()


def available(binary: pathlib.Path, node: pathlib.Path | None, folder: pathlib.Path) -> tuple[list[Tool], list[str]]:
    """The programs that are installed, and a line for each that is missing."""
    tools, missing = [threshr(binary, folder)], []
    makers: dict[str, Callable[[], Tool]] = {
        "trafilatura (pip install trafilatura)": trafilatura,
        "readability-lxml (pip install readability-lxml lxml_html_clean html-to-markdown)": readability,
    }
    if node is None:
        missing.append("defuddle: give its folder with --node (npm install defuddle linkedom)")
    else:
        makers["defuddle (npm install defuddle linkedom)"] = lambda: defuddle(node)
    for name, make in makers.items():
        try:
            tools.append(make())
        except (ImportError, OSError) as error:
            missing.append(f"{name}: {error}")
    return tools, missing
