"""Object stores: pages and outputs on a real S3 server on loopback, behind a proxy that injects faults."""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from conftest import RAIN, ROOT, need, warc_record

import threshr

need("pyarrow", "s3fs", "psutil")
import psutil  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from object_store import Proxy, environment, program, server  # noqa: E402

from threshr import _remote  # noqa: E402
from threshr.integrations.warc import extract_file, report  # noqa: E402

if program() is None:
    pytest.skip("*** s3s-fs is not installed: object stores are NOT tested", allow_module_level=True)

FAULTS = {"503": 0.1, "cut": 0.15, "slow": 0.02}
NUM = 400


def digits(seed: int, num_bytes: int) -> bytes:
    """Random hexadecimal digits, which gzip makes half as long."""
    return random.Random(seed).randbytes(num_bytes).hex().encode()


@pytest.fixture(scope="module")
def root(tmp_path_factory, pages):
    """The folder of the server: a bucket with a WARC file of 25 MB, its index, and an empty bucket."""
    root = tmp_path_factory.mktemp("s3")
    (root / "crawl" / "a").mkdir(parents=True)
    (root / "out").mkdir()
    rows, at = [], 0
    with open(root / "crawl" / "a" / "0.warc.gz", "wb") as file:
        for i in range(NUM):
            # Comments of random digits, so that the file is longer than a request.
            page = pages[i % len(pages)] + b"<!--" + digits(i, 50_000) + b"-->"
            member = gzip.compress(warc_record(i, page), 1)
            url, language = f"https://a{i % 7}.org/{i}", "deu,eng" if i % 5 == 0 else "eng"
            rows.append((url, 200, "text/html", language, "a/0.warc.gz", at, len(member)))
            at += file.write(member)
            at += file.write(gzip.compress(warc_record(i + 10_000, b"x", status=404), 1))
    names = ["url", "fetch_status", "content_mime_detected", "content_languages"]
    names += ["warc_filename", "warc_record_offset", "warc_record_length"]
    table = pa.table(dict(zip(names, map(list, zip(*reversed(rows))))))
    table = table.set_column(1, "fetch_status", table["fetch_status"].cast(pa.int16()))
    pq.write_table(table, root / "crawl" / "index.parquet")
    return root


@pytest.fixture
def proxy(root, monkeypatch):
    """The proxy before the server, without faults at first. s3fs of this process uses it."""
    import fsspec

    with server(root) as port:
        proxy = Proxy(port, {})
        for name, value in environment(proxy.server_port).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(_remote, "_FIRST_PAUSE", 0.02)
        fsspec.get_filesystem_class("s3").clear_instance_cache()
        yield proxy
        proxy.shutdown()


def found(reader) -> list[tuple]:
    return [(page.id, page.url, page.html, str(page.error)) for page in reader]


def test_pages_are_the_same_in_spite_of_faults(root, proxy):
    expected = found(threshr.read_pages(root / "crawl/a/0.warc.gz"))
    assert len(expected) == NUM
    proxy.faults = FAULTS
    reader = threshr.read_pages("s3://crawl/a/0.warc.gz")
    before, most, seen = psutil.Process().memory_info().rss, 0, []
    for page in reader:
        seen.append((page.id, page.url, page.html, str(page.error)))
        most = max(most, psutil.Process().memory_info().rss - before)
    assert seen == expected and reader.skipped == {"status other than 2xx": NUM}
    assert proxy.counts["503"] + proxy.counts["cut"] > 0, proxy.counts
    # The pages themselves are kept by the test.
    assert most < sum(len(page[2]) for page in seen) + (100 << 20)
    with open(root / "crawl/a/0.warc.gz", "rb") as file:
        assert found(threshr.read_pages(file)) == expected


