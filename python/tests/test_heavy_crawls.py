"""Crawls on local clusters in which a worker is killed: no page is lost and no page is written twice."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, need, warc_record

import threshr

need("pyarrow", "psutil")
import psutil  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402

from object_store import workers  # noqa: E402

from threshr.integrations.warc import extract_file, report  # noqa: E402

EXAMPLES = ROOT / "python" / "examples"
COLUMNS = ["text", "quality"]


def record(number: int, page: bytes, **response: Any) -> bytes:
    return gzip.compress(warc_record(number, page, **response), 1)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory, pages) -> Path:
    """Six WARC files of 420 pages each, and a list of them, which also contains a missing file."""
    folder = tmp_path_factory.mktemp("crawl")
    paths = []
    for part in range(6):
        records = [record(part * 10000 + i, page) for i, page in enumerate(pages * 10)]
        records += [record(part * 10000 + 9000, b"x", status=404), record(part * 10000 + 9001, b"x", kind="image/png")]
        paths.append(folder / f"{part}.warc.gz")
        paths[-1].write_bytes(b"".join(records))
    paths.append(folder / "missing.warc.gz")
    (folder / "list.txt").write_text("\n".join(map(str, paths)))
    return folder


def rows(out: Path) -> Counter:
    found: Counter = Counter()
    for path in sorted(out.glob("*.parquet")):
        table = pq.read_table(path)
        found.update(zip(table["id"].to_pylist(), table["text"].to_pylist()))
    return found


@pytest.fixture(scope="module")
def expected(crawl, tmp_path_factory) -> Counter:
    """The rows of a run in the process of the test."""
    out = tmp_path_factory.mktemp("expected")
    paths = (crawl / "list.txt").read_text().split()
    stats = [extract_file(path, out, COLUMNS) for path in paths]
    assert [stats.error is None for stats in stats] == [True] * 6 + [False]
    totals = report(out, paths)
    assert totals["pages"] == 6 * 420 and totals["files"] == 6 and totals["failed"] == 0
    assert list(totals["failed_files"]) == [str(crawl / "missing.warc.gz")]
    return rows(out)


def test_a_file(crawl, expected, pages, tmp_path):
    stats = extract_file(crawl / "0.warc.gz", tmp_path, COLUMNS)
    assert stats.skipped == {"status other than 2xx": 1, "not HTML": 1}
    table = pq.read_table(tmp_path / stats.output)
    assert table.column_names == ["id", "url", "date", "text", "quality", "error"]
    text = threshr.Extractor(timeout=2.0).extract(pages[0], url="https://a0.org/0").text
    assert table["text"][0].as_py() == text
    assert sum(expected.values()) == len(expected) == 6 * 420


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_a_worker_is_killed(engine, crawl, expected, tmp_path):
    need("ray" if engine == "ray" else "pyspark")
    out = tmp_path / "out"
    arguments = ["--workers", "2"] if engine == "ray" else ["--master", "local[2,5]"]
    command = [sys.executable, EXAMPLES / f"{engine}_common_crawl.py", crawl / "list.txt", "--out", out, *arguments]
    command += ["--columns", *COLUMNS]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process, killed, deadline = psutil.Process(driver.pid), 0, time.monotonic() + 100
    while killed < 2 and driver.poll() is None and time.monotonic() < deadline:
        is_started = list(out.glob(".*.part")) if out.exists() else []
        for victim in workers(process, engine)[:1] if is_started else []:
            victim.kill()
            killed += 1
            time.sleep(0.7)
        time.sleep(0.02)
    output, errors = driver.communicate(timeout=200)
    assert killed >= 1, "no worker was found"
    assert driver.returncode == 1, errors[-3000:]
    assert rows(out) == expected
    totals = json.loads((out / "report.json").read_text())
    assert totals["pages"] == 6 * 420 and list(totals["failed_files"]) == [str(crawl / "missing.warc.gz")]
    assert not list(out.glob(".*.part"))
    # If the same command runs again, it writes no file.
    times = {path: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert subprocess.run(command, capture_output=True, timeout=200).returncode == 1, "a file is missing"
    assert times == {path: path.stat().st_mtime_ns for path in out.glob("*.parquet")} and rows(out) == expected
