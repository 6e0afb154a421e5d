#!/usr/bin/env python3
"""Measures the Python package on pages of a folder: docs/results/data/python_*.csv.

Usage: python_speed.py FOLDER [--pages N] [--rounds N] [--only QUESTION…] [--csv FOLDER]

Every figure is the median over the rounds of one run. Each round runs every row once, so that other load on the machine
affects all rows equally. CPU time is user and system time of the process and its children. Questions:

- batch: `extract_batch` compared with `threshr predict` of the same build, both from Parquet to Parquet in memory or on
  disk, with one and two threads.
- single: one page per call, compared with Resiliparse, trafilatura and readability-lxml, each tool in a separate process.
- memory: 100,000 pages through one process.
- clusters: CPU time per page on local Ray and Spark, with one and two workers (needs ray, pyspark and fastwarc).
"""

from __future__ import annotations

import argparse
import csv
import gc
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import threshr


def cpu() -> float:
    """CPU seconds of this process and of its children that ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall-clock seconds of a call."""
    gc.collect()
    clock, used = time.perf_counter(), cpu()
    work()
    return cpu() - used, time.perf_counter() - clock


def in_turn(rows: dict[str, Callable[[], object]], rounds: int) -> dict[str, tuple[float, float]]:
    """Median CPU and wall-clock seconds of each row; the rows run in turn."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in rows}
    for number in range(rounds):
        for name, work in rows.items():
            times[name].append(measured(work))
            print(f"round {number + 1}: {name}: {times[name][-1][0]:.2f} s CPU, {times[name][-1][1]:.2f} s", file=sys.stderr)
    return {name: tuple(statistics.median(t[i] for t in found) for i in (0, 1)) for name, found in times.items()}  # type: ignore[misc]


def batch(pages: list[bytes], rounds: int) -> list[list[str]]:
    """Compares batches with the program."""
    columns = ["text", "num_kept", "mean_score", "language", "page_type", "quality", "quality_low", "quality_high"]
    table = pa.table({"id": [str(i) for i in range(len(pages))], "html": pages})
    extractor = threshr.Extractor(timeout=2.0, max_bytes=16 << 20)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pages.parquet"
        pq.write_table(table, source, compression="zstd", row_group_size=256)

        def of_batch(threads: int) -> Callable[[], object]:
            return lambda: extractor.extract_batch(table, columns=columns, threads=threads)

        def of_files(threads: int) -> Callable[[], object]:
            def run() -> None:
                writer = None
                for part in pq.ParquetFile(source).iter_batches(1024):
                    done = pa.table(extractor.extract_batch(part, columns=columns, threads=threads))
                    writer = writer or pq.ParquetWriter(Path(folder) / "python.parquet", done.schema, compression="zstd")
                    writer.write_table(done)
                assert writer is not None
                writer.close()

            return run

        def of_program(jobs: int) -> Callable[[], object]:
            out = Path(folder) / "program.parquet"
            command = ["threshr", "predict", "--force", source, "--out", out, "--jobs", str(jobs), "-q"]
            # exit code 2: some pages failed
            return lambda: subprocess.run(command, check=False)

        rows = {}
        for threads in (1, 2):
            rows[f"program, Parquet to Parquet, {threads}"] = of_program(threads)
            rows[f"extract_batch, Parquet to Parquet, {threads}"] = of_files(threads)
            rows[f"extract_batch, in memory, {threads}"] = of_batch(threads)
        found = in_turn(rows, rounds)
    out = []
    for name, (used, clock) in found.items():
        what, *_, threads = name.rsplit(", ", 1)
        base = found[f"program, Parquet to Parquet, {threads}"]
        out.append(
            [what, threads, f"{1000 * used / len(pages):.3f} ms", f"{len(pages) / clock:.0f}", f"{base[0] / used:.2f}"]
        )
    return [["Run", "Threads", "CPU a page", "Pages a second", "Times as fast as the program, by CPU"], *out]


def of_threshr(model: str | None = None) -> Callable[[str], object]:
    """The text of a page by threshr."""
    path = Path(__file__).resolve().parents[1] / "models" / f"{model}.json"
    extractor = threshr.Extractor(model=path if model else None)
    return lambda text: extractor.extract(text).text


def with_quality() -> Callable[[str], object]:
    """The text of a page and its quality."""
    extractor = threshr.Extractor()

    def run(text: str) -> tuple[str, object]:
        extraction = extractor.extract(text)
        return extraction.text, extraction.quality

    return run


def of_resiliparse() -> Callable[[str], object]:
    """The main content of a page by Resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda text: extract_plain_text(text, main_content=True)