def test_an_end_that_stays_away_is_an_error(proxy, monkeypatch):
    monkeypatch.setattr(_remote, "ATTEMPTS", 3)
    reader = threshr.read_pages("s3://crawl/a/0.warc.gz")
    pages = [next(reader)]
    proxy.faults = {"503": 1.0}
    pages += reader
    assert pages[-1].html is None and isinstance(pages[-1].error, threshr.FileError)
    assert "s3://crawl/a/0.warc.gz" in str(pages[-1].error) and "at byte " in str(pages[-1].error)
    assert all(page.error is None and page.defect is None for page in pages[:-1]) and len(pages) < NUM
    proxy.faults = {}
    with pytest.raises(threshr.FileError, match="FileNotFound"):
        threshr.read_pages("s3://crawl/none.warc.gz")
    with pytest.raises(threshr.FileError, match="nostore"):
        threshr.read_pages("nostore://crawl/none.warc.gz")


def test_a_web_server_without_ranges(root, monkeypatch):
    need("aiohttp")

    class Files(SimpleHTTPRequestHandler):
        def __init__(self, *given):
            super().__init__(*given, directory=str(root))

        def log_message(self, *_):
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Files) as upstream:
        threading.Thread(target=upstream.serve_forever, daemon=True).start()
        proxy = Proxy(upstream.server_port, {"503": 0.2, "cut": 0.3})
        monkeypatch.setattr(_remote, "_FIRST_PAUSE", 0.02)
        pages = found(threshr.read_pages(f"http://127.0.0.1:{proxy.server_port}/crawl/a/0.warc.gz"))
        assert pages == found(threshr.read_pages(root / "crawl/a/0.warc.gz"))
        assert proxy.counts["503"] + proxy.counts["cut"] > 0, proxy.counts
        proxy.shutdown()
        upstream.shutdown()


def test_an_object_that_changes_is_an_error(root, proxy):
    path = root / "crawl" / "changing.warc.gz"
    members = [gzip.compress(warc_record(i, RAIN + digits(i, 1_500_000)), 1) for i in range(9)]
    path.write_bytes(b"".join(members))
    remote = _remote.RemoteFile("s3://crawl/changing.warc.gz")
    remote.read(100)
    path.write_bytes(b"".join(members[:-1]))
    remote._drop()
    with pytest.raises(OSError, match="has changed"):
        remote.read(100)


def test_file_objects_fail_with_the_byte():
    class Broken(io.BytesIO):
        name = "broken.warc"

        def read(self, size=-1):
            if self.tell() > 1000:
                raise TimeoutError("no answer")
            return super().read(min(size, 500))

    pages = list(threshr.read_pages(Broken(warc_record(1, RAIN) + warc_record(2, RAIN * 9))))
    assert [page.html for page in pages[:-1]] == [RAIN] and isinstance(pages[-1].error, threshr.FileError)
    assert "broken.warc" in str(pages[-1].error) and "at byte 1500: TimeoutError: no answer" in str(pages[-1].error)

    class Stopped(io.BytesIO):
        def read(self, size=-1):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(threshr.read_pages(Stopped(), format="warc"))
    with pytest.raises(threshr.Error, match="bytes"):
        next(threshr.read_pages(io.StringIO("text"), format="jsonl"))


def test_outputs_are_whole_or_not_there(root, proxy, tmp_path, monkeypatch):
    columns = ["text", "quality"]
    local = extract_file(root / "crawl/a/0.warc.gz", tmp_path, columns)
    proxy.faults = FAULTS
    stats = extract_file("s3://crawl/a/0.warc.gz", "s3://out", columns)
    assert stats.error is None and (stats.pages, stats.failed) == (NUM, 0), stats.error
    proxy.faults = {}
    assert pq.read_table(root / "out" / stats.output).equals(pq.read_table(tmp_path / local.output))
    num = len(proxy.requests)
    assert extract_file("s3://crawl/a/0.warc.gz", "s3://out", columns) == stats
    assert not [1 for method, _, _ in proxy.requests[num:] if method == "PUT"], "a complete file is not written again"
    totals = report("s3://out", ["s3://crawl/a/0.warc.gz", "s3://crawl/none.warc.gz"])
    assert (totals["pages"], totals["extracted"], totals["files"]) == (NUM, NUM, 1)
    assert totals["missing_files"] == ["s3://crawl/none.warc.gz"] and totals["wrong_parts"] == []
    # An upload that fails leaves nothing.
    (root / "out" / stats.output).unlink()
    monkeypatch.setattr(_remote, "ATTEMPTS", 2)
    monkeypatch.setattr(_remote.RemoteFolder, "place", lambda *_: (_ for _ in ()).throw(OSError("no space")))
    failed = extract_file("s3://crawl/a/0.warc.gz", "s3://out", columns)
    assert "no space" in failed.error and not (root / "out" / stats.output).exists()


