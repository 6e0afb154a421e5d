#!/usr/bin/env python3
"""Compares the Markdown of threshr with that of other programs; see docs/results/markdown.md.

Each program writes the Markdown of the same pages. A CommonMark renderer turns it into HTML. Then the script looks for the
links, images, tables and other parts of the page that lie in the gold text. It also counts needless escapes, torn tables,
letters that rendering changes, and words shared with the gold. With --cases it also runs check.py of tests/cases/structure.

Programs that are not installed are named on standard error and left out. Python packages: lxml, markdown-it-py,
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
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from urllib.parse import urlsplit

import numpy as np
from markdown_parts import KINDS
from markdown_scores import score_page
from markdown_tools import Tool, available

EXAMPLE = """Example:
  markdown_peers.py $DATA --threshr target/release/threshr --node ~/peers --cases tests/cases/structure \\
      --out docs/results/data --work /tmp/peers
"""
SEEN = "wcxb-dev readability krdwrd-canola fundus-tests"  # the default model is trained on these
UNSEEN = "postlight-rules cleaneval-en-final:300 cleanportaleval l3s-gn1:200 daniel-pl-zh:150 daniel-el:60"
NO_URL = "https://example.org/articles/page.html"
CASES = {"c": "code", "f": "notes", "h": "headings", "i": "images", "k": "links", "l": "lists", "m": "formulas", "n": "inline"}
CASES |= {"q": "quotes, boxes", "t": "tables"}


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
    path = work / f"{tool.name.split()[0]}.jsonl"
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
        raise SystemExit(f"error: {tool.name} has no row for {len(absent)} pages, first {absent[0]}; run without --reuse")
    if failed := [row["id"] for row in found.values() if row.get("error")]:
        print(f"warning: {tool.name} failed on {len(failed)} pages, which count as empty: {' '.join(failed[:10])}", file=sys.stderr)
    return [found[page["id"]] for page in pages]


def figure(value: float) -> str:
    return f"{value:.3f}".removeprefix("0")


def interval(hits: np.ndarray, totals: np.ndarray) -> str:
    """A share and its 95 % interval, by bootstrap over sites. Both arrays have one number a site."""
    if totals.sum() == 0:
        return ""
    draws = np.random.default_rng(1).integers(0, len(totals), (1000, len(totals)))
    sums = totals[draws].sum(1)
    shares = (hits[draws].sum(1) / np.maximum(sums, 1e-9))[sums > 0]
    low, high = np.percentile(shares, [2.5, 97.5])
    return f"{figure(hits.sum() / totals.sum())} ({figure(low)}–{figure(high)})"


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
    """Share of parts kept: of all parts in the gold, or of those whose text the program keeps."""

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
        torn, touched = sum(s.torn for s in scores), sum(s.touched for s in scores)
        rows.append([tool.name, str(sum(s.letters > 0 for s in scores)), figure(float(np.mean(compared)))])
        rows[-1] += [figure(float(np.mean([d == 0 for d in compared])))]
        rows[-1] += [f"{1e4 * tried / total:.1f}", figure(needless / tried) if tried else "", f"{figure(torn / touched)} ({torn} of {touched})"]
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


def case_rows(tools: list[Tool], cases: pathlib.Path, script: list[str]) -> list[list[str]]:
    """Runs check.py of the cases for every program: cases that pass, by kind."""
    rows = []
    for tool in tools:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "cases"
            shutil.copytree(cases, copy)
            command = pathlib.Path(folder) / "program"
            command.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in [*script, "--answer", tool.name]) + ' "$@"\n')
            command.chmod(0o755)
            environment = os.environ | {"THRESHR": str(command)}
            subprocess.run([sys.executable, str(copy / "check.py")], env=environment, check=True, stdout=subprocess.DEVNULL)
            states = json.loads((copy / "results.json").read_text(encoding="utf-8"))
        passed = Counter(CASES[name[0]] for name, state in states.items() if state == "pass")
        total = Counter(CASES[name[0]] for name in states)
        rows.append([tool.name, f"{passed.total()} of {total.total()}", *(f"{passed[k]} of {total[k]}" for k in CASES.values())])
    return rows


def answer(tool: Tool, options: argparse.Namespace, rest: list[str]) -> None:
    """Stands in for `threshr predict FILE … --format jsonl --markdown`, which check.py of the cases calls."""
    if tool.name == "threshr":
        os.execv(options.threshr, [str(options.threshr), *rest])
    with open(rest[1], encoding="utf-8") as lines:
        for row in tool.run([json.loads(line) for line in lines]):
            print(json.dumps({"id": row["id"], "markdown": row["markdown"]}))


def write(path: pathlib.Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    print(f"wrote {path}", file=sys.stderr)


def write_losses(path: pathlib.Path, results: list[dict]) -> None:
    """Parts that threshr loses although it keeps their text: one JSON object a line."""
    with path.open("w", encoding="utf-8") as file:
        for result in results:
            for (kind, source, anchors), *states in zip(result["parts"], *(s.parts for s in result["scores"]), strict=True):
                if states[0] == (True, False):
                    others = [has for _, has in states[1:]]
                    row = {"id": result["id"], "kind": kind, "others": others, "source": source, "anchors": anchors}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")


def parse(arguments: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLE, formatter_class=form)
    parser.add_argument("data", type=pathlib.Path, help="folder of the annotated sets")
    parser.add_argument("--threshr", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--node", type=pathlib.Path, help="folder in which npm has installed defuddle and linkedom")
    parser.add_argument("--cases", type=pathlib.Path, help="folder of the cases of structure, with check.py")
    parser.add_argument("--sets", nargs="+", default=f"{SEEN} {UNSEEN}".split(), help="sets; SET:N takes N pages [default: %(default)s]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="folder of the CSV tables [default: .]")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of what the programs write, and of losses.jsonl")
    parser.add_argument("--reuse", action="store_true", help="read what the programs wrote in an earlier run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes that score pages [default: one for each core]")
    parser.add_argument("--answer", help=argparse.SUPPRESS)
    options, rest = parser.parse_known_args(arguments)
    if rest and not options.answer:
        parser.error(f"unknown arguments: {' '.join(rest)}")
    return options, rest


def main(arguments: list[str] | None = None) -> None:
    options, rest = parse(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.threshr = options.threshr.resolve()
    tools, missing = available(options.threshr, options.node, options.work)
    if options.answer:
        answer(next(tool for tool in tools if tool.name == options.answer), options, rest)
        return
    for line in missing:
        print(f"MISSING, left out: {line}", file=sys.stderr)
    names = [f"{tool.name} {tool.version}" if tool.name != "threshr" else tool.name for tool in tools]
    if options.cases:
        script = [sys.executable, str(pathlib.Path(__file__).resolve()), str(options.data.resolve()), "--threshr", str(options.threshr)]
        script += ["--work", str(options.work.resolve())]
        script += ["--node", str(options.node.resolve())] if options.node else []
        write(options.out / "markdown_cases.csv", ["Program", "All", *CASES.values()], case_rows(tools, options.cases, script))
    pages = read_pages(options.data, options.sets)
    columns = [run_tool(tool, pages, options.work, options.reuse) for tool in tools]
    tasks = [(page, [(column[i], tool.has_dollars) for column, tool in zip(columns, tools)]) for i, page in enumerate(pages)]
    with multiprocessing.Pool(options.jobs) as pool:
        results = pool.map(score_page, tasks, chunksize=20)
    parts = ["Part", "Parts", "Sites", *names]
    unseen = [result for result in results if result["set"] not in SEEN.split()]
    write(options.out / "markdown_structure.csv", parts, structure_rows(results, tools, False))
    write(options.out / "markdown_structure_unseen.csv", parts, structure_rows(unseen, tools, False))
    write(options.out / "markdown_structure_kept.csv", parts, structure_rows(results, tools, True))
    header = ["Program", "Pages with text", "Letters changed", "Pages unchanged", "Escapes per 10,000 letters", "Needless", "Tables torn"]
    write(options.out / "markdown_damage.csv", header, damage_rows(results, tools))
    write(options.out / "markdown_text.csv", ["Set", "Compared", "Trained on", "Pages", *names], text_rows(results, tools))
    write_losses(options.work / "losses.jsonl", results)


if __name__ == "__main__":
    main()
