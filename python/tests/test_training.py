"""Tests of training, evaluation, comparison, the feature matrix and models."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import signal
import subprocess
import sys
import time

import pytest
from conftest import RAIN, ROOT, SAMPLE, need

import threshr

TREE = {"features": {"set": "shallow+density"}, "classifier": {"name": "tree"}}


def gold() -> list[dict]:
    lines = (SAMPLE / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [
        {
            "id": r["id"],
            "html": (SAMPLE / r.get("file", f"pages/{r['id']}.html")).read_bytes(),
            "text": r["gold"],
            "url": r.get("url"),
        }
        for r in records
    ]


@pytest.fixture(scope="module")
def tree() -> threshr.Model:
    return threshr.train(SAMPLE, TREE)


def test_the_same_data_give_the_same_model(tree):
    again = threshr.train(str(SAMPLE), "[features]\nset = 'shallow+density'\n[classifier]\nname = 'tree'", threads=1)
    assert again.to_bytes() == tree.to_bytes()
    assert "shallow+density" in tree.recipe and "shallow.num_chars" in tree.feature_names
    assert "tree" in repr(tree) and "held out" in tree.show()
    assert "share of the fit" in tree.show(columns=3)


def test_models_are_saved_and_loaded(tree, tmp_path):
    path = tmp_path / "tree.json"
    tree.save(path)
    assert threshr.Model.load(path).to_bytes() == tree.to_bytes()
    assert threshr.extract(RAIN, model=path).text == threshr.extract(RAIN, model=tree).text
    recipe = tmp_path / "tree.toml"
    recipe.write_text(tree.recipe)
    assert threshr.train([SAMPLE], recipe).to_bytes() == tree.to_bytes()
    assert threshr.train([SAMPLE], path).to_bytes() == tree.to_bytes()
    with pytest.raises(threshr.FileError):
        tree.save(tmp_path / "none" / "x.json")


def test_pages_in_memory_are_trained_on(tree):
    pages = gold()
    model = threshr.train(pages, TREE)
    of_memory = threshr.evaluate(pages, model, overlap="allow")
    of_files = threshr.evaluate(SAMPLE, tree, overlap="allow")
    assert len(of_memory.pages) == len(of_files.pages) == len(pages)
    assert of_memory.f1 == pytest.approx(of_files.f1, abs=0.03)
    for wrong in ([{"html": "x"}], [5], [{"html": 5, "text": "x"}]):
        with pytest.raises((threshr.Error, TypeError)):
            threshr.train(wrong)


def test_scores(tree):
    scores = threshr.evaluate(SAMPLE, tree, overlap="allow")
    low, high = scores.f1_interval
    assert low < scores.f1 < high and 0.5 < scores.precision <= 1 and 0.5 < scores.recall <= 1
    assert "f1=" in repr(scores) and "f1=" in repr(scores.pages[0])
    assert threshr.evaluate(SAMPLE, overlap="allow").f1 > scores.f1, "the shipped model is trained on the sample"


def test_pages_that_a_model_has_seen_are_not_scored_silently(tree):
    known, new = gold()[:3], report(0, "https://news.example.co.uk")
    for call in (
        lambda: threshr.evaluate(SAMPLE, tree),
        lambda: threshr.evaluate(SAMPLE),
        lambda: threshr.evaluate([*known, new], threshr.train(gold(), TREE)),
        lambda: threshr.compare(SAMPLE, {"a": tree}),
        lambda: threshr.evaluate(SAMPLE, tree, overlap="skip"),
    ):
        with pytest.raises(threshr.DataError, match="trained on"):
            call()
    skipped = threshr.evaluate([*known, new], threshr.train(gold(), TREE), overlap="skip")
    assert [page.id for page in skipped.pages] == ["3"]
    with pytest.raises(threshr.OptionError, match="error, skip, allow"):
        threshr.evaluate([new], tree, overlap="all")


def test_shipped_models_have_names():
    tiny = threshr.Model.load("tiny")
    assert tiny.to_bytes() != threshr.Model.load("default").to_bytes() == threshr.Model.load().to_bytes()
    assert threshr.extract(RAIN, model="tiny").text == threshr.extract(RAIN, model=tiny).text
    extractor = pickle.loads(pickle.dumps(threshr.Extractor(model="tiny")))
    assert extractor.extract(RAIN).text == threshr.extract(RAIN, model=tiny).text


def test_comparisons(tree):
    first, second, third = threshr.compare(
        SAMPLE, {"tree": TREE, "again": TREE, "fitted": tree}, folds=3, overlap="allow"
    )
    assert (first.name, first.difference) == ("tree", 0.0) and second.scores.f1 == first.scores.f1
    assert third.interval[0] <= third.difference <= third.interval[1]
    assert third.difference > 0, "a model is better on pages that it has seen"


def report(number: int, url: str) -> dict:
    """Returns a page of a site whose template contains an advertisement that resembles a paragraph."""
    paragraphs = [
        f"Paragraph {i} of report {number} says, in a few plain words, what happened to number {5 * number + i}."
        for i in range(4)
    ]
    goods = ["shoes", "lamps", "boats", "tents"][number]
    html = (
        f"<title>Report {number}</title><ul class=menu><li><a href=/>Home</a></ul><div id=main>"
        + "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        + f"</div><div class=partner-box><p>Our partners sell {goods} at low prices, and you can order them today.</p>"
        f"<p>Everybody in town who likes {goods} has ordered some of them already, as our partners tell us.</p></div>"
    )
    return {"html": html, "text": "\n".join(paragraphs), "url": url and f"{url}/{number}"}


def test_a_model_is_taught_a_site(tree):
    address = "https://news.example.co.uk"
    pages, new = [report(i, address) for i in range(3)], report(3, address)
    adapted = threshr.adapt(pages, tree)
    (site,) = adapted.sites
    assert (site.site, site.pages, site.left_out, site.kept) == ("example.co.uk", 3, True, True)
    assert site.before < site.after and "kept=True" in repr(site) and adapted.num_unusable == 0
    strange = [{**page, "text": "Another text, of which nothing is on the page."} for page in pages]
    with pytest.raises(threshr.DataError, match="gold text of 3 pages"):
        threshr.adapt(strange, tree)
    assert pickle.loads(pickle.dumps(site)).after == site.after

    def text(model, url):
        return threshr.extract(new["html"], url=url, model=model).text

    assert "partners" in text(tree, new["url"]) and "partners" not in text(adapted.model, new["url"])
    assert "Paragraph 3" in text(adapted.model, new["url"])
    assert text(adapted.model, "https://other.example/1") == text(tree, "https://other.example/1")
    # the number of threads does not change the model
    assert threshr.adapt(pages, tree, threads=1).model.to_bytes() == adapted.model.to_bytes()
    nameless = [report(i, "") for i in range(3)]
    named = threshr.adapt(nameless, tree, site=f"{address}/x", prior=2)
    assert named.sites[0].site == "example.co.uk"
    with pytest.raises(threshr.DataError, match="unknown"):
        threshr.adapt(nameless, tree)
    with pytest.raises(threshr.DataError, match="states the site example.co.uk, not example.org"):
        threshr.adapt(pages, tree, site="example.org")
    mixed = threshr.adapt([*pages, {**nameless[0], "id": "lost"}, report(3, "https://other.example")], tree, site=address)
    assert mixed.sites[0].pages == 4 and mixed.unknown == [] and mixed.of_other_sites == [("4", "other.example")]
    assert threshr.adapt([*pages, {**nameless[0], "id": "lost"}], tree).unknown == ["lost"]
    for wrong in ({"prior": 0}, {"prior": float("nan")}, {"prior": 10**400}, {"site": ""}):
        with pytest.raises(threshr.OptionError):
            threshr.adapt(pages, tree, **wrong)
    for wrong in ({"prior": "1"}, {"site": 5}, {"threads": 1.5}):
        with pytest.raises(TypeError):
            threshr.adapt(pages, tree, **wrong)
    with pytest.raises(TypeError):
        threshr.adapt(pages, 5)
    assert threshr.adapt(pages, "tiny").sites[0].site == "example.co.uk"


def test_wrong_recipes(tmp_path):
    for wrong in ({"x": 1}, "x = 1\n", {"classifier": {"name": "none"}}, {"features": {"set": "none"}}):
        with pytest.raises(threshr.Error):
            threshr.train(SAMPLE, wrong)
    with pytest.raises(threshr.Error):
        threshr.train(SAMPLE, tmp_path / "none.toml")
    with pytest.raises(threshr.Error):
        threshr.train(tmp_path / "none")


def test_the_feature_matrix(pages, tree):
    table = threshr.features(pages[:3], features="shallow")
    assert table.column_names[6:9] == ["label", "text", "shallow.num_chars"]
    assert table.column_names[:6] == ["set", "page", "site", "url", "block", "share"]
    assert table["label"] == [None] * len(table)
    blocks = [block.text for page in pages[:3] for block in threshr.extract(page).blocks]
    assert table["text"] == blocks
    assert table["shallow.num_chars"][:5] == [len(t) for t in blocks[:5]]
    labelled = threshr.features(SAMPLE, model=tree, threads=2)
    assert labelled.column_names[8:] == tree.feature_names
    assert 0 < sum(labelled["label"]) < len(labelled)
    assert threshr.features([RAIN], features="shallow", neighbours=[1]).column_names[-1].endswith("@+1")
    with pytest.raises(threshr.Error):
        threshr.features([RAIN], features="none")


def test_the_matrix_is_that_of_the_program(tmp_path):
    import csv
    import subprocess
    import sys

    out = tmp_path / "blocks.csv"
    command = [sys.executable, "-m", "threshr", "features", str(SAMPLE), "--features", "density", "--out", str(out), "-q"]
    subprocess.run(command, check=True)
    with open(out, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = threshr.features(SAMPLE, features="density")
    assert len(rows) == len(table)
    for name in ("density.text_density", table.column_names[-1]):
        if name in rows[0]:
            assert [float(row[name]) for row in rows] == pytest.approx(table[name])
    assert [row["label"] == "1" for row in rows] == table["label"]


def test_scikit_learn_fits_on_the_matrix():
    need("pyarrow", "sklearn", "numpy")
    import numpy as np
    import pyarrow as pa
    from sklearn.linear_model import LogisticRegression

    table = pa.table(threshr.features(SAMPLE, features="shallow"))
    names = [name for name in table.column_names if name.startswith("shallow.")]
    x = np.column_stack([table[name].to_numpy() for name in names])
    y = table["label"].to_numpy()
    assert LogisticRegression(max_iter=2000).fit(x, y).score(x, y) > 0.6
    assert (ROOT / "models").is_dir()


@pytest.mark.parametrize("what", ["train", "evaluate", "compare"])
def test_an_interrupt_ends_the_work(what, tmp_path):
    """Ctrl-C raises an exception within seconds, and all temporary files are removed."""
    program = f"""
