"""Tests with Ray, Polars and DuckDB."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT, need

import threshr


def test_ray_maps_batches_on_one_cpu(pages, texts, tmp_path):
    """With the call in the guide, one CPU suffices to read and to extract the pages."""
    need("ray", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet
    import ray

    from threshr.integrations.ray import Extract

    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        table = pa.table({"html": [*pages, b"%PDF-1.7 x"], "n": range(len(pages) + 1)})
        for part in range(4):
            pyarrow.parquet.write_table(table.slice(part * len(table) // 4, len(table) // 4 + 1), tmp_path / f"{part}.parquet")
        dataset = ray.data.read_parquet(str(tmp_path))
        keywords = {"columns": ["text", "markdown"], "policy": "main"}
        result = dataset.map_batches(Extract(**keywords), batch_format="pyarrow", batch_size=16)
        rows = list({row["n"]: row for row in sorted(result.take_all(), key=lambda row: row["n"])}.values())
    finally:
        ray.shutdown()
    expected = threshr.Extractor(policy="main", timeout=2.0)
    assert [row["text"] for row in rows[:-1]] == [expected.extract(page).text for page in pages]
    assert "PDF" in rows[-1]["error"] and rows[-1]["text"] is None
    assert all(row["markdown"] and "html" not in row for row in rows[:-1])


def guide_block(heading: str) -> str:
    text = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    return re.search(rf"{heading}.*?```python\n(.*?)```", text, re.S)[1]


@pytest.mark.parametrize("heading", ["\\*\\*Polars\\*\\*", "\\*\\*DuckDB\\*\\*"])
def test_three_lines_of_the_guide(heading, pages, texts, tmp_path, monkeypatch):
    module = "polars" if "Polars" in heading else "duckdb"
    need(module, "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet

    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(pa.table({"html": pages, "url": ["https://a.org/"] * len(pages)}), "pages.parquet")
    block = guide_block(heading)
    assert len([line for line in block.splitlines() if line and not line.startswith(("import", "from"))]) <= 3
    names: dict = {}
    exec(block, names)  # noqa: S102
    result = names["texts"]
    rows = result["text"].to_list() if module == "polars" else [row[0] for row in result.project("text").fetchall()]
    assert sorted(rows) == sorted(threshr.extract(page, url="https://a.org/").text for page in pages)


def test_columns_of_adapters_are_checked_when_they_are_built():
    from threshr.integrations._batch import Extract

    for columns in (["txt"], "text"):
        with pytest.raises(threshr.OptionError):
            Extract(columns=columns)
