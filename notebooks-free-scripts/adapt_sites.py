#!/usr/bin/env python3
"""Measures what 1, 2 and 3 annotated pages of a site give: `threshr adapt` on sites that the model was not trained on.

Usage: adapt_sites.py --threshr PROGRAM --data FOLDER --out FOLDER [--model FILE] [--draws N] [--jobs N]

FOLDER of --data has the shared sets. For each set and each kind of terms, `threshr adapt --curve` draws pages of each
site with 6 annotated pages or more, learns from them and tests on the others. The output folder gets the raw tables,
and three tables for docs/results/data: adapt_designs.csv, adapt_sets.csv and adapt_sites.csv.
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
from collections import defaultdict
from pathlib import Path

SETS = ["l3s-gn1", "daniel-pl-zh", "daniel-el", "cleanportaleval", "cleaneval-en-final"]
# options of each design
DESIGNS = {
    "intercept and slope": ["--terms", "none"],
    "and elements around the block": ["--terms", "template"],
    "and repeated texts": ["--terms", "template+texts"],
}
SHIPPED = "and repeated texts"
RESAMPLES = 10_000


def measure(args: argparse.Namespace, name: str, design: str) -> list[dict[str, str]]:
    """The lines of a set by a design; they are read again if they exist."""
    path = args.out / f"raw-{name}-{design.replace(' ', '-')}.csv"
    if not path.exists():
        command = [args.threshr, "adapt", "--model", args.model, "--data", args.data / name, "--curve", path]
        command += [*DESIGNS[design], "--draws", str(args.draws), "--jobs", str(args.jobs)]
        # 2: some pages of the set could not be read
        if subprocess.run([str(part) for part in command], check=False).returncode not in (0, 2):
            raise SystemExit(f"{name}: threshr failed")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_site(rows: list[dict[str, str]], annotated: int) -> dict[tuple[str, str], dict[str, float]]:
    """Means over the draws of each site."""
    found = defaultdict(list)
    for row in rows:
        if int(row["num_annotated"]) == annotated:
            found[row["set"], row["site"]].append(row)
    columns = ["num_pages", "is_kept", "before", "after", "oracle"]
    return {
        site: {column: sum(float(row[column]) for row in own) / len(own) for column in columns}
        for site, own in found.items()
    }


def interval(values: list[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the mean; sites are resampled."""
    draw = random.Random(0)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    return means[int(0.025 * RESAMPLES)], means[int(0.975 * RESAMPLES) - 1]


def share(value: float) -> str:
    """A share of 1 with three digits."""
    return f"{value:.3f}".replace("0.", ".", 1)


def signed(value: float) -> str:
    """A difference with its sign."""
    return ("−" if value < 0 else "+") + share(abs(value))


def summary(sites: dict[tuple[str, str], dict[str, float]]) -> list[str]:
    """Figures of some sites: means, difference with interval, share of the gap, sites that win and lose."""
    mean = {column: sum(site[column] for site in sites.values()) / len(sites) for column in ["before", "after", "oracle", "is_kept"]}
    differences = [site["after"] - site["before"] for site in sites.values()]
    low, high = interval(differences)
    gap = mean["oracle"] - mean["before"]
    return [
        str(len(sites)),
        share(mean["before"]),
        share(mean["after"]),
        share(mean["oracle"]),
        f"{signed(mean['after'] - mean['before'])} ({signed(low)} to {signed(high)})",
        f"{100 * (mean['after'] - mean['before']) / gap:.0f} %".replace("-", "−"),
        str(sum(difference > 0.005 for difference in differences)),
        str(sum(difference < -0.005 for difference in differences)),
        f"{100 * mean['is_kept']:.0f} %",
    ]


COLUMNS = ["sites", "before", "after", "oracle", "difference (95 %)", "gap closed", "sites up", "sites down", "draws kept"]


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    """Writes a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def main() -> None:
    """Runs the measurements and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threshr", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", default="default")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows = {design: [row for name in SETS for row in measure(args, name, design)] for design in DESIGNS}
    designs = [
        [design, str(annotated), *summary(by_site(rows[design], annotated))]
        for design in DESIGNS
        for annotated in (1, 2, 3)
    ]
    write(args.out / "adapt_designs.csv", ["design", "pages", *COLUMNS], designs)
    sets = []
    for name in SETS:
        own = [row for row in rows[SHIPPED] if row["set"] == name]
        sets += [[name, str(n), *summary(by_site(own, n))] for n in (2,) if own]
    write(args.out / "adapt_sets.csv", ["set", "pages", *COLUMNS], sets)
    after = {n: by_site(rows[SHIPPED], n) for n in (1, 2, 3)}
    # the sites with the greatest and with the least gain of two pages
    order = sorted(after[2], key=lambda site: after[2][site]["before"] - after[2][site]["after"])
    shown = order[:6] + order[-4:] if len(order) > 10 else order
    lines = [
        [name, site, f"{own['num_pages']:.0f}", share(own["before"]), *(share(after[n][name, site]["after"]) for n in (1, 2, 3)), share(own["oracle"])]
        for (name, site), own in ((site, after[1][site]) for site in shown)
    ]
    write(args.out / "adapt_sites.csv", ["set", "site", "pages", "before", "1 page", "2 pages", "3 pages", "oracle"], lines)


if __name__ == "__main__":
    main()
