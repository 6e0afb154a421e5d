"""The options of an extractor, for type checkers."""

from __future__ import annotations

import os
from typing import Any, Literal, TypedDict

from threshr._threshr import Model

ModelSource = str | os.PathLike[str] | bytes | Model


class _Common(TypedDict, total=False):
    """The keywords that all functions share. The documentation of `Extractor` describes them."""

    model: ModelSource | None
    system: str | None
    system_options: dict[str, Any] | None
    filter: str | None
    threshold: float | None
    decision: str | None
    favor: Literal["precision", "balance", "recall"] | None
    select: str | None
    drop: str | None
    keep_hidden: bool | None
    strict_visibility: bool
    source_map: bool
    title: bool
    links: bool
    images: bool
    tables: bool
    formulas: bool
    max_bytes: int | None
    max_memory: int | None


class MoreOptions(_Common, total=False):
    """The keywords of `Extractor` except those that `extract` declares itself."""

    charset: str | None


class BatchOptions(_Common, total=False):
    """The keywords of `Extractor` except `charset`, which names a column of a batch."""

    policy: str | None
    timeout: float | None


class Options(MoreOptions, total=False):
    """The keywords of `Extractor`."""

    policy: str | None
    timeout: float | None
