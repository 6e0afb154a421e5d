"""Extracts a WARC file to a Parquet file. This is the unit of work for a crawl on a cluster.

`extract_file` has one path as its argument, so every engine can run it, as in `examples/ray_common_crawl.py` and
`examples/spark_common_crawl.py`. It needs pyarrow. Files are read by `threshr.read_pages`, so it also takes ARC, JSON Lines
and Parquet files.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from threshr import __version__
from threshr._errors import ArgumentTypeError, DataError, Error, FileError
from threshr._extract import _extractor
from threshr._threshr import Extractor, Model, read_pages
from threshr._types import RawPage
from threshr.integrations import with_limits

_BATCH = 256
_BATCH_BYTES = 64 << 20
_MOST_FAILURES = 1000
_INPUT = pa.schema(
    {"id": pa.string(), "url": pa.string(), "date": pa.string(), "charset": pa.string(), "html": pa.large_binary()}
)
_KEPT = ["id", "url", "date"]
_NUM_KEPT = "num_kept"


@dataclass(frozen=True)
class FileStats:
    """Statistics of the extraction of a WARC file."""

    path: str
    """The file."""
    output: str | None = None
    """The name of its Parquet file; None if it cannot be read."""
    pages: int = 0
    """Rows: pages, and parts of the file that cannot be read."""
    failed: int = 0
    """Pages that failed, and parts of the file that cannot be read. They are rows with `error`."""
    defects: int = 0
    """Pages that are extracted although something is wrong with them, such as a missing end."""
    empty: int = 0
    """Pages without content."""
    html_bytes: int = 0
    """Bytes of the pages, decompressed."""
    text_bytes: int = 0
    """Bytes of the first written column of text."""
    cpu_seconds: float = 0.0
    """CPU time of the process for the file, reading and writing included."""
    skipped: dict[str, int] = field(default_factory=dict)
    """Records that are not pages, by reason."""
    failures: list[dict[str, str | None]] = field(default_factory=list)
    """The first 1000 of `failed` and `defects`: id, url, and error with the place in the file."""
    error: str | None = None
    """Why the file cannot be read; None if it could."""


def extract_file(
    path: str | os.PathLike[str],
    out: str | os.PathLike[str],
    columns: Sequence[str] = ("text", "language", "page_type", "quality"),
    **options: Any,
) -> FileStats:
    """Extracts the pages of a WARC file to a Parquet file in the folder `out`, with the columns id, url, date, `columns` and
    error. The statistics contain its name. The name contains a hash of the whole path, so that files with the same name in two
    folders get different names.

    The Parquet file appears when it is complete, so the call can be repeated at any time. A complete file is not written again,
    unless the input, the columns, the options, the model or the version of threshr have changed. Its statistics are stored
    beside it, as JSON.

    Each corrupt part of the file becomes a row with `error` and is listed in `failures`; the rest of the file is read. If nothing
    can be read, for example because the file is empty, the statistics have `error` and there is no Parquet file.

    `options` are those of `threshr.Extractor`. Raises `OptionError` for a wrong option or column, `ArgumentTypeError` for an
    argument of a wrong type, and `FileError` if `path` is a folder or `out` is not a folder. An input that is missing or cannot be
    read is not an exception, because a list of a whole crawl may name such files.
    """
    for name, value in (("path", path), ("out", out)):
        if not isinstance(value, (str, os.PathLike)):
            raise ArgumentTypeError(f"`{name}` is {type(value).__name__}; expected str or PathLike")
    if isinstance(columns, str):
        raise ArgumentTypeError(f"`columns` is the text {columns!r}; expected a list of names such as [{columns!r}]")
    extractor = _extractor(with_limits(options))
    written = _written(extractor, columns)
    source, folder = Path(os.path.abspath(path)), Path(out)
    if source.is_dir():
        raise FileError(f"{source}: is a folder; expected a file of pages, such as a WARC file")
    if not folder.is_dir():
        raise FileError(f"{folder}: is not a folder; expected the existing folder of the Parquet files")
    key = f"{source.name[:100]}-{hashlib.sha256(os.fsencode(source)).hexdigest()[:12]}"
    target, stats_path = folder / f"{key}.parquet", folder / f"{key}.json"
    # Another attempt may still be writing, so the name is unique.
    part = folder / f".{key}.{uuid.uuid4().hex}.part"
    try:
        made_of = _made_of(source, extractor, columns)
        done = _done(stats_path, target, made_of)
        if done is not None:
            return done
        stats = _extract(source, part, target.name, columns, written, extractor)
        record = {"made_of": made_of, "parquet_bytes": part.stat().st_size, "stats": asdict(stats)}
        # The statistics are written last, because they mark the file as complete.
        _place(part, target)
        part.write_text(json.dumps(record), encoding="utf-8")
        _place(part, stats_path)
        return stats
    except (Error, OSError, pa.ArrowException) as error:
        return FileStats(str(source), error=f"{type(error).__name__}: {error}")
    finally:
        part.unlink(missing_ok=True)


def _place(part: Path, target: Path) -> None:
    """Moves a complete file to its final name, after its bytes are on the disk."""
    with open(part, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, target)


def _written(extractor: Extractor, columns: Sequence[str]) -> pa.Schema:
    """Returns the columns of the Parquet file. Raises `OptionError` for an unknown column."""
    empty = extractor.extract_batch(_INPUT.empty_table(), columns=columns, keep=_KEPT, charset="charset")
    return pa.table(empty).schema


def _made_of(source: Path, extractor: Extractor, columns: Sequence[str]) -> dict[str, Any]:
    """Everything on which the output depends."""
    try:
        status = source.stat()
    except OSError as error:
        raise FileError(f"{source}: {error.strerror}") from error
    options = extractor.options
    model = options.pop("model", None)
    if model is None or model == "default":
        options["model"] = "shipped " + _shipped()
    elif isinstance(model, bytes):
        options["model"] = hashlib.sha256(model).hexdigest()
    else:
        options["model"] = hashlib.sha256(Path(model).read_bytes()).hexdigest()
    described = json.dumps({"columns": list(columns), "options": options}, sort_keys=True, default=repr)
    return {
        "version": __version__,
        "path": str(source),
        "input": [status.st_size, status.st_mtime_ns],
        "options": hashlib.sha256(described.encode()).hexdigest(),
    }


@lru_cache(maxsize=1)
def _shipped() -> str:
    """The hash of the shipped model."""
    return hashlib.sha256(Model.load().to_bytes()).hexdigest()


def _done(stats_path: Path, target: Path, made_of: Mapping[str, Any]) -> FileStats | None:
    """Returns the statistics of a complete output of the same input and options; otherwise None."""
    try:
        record = json.loads(stats_path.read_text(encoding="utf-8"))
        if record["made_of"] != made_of or record["parquet_bytes"] != target.stat().st_size:
            return None
        return FileStats(**record["stats"])
    except (OSError, ValueError, TypeError, KeyError):
        # The files do not exist, are incomplete, or were written by another version.
        return None


def _extract(
    source: Path, part: Path, output: str, columns: Sequence[str], schema: pa.Schema, extractor: Extractor
) -> FileStats:
    start = time.process_time()
    counts: dict[str, Any] = dict.fromkeys(("pages", "failed", "defects", "empty", "html_bytes", "text_bytes"), 0)
    failures: list[dict[str, str | None]] = []
    # The number of kept blocks shows whether a page has content, whichever columns are written.
    asked = [*dict.fromkeys([*columns, _NUM_KEPT])]
    texts = [each.name for each in schema if pa.types.is_large_string(each.type) and each.name not in (*_KEPT, "error")]
    reader = read_pages(source, max_bytes=_max_bytes(extractor))
    num_read = 0
    with pq.ParquetWriter(part, schema, compression="zstd") as writer:
        for pages in _batches(reader):
            batch = pa.Table.from_pylist([_row(page) for page in pages], _INPUT)
            done = pa.table(extractor.extract_batch(batch, columns=asked, keep=_KEPT, charset="charset"))
            errors = _errors(pages, done["error"].to_pylist())
            num_read += sum(page.html is not None for page in pages)
            counts["pages"] += len(pages)
            counts["failed"] += sum(error is not None for error in errors)
            counts["defects"] += sum(page.defect is not None for page in pages)
            counts["empty"] += pc.sum(pc.equal(done[_NUM_KEPT], 0)).as_py() or 0
            counts["html_bytes"] += sum(len(page.html or b"") for page in pages)
            counts["text_bytes"] += (pc.sum(pc.binary_length(done[texts[0]])).as_py() or 0) if texts else 0
            for page, error in zip(pages, errors):
                wrong = error or (str(page.defect) if page.defect else None)
                if wrong and len(failures) < _MOST_FAILURES:
                    failures.append({"id": page.id, "url": page.url, "error": wrong})
            place = done.schema.get_field_index("error")
            done = done.set_column(place, schema.field("error"), pa.array(errors, schema.field("error").type))
            writer.write_table(done.select(schema.names).cast(schema))
    if failures and not num_read and not reader.skipped:
        raise DataError(failures[0]["error"])
    seconds = time.process_time() - start
    return FileStats(str(source), output, **counts, cpu_seconds=seconds, skipped=reader.skipped, failures=failures)


def _max_bytes(extractor: Extractor) -> int | None:
    most = extractor.options.get("max_bytes")
    return None if most is None else int(most)


def _row(page: RawPage) -> dict[str, Any]:
    return {name: getattr(page, name) for name in _INPUT.names}


def _errors(pages: Sequence[RawPage], errors: Sequence[str | None]) -> list[str | None]:
    """Returns the read error of each page, or otherwise its extraction error."""
    return [str(page.error) if page.error is not None else error for page, error in zip(pages, errors)]


def _batches(pages: Iterator[RawPage]) -> Iterator[list[RawPage]]:
    """Returns batches of at most 256 pages and limited size. Raises `FileError` if reading fails, because the file itself may
    be complete."""
    batch: list[RawPage] = []
    size = 0
    for page in pages:
        if isinstance(page.error, FileError):
            raise page.error
        batch.append(page)
        size += len(page.html or b"")
        if len(batch) == _BATCH or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def summary(stats: Sequence[FileStats], out: str | os.PathLike[str]) -> dict[str, Any]:
    """Writes `out/summary.json` and returns its content: the totals, the failed files, and the failures in other files.

    Call it only after all workers have ended, because it removes the temporary files of killed workers.
    """
    for part in Path(out).glob(".*.part"):
        part.unlink(missing_ok=True)
    # A file may occur twice in a list.
    by_path = {each.path: each for each in stats}
    done = [each for each in by_path.values() if each.error is None]
    names = [each.name for each in fields(FileStats) if each.type in ("int", "float")]
    totals: dict[str, Any] = {name: sum(getattr(each, name) for each in done) for name in names}
    totals["files"] = len(done)
    totals["failed_files"] = {path: each.error for path, each in by_path.items() if each.error is not None}
    totals["failures"] = {each.path: each.failures for each in done if each.failures}
    (Path(out) / "summary.json").write_text(json.dumps(totals, indent=1), encoding="utf-8")
    return totals
