#!/usr/bin/env python3
"""Runs commands on odd inputs with two programs: docs/results/data/inputs.csv.

Usage: inputs.py --before PROGRAM --threshr PROGRAM [--csv FILE]

Each check makes a folder with the files that it needs, runs one command in it, and says in a few words what came of it.
"""

import argparse
import csv
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests/cases/inputs"
FORMS = ROOT / "tests/cases/forms"
PAGE = "<article><p>It rained all day in the north of the country, and some rivers rose by two metres, alpha.</article>"
GOLD = "It rained all day in the north of the country, and some rivers rose by two metres, alpha."


def run(program, args, folder, text=None):
    try:
        return subprocess.run([program, *args], cwd=folder, input=text, capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None


def words_of(out):
    """The names of the pages that came out: alpha, beta, …"""
    names = ["alpha", "beta", "gamma", "delta", "eps"]
    text = out.stdout.decode("utf-8", "replace")
    return [name for name in names if re.search(rf"\b{name}", text)]


def said(out):
    """The number of lines on standard error, and the start of the first."""
    lines = [line for line in out.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines:
        return "nothing said"
    first = re.sub(r"^threshr: ", "", lines[0])
    first = re.sub(r"/\S*/", "", first)
    return f"“{first[:90]}{'…' if len(first) > 90 else ''}”" + (f" and {len(lines) - 1} lines more" if len(lines) > 3 else "")


def pages(file, what, count):
    """A case of tests/cases/inputs."""

    def check(program, folder):
        shutil.copy(CASES / file, folder)
        out = run(program, ["predict", file, "--format", "jsonl"], folder)
        found, lines = words_of(out), out.stdout.decode("utf-8", "replace").splitlines()
        ids = {json.loads(line)["id"] for line in lines}
        if len(ids) < len(found):
            return f"{len(found)} pages with {len(ids)} id{'s' if len(ids) > 1 else ''}"
        if len(found) == count and file.endswith(".jsonl") and not all(str(i) in (CASES / file).read_text() for i in ids):
            return f"{len(found)} of {count} pages, ids are changed"
        return f"{len(found)} of {count} pages" + (", a message" if out.stderr else "")

    return what, f"predict {file}", check


def whole_set(folder, name="set"):
    """A tiny data set."""
    path = Path(folder) / name
    (path / "pages").mkdir(parents=True)
    lines = []
    for number in range(6):
        menu = "<ul><li><a href=/>Home</a><li><a href=/b>Other pages</a></ul>"
        (path / "pages" / f"{number}.html").write_text(f"<html>{menu}{PAGE}<p>{number} {GOLD}</html>")
        url = f"http://site{number}.org/"
        lines.append(json.dumps({"id": str(number), "url": url, "gold": f"{GOLD}\n{number} {GOLD}"}))
    (path / "gold.jsonl").write_text("\n".join(lines) + "\n")
    return path


def sums(folder):
    return {p: hashlib.sha256(p.read_bytes()).digest() for p in Path(folder).rglob("*") if p.is_file()}


def kept(what, line, prepare=None):
    """Whether a command leaves all files that were there as they were."""

    def check(program, folder):
        whole_set(folder)
        (Path(folder) / "r.toml").write_text("features.set = 'shallow'\nclassifier.name = 'tree'\n")
        (Path(folder) / "notes.txt").write_text("my notes\n" if prepare is None else prepare)
        before = sums(folder)
        out = run(program, line.split(), folder)
        after = sums(folder)
        if any(after.get(path) != digest for path, digest in before.items()):
            return "**overwritten**"
        return "refused" if out.returncode == 2 and b"--out" in out.stderr or b"--per-page" in out.stderr else f"exit code {out.returncode}; nothing overwritten"

    return what, line, check


def says(what, line, files):
    """What a command says."""

    def check(program, folder):
        whole_set(folder)
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        out = run(program, line.split(), folder)
        return "stopped after 120 s" if out is None else f"exit code {out.returncode}, {said(out)}"

    return what, line, check


def form(name, what):
    """A form of own data."""

    def check(program, folder):
        # a table names pages of another form
        shutil.copytree(FORMS, folder, dirs_exist_ok=True)
        out = run(program, ["evaluate", "--data", name, "--system", "keep-everything"], folder)
        return "read" if out.returncode == 0 else "an error"

    return what, f"evaluate --data {name}", check


def page_text(name, content, what, want):
    """Whether the text of a page comes out."""

    def check(program, folder):
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        args = ["predict", name.split("/")[0], "--system", "keep-everything", "--format", "jsonl"]
        out = run(program, args, folder)
        text = out.stdout.decode("utf-8", "replace")
        is_right = want in text and "MIME-Version" not in text
        return "read right" if is_right else "not read" if not text else "read wrong"

    return what, f"predict {name.split('/')[0]}", check


MHTML = (
    b"From: <Saved by a browser>\r\nSubject: Rain\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type=\"text/html\"; "
    b"boundary=\"B\"\r\n\r\n--B\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n"
    b"Content-Location: http://a.org/\r\n\r\n" + PAGE.replace("=", "=3D").encode() + b"\r\n--B--\r\n"
)
MANY = "".join(json.dumps({"id": i, "content": PAGE}) + "\n" for i in range(20_000))

PARTS = [
    (
        "WARC and ARC",
        [
            pages("y1_018_bad.warc", "WARC/0.18, one wrong Content-Length", 5),
            pages("y2_018_garb.warc", "WARC/0.18, garbage between records", 4),
            pages("y6_018_gz.warc.gz", "WARC/0.18, a bad gzip member", 4),
            pages("y7_018_onegz.warc.gz", "WARC/0.18 in one gzip member, a bad record", 4),
            pages("x08b_one_large.warc", "Content-Length one too large", 3),
            pages("x08z_1.warc.gz", "Content-Length off by one in gzip members", 3),
            pages("w08_off_by_one.warc", "Content-Length one too small", 3),
            pages("w09_cl_small.warc", "Content-Length 210 too small", 3),
            pages("w30_arc.arc", "ARC", 2),
            pages("w31_zst_dict.warc.zst", "zstd with a dictionary in the first frame", 3),
            pages("w16_resource.warc", "`resource` records", 3),
            pages("x54_response_no_http.warc", "a response without HTTP head", 3),
            pages("w28e_unknown.warc", "WARC-Identified-Payload-Type", 3),
            pages("w26c_gzip_unsaid.warc", "a packed body without a header", 3),
            pages("w25f_cut.warc", "a chunked body that is cut", 3),
            pages("x32c_zst_corrupt.warc.zst", "a corrupt zstd frame", 2),
            pages("w02_lower_http.warc", "`http/1.1` in small letters", 3),
        ],
    ),
    (
        "Other inputs",
        [
            pages("a.html.gz", "a packed page", 1),
            pages("j21_nan.jsonl", "NaN in a field", 3),
            pages("j01b_bom_each.jsonl", "a byte-order mark on each line", 3),
            pages("j11d_bigint.jsonl", "ids above 2^64", 3),
            page_text("a.mhtml", MHTML, "a saved page (MHTML)", "rivers rose"),
            page_text("d/a.php", PAGE.encode(), "a page named .php in a folder", "rivers rose"),
            page_text("d/a", b"<!doctype html><html>" + PAGE.encode(), "a page without an ending in a folder", "rivers rose"),
            page_text("a.html.zst", subprocess.run(["zstd", "-qc"], input=PAGE.encode(), capture_output=True).stdout if shutil.which("zstd") else b"", "a page packed by zstd", "rivers rose"),
            page_text(
                "a.html",
                "<meta charset=euc-jp><p>これは日本語の文章です。雨が降りました。".encode("shift_jis") * 3,
                "declared EUC-JP, is Shift_JIS",
                "雨が降りました",
            ),
            page_text("a.jsonl", b'{"id":"a\\ud800","html":"<p>alpha rivers rose"}\n', "a lone surrogate in JSON", "rivers rose"),
        ],
    ),
    (
        "Own data",
        [
            form("inline.jsonl", "JSONL with `html` and `text`"),
            form("pairs", "pairs of files"),
            form("dragnet", "dragnet"),
            form("boilernet", "BoilerNet"),
            form("wcxb", "WCXB"),
            form("webmainbench.jsonl", "WebMainBench"),
            form("label-studio.json", "Label Studio"),
            form("table.csv", "CSV with paths"),
        ],
    ),
    (
        "Nothing is overwritten",
        [
            kept("the gold of the set", "train --data set --features shallow --out set/gold.jsonl"),
            kept("the recipe", "train --data set --recipe r.toml --out r.toml"),
            kept("a page by a table", "evaluate --data set --system keep-everything --per-page set/pages/0.html"),
            kept("the set by a matrix", "features set --features shallow --out set/gold.jsonl"),
            kept("the set by a grid", "compare --data set --features shallow --folds 2 --out set"),
            kept("a file of another kind", "train --data set --features shallow --out notes.txt"),
        ],
    ),
    (
        "Told once, told right",
        [
            says("a field that no line has", "predict many.jsonl --out x.jsonl", {"many.jsonl": MANY}),
            says("a recipe with an error", "train --data set --recipe bad.toml --out m.json", {"bad.toml": "features.set = 'shalow'\n"}),
            says("gold that no page has", "data check bad", {"bad/pages/a.html": PAGE, "bad/gold.jsonl": '{"id":"a","gold":"Quite other words stand here, none of the page."}\n'}),
            says("`visual` without geometry", "train --data set --features visual --out m.json", {}),
            says("a data set of unknown form", "evaluate --data odd --system keep-everything", {"odd/a.xml": "<x/>"}),
        ],
    ),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True)
    parser.add_argument("--threshr", required=True)
    parser.add_argument("--csv")
    args = parser.parse_args()
    programs = [str(Path(p).resolve()) for p in (args.before, args.threshr)]
    rows = [["Part", "Input or output", "Command", "Before", "After"]]
    for part, checks in PARTS:
        for what, line, check in checks:
            found = []
            for program in programs:
                with tempfile.TemporaryDirectory() as folder:
                    found.append(check(program, folder))
            rows.append([part, what, f"`{line}`", *found])
    out = open(args.csv, "w", newline="") if args.csv else sys.stdout
    csv.writer(out, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
