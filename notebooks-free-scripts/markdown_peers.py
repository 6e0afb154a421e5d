#!/usr/bin/env python3
"""Compares the Markdown of threshr with the Markdown of other programs; see docs/results/structure.md.

Each program writes the Markdown of the same pages. A CommonMark renderer turns it into HTML. Then the script looks for the
links, images, tables and other parts of the page inside the gold text. It also counts needless escapes, torn tables, letters
that rendering changes, and words shared with the gold. With --cases it also counts the cases that pass.

Programs that are not installed are skipped, with a message on standard error. Python packages: lxml, markdown-it-py,
mdit-py-plugins, rapidfuzz, numpy; the programs: trafilatura; readability-lxml, lxml_html_clean and html-to-markdown;
defuddle and linkedom (npm).
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import multiprocessing
import os
import pathlib
import sys
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import markdown_cases
import numpy as np
from markdown_parts import KINDS
from markdown_scores import score_page
from markdown_tools import Tool, available, html_to_markdown, threshr

EXAMPLE = """Example:
  markdown_peers.py $DATA --threshr target/release/threshr --node ~/peers --cases tests/cases \\
      --out docs/results/data --work /tmp/peers
"""
SEEN = "wcxb-dev readability krdwrd-canola fundus-tests"  # the default model is trained on these
UNSEEN = "postlight-rules cleaneval-en-final:300 cleanportaleval l3s-gn1:200 daniel-pl-zh:150 daniel-el:60"
NO_URL = "https://example.org/articles/page.html"
MIN_SITES = 5  # with fewer sites, no interval is computed


def read_pages(data: pathlib.Path, sets: list[str]) -> list[dict]:
    """Pages of the sets that have gold text; SET:N takes N pages by the hash of their ids."""
    pages = []
    for entry in sets:
        name, _, limit = entry.partition(":")
        with (data / name / "gold.jsonl").open(encoding="utf-8") as lines:
            rows = [row for row in map(json.loads, lines) if row.get("gold")]
        rows.sort(key=lambda row: hashlib.sha256(row["id"].encode()).digest())
        for row in rows[: int(limit) if limit else None]:
            raw = (data / name / row["file"]).read_bytes()
            url = row.get("url") or NO_URL
            site = row.get("domain") or (urlsplit(url).netloc if row.get("url") else row["id"])
            page = {"id": f"{name}/{row['id']}", "set": name, "site": site, "url": url, "gold": row["gold"]}
            page["html"] = raw.decode(row.get("encoding") or "utf-8", "replace")
            pages.append(page | {"gold_markup": row.get("gold_markup")})
    return pages


def run_tool(tool: Tool, pages: list[dict], work: pathlib.Path, reuse: bool) -> list[dict]:
    """The rows of a program in the order of the pages. They are also written to the work folder."""
    path = work / f"{tool.name}.jsonl"
    if not (reuse and path.exists()):
        start = time.monotonic()
        inputs = [{key: page[key] for key in ("id", "url", "html")} for page in pages]
        with path.with_suffix(".part").open("w", encoding="utf-8") as file:
            for row in tool.run(inputs):
                file.write(json.dumps(row) + "\n")
        path.with_suffix(".part").replace(path)
        print(f"{tool.name}: {time.monotonic() - start:.0f} s", file=sys.stderr)
    with path.open(encoding="utf-8") as lines:
        found = {row["id"]: row for row in map(json.loads, lines)}
    if absent := [page["id"] for page in pages if page["id"] not in found]:
        raise SystemExit(f"error: {tool.name} has no row for {len(absent)} pages, first {absent[0]}: omit --reuse")
    if failed := [row["id"] for row in found.values() if row.get("error")]:
        text = f"{tool.name} failed on {len(failed)} pages, first {failed[0]}; they count as empty"
        print(f"warning: {text}", file=sys.stderr)
    return [found[page["id"]] for page in pages]


def figure(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}".removeprefix("0")


def interval(hits: np.ndarray, totals: np.ndarray) -> str:
    """A share and its 95 % interval, by bootstrap over sites. Both arrays have one number per site."""
    if totals.sum() == 0:
        return ""
    draws = np.random.default_rng(1).integers(0, len(totals), (1000, len(totals)))
    sums = totals[draws].sum(1)
    shares = (hits[draws].sum(1) / np.maximum(sums, 1e-9))[sums > 0]
    share = figure(hits.sum() / totals.sum())
    if len(totals) < MIN_SITES:
        return share
    low, high = np.percentile(shares, [2.5, 97.5])
    return f"{share} ({figure(low)}–{figure(high)})"


def by_site(results: list[dict], value: Callable[[dict], tuple[float, float]]) -> str:
    """The interval of a share whose hits and total `value` gives for each page."""
    sums: dict[str, list[float]] = {}
    for result in results:
        hits, total = value(result)
        if total:
            entry = sums.setdefault(result["site"], [0.0, 0.0])
            entry[0] += hits
            entry[1] += total
    array = np.array(list(sums.values()) or [[0.0, 0.0]])
    return interval(array[:, 0], array[:, 1])


def structure_rows(results: list[dict], tools: list[Tool], of_kept: bool) -> list[list[str]]:
    """Share of kept parts among all parts in the gold, or among the parts whose text the program keeps."""

    def value(result: dict, kind: str, index: int) -> tuple[float, float]:
        pairs = zip(result["parts"], result["scores"][index].parts, strict=True)
        kept = [has for (found, _, _), (has_text, has) in pairs if found == kind and (has_text or not of_kept)]
        return sum(kept), len(kept)

    rows = []
    for kind in KINDS:
        having = [result for result in results if any(part[0] == kind for part in result["parts"])]
        count = sum(part[0] == kind for result in having for part in result["parts"])
        shares = [by_site(having, lambda r, k=kind, i=i: value(r, k, i)) for i in range(len(tools))]
        rows.append([kind, f"{count:,}", str(len({result["site"] for result in having})), *shares])
    return rows


def damage_rows(results: list[dict], tools: list[Tool]) -> list[list[str]]:
    rows = []
    for index, tool in enumerate(tools):
        scores = [result["scores"][index] for result in results]
        total, tried, needless = (sum(getattr(s, name) for s in scores) for name in ("letters", "tried", "needless"))
        compared = [s.damage for s in scores if s.damage is not None and s.letters]
        torn, touched = sum(len(s.torn) for s in scores), sum(s.touched for s in scores)
        rows.append([tool.label, str(sum(s.letters > 0 for s in scores)), figure(float(np.mean(compared)), 4)])
        rows[-1] += [figure(float(np.mean([share == 0 for share in compared])))]
        rows[-1] += [f"{1e4 * tried / total:.1f}", figure(needless / tried) if tried else ""]
        rows[-1] += [f"{figure(torn / touched)} ({torn} of {touched})" if touched else ""]
    return rows


def text_rows(results: list[dict], tools: list[Tool]) -> list[list[str]]:
    rows = []
    for name in dict.fromkeys(result["set"] for result in results):
        pages = [result for result in results if result["set"] == name]
        shares = [by_site(pages, lambda r, i=i: (r["scores"][i].token_f1, 1)) for i in range(len(tools))]
        note = "yes" if name in SEEN.split() else "no"
        rows.append([name, "words", note, str(len(pages)), *shares])
        if any(result["scores"][0].markup is not None for result in pages):
            shares = [by_site(pages, lambda r, i=i: (r["scores"][i].markup, 1)) for i in range(len(tools))]
            rows.append([name, "words and markup", note, str(len(pages)), *shares])
    return rows


def write(path: pathlib.Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    print(f"wrote {path}", file=sys.stderr)


def write_losses(path: pathlib.Path, results: list[dict]) -> None:
    """Writes the parts that threshr loses although it keeps their text, and partly kept tables, as one JSON object per
    line."""
    with path.open("w", encoding="utf-8") as file:
        for result in results:
            for rows in result["scores"][0].torn:
                file.write(json.dumps({"id": result["id"], "kind": "torn table", "rows": rows}, ensure_ascii=False) + "\n")
            for (kind, source, anchors), *states in zip(result["parts"], *(s.parts for s in result["scores"]), strict=True):
                if states[0] == (True, False):
                    others = [has for _, has in states[1:]]
                    row = {"id": result["id"], "kind": kind, "others": others, "source": source, "anchors": anchors}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


def parse(arguments: list[str] | None) -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=form)
    parser.add_argument("data", type=pathlib.Path, help="folder of the annotated sets")
    parser.add_argument("--threshr", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--node", type=pathlib.Path, help="folder in which npm has installed defuddle and linkedom")
    parser.add_argument("--cases", type=pathlib.Path, help="folder of the small cases: tests/cases")
    sets = f"{SEEN} {UNSEEN}"
    parser.add_argument("--sets", nargs="+", default=sets.split(), help=f"sets; SET:N takes N pages [default: {sets}]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder of the CSV tables [default: .]")
    work = "folder of what the programs write, and of losses.jsonl: parts that threshr loses"
    parser.add_argument("--work", type=pathlib.Path, required=True, help=work)
    parser.add_argument("--reuse", action="store_true", help="read what the programs wrote in an earlier run")
    jobs = "processes that score pages [default: one for each core]"
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help=jobs)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.threshr = options.threshr.resolve()
    tools, missing = available(options.threshr, options.node, options.work)
    for line in missing:
        print(f"MISSING, left out: {line}", file=sys.stderr)
    names = [tool.label for tool in tools]
    if options.cases:
        own = threshr(options.threshr, options.work, ["--captions"])
        bound = threshr(options.threshr, options.work, ["--system", "keep-everything"], "threshr, all text kept")
        table = markdown_cases.rows([own, bound, *tools[1:], html_to_markdown()], options.cases)
        write(options.out / "markdown_cases.csv", ["Program", "All", *markdown_cases.KINDS], table)
    pages = read_pages(options.data, options.sets)
    columns = [run_tool(tool, pages, options.work, options.reuse) for tool in tools]
    dollars = [tool.has_dollars for tool in tools]
    tasks = [(page, list(zip(row, dollars, strict=True))) for page, *row in zip(pages, *columns, strict=True)]
    with multiprocessing.Pool(options.jobs) as pool:
        results = pool.map(score_page, tasks, chunksize=20)
    parts = ["Part", "Parts", "Sites", *names]
    unseen = [result for result in results if result["set"] not in SEEN.split()]
    write(options.out / "markdown_structure.csv", parts, structure_rows(results, tools, False))
    write(options.out / "markdown_structure_unseen.csv", parts, structure_rows(unseen, tools, False))
    write(options.out / "markdown_structure_kept.csv", parts, structure_rows(results, tools, True))
    header = ["Program", "Pages with text", "Letters changed", "Pages unchanged"]
    header += ["Escapes per 10,000 letters", "Needless escapes", "Tables torn"]
    write(options.out / "markdown_damage.csv", header, damage_rows(results, tools))
    write(options.out / "markdown_text.csv", ["Set", "Compared", "Trained on", "Pages", *names], text_rows(results, tools))
    write_losses(options.work / "losses.jsonl", results)


if __name__ == "__main__":
    main()
