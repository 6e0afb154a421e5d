"""An S3 server on loopback (s3s-fs of crates.io), and a proxy before it that injects faults."""

from __future__ import annotations

import http.client
import os
import random
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
from conftest import ROOT

KEY, SECRET = "loopback", "loopback-secret"
_PIECE = 1 << 16


def program() -> str | None:
    """The server program: of the environment variable S3S_FS, of the search path, or as `.ci/nightly` installs it."""
    return os.environ.get("S3S_FS") or shutil.which("s3s-fs", path=f"{os.environ['PATH']}:{ROOT}/target/s3s/bin")


class Proxy(ThreadingHTTPServer):
    """Forwards requests, and fails some of them: with the status 503, with a connection that is cut inside the body, or after
    a pause. `faults` has the share of each kind; it may be changed at any time."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int, faults: dict[str, float], seed: int = 1):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream, self.faults = port, faults
        self.counts: Counter[str] = Counter()
        self.requests: list[tuple[str, str, str | None]] = []
        self._random, self._lock = random.Random(seed), threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def fault(self, method: str, path: str, byte_range: str | None) -> str | None:
        with self._lock:
            self.counts["requests"] += 1
            self.requests.append((method, path, byte_range))
            at = self._random.random()
            for kind, share in self.faults.items():
                if at < share:
                    self.counts[kind] += 1
                    return kind
                at -= share
        return None

    def handle_error(self, *_: object) -> None:
        """A client that was killed is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def _run(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault(self.command, self.path, self.headers.get("Range"))
        if fault == "503":
            text = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
            self.send_response(503)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else text)
            return
        if fault == "slow":
            time.sleep(0.5)
        if fault == "cut" and self.command != "GET":
            self._cut()
            return
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.upstream, timeout=60)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("expect", "connection"):
                upstream.putheader(name, value)
        upstream.endheaders(body or None)
        answer = upstream.getresponse()
        data = b"" if self.command == "HEAD" else answer.read()
        upstream.close()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else str(len(data))
        if length is not None:
            self.send_header("Content-Length", length)
        self.end_headers()
        if fault == "cut":
            self.wfile.write(data[: len(data) // 2])
            self._cut()
            return
        for start in range(0, len(data), _PIECE):
            self.wfile.write(data[start : start + _PIECE])

    def _cut(self) -> None:
        self.wfile.flush()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _run


@contextmanager
def server(root: Path) -> Iterator[int]:
    """Runs the S3 server, whose buckets are the folders in `root`. Yields its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program(), "--host", "127.0.0.1", "--port", str(port), "--access-key", KEY, "--secret-key", SECRET, root]
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def workers(driver: psutil.Process, engine: str) -> list[psutil.Process]:
    """The worker processes of an engine that extract."""
    found = []
    for process in driver.children(recursive=True):
        try:
            command = " ".join(process.cmdline())
            busy = process.cpu_times().user > 0.05
        except psutil.Error:
            continue
        is_ray = engine == "ray" and command.startswith("ray::extract")
        # A worker of Spark is a fork of its daemon.
        is_spark = engine == "spark" and "pyspark.daemon" in command and not process.children()
        if busy and (is_ray or is_spark):
            found.append(process)
    return found


def environment(port: int) -> dict[str, str]:
    """The environment variables with which s3fs finds the server."""
    return {
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
