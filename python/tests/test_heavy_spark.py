"""Tests of mapInArrow in Spark with the master local[2]."""

from __future__ import annotations

import pytest
from conftest import need

import threshr

need("pyspark", "pyarrow", "pandas")
from pyspark.sql import SparkSession  # noqa: E402

from threshr.integrations import spark as adapter  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "7").getOrCreate()
    yield session
    session.stop()


def test_pages_of_a_data_frame(spark, pages):
    rows = [(i, f"https://a.org/{i}", bytearray(page)) for i, page in enumerate([*pages, b"%PDF-1.7 x"])]
    df = spark.createDataFrame(rows, "n INT, url STRING, html BINARY").repartition(4)
    columns = ["text", "markdown", "language", "quality", "num_kept", "metadata"]
    result = adapter.extract(df, columns=columns, policy="main")
    assert result.columns == ["n", "url", *columns, "error"]
    found = {row["n"]: row for row in result.collect()}
    extractor = threshr.Extractor(policy="main", timeout=2.0)
    for i, page in enumerate(pages):
        extraction = extractor.extract(page, url=f"https://a.org/{i}")
        assert found[i]["text"] == extraction.text and found[i]["markdown"] == extraction.markdown
        assert found[i]["quality"] == pytest.approx(extraction.quality.expected)
        assert found[i]["num_kept"] == sum(block.is_content for block in extraction.blocks)
    assert "PDF" in found[len(pages)]["error"] and found[len(pages)]["text"] is None


def test_schema_as_ddl(spark, pages):
    df = spark.createDataFrame([(1, threshr._threshr.decode(pages[0]))], "n INT, page STRING")
    ddl = adapter.ddl(df, html="page", columns=["text", "quality"])
    assert ddl == "`n` INT, `text` STRING, `quality` FLOAT, `error` STRING"
    run = adapter.extract_batches(html="page", columns=["text", "quality"])
    assert df.mapInArrow(run, ddl).collect()[0]["text"] == threshr.extract(pages[0]).text
    kept = adapter.extract(df, html="page", columns=[], keep=["n"])
    assert kept.columns == ["n", "error"] and kept.collect()[0]["error"] is None
