#!/usr/bin/env python3
"""Makes tables from the CSV file of `threshr train --held-out`: page types and quality of held-out pages.

Usage: type_and_quality_tables.py FILE --set NAME --out FOLDER

Intervals are 95 %, by bootstrap over sites.
"""

from __future__ import annotations

import argparse
import csv
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

Page = dict[str, str]
SAMPLES = 1000
# a page with a lower F1 is bad
BAD = 0.7


def figure(value: float, digits: int = 3) -> str:
    """A share without the 0 before the point."""
    return f"{value:.{digits}f}".replace("0.", ".", 1) if 0 <= value < 1 else f"{value:.{digits}f}"


def percent(value: float) -> str:
    """A share in percent."""
    return f"{100 * value:.0f} %"


def with_interval(pages: list[Page], measure: Callable[[list[Page]], float], show: Callable[[float], str] = figure) -> str:
    """A measure with its interval."""
    by_site: dict[str, list[Page]] = defaultdict(list)
    for page in pages:
        by_site[page["site"]].append(page)
    sites = [by_site[site] for site in sorted(by_site)]
    generator = random.Random(1)
    values = sorted(
        measure([page for site in generator.choices(sites, k=len(sites)) for page in site]) for _ in range(SAMPLES)
    )
    low, high = values[int(0.025 * SAMPLES)], values[int(0.975 * SAMPLES) - 1]
    return f"{show(measure(pages))} ({show(low)}–{show(high)})"


def accuracy(pages: list[Page]) -> float:
    """The share of pages whose type is predicted correctly."""
    return sum(page["page_type"] == page["predicted_type"] for page in pages) / max(1, len(pages))


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value; equal values share their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            out[place] = (start + end - 1) / 2
        start = end
    return out


def correlation(pages: list[Page]) -> float:
    """Spearman's rank correlation of predicted and true F1."""
    a = ranks([float(page["quality"]) for page in pages])
    b = ranks([float(page["token_f1"]) for page in pages])
    mean = (len(pages) - 1) / 2
    product = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    spread = sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b)
    return product / spread**0.5 if spread else 0.0


def loss_of_lowest(pages: list[Page], share: float, key: str = "quality") -> float:
    """The share of the total F1 loss on the pages with the lowest predicted quality."""
    loss = [(float(page[key]), 1 - float(page["token_f1"])) for page in pages]
    loss.sort()
    return sum(l for _, l in loss[: round(share * len(loss))]) / max(1e-9, sum(l for _, l in loss))


def coverage(pages: list[Page]) -> float:
    """The share of pages whose F1 lies in the interval."""
    inside = (float(p["quality_low"]) <= float(p["token_f1"]) <= float(p["quality_high"]) for p in pages)
    return sum(inside) / max(1, len(pages))


def error(pages: list[Page]) -> float:
    """Mean absolute error of the predicted F1."""
    return sum(abs(float(p["quality"]) - float(p["token_f1"])) for p in pages) / max(1, len(pages))


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    """Writes a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def type_tables(pages: list[Page], out: Path) -> None:
    """Accuracy by type, and confusions between types."""
    types = sorted({page["page_type"] for page in pages})
    rows = [["all", str(len(pages)), with_interval(pages, accuracy), ""]]
    for name in types:
        own = [page for page in pages if page["page_type"] == name]
        predicted = [page for page in pages if page["predicted_type"] == name]
        rows.append([name, str(len(own)), with_interval(own, accuracy), figure(accuracy(predicted))])
    write(out / "page_types.csv", ["Type", "Pages", "Recognised", "Right among predicted"], rows)
    counts = Counter((page["page_type"], page["predicted_type"]) for page in pages)
    confusion = [[name, *(str(counts[name, other]) for other in types)] for name in types]
    write(out / "page_type_confusion.csv", ["Declared type", *types], confusion)
    certain = "p_"
    bands = []
    for low, high in [(0.0, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)]:
        inside = [p for p in pages if low <= max(float(p[certain + t]) for t in types) < high]
        mean = sum(max(float(p[certain + t]) for t in types) for p in inside) / max(1, len(inside))
        bands.append([f"{figure(low, 1)} to {figure(min(high, 1.0), 1)}", str(len(inside)), figure(mean), figure(accuracy(inside))])
    write(out / "page_type_certainty.csv", ["Probability of the type", "Pages", "Mean probability", "Right"], bands)


def quality_tables(sets: list[tuple[str, list[Page]]], pages: list[Page], out: Path) -> None:
    """Rank correlation by set, pages below a quality, distribution of the loss, and calibration."""
    rows = [
        [
            name,
            str(len(of_set)),
            with_interval(of_set, correlation),
            figure(error(of_set)),
            percent(coverage(of_set)),
        ]
        for name, of_set in sets
    ]
    write(out / "quality_correlation.csv", ["Set", "Pages", "Rank correlation", "Mean error", "In the 80 % interval"], rows)
    num_bad = sum(float(page["token_f1"]) < BAD for page in pages)
    rows = []
    for least in (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9):
        below = [page for page in pages if float(page["quality"]) < least]
        bad = sum(float(page["token_f1"]) < BAD for page in below)
        mean = sum(float(page["token_f1"]) for page in below) / max(1, len(below))
        rows.append(
            [
                figure(least, 2),
                f"{len(below)} ({percent(len(below) / len(pages))})",
                figure(mean),
                percent(bad / max(1, len(below))),
                percent(bad / max(1, num_bad)),
            ]
        )
    header = ["Quality below", "Pages", "Their mean F1", f"Of them bad (F1 below {figure(BAD, 1)})", "Of all bad pages"]
    write(out / "quality_below.csv", header, rows)
    rows = []
    for share in (0.05, 0.1, 0.2):
        by_quality = with_interval(pages, lambda sample: loss_of_lowest(sample, share), percent)
        best = loss_of_lowest(pages, share, "token_f1")
        rows.append([percent(share), by_quality, percent(best)])
    write(out / "quality_loss.csv", ["Pages of lowest quality", "Share of all F1 loss", "If F1 were known"], rows)
    rows = []
    for low, high in [(0.0, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)]:
        inside = [page for page in pages if low <= float(page["quality"]) < high]
        if inside:
            predicted = sum(float(page["quality"]) for page in inside) / len(inside)
            true = sum(float(page["token_f1"]) for page in inside) / len(inside)
            rows.append([f"{figure(low, 2)} to {figure(min(high, 1.0), 2)}", str(len(inside)), figure(predicted), figure(true), percent(coverage(inside))])
    write(out / "quality_calibration.csv", ["Quality", "Pages", "Mean quality", "Mean F1", "In the 80 % interval"], rows)


def main() -> None:
    """Reads the file and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--set", required=True, help="the set whose pages the tables show")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    with args.file.open(newline="", encoding="utf-8") as file:
        pages = list(csv.DictReader(file))
    own = [page for page in pages if page["set"] == args.set]
    typed = [page for page in own if page["page_type"] and page["predicted_type"]]
    if typed:
        type_tables(typed, args.out)
    rated = [page for page in own if page["quality"]]
    if rated:
        sets = [(name, [p for p in pages if p["set"] == name and p["quality"]]) for name in dict.fromkeys(p["set"] for p in pages)]
        quality_tables(sets, rated, args.out)


if __name__ == "__main__":
    main()
