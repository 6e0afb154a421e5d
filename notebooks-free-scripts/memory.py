#!/usr/bin/env python3
"""Measures the peak memory of hostile pages: docs/results/data/memory.csv.

Usage: memory.py --threshr PROGRAM [--before PROGRAM] [--bytes N] [--page NAME]… [--write FOLDER] [--csv FILE] [--check]

Each page repeats markup that is small as HTML and large as a tree, as blocks or as features. Each page is extracted in a
separate process for each output format. The peak is the largest resident memory over all formats. --write only writes the
pages.
"""

import argparse
import csv
import itertools
import os
import resource
import subprocess
import sys
import tempfile
import time

MB = 1_000_000

# The bound: bytes of memory for each byte of a page, and MB for the program.
BYTES_PER_BYTE = 80
PROGRAM_MB = 30

FORMATS = [
    ["--format", "text"],
    ["--format", "jsonl", "--units", "--metadata", "--markdown"],
    ["--format", "markdown"],
    ["--format", "html"],
    ["--format", "tei"],
]


def repeat(piece, number_of_bytes):
    """Repeats `piece`. `{}` in the piece is replaced by a number."""
    if "{}" not in piece:
        return piece * (number_of_bytes // len(piece) + 1)
    parts, length = [], 0
    for i in itertools.count():
        part = piece.replace("{}", f"{i:x}")
        parts.append(part)
        length += len(part)
        if length >= number_of_bytes:
            return "".join(parts)


NESTED = "<b><i><u><s><em><tt><big><code><font><nobr><small><strong>"
WORDS = "Some words of running text stand here, and more of them follow. "

# name: the repeated markup, or a prefix and the repeated markup
PAGES = {
    "paragraphs": "<p>x",
    "paragraphs of a sentence": "<p>Six short words, then a stop.",
    "divs": "<div>x</div>",
    "nested divs": "<div>x",
    "paragraphs in nested divs": ("<div>" * 500, "<p>x"),
    "sentences in nested divs": ("<div>" * 500, "<p>Six short words, then a stop."),
    "empty elements": "<p>",
    "lines": "x<br>",
    "br": "<br>",
    "hr": "x<hr>",
    "list items": "<li>x",
    "nested lists": "<ul><li>x",
    "terms": "<dl><dt>x<dd>y",
    "headings": "<h2>x</h2>",
    "cells": ("<table>", "<td>x"),
    "rows": ("<table>", "<tr><td>x"),
    "nested tables": "<table><tr><td>x",
    "foster parents": ("<table>", "<b>x<tr>"),
    "options": ("<select>", "<option>x"),
    "links": "<a href=x>y</a> ",
    "bare links": "<a>",
    "links in paragraphs": "<p><a href=x>y</a>",
    "images": "<img src=x>",
    "captions": "<figure><img src=x><figcaption>y</figcaption></figure>",
    "inputs": "<input>",
    "formatting elements": "<b>",
    "formatting elements and text": "<b>x",
    "formatting elements in blocks": (NESTED, "<p>x"),
    "formatting elements opened in blocks": "<p><b><i><u><s><em>x",
    "formatting elements with attributes": ("".join(f"<b a{i}=1><i b{i}=2><u c{i}>" for i in range(99)), "<p>x"),
    "formatting elements with attributes in blocks": (
        "".join(f"<b {' '.join(f'a{i}{j}=1' for j in range(9))}>" for i in range(99)),
        "<p>x",
    ),
    "misnested formatting elements": "<b><p></b>x",
    "misnested links": "<a><div>x",
    "ruby": "<ruby>x<rt>y",
    "spans": "<span>x</span>",
    "nested spans": "<span>x",
    "custom elements": "<x-{}>y",
    "attributes": ("<p ", "a{} "),
    "attributes of many elements": "<p a b c d e f g h>x",
    "attributes with values": "<p a=1 b=2 c=3 d=4>x",
    "unique attributes": "<p a{}>x",
    "class names": '<p class="c{}">x',
    "many class names": '<p class="{} a b c d e f g h i j k l m n o p q r s t">x',
    "ids": "<p id={}>x",
    "long attribute": ("<p title='", "x y "),
    "long class attribute": ("<p class='", "{} "),
    "styles": "<p style=color:red>x",
    "one-letter words": "a ",
    "one-letter words in paragraphs": ("", "<p>" + "a " * 30),
    "unique words": "w{} ",
    "unique words in paragraphs": "<p>w{} v{} u{}",
    "one word": "x",
    "digits": "1 ",
    "Han": "漢",
    "Thai": "ก็",
    "letters of Latin-1": "é",
    "NUL": "\0",
    "punctuation": ". ",
    "sentences": "A b. ",
    "entities": "&lt;",
    "long entities": "&NotEqualTilde;",
    "entities in paragraphs": "<p>&amp;",
    "comments": "<!---->",
    "comments between texts": "x<!---->",
    "processing instructions": "<?x>",
    "svg": "<svg><g>",
    "svg and text": "<svg><text>x</text></svg>y",
    "math": "<math><mi>x</mi></math>",
    "nested math": "<math><mrow>",
    "TeX": "$x$ ",
    "TeX in paragraphs": "<p>$$x^2$$",
    "scripts": "<script></script>x",
    "JSON-LD": ('<script type="application/ld+json">[', "[[],{}],".replace("{}", '{"a":1}')),
    "JSON-LD articles": '<script type="application/ld+json">{"@type":"Article","headline":"{}"}</script>',
    "metas": "<meta name=author content={}>",
    "microdata": "<div itemscope><i itemprop=name>x</i></div>",
    "templates": "<template><p>x",
    "noscript": "<noscript><p>x</noscript>",
    "hidden": "<p hidden>x",
    "code": "<pre>x</pre>",
    "lines of code": ("<pre>", "x\n"),
    "quotes": "<blockquote>x",
    "comments of readers": "<div class=comment>x</div>",
    "dates": "<time>2020-01-01</time>",
    "bylines": "<p>By A B",
    "frames": "<iframe></iframe>x",
    "carriage returns": "x\r\n",
    "text": WORDS,
    "article": ("<h1>Title</h1>", f"<p>{WORDS * 5}<a href=x>{WORDS}</a></p>"),
    "UTF-16": None,
}


def page(name, number_of_bytes):
    """The bytes of a page."""
    if name == "UTF-16":
        return ("\ufeff" + repeat("<p>x", number_of_bytes // 2)).encode("utf-16-le")
    before, piece = ("", PAGES[name]) if isinstance(PAGES[name], str) else PAGES[name]
    return (before + repeat(piece, number_of_bytes // len(piece.encode()) * len(piece))).encode()


def limit():
    """Limits of one run: a program without bounds must not exhaust the memory of the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (6_000 * MB, 6_000 * MB))
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))


def peak(program, path, options):
    """Peak resident memory in bytes, the exit code and seconds of one run."""
    command = [program, "predict", path, "--out", "-", "--jobs", "1", "--quiet", "--page-seconds", "0", *options]
    started = time.monotonic()
    with open(os.devnull, "w") as null:
        child = subprocess.Popen(command, stdout=null, stderr=subprocess.DEVNULL, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, child.returncode, time.monotonic() - started


def worst(program, path, options):
    """The largest peak over all formats, and its format."""
    runs = [(peak(program, path, [*f, *options]), f[1]) for f in FORMATS]
    (largest, code, seconds), name = max(runs)
    return largest, name, code, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threshr")
    parser.add_argument("--before")
    parser.add_argument("--bytes", type=int, default=MB)
    parser.add_argument("--page", action="append")
    parser.add_argument("--write")
    parser.add_argument("--csv")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a page is above the bound")
    parser.add_argument("options", nargs="*", help="more options of predict, after --")
    args = parser.parse_args()
    names = args.page or list(PAGES)
    if args.write:
        for name in names:
            with open(os.path.join(args.write, name.replace(" ", "-") + ".html"), "wb") as file:
                file.write(page(name, args.bytes))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            path = os.path.join(folder, "page.html")
            data = page(name, args.bytes)
            with open(path, "wb") as file:
                file.write(data)
            now, form, code, seconds = worst(args.threshr, path, args.options)
            row = [name, len(data), "", f"{now / MB:.0f}", form, f"{BYTES_PER_BYTE * len(data) / MB + PROGRAM_MB:.0f}", code]
            if args.before:
                row[2] = f"{worst(args.before, path, args.options)[0] / MB:.0f}"
            rows.append(row)
            print(*row, f"{seconds:.1f}", sep="\t", file=sys.stderr, flush=True)
    above = [row[0] for row in rows if float(row[3]) > float(row[5])]
    if args.check and above:
        sys.exit(f"above the bound: {', '.join(above)}")
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["page", "bytes", "before", "after", "format", "bound", "code"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
