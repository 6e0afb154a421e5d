"""The folder of rendered pages: pages, geometry, `gold.jsonl`, `policy.toml`, settings, journal and report."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threshr._errors import DataError, FileError, OptionError
from threshr._threshr import RenderPage, write_file
from threshr.render._browser import Settings
from threshr.render._tab import Drawn

# The settings of a folder. The file is written first and marks the folder.
_SETTINGS = "render.toml"
# The source of each rendered page, one line per page. Lines are added while pages are rendered.
_JOURNAL = "render.jsonl"
# The result of each page of the last run.
_REPORT = "render.csv"
_GOLD = "gold.jsonl"
_POLICY = "policy.toml"
_COLUMNS = ("page", "file", "url", "state", "width", "height", "elements", "lost", "error")


@dataclass(frozen=True)
class Row:
    """The result of a page."""

    page: RenderPage
    state: str
    """`drawn`, `still loading`, `skipped` or `failed`."""
    url: str | None = None
    """Its address, after redirections."""
    drawn: Drawn | None = None
    error: str = ""

    def fields(self) -> list[str]:
        """The fields of the page in the report."""
        numbers = ["", "", "", ""]
        if self.drawn is not None:
            size = [f"{length:.2f}".rstrip("0").rstrip(".") for length in self.drawn.size]
            numbers = [*size, str(self.drawn.num_elements), str(self.drawn.num_lost)]
        return [self.page.id, self.page.file, self.url or "", self.state, *numbers, self.error]


def check_place(out: Path, inputs: Iterable[Path], folders: Iterable[Path], is_forced: bool) -> None:
    """Raises an error if the results would change the inputs, or would replace other files without `is_forced`."""
    place = out.resolve()
    if out.exists() and not out.is_dir():
        raise OptionError(f"{out}: --out is a file; expected a folder for the results")
    for folder in folders:
        if place.is_relative_to(folder.resolve()):
            what = f"--out is inside the input {folder}; writing it would change the input"
            raise OptionError(f"{out}: {what}; expected a path outside of the inputs")
    for path in inputs:
        if path.resolve().is_relative_to(place):
            raise OptionError(f"{out}: the input {path} is inside --out; expected another folder")
    is_free = not out.exists() or (out / _SETTINGS).is_file() or not any(out.iterdir())
    if not is_free and not is_forced:
        raise OptionError(f"{out}: --out: the folder exists; expected another folder, or --force to replace it")


class Folder:
    """The folder of rendered pages. No other run can use it at the same time."""

    def __init__(self, path: Path, is_fresh: bool, drawn: dict[str, dict[str, Any]], journal: io.TextIOBase) -> None:
        self.path = path
        # whether pages are rendered again
        self._is_fresh = is_fresh
        # The journal lines of existing pages, by file.
        self._drawn = drawn
        self._journal = journal

    @classmethod
    @contextmanager
    def open(cls, path: Path, settings: Settings, policy: str | None, is_fresh: bool) -> Iterator[Folder]:
        """Opens or creates a folder. `policy` is the policy of the annotated sets, if there are any. With `is_fresh`,
        existing pages of the folder are rendered again.

        Raises an error if another run uses the folder. Without `is_fresh`, also raises an error if the pages of the folder
        were rendered with other settings or have another policy.
        """
        try:
            (path / "pages").mkdir(parents=True, exist_ok=True)
            lock = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise _failed(path, error) from error
        try:
            _lock(lock, path)
            drawn = _prepared(path, settings, policy, is_fresh)
            with open(path / _JOURNAL, "a", encoding="utf-8") as journal:
                # Ends a line that a stopped run left incomplete.
                journal.write("\n")
                yield cls(path, is_fresh, drawn, journal)
        finally:
            os.close(lock)

    def has(self, page: RenderPage, source: str) -> bool:
        """Whether a page already exists and is kept. Raises an error if its file was rendered from another page."""
        if self._is_fresh:
            return False
        path = self.path / page.file
        if not path.is_file() or not _geometry(path).is_file():
            self._drawn.pop(page.file, None)
            return False
        entry = self._drawn.get(page.file)
        # A page without an entry was written by a run that was stopped before it wrote the line.
        if entry is not None and entry["source"] != source:
            raise DataError(
                f"{path}: the file was rendered from another page, or from other content of this page; expected another "
                "folder, or --force to render the page again"
            )
        return entry is not None

    def write(self, page: RenderPage, source: str, drawn: Drawn) -> None:
        """Writes a page and its geometry."""
        path = self.path / page.file
        # A page without a geometry file counts as missing.
        _remove(_geometry(path))
        write_file(path, drawn.html)
        write_file(_geometry(path), drawn.geometry)
        gold = None if page.gold is None else json.loads(page.gold)
        entry = {"file": page.file, "source": source, "gold": gold}
        try:
            self._journal.write(_line(entry))
            self._journal.flush()
        except OSError as error:
            raise _failed(self.path / _JOURNAL, error) from error
        self._drawn[page.file] = entry

    def remove(self, page: RenderPage) -> None:
        """Removes the files of a page that an earlier run rendered and that now fails. If existing pages are not rendered
        again, the file belongs to another page and is not removed."""
        if self._is_fresh and self._drawn.pop(page.file, None) is not None:
            path = self.path / page.file
            _remove(_geometry(path))
            _remove(path)

    def finish(self, rows: Sequence[Row]) -> None:
        """Writes the report, and the gold of existing pages. The pages of this run come first, then those of earlier runs."""
        files = [row.page.file for row in rows if row.page.file in self._drawn]
        files += sorted(set(self._drawn) - set(files))
        entries = [self._drawn[file] for file in files]
        gold = "".join(_line(entry["gold"]) for entry in entries if entry["gold"] is not None)
        if gold:
            write_file(self.path / _GOLD, gold.encode())
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(row.fields() for row in rows)
        write_file(self.path / _REPORT, table.getvalue().encode("utf-8", "surrogateescape"))


def _lock(folder: int, path: Path) -> None:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        what = "another run uses this folder; expected another folder, or to wait until that run ends"
        raise DataError(f"{path}: {what}") from error
    except OSError:
        # not every file system can lock folders
        return


def _prepared(path: Path, settings: Settings, policy: str | None, is_fresh: bool) -> dict[str, dict[str, Any]]:
    """Writes the settings of a folder, and returns the lines of its journal by file."""
    for folder in (path, path / "pages"):
        for leftover in folder.glob(".threshr-*.tmp"):
            _remove(leftover)
    network = str(settings.network).lower()
    text = f"width = {settings.width}\nheight = {settings.height}\nwait = {settings.wait}\nnetwork = {network}\n"
    named = "" if policy is None else f'policy = "{policy}"\n'
    text += named
    marker = path / _SETTINGS
    drawn = _entries(path / _JOURNAL)
    before = marker.read_text(encoding="utf-8", errors="replace") if marker.is_file() else text
    if before != text and not is_fresh:
        raise OptionError(
            f"{marker}: the pages in the folder were rendered with other options or have another policy; expected the same "
            "--width, --height, --wait, --network and policy, another folder, or --force"
        )
    if before != text:
        # The pages are removed before the settings are written. If a run is stopped here, no page has wrong settings.
        for file in drawn:
            _remove(_geometry(path / file))
            _remove(path / file)
        for name in (_GOLD, _POLICY, _REPORT, _JOURNAL):
            _remove(path / name)
        drawn = {}
    write_file(marker, text.encode())
    if named:
        write_file(path / _POLICY, named.encode())
    return drawn


def _entries(journal: Path) -> dict[str, dict[str, Any]]:
    """Returns the pages with complete lines in a journal. If a page has several lines, the last line is used."""
    entries: dict[str, dict[str, Any]] = {}
    if journal.is_file():
        for line in journal.read_text(encoding="utf-8", errors="replace").split("\n"):
            with suppress(ValueError):
                entry = json.loads(line)
                if _is_entry(entry):
                    entries[entry["file"]] = entry
    return entries


def _is_entry(entry: object) -> bool:
    """Whether an object is a line of the journal with a path inside the folder."""
    if not isinstance(entry, dict) or not isinstance(entry.get("source"), str) or "gold" not in entry:
        return False
    file = entry.get("file")
    if not isinstance(file, str) or not file.startswith("pages/") or not file.endswith(".html"):
        return False
    return not any(separator in file.removeprefix("pages/") for separator in "/\\")


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _geometry(page: Path) -> Path:
    return page.with_name(page.name.removesuffix(".html") + ".geometry.json")


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> FileError:
    return FileError(f"{path}: {error.strerror}")
