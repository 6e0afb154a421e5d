"""The functions of other extractors, with their keywords: a pipeline changes one import.

- `threshr.compat.trafilatura`: `extract`, `bare_extraction`.
- `threshr.compat.resiliparse`: `extract_plain_text`.

What counts as content is decided by threshr. A keyword without a counterpart has no effect; a `UserWarning` says so once if
its value is not the default.
"""

from __future__ import annotations

import warnings
from typing import Any


_warned: set[tuple[str, str]] = set()


def warn_of_ignored(function: str, given: dict[str, Any], defaults: dict[str, Any], stacklevel: int = 3) -> None:
    """Warns of keywords that have no effect, once of each. `stacklevel` names the caller, as for `warnings.warn`."""
    for name, default in defaults.items():
        value = given.get(name, default)
        if value is default or value == default or (function, name) in _warned:
            continue
        _warned.add((function, name))
        warnings.warn(f"threshr ignores `{name}` of {function}", UserWarning, stacklevel=stacklevel)
