"""Replacements for functions of other extractors, with the same keywords. A pipeline only changes one import.

- `threshr.compat.trafilatura`: `extract`, `bare_extraction`.
- `threshr.compat.resiliparse`: `extract_plain_text`.

threshr decides what counts as content. A keyword without an equivalent in threshr has no effect. If its value is not the
default, a `UserWarning` is issued once.
"""

from __future__ import annotations

import warnings
from typing import Any


_warned: set[tuple[str, str]] = set()


def warn_of_ignored(function: str, given: dict[str, Any], defaults: dict[str, Any], stacklevel: int = 3) -> None:
    """Warns once about each keyword that has no effect. `stacklevel` identifies the caller, as in `warnings.warn`."""
    for name, default in defaults.items():
        value = given.get(name, default)
        if value is default or value == default or (function, name) in _warned:
            continue
        _warned.add((function, name))
        warnings.warn(f"threshr ignores `{name}` of {function}", UserWarning, stacklevel=stacklevel)
