#!/usr/bin/env python3
"""Counts the lists of which threshr keeps only a part; see docs/results/structure.md.

A list is a unit with at least three rows: items, or terms and definitions. A row has at most eight blocks; longer ones
are sections, such as posts. Only lists with a kept row are counted. A list of links has more than half of its
characters in links.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import subprocess
from collections import Counter
from collections.abc import Iterator

MIN_ROWS = 3
MAX_BLOCKS = 8
ROWS = {"list": ("item",), "definitions": ("term", "definition")}
NAMES = {"list": "list", "definitions": "label and value", "links": "list of links"}


def pages_of(binary: pathlib.Path, folder: pathlib.Path) -> Iterator[dict]:
    command = [str(binary), "predict", str(folder), "--format", "jsonl", "--units", "-q", "--page-seconds", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        for line in process.stdout or ():
            yield json.loads(line)
    if process.returncode:
        raise SystemExit(f"error: {binary} failed")


def units_of(units: list[dict]) -> Iterator[dict]:
    for unit in units:
        yield unit
        yield from units_of(unit.get("children", []))


def lines_of(unit: dict) -> list[dict]:
    return [line for line in units_of([unit]) if line.get("text")]


def is_of_links(lines: list[dict]) -> bool:
    ranges = (r for line in lines for r in line.get("ranges", []) if r["kind"] == "link")
    linked = sum(r["end"] - r["start"] for r in ranges)
    return 2 * linked > sum(len(line["text"]) for line in lines)


def lists_of(page: dict) -> Iterator[tuple[str, list[list[dict]]]]:
    """The kind of each list, and the lines of its rows."""
    for unit in units_of(page["units"]):
        if unit["kind"] not in ROWS:
            continue
        rows = [lines_of(row) for row in unit["children"] if row["kind"] in ROWS[unit["kind"]]]
        rows = [lines for lines in rows if lines]
        if len(rows) >= MIN_ROWS and all(len(lines) <= MAX_BLOCKS for lines in rows):
            yield "links" if is_of_links(sum(rows, [])) else unit["kind"], rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=pathlib.Path, help="folder of pages")
    parser.add_argument("--threshr", type=pathlib.Path, required=True, help="the program")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the CSV table")
    parser.add_argument("--losses", type=pathlib.Path, help="file of the lists kept in part: one JSON object per line")
    options = parser.parse_args()
    kept: Counter[str] = Counter()
    in_part: Counter[str] = Counter()
    losses = []
    for page in pages_of(options.threshr.resolve(), options.pages):
        for kind, rows in lists_of(page):
            states = [line["kept"] for lines in rows for line in lines]
            kept[kind] += any(states)
            if any(states) and not all(states):
                in_part[kind] += 1
                losses.append({"id": page["id"], "kind": kind, "rows": rows})
    table = [[name, kept[kind], in_part[kind], f"{in_part[kind] / max(kept[kind], 1):.3f}"] for kind, name in NAMES.items()]
    with options.out.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([["Kind", "Kept", "Kept in part", "Share"], *table])
    if options.losses:
        lines = [json.dumps(loss, ensure_ascii=False) + "\n" for loss in losses]
        options.losses.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
