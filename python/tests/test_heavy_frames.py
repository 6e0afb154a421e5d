"""Daft and datasets: their example of the guide, and failed pages. The example from WARC to deduplicated Parquet."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys

import pytest
from conftest import ROOT, need, warc_record

import threshr

need("pyarrow")
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402


def rows(result) -> list[dict]:
    """The rows of a data frame of Daft or of a data set."""
    return result.to_pylist() if hasattr(result, "to_pylist") else list(result)


@pytest.mark.parametrize("engine", ["daft", "datasets"])
def test_the_example_of_the_guide(engine, pages, tmp_path, monkeypatch):
    need(engine)
    (tmp_path / "pages").mkdir()
    given = {"html": [*pages, b"%PDF-1.7 x"], "url": [f"https://a.org/{i}" for i in range(len(pages) + 1)]}
    for part in range(2):
        pq.write_table(pa.table({name: values[part::2] for name, values in given.items()}), tmp_path / f"pages/{part}.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    guide = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    block = next(b for b in re.findall(r"```python\n(.*?)```", guide, re.S) if f"threshr.integrations.{engine} " in b)
    names: dict = {}
    exec(block, names)  # noqa: S102
    found = {row["url"]: row for row in rows(names["texts"])}
    assert len(found) == len(given["url"])
    extractor = threshr.Extractor(timeout=2.0)
    for url, page in zip(given["url"], pages):
        assert found[url]["markdown"] == extractor.extract(page, url=url).markdown and found[url]["error"] is None
    failed = found[given["url"][-1]]
    assert "PDF" in failed["error"] and failed["markdown"] is None and "html" not in failed


def test_datasets_in_memory(pages, tmp_path):
    need("datasets")
    from datasets import Dataset

    from threshr.integrations.datasets import extract

    data = Dataset.from_dict({"n": list(range(6)), "html": pages[:6]})
    done = extract(data, columns=["text", "num_kept"], num_proc=2)
    assert done.column_names == ["n", "text", "num_kept", "error"] and done["n"] == list(range(6))
    assert list(done["text"]) == [threshr.extract(page).text for page in pages[:6]]
    assert extract(data, columns=["text"], keep=[]).column_names == ["text", "error"]


def test_daft_keeps_the_named_columns(pages):
    need("daft")
    import daft

    from threshr.integrations.daft import extract

    df = daft.from_pydict({"n": [1, 2], "page": [threshr._threshr.decode(page) for page in pages[:2]]})
    done = extract(df, html="page", columns=["text", "num_kept"], keep=["n"])
    assert done.column_names == ["n", "text", "num_kept", "error"]
    assert [row["text"] for row in done.to_pylist()] == [threshr.extract(page).text for page in pages[:2]]


def test_from_warc_to_deduplicated_parquet(pages, tmp_path):
    need("datatrove", "spacy", "tokenizers", "nemo_curator")
    paths = []
    for part in range(2):
        paths.append(tmp_path / f"{part}.warc.gz")
        # Both files have all pages, so that at least half of them are duplicates.
        paths[-1].write_bytes(b"".join(gzip.compress(warc_record(part * 1000 + i, page), 1) for i, page in enumerate(pages)))
    command = [sys.executable, ROOT / "python/examples/warc_to_deduplicated.py", *paths, "--out", tmp_path / "out", "--nemo"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    counts = {name: int(count) for name, count in re.findall(r"^(\w+): (\d+)", done.stdout, re.M)}
    assert counts["pages"] == 2 * len(pages) and 4 <= counts["filtered"] < counts["pages"]
    assert 0 < counts["deduplicated"] <= counts["filtered"] / 2
    texts = [row["text"] for path in (tmp_path / "out/deduplicated").glob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert len(set(texts)) == len(texts) == counts["deduplicated"]
