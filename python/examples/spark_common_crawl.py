"""Extracts a list of WARC files on Spark: writes one Parquet file per WARC file, and can resume.

Usage: spark_common_crawl.py LIST --out FOLDER [--master MASTER] [--columns NAME…]

LIST has one path per line. Each file is a task. If a worker dies, its task runs again. A file that is complete is not
extracted again with the same options, so the same command continues an interrupted run. FOLDER must be shared by all
machines. summary.json has the totals, the files that cannot be read, and the corrupt parts of the other files. Pages
that failed and corrupt parts are rows with `error`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pyspark.sql import SparkSession

from threshr.integrations.warc import extract_file, summary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--master", default="local[2,5]", help="local[2,5]: 2 workers, and a task may fail 4 times")
    parser.add_argument("--columns", nargs="+", default=["text", "language", "page_type", "quality"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    out, columns = str(options.out.resolve()), options.columns
    builder = SparkSession.builder.appName("threshr").master(options.master).config("spark.ui.enabled", "false")
    spark = builder.config("spark.task.maxFailures", "5").getOrCreate()
    paths = options.list.read_text(encoding="utf-8").split()
    files = spark.sparkContext.parallelize(paths, len(paths))
    stats = files.map(lambda path: extract_file(path, out, columns)).collect()
    print(json.dumps(summary(stats, options.out)))
    spark.stop()


if __name__ == "__main__":
    main()
