#!/usr/bin/env python3
"""Token F1 of a shipped model on static-sites-a by language and page kind, with floors.

Usage: static_sites.py THRESHR SET [--model default] [--csv FILE]

SET is the unpacked data set. The exit code is 1 if a floor is not reached. Intervals are 95 % bootstrap intervals over
repositories, because pages of one repository share a template.
"""
import argparse
import collections
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile

# Languages with fewer pages have no floor.
MIN_PAGES = 10
FLOOR_ALL = 0.967
FLOOR_LANGUAGE = 0.93
FLOOR_KIND = {"listing": 0.94}


def scores(threshr, data, model):
    """The token F1 of each page of the model, by page id."""
    with tempfile.TemporaryDirectory() as folder:
        per_page = pathlib.Path(folder) / "pages.csv"
        subprocess.run(
            [threshr, "evaluate", "--data", data, "--model", model, "--policy", "main", "--overlap", "skip",
             "--metrics", "token", "--quiet", "--per-page", per_page],
            check=True, stdout=subprocess.DEVNULL)
        with per_page.open(newline="") as file:
            return {row["page"]: float(row["token_f1"]) for row in csv.DictReader(file)
                    if row["row"] not in ("keep-everything", "oracle")}


def interval(by_repository, draws=2000):
    """The 95 % bootstrap interval of the mean over pages, repositories drawn."""
    chance = random.Random(1)
    groups = [(sum(values), len(values)) for values in by_repository.values()]
    means = []
    for _ in range(draws):
        drawn = chance.choices(groups, k=len(groups))
        means.append(sum(total for total, _ in drawn) / sum(count for _, count in drawn))
    means.sort()
    return means[int(draws * 0.025)], means[int(draws * 0.975)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("threshr")
    parser.add_argument("set")
    parser.add_argument("--model", default="default")
    parser.add_argument("--csv", type=pathlib.Path)
    args = parser.parse_args()
    found = scores(args.threshr, args.set, args.model)
    groups = collections.defaultdict(lambda: collections.defaultdict(list))
    with (pathlib.Path(args.set) / "gold.jsonl").open() as file:
        for page in map(json.loads, file):
            if page["id"] in found:
                for group in [("all", ""), ("language", page["lang"]), ("kind", page["page_type"])]:
                    groups[group][page["repo"]].append(found[page["id"]])
    rows, failed = [], []
    for (group, name), by_repository in sorted(groups.items()):
        values = [value for pages in by_repository.values() for value in pages]
        mean, (low, high) = sum(values) / len(values), interval(by_repository)
        floor = {"all": FLOOR_ALL, "kind": FLOOR_KIND.get(name),
                 "language": FLOOR_LANGUAGE if len(values) >= MIN_PAGES else None}[group]
        rows.append([group, name, len(values), f"{mean:.3f}", f"{low:.3f}", f"{high:.3f}", "" if floor is None else floor])
        print(*rows[-1], sep="\t")
        if floor is not None and mean < floor:
            failed.append(f"{group} {name}: token F1 {mean:.3f} is below {floor}".replace("  ", " "))
    if args.csv:
        with args.csv.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["group", "name", "pages", "token_f1", "low", "high", "floor"], *rows])
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