def test_an_index_selects_records(root, proxy, tmp_path):
    whole = {page.url: page for page in threshr.read_pages(root / "crawl/a/0.warc.gz")}
    proxy.faults = FAULTS
    index = {"root": "s3://crawl", "languages": ["deu"], "statuses": [200], "mimes": ["text/html"]}
    pages = list(threshr.read_index("s3://crawl/index.parquet", **index))
    assert [page.url for page in pages] == [f"https://a{i % 7}.org/{i}" for i in range(0, NUM, 5)]
    assert all(page.html == whole[page.url].html for page in pages)
    one = list(threshr.read_index(root / "crawl/index.parquet", root / "crawl", domains=["a3.org"]))
    assert {page.url for page in one} == {url for url in whole if url.startswith("https://a3.org/")}
    proxy.faults, num = {}, len(proxy.requests)
    assert len(list(threshr.read_index(root / "crawl/index.parquet", "s3://crawl"))) == NUM
    ranges = [byte_range for method, _, byte_range in proxy.requests[num:] if byte_range]
    assert len(ranges) < NUM / 20, "neighbours are one request"
    stats = extract_file(root / "crawl/index.parquet", tmp_path, ["text"], index=index)
    assert (stats.pages, stats.failed, stats.error) == (NUM // 5, 0, None)
    with pytest.raises(threshr.DataError, match="fetch_status"):
        broken = pq.read_table(root / "crawl/index.parquet").drop_columns("fetch_status")
        pq.write_table(broken, tmp_path / "broken.parquet")
        threshr.read_index(tmp_path / "broken.parquet", "s3://crawl", statuses=[200])


def test_records_that_are_not_there_are_failures(root, proxy, tmp_path):
    rows = {
        "warc_filename": ["a/0.warc.gz", "a/0.warc.gz", "a/none.warc.gz", "../secret", None],
        "warc_record_offset": [10**12, 7, 0, 0, 0],
        "warc_record_length": [1000, 1000, 1000, 1000, 1000],
    }
    pq.write_table(pa.table(rows), tmp_path / "index.parquet")
    for files in (root / "crawl", "s3://crawl"):
        pages = list(threshr.read_index(tmp_path / "index.parquet", files))
        assert len(pages) == 5 and all(page.html is None and page.error for page in pages), pages


def test_the_program_reads_a_pipe(root, proxy, tmp_path):
    path, out = root / "crawl/a/0.warc.gz", tmp_path / "part.parquet"
    command = f"{sys.executable} -m threshr predict - --input-format warc --out {out}"
    subprocess.run(f"cat {path} | {command}", shell=True, check=True, capture_output=True)
    assert pq.read_metadata(out).num_rows == NUM
    before = sorted(tmp_path.iterdir())
    command = command.replace("part.parquet", "cut.parquet")
    cut = subprocess.run(f"head -c 3000000 {path} | {command}", shell=True, capture_output=True, text=True)
    assert cut.returncode == 2 and "ends too early" in cut.stderr and sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_a_cluster_with_faults_and_killed_workers(engine, root, tmp_path):
    need("ray" if engine == "ray" else "pyspark")
    script = ROOT / "notebooks-free-scripts" / "billion_pages.py"
    command = [sys.executable, script, tmp_path, "--engines", engine, "--files", "6", "--pages", "200"]
    done = subprocess.run([*command, "--folder", ROOT / "datasets/sample/pages"], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads((tmp_path / f"{engine}.json").read_text())
    assert found["same_rows"] and found["killed"] > 0 and found["faults"] > 0
