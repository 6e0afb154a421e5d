"""The program `threshr-render`."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from threshr import __version__

_EXAMPLES = """\
examples:
  threshr-render page.html --out drawn               files are drawn without network
  threshr-render https://example.org/a --out drawn   an address needs the network
  threshr-render pages/ --out drawn --network        pages may load styles and images
  threshr-render SET --out DRAWN-SET                 an annotated set: gold and policy are kept
  threshr predict drawn/pages                        read the drawn pages
"""


def main() -> int:
    """Runs the program with the arguments of the process. Exit codes: 0 all pages are drawn, 2 an error or failed pages."""
    # until pages are drawn, Ctrl-C ends the program even if it waits for its input
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = _parser().parse_args()
    try:
        from threshr.render._run import run
    except ModuleNotFoundError as missing:
        need = {"playwright": "Playwright: pip install 'threshr[render]'", "fcntl": "Linux, macOS or another Unix system"}
        if missing.name not in need:
            raise
        sys.stderr.write(f"threshr-render: this program needs {need[missing.name]}\n")
        return 2
    return run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="threshr-render",
        description="Draw pages with an installed Chromium: write each page as it is after its scripts, and where its "
        "elements are drawn. Exit code: 0 if all pages are drawn, 2 if some failed.",
        epilog=_EXAMPLES,
        formatter_class=_Help,
    )
    add = parser.add_argument
    add(
        "inputs",
        nargs="+",
        metavar="URL|FILE|FOLDER",
        help="Addresses (http:// or https://), HTML files, folders of pages, annotated sets, archives. An address needs "
        "the network by its nature: it and what it loads are fetched",
    )
    add(
        "--out",
        "-o",
        required=True,
        type=Path,
        metavar="DIR",
        help="Folder for the drawn pages, their geometry, and the gold of an annotated set. Pages in it that the same "
        "options drew before are skipped; --force draws them again",
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
        help="Longest time for a page, in seconds. A page that still loads after 60 %% of it is drawn as it is then "
        "[default: 30]",
    )
    add("--chromium", metavar="PATH", help="The program of Chromium [default: $CHROMIUM, else a usual name in $PATH]")
    add(
        "--no-sandbox",
        action="store_true",
        help="Switch off Chromium's sandbox. It has none for the user root, who must give this option",
    )
    add("--jobs", type=int, metavar="N", help="Number of browsers [default: one for each core]")
    add("--force", action="store_true", help="Draw pages again that are there. Inputs are never replaced")
    add("--quiet", "-q", action="store_true", help="Show no progress and no remarks, only errors")
    add("--version", action="version", version=f"%(prog)s {__version__}")
    return parser


class _Help(argparse.RawDescriptionHelpFormatter):
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        # the examples keep their lines
        wrap = argparse.HelpFormatter._fill_text
        return text if text is _EXAMPLES else wrap(self, text, width, indent)


if __name__ == "__main__":
    sys.exit(main())
