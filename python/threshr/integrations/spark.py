"""Functions for `DataFrame.mapInArrow` of Spark.

>>> from threshr.integrations.spark import extract
>>> texts = extract(spark.read.parquet("pages/"), columns=["markdown", "language"])

`extract` is `df.mapInArrow(extract_batches(…), schema(df, …))`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from threshr._threshr import DEFAULT_COLUMNS
from threshr.integrations._batch import Extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

_FLOATS = ("quality", "quality_low", "quality_high", "mean_score")


@lru_cache(maxsize=4)
def _loaded(pickled: bytes) -> Extract:
    """Returns the extractor of this worker process. It is cached, because a process runs many tasks."""
    import pickle

    return pickle.loads(pickled)


def extract_batches(
    html: str = "html",
    url: str | None = None,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    threads: int = 1,
    charset: str | None = None,
    **options: Any,
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Returns a function for `mapInArrow`. The arguments are the arguments of `threshr.extract_batch`; `options` are the
    options of `threshr.Extractor`. A worker process loads the model once. A failed page is a row with the column `error`."""
    import pickle

    pickled = pickle.dumps(Extract(html, url, columns, keep, threads, charset, **options))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow

        extract_batch = _loaded(pickled)
        for batch in batches:
            table = extract_batch(batch)
            fields = [field.with_type(_spark_type(field.type)) for field in table.schema]
            yield from table.cast(pyarrow.schema(fields)).to_batches()

    return run


def _spark_type(data_type: pa.DataType) -> pa.DataType:
    """Converts a type, because Spark has no large strings and no unsigned numbers."""
    import pyarrow

    if pyarrow.types.is_large_string(data_type):
        return pyarrow.string()
    return pyarrow.int64() if pyarrow.types.is_uint32(data_type) else data_type


def schema(
    df: DataFrame, html: str = "html", columns: Sequence[str] | None = None, keep: Sequence[str] | None = None
) -> StructType:
    """Returns the schema of the result of `extract_batches` on `df`, for `mapInArrow`."""
    from pyspark.sql.types import ArrayType, FloatType, LongType, StringType, StructField, StructType

    written = [*dict.fromkeys([*(columns if columns is not None else DEFAULT_COLUMNS), "error"])]
    if keep is None:
        kept = [field for field in df.schema.fields if field.name != html and field.name not in written]
    else:
        kept = [df.schema[name] for name in keep if name not in written]

    def data_type(name: str) -> Any:
        if name in _FLOATS:
            return FloatType()
        if name == "authors":
            return ArrayType(StringType())
        return LongType() if name == "num_kept" else StringType()

    return StructType([*kept, *(StructField(name, data_type(name)) for name in written)])


def ddl(df: DataFrame, html: str = "html", columns: Sequence[str] | None = None, keep: Sequence[str] | None = None) -> str:
    """Returns this schema as DDL text, such as `url STRING, text STRING, error STRING`."""
    fields = schema(df, html, columns, keep).fields
    return ", ".join(f"`{field.name}` {field.dataType.simpleString().upper()}" for field in fields)


def extract(
    df: DataFrame,
    html: str = "html",
    url: str | None = None,
    columns: Sequence[str] | None = None,
    keep: Sequence[str] | None = None,
    threads: int = 1,
    charset: str | None = None,
    **options: Any,
) -> DataFrame:
    """Extracts the pages of a data frame. The arguments are the arguments of `extract_batches`."""
    run = extract_batches(html, url, columns, keep, threads, charset, **options)
    return df.mapInArrow(run, schema(df, html, columns, keep))
