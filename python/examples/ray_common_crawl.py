"""Extracts a list of WARC files on Ray: writes one Parquet file per WARC file, and can resume.

Usage: ray_common_crawl.py LIST --out FOLDER [--workers N] [--columns NAME…]

LIST has one path or address such as s3://bucket/key per line. FOLDER may be an address too; then nothing is shared but
the object store. Each file is a task with one CPU. If a worker dies, its task runs again. A file that is
complete is not extracted again with the same options, so the same command continues an interrupted run. A local
FOLDER must be shared by all machines. report.json has the totals, the failures by kind, and the files that cannot be read
or are missing. Pages that failed and corrupt parts are rows with `error`. The exit code is 1 if a file is missing.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import ray

from threshr.integrations.warc import extract_file, report


@ray.remote(num_cpus=1, max_retries=5)
def extract(path: str, out: str, columns: list[str]) -> None:
    extract_file(path, out, columns)


def folder(name: str) -> str:
    """Returns an address, or the absolute path of a folder. Creates the folder."""
    if "://" in name:
        return name
    Path(name).mkdir(parents=True, exist_ok=True)
    return str(Path(name).resolve())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=folder, required=True)
    parser.add_argument("--workers", type=int, help="CPUs of a local Ray; a running cluster is used otherwise")
    parser.add_argument("--columns", nargs="+", default=["text", "language", "page_type", "quality"])
    options = parser.parse_args()
    local = {"num_cpus": options.workers, "include_dashboard": False} if options.workers else {"address": "auto"}
    ray.init(**local, log_to_driver=False)
    paths = options.list.read_text(encoding="utf-8").split()
    waiting = [extract.remote(path, options.out, options.columns) for path in paths]
    done = 0
    while waiting:
        ready, waiting = ray.wait(waiting)
        try:
            ray.get(ready)
        except ray.exceptions.RayError as error:
            # Its file is reported as missing, and the other files are extracted.
            print(f"a task failed: {error}", flush=True)
        done += len(ready)
        print(f"{done} of {len(paths)} files", flush=True)
    totals = report(options.out, paths)
    print(json.dumps(totals))
    raise SystemExit(1 if totals["failed_files"] or totals["missing_files"] or totals["wrong_parts"] else 0)


if __name__ == "__main__":
    main()
