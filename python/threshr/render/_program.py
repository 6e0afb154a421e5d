"""The program `threshr-render`."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from threshr import __version__

_EXAMPLES = """\
examples:
  threshr-render page.html --out drawn               files are rendered without network
  threshr-render https://example.org/a --out drawn   the page and its resources are fetched
  threshr-render pages/ --out drawn --network        pages may load styles and images
  threshr-render SET --out DRAWN-SET                 an annotated set: gold and policy are kept
  threshr predict drawn/pages                        read the rendered pages
"""


def main() -> int:
    """Runs the program with the arguments of the process. Exit codes: 0 all pages are rendered, 2 an error or failed pages."""
    # until pages are rendered, Ctrl-C ends the program even if it waits for its input
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = _parser().parse_args()
    try:
        from threshr.render._run import run
    except ModuleNotFoundError as missing:
        need = {"playwright": "Playwright: pip install playwright", "fcntl": "Linux, macOS or another Unix system"}
        if missing.name not in need:
            raise
        sys.stderr.write(f"threshr-render: this program needs {need[missing.name]}\n")
        return 2
    return run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="threshr-render",
        description="Render pages in an installed Chromium. Write the HTML of each page after its scripts have run, and the "
        "position and style of its elements. Exit code: 0 if all pages are rendered, 2 if some failed.",
        epilog=_EXAMPLES,
        formatter_class=_Help,
    )
    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="URL|FILE|FOLDER",
        help="Addresses (http:// or https://), HTML files, folders of pages, annotated sets, archives. An address needs "
        "no --network: the page and the resources that it loads are fetched",
    )
    add(
        "--out",
        "-o",
        required=True,
        type=Path,
        metavar="DIR",
        help="Folder for the rendered pages, their geometry, and the gold of an annotated set. Pages that are already in "
        "the folder are skipped; --force renders them again",
    )
    add("--width", type=int, default=1280, metavar="PX", help="Width of the window in CSS pixels [default: %(default)s]")
    add("--height", type=int, default=1024, metavar="PX", help="Height of the window in CSS pixels [default: %(default)s]")
    add(
        "--wait",
        type=int,
        default=500,
        metavar="MS",
        help="Time for scripts after a page is loaded, in milliseconds [default: %(default)s]",
    )
    add(
        "--network",
        action="store_true",
        help="Let pages from files use the network, for styles, images and scripts. They may reach every address that this "
        "machine can reach",
    )
    add(
        "--timeout",
        type=float,
        default=30.0,
        metavar="S",
        help="Maximum time for a page, in seconds. A page that is still loading after 60 %% of this time is rendered in "
        "its current state [default: 30]",
    )
    add("--chromium", metavar="PATH", help="The Chromium program [default: $CHROMIUM, else an installed Chromium or Chrome]")
    add(
        "--no-sandbox",
        action="store_true",
        help="Turn off Chromium's sandbox. Required for the user root, for whom Chromium has no sandbox",
    )
    add("--jobs", type=int, metavar="N", help="Number of browsers [default: one per core]")
    add("--force", action="store_true", help="Also render pages that are already in the folder. Inputs are never replaced")
    add("--quiet", "-q", action="store_true", help="Show no progress and no remarks, only errors")
    add("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        # the examples keep their line breaks
        wrap = argparse.HelpFormatter._fill_text
        return text if text is _EXAMPLES else wrap(self, text, width, indent)


if __name__ == "__main__":
    sys.exit(main())
