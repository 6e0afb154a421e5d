"""Fixtures of all tests, such as the pages of the sample. Skipped tests print a message."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

# Workers of Spark use the same Python as the tests.
os.environ["PYSPARK_PYTHON"] = sys.executable

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "datasets" / "sample"
PAGES = sorted((SAMPLE / "pages").glob("*.html"))
RAIN = (
    b"<nav><a href=/>Home</a> <a href=/news>News</a></nav><article><h1>Rain</h1><p>It rained all day in the north of the "
    b"country, and some rivers rose by more than two metres, the police said.</p></article>"
)


def need(*modules: str) -> None:
    """Skips a test whose framework is not installed, and prints a message. With THRESHR_NEED_ALL=1, the test fails
    instead."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing and os.environ.get("THRESHR_NEED_ALL") == "1":
        pytest.fail(f"{missing[0]} is not installed")
    if missing:
        pytest.skip(f"*** {missing[0]} is not installed: its adapter is NOT tested", allow_module_level=True)


def others_run_during(work: Callable[[], None]) -> None:
    """Fails if other threads cannot run while a thread works."""
    count, done = 0, threading.Event()

    def run() -> None:
        work()
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
        assert thread.is_alive() or done.is_set(), "the work failed"
    thread.join()
    assert count > 20, "the interpreter lock is not released"


def warc_record(number: int, page: bytes, status: int = 200, kind: str = "text/html", headers: str = "") -> bytes:
    """Returns a record of a WARC file that contains a response."""
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{headers}Content-Length: {len(page)}\r\n\r\n"
    body = head.encode() + page
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
        f"WARC-Target-URI: https://a{number % 7}.org/{number}\r\nWARC-Date: 2026-11-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


@pytest.fixture(scope="session")
def pages() -> list[bytes]:
    """The pages of the sample."""
    return [path.read_bytes() for path in PAGES]


@pytest.fixture(scope="session")
def texts(pages: list[bytes]) -> list[str]:
    """The texts that the shipped model extracts from the pages of the sample."""
    import threshr

    extractor = threshr.Extractor()
    return [extractor.extract(page).text for page in pages]
