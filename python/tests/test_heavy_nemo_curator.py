"""Tests in which stages of NeMo Curator run the algorithm and the extractor."""

from __future__ import annotations

import pickle

import pytest
from conftest import need

import threshr

need("nemo_curator")
from nemo_curator.stages.text.download import CommonCrawlDownloadExtractStage, DocumentExtractor  # noqa: E402
from nemo_curator.stages.text.download.common_crawl.extract import CommonCrawlHTMLExtractor  # noqa: E402
from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm  # noqa: E402

from threshr.integrations.nemo_curator import ThreshrAlgorithm, ThreshrExtractor  # noqa: E402


def record(page):
    return {"url": "https://a.org/x", "warc_id": "w", "source_id": "s", "content": page}


def test_the_algorithm(pages):
    algorithm = ThreshrAlgorithm()
    assert isinstance(algorithm, HTMLExtractorAlgorithm)
    page = threshr._threshr.decode(pages[0])
    expected = threshr.extract(page)
    paragraphs = algorithm.extract_text(page, frozenset(), "ENGLISH")
    assert "\n".join(paragraphs) == expected.text.strip("\n")
    markdown = ThreshrAlgorithm(output="markdown").extract_text(page, frozenset(), "ENGLISH")
    assert "\n\n".join(markdown) == expected.markdown.strip("\n")
    assert algorithm.extract_text("%PDF-1.7 x", frozenset(), "ENGLISH") is None
    copy = pickle.loads(pickle.dumps(algorithm))
    assert copy.extract_text(page, frozenset(), "ENGLISH") == paragraphs


def test_doubtful_pages_go_to_the_fallback(pages):
    class Fallback(HTMLExtractorAlgorithm):
        def extract_text(self, html, stop_words, language):
            return ["fallback"]

    page = threshr._threshr.decode(pages[0])
    assert ThreshrAlgorithm(min_quality=1.1).extract_text(page, frozenset(), "ENGLISH") is None
    given = ThreshrAlgorithm(min_quality=1.1, fallback=Fallback())
    assert given.extract_text(page, frozenset(), "ENGLISH") == ["fallback"]
    assert given.extract_text("%PDF-1.7 x", frozenset(), "ENGLISH") == ["fallback"], "a page that fails"
    slow = ThreshrAlgorithm(timeout=1e-6, fallback=Fallback())
    assert slow.extract_text(page * 50, frozenset(), "ENGLISH") == ["fallback"]
    sure = ThreshrAlgorithm(min_quality=0.0, fallback=Fallback())
    assert sure.extract_text(page, frozenset(), "ENGLISH") != ["fallback"]


def test_empty_lines_of_code_stay():
    code = "def rain():\n    pass\n\n\n\ndef snow():\n    pass"
    page = f"<article><h1>Code</h1><p>The functions below are all that the module needs.</p><pre>{code}</pre></article>"
    for output in ("markdown", "text"):
        paragraphs = ThreshrAlgorithm(output=output, policy="full").extract_text(page, frozenset(), "ENGLISH")
        expected = getattr(threshr.extract(page, policy="full"), output)
        assert ("\n" if output == "text" else "\n\n").join(paragraphs) == expected.strip("\n")
    assert code in "\n\n".join(ThreshrAlgorithm(output="markdown", policy="full").extract_text(page, frozenset(), "ENGLISH"))


def test_the_stage_of_common_crawl_takes_the_algorithm(tmp_path):
    algorithm = ThreshrAlgorithm(output="markdown")
    stage = CommonCrawlDownloadExtractStage(
        "2021-04", "2021-10", download_dir=str(tmp_path), html_extraction=algorithm, url_limit=1
    )
    assert stage.extractor.algorithm is algorithm and len(stage.decompose()) >= 3


def test_its_extractor_runs_the_algorithm(pages):
    need("pycld2")
    extractor = CommonCrawlHTMLExtractor(algorithm=ThreshrAlgorithm())
    found = [extractor.extract(record(page)) for page in pages[:6]]
    texts = [threshr.extract(threshr._threshr.decode(page)).text for page in pages[:6]]
    given = [f["text"].replace("\n\n", "\n") if f else None for f in found]
    assert sum(g is not None for g in given) >= 4
    assert all(g is None or g == t.strip("\n") for g, t in zip(given, texts))


def test_the_extractor_of_records(pages):
    extractor = ThreshrExtractor()
    assert isinstance(extractor, DocumentExtractor)
    found = extractor.extract(record(pages[0]))
    expected = threshr.extract(pages[0], url="https://a.org/x")
    assert found["text"] == expected.text and found["title"] == expected.metadata.title
    assert list(found) == extractor.output_columns()
    assert found["quality"] == pytest.approx(expected.quality.expected)
    for dropped in (b"", None, b"%PDF-1.7 x", b"<body></body>"):
        assert extractor.extract(record(dropped)) is None
    assert ThreshrExtractor(min_quality=1.1).extract(record(pages[0])) is None


def test_the_stages_of_the_framework_run_it(pages, tmp_path):
    """Runs the iterate-and-extract stage of NeMo Curator on a file that an iterator of its interface reads."""
    from nemo_curator.stages.text.download import DocumentIterator
    from nemo_curator.stages.text.download.base.iterator import DocumentIterateExtractStage
    from nemo_curator.tasks import FileGroupTask

    class Pages(DocumentIterator):
        def iterate(self, file_path):
            for page in pages[:5]:
                yield record(page)

        def output_columns(self):
            return ["url", "warc_id", "source_id", "content"]

    stage = DocumentIterateExtractStage(iterator=Pages(), extractor=ThreshrExtractor(), add_filename_column=False)
    task = FileGroupTask(dataset_name="pages", data=[str(tmp_path / "x")])
    out = stage.process(task).to_pandas()
    assert list(out["text"]) == [threshr.extract(page, url="https://a.org/x").text for page in pages[:5]]
