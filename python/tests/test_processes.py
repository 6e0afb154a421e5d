"""Tests of threads, forks and signals."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import PAGES, SAMPLE, others_run_during

import threshr


@pytest.fixture(autouse=True)
def no_garbage():
    """Collects garbage before a fork: sessions of ONNX, left by markitdown, hang if a forked process destroys them."""
    gc.collect()


def text_of(job):
    extractor, page = job
    return extractor.extract(page).text


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_extractors_work_in_other_processes(method, pages, texts):
    extractor = threshr.Extractor()
    extractor.extract_batch(pages, threads=2)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(text_of, [(extractor, page) for page in pages[:8]]) == texts[:8]


@pytest.mark.parametrize("method", [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()])
def test_results_come_from_other_processes(method, pages, texts):
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(threshr.extract, pages[:6])
        tables = pool.map(threshr.extract_batch, [pages[:2], pages[2:3]])
    assert [extraction.text for extraction in found] == texts[:6]
    assert [table["text"] for table in tables] == [texts[:2], texts[2:3]]
    for page, copy in zip(pages, found):
        original = threshr.extract(page)
        assert repr(copy) == repr(original) and str(copy) == str(original)
        for name in [n for n in dir(threshr.Extraction) if not n.startswith("_")]:
            if name != "blocks":
                assert getattr(copy, name) == getattr(original, name), name
        blocks = [[(b.text, b.score, b.is_content) for b in each.blocks] for each in (copy, original)]
        assert blocks[0] == blocks[1]


def test_results_are_pickled(pages):
    extraction = threshr.extract(pages[1], url="https://a.org/x", links=False)
    twice = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(extraction))))
    assert twice.markdown == extraction.markdown and twice.url == "https://a.org/x"
    assert copy.deepcopy(extraction).units == extraction.units
    block = extraction.blocks[0]
    assert pickle.loads(pickle.dumps(block)).text == block.text
    plain = threshr.extract(pages[1], system="keep-everything")
    assert pickle.loads(pickle.dumps(plain)).quality is None
    recipe = {"features": {"set": "shallow"}, "classifier": {"name": "tree"}}
    scores = threshr.evaluate(SAMPLE, threshr.train(SAMPLE, recipe, threads=2), overlap="allow", threads=2)
    assert pickle.loads(pickle.dumps(scores)).f1 == scores.f1
    table = threshr.extract_batch(pages[:3], columns=["text", "quality", "num_kept"])
    back = pickle.loads(pickle.dumps(table))
    assert all(back[name] == table[name] for name in table.column_names)


def test_a_form_that_fails_fails_in_the_pickled_extraction_too():
    # the page is extracted within the timeout, but writing clean HTML and units of so many blocks takes longer
    extraction = None
    for milliseconds in range(4, 400, 4):
        try:
            extraction = threshr.extract(b"<p>It rained <b>all</b> day in the north.</p>" * 4000, timeout=milliseconds / 1000)
            break
        except threshr.PageTimeoutError:
            pass
    assert extraction is not None
    back = pickle.loads(pickle.dumps(extraction))
    for name in ("text", "markdown", "html", "units", "language", "quality"):
        try:
            value = getattr(back, name)
        except threshr.PageTimeoutError as error:
            assert str(error)
        else:
            assert value is None or value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_after_use_works(pages, texts):
    # All functions that start threads have run in the parent process.
    recipe = {"features": {"set": "shallow"}, "classifier": {"name": "tree"}}
    threshr.train(SAMPLE, recipe, threads=2)
    assert threshr.extract_batch(pages, threads=2)["text"] == texts
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(60)
            good = threshr.extract_batch(pages, threads=2)["text"] == texts
            good = good and threshr.extract(pages[0]).text == texts[0]
            threshr.train(SAMPLE, recipe, threads=2)
        except BaseException:
            os._exit(2)
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_share_an_extractor(pages, texts):
    extractor = threshr.Extractor()
    with ThreadPoolExecutor(32) as pool:
        assert list(pool.map(lambda page: extractor.extract(page).text, pages * 4)) == texts * 4


def test_forms_are_written_once_in_threads(pages):
    extraction = threshr.extract(pages[0])
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: (extraction.markdown, extraction.language), range(64)))
    assert len(set(found)) == 1


def test_other_threads_run_during_a_call(pages):
    page = b"".join(pages) * 4
    others_run_during(lambda: threshr.extract(page))


def test_no_threads_stay(pages):
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("this system has no /proc")
    before = len(os.listdir("/proc/self/task"))
    threshr.extract_batch(pages, threads=4)
    threshr.train(SAMPLE, {"features": {"set": "shallow"}, "classifier": {"name": "tree"}}, threads=4)
    deadline = time.monotonic() + 5
    while len(os.listdir("/proc/self/task")) > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(os.listdir("/proc/self/task")) <= before


def test_ctrl_c_ends_a_batch():
    code = (
        "import sys, threshr\n"
        "pages = [open(p, 'rb').read() for p in sys.argv[1:]] * 4000\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    threshr.extract_batch(pages, threads=2)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, PAGES[:3])], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=10)[0] == "interrupted\n"


def test_imports_are_light():
    code = "import sys, threshr; print([m for m in ('pyarrow', 'numpy', 'datatrove', 'ray') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
