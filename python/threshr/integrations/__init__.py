"""Adapters for the frameworks that process many pages. Each module needs its framework.

- `threshr.integrations.daft`: a function for data frames of Daft.
- `threshr.integrations.datasets`: a function for data sets of Hugging Face.
- `threshr.integrations.datatrove`: an extractor of datatrove.
- `threshr.integrations.nemo_curator`: an algorithm and an extractor of NeMo Curator.
- `threshr.integrations.ray`: a function for `Dataset.map_batches`.
- `threshr.integrations.spark`: functions for `DataFrame.mapInArrow`.
- `threshr.integrations.scrapy`: a helper for responses, and an item pipeline.
- `threshr.integrations.warc`: the unit of work of a crawl, for any engine.
- `threshr.integrations.markitdown`: a plug-in of markitdown.
- `threshr.integrations.crawl4ai`: a content filter of crawl4ai.

Pages of crawls are from unknown sources, so each page has the limits `CRAWL_LIMITS`, unless other limits are given.
"""

from __future__ import annotations

from typing import Any

CRAWL_LIMITS: dict[str, Any] = {"timeout": 2.0, "max_bytes": 16 << 20}
"""The limits of a page: 2 CPU seconds and 16 MB, as for the command line."""


def with_limits(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the options of an extractor. Adds the limits for crawls, unless other limits are given."""
    return {**CRAWL_LIMITS, **options}
