"""Starts threshr, a browser and a canary for the tests of the application in the browser."""

import contextlib
import http.server
import os
import pathlib
import shutil
import subprocess
import threading

import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
THRESHR = os.environ.get("THRESHR", str(ROOT / "target/debug/threshr"))
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


class Application:
    """A running `threshr annotate` or `threshr inspect`."""

    def __init__(self, *args):
        command = [THRESHR, *map(str, args), "--no-open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address
        self.origin, self.token = self.address.split("/#")
        self.port = int(self.origin.rsplit(":", 1)[1])

    def kill(self):
        """Ends the application like `kill -9`."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def start():
    """Starts applications, and ends them after the test."""
    running = []

    def run(*args):
        running.append(Application(*args))
        return running[-1]

    yield run
    for application in running:
        application.kill()


@pytest.fixture(scope="session")
def browser():
    assert CHROMIUM, "no chromium is installed; set CHROMIUM"
    with sync_playwright() as playwright:
        # Chromium protects this machine, on which the canary runs, from pages. The protection is disabled, because the
        # policy of the frame must suffice without it.
        features = "LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights"
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--disable-features={features}"]
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """A window. Errors of the application fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    window = context.new_page()
    window.set_default_timeout(15_000)
    errors = []
    window.on("pageerror", lambda error: errors.append(str(error)))
    yield window
    context.close()
    assert not errors, errors


class Canary(http.server.ThreadingHTTPServer):
    """A server that no page in a frame may reach."""

    def __init__(self):
        self.hits = []
        self.connections = []
        self.bodies = {}
        super().__init__(("127.0.0.1", 0), CanaryHandler)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"

    def process_request(self, request, client_address):
        self.connections.append(client_address)
        super().process_request(request, client_address)


class CanaryHandler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        if self.path not in self.server.bodies and self.path != "/favicon.ico":
            self.server.hits.append(f"{self.command} {self.path}")
        body = self.server.bodies.get(self.path, "").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    do_GET = do_POST = do_HEAD = do_OPTIONS = answer

    def log_message(self, *_):
        """Prints nothing."""


@pytest.fixture
def canary():
    server = Canary()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
