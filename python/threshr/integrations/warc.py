"""A WARC file to a Parquet file: the unit of work of a crawl on a cluster.

`extract_file` is a function of one path, so every engine can run it: `examples/ray_common_crawl.py` and
`examples/spark_common_crawl.py` do. It needs fastwarc and pyarrow.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from fastwarc.warc import ArchiveIterator, WarcRecordType

from threshr._extract import _extractor
from threshr._threshr import Extractor
from threshr.integrations import with_limits

_BATCH = 256
_HTML = ("text/html", "application/xhtml+xml")
_INPUT = pa.schema({"id": pa.string(), "url": pa.string(), "date": pa.string(), "html": pa.large_binary()})


@dataclass(frozen=True)
class FileStats:
    """What became of a WARC file."""

    path: str
    """The file."""
    pages: int = 0
    """Pages that were read: responses of HTML with status 200."""
    failed: int = 0
    """Pages that failed. They are rows with `error`."""
    empty: int = 0
    """Pages without content."""
    html_bytes: int = 0
    """Bytes of the pages, unpacked."""
    text_bytes: int = 0
    """Bytes of the first written column in memory."""
    cpu_seconds: float = 0.0
    """CPU time of the process for the file, reading and writing included."""
    error: str | None = None
    """Why the file cannot be read; None if it could."""


def extract_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    columns: Sequence[str] = ("text", "language", "page_type", "quality"),
    **options: Any,
) -> FileStats:
    """Extracts the pages of a WARC file to `out/NAME.parquet` with the columns id, url, date, `columns` and error.

    The file appears when it is complete, so it can be run again at any time: a complete file is not done again. Its
    statistics stand in `out/NAME.json`. A file that cannot be read gives statistics with `error` and no Parquet file.
    `options` are those of `threshr.Extractor`.
    """
    source, folder = Path(path), Path(out)
    target, stats_path = folder / f"{source.name}.parquet", folder / f"{source.name}.json"
    if target.exists() and stats_path.exists():
        return FileStats(**json.loads(stats_path.read_text(encoding="utf-8")))
    # Another attempt may still be writing.
    part = folder / f".{source.name}.{os.getpid()}.{time.monotonic_ns()}.part"
    try:
        stats = _extract(source, part, columns, _extractor(with_limits(options)))
        stats_part = part.with_suffix(".stats")
        stats_part.write_text(json.dumps(asdict(stats)), encoding="utf-8")
        os.replace(stats_part, stats_path)
        os.replace(part, target)
        return stats
    except (OSError, ValueError, RuntimeError) as error:
        return FileStats(str(source), error=f"{type(error).__name__}: {error}")
    finally:
        part.unlink(missing_ok=True)


def _extract(source: Path, part: Path, columns: Sequence[str], extractor: Extractor) -> FileStats:
    start = time.process_time()
    pages = failed = empty = html_bytes = text_bytes = 0
    writer = None
    for batch in _batches(source):
        done = pa.table(extractor.extract_batch(batch, columns=list(columns)))
        writer = writer or pq.ParquetWriter(part, done.schema, compression="zstd")
        writer.write_table(done)
        pages += batch.num_rows
        failed += batch.num_rows - done["error"].null_count
        first = done.column(3)
        empty += pc.sum(pc.equal(first, "")).as_py() or 0
        html_bytes += pc.sum(pc.binary_length(batch["html"])).as_py()
        text_bytes += first.nbytes
    if writer is None:
        empty_batch = _INPUT.empty_table()
        done = pa.table(extractor.extract_batch(empty_batch, columns=list(columns)))
        writer = pq.ParquetWriter(part, done.schema)
    writer.close()
    return FileStats(str(source), pages, failed, empty, html_bytes, text_bytes, time.process_time() - start)


def _batches(source: Path) -> Iterator[pa.Table]:
    """The pages of a file, in tables of at most 256 pages."""
    rows: list[dict[str, Any]] = []
    with open(source, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            http = record.http_headers
            kind = (record.http_content_type or "").lower()
            if http is None or http.status_code != 200 or kind not in _HTML:
                continue
            rows.append(
                {
                    "id": record.record_id,
                    "url": record.headers.get("WARC-Target-URI"),
                    "date": record.headers.get("WARC-Date"),
                    "html": record.reader.read(),
                }
            )
            if len(rows) == _BATCH:
                yield pa.Table.from_pylist(rows, _INPUT)
                rows = []
    if rows:
        yield pa.Table.from_pylist(rows, _INPUT)


def summary(stats: Sequence[FileStats], out: str | os.PathLike[str]) -> dict[str, Any]:
    """Writes `out/summary.json`, with the totals and the files that failed, and returns it.

    Call it when no worker writes any more: it removes what killed workers have left.
    """
    for part in Path(out).glob(".*.part"):
        part.unlink(missing_ok=True)
    done = [each for each in stats if each.error is None]
    names = ("pages", "failed", "empty", "html_bytes", "text_bytes", "cpu_seconds")
    totals: dict[str, Any] = {name: sum(getattr(each, name) for each in done) for name in names}
    totals["files"] = len(done)
    totals["failed_files"] = {each.path: each.error for each in stats if each.error is not None}
    (Path(out) / "summary.json").write_text(json.dumps(totals, indent=1), encoding="utf-8")
    return totals
