"""Extracts a WARC file to a Parquet file. This is the unit of work for a crawl on a cluster.

`extract_file` has one path as its argument, so every engine can run it, as in `examples/ray_common_crawl.py` and
`examples/spark_common_crawl.py`. It needs pyarrow. Files are read by `threshr.read_pages`, so it also takes ARC, JSON Lines
and Parquet files, and addresses such as `s3://bucket/key`. `report` adds the statistics of all files:

    python -m threshr.integrations.warc OUT [LIST]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from threshr._remote import LocalFolder, RemoteFile, RemoteFolder, folder, is_address
from threshr._threshr import DEFAULT_COLUMNS, Extractor, Model, PageReader, read_index, read_pages
from threshr._types import RawPage
from threshr.integrations import with_limits

_BATCH = 256
_BATCH_BYTES = 64 << 20
_MOST_FAILURES = 1000
_MOST_KINDS = 200
_INPUT = pa.schema(
    {"id": pa.string(), "url": pa.string(), "date": pa.string(), "charset": pa.string(), "html": pa.large_binary()}
)
_KEPT = ["id", "url", "date"]
_NUM_KEPT = "num_kept"
_REPORT = "report.json"


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
    kinds: dict[str, int] = field(default_factory=dict)
    """Counts of `failed` by kind of error."""
    failures: list[dict[str, str | None]] = field(default_factory=list)
    """The first 1000 of `failed` and `defects`: id, url, and error with the place in the file."""
    error: str | None = None
    """Why the file cannot be read; None if it could."""


def extract_file(
    path: str | os.PathLike[str] | Any,
    out: str | os.PathLike[str],
    columns: Sequence[str] = tuple(DEFAULT_COLUMNS),
    *,
    index: Mapping[str, Any] | None = None,
    **options: Any,
) -> FileStats:
    """Extracts the pages of a WARC file to a Parquet file in the folder `out`, with the columns id, url, date, `columns` and
    error. The default of `columns` is that of `threshr.extract_batch`. `defect` also has what is wrong with the record, such as a missing
    end. The statistics contain the name of the file. The name contains a hash of the whole path, so that files with the same name in two
    folders get different names.

    `path` and `out` may be addresses such as `s3://bucket/key`, which need fsspec. `path` may also be a file object with a name.
    With `index`, `path` is an index of Common Crawl, and `index` has the arguments of `threshr.read_index`, such as
    `{"root": "s3://commoncrawl/", "languages": ["deu"]}`.

    The Parquet file appears when it is complete, so the call can be repeated at any time. A complete file is not written again,
    unless the input, the columns, the options, the model or the version of threshr have changed. Its statistics are stored
    beside it, as JSON. The version of a file object is unknown, so it is always read.

    Each corrupt part of the file becomes a row with `error` and is listed in `failures`; the rest of the file is read. If nothing
    can be read, for example because the file is empty, or if reading fails, the statistics have `error` and there is no Parquet
    file.

    `options` are those of `threshr.Extractor`. Raises `OptionError` for a wrong option or column, `ArgumentTypeError` for an
    argument of a wrong type, and `FileError` if `path` is a folder or `out` is not a folder. An input that is missing or cannot be
    read is not an exception, because a list of a whole crawl may name such files.
    """
    is_object = hasattr(path, "read")
    for name, value in (("path", getattr(path, "name", None) if is_object else path), ("out", out)):
        if not isinstance(value, (str, os.PathLike)):
            raise ArgumentTypeError(f"`{name}` is {type(value).__name__}; expected str or PathLike")
    if isinstance(columns, str):
        raise ArgumentTypeError(f"`columns` is the text {columns!r}; expected a list of names such as [{columns!r}]")
    extractor = _extractor(with_limits(options))
    written = _written(extractor, columns)
    if is_object:
        source = str(path.name)
    else:
        source = str(path) if is_address(path) else os.path.abspath(path)
        if os.path.isdir(source):
            raise FileError(f"{source}: is a folder; expected a file of pages, such as a WARC file")
    target = folder(out)
    base = source.rstrip("/").rsplit("/", 1)[-1]
    key = f"{base[:100]}-{hashlib.sha256(os.fsencode(source)).hexdigest()[:12]}"
    output, stats_name = f"{key}.parquet", f"{key}.json"
    # Another attempt may still be writing, so the name is unique.
    part = target.scratch / f".{key}.{uuid.uuid4().hex}.part"
    record: dict[str, Any] = {}
    try:
        try:
            if not is_object:
                record["made_of"] = _made_of(source, extractor, {"columns": list(columns), "index": index})
                done = _done(target, stats_name, output, record["made_of"])
                if done is not None:
                    return done
            given = path if is_object else source
            most = _max_bytes(extractor)
            reader = read_pages(given, max_bytes=most) if index is None else read_index(given, **index, max_bytes=most)
            stats = _extract(source, reader, part, output, columns, written, extractor)
            record["parquet_bytes"] = part.stat().st_size
            target.place(part, output)
        except (Error, OSError, pa.ArrowException) as error:
            stats = FileStats(source, error=f"{type(error).__name__}: {error}")
            done = _done(target, stats_name, output, record.get("made_of"))
            if done is not None:
                # Another attempt has succeeded meanwhile.
                return done
        # The statistics are written last, because they mark the file as complete.
        part.write_text(json.dumps({**record, "stats": asdict(stats)}), encoding="utf-8")
        target.place(part, stats_name)
        return stats
    except (Error, OSError) as error:
        return FileStats(source, error=f"{type(error).__name__}: {error}")
    finally:
        part.unlink(missing_ok=True)


def _written(extractor: Extractor, columns: Sequence[str]) -> pa.Schema:
    """Returns the columns of the Parquet file. Raises `OptionError` for an unknown column."""
    empty = extractor.extract_batch(_INPUT.empty_table(), columns=columns, keep=_KEPT, charset="charset")
    return pa.table(empty).schema


def _made_of(source: str, extractor: Extractor, described: dict[str, Any]) -> dict[str, Any]:
    """Everything on which the output depends."""
    version: Any
    if is_address(source):
        version = RemoteFile(source).version
    else:
        try:
            status = os.stat(source)
        except OSError as error:
            raise FileError(f"{source}: {error.strerror}") from error
        version = [status.st_size, status.st_mtime_ns]
    options = extractor.options
    model = options.pop("model", None)
    if model is None or isinstance(model, str) and not os.path.exists(model):
        options["model"] = "shipped " + _shipped(model or "default")
    elif isinstance(model, bytes):
        options["model"] = hashlib.sha256(model).hexdigest()
    else:
        options["model"] = hashlib.sha256(Path(model).read_bytes()).hexdigest()
    text = json.dumps({**described, "options": options}, sort_keys=True, default=repr)
    return {
        "version": __version__,
        "path": source,
        "input": version,
        "options": hashlib.sha256(text.encode()).hexdigest(),
    }


@lru_cache(maxsize=2)
def _shipped(name: str) -> str:
    """The hash of a shipped model."""
    return hashlib.sha256(Model.load(name).to_bytes()).hexdigest()


def _done(
    target: LocalFolder | RemoteFolder, stats_name: str, output: str, made_of: Mapping[str, Any] | None
) -> FileStats | None:
    """Returns the statistics of a complete output of the same input and options; otherwise None."""
    try:
        record = json.loads(target.text(stats_name))
        stats = FileStats(**record["stats"])
        if made_of is None or record["made_of"] != made_of or stats.error is not None or record["parquet_bytes"] != target.size(output):
            return None
        return stats
    except (OSError, ValueError, TypeError, KeyError):
        # The files do not exist, are incomplete, or were written by another version.
        return None


def _extract(
    source: str,
    reader: PageReader,
    part: Path,
    output: str,
    columns: Sequence[str],
    schema: pa.Schema,
    extractor: Extractor,
) -> FileStats:
    start = time.process_time()
    counts: dict[str, Any] = dict.fromkeys(("pages", "failed", "defects", "empty", "html_bytes", "text_bytes"), 0)
    failures: list[dict[str, str | None]] = []
    kinds: Counter[str] = Counter()
    # The number of kept blocks shows whether a page has content, whichever columns are written.
    asked = [*dict.fromkeys([*columns, _NUM_KEPT])]
    texts = [each.name for each in schema if pa.types.is_large_string(each.type) and each.name not in (*_KEPT, "error")]
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
                if error is not None:
                    kind = _kind(error)
                    kinds[kind if kind in kinds or len(kinds) < _MOST_KINDS else "other"] += 1
                wrong = error or (str(page.defect) if page.defect else None)
                if wrong and len(failures) < _MOST_FAILURES:
                    failures.append({"id": page.id, "url": page.url, "error": wrong})
            done = _with_column(done, "error", errors)
            if "defect" in schema.names:
                found = zip(pages, done["defect"].to_pylist())
                done = _with_column(done, "defect", [str(page.defect) if page.defect else own for page, own in found])
            writer.write_table(done.select(schema.names).cast(schema))
    if failures and not num_read and not reader.skipped:
        raise DataError(failures[0]["error"])
    seconds = time.process_time() - start
    found = {"skipped": reader.skipped, "kinds": dict(kinds), "failures": failures}
    return FileStats(source, output, **counts, cpu_seconds=seconds, **found)


def _with_column(table: pa.Table, name: str, values: list[str | None]) -> pa.Table:
    field = table.schema.field(name)
    return table.set_column(table.schema.get_field_index(name), field, pa.array(values, field.type))


def _kind(error: str) -> str:
    """Returns an error without what differs from page to page: its place, its numbers, and its causes."""
    message = re.split(r"; (?:expected|because)| \((?:record|bytes) ", error)[0].rsplit(": ", 1)[-1]
    return re.sub(r"(?<![^\W_])\d+(?![^\W_])", "N", message)


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


def report(out: str | os.PathLike[str], paths: Iterable[str | os.PathLike[str]] | None = None) -> dict[str, Any]:
    """Adds the statistics of all files in the folder `out`, writes them to `report.json` there, and returns them. `paths` are the
    inputs that must be done.

    `extracted` + `failed` is `pages`, the number of rows; `kinds` counts the failed pages by kind of error, and `skipped` the
    records that are not pages by reason. `failed_files` are the inputs that cannot be read, `missing_files` those of `paths` without
    statistics, and `wrong_parts` the unfinished files and those whose rows are not those of their statistics. All three are empty after a
    complete run. Parquet files of `threshr predict` have no statistics; their rows are counted.

    Call it only after all workers have ended, because it removes the temporary files of killed workers.
    """
    target = folder(out)
    if isinstance(target, LocalFolder):
        for part in target.scratch.glob(".*.part"):
            part.unlink(missing_ok=True)
    names = target.names()
    # Each file of an object store takes some requests.
    with ThreadPoolExecutor(16) as pool:
        texts = pool.map(target.text, (name for name in names if name.endswith(".json") and name != _REPORT))
        stats = [FileStats(**json.loads(text)["stats"]) for text in texts]
        done = {each.output: each for each in stats if each.error is None}
        others = [name for name in names if name.endswith(".parquet") and name not in done]
        done.update(zip(others, pool.map(lambda name: _counted(target, name), others)))
        are_whole = pool.map(lambda name: name in names and _is_whole(target, name, done[name]), done)
        wrong = [name for name, is_whole in zip(done, are_whole) if not is_whole]
    totals: dict[str, Any] = {"files": len(done)}
    for name in (each.name for each in fields(FileStats) if each.type in ("int", "float")):
        totals[name] = sum(getattr(each, name) for each in done.values())
    totals["extracted"] = totals["pages"] - totals["failed"]
    for name in ("kinds", "skipped"):
        totals[name] = dict(sum((Counter(getattr(each, name)) for each in done.values()), Counter()))
    wanted = [str(path) if is_address(path) else os.path.abspath(path) for path in paths or []]
    totals["failed_files"] = {each.path: each.error for each in stats if each.error is not None}
    totals["missing_files"] = sorted({*wanted} - {each.path for each in stats})
    totals["wrong_parts"] = wrong + [name for name in names if name.endswith(".part")]
    totals["failures"] = {each.path: each.failures for each in done.values() if each.failures}
    part = target.scratch / f".{uuid.uuid4().hex}.part"
    part.write_text(json.dumps(totals, indent=1), encoding="utf-8")
    target.place(part, _REPORT)
    part.unlink(missing_ok=True)
    return totals


def _is_whole(target: LocalFolder | RemoteFolder, name: str, stats: FileStats) -> bool:
    """Whether a Parquet file has the rows of its statistics, and these count each failed page."""
    with target.open(name) as file:
        return pq.read_metadata(file).num_rows == stats.pages and sum(stats.kinds.values()) == stats.failed


def _counted(target: LocalFolder | RemoteFolder, name: str) -> FileStats:
    """Counts the rows of a Parquet file without statistics."""
    with target.open(name) as file:
        errors = pq.read_table(file, columns=["error"])["error"].drop_null().to_pylist()
        kinds = dict(Counter(map(_kind, errors)))
        return FileStats(name, name, pages=pq.read_metadata(file).num_rows, failed=len(errors), kinds=kinds)


def main() -> None:
    """Prints the report of a folder. Exits with 1 if something is missing."""
    parser = argparse.ArgumentParser(description="Adds the statistics of all files of a run.")
    parser.add_argument("out", help="the folder or address of the Parquet files")
    parser.add_argument("list", nargs="?", type=Path, help="the inputs, one per line")
    options = parser.parse_args()
    totals = report(options.out, options.list.read_text(encoding="utf-8").split() if options.list else None)
    totals.pop("failures")
    print(json.dumps(totals, indent=1))
    raise SystemExit(1 if totals["failed_files"] or totals["missing_files"] or totals["wrong_parts"] else 0)


if __name__ == "__main__":
    main()
