"""Tests of `threshr-render`: the folder of rendered pages, continued runs, signals, wrong calls."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from drawing import IS_ROOT, RENDER, SETTINGS, chromiums, render, threshr

from threshr import DataError
from threshr.render._browser import Browser, find


def toy_set(folder: Path, num_pages: int) -> Path:
    """A small annotated set: pages of distinct sites with menus, a heading, paragraphs and a footer."""
    (folder / "pages").mkdir(parents=True)
    lines = []
    for i in range(num_pages):
        body = [
            f"Paragraph {p} of story {i} tells, in a few plain words, what happened to {i * 7 + p}." for p in range(3 + i)
        ]
        (folder / f"pages/{i}.html").write_text(
            f"<title>Story {i}</title><ul><li><a href=/>Home</a><li><a href=/n>News</a></ul><div id=main><h1>Story number "
            f"{i}</h1>{''.join(f'<p>{b}</p>' for b in body)}</div><div>Copyright {i} | <a href=/c>Contact us</a></div>"
        )
        gold = "\n".join([f"Story number {i}", *body])
        line = {"id": str(i), "file": f"pages/{i}.html", "url": f"http://www.site{i}.com/a", "lang": "en", "gold": gold}
        lines.append(json.dumps(line | ({"encoding": "latin1"} if i == 0 else {})))
    (folder / "gold.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "policy.toml").write_text('policy = "article"\n')
    return folder


def page_in(folder: Path, name: str, html: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(html if isinstance(html, bytes) else html.encode())
    return folder / name


def test_a_set_is_drawn_kept_and_used(tmp_path):
    data, out = toy_set(tmp_path / "toy", 4), tmp_path / "drawn"
    page_in(data / "pages", "3.html", b"%PDF-1.4 no page")
    call = (data, "--out", out, "--jobs", "1", "--timeout", "60", "--wait", "50")
    told = render(*call, code=2)
    assert "page 3" in told and "1 of 4 pages failed" in told
    assert (out / "policy.toml").read_text() == 'policy = "article"\n'
    expected = 'width = 1280\nheight = 1024\nwait = 50\nnetwork = false\npolicy = "article"\n'
    assert (out / "render.toml").read_text() == expected
    gold = (out / "gold.jsonl").read_text()
    assert gold.count("\n") == 3 and "encoding" not in gold
    assert "Story number 2" in gold and "http://www.site2.com/a" in gold
    table = (out / "render.csv").read_text()
    assert table.startswith("page,file,url,state,width,height,elements,lost,error\n")
    assert "3,pages/3.html,,failed,,,,,page 3: the page is" in table
    assert "0,pages/0.html,http://www.site0.com/a,drawn,1280,1024," in table
    page, geometry = (out / "pages/0.html").read_bytes(), (out / "pages/0.geometry.json").read_bytes()
    assert page.startswith("\ufeff".encode()) and b'<base href="http://www.site0.com/a">' in page
    assert geometry.startswith(b'{"format":"threshr-geometry","version":2,')
    journal = [line for line in (out / "render.jsonl").read_text().splitlines() if line]
    assert journal[0].startswith('{"file":"pages/0.html","source":"sha256:') and len(journal) == 3

    # existing pages are skipped, and failed pages are rendered again
    page_in(data / "pages", "3.html", "<p>A page again")
    told = render(*call)
    assert "3 pages already exist" in told and "1 page is rendered" in told
    assert ((out / "pages/0.html").read_bytes(), (out / "pages/0.geometry.json").read_bytes()) == (page, geometry)
    assert (out / "gold.jsonl").read_text().count("\n") == 4
    assert "rendered with other options" in render(*call, "--width", "800", code=2)
    assert render(*call, "--width", "800", "--force", "--quiet") == ""
    assert "0,pages/0.html,http://www.site0.com/a,drawn,800," in (out / "render.csv").read_text()

    # the columns exist, and training reads them
    columns = threshr("features", "--features", "drawn,visual", "--format", "csv", out / "pages/0.html").splitlines()
    # the index counts from the end, because the text of a block may contain commas
    at = columns[0].split(",")[::-1].index("drawn.has_style")
    assert all(row.split(",")[::-1][at] == "1" for row in columns[1:])
    model = tmp_path / "model.json"
    threshr("train", "--classifier", "tree", "--features", "shallow,visual,drawn", "--out", model, "--data", out)
    assert "Story number 0" in threshr("predict", "--model", model, out / "pages/0.html")
    assert threshr("predict", "--format", "jsonl", out / "pages").count("\n") == 4


def test_other_pages_and_inputs_are_not_replaced(tmp_path):
    out = tmp_path / "out"
    xa = page_in(tmp_path / "x", "a.html", "<p>Rain")
    ya, yb = page_in(tmp_path / "y", "a.html", "<p>Snow"), page_in(tmp_path / "y", "b.html", "<p>Hail")

    def draw(*arguments: object, code: int = 0) -> str:
        return render("--wait", "50", "--out", out, *arguments, code=code)

    def page(name: str) -> str:
        return (out / f"pages/{name}.html").read_text()

    draw(xa)
    assert not (out / "gold.jsonl").exists(), "pages without gold have no list"
    # another page with the same file name is an error, and the other pages are rendered
    told = draw(ya, yb, code=2)
    assert "page a" in told and "rendered from another page" in told
    assert "Rain" in page("a") and "Hail" in page("b")
    # the file is also kept if another page with the same file name cannot be read
    assert "page a" in draw(page_in(tmp_path / "z", "a.html", "%PDF-1.4 no page"), code=2)
    assert "Rain" in page("a")
    draw(ya, "--force")
    assert "Snow" in page("a") and "Hail" in page("b")

    # other settings remove the pages that were rendered with the old settings
    draw(ya, "--force", "--width", "500")
    assert "Snow" in page("a") and not (out / "pages/b.html").exists()

    # a line with a path outside of the folder, and a truncated line
    with open(out / "render.jsonl", "a") as journal:
        journal.write('{"file":"../x/a.html","source":"x","gold":null}\n{"file":')
    assert "1 page already exists" in draw(ya, "--width", "500")
    draw(ya, "--width", "600", "--force")
    assert xa.is_file()

    # the input is in the folder of the results
    told = draw(out / "pages/a.html", "--width", "600", "--force", code=2)
    assert "is inside --out" in told and "Snow" in page("a")


def test_archives_lists_and_names(tmp_path):
    pages = [page_in(tmp_path / folder, "a.html", f"<p>In {folder}") for folder in ("x", "y")]
    (tmp_path / "pages.list").write_text("\n".join(map(str, [*pages, tmp_path / "none.html"])))
    records = [{"id": "A", "url": "http://a.example/1", "html": "<p>A record"}, {"id": "bad"}]
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    told = render(tmp_path / "pages.list", tmp_path / "crawl.jsonl", "--out", tmp_path / "out", "--wait", "50", code=2)
    assert "none.html" in told and "2 of 5 pages failed" in told
    texts = "".join(path.read_text() for path in (tmp_path / "out/pages").glob("*.html"))
    assert all(text in texts for text in ("In x", "In y", "A record", '<base href="http://a.example/1">'))


def test_pages_with_comments_of_a_search_engine_are_pages(tmp_path):
    for number in range(6):
        html = (
            f"<body><!--googleoff: all--><p>Menu of site {number}<!--googleon: all--><p>Story {number} tells what happened, in "
            "some words."
        )
        page_in(tmp_path / "pages", f"{number}.html", html)
    out = tmp_path / "out"
    render(tmp_path / "pages", "--out", out, "--wait", "50")
    assert "<!--googleoff: all--><p>Menu" in (out / "pages/0.html").read_text()
    train = ("train", "--classifier", "tree", "--features", "shallow,drawn", "--out", tmp_path / "my.json")
    threshr(*train, "--data", out / "pages")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_stopped_run_leaves_nothing_and_continues(tmp_path, number):
    for i in range(6):
        page_in(tmp_path / "pages", f"{i}.html", f"<p>Page {i}<script>localStorage.x = sessionStorage.x = 1</script>")
    # the path of the temporary folder of pytest is too long for Chromium's socket
    work, out = Path(tempfile.mkdtemp()), tmp_path / "out"
    call = [*RENDER, str(tmp_path / "pages"), "--out", str(out), "--jobs", "2", "--wait", "1500"]
    run = subprocess.Popen(call, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(work)})
    end = time.monotonic() + 120
    while not any(out.glob("pages/*.geometry.json")) and time.monotonic() < end:
        time.sleep(0.05)
    assert chromiums(work)
    run.send_signal(number)
    told = run.communicate(timeout=30)[1]
    if number == signal.SIGKILL:
        while chromiums(work) and time.monotonic() < end:
            time.sleep(0.1)
    else:
        assert run.returncode == 130 and "repeat the command" in told and "Traceback" not in told
        assert not os.listdir(work), "the profile is removed"
        assert not list(out.rglob(".threshr-*"))
    assert not chromiums(work), "the browsers are ended"
    num = len(list(out.glob("pages/*.geometry.json")))
    assert 0 < num < 6
    done = subprocess.run(call, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(work)})
    assert done.returncode == 0 and ("already exist" in done.stderr)
    assert not os.listdir(work), "also what the killed run left is removed"
    assert len(list(out.glob("pages/*.geometry.json"))) == 6
    work.rmdir()


def test_a_long_path_of_temporary_files_is_an_error(tmp_path, monkeypatch):
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    told = render(page_in(tmp_path, "a.html", "<p>a"), "--out", tmp_path / "out", code=2)
    assert "expected at most 56 bytes; set $TMPDIR" in told
    assert not (tmp_path / "out").exists() and not os.listdir(folder)


def test_wrong_calls_are_errors(tmp_path):
    page, out = page_in(tmp_path, "a.html", "<p>a"), tmp_path / "out"

    def told(*arguments: object) -> str:
        return render(*arguments, page, "--out", out, code=2)

    assert "--chromium names no program" in told("--chromium", "no/such/program")
    assert "the window has" in told("--width", "0")
    assert "--timeout is 0" in told("--timeout", "0")
    assert "--timeout is nan" in told("--timeout", "nan")
    assert "--wait is 20000" in told("--wait", "20000")
    assert "--jobs is 0" in told("--jobs", "0")
    assert "addresses use the network" in told("http://page.invalid/")
    assert not out.exists()
    # the output is inside the input, or would replace other files
    assert "is inside the input" in render(tmp_path, "--out", tmp_path / "inside", code=2)
    other = page_in(tmp_path / "other", "b.txt", "b")
    assert "the folder exists" in render(page, "--out", other.parent, code=2)
    assert "--out is a file" in render(page, "--out", other, code=2)
    assert "no such file" in render(tmp_path / "none.html", "--out", out, code=2)
    failed = render(page, "--out", out, "--chromium", "/bin/false", code=2)
    assert "Chromium does not start" in failed
    tip = subprocess.run([sys.executable, "-m", "threshr", "render", "x"], capture_output=True, text=True)
    assert tip.returncode == 2 and "threshr-render" in tip.stderr


def test_a_folder_is_used_by_one_run(tmp_path):
    page, out = page_in(tmp_path, "a.html", "<p>a"), tmp_path / "out"
    out.mkdir()
    lock = os.open(out, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert "another run uses this folder" in render(page, "--out", out, code=2)
    os.close(lock)


def test_the_sandbox_is_on_unless_it_is_switched_off(tmp_path):
    fake, page = tmp_path / "chromium", page_in(tmp_path, "a.html", "<p>a")
    fake.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/switches\nexit 1\n')
    fake.chmod(0o755)
    for sandbox in (True, False):
        with pytest.raises(DataError, match="does not start"):
            asyncio.run(Browser.start(replace(SETTINGS, chromium=str(fake), sandbox=sandbox), tmp_path))
        switches = (tmp_path / "switches").read_text().split()
        assert ("--no-sandbox" not in switches) == sandbox
        assert "--remote-debugging-pipe" in switches and not any("port" in switch for switch in switches)
    if IS_ROOT:
        call = [argument for argument in RENDER if argument != "--no-sandbox"]
        done = subprocess.run([*call, str(page), "--out", str(tmp_path / "out")], capture_output=True, text=True)
        assert done.returncode == 2 and "no sandbox for the user root" in done.stderr


def test_a_chromium_is_found(tmp_path, monkeypatch):
    program = tmp_path / "chromium"
    program.write_text("")
    program.chmod(0o755)
    assert find(str(program)) == str(program)
    monkeypatch.setenv("CHROMIUM", str(program))
    assert find(None) == str(program)
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find(None) == str(program)


def test_the_help_needs_no_playwright():
    call = [sys.executable, "-c", "import sys; sys.modules['playwright'] = None; sys.argv[1:] = sys.argv[1:]\n"]
    call[2] += "from threshr.render._program import main; sys.exit(main())"
    done = subprocess.run([*call, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "examples:" in done.stdout and "threshr-render page.html --out drawn" in done.stdout
    done = subprocess.run([*call, "a.html", "--out", "x"], capture_output=True, text=True)
    assert done.returncode == 2 and "pip install playwright" in done.stderr
