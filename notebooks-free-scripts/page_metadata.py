#!/usr/bin/env python3
"""Scores the metadata of pages: page_metadata.py SET NAME=FILE.jsonl…, a CSV table on standard output.

SET has gold.jsonl with `id`, `title`, `author`, `date`, and `domain`. A FILE has one object per line with `id` and either
`metadata` (the form of threshr) or `title`, `author` and `date`. `trafilatura` instead of NAME=FILE runs trafilatura.

A title is right if it has the letters and digits of the gold, in any case, after NFKC and without character references. An
author is right if the words of all names are the same, in any order, without "and" and "by". A date is right if year, month
and day are. A false author is an author of a page whose gold has no author. Rows are for all sites and for the two halves of
the sites by the first byte of the SHA-256 of `domain`: the rules were developed on the even half.
"""
import csv
import hashlib
import html
import json
import pathlib
import re
import sys
import unicodedata
from collections.abc import Iterator


def words(text: str | None) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", html.unescape(text or "")).lower())


def title(text: str | None) -> str:
    return "".join(words(text))


def authors(names: list[str]) -> list[str]:
    return sorted(word for name in names for word in words(name) if word not in ("and", "by"))


def rows(path: pathlib.Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines)


def read(path: pathlib.Path) -> dict[str, dict]:
    found = {}
    for row in rows(path):
        if "metadata" in row:
            metadata = row["metadata"]
            value = lambda name: metadata.get(name, {}).get("value")  # noqa: E731
            names = [author["value"] for author in metadata.get("authors", [])]
            row = {"id": row["id"], "title": value("title"), "authors": names, "date": value("date_published")}
        else:
            row["authors"] = [row["author"]] if row.get("author") else []
        found[row["id"]] = row
    return found


def trafilatura(folder: pathlib.Path, gold: list[dict]) -> dict[str, dict]:
    from trafilatura.metadata import extract_metadata

    found = {}
    for page in gold:
        text = (folder / page["file"]).read_bytes().decode(page.get("encoding") or "utf-8", "replace")
        metadata = extract_metadata(text, default_url=page.get("url"))
        row = metadata.as_dict() if metadata else {}
        names = [row["author"]] if row.get("author") else []
        found[page["id"]] = {"title": row.get("title"), "authors": names, "date": row.get("date")}
    return found


def half(page: dict) -> int:
    return hashlib.sha256((page.get("domain") or page["id"]).encode()).digest()[0] % 2


def share(values: list[bool]) -> str:
    return f"{sum(values) / len(values):.3f}".removeprefix("0") if values else ""


def score(gold: list[dict], found: dict[str, dict]) -> list[str]:
    empty: dict = {"title": None, "authors": [], "date": None}
    pairs = [(page, found.get(page["id"], empty)) for page in gold]
    titles = [title(g["title"]) == title(f["title"]) for g, f in pairs if g.get("title")]
    right = [authors([g["author"]]) == authors(f["authors"]) for g, f in pairs if g.get("author")]
    false = [bool(authors(f["authors"])) for g, f in pairs if not g.get("author")]
    dates = [g["date"][:10] == (f["date"] or "")[:10] for g, f in pairs if g.get("date")]
    return [str(len(gold)), share(titles), share(right), f"{share(false)} ({sum(false)} of {len(false)})", share(dates)]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    gold = list(rows(folder / "gold.jsonl"))
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["Program", "Sites", "Pages", "Title", "Author", "False author", "Date"])
    for argument in sys.argv[2:]:
        name, _, path = argument.partition("=")
        found = read(pathlib.Path(path)) if path else trafilatura(folder, gold)
        for sites, wanted in (("all", (0, 1)), ("even half", (0,)), ("odd half", (1,))):
            table.writerow([name, sites, *score([page for page in gold if half(page) in wanted], found)])


if __name__ == "__main__":
    main()
