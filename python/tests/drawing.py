"""Helpers for tests of `threshr-render`: a Chromium, calls of the program, and a server that counts connections."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import need

need("playwright", "psutil")

import psutil  # noqa: E402

from threshr.render._browser import Browser, Settings  # noqa: E402
from threshr.render._tab import Drawn, draw  # noqa: E402

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-headless-shell")
if CHROMIUM is None:
    pytest.skip("*** Chromium is not installed: threshr-render is NOT tested", allow_module_level=True)

IS_ROOT = os.geteuid() == 0
SETTINGS = Settings(CHROMIUM, 1280, 1024, 200, 60.0, network=False, sandbox=not IS_ROOT)
RENDER = [sys.executable, "-m", "threshr.render._program", *(["--no-sandbox"] if IS_ROOT else [])]


def render(*arguments: object, code: int = 0) -> str:
    """Runs the program, and returns its messages."""
    done = subprocess.run([*RENDER, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr


def threshr(*arguments: object) -> str:
    """Runs the program `threshr`, and returns its output."""
    call = [sys.executable, "-m", "threshr", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, timeout=300, check=True).stdout


def drawn(*pages: str | None, url: str | None = "http://a.example/b/", **settings: object) -> list[Drawn]:
    """Renders pages in one browser. If a page is None, the page at `url` is rendered."""

    async def work(folder: Path) -> list[Drawn]:
        changed = replace(SETTINGS, **settings)
        browser = await Browser.start(changed, folder)
        try:
            return [await draw(browser, changed, page, url) for page in pages]
        finally:
            await browser.close()

    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(work(Path(folder)))
        assert not os.listdir(folder), "the profile is removed"
        assert not chromiums(folder), "the browser is ended"
    return found


def chromiums(folder: str | Path) -> list[psutil.Process]:
    """Returns the processes that have a folder in their arguments."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            is_running = process.status() != psutil.STATUS_ZOMBIE
            if is_running and any(str(folder) in argument for argument in process.cmdline()):
                found.append(process)
    return found


class Server(http.server.ThreadingHTTPServer):
    """A server on this machine that counts connections."""

    def __init__(self) -> None:
        self.num = 0
        self.methods: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = self.server_address[1]

    def process_request(self, request, client_address) -> None:
        self.num += 1
        super().process_request(request, client_address)

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/{path}"


def _script(text: str, script: str) -> tuple[str, str]:
    return "text/html", f"<p>{text}<script>{script}</script>"


_ANSWERS = {
    "/page": ("text/html", "<link rel=stylesheet href=style.css><p>Fetched"),
    "/style.css": ("text/css", "p { font-size: 40px }"),
    "/pdf": ("application/pdf", "%PDF-1.4"),
    "/late": _script("Late", "setTimeout(() => location = 'none', 50)"),
    "/dead": _script("Dead", "setTimeout(() => location = 'http://dead.invalid/', 50)"),
    "/load": _script("Load", "setTimeout(() => location = 'pdf.zip', 50)"),
    "/pdf.zip": ("application/zip", "PK"),
    # for this method, the browser must first ask the other site for permission (CORS preflight)
    "/cross": _script(
        "Cross",
        "fetch(`http://localhost:${location.port}/page`, {method: 'DELETE'}).catch(() => document.body.append(' refused'))",
    ),
    "/away": _script("Before", "location = 'file:///etc/passwd'"),
}


class _Handler(http.server.BaseHTTPRequestHandler):
    def _answer(self) -> None:
        self.server.methods.append(f"{self.command} {self.path}")
        kind, body = _ANSWERS.get(self.path, ("", ""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body.encode())

    do_GET = do_POST = do_DELETE = do_OPTIONS = _answer

    def log_message(self, *_) -> None:
        """Prints nothing."""


@contextlib.contextmanager
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        running.shutdown()
        running.server_close()
