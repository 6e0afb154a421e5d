"""Evaluates models on annotated pages, and lists the pages with the lowest scores.

Usage: evaluate.py SET [MODEL…]

Without models, the shipped model is evaluated. Pages that a model was trained on, and pages of their sites, are an error;
with --skip they are left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import threshr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("models", type=Path, nargs="*")
    parser.add_argument("--skip", action="store_true", help="leave out pages that a model was trained on")
    options = parser.parse_args()
    models = {path.stem: threshr.Model.load(path) for path in options.models} or {"shipped": threshr.Model.load()}
    for name, model in models.items():
        scores = threshr.evaluate(options.set, model, overlap="skip" if options.skip else "error")
        low, high = scores.f1_interval
        print(f"{name}: token F1 {scores.f1:.3f} ({low:.3f} to {high:.3f}), ", end="")
        print(f"precision {scores.precision:.3f}, recall {scores.recall:.3f}, {len(scores.pages)} pages")
        for page in sorted(scores.pages, key=lambda page: page.f1)[:3]:
            print(f"  worst: {page.id}, F1 {page.f1:.3f}, precision {page.precision:.3f}, recall {page.recall:.3f}")


if __name__ == "__main__":
    main()
