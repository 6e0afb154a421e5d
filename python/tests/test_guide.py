"""Runs the code of the guide and the examples."""

from __future__ import annotations

import doctest
import gzip
import re
import subprocess
import sys

import pytest
from conftest import ROOT, SAMPLE, need, warc_record

import threshr

EXAMPLES = ROOT / "python" / "examples"


def test_the_blocks_of_the_guide_run(tmp_path, monkeypatch, pages):
    need("pyarrow", "polars", "duckdb", "sklearn")
    import pyarrow as pa
    import pyarrow.parquet

    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    pyarrow.parquet.write_table(pa.table({"html": pages[:3], "url": ["https://a.org/"] * 3}), "pages.parquet")
    text = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(<!-- not run: [^>]* -->\n)?```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 10
    (tmp_path / "crawl.warc.gz").write_bytes(gzip.compress(warc_record(1, pages[0]))[:-5])
    names: dict = {"__name__": "__main__"}
    for not_run, block in blocks:
        if not not_run:
            exec(block, names)  # noqa: S102
    assert names["texts"].fetchall() and len(names["x"]) == len(names["matrix"])


def test_imports_of_the_adapters_are_true(monkeypatch):
    """Every line of the guide that imports an adapter imports an existing name. This is also tested if the framework is not
    installed."""
    text = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    found = re.findall(r"^from threshr\.integrations\.(\w+) import (\w+)$", text, re.M)
    modules = {"crawl4ai", "daft", "datasets", "datatrove", "nemo_curator", "ray", "spark", "scrapy"}
    assert {module for module, _ in found} == modules
    for module, name in found:
        source = (ROOT / "python" / "threshr" / "integrations" / f"{module}.py").read_text(encoding="utf-8")
        assert re.search(rf"^(class|def|from \S+ import) {name}\b", source, re.M), f"{module}.{name}"


def test_the_module_shows_a_true_example():
    assert doctest.testmod(threshr).failed == 0 and doctest.testmod(threshr).attempted > 0


@pytest.mark.parametrize(
    "command",
    [
        ["corpus.py", "{sample}/pages", "--out", "corpus.parquet"],
        ["evaluate.py", "{sample}", "{models}/cleaneval.json", "--skip"],
        ["train.py", "{sample}", "--out", "own.json"],
        ["scikit_learn.py", "{sample}"],
    ],
    ids=lambda command: command[0],
)
def test_examples_run(command, tmp_path):
    need("pyarrow", "sklearn")
    arguments = [argument.format(sample=SAMPLE, models=ROOT / "models") for argument in command[1:]]
    done = subprocess.run(
        [sys.executable, EXAMPLES / command[0], *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