import signal, sys
import threshr
signal.signal(signal.SIGINT, signal.default_int_handler)
page = open({str(SAMPLE / "pages/4565.html")!r}, encoding="utf-8").read()
text = threshr.extract(page).text
words = text.split()
# copies of a page would be left out
data = [
    {{"html": page.replace("tiny", f"tiny{{i}}"), "text": text, "url": f"https://site{{i}}.org/a"}} for i in range(4000)
]
recipe = {{"features": {{"set": "shallow"}}, "classifier": {{"name": "gbt", "params": {{"rounds": 5000}}}}}}
run = {{
    "train": lambda: threshr.train(data[:300], recipe),
    "evaluate": lambda: threshr.evaluate(data),
    "compare": lambda: threshr.compare(data[:300], {{"a": recipe}}, folds=5),
}}
print("ready", flush=True)
try:
    run[{what!r}]()
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # the module works on
    assert threshr.extract(page).text == text
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        time.sleep(1.5)
        assert process.poll() is None, "the work is too short for this test"
        process.send_signal(signal.SIGINT)
        started = time.monotonic()
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "interrupted\n"), error
    assert time.monotonic() - started < 20
    assert list(tmp_path.iterdir()) == []


def test_pages_in_memory_are_checked():
    good = {"html": RAIN, "text": "It rained."}
    wrong = [
        ("page 1", {"html": RAIN, "text": None}),
        ("page 1", {"html": None, "text": "x"}),
        ("page 1", {"html": RAIN, "text": b"x"}),
        ("page 1", {"html": [60], "text": "x"}),
        ("page 1", {"html": RAIN}),
        ("page 1", {**good, "url": 5}),
        ("page 1", 7),
    ]
    for place, entry in wrong:
        for call in (threshr.evaluate, threshr.train):
            with pytest.raises(threshr.OptionError, match=place):
                call([good, entry])
    lone = threshr.evaluate([{"html": "<p>A lone \ud800 surrogate in a sentence of a page.", "text": "A lone \ud800"}])
    assert 0 < lone.f1 <= 1


