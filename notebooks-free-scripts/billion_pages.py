#!/usr/bin/env python3
"""Extracts WARC files from an S3 server on loopback with Ray and Spark, while requests fail and workers are killed.

Usage: billion_pages.py WORK --folder PAGES… [--files N] [--pages N] [--engines NAME…] [--csv FOLDER]

Writes N WARC files into the folder WORK: annotated pages and pages of made-up text, some of whose records are broken. Two
processes extract them from the disk, with both models. Then each engine extracts them from the S3 server into a bucket, by the
programs of python/examples, through a proxy that answers 5 % of the requests with 503, cuts 5 % of the connections and delays
2 %. A worker is killed at the start and every 20 to 50 seconds. The rows of all files must be those of the first run, and the
report must count each row. WORK/NAME.json has the figures of an engine. Exits with 1 if anything differs. Files that are in
WORK are not made again. Needs s3s-fs, s3fs, psutil, brotli and the engines.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import psutil
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python" / "tests"))

from object_store import Proxy, environment, server, workers  # noqa: E402

from threshr.integrations.warc import extract_file, report  # noqa: E402

FAULTS = {"503": 0.05, "cut": 0.05, "slow": 0.02}
COLUMNS = ["text", "language", "page_type", "quality"]
SYNTHETIC = 500
WORKERS = 2


def synthetic(folder: Path) -> None:
    """Writes pages of made-up words: a menu, an article and a list of links."""
    rng = random.Random(7)
    words = ["".join(rng.choices("abdeiklmnorstuvz", k=rng.randrange(2, 10))) for _ in range(3000)]
    text = lambda low, high: " ".join(rng.choices(words, k=rng.randrange(low, high)))  # noqa: E731
    folder.mkdir(exist_ok=True)
    for number in range(SYNTHETIC):
        links = "".join(f"<li><a href=/{i}>{text(1, 5)}</a>" for i in range(rng.randrange(5, 60)))
        article = "".join(f"<p>{text(20, 120).capitalize()}." for _ in range(rng.randrange(3, 40)))
        page = f"<!DOCTYPE html><title>{text(2, 8)}</title><nav><ul>{links}</ul></nav><article><h1>{text(3, 9)}</h1>{article}</article>"
        (folder / f"{number}.html").write_text(page, encoding="utf-8")


def make(path: Path, number: int, pages: int, folders: list[Path]) -> dict[str, int]:
    """Writes a WARC file, unless it exists, and returns the numbers of its records."""
    counts = Path(f"{path}.json")
    command = [sys.executable, ROOT / "notebooks-free-scripts" / "make_warc.py", path, f"{pages}p", *folders]
    if not counts.exists():
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL, env={**os.environ, "SEED": str(number)})
    return json.loads(counts.read_text())


def rows(out: Path, inputs: str) -> dict[str, str]:
    """The hash of the rows of each file. Errors name the file, whose folder `inputs` is left out."""
    found = {}
    for path in sorted(out.glob("*.parquet")):
        hashed = hashlib.sha256()
        for batch in pq.ParquetFile(path).iter_batches(1000):
            hashed.update(repr(batch.to_pylist()).replace(inputs, "").encode())
        found[path.name.rsplit("-", 1)[0]] = hashed.hexdigest()
    return found


def extract_tiny(path: Path, out: Path) -> None:
    extract_file(path, out, COLUMNS, model="tiny")


COST = ["Model", "CPU per page", "CPU per MB of WARC", "Core-hours", "WARC", "HTML", "Parquet"]


def cost(model: str, paths: list[Path], out: Path, totals: dict) -> list[str]:
    """The cost of a page, and of 10⁹ pages."""
    pages, seconds = totals["pages"], totals["cpu_seconds"]
    size = sum(path.stat().st_size for path in paths)
    written = sum(path.stat().st_size for path in out.glob("*.parquet"))
    terabytes = [f"{each / pages / 1000:.1f} TB" for each in (size, totals["html_bytes"], written)]
    each = [f"{1e3 * seconds / pages:.2f} ms", f"{1e9 * seconds / size:.0f} ms", f"{1e9 * seconds / pages / 3600:.0f}"]
    return [model, *each, *terabytes]


def run(engine: str, work: Path, listed: Path, port: int) -> dict:
    """Runs an engine, kills its workers and watches their memory."""
    proxy = Proxy(port, FAULTS)
    option = ["--workers", str(WORKERS)] if engine == "ray" else ["--master", f"local[{WORKERS},20]"]
    script = ROOT / "python" / "examples" / f"{engine}_common_crawl.py"
    command = [sys.executable, script, listed, "--out", f"s3://{engine}", "--columns", *COLUMNS, *option]
    given = {**os.environ, **environment(proxy.server_port), "PYSPARK_PYTHON": sys.executable}
    start, killed, memory, rng = time.monotonic(), 0, [], random.Random(3)
    with open(work / f"{engine}.log", "w", encoding="utf-8") as log:
        driver = subprocess.Popen([str(part) for part in command], env=given, stdout=log, stderr=log)
        next_kill = start
        while driver.poll() is None:
            busy = workers(psutil.Process(driver.pid), engine)
            for process in busy:
                try:
                    memory.append((time.monotonic() - start, process.memory_info().rss / 1e6))
                except psutil.Error:
                    continue
            if time.monotonic() > next_kill and busy:
                rng.choice(busy).kill()
                killed += 1
                next_kill = time.monotonic() + rng.uniform(20, 50)
            time.sleep(0.25)
    seconds = time.monotonic() - start
    proxy.faults = {}
    proxy.shutdown()
    third = seconds / 3
    most = [max((mb for at, mb in memory if low <= at < low + third), default=0) for low in (0, third, 2 * third)]
    faults = {kind: proxy.counts[kind] for kind in FAULTS}
    return {"exit": driver.returncode, "seconds": seconds, "killed": killed, "memory": most, "requests": proxy.counts["requests"], **faults}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--folder", type=Path, nargs="+", required=True)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--pages", type=int, default=1500, help="records of pages in each file")
    parser.add_argument("--engines", nargs="+", default=["ray", "spark"])
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    root, local = options.work / "s3", options.work / "local"
    tiny = options.work / "tiny"
    for folder in (root / "crawl", *(root / engine for engine in options.engines), local, tiny):
        folder.mkdir(parents=True, exist_ok=True)
    synthetic(options.work / "synthetic")
    folders = [*options.folder, options.work / "synthetic"]
    paths = [root / "crawl" / f"{number:05}.warc.gz" for number in range(options.files)]
    with ProcessPoolExecutor(WORKERS) as pool:
        counts = list(pool.map(make, paths, range(len(paths)), [options.pages] * len(paths), [folders] * len(paths)))
        stats = list(pool.map(extract_file, paths, [local] * len(paths), [COLUMNS] * len(paths)))
        list(pool.map(extract_tiny, paths, [tiny] * len(paths)))
    totals = report(local, paths)
    in_files = sum(each["pages"] for each in counts)
    print(f"{in_files} whole pages, {sum(each['broken'] for each in counts)} broken records", file=sys.stderr)
    expected, is_right = rows(local, f"{root}/crawl/"), all(each.error is None for each in stats)
    is_right &= totals["extracted"] + totals["failed"] == totals["pages"] and totals["pages"] >= in_files
    listed = options.work / "list.txt"
    listed.write_text("\n".join(f"s3://crawl/{path.name}" for path in paths))
    costs = [cost("default", paths, local, totals), cost("tiny", paths, tiny, report(tiny, paths))]
    table = [["Run", "Time", "Requests", "503", "Cut", "Delayed", "Workers killed", "Peak of a worker by thirds of the run", "Rows", "Failed rows"]]
    with server(root) as port:
        for engine in options.engines:
            done = run(engine, options.work, listed, port)
            found = json.loads((root / engine / "report.json").read_text())
            same = rows(root / engine, "s3://crawl/") == expected
            names = ("pages", "extracted", "failed", "kinds", "skipped", "html_bytes", "text_bytes")
            same_counts = all(found[name] == totals[name] for name in names)
            num_faults = done["503"] + done["cut"] + done["slow"]
            figures = {**done, "same_rows": same and same_counts, "faults": num_faults, "in_files": in_files}
            (options.work / f"{engine}.json").write_text(json.dumps({**figures, **{name: found[name] for name in names}}, indent=1))
            print(json.dumps(figures), file=sys.stderr)
            is_right &= figures["same_rows"] and done["exit"] == 0
            peaks = ", ".join(f"{mb:.0f}" for mb in done["memory"]) + " MB"
            table.append([engine.title(), f"{done['seconds']:.0f} s", *(f"{done[name]:,}" for name in ("requests", "503", "cut", "slow"))])
            table[-1] += [str(done["killed"]), peaks, f"{found['pages']:,}", str(found["failed"])]
    for name, written in (("billion_faults", table), ("billion_cost", [COST, *costs])):
        csv.writer(sys.stdout).writerows(written)
        if options.csv:
            with open(options.csv / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(written)
    raise SystemExit(0 if is_right else 1)


if __name__ == "__main__":
    main()
