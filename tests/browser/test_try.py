"""The page of the documentation on which anyone can try threshr, served as files.

THRESHR_SITE is the built site; default target/site/out. Without the site or its engine, the tests are skipped.
"""

import functools
import http.server
import json
import os
import pathlib
import threading

import pytest
from application import until
from conftest import ROOT
from test_security import ATTACKS, TEXT

SITE = pathlib.Path(os.environ.get("THRESHR_SITE", ROOT / "target/site/out"))
PAGES = ROOT / "datasets/sample/pages"

if not (SITE / "try/threshr/threshr.wasm").is_file():
    pytest.skip(f"{SITE} is not a site with the engine: docs/build {SITE}", allow_module_level=True)


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Prints nothing."""


@pytest.fixture(scope="module")
def site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def requests(page):
    """The addresses of all requests of the window."""
    found = []
    page.context.on("request", lambda request: found.append(request.url))
    return found


@pytest.fixture
def window(page, site):
    """The window with the first sample."""
    page.set_default_timeout(60_000)
    page.goto(f"{site}/try/")
    page.wait_for_selector("body[data-ready]")
    return page


def count(window):
    """How many results were shown."""
    return int(window.get_attribute("body", "data-ready"))


def after(window, action):
    """Runs an action and waits until its result is shown."""
    before = count(window)
    action()
    until(window, f"Number(document.body.dataset.ready) > {before}", 60)


def open_file(window, name, content):
    buffer = content if isinstance(content, bytes) else content.encode()
    file = {"name": name, "mimeType": "text/html", "buffer": buffer}
    after(window, lambda: window.set_input_files("#file", file))


def text(window):
    return window.eval_on_selector("#output", "node => node.textContent")


def kept(window):
    return window.eval_on_selector_all("#block-list li", "rows => rows.map(row => row.dataset.l)").count("content")


def test_pages_give_the_text_of_the_program(window):
    lines = (ROOT / "tests/golden/default.jsonl").read_text(encoding="utf-8").splitlines()
    assert text(window).startswith("**Thinking about packing up")
    window.select_option("#format", "text")
    for record in map(json.loads, lines[::6]):
        open_file(window, "page.html", (PAGES / f"{record['id']}.html").read_bytes())
        assert text(window) == record["text"], record["id"]


def test_the_threshold_and_the_policy_change_the_page(window):
    before, marks = text(window), ".frame iframe"
    threshold = window.input_value("#threshold")
    after(window, lambda: window.fill("#threshold", "0"))
    assert kept(window) > 0 and len(text(window)) > len(before)
    after(window, lambda: window.fill("#threshold", "1"))
    assert text(window) == "" and kept(window) == 0
    frame = window.query_selector(marks).content_frame()
    assert frame.query_selector_all("t-b[data-l=boilerplate]") and not frame.query_selector_all("t-b[data-l=content]")
    after(window, lambda: window.click("#reset"))
    assert text(window) == before and window.input_value("#threshold") == threshold
    window.click("#more summary")
    after(window, lambda: window.check("#properties input[value=title]"))
    assert text(window) != before
    after(window, lambda: window.select_option("#policy", "article"))
    assert not window.is_checked("#properties input[value=title]")
    after(window, lambda: window.select_option("#model", "tiny"))
    assert text(window)


def test_keys_select_blocks_and_show_why(window):
    window.keyboard.press("j")
    window.keyboard.press("j")
    window.keyboard.press("3")
    until(window, "document.querySelectorAll('#why-panel table tr').length > 5", 30)
    why = window.inner_text("#why-panel")
    assert "decision value" in why and "left out: the score is below the threshold" in why
    assert window.query_selector("#block-list li.active").get_attribute("data-b") == "1"
    before = window.input_value("#threshold")
    after(window, lambda: window.keyboard.press("+"))
    assert float(window.input_value("#threshold")) > float(before)
    window.keyboard.press("4")
    assert "html" in window.inner_text("#page-panel table.metadata") and "page type" in window.inner_text("#page-panel")
    after(window, lambda: window.keyboard.press("n"))
    window.keyboard.press("?")
    assert window.is_visible("#help-body")


def test_a_click_in_the_page_selects_its_block(window):
    place = window.query_selector(".frame").bounding_box()
    window.mouse.click(place["x"] + place["width"] / 2, place["y"] + 200)
    for y in range(60, 500, 40):
        if window.query_selector("#block-list li.active"):
            break
        window.mouse.click(place["x"] + place["width"] / 2, place["y"] + y)
    block = window.query_selector("#block-list li.active").get_attribute("data-b")
    frame = window.query_selector(".frame iframe").content_frame()
    assert frame.query_selector(f"t-b[data-b='{block}'][data-s]")


def test_html_is_pasted_and_files_are_dropped(window):
    html = f"<title>Rain</title><h1>Rain</h1>{TEXT}<p>The river rose over the bridge. <a href=map>The map</a> shows other ways to town."
    window.keyboard.press("p")
    window.fill("#paste-html", html)
    window.fill("#paste-url", "https://example.org/news/")
    after(window, lambda: window.click("#paste-form button"))
    assert "[The map](https://example.org/news/map)" in text(window)
    assert window.inner_text("#page-title") == "Rain"
    drop = """html => {
        const data = new DataTransfer();
        data.items.add(new File([html], "dropped.html", { type: "text/html" }));
        for (const type of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    after(window, lambda: window.evaluate(drop, html.replace("Rain", "Snow")))
    assert window.inner_text("#page-title") == "Snow" and window.is_hidden("#drop")
    paste = """html => {
        const data = new DataTransfer();
        data.setData("text/plain", html);
        document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
    }"""
    after(window, lambda: window.evaluate(paste, html.replace("Rain", "Hail")))
    assert window.inner_text("#page-title") == "Hail"


def test_what_is_no_page_is_an_error_and_the_next_page_works(window):
    window.set_input_files("#file", {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7 \x00\x01"})
    window.wait_for_selector("#banner:not([hidden])")
    assert window.inner_text("#banner").startswith("a.pdf: ") and "PDF" in window.inner_text("#banner")
    open_file(window, "b.html", TEXT)
    assert window.is_hidden("#banner") and "which is long enough" in window.inner_text("#block-list") + text(window)


def test_an_extraction_can_be_stopped(window):
    parts = "".join(f"<p>Paragraph {i} has a few words of its own.</p>" for i in range(250_000))
    window.set_input_files("#file", {"name": "long.html", "mimeType": "text/html", "buffer": parts.encode()})
    window.wait_for_selector("#stop:not([hidden])")
    window.click("#stop")
    window.wait_for_selector("#banner:not([hidden])")
    assert window.inner_text("#banner") == "long.html: stopped"
    open_file(window, "short.html", TEXT)
    assert window.is_hidden("#banner")


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_page_can_do_nothing(window, canary, attack):
    open_file(window, "hostile.html", "<!DOCTYPE html>" + (TEXT + ATTACKS[attack]).replace("CANARY", canary.address) + TEXT)
    frame = window.query_selector(".frame iframe")
    assert frame.get_attribute("sandbox") == "allow-same-origin"
    # raw, with the sandbox and the policy alone
    raw = "<!DOCTYPE html><p><t-b data-b=0>block</t-b></p>" + ATTACKS[attack].replace("CANARY", canary.address)
    frame.evaluate("(node, html) => node.src = URL.createObjectURL(new Blob([html], { type: 'text/html' }))", raw)
    window.wait_for_timeout(300)
    assert window.evaluate("window.pwned") is None and window.title().endswith("threshr")
    assert canary.hits == []


def test_it_works_without_a_network(window, requests):
    after(window, lambda: window.select_option("#model", "tiny"))
    requests.clear()
    window.context.set_offline(True)
    open_file(window, "page.html", (PAGES / "4565.html").read_bytes())
    assert "tiny house" in text(window)
    assert [address for address in requests if not address.startswith("blob:")] == []


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_all_controls_are_in_the_window(window, width):
    window.set_viewport_size({"width": width, "height": 800})
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    for control in ["#open", "#paste", "#sample", "#policy", "#threshold", "#model", "#tab-units", "#copy", "#output", ".frame"]:
        box = window.query_selector(control).bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= 801, (control, box)
    assert window.query_selector("#output").bounding_box()["height"] > 150
    assert window.query_selector(".frame").bounding_box()["height"] > 150


def test_the_documentation_is_searched(page, site, requests):
    page.goto(site)
    assert page.inner_text("main h1") == "threshr"
    page.keyboard.press("/")
    page.keyboard.type("doubtful block")
    page.wait_for_selector("#mdbook-searchresults li")
    assert "annotate" in page.eval_on_selector("#mdbook-searchresults", "node => node.innerHTML")
    assert [address for address in requests if not address.startswith((site, "data:"))] == []