def of_resiliparse_later() -> Callable[[str], object]:
    """The same in a process that has freed a block of 30 MB. After that, glibc keeps freed blocks below this size."""
    block = bytearray(30_000_000)
    del block
    return of_resiliparse()


def of_trafilatura() -> Callable[[str], object]:
    """The text of a page by trafilatura."""
    import trafilatura

    return trafilatura.extract


def of_readability() -> Callable[[str], object]:
    """The HTML of the content of a page by readability-lxml."""
    from readability import Document

    return lambda text: Document(text).summary()


TOOLS: dict[str, Callable[[], Callable[[str], object]]] = {
    "threshr": of_threshr,
    "threshr, with quality": with_quality,
    "threshr, model tiny": partial(of_threshr, "tiny"),
    "Resiliparse, main content": of_resiliparse,
    "Resiliparse, freed memory kept": of_resiliparse_later,
    "trafilatura": of_trafilatura,
    "readability-lxml": of_readability,
}


def serve(name: str, pages: list[bytes], pipe: Connection) -> None:
    """Runs a tool over all pages for each request, and sends its CPU seconds."""
    texts = [threshr._threshr.decode(page) for page in pages]
    try:
        function = TOOLS[name]()
    except ImportError as error:
        pipe.send(str(error))
        return
    pipe.send(None)
    while pipe.recv():
        started = cpu()
        for text in texts:
            try:
                function(text)
            except Exception:  # noqa: BLE001
                # The time is also counted if a tool fails on a page.
                pass
        pipe.send(cpu() - started)


def single(pages: list[bytes], rounds: int) -> list[list[str]]:
    """Compares single pages with other tools, each in a separate process. All tools receive decoded text."""
    context = multiprocessing.get_context("spawn")
    pipes: dict[str, Connection] = {}
    for name in TOOLS:
        pipe, theirs = context.Pipe()
        context.Process(target=serve, args=(name, pages, theirs), daemon=True).start()
        missing = pipe.recv()
        if missing:
            print(f"*** {name}: {missing}", file=sys.stderr)
        else:
            pipes[name] = pipe
    times: dict[str, list[float]] = {name: [] for name in pipes}
    # the first round is a warm-up
    for number in range(rounds + 1):
        for name, pipe in pipes.items():
            pipe.send(True)
            used = pipe.recv()
            print(f"round {number}: {name}: {used:.2f} s CPU", file=sys.stderr)
            if number:
                times[name].append(used)
    out = []
    for name, found in times.items():
        # ratios within one round, so that the speed of the machine cancels out
        ratio = statistics.median(one / own for one, own in zip(found, times["threshr"]))
        used = statistics.median(found)
        out.append([name, f"{1000 * used / len(pages):.2f} ms", f"{len(pages) / used:.0f}", f"{ratio:.2f}"])
    for pipe in pipes.values():
        pipe.send(False)
    return [["Tool", "CPU a page", "Pages a CPU second", "CPU of threshr = 1"], *out]


