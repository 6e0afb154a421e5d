"""A run of `threshr-render`: from the arguments to the report."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from threshr._errors import Error, OptionError
from threshr._threshr import RenderInputs, RenderPage
from threshr.render._browser import Browser, Settings, find, work_folder
from threshr.render._folder import Folder, Row, check_place
from threshr.render._tab import draw

_MAX_JOBS = 1024
_INTERRUPTED = 130


def run(arguments: argparse.Namespace) -> int:
    """Renders the pages of the inputs and returns the exit code."""
    try:
        settings = _settings(arguments)
        inputs = RenderInputs(arguments.inputs)
        files = [Path(path) for path in arguments.inputs if not _is_address(path)]
        check_place(arguments.out, files, inputs.folders, arguments.force)
        return asyncio.run(_until_signal(arguments, settings, inputs))
    except Error as error:
        _print_error(str(error))
        return 2


def _is_address(argument: str) -> bool:
    return argument.lower().startswith(("http://", "https://"))


def _settings(arguments: argparse.Namespace) -> Settings:
    """Checks the options."""
    width, height, wait, timeout = arguments.width, arguments.height, arguments.wait, arguments.timeout
    if not 1 <= width <= 20_000 or not 1 <= height <= 20_000:
        raise OptionError(f"the window has {width} x {height} pixels; expected --width and --height from 1 to 20000")
    if not 1.0 <= timeout <= 3600.0:
        raise OptionError(f"--timeout is {timeout:g}; expected 1 to 3600 seconds")
    if not 0 <= wait < 400 * timeout:
        raise OptionError(f"--wait is {wait} ms; expected less than 40 % of --timeout")
    if arguments.jobs is not None and not 1 <= arguments.jobs <= _MAX_JOBS:
        raise OptionError(f"--jobs is {arguments.jobs}; expected 1 to {_MAX_JOBS}")
    num_web = sum(map(_is_address, arguments.inputs))
    # Files are rendered without the network, and addresses with it. A folder has only one of these settings.
    if 0 < num_web < len(arguments.inputs) and not arguments.network:
        raise OptionError(
            "addresses use the network and files do not; expected addresses alone, files alone, or --network for both"
        )
    chromium = find(arguments.chromium)
    if os.geteuid() == 0 and not arguments.no_sandbox:
        raise OptionError(
            "Chromium has no sandbox for the user root; expected another user, or --no-sandbox to run it without"
        )
    network = arguments.network or num_web > 0
    return Settings(chromium, width, height, wait, timeout, network, not arguments.no_sandbox)


async def _until_signal(arguments: argparse.Namespace, settings: Settings, inputs: RenderInputs) -> int:
    work = asyncio.ensure_future(_Run(arguments, settings, inputs).draw_all())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, work.cancel)
    try:
        return await work
    except asyncio.CancelledError:
        if not arguments.quiet:
            how = "without --force " if arguments.force else ""
            _print_error(f"rendered pages are in {arguments.out}; repeat the command {how}to render the others")
        # Browsers have ended and temporary files are removed. A thread may still wait for input, so the process must exit.
        os._exit(_INTERRUPTED)


class _Run:
    """A run: reads pages from the inputs, renders them in browsers, and writes them to the folder."""

    def __init__(self, arguments: argparse.Namespace, settings: Settings, inputs: RenderInputs) -> None:
        self._out: Path = arguments.out
        self._is_forced: bool = arguments.force
        self._is_quiet: bool = arguments.quiet
        self._settings = settings
        self._inputs = inputs
        num_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        most = _MAX_JOBS if inputs.num is None else max(inputs.num, 1)
        self._num_jobs = min(arguments.jobs or num_cores, most)
        self._is_over = False
        self._num_read = 0
        self._reading = asyncio.Lock()
        self._rows: dict[int, Row] = {}

    async def draw_all(self) -> int:
        """Renders all pages, and returns the exit code."""
        self._remark_left_out()
        with work_folder() as work, Folder.open(self._out, self._settings, self._inputs.policy, self._is_forced) as folder:
            workers = [asyncio.ensure_future(self._work(folder, work)) for _ in range(self._num_jobs)]
            # a signal cancels the workers; they end their browsers first
            ended = await asyncio.gather(*workers, return_exceptions=True)
            self._show_progress(is_over=True)
            rows = [self._rows[number] for number in sorted(self._rows)]
            # This also happens after an error, so that the rendered pages can be used.
            folder.finish(rows)
            for error in ended:
                if isinstance(error, BaseException):
                    raise error
        self._report(rows)
        return 2 if any(row.state == "failed" for row in rows) else 0

    async def _work(self, folder: Folder, work: Path) -> None:
        """Renders pages one after the other. An error of writing, or of starting Chromium, ends the run."""
        browser: Browser | None = None
        try:
            while (next_page := await self._next_page()) is not None:
                number, page = next_page
                row = self._known(folder, page)
                if row is None:
                    if browser is None:
                        browser = await Browser.start(self._settings, work)
                    row = await self._drawn(folder, page, browser)
                    if row.state == "failed":
                        # Processes that such a page left running must not affect the next page.
                        await browser.close()
                        browser = None
                self._rows[number] = row
                self._show_progress()
        except BaseException:
            self._is_over = True
            raise
        finally:
            if browser is not None:
                await browser.close()

    async def _next_page(self) -> tuple[int, RenderPage] | None:
        async with self._reading:
            if self._is_over:
                return None
            page = await asyncio.to_thread(next, self._inputs, None)
            self._num_read += 1
            return None if page is None else (self._num_read, page)

    def _known(self, folder: Folder, page: RenderPage) -> Row | None:
        """The row of a page that is already in the folder or cannot be rendered."""
        if page.error is not None:
            folder.remove(page)
            return self._failed(page, page.error)
        if page.defect is not None:
            self._remark(f"warning: {page.defect}")
        try:
            # An existing file of another page is kept.
            return Row(page, "skipped", page.url) if folder.has(page, _source(page)) else None
        except Error as error:
            return self._failed(page, f"page {page.id}: {error}", page.url)

    async def _drawn(self, folder: Folder, page: RenderPage, browser: Browser) -> Row:
        try:
            drawn = await draw(browser, self._settings, page.html, page.url)
        except Exception as error:  # the driver raises exceptions of many kinds
            folder.remove(page)
            what = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
            return self._failed(page, f"page {page.id}: {what}")
        folder.write(page, _source(page), drawn)
        return Row(page, "still loading" if drawn.is_incomplete else "drawn", drawn.url, drawn)

    def _failed(self, page: RenderPage, error: str, url: str | None = None) -> Row:
        self._clear_progress()
        _print_error(error)
        return Row(page, "failed", url, error=error)

    def _remark(self, text: str) -> None:
        if not self._is_quiet:
            self._clear_progress()
            _print_error(text)

    def _remark_left_out(self) -> None:
        left_out, skipped = self._inputs.left_out, self._inputs.skipped
        if left_out:
            more = f" and {len(left_out) - 1} more" if len(left_out) > 1 else ""
            self._remark(f"{left_out[0]}{more} not read; to read such a file, pass its own path")
        if skipped:
            kinds = ", ".join(f"{num} {extension or 'without an extension'}" for extension, num in sorted(skipped.items())[:5])
            more = ", …" if len(skipped) > 5 else ""
            self._remark(f"{sum(skipped.values())} files in folders are not pages: {kinds}{more}")

    def _has_progress(self) -> bool:
        return not self._is_quiet and sys.stderr.isatty()

    def _show_progress(self, is_over: bool = False) -> None:
        if self._has_progress():
            of = "" if self._inputs.num is None else f" of {self._inputs.num}"
            text = "" if is_over else f"rendering: {len(self._rows)}{of}"
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()

    def _clear_progress(self) -> None:
        self._show_progress(is_over=True)

    def _report(self, rows: Sequence[Row]) -> None:
        """Prints the numbers of rendered, skipped and failed pages."""
        states = [row.state for row in rows]
        num_failed, num_skipped, num_incomplete = map(states.count, ("failed", "skipped", "still loading"))
        num_drawn = len(rows) - num_failed - num_skipped
        self._remark(f"{_pages(num_drawn, 'is', 'are')} rendered in {self._out}")
        if num_skipped:
            self._remark(_pages(num_skipped, "already exists and is skipped", "already exist and are skipped"))
        if num_incomplete:
            one, many = "was still loading when it was rendered", "were still loading when they were rendered"
            self._remark(_pages(num_incomplete, one, many))
        if num_failed:
            self._remark(f"{num_failed} of {len(rows)} pages failed; {self._out}/render.csv names them")


def _source(page: RenderPage) -> str:
    """Identifies a page and its content: its address, or the hash of its HTML and of the address to which its links are
    relative."""
    if page.html is None:
        return page.url or ""
    return "sha256:" + hashlib.sha256(f"{page.url or ''}\n{page.html}".encode()).hexdigest()


def _pages(num: int, one: str, many: str) -> str:
    return f"1 page {one}" if num == 1 else f"{num} pages {many}"


def _print_error(text: str) -> None:
    sys.stderr.write(f"threshr-render: {text}\n")
