"""A function for data frames of Daft.

>>> import daft
>>> from threshr.integrations.daft import extract
>>> texts = extract(daft.read_parquet("pages/"), columns=["markdown", "language"])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import daft
import pyarrow as pa

from threshr.integrations._batch import Extract

if TYPE_CHECKING:
    from collections.abc import Sequence

_BATCH = 256


def extract(
    df: daft.DataFrame,
    html: str = "html",
    url: str | None = None,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    threads: int = 1,
    charset: str | None = None,
    **options: Any,
) -> daft.DataFrame:
    """Extracts the pages of a data frame. The arguments are those of `threshr.extract_batch`; `options` are those of
    `threshr.Extractor`. A failed page is a row with the column `error`."""
    names = df.column_names
    read = {"html": html, "url": url or ("url" if "url" in names else None), "charset": charset}
    read = {role: name for role, name in read.items() if name is not None}
    extract_batch = Extract(columns=columns, keep=[], threads=threads, **{role: role for role in read}, **options)
    empty = {role: pa.array([], pa.large_binary() if role == "html" else pa.large_string()) for role in read}
    schema = extract_batch(pa.table(empty)).schema
    written = daft.DataType.struct({field.name: daft.DataType.from_arrow_type(field.type) for field in schema})

    @daft.func.batch(return_dtype=written, unnest=True, batch_size=_BATCH)
    def run(*given: daft.Series) -> pa.Array:
        table = extract_batch(pa.table({role: series.to_arrow() for role, series in zip(read, given)}))
        return pa.StructArray.from_arrays([table[name].combine_chunks() for name in schema.names], fields=list(schema))

    kept = [name for name in (names if keep is None else keep) if name not in schema.names and (keep or name != html)]
    return df.select(*kept, run(*(df[name] for name in read.values())))