def resident() -> float:
    """Resident memory in MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(pages: list[bytes], _: int) -> list[list[str]]:
    """Memory after many pages, alternately as single pages, batches and new extractors."""
    out, done, step = [], 0, 0
    marks = [1_000, 10_000, 25_000, 50_000, 75_000, 100_000]
    extractor = threshr.Extractor()
    for mark in marks:
        while done < mark:
            part = [pages[(done + i) % len(pages)] for i in range(250)]
            if step % 2:
                threshr.extract_batch(part, columns=["text", "markdown"])
            else:
                for page in part:
                    extraction = extractor.extract(page)
                    assert extraction.text is not None and extraction.metadata is not None
            done, step = done + len(part), step + 1
        gc.collect()
        out.append([f"{done:,}", f"{resident():.0f} MB"])
        print(out[-1], file=sys.stderr)
    return [["Pages", "Resident memory"], *out]


def warc_files(pages: list[bytes], folder: Path, files: int, copies: int) -> Path:
    """WARC files with copies of the pages, and the list of them."""
    import gzip

    paths = []
    for part in range(files):
        path = folder / f"{part}.warc.gz"
        with open(path, "wb") as out:
            for i, page in enumerate(pages * copies):
                body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page
                head = (
                    f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{part:016x}{i:016x}>\r\n"
                    "WARC-Target-URI: https://example.org/\r\nWARC-Date: 2026-11-01T00:00:00Z\r\n"
                    f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
                )
                out.write(gzip.compress(head.encode() + body + b"\r\n\r\n", 6))
        paths.append(str(path))
    (folder / "list.txt").write_text("\n".join(paths))
    return folder / "list.txt"


def clusters(pages: list[bytes], rounds: int) -> list[list[str]]:
    """CPU time per page on local clusters, as measured by the tasks, and the duration of the whole run."""
    import json

    examples = Path(__file__).resolve().parents[1] / "python" / "examples"
    found: dict[tuple[str, int], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        listed = warc_files(pages, folder, 6, max(1, 6000 // len(pages)))
        for number in range(rounds):
            for engine in ("ray", "spark"):
                for workers in (1, 2):
                    out = folder / f"{engine}{workers}{number}"
                    option = ["--workers", str(workers)] if engine == "ray" else ["--master", f"local[{workers}]"]
                    command = [sys.executable, examples / f"{engine}_common_crawl.py", listed, "--out", out, *option]
                    clock = time.perf_counter()
                    # Workers of Spark use this Python.
                    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
                    subprocess.run(command, check=True, capture_output=True, env=environment)
                    totals = json.loads((out / "report.json").read_text())
                    each = (1000 * totals["cpu_seconds"] / totals["pages"], time.perf_counter() - clock)
                    found.setdefault((engine, workers), []).append(each)
                    print(f"{engine}, {workers}: {each[0]:.3f} ms per page, {each[1]:.1f} s", file=sys.stderr)
    out_rows = []
    for (engine, workers), times in found.items():
        used = statistics.median(t[0] for t in times)
        one = statistics.median(t[0] for t in found[engine, 1])
        clock = statistics.median(t[1] for t in times)
        row = [engine.capitalize(), str(workers), f"{used:.3f} ms", f"{used / one:.2f}", f"{clock:.1f} s"]
        out_rows.append(row)
    return [["Engine", "Workers", "CPU a page", "Beside one worker", "Time of the run, start included"], *out_rows]


QUESTIONS = {"batch": batch, "single": single, "memory": memory, "clusters": clusters}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--csv", type=Path)
    options = parser.parse_args()
    paths = sorted(options.folder.rglob("*.html"))
    # selects pages at equal distances in the folder
    paths = paths[:: max(1, len(paths) // options.pages)][: options.pages]
    pages = [path.read_bytes() for path in paths]
    print(f"{len(pages)} pages, {sum(map(len, pages)) / 1e6:.1f} MB; threshr {threshr.__version__}", file=sys.stderr)
    for name in options.only:
        rows = QUESTIONS[name](pages, options.rounds)
        csv.writer(sys.stdout).writerows(rows)
        if options.csv:
            with open(options.csv / f"python_{name}.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
