"""Tests of the extractor for datatrove in pipelines."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from conftest import RAIN, need

import threshr

need("datatrove")
from datatrove.data import Document  # noqa: E402
from datatrove.executor import LocalPipelineExecutor  # noqa: E402
from datatrove.pipeline.extractors.base import BaseExtractor, ExtractorSandbox  # noqa: E402
from datatrove.pipeline.readers import JsonlReader  # noqa: E402
from datatrove.pipeline.writers.jsonl import JsonlWriter  # noqa: E402

from threshr.integrations.datatrove import Threshr  # noqa: E402


def documents(pages):
    return [
        Document(text=threshr._threshr.decode(page), id=str(i), metadata={"url": f"https://a.org/{i}"})
        for i, page in enumerate(pages)
    ]


def test_it_is_an_extractor(pages):
    extractor = Threshr()
    assert isinstance(extractor, BaseExtractor)
    page = threshr._threshr.decode(pages[0])
    assert extractor.extract(page) == threshr.extract(page).text
    assert Threshr(output="markdown").extract(page) == threshr.extract(page).markdown
    with pytest.raises(ValueError):
        Threshr(output="pdf")


def test_documents_get_text_and_metadata(pages):
    given = documents(pages[:6])
    given[1].metadata["title"] = "kept"
    expected = [threshr.extract(doc.text, url=doc.metadata["url"]) for doc in given]
    out = list(Threshr(timeout=5).run(iter(given)))
    assert [doc.text for doc in out] == [e.text for e in expected]
    assert out[0].metadata["title"] == expected[0].metadata.title and out[1].metadata["title"] == "kept"
    assert out[0].metadata["language"] == expected[0].language
    assert out[0].metadata["page_type"] == expected[0].page_type
    assert out[0].metadata["quality"] == pytest.approx(expected[0].quality.expected)
    assert out[0].metadata["url"] == "https://a.org/0"


def test_failures_are_skipped_and_counted(pages):
    slow = "<p>It rained all day, and the rivers rose.</p>" * 400_000
    given = documents([b"%PDF-1.7 x", pages[0], slow.encode(), pages[1], b"<body></body>"])
    step = Threshr(timeout=0.7, max_bytes=None)
    out = list(step.run(iter(given)))
    assert [doc.id for doc in out] == ["1", "3"]
    stats = {name: stat.total for name, stat in step.stats.stats.items()}
    assert stats["total"] == 5 and stats["extracted"] == 3 and stats["clean_error"] == 1
    assert stats.get("timeout", 0) + stats.get("broken_process", 0) == 1
    assert stats["dropped"] == 1 and stats["forwarded"] == 2


def test_pages_of_low_quality_are_dropped(pages):
    qualities = [threshr.extract(doc.text, url=doc.metadata["url"]).quality.expected for doc in documents(pages)]
    limit = sorted(qualities)[len(qualities) // 2]
    out = list(Threshr(timeout=5, min_quality=limit).run(iter(documents(pages))))
    assert 0 < len(out) < len(pages)
    assert {int(doc.id) for doc in out} == {i for i, quality in enumerate(qualities) if quality >= limit}


def test_an_empty_text_is_extracted_within_the_timeout():
    start = time.monotonic()
    with ExtractorSandbox(timeout=1, warmup_text="") as sandbox:
        assert sandbox.process_document("", Threshr(timeout=1).extract) == ""
    assert time.monotonic() - start < 1
    # a new process must import the package and load the model
    code = "import time; t = time.monotonic(); import threshr; threshr.extract(''); print(time.monotonic() - t)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(out.stdout) < 1


def test_a_pipeline_of_two_workers(tmp_path, pages):
    import json

    source = tmp_path / "in"
    source.mkdir()
    for part in range(2):
        with open(source / f"{part}.jsonl", "w", encoding="utf-8") as out:
            for i, page in enumerate(pages[part::2]):
                record = {"text": threshr._threshr.decode(page), "id": f"{part}/{i}", "url": "https://a.org/"}
                out.write(json.dumps(record) + "\n")
    steps = [
        JsonlReader(str(source)),
        Threshr(timeout=5),
        JsonlWriter(str(tmp_path / "out"), "${rank}.jsonl", compression=None),
    ]
    LocalPipelineExecutor(steps, tasks=2, workers=2, logging_dir=str(tmp_path / "logs")).run()
    rows = [json.loads(line) for path in (tmp_path / "out").iterdir() for line in path.read_text().splitlines()]
    expected = {t for t in (threshr.extract(threshr._threshr.decode(p), url="https://a.org/").text for p in pages) if t}
    assert {row["text"] for row in rows} == expected and RAIN


def test_the_limit_is_that_of_the_other_adapters():
    from threshr.integrations import CRAWL_LIMITS

    step = Threshr()
    assert step.timeout == CRAWL_LIMITS["timeout"] == step.extractor.options["timeout"] == 2.0
