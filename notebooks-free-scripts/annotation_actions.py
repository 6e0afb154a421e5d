"""Counts the actions that lead from the first labels of a model to the gold of a page in `threshr annotate`.

Usage: annotation_actions.py THRESHR SET… [--pages N] [--model MODEL]

A set is a folder with `gold.jsonl` and pages that the model was not trained on. N pages with gold are drawn from each set
(seed 1). A block is gold if most of its words are in the gold text, as in training.

Actions are keys, clicks and drags. A double click changes the label of a block. A drag selects consecutive blocks, and a key
labels them. One key starts the brush, with which a drag labels blocks directly. Enter ends the page. The actions are not
optimal: there is one drag for each run of blocks with the same gold. The script assumes that a drag can select any run.
"""

import argparse
import csv
import itertools
import json
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile


def draw(source, target, number):
    """Copies a set with `number` pages that have gold."""
    lines = [json.loads(line) for line in (source / "gold.jsonl").read_text().splitlines() if line.strip()]
    lines = [line for line in lines if line.get("gold")]
    random.Random(1).shuffle(lines)
    (target / "pages").mkdir(parents=True)
    chosen = lines[:number]
    for line in chosen:
        shutil.copy(source / line.get("file", f"pages/{line['id']}.html"), target / "pages")
    text = "".join(json.dumps(line) + "\n" for line in chosen)
    (target / "gold.jsonl").write_text(text)


def columns(path, page, label, **form):
    """Returns for each page whether each block is content."""
    csv.field_size_limit(1 << 30)
    found = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file, **form):
            found.setdefault(row[page], []).append(row[label] in ("1", "content"))
    return found


def actions(gold, first):
    """Returns the number of actions from the first labels to the gold."""
    number = 1  # Enter
    for label in (False, True):
        runs = itertools.groupby(zip(gold, first), key=lambda pair: pair[0])
        wrong = [sum(g != f for g, f in run) for value, run in runs if value is label]
        wrong = [errors for errors in wrong if errors]
        singles = sum(errors == 1 for errors in wrong)
        longer = len(wrong) - singles
        number += min(singles + 2 * longer, singles + (1 + longer if longer else 0), 1 + len(wrong) if wrong else 0)
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("threshr")
    parser.add_argument("sets", nargs="+", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--model", default="default")
    args = parser.parse_args()
    print("set\tpages\tmedian\tmean\tmost\tmedian of wrong blocks")
    for source in args.sets:
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / source.name
            draw(source, target, args.pages)
            rows, blocks = target.with_suffix(".rows.csv"), target.with_suffix(".labels.tsv")
            run = lambda *command: subprocess.run([args.threshr, *map(str, command), "--quiet"], check=True)
            run("features", target, "--features", "shallow", "--format", "csv", "--out", rows)
            run("predict", target / "pages", "--model", args.model, "--format", "blocks", "--out", blocks)
            gold = columns(rows, "page", "label")
            first = columns(blocks, "page", "label", delimiter="\t", quoting=csv.QUOTE_NONE)
        same = {page for page in gold if len(gold[page]) == len(first.get(page, []))}
        assert same == set(gold), f"other blocks on {set(gold) - same}"
        counts = [actions(gold[page], first[page]) for page in gold]
        wrong = [sum(g != f for g, f in zip(gold[page], first[page])) for page in gold]
        median, mean = statistics.median(counts), statistics.mean(counts)
        print(f"{source.name}\t{len(counts)}\t{median}\t{mean:.1f}\t{max(counts)}\t{statistics.median(wrong)}")


if __name__ == "__main__":
    main()
