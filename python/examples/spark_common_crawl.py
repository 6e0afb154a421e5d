"""Extracts a list of WARC files on Spark: writes one Parquet file per WARC file, and can resume.

Usage: spark_common_crawl.py LIST --out FOLDER [--master MASTER] [--columns NAME…]

LIST has one path or address such as s3://bucket/key per line. FOLDER may be an address too; then nothing is shared but
the object store. Each file is a task. If a worker dies, its task runs again. A file that is complete is not
extracted again with the same options, so the same command continues an interrupted run. A local FOLDER must be shared by
all machines. report.json has the totals, the failures by kind, and the files that cannot be read or are missing. Pages
that failed and corrupt parts are rows with `error`. The exit code is 1 if a file is missing.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pyspark.sql import SparkSession

from threshr.integrations.warc import extract_file, report


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
    parser.add_argument("--master", default="local[2,5]", help="local[2,5]: 2 workers, and a task may fail 4 times")
    parser.add_argument("--columns", nargs="+", default=["text", "language", "page_type", "quality"])
    options = parser.parse_args()
    out, columns = options.out, options.columns
    builder = SparkSession.builder.appName("threshr").master(options.master).config("spark.ui.enabled", "false")
    spark = builder.config("spark.task.maxFailures", "5").getOrCreate()
    paths = options.list.read_text(encoding="utf-8").split()
    files = spark.sparkContext.parallelize(paths, len(paths))
    files.foreach(lambda path: extract_file(path, out, columns))
    totals = report(options.out, paths)
    print(json.dumps(totals))
    spark.stop()
    raise SystemExit(1 if totals["failed_files"] or totals["missing_files"] or totals["wrong_parts"] else 0)


if __name__ == "__main__":
    main()
