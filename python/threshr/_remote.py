"""Objects in object stores and on web servers, by fsspec: reading that resumes, and folders of outputs.

A request that fails is repeated after a pause, from the byte where the last one ended. A missing object and a refused access
are final. An object that has changed since its first byte was read is an error.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from threshr._errors import FileError

_T = TypeVar("_T")

ATTEMPTS = 9
"""Attempts in a row without a new byte, in about two minutes."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_BLOCK = 8 << 20
_FINAL = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, ImportError, FileError)
# Names of the fields, in the notations of the stores, that differ between two versions of an object.
_VERSION = ("size", "ETag", "etag", "LastModified", "mtime", "generation", "blob_id", "md5Hash")


def is_address(path: Any) -> bool:
    """Whether this is an address such as `s3://bucket/key`, and not a local path."""
    return isinstance(path, str) and "://" in path


def _file_system(address: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs

        return url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise FileError(f"{address}: {error}; `pip install threshr[remote]` installs fsspec for s3 and https") from error


def _is_final(error: Exception) -> bool:
    """Whether another attempt would fail, too."""
    cause = error.__cause__
    if isinstance(error, FileNotFoundError) and type(cause).__module__.startswith("aiohttp"):
        # fsspec raises this for every failure of a web server.
        return getattr(cause, "status", None) in (403, 404, 410)
    return isinstance(error, _FINAL)


def _repeated(call: Callable[[], _T], after: Callable[[], None]) -> _T:
    """Calls a function until it succeeds. Calls `after` after an attempt that failed."""
    for attempt in range(ATTEMPTS):
        try:
            return call()
        except Exception as error:
            if _is_final(error):
                raise
            if attempt == ATTEMPTS - 1:
                raise OSError(f"{ATTEMPTS} attempts failed; the last one: {type(error).__name__}: {error}") from error
        after()
        time.sleep(min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt) * random.uniform(0.5, 1.0))
    raise AssertionError("unreachable")


def _version(fs: Any, path: str) -> dict[str, str]:
    found = fs.info(path)
    if found.get("type") == "directory":
        raise IsADirectoryError(path)
    return {name: str(found[name]) for name in _VERSION if found.get(name) is not None}


class RemoteFile:
    """An object, which is read once from its start to its end. Raises `FileError` if there is none."""

    def __init__(self, address: str):
        self.name = address
        self._fs, self._path = _file_system(address)
        self._file: Any = None
        self._at, self._block = 0, _BLOCK
        try:
            self.version = _repeated(lambda: _version(self._fs, self._path), self._fs.invalidate_cache)
        except Exception as error:
            raise FileError(f"{address}: {type(error).__name__}: {error}") from error
        self._size = int(self.version["size"]) if "size" in self.version else None

    def read(self, size: int) -> bytes:
        """Returns up to `size` bytes; none at the end."""
        data = _repeated(lambda: self._read(size), self._drop)
        self._at += len(data)
        return data

    def _read(self, size: int) -> bytes:
        if self._file is None:
            if self._at > 0 and _version(self._fs, self._path) != self.version:
                raise FileError("the object has changed since its first byte was read")
            file = self._fs.open(self._path, "rb", block_size=self._block, cache_type="readahead")
            _seek(file, self._at)
            self._file = file
        try:
            data = self._file.read(size)
        except ValueError:
            if self._block == 0:
                raise
            # A web server without ranges, from which fsspec reads a stream if the blocks have no size.
            self._block, self._file = 0, None
            return self._read(size)
        if not data and size and self._size is not None and self._at < self._size:
            raise OSError(f"the connection ended before byte {self._size}")
        return data

    def _drop(self) -> None:
        self._file = None
        self._fs.invalidate_cache()


def _seek(file: Any, at: int) -> None:
    """Moves to a position. A server without ranges sends the object from its start."""
    try:
        file.seek(at)
    except (ValueError, NotImplementedError):
        while at > 0:
            data = file.read(min(at, _BLOCK))
            if not data:
                raise OSError("the connection ended early") from None
            at -= len(data)


class Ranges:
    """Byte ranges of the objects below an address."""

    def __init__(self, root: str):
        self._fs, self._path = _file_system(root)

    def __call__(self, file: str, start: int, length: int) -> bytes:
        """Returns `length` bytes from `start` on; fewer if the file ends before."""
        path = f"{self._path.rstrip('/')}/{file}"

        def check() -> None:
            self._fs.invalidate_cache()
            size = _repeated(lambda: self._fs.info(path), self._fs.invalidate_cache).get("size")
            if size is not None and start >= size:
                raise FileNotFoundError(f"{file} has only {size} bytes")

        return _repeated(lambda: self._fs.cat_file(path, start=start, end=start + length), check)


class RemoteFolder:
    """A folder of outputs in an object store. An object appears when its upload is complete."""

    def __init__(self, address: str):
        self.name = address.rstrip("/")
        self._fs, self._path = _file_system(self.name)
        self.scratch = Path(tempfile.gettempdir())

    def _repeated(self, call: Callable[[], _T]) -> _T:
        return _repeated(call, self._fs.invalidate_cache)

    def place(self, part: Path, name: str) -> None:
        """Uploads a local file."""
        self._repeated(lambda: self._fs.put_file(str(part), f"{self._path}/{name}"))

    def size(self, name: str) -> int:
        """Returns the size of an object in bytes."""
        return int(self._repeated(lambda: self._fs.info(f"{self._path}/{name}"))["size"])

    def text(self, name: str) -> str:
        """Returns the content of an object."""
        return self._repeated(lambda: self._fs.cat_file(f"{self._path}/{name}")).decode()

    def names(self) -> list[str]:
        """Returns the names of all objects."""
        self._fs.invalidate_cache()
        try:
            found = self._repeated(lambda: self._fs.ls(self._path, detail=False))
        except FileNotFoundError:
            return []
        return sorted(path.rsplit("/", 1)[-1] for path in found)

    def open(self, name: str) -> Any:
        """Opens an object for random access."""
        return self._fs.open(f"{self._path}/{name}", "rb")


class LocalFolder:
    """A folder of outputs on a disk, with the same methods. A file appears when it is complete."""

    def __init__(self, path: str | os.PathLike[str]):
        self.scratch = Path(path)
        if not self.scratch.is_dir():
            raise FileError(f"{self.scratch}: is not a folder; expected the existing folder of the Parquet files")

    def place(self, part: Path, name: str) -> None:
        """Moves a complete file to its name, after its bytes are on the disk."""
        with open(part, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(part, self.scratch / name)

    def size(self, name: str) -> int:
        """Returns the size of a file in bytes."""
        return (self.scratch / name).stat().st_size

    def text(self, name: str) -> str:
        """Returns the content of a file."""
        return (self.scratch / name).read_text(encoding="utf-8")

    def names(self) -> list[str]:
        """Returns the names of all files."""
        return sorted(path.name for path in self.scratch.iterdir())

    def open(self, name: str) -> Any:
        """Opens a file for random access."""
        return open(self.scratch / name, "rb")


def folder(out: str | os.PathLike[str]) -> LocalFolder | RemoteFolder:
    """Returns the folder of a path or an address. Raises `FileError` if there is no such local folder."""
    return RemoteFolder(str(out)) if is_address(out) else LocalFolder(out)
