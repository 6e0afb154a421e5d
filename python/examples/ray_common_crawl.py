"""Extracts a list of WARC files on Ray: writes one Parquet file per WARC file, and can resume.

Usage: ray_common_crawl.py LIST --out FOLDER [--workers N] [--columns NAME…]

LIST has one path per line. Each file is a task with one CPU. If a worker dies, its task runs again. A file that is
complete is not extracted again with the same options, so the same command continues an interrupted run. FOLDER must
be shared by all machines. summary.json has the totals, the files that cannot be read, and the corrupt parts of the
other files. Pages that failed and corrupt parts are rows with `error`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import ray

from threshr.integrations.warc import FileStats, extract_file, summary


@ray.remote(num_cpus=1, max_retries=5)
def extract(path: str, out: str, columns: list[str]) -> FileStats:
    return extract_file(path, out, columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, help="CPUs of a local Ray; a running cluster is used otherwise")
    parser.add_argument("--columns", nargs="+", default=["text", "language", "page_type", "quality"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    local = {"num_cpus": options.workers, "include_dashboard": False} if options.workers else {"address": "auto"}
    ray.init(**local, log_to_driver=False)
    paths = options.list.read_text(encoding="utf-8").split()
    out = str(options.out.resolve())
    waiting = [extract.remote(path, out, options.columns) for path in paths]
    stats: list[FileStats] = []
    while waiting:
        ready, waiting = ray.wait(waiting)
        stats += ray.get(ready)
        print(f"{len(stats)} of {len(paths)} files", flush=True)
    print(json.dumps(summary(stats, options.out)))


if __name__ == "__main__":
    main()
