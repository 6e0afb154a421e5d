"""The npm package in Chromium: in a page and in a worker, with the policy that the guide names.

THRESHR_PACKAGE is the built package; default target/npm/threshr.
"""

import functools
import http.server
import json
import os
import pathlib
import shutil
import threading

import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[5]
PACKAGE = pathlib.Path(os.environ.get("THRESHR_PACKAGE", ROOT / "target/npm/threshr")).resolve()
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'"
WORKER = """
import { load } from "/threshr/index.js";
const ready = load();
onmessage = async ({ data }) => postMessage((await ready).extract(data, { parts: [] }).text);
"""


class Site(http.server.BaseHTTPRequestHandler):
    """The package, the pages of the sample, an empty page and a worker."""

    def do_GET(self):
        name = self.path.lstrip("/")
        if name == "":
            body, kind = b"<!doctype html><title>A site</title>", "text/html"
        elif name == "worker.js":
            body, kind = WORKER.encode(), "text/javascript"
        elif name.startswith("pages/"):
            body, kind = (ROOT / "datasets/sample" / name).read_bytes(), "application/octet-stream"
        else:
            path = PACKAGE / name.removeprefix("threshr/")
            if not path.is_file():
                self.send_error(404)
                return
            kinds = {".js": "text/javascript", ".wasm": "application/wasm"}
            body, kind = path.read_bytes(), kinds.get(path.suffix, "application/octet-stream")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.fixture(scope="module")
def page(address):
    assert CHROMIUM, "no chromium is installed; set CHROMIUM"
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        tab = browser.new_page()
        tab.set_default_timeout(120_000)
        tab.goto(address)
        yield tab
        browser.close()


@functools.cache
def golden():
    lines = (ROOT / "tests/golden/default.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 42
    return {record["id"]: record["text"] for record in records}


def test_a_page_gives_the_text_of_the_program(page):
    texts = page.evaluate(
        """async (ids) => {
            const { load } = await import("/threshr/index.js");
            const extractor = await load();
            const text = async (id) =>
                extractor.extract(await (await fetch(`/pages/${id}.html`)).arrayBuffer(), { parts: [] }).text;
            return Promise.all(ids.map(text));
        }""",
        list(golden()),
    )
    assert dict(zip(golden(), texts)) == golden()


def test_a_worker_gives_the_text_of_the_program(page):
    texts = page.evaluate(
        """async (ids) => {
            const worker = new Worker("/worker.js", { type: "module" });
            const texts = [];
            for (const id of ids) {
                const bytes = await (await fetch(`/pages/${id}.html`)).arrayBuffer();
                texts.push(await new Promise((resolve, reject) => {
                    worker.onmessage = ({ data }) => resolve(data);
                    worker.onerror = (event) => reject(new Error(event.message ?? "the worker failed"));
                    worker.postMessage(bytes, [bytes]);
                }));
            }
            worker.terminate();
            return texts;
        }""",
        list(golden()),
    )
    assert dict(zip(golden(), texts)) == golden()


def test_failures_are_error_objects_and_the_page_goes_on(page):
    found = page.evaluate(
        """async () => {
            const { load, ThreshrError } = await import("/threshr/index.js");
            const { initSync } = await import("/threshr/threshr.js");
            const extractor = await load({ model: "tiny" });
            const kind = (html) => {
                try { return extractor.extract(html).text; }
                catch (error) { return error instanceof ThreshrError ? error.kind : String(error); }
            };
            const html = "<h1>Rain</h1><p>It rained all day in the town, and nobody went out of the house.";
            const before = kind(html);
            const pdf = kind("%PDF-1.7 x");
            const { memory } = initSync();
            // no memory is left, so that the next allocation is a trap
            memory.grow(65536 - memory.buffer.byteLength / 65536);
            const trap = kind(html + " ".repeat(1 << 24));
            return { before, pdf, trap, after: kind(html) };
        }"""
    )
    assert "rained" in found["before"] and found["after"] == found["before"]
    assert (found["pdf"], found["trap"]) == ("NotHtml", "Internal")


def test_a_missing_file_is_an_error_and_the_next_call_tries_again(page, address):
    tab = page.context.browser.new_page()
    tab.goto(address)
    message, text = tab.evaluate(
        """async () => {
            const { load } = await import("/threshr/index.js");
            let message;
            try { await load({ wasm: new URL("/missing.wasm", location) }); } catch (error) { message = error.message; }
            const extractor = await load({ model: "tiny" });
            return [message, extractor.extract("<p>It rained all day in the town, and nobody went out.").text];
        }"""
    )
    assert "missing.wasm cannot be read: status 404" in message
    assert "rained" in text
