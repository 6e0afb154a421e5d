"""A function for the data sets of Hugging Face `datasets`, in memory, on disk or streamed.

>>> from datasets import load_dataset
>>> from threshr.integrations.datasets import extract
>>> texts = extract(load_dataset("parquet", data_files="pages/*.parquet", split="train"), columns=["markdown"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from threshr.integrations._batch import Extract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets import Dataset, IterableDataset

    _Data = TypeVar("_Data", Dataset, IterableDataset)

_BATCH = 256


def extract(
    dataset: _Data, html: str = "html", keep: Sequence[str] | None = None, num_proc: int | None = None, **arguments: Any
) -> _Data:
    """Extracts the pages of a data set. `num_proc` is the number of processes; a streamed data set has one. The other arguments
    are those of `threshr.extract_batch` and the options of `threshr.Extractor`. A failed page is a row with the column
    `error`."""
    names = dataset.column_names or list(next(iter(dataset)))
    removed = [name for name in names if (name == html if keep is None else name not in keep)]
    processes = {"num_proc": num_proc} if num_proc is not None else {}
    run = Extract(html=html, keep=keep, **arguments)
    done = dataset.with_format("arrow").map(run, batched=True, batch_size=_BATCH, remove_columns=removed, **processes)
    return done.with_format(None)
