"""A running Chromium and its Playwright driver."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright import async_api

from threshr._errors import DataError, OptionError

# Names of the program, tried in this order in the folders of $PATH. The headless shell has no windows, and needs half as
# much time per page as the full browser.
_NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
)
_PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)

# These switches avoid windows and ignore the settings of the user's browser. They make the rendering as equal as possible
# on all machines. They start no spare processes, which would take a fifth of the time per page.
_SWITCHES = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-gpu",
    "--disable-notifications",
    "--disable-sync",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,BackForwardCache,PaintHolding,"
    "PreloadTopChromeWebUI,SpareRendererForSitePerProcess",
    "--deny-permission-prompts",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--lang=en-US",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--no-startup-window",
)
# No host name and no address can be resolved, even by connections that are not intercepted, such as web sockets. WebRTC is
# restricted.
_OFFLINE = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
)

_START = 60.0
_CLOSING = 2.0
_MAX_SHOWN = 400
# Chromium creates a socket in the folder for temporary files. The path of the socket may have about 100 bytes.
_MAX_TEMPORARY = 56
_PREFIX, _SUFFIX, _LOCK = ".threshr-", ".tmp", "threshr-lock"


@dataclass(frozen=True)
class Settings:
    """How pages are rendered."""

    chromium: str
    """The program."""
    width: int
    """Width of the window in CSS pixels."""
    height: int
    """Height of the window in CSS pixels."""
    wait: int
    """Time for scripts after a page is loaded, in milliseconds."""
    timeout: float
    """Maximum time for a page in seconds. A page that is still loading after 60 % of this time is rendered in its current
    state."""
    network: bool
    """Whether pages may use the network."""
    sandbox: bool
    """Whether Chromium's sandbox is on."""


def find(given: str | None) -> str:
    """Returns the program `given`; if it is None, the program in `$CHROMIUM`, or else an installed Chromium or Chrome."""
    named = given or os.environ.get("CHROMIUM")
    if not named:
        usual = [path for path in map(shutil.which, _NAMES) if path] + [path for path in _PLACES if Path(path).is_file()]
        if usual:
            return usual[0]
        raise OptionError(
            "no Chromium was found; expected an installed Chromium or Chrome, or its program in --chromium or $CHROMIUM"
        )
    found = shutil.which(named)
    if found is None:
        what = "--chromium" if given else "$CHROMIUM"
        raise OptionError(f"{named}: {what} names no program; expected the program of Chromium")
    return os.path.abspath(found)


@contextlib.contextmanager
def work_folder() -> Iterator[Path]:
    """A temporary folder of this run, which is removed at its end. Folders of killed runs of the same user are also
    removed."""
    parent = os.fsencode(tempfile.gettempdir())
    if len(parent) > _MAX_TEMPORARY:
        raise OptionError(
            f"{os.fsdecode(parent)}: the path of the folder for temporary files has {len(parent)} bytes, too many for a socket of "
            f"Chromium; expected at most {_MAX_TEMPORARY} bytes; set $TMPDIR to another folder"
        )
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX))
    # The folder is renamed after it is locked, so that no other run finds it unlocked.
    with open(folder / f"{_LOCK}.new", "w") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rename(lock.name, folder / _LOCK)
        _remove_stale(folder.parent)
        if len(os.fsencode(folder)) <= _MAX_TEMPORARY:
            # The driver and Chromium inherit $TMPDIR, so their temporary files are in this folder.
            os.environ["TMPDIR"] = str(folder)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_stale(parent: Path) -> None:
    for folder in parent.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            with open(folder / _LOCK) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)


class Browser:
    """A Chromium without windows, with a new profile. After an error of a page, the browser must not be used again."""

    def __init__(self, playwright: async_api.Playwright, profile: Path) -> None:
        self._playwright = playwright
        self._profile = profile
        self._chromium: async_api.Browser | None = None
        self._group: int | None = None

    @classmethod
    async def start(cls, settings: Settings, folder: Path) -> Browser:
        """Starts Chromium with a profile in `folder`."""
        # Each browser has its own driver. If a page is too large for a driver, pages in other browsers do not fail.
        playwright = await async_api.async_playwright().start()
        browser = cls(playwright, Path(tempfile.mkdtemp(dir=folder)))
        try:
            await browser._launch(settings)
        except BaseException:
            await browser.close()
            raise
        return browser

    async def _launch(self, settings: Settings) -> None:
        arguments = [
            *_SWITCHES,
            f"--user-data-dir={self._profile}",
            f"--window-size={settings.width},{settings.height}",
            *(() if settings.network else _OFFLINE),
            *(() if settings.sandbox else ("--no-sandbox",)),
        ]
        try:
            self._chromium = await self._playwright.chromium.launch(
                executable_path=settings.chromium,
                args=arguments,
                ignore_default_args=True,
                chromium_sandbox=settings.sandbox,
                timeout=_START * 1000,
                # signals are handled by the program
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            session = await self._chromium.new_browser_cdp_session()
            processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        except async_api.Error as error:
            shown = " ".join(error.message.split())[:_MAX_SHOWN]
            raise DataError(f"{settings.chromium}: Chromium does not start: {shown}") from error
        # the driver starts Chromium in a separate process group
        self._group = next(os.getpgid(process["id"]) for process in processes if process["type"] == "browser")

    async def new_context(self) -> async_api.BrowserContext:
        """A context without a window size, cookies, storage and downloads."""
        assert self._chromium is not None, "the browser is launched"
        return await self._chromium.new_context(no_viewport=True, accept_downloads=False)

    async def close(self) -> None:
        """Ends Chromium and the driver in any state, and removes the profile."""
        with contextlib.suppress(Exception):
            # a Chromium that ends by itself removes its temporary files
            if self._chromium is not None:
                await asyncio.wait_for(self._chromium.close(), _CLOSING)
        if self._group is not None and self._group != os.getpgrp():
            with contextlib.suppress(OSError):
                os.killpg(self._group, signal.SIGKILL)
        with contextlib.suppress(Exception):
            # A busy driver ends as soon as it notices that its input is closed.
            await asyncio.wait_for(self._playwright.stop(), _CLOSING)
        # Processes that are ending may still write into the folder.
        for _ in range(100):
            shutil.rmtree(self._profile, ignore_errors=True)
            if not self._profile.exists():
                break
            await asyncio.sleep(0.02)
