"""The program `threshr`."""

from __future__ import annotations

import signal
import sys

from threshr._threshr import run_program


def main() -> int:
    """Runs the program with the arguments of the process and returns its exit code."""
    # A closed pipe ends the program as usual, and the program handles Ctrl-C itself.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["threshr", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