def test_arguments_of_wrong_types():
    good = [{"html": RAIN, "text": "It rained."}]
    calls = [
        lambda: threshr.evaluate([]),
        lambda: threshr.evaluate(5),
        lambda: threshr.evaluate(good, model="model.json"),
        lambda: threshr.evaluate(good, threads=-1),
        lambda: threshr.evaluate(good, format=5),
        lambda: threshr.train(good, 5),
        lambda: threshr.train(good, {"features": {1, 2}}),
        lambda: threshr.train(good, threads="2"),
        lambda: threshr.compare(good, [None]),
        lambda: threshr.compare(good, {"a": None}, folds=-1),
        lambda: threshr.features([RAIN], features=5),
        lambda: threshr.features([RAIN], neighbours=["1"]),
        lambda: threshr.features([RAIN], threads=-1),
        lambda: threshr.features([RAIN], model=5),
        lambda: threshr.features(5),
        lambda: threshr.features([1, 2]),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(threshr.Error):
            call()
            pytest.fail(f"call {number}")


def test_models_are_named_and_their_own_labels_are_told(tmp_path, pages):
    (tmp_path / "1.html").write_bytes(pages[0])
    blocks = threshr.extract(pages[0]).blocks
    labels = [
        {"source": None, "text": b.text, "label": "content" if b.is_content else "boilerplate", "by": "model"} for b in blocks
    ]
    record = {
        "format": "threshr-annotations-1",
        "id": "1.html",
        "url": None,
        "sha256": hashlib.sha256(pages[0]).hexdigest(),
        "annotator": "ada",
        "time": "2026-11-28T10:00:00Z",
        "state": "done",
        "model": "tiny",
        "labels": labels,
    }
    (tmp_path / "annotations.jsonl").write_text(json.dumps(record) + "\n")
    with pytest.warns(UserWarning, match="100 % of the gold words have labels of the model `tiny`") as told:
        threshr.evaluate(tmp_path, "tiny", overlap="allow")
    assert told[0].filename == __file__
    with pytest.raises(threshr.FileError, match="default, .*tiny"):
        threshr.evaluate(tmp_path, "tinyy")
