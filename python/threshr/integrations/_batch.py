"""The extraction of a batch, as an object for the frameworks that map functions over batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from threshr._threshr import Extractor
from threshr.integrations import with_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


class Extract:
    """Extracts the pages of a batch.

    The arguments are those of `threshr.extract_batch`; `options` are those of `threshr.Extractor`. A failed page is a row
    with the column `error`. `threads` should be at most the number of CPUs that the
    framework gives a task, such as `num_cpus` of Ray.
    """

    def __init__(
        self,
        html: str = "html",
        url: str | None = None,
        columns: Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
        threads: int = 1,
        charset: str | None = None,
        **options: Any,
    ):
        self.extractor = Extractor(**with_limits(options))
        # wrong names are told here, and not by the first worker
        self.extractor.extract_batch([], columns=columns, threads=threads)
        self.arguments: dict[str, Any] = {
            "html": html,
            "url": url,
            "charset": charset,
            "columns": columns,
            "keep": keep,
            "threads": threads,
        }

    def __call__(self, batch: pa.Table | pa.RecordBatch) -> pa.Table:
        """Extracts a batch of pages."""
        import pyarrow

        return pyarrow.table(self.extractor.extract_batch(batch, **self.arguments))
