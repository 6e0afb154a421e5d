"""Tests of batches: all types of columns and inputs, failures as rows, the same text as for single pages."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import RAIN, need

import threshr

need("pyarrow")
import pyarrow as pa  # noqa: E402

TYPES = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_columns_of_every_type(kind, pages):
    is_text = kind in TYPES[:3]
    values = [threshr._threshr.decode(p) if is_text else p for p in pages[:5]]
    table = pa.table({"html": pa.array([*values, None], kind), "n": range(6)})
    expected = [threshr.extract(value).text for value in values]
    result = pa.table(threshr.extract_batch(table))
    assert result["text"].to_pylist() == [*expected, None]
    assert result["n"].to_pylist() == list(range(6))
    assert result["error"].to_pylist() == [None] * 5 + ["the page is null"]


def test_the_forms_of_input(pages, texts):
    table = pa.table({"html": pages})
    inputs = [
        table,
        table.to_batches()[0],
        table["html"],
        table["html"].combine_chunks(),
        pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7)),
        pages,
        tuple(pages),
    ]
    for given in inputs:
        result = threshr.extract_batch(given, columns=["text"])
        assert result["text"] == texts, type(given)
    for wrong in (5, RAIN, "text", {"html": [RAIN]}):
        with pytest.raises(TypeError):
            threshr.extract_batch(wrong)


def test_slices_and_chunks(pages, texts):
    table = pa.table({"html": pa.chunked_array([pages[:10], [], pages[10:]]), "n": range(len(pages))}).slice(3, 20)
    result = pa.table(threshr.extract_batch(table, threads=3))
    assert result["text"].to_pylist() == texts[3:23]
    assert result["n"].to_pylist() == list(range(3, 23))


def test_input_is_not_copied():
    need("psutil")
    import psutil

    size = 300 << 20
    page = pa.py_buffer(b" " * size)
    offsets = pa.py_buffer(pa.array([0, size], pa.int64()).buffers()[1])
    array = pa.LargeBinaryArray.from_buffers(pa.large_binary(), 1, [None, offsets, page])
    before = psutil.Process().memory_info().rss
    result = threshr.extract_batch(array, max_bytes=1000)
    assert "bytes; expected at most 1000" in result["error"][0]
    assert psutil.Process().memory_info().rss - before < size / 10


def test_all_columns(pages):
    names = ["text", "markdown", "html", "metadata", "comments", "units", "title", "language", "page_type", "quality"]
    names += ["quality_low", "quality_high", "num_kept", "mean_score", "error"]
    table = pa.table({"html": pages[:3], "url": ["https://a.org/1", None, ""]})
    result = threshr.extract_batch(table, columns=names)
    assert result.column_names == ["url", *names]
    for i, page in enumerate(pages[:3]):
        extraction = threshr.extract(page, url="https://a.org/1" if i == 0 else None)
        row = {name: result[name][i] for name in names}
        assert row["text"] == extraction.text and row["markdown"] == extraction.markdown
        assert row["html"] == extraction.html and json.loads(row["units"]) == extraction.units
        assert json.loads(row["comments"]) == extraction.comments
        assert row["title"] == extraction.metadata.title
        assert json.loads(row["metadata"]).get("title", {}).get("value") == row["title"]
        assert (row["language"], row["page_type"]) == (extraction.language, extraction.page_type)
        assert row["quality"] == pytest.approx(extraction.quality.expected)
        assert row["num_kept"] == sum(block.is_content for block in extraction.blocks)


def test_failed_pages_are_rows(pages):
    table = pa.table({"html": [pages[0], b"%PDF-1.7 x", None, pages[1]], "id": list("abcd")})
    result = threshr.extract_batch(table, threads=2)
    assert [bool(error) for error in result["error"]] == [False, True, True, False]
    assert "PDF" in result["error"][1] and not result["error"][1].startswith("page")
    assert result["text"][1] is None and result["quality"][1] is None and result["text"][3]
    slow = threshr.extract_batch([RAIN, RAIN * 3000], timeout=0.005)
    assert slow["error"][0] is None and "given up" in slow["error"][1]


def test_kept_columns_and_names(pages):
    table = pa.table({"content": pages[:2], "id": [1, 2], "text": ["old", "old"], "lists": [[1], [2, 3]]})
    result = pa.table(threshr.extract_batch(table, html="content"))
    assert result.column_names == ["id", "lists", *threshr._threshr.DEFAULT_COLUMNS, "error"]
    assert result["lists"].to_pylist() == [[1], [2, 3]] and result["text"][0].as_py() != "old"
    kept = threshr.extract_batch(table, html="content", keep=["content"], columns=[])
    assert kept.column_names == ["content", "error"] and kept["content"] == pages[:2]
    for wrong in ({"html": "none"}, {"html": "id"}, {"keep": ["x"]}, {"columns": ["x"]}):
        with pytest.raises(threshr.Error):
            threshr.extract_batch(table, **{"html": "content", **wrong})


def test_threads_give_the_same_rows(pages, texts):
    for threads in (1, 2, 5, 0):
        assert threshr.extract_batch(pages * 2, threads=threads)["text"] == texts * 2
    with pytest.raises(threshr.OptionError):
        threshr.extract_batch(pages, threads=100000)


def test_empty_tables():
    for empty in (pa.table({"html": pa.array([], pa.string())}), [], pa.array([], pa.binary())):
        result = threshr.extract_batch(empty)
        assert len(result) == 0 and "text" in result.column_names
        assert pa.table(result).num_rows == 0


def test_tables_without_pyarrow(pages):
    result = threshr.extract_batch(pages[:2], columns=["text", "quality"])
    assert len(result) == result.num_rows == 2 and "2 rows" in repr(result)
    assert all(isinstance(value, float) for value in result["quality"])
    with pytest.raises(KeyError):
        result["none"]


def test_errors_of_the_input_are_raised(pages):
    def broken():
        yield pa.record_batch({"html": pages[:1]})
        raise ZeroDivisionError("of the reader")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"html": pa.binary()}), broken())
    with pytest.raises(Exception, match="of the reader"):
        threshr.extract_batch(reader)


def test_columns_without_a_type_of_their_own(pages, texts):
    dictionary = pa.array([*pages[:2], None, pages[0]]).dictionary_encode()
    table = pa.table({"html": dictionary, "url": pa.nulls(4), "lang": pa.array(["a", "b", None, "a"]).dictionary_encode()})
    result = threshr.extract_batch(table)
    assert result["text"] == [texts[0], texts[1], None, texts[0]] and result["lang"] == ["a", "b", None, "a"]
    assert result["url"] == [None] * 4
    url = pa.array(["https://a.org/1", None]).dictionary_encode()
    page = b"<article><p>It rained <a href=/x>all day</a> in the north of the country, and rivers rose by two metres."
    linked = threshr.extract_batch(pa.table({"html": [page] * 2, "link": url}), url="link", columns=["markdown"])
    assert "https://a.org/x" in linked["markdown"][0] and "https://a.org/x" not in linked["markdown"][1]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 5], pa.int32()), pa.array(pages[:2]))
    assert threshr.extract_batch(runs)["text"] == [texts[0]] * 2 + [texts[1]] * 3
    assert threshr.extract_batch(runs.slice(1, 2))["text"] == texts[:2]
    for empty in (pa.nulls(3), pa.DictionaryArray.from_arrays(pa.array([None] * 3, pa.int32()), pa.array([], pa.binary()))):
        assert threshr.extract_batch(empty)["error"] == ["the page is null"] * 3
    with pytest.raises(threshr.DataError, match="Int64"):
        threshr.extract_batch(pa.table({"html": pa.array([1, 2]).dictionary_encode()}))


def test_names_of_columns_are_checked(pages):
    table = pa.table({"html": pages[:2], "address": ["https://a.org/", None]})
    assert len(threshr.extract_batch(table)) == 2, "addresses may be missing"
    for wrong in ({"url": "adress"}, {"url": "url"}, {"html": "page"}, {"charset": "encoding"}, {"keep": ["id"]}):
        with pytest.raises(threshr.OptionError, match="html, address"):
            threshr.extract_batch(table, **wrong)
    for given in (pages, table["html"]):
        with pytest.raises(threshr.OptionError, match="no column `address`"):
            threshr.extract_batch(given, url="address")
        with pytest.raises(threshr.OptionError, match="no column `id`"):
            threshr.extract_batch(given, keep=["id"])


def test_null_rows_are_null(texts, pages):
    fields = {"html": pa.array(pages[:3]), "url": pa.array(["a", "b", "c"]), "n": pa.array([1, 2, 3])}
    array = pa.StructArray.from_arrays(list(fields.values()), fields=[
        pa.field(name, column.type, nullable=name != "n") for name, column in fields.items()
    ], mask=pa.array([False, True, False]))
    result = pa.table(threshr.extract_batch(array))
    assert result["text"].to_pylist() == [texts[0], None, texts[2]]
    assert result["n"].to_pylist() == [1, None, 3] and result["url"].to_pylist() == ["a", None, "c"]
    assert result["error"].to_pylist() == [None, "the page is null", None]
    assert pa.table(threshr.extract_batch(array.slice(1)))["n"].to_pylist() == [None, 3]


def test_charsets_of_headers():
    text = "<p>Příliš žluťoučký kůň úpěl ďábelské ódy celý den a celou noc.</p>"
    bytes_ = text.encode("windows-1250")
    table = pa.table({"html": [bytes_, bytes_, bytes_], "cs": ["windows-1250", None, "no-such-charset"]})
    result = threshr.extract_batch(table, charset="cs", policy="full")
    assert "žluťoučký kůň" in result["text"][0] and result["error"] == [None] * 3
    assert result["text"][1] == result["text"][2] == threshr.extract(bytes_, policy="full").text
    decoded = pa.table({"html": [text], "cs": ["koi8-r"]})
    assert "žluťoučký" in threshr.extract_batch(decoded, charset="cs", policy="full")["text"][0], "text is decoded"
    assert "žluťoučký" in threshr.Extractor(charset="windows-1250", policy="full").extract_batch([bytes_])["text"][0]


def test_arguments_of_wrong_types(pages):
    wrong = [
        {"threads": -1}, {"threads": "2"}, {"threads": 1.5}, {"threads": 1 << 70}, {"html": 5}, {"url": b"url"},
        {"columns": "text"}, {"columns": [1]}, {"columns": 5}, {"keep": "html"}, {"url": "\ud800"}, {"html": "\ud800"},
    ]
    for given in wrong:
        with pytest.raises(threshr.OptionError):
            threshr.extract_batch(pages[:1], **given)
    for entries in ([[1, 2]], [5], [None, {}], [pages[0], 1.5]):
        with pytest.raises(threshr.ArgumentTypeError, match="a page is bytes or str"):
            threshr.extract_batch(entries)


def test_columns_without_a_type_of_polars(pages):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"url": [None, None], "html": pages[:2]})
    result = threshr.extract_batch(table, columns=["text"])
    assert result["url"] == [None, None] and result["text"][0] == threshr.extract(pages[0]).text
    nothing = threshr.extract_batch(polars.DataFrame({"html": [None]}), columns=["text"])
    assert nothing["error"] == ["the page is null"]
    assert threshr.extract_batch(polars.Series("html", [None]), columns=["text"])["error"] == ["the page is null"]


def test_the_default_columns_are_those_of_the_program(pages, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "a.html").write_bytes(pages[0])
    out = tmp_path / "a.parquet"
    # in another process, because the program starts threads, after which a process must not fork
    subprocess.run([sys.executable, "-m", "threshr", "predict", "-q", tmp_path / "a.html", "--out", out], check=True)
    expected = pq.read_table(out).to_pylist()[0]
    result = threshr.extract_batch([pages[0]])
    assert [*result.column_names] == [name for name in expected if name not in ("id", "url", "date", "model")]
    for name in result.column_names:
        assert result[name][0] == pytest.approx(expected[name]) if "quality" in name or "score" in name else True
        if name in ("title", "authors", "date_published", "text", "defect"):
            assert result[name][0] == expected[name], name
    assert json.loads(result["page_types"][0]).keys() == json.loads(expected["page_types"]).keys()


def test_defects_and_addresses_are_told(pages):
    script = "<html><body><div id=root></div><script src=a.js></script><noscript>You need to enable JavaScript.</noscript>"
    table = [b"", script, "https://example.com/a", pages[0]]
    result = threshr.extract_batch(table)
    assert "empty" in result["defect"][0] and "rendering" in result["defect"][1] and result["defect"][3] is None
    assert "address" in result["error"][2] and result["error"][3] is None
