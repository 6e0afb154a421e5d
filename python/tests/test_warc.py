"""Tests of files of pages: reading of intact and corrupt files, and `extract_file`."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import time
import zlib

import pytest
from conftest import RAIN, need, others_run_during, warc_record

import threshr

CZECH = "<p>Příliš žluťoučký kůň úpěl ďábelské ódy celý den a celou noc.</p>"


def compressed(*records: bytes) -> bytes:
    return b"".join(gzip.compress(record, 1) for record in records)


def chunked(body: bytes) -> bytes:
    half = len(body) // 2
    parts = [body[:half], body[half:], b""]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


@pytest.fixture
def crawl(tmp_path):
    """Writes a file and returns its path."""

    def write(content: bytes, name: str = "crawl.warc.gz"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    return write


def test_pages_are_read_without_the_encodings_of_http(crawl):
    deflated = zlib.compress(RAIN)
    records = [
        warc_record(1, RAIN),
        warc_record(2, gzip.compress(RAIN), headers="Content-Encoding: gzip\r\n"),
        warc_record(3, chunked(RAIN), headers="Transfer-Encoding: chunked\r\n"),
        warc_record(4, chunked(deflated), headers="Content-Encoding: deflate\r\nTransfer-Encoding: chunked\r\n"),
        warc_record(5, CZECH.encode("windows-1250"), kind="text/html; charset=windows-1250"),
        warc_record(6, b"x", status=404),
        warc_record(7, b"x", kind="image/png"),
    ]
    for content, name in ((compressed(*records), "a.warc.gz"), (b"".join(records), "a.warc")):
        reader = threshr.read_pages(crawl(content, name))
        found = list(reader)
        assert [page.html for page in found[:4]] == [RAIN] * 4
        assert [page.error for page in found] == [None] * 5 and [page.defect for page in found] == [None] * 5
        assert found[4].charset == "windows-1250" and found[0].charset is None
        assert found[0].url == "https://a1.org/1" and found[0].date == "2026-11-01T00:00:00Z"
        assert reader.skipped == {"status other than 2xx": 1, "not HTML": 1}
        copy = pickle.loads(pickle.dumps(found[4]))
        assert (copy.id, copy.html, copy.charset) == (found[4].id, found[4].html, found[4].charset)


def test_damage_is_told_and_the_rest_is_read(crawl):
    members = [gzip.compress(warc_record(i, RAIN), 1) for i in range(4)]
    whole = b"".join(members)
    cut = list(threshr.read_pages(crawl(whole[:-20])))
    assert [page.html for page in cut[:3]] == [RAIN] * 3
    # the existing part of the last page is read
    assert len(cut) == 4 and RAIN.startswith(cut[3].html) and isinstance(cut[3].defect, threshr.DataError)
    assert "crawl.warc.gz" in str(cut[3].defect) and "missing" in str(cut[3].defect)
    middle = list(threshr.read_pages(crawl(b"".join([members[0], members[1][:-30], *members[2:]]))))
    assert [page.html is None for page in middle] == [False, True, False, False]
    assert pickle.loads(pickle.dumps(middle[1])).error.args == middle[1].error.args
    plain = b"".join(warc_record(i, RAIN) for i in range(2))
    last = list(threshr.read_pages(crawl(plain[:-40], "plain.warc")))[-1]
    assert last.html is not None and "missing" in str(last.defect)
    empty = list(threshr.read_pages(crawl(b"", "empty.warc.gz")))
    assert len(empty) == 1 and "empty" in str(empty[0].error)
    with pytest.raises(threshr.FileError):
        threshr.read_pages("none.warc.gz")
    with pytest.raises(threshr.OptionError, match="warc"):
        threshr.read_pages(crawl(whole), format="wrac")
    for wrong in ({"path": 5}, {"path": "x", "html": 3}, {"path": "x", "max_bytes": -1}, {"path": "x", "max_bytes": "1"}):
        with pytest.raises(threshr.OptionError):
            threshr.read_pages(**wrong)


def test_other_files_and_limits(crawl):
    lines = "".join(json.dumps({"page": text, "id": str(i)}) + "\n" for i, text in enumerate(["<p>a", "<p>" + "b" * 99]))
    found = list(threshr.read_pages(crawl(lines.encode(), "pages.jsonl"), html="page", max_bytes=50))
    assert [page.html for page in found] == [b"<p>a", None] and isinstance(found[1].error, threshr.TooLargeError)
    listed = crawl(f"{crawl(RAIN, 'a.html')}\nnone.html\n".encode(), "files.list")
    found = list(threshr.read_pages(listed))
    assert [page.html for page in found] == [RAIN, None] and isinstance(found[1].error, threshr.FileError)


def test_other_threads_run_while_a_file_is_read(crawl):
    page = RAIN + b"<!-- " + bytes(range(32, 127)) * 200_000 + b"-->"
    path = crawl(compressed(*[warc_record(i, page) for i in range(12)]))

    def read():
        assert sum(1 for _ in threshr.read_pages(path)) == 12

    others_run_during(read)


def test_memory_is_bounded(crawl):
    need("psutil")
    import psutil

    page = RAIN + b"<!-- " + b"x" * (4 << 20) + b"-->"
    path = crawl(compressed(*[warc_record(i, page) for i in range(40)]))
    reader = threshr.read_pages(path)
    next(reader)
    before, most = psutil.Process().memory_info().rss, 0
    for _ in reader:
        most = max(most, psutil.Process().memory_info().rss - before)
    assert most < 60 << 20


# `extract_file`


@pytest.fixture
def extract_file():
    need("pyarrow")
    from threshr.integrations.warc import extract_file

    return extract_file


def rows(out, stats) -> list[dict]:
    import pyarrow.parquet as pq

    return pq.read_table(out / stats.output).to_pylist()


def test_a_file_with_damage(crawl, extract_file, tmp_path):
    from threshr.integrations.warc import report

    out = tmp_path / "out"
    out.mkdir()
    members = [gzip.compress(warc_record(i, RAIN), 1) for i in range(5)]
    members[3] = gzip.compress(warc_record(3, CZECH.encode("windows-1250"), kind="text/html; charset=windows-1250"), 1)
    stats = extract_file(crawl(b"".join(members)[:-9]), out, ["quality", "text"], policy="full")
    assert (stats.pages, stats.failed, stats.defects, stats.empty, stats.error) == (5, 0, 1, 0, None)
    found = rows(out, stats)
    assert list(found[0]) == ["id", "url", "date", "quality", "text", "error"]
    assert [bool(row["error"]) for row in found] == [False] * 5
    assert "žluťoučký" in found[3]["text"], "the charset of the HTTP header"
    # the last page is extracted, and the truncation is reported
    assert len(stats.failures) == 1 and "truncated" in stats.failures[0]["error"] and found[4]["text"]
    torn = extract_file(crawl(b"".join([*members[:2], members[2][:40], *members[3:]]), "torn.warc.gz"), out)
    assert (torn.pages, torn.failed) == (5, 1) and "byte" in torn.failures[0]["error"]
    assert rows(out, torn)[2]["error"] == torn.failures[0]["error"] and sum(torn.kinds.values()) == 1
    (out / torn.output).unlink()
    (out / torn.output).with_suffix(".json").unlink()
    assert stats.text_bytes == sum(len((row["text"] or "").encode()) for row in found)
    empty = extract_file(crawl(b"", "empty.warc.gz"), out)
    garbage = extract_file(crawl(b"no archive" * 99, "garbage.warc.gz"), out)
    missing = extract_file(tmp_path / "missing.warc.gz", out)
    assert "empty" in empty.error and garbage.error and "no such file" in missing.error.lower()
    assert len(list(out.glob("*.parquet"))) == 1 and len(list(out.iterdir())) == 5, "a failed file is not done"
    totals = report(out, [stats.path, tmp_path / "other.warc.gz"])
    assert totals["missing_files"] == [str(tmp_path / "other.warc.gz")] and totals["wrong_parts"] == []
    assert (totals["extracted"], totals["failed"], totals["kinds"]) == (5, 0, {})
    assert totals["files"] == 1 and totals["pages"] == 5 and len(totals["failed_files"]) == 3
    assert totals["failures"] == {stats.path: stats.failures}
    whole = extract_file(crawl(b"".join(members)), out, ["quality", "text"], policy="full")
    assert whole.failed == 0, "a file that is fetched again is done again"
    no_pages = extract_file(crawl(compressed(warc_record(1, b"x", kind="image/png")), "images.warc.gz"), out)
    assert no_pages.error is None and no_pages.pages == 0 and no_pages.skipped == {"not HTML": 1}


def test_a_wrong_call_raises(crawl, extract_file, tmp_path):
    path = crawl(compressed(warc_record(1, RAIN)))
    with pytest.raises(threshr.FileError, match="is not a folder"):
        extract_file(path, tmp_path / "nowhere")
    with pytest.raises(threshr.FileError, match="is not a folder"):
        extract_file(path, path)
    with pytest.raises(threshr.FileError, match="is a folder"):
        extract_file(tmp_path, tmp_path)
    for wrong in ({"columns": "text"}, {"path": None}, {"out": 3}):
        with pytest.raises(threshr.ArgumentTypeError, match="expected"):
            extract_file(**{"path": path, "out": tmp_path, **wrong})
    assert not list(tmp_path.glob("*.parquet"))


def test_columns_of_any_type_and_wrong_options(crawl, extract_file, tmp_path):
    path = crawl(compressed(warc_record(1, RAIN), warc_record(2, b"<p></p>")))
    for columns in (["quality"], ["num_kept", "text"], ["num_kept"], ["language", "html"], []):
        stats = extract_file(path, tmp_path, columns)
        assert (stats.pages, stats.failed, stats.empty, stats.error) == (2, 0, 1, None), columns
        assert list(rows(tmp_path, stats)[0]) == ["id", "url", "date", *columns, "error"]
    for wrong in ({"columns": ["txet"]}, {"polcy": "full"}, {"policy": "fuull"}, {"columns": "text"}):
        with pytest.raises((threshr.OptionError, TypeError)):
            extract_file(path, tmp_path, **wrong)


def test_a_run_again(crawl, extract_file, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    path = crawl(compressed(*[warc_record(i, RAIN) for i in range(3)]))
    model = tmp_path / "model.json"
    first = extract_file(path, out)
    target, stats_path = out / first.output, (out / first.output).with_suffix(".json")

    def is_done_again(*columns, **options) -> bool:
        before = target.stat().st_mtime_ns
        time.sleep(0.01)
        stats = extract_file(path, out, *columns, **options)
        assert stats.error is None and stats.output == first.output and stats.pages == 3
        return target.stat().st_mtime_ns != before

    assert not is_done_again()
    assert is_done_again(policy="full") and not is_done_again(policy="full"), "other options"
    assert is_done_again(["text"], policy="full") and is_done_again(), "other columns"
    assert is_done_again(model="tiny") and not is_done_again(model="tiny"), "another shipped model"
    recipe = {"features": {"set": "shallow"}, "classifier": {"name": "tree"}}
    pages = [{"html": RAIN, "text": "Rain"}] * 8
    threshr.train(pages, recipe, threads=1).save(model)
    assert is_done_again(model=model) and not is_done_again(model=model)
    model.unlink()
    threshr.train(pages, {**recipe, "seed": 5}, threads=1).save(model)
    assert is_done_again(model=model), "another model in the same file"
    assert is_done_again()
    stats_path.write_text(stats_path.read_text()[:50])
    assert is_done_again(), "torn statistics"
    stats_path.write_text("[]")
    assert is_done_again(), "other statistics"
    target.write_bytes(target.read_bytes()[:100])
    assert is_done_again(), "a torn Parquet file"
    path.write_bytes(compressed(*[warc_record(i, RAIN + RAIN) for i in range(3)]))
    assert is_done_again(), "another input"
    assert sorted(p.name for p in out.iterdir()) == sorted([target.name, stats_path.name])


def test_equal_names_in_two_folders(crawl, extract_file, tmp_path):
    paths = [crawl(compressed(*[warc_record(i, RAIN)] * (i + 1)), f"{i}/a.warc.gz") for i in range(2)]
    out = tmp_path / "out"
    out.mkdir()
    stats = [extract_file(path, out) for path in paths]
    assert [len(rows(out, each)) for each in stats] == [1, 2] and len(list(out.glob("*.parquet"))) == 2


def test_nothing_is_left_behind(crawl, extract_file, tmp_path, monkeypatch):
    from threshr.integrations import warc

    path, out = crawl(compressed(warc_record(1, RAIN))), tmp_path / "out"
    out.mkdir()
    (out / ".crawl.warc.gz-0.x.part").write_text("of a killed worker")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    stats = extract_file(path, out)
    assert "No space left" in stats.error
    monkeypatch.undo()
    assert warc.report(out, [path])["missing_files"] == [str(path)]
    assert [p.name for p in out.iterdir()] == ["report.json"]


def test_folders_and_lists_of_files(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("1.html", "b/2.html"):
        (tmp_path / name).write_bytes(RAIN)
    assert {page.id for page in threshr.read_pages(tmp_path)} == {"1", "2"}
    listed = [tmp_path / "1.html", str(tmp_path / "b")]
    assert [page.html for page in threshr.read_pages(listed)] == [RAIN, RAIN]
    for wrong in ([], ["https://example.org/a.warc.gz"], [5]):
        with pytest.raises(threshr.OptionError):
            threshr.read_pages(wrong)


def test_the_row_of_a_cut_page_has_its_defect(crawl, extract_file, tmp_path):
    path = crawl(b"".join(warc_record(i, RAIN) for i in range(2))[:-40], "plain.warc")
    stats = extract_file(path, tmp_path)
    found = rows(tmp_path, stats)
    assert stats.defects == 1 and found[0]["defect"] is None and "missing" in found[1]["defect"]
    assert {"title", "authors", "date_published"} <= found[0].keys()
