"""`extract` and `extract_batch`: extraction in one call, with the shipped or another model."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from threshr._threshr import Extraction, Extractor, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Unpack

    from threshr._options import BatchOptions, MoreOptions


@lru_cache(maxsize=8)
def _built(options: tuple[tuple[str, Any], ...]) -> Extractor:
    return Extractor(**dict(options))


def _extractor(options: dict[str, Any]) -> Extractor:
    """Returns an extractor with these options. Recent extractors are cached, because loading a model takes time."""
    if "model" in options and options["model"] is not None:
        # The model is not cached, because its file may change.
        return Extractor(**options)
    try:
        return _built(tuple(sorted(options.items())))
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
        return Extractor(**options)


def extract(
    html: bytes | str,
    *,
    url: str | None = None,
    policy: str | None = None,
    timeout: float | None = None,
    **options: Unpack[MoreOptions],
) -> Extraction:
    """Extracts the content of a page.

    `html` is the page as it was fetched, as bytes, or as decoded text. `url` is the address of the page; metadata and the
    addresses of links depend on it. `policy` states what counts as content: `main`, `article`, `full`, with overrides such
    as `main+title-comments`; or `auto`. `timeout` is the limit of CPU time in seconds. `options` are the options of
    `Extractor`.

    For many pages with the option `model`, create an `Extractor`, because each call of `extract` loads the model.

    Raises `NotHtmlError`, `TooLargeError` or `PageTimeoutError`, and `OptionError` for a wrong option.
    """
    given: dict[str, Any] = dict(options)
    if policy is not None:
        given["policy"] = policy
    if timeout is not None:
        given["timeout"] = timeout
    # Here, `charset` is the charset of an HTTP header. It is passed to `Extractor.extract`.
    charset = given.pop("charset", None)
    return _extractor(given).extract(html, url=url, charset=charset)


def extract_batch(
    table: Any,
    *,
    html: str = "html",
    url: str | None = None,
    charset: str | None = None,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    threads: int = 1,
    **options: Unpack[BatchOptions],
) -> Table:
    """Extracts the content of many pages from an Arrow table to an Arrow table. See `Extractor.extract_batch`.

    `charset` names a column, as in `Extractor.extract_batch`. `options` are the options of `Extractor`, except `charset`.
    """
    extractor = _extractor(dict(options))
    return extractor.extract_batch(
        table, html=html, url=url, charset=charset, columns=columns, keep=keep, threads=threads
    )
