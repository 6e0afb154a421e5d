"""Trains a model on annotated pages: compares recipes, trains with the best one, and saves the model.

Usage: train.py SET --out MODEL [--folds N]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import threshr

RECIPES = {
    "tree on shallow columns": {"features": {"set": "shallow"}, "classifier": {"name": "tree"}},
    "tree": {"features": {"set": "shallow+density"}, "classifier": {"name": "tree"}},
    "logistic": {"features": {"set": "shallow+density+position"}, "classifier": {"name": "logistic"}},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=3)
    options = parser.parse_args()
    rows = threshr.compare(options.set, RECIPES, folds=options.folds)
    for row in rows:
        low, high = row.interval
        print(f"{row.name}: token F1 {row.scores.f1:.3f}, difference {row.difference:+.3f} ({low:+.3f} to {high:+.3f})")
    best = max(rows, key=lambda row: row.scores.f1)
    model = threshr.train(options.set, RECIPES[best.name])
    model.save(options.out)
    print(f"{options.out}: {model!r}")


if __name__ == "__main__":
    main()
