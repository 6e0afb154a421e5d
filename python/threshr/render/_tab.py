"""Opens a page in a browser and takes its snapshot."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import re
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple

from playwright.async_api import CDPSession, Dialog, Error, Page, Route

from threshr._errors import DataError, NotHtmlError, PageTimeoutError, TooLargeError
from threshr._threshr import SNAPSHOT_STYLES, page_of_snapshot, served_page
from threshr.render._browser import Browser, Settings

# The address at which pages are opened. The domain `invalid` never exists (RFC 2606).
_PLACE = "http://page.invalid/"

# Share of the time for a page after which it is rendered although it is still loading.
_LOADING = 0.6

# A page that starts to open another page, or itself, more often than this does so without end.
_MAX_NAVIGATIONS = 20

_MAX_SNAPSHOT = 96 << 20
_MAX_NODES = 400_000
_MAX_SHOWN = 100

# Counts nodes and characters, so that no snapshot is taken of a page that is too large. It runs in an isolated world,
# which scripts of the page cannot change.
_COUNT = """(() => {
    const todo = [document];
    let nodes = 0, chars = 0;
    while (todo.length) {
        const walker = document.createTreeWalker(todo.pop());
        for (let node = walker.currentNode; node; node = walker.nextNode()) {
            nodes += 1;
            chars += (node.nodeValue || '').length;
            for (const attribute of node.attributes || []) chars += attribute.value.length;
            const inner = node.shadowRoot || node.contentDocument;
            if (inner) todo.push(inner);
            if (nodes > MAX_NODES || chars > MAX_CHARS) return [nodes, chars];
        }
    }
    return [nodes, chars];
})()""".replace("MAX_NODES", str(_MAX_NODES)).replace("MAX_CHARS", str(_MAX_SNAPSHOT))


class Drawn(NamedTuple):
    """A rendered page."""

    html: bytes
    """The HTML of the page after its scripts have run."""
    geometry: bytes
    """The geometry file of the page."""
    num_elements: int
    """Number of elements with geometry."""
    num_lost: int
    """Number of elements in which the HTML differs from the rendered page."""
    size: tuple[float, float]
    """Width and height of the page in CSS pixels."""
    url: str | None
    """The address of the page, after redirections."""
    is_incomplete: bool
    """Whether the page was still loading when it was rendered."""


async def draw(browser: Browser, settings: Settings, html: str | None, url: str | None) -> Drawn:
    """Renders a page, or fetches the page at an address if `html` is None.

    Raises an error if the page cannot be opened, takes too long or is too large, or if its HTML does not match its geometry.
    """
    crashed = asyncio.get_running_loop().create_future()
    end = time.monotonic() + settings.timeout
    work = asyncio.ensure_future(_draw(browser, settings, html, url, end, crashed))
    try:
        await asyncio.wait({work, crashed}, timeout=settings.timeout, return_when=asyncio.FIRST_COMPLETED)
        if crashed.done():
            raise TooLargeError("the page has crashed in Chromium")
        if not work.done():
            raise PageTimeoutError("Chromium does not answer in time")
        return work.result()
    except Error as error:
        raise DataError(f"Chromium fails: {error.message.splitlines()[0]}") from error
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _draw(
    browser: Browser,
    settings: Settings,
    html: str | None,
    url: str | None,
    end: float,
    crashed: asyncio.Future[None],
) -> Drawn:
    served = None
    if html is not None:
        served, url = await asyncio.to_thread(served_page, html, url, end - time.monotonic())
    context = await browser.new_context()
    context.on("dialog", _dismiss)
    if not settings.network:
        # this also blocks requests of workers, windows and frames of other sites, which the tab does not receive
        await context.route("**/*", _refuse)
    page = await context.new_page()

    def on_crash(_: Page) -> None:
        if not crashed.done():
            crashed.set_result(None)

    page.on("crash", on_crash)
    session = await context.new_cdp_session(page)
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    tab = _Tab(session, frame, served, settings.network)
    await tab.prepare(settings.width, settings.height)
    opened = await session.send("Page.navigate", {"url": _PLACE if served is not None else url})
    if "errorText" in opened:
        raise DataError(f"the page cannot be opened: {opened['errorText']}")
    is_incomplete = not await tab.is_loaded_within(settings.timeout * _LOADING)
    tab.check_answer()
    await asyncio.sleep(settings.wait / 1000)
    await tab.freeze()
    snapshot = await tab.snapshot()
    await context.close()
    # Scripts may have opened another page in the meantime.
    tab.check_answer()
    shown = snapshot["strings"][snapshot["documents"][0]["documentURL"]]
    _check_address(shown, served is not None)
    address = shown if served is None else url
    written = await asyncio.to_thread(_written, snapshot, address, end)
    return Drawn(*written, address, is_incomplete)


def _written(
    snapshot: dict[str, Any], address: str | None, end: float
) -> tuple[bytes, bytes, int, int, tuple[float, float]]:
    text = json.dumps(snapshot, ensure_ascii=False, separators=(",", ":"))
    # Scripts can create unpaired surrogates, which cannot be encoded in UTF-8.
    content = re.sub("[\ud800-\udfff]", "\ufffd", text).encode()
    if len(content) > _MAX_SNAPSHOT:
        raise _too_large()
    return page_of_snapshot(content, address, end - time.monotonic())


def _too_large() -> TooLargeError:
    return TooLargeError(f"the snapshot of the page is larger than {_MAX_SNAPSHOT >> 20} MB")


async def _dismiss(dialog: Dialog) -> None:
    # This fails only for closed pages.
    with contextlib.suppress(Error):
        await dialog.dismiss()


async def _refuse(route: Route) -> None:
    with contextlib.suppress(Error):
        if route.request.url == _PLACE and route.request.is_navigation_request():
            # the tab answers this request
            await route.fallback()
        else:
            await route.abort("aborted")


def _is_web(address: str) -> bool:
    return address.lower().startswith(("http://", "https://"))


def _check_address(shown: str, is_served: bool) -> None:
    """Rejects a document with which a script replaced the page. The address of a served page always begins with `_PLACE`,
    even after changes of the history."""
    if shown.startswith(_PLACE) if is_served else _is_web(shown):
        return
    if shown.startswith("chrome-error:"):
        raise DataError("a script of the page has opened an address that cannot be reached")
    raise DataError(f"a script of the page has opened another page, `{shown[:_MAX_SHOWN]}`")


@dataclass
class _Answer:
    """A response with a document."""

    loader: str
    status: int
    kind: str


class _Tab:
    """Events of a page while it is rendered."""

    def __init__(self, session: CDPSession, frame: str, served: str | None, network: bool) -> None:
        self._session = session
        self._frame = frame
        # the page is served once
        self._body = None if served is None else base64.b64encode(served.encode()).decode()
        self._is_served = served is not None
        self._network = network
        self._is_open = False
        self._num_navigations = 0
        self._loaded = asyncio.Event()
        # loader id of the shown document, last response with a document, and response of the shown document
        self._loader: str | None = None
        self._answer: _Answer | None = None
        self._shown: _Answer | None = None
        self._replies: set[asyncio.Task[None]] = set()

    async def prepare(self, width: int, height: int) -> None:
        """Makes the calls before a page is opened."""
        self._session.on("Fetch.requestPaused", self._on_request)
        self._session.on("Page.frameNavigated", self._on_navigated)
        self._session.on("Page.loadEventFired", self._on_loaded)
        self._session.on("Page.frameStoppedLoading", self._on_stopped)
        self._session.on("Page.frameRequestedNavigation", self._on_navigation)
        self._session.on("Network.responseReceived", self._on_response)
        features = [
            {"name": "prefers-reduced-motion", "value": "reduce"},
            {"name": "prefers-color-scheme", "value": "light"},
        ]
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self._session.send("Page.enable")
        await self._session.send("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        await self._session.send("Emulation.setDeviceMetricsOverride", screen)
        await self._session.send("Emulation.setEmulatedMedia", {"media": "screen", "features": features})

    async def is_loaded_within(self, seconds: float) -> bool:
        """Waits until the page is loaded. After `seconds` loading is stopped."""
        try:
            await asyncio.wait_for(self._loaded.wait(), seconds)
        except asyncio.TimeoutError:
            await self._session.send("Page.stopLoading")
            return False
        return True

    async def freeze(self) -> None:
        """Stops the scripts of the page, so that the page can be rendered even if they change or reload it endlessly."""
        await self._session.send("Emulation.setScriptExecutionDisabled", {"value": True})

    async def snapshot(self) -> dict[str, Any]:
        """Returns the result of `DOMSnapshot.captureSnapshot`."""
        world = await self._session.send("Page.createIsolatedWorld", {"frameId": self._frame})
        question = {"expression": _COUNT, "contextId": world["executionContextId"], "returnByValue": True}
        counts = (await self._session.send("Runtime.evaluate", question))["result"]
        # A document that closes in the meantime returns no numbers and no snapshot.
        nodes, chars = counts.get("value", (0, 0))
        if nodes > _MAX_NODES:
            raise TooLargeError(f"the rendered page has more than {_MAX_NODES} nodes")
        if chars > _MAX_SNAPSHOT:
            raise _too_large()
        # Content of closed shadow trees, and of nodes outside every tree.
        if (await self._session.send("Memory.getDOMCounters"))["nodes"] > 2 * _MAX_NODES:
            raise TooLargeError(f"the page has more than {2 * _MAX_NODES} nodes in memory")
        wanted = {"computedStyles": SNAPSHOT_STYLES, "includePaintOrder": True, "includeDOMRects": True}
        return await self._session.send("DOMSnapshot.captureSnapshot", wanted)

    def check_answer(self) -> None:
        """Rejects a shown document whose response is not a page."""
        if self._shown is None:
            return
        if self._shown.status >= 400:
            raise DataError(f"the server answers with status {self._shown.status}")
        if self._shown.kind not in ("text/html", "application/xhtml+xml"):
            raise NotHtmlError(f"the answer is of type `{self._shown.kind}`; expected text/html")

    def _on_request(self, event: dict[str, Any]) -> None:
        """Serves the page, lets a request through, or refuses it."""
        address = event["request"]["url"]
        is_page = event.get("frameId") == self._frame and event["resourceType"] == "Document"
        reply: dict[str, Any] = {"requestId": event["requestId"]}
        if is_page and address == _PLACE and self._body is not None:
            headers = [{"name": "Content-Type", "value": "text/html; charset=utf-8"}]
            reply |= {"responseCode": 200, "responseHeaders": headers, "body": self._body}
            self._body = None
            self._reply("Fetch.fulfillRequest", reply)
            return
        # a page that is served is not replaced by another one
        is_replaced = is_page and self._is_served
        if self._network and not is_replaced and address.lower().startswith(("http:", "https:", "data:", "blob:")):
            self._reply("Fetch.continueRequest", reply)
        else:
            # After an aborted document, the previous document stays.
            self._reply("Fetch.failRequest", reply | {"errorReason": "Aborted"})

    def _reply(self, method: str, reply: dict[str, Any]) -> None:
        task = asyncio.ensure_future(_quietly(self._session.send(method, reply)))
        self._replies.add(task)
        task.add_done_callback(self._replies.discard)

    def _on_navigated(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self._frame:
            self._is_open |= event["frame"]["url"] != "about:blank"
            self._loader = event["frame"]["loaderId"]
            self._match_answer()

    def _on_loaded(self, _: dict[str, Any]) -> None:
        if self._is_open:
            self._loaded.set()

    def _on_stopped(self, event: dict[str, Any]) -> None:
        # this also happens without a load event, if a script tries to open another page and the request is refused
        if self._is_open and event["frameId"] == self._frame:
            self._loaded.set()

    def _on_navigation(self, event: dict[str, Any]) -> None:
        # Each call of Chromium waits for the navigations before it, so the page is rendered before there are too many.
        if self._is_open and event["frameId"] == self._frame:
            self._num_navigations += 1
            if self._num_navigations > _MAX_NAVIGATIONS:
                self._loaded.set()

    def _on_response(self, event: dict[str, Any]) -> None:
        if event["type"] == "Document" and event.get("frameId") == self._frame:
            response = event["response"]
            self._answer = _Answer(event["loaderId"], response["status"], response["mimeType"])
            self._match_answer()

    def _match_answer(self) -> None:
        """Stores the last response if the shown document was created from it. Responses to downloads and to pages that do
        not open are not stored."""
        if self._answer is not None and self._answer.loader == self._loader:
            self._shown = self._answer


async def _quietly(call: Coroutine[Any, Any, Any]) -> None:
    # a request ends when its page is closed
    with contextlib.suppress(Error):
        await call
