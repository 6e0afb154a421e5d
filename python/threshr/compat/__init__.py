"""The functions of other extractors, with their keywords: a pipeline changes one import.

- `threshr.compat.trafilatura`: `extract`, `bare_extraction`.
- `threshr.compat.resiliparse`: `extract_plain_text`.

The text is that of threshr. A keyword without a counterpart has no effect; a `UserWarning` says so if its value is not the
default.
"""

from __future__ import annotations

import warnings
from typing import Any


def warn_of_ignored(function: str, given: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Warns of keywords that have no effect."""
    for name, value in given.items():
        if name not in defaults:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        if value != defaults[name]:
            warnings.warn(f"threshr ignores `{name}` of {function}", UserWarning, stacklevel=3)
