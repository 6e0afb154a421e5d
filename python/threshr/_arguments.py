"""Checks of arguments. A wrong argument raises an exception of the package. Its message contains the name of the
argument."""

from __future__ import annotations

import operator
import os
from typing import Any

from threshr._errors import ArgumentTypeError, OptionError


def wrong_type(name: str, value: Any, expected: str) -> ArgumentTypeError:
    """Returns the exception for an argument of the wrong type."""
    return ArgumentTypeError(f"{name} is {type(value).__name__}; expected {expected}")


def count(name: str, value: Any) -> int:
    """Checks an integer of at least 0."""
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong_type(f"`{name}`", value, "int") from None
    if not 0 <= number < 1 << 32:
        raise OptionError(f"`{name}` is {number}; expected a number from 0")
    return number


def number(name: str, value: Any) -> float:
    """Checks a number."""
    if isinstance(value, (str, bytes, bytearray)):
        raise wrong_type(f"`{name}`", value, "float")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise wrong_type(f"`{name}`", value, "float") from None
    except OverflowError:
        raise OptionError(f"`{name}` is too large for a float") from None


def text(name: str, value: Any) -> str:
    """Checks a string. Unpaired surrogates cannot be encoded, so they are replaced by U+FFFD."""
    if not isinstance(value, str):
        raise wrong_type(name, value, "str")
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def optional_text(name: str, value: Any) -> str | None:
    """Checks a string or None."""
    return None if value is None else text(f"`{name}`", value)


def is_path(value: Any) -> bool:
    """Whether a value is a path."""
    return isinstance(value, (str, os.PathLike))
