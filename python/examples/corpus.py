"""Builds a corpus: extracts the HTML files of a folder to a Parquet file with Markdown, metadata and quality.

Usage: corpus.py FOLDER --out FILE [--min-quality Q] [--language LANG] [--threads N]

Pages are extracted in batches of bounded size, so memory does not depend on the number of pages.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import threshr

BATCH = 512
COLUMNS = ["markdown", "metadata", "language", "page_type", "quality"]


def batches(folder: Path) -> Iterator[pa.Table]:
    """Tables of at most BATCH pages, with the ids that `threshr predict` gives them."""
    pages = threshr.read_pages(folder)
    while part := list(islice(pages, BATCH)):
        yield pa.table({"id": [page.id for page in part], "html": pa.array([page.html for page in part], pa.large_binary())})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--min-quality", type=float, default=0.5)
    parser.add_argument("--language")
    parser.add_argument("--threads", type=int, default=0)
    options = parser.parse_args()
    extractor = threshr.Extractor(timeout=2.0, max_bytes=16 << 20)
    counts: Counter[str] = Counter()
    writer = None
    for table in batches(options.folder):
        extracted = pa.table(extractor.extract_batch(table, columns=COLUMNS, threads=options.threads))
        keep = []
        for row in extracted.select(["language", "quality", "error", "markdown"]).to_pylist():
            is_low = row["quality"] is not None and row["quality"] < options.min_quality
            if row["error"] is not None:
                outcome = "failed"
            elif not row["markdown"]:
                outcome = "empty"
            elif options.language and row["language"] != options.language:
                outcome = "other language"
            else:
                outcome = "low quality" if is_low else "kept"
            counts[outcome] += 1
            keep.append(outcome == "kept")
        kept = extracted.filter(pa.array(keep, pa.bool_())).drop_columns(["error"])
        writer = writer or pq.ParquetWriter(options.out, kept.schema, compression="zstd")
        writer.write_table(kept)
    if writer:
        writer.close()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
