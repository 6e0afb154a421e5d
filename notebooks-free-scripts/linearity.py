#!/usr/bin/env python3
"""Measures how CPU time grows with size: linearity.py THRESHR MODEL DIR LARGEST_MB PART…; PART is pages, align or train.

The CPU time of a run without pages is subtracted from the CPU time of a run of `threshr`. Many small pages are measured in
one run, as lines of a JSONL file, because a single small page takes less time than the start of the program. The fastest of
three runs is used. Two exponents are fitted: over all sizes, where the constant time per page makes the exponent small, and
over the sizes from 1 MB.
"""
import json
import math
import pathlib
import random
import resource
import subprocess
import sys

BAR = 1.1
ROUNDS = 3
# minimum number of bytes that a run reads
LEAST = 2_000_000


def words(rng, n):
    return " ".join("".join(rng.choices("etaoinshrdlu", k=rng.randrange(2, 9))) for _ in range(n))


def until(size, piece):
    """Joins numbered pieces up to a size."""
    out, length, i = [], 0, 0
    while length < size:
        out.append(piece(i))
        length += len(out[-1].encode())
        i += 1
    return "".join(out)


def shapes(rng):
    """Returns functions by name that generate a page of a given size. Random texts are generated once and reused, because
    generating them takes long."""
    texts = [words(rng, rng.randrange(8, 60)) for _ in range(997)]
    short = [words(rng, rng.randrange(1, 6)) for _ in range(997)]
    han = ["".join(chr(rng.randrange(0x4E00, 0x9000)) for _ in range(rng.randrange(8, 90))) + "。" for _ in range(997)]
    latin_to_cyrillic = str.maketrans("etaoinshrdlu", "етаоинсхрдлу")
    text = lambda i: texts[i * 31 % 997] + str(i)
    few = lambda i: short[i * 31 % 997] + str(i)
    return {
        "paragraphs": lambda s: until(s, lambda i: f"<p>{text(i)}</p>\n"),
        "one paragraph": lambda s: "<p>" + until(s, lambda i: text(i) + " "),
        "nested": lambda s: until(s, lambda i: f"<div>{text(i)}"),
        "misnested": lambda s: until(s, lambda i: f"<p><b>{few(i)}<i>{few(i + 1)}</b>{text(i)}</i></p>"),
        "unclosed": lambda s: until(s, lambda i: f"<p><b><i><font color=a{i}>{text(i)}"),
        "attributes of one tag": lambda s: "<p>x<div " + until(s, lambda i: f"data-a{i}='v{i}' ") + "><p>y",
        "attributes of all tags": lambda s: until(
            s, lambda i: "<div " + " ".join(f"data-a{j}=v{i}" for j in range(20)) + f">{text(i)}</div>"),
        "classes": lambda s: until(s, lambda i: f"<div class='a{i} b{i} post-{i}' id=i{i}>{text(i)}</div>"),
        "table": lambda s: "<table>" + until(
            s, lambda i: f"<tr><td>{few(i)}<td>{text(i)}<td>{text(i + 1)}") + "</table>",
        "links": lambda s: "<ul>" + until(
            s, lambda i: f"<li><a href='/page/{i}?from=list&amp;to=page'>{text(i)}</a></li>\n"),
        "same text": lambda s: until(s, lambda i: "<p>Read more about this and other subjects of the day</p>"),
        "entities": lambda s: until(s, lambda i: f"<p>{text(i)} &amp; &lt;&#x41;&nbsp;&eacute; &copy; &unknown;</p>"),
        "scripts": lambda s: until(s, lambda i: f"<script>if (a{i} < b) {{ '{text(i)}' }}</script>") + "<p>text",
        "comments": lambda s: until(s, lambda i: f"<!-- {text(i)} --><p>{few(i)}"),
        "Chinese": lambda s: until(s, lambda i: f"<p>{han[i * 31 % 997]}</p>\n"),
        "Chinese in one paragraph": lambda s: "<p>" + until(s, lambda i: han[i * 31 % 997]),
        "Russian": lambda s: until(s, lambda i: f"<p>{text(i).translate(latin_to_cyrillic)}</p>\n"),
        # at most 200,000 blocks
        "short blocks": lambda s: until(min(s, 6_000_000), lambda i: f"<p>{few(i)}</p>"),
    }


class Threshr:
    def __init__(self, binary, model):
        self.binary, self.model = binary, model

    def cost(self, *args):
        """Returns the CPU seconds of the fastest of several runs."""
        best = math.inf
        for _ in range(ROUNDS):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([self.binary, *map(str, args), "--jobs", "1", "--quiet"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit(f"{' '.join(map(str, args))}: {done.stderr}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best = min(best, took)
            if took > 1:
                break
        return best

    def predict(self, path):
        return self.cost("predict", path, "--model", self.model, "--page-seconds", 0, "--page-mb", 0)


def exponent(points):
    """Returns the slope of log time over log size."""
    points = [(math.log(x), math.log(y)) for x, y in points if y > 0]
    if len(points) < 2:
        return math.nan
    mx = sum(p[0] for p in points) / len(points)
    my = sum(p[1] for p in points) / len(points)
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def row(name, points, num_sizes, large):
    """Prints a row of the table. Returns whether the exponents are at most BAR."""
    whole, end = exponent(points), exponent([p for p in points if p[0] >= large])
    times = [f"{y * 1e3:,.{0 if y > 0.01 else 2}f}" for _, y in points]
    cells = [name, *times, *[""] * (num_sizes - len(points)), f"{whole:.2f}", "" if math.isnan(end) else f"{end:.2f}"]
    print("| " + " | ".join(cells) + " |", flush=True)
    return not max(whole, end) > BAR


def pages(threshr, dir, largest):
    sizes = [s for s in (1_000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000) if s <= largest * 1e6]
    empty = dir / "empty.jsonl"
    empty.write_text('{"id":"x","html":"<p>x"}\n')
    start = threshr.predict(empty)
    print(f"ms per page; starting, {start * 1e3:.0f} ms, taken off\n")
    print("| shape | " + " | ".join(f"{s // 1000:,} KB" for s in sizes) + " | exponent | from 1 MB |")
    print("|---|" + "---:|" * (len(sizes) + 2))
    kept = True
    for name, make in shapes(random.Random(1)).items():
        points = []
        for size in sizes:
            page = make(size)
            copies = max(1, LEAST // size)
            file = dir / "pages.jsonl"
            with file.open("w", encoding="utf-8") as out:
                line = json.dumps({"id": "x", "html": "<html><body>" + page}, ensure_ascii=False)
                out.writelines(line + "\n" for _ in range(copies))
            num_bytes = len(page.encode())
            if points and num_bytes < points[-1][0] * 1.5:
                continue  # this page has reached its maximum size
            points.append((num_bytes, max(threshr.predict(file) - start, 1e-4) / copies))
        kept &= row(name, points, len(sizes), 900_000)
    return kept


def align(threshr, dir, largest):
    sizes = [s for s in (1_000, 10_000, 100_000, 1_000_000, 3_000_000, 10_000_000) if s <= largest * 1e6]
    print("\n`data check`, ms per page; size of the page\n")
    print("| gold | " + " | ".join(f"{s // 1000:,} KB" for s in sizes) + " | exponent | from 1 MB |")
    print("|---|" + "---:|" * (len(sizes) + 2))
    rng = random.Random(2)
    common = [words(rng, 1) for _ in range(200)]
    stock = [words(rng, 1) for _ in range(60_000)]
    kinds = {
        "every other paragraph": (stock, lambda i, p: p if i % 2 else None),
        "every other, few different words": (common, lambda i, p: p if i % 2 else None),
        "words left out and changed": (stock, lambda i, p: " ".join(
            rng.choice(stock) if rng.random() < 0.1 else w for w in p.split() if rng.random() > 0.1)),
        "other words": (stock, lambda i, p: " ".join(rng.choices(stock, k=12))),
    }
    kept = True
    for name, (vocabulary, gold_of) in kinds.items():
        points = []
        for size in [10, *sizes]:
            copies = max(1, LEAST // 4 // size) if size > 10 else 1
            set_dir = dir / "align"
            (set_dir / "pages").mkdir(parents=True, exist_ok=True)
            for old in (set_dir / "pages").iterdir():
                old.unlink()
            paragraphs, length = [], 0
            while length < size:
                paragraphs.append(" ".join(rng.choices(vocabulary, k=24)))
                length += len(paragraphs[-1]) + 7
            gold = "\n".join(g for g in (gold_of(i, p) for i, p in enumerate(paragraphs)) if g)
            html = "<html><body>" + "".join(f"<p>{p}</p>" for p in paragraphs)
            with (set_dir / "gold.jsonl").open("w") as out:
                for copy in range(copies):
                    (set_dir / "pages" / f"{copy}.html").write_text(html)
                    out.write(json.dumps({"id": str(copy), "file": f"pages/{copy}.html", "gold": gold}) + "\n")
            took = threshr.cost("data", "check", set_dir)
            if size == 10:
                start = took  # an empty page: the time to start the program
                continue
            points.append((len(html), max(took - start, 1e-4) / copies))
        kept &= row(name, points, len(sizes), 900_000)
    return kept


def train(threshr, dir, largest):
    counts = [20, 60, 200, 600, 2_000, 6_000]
    print("\n`train --classifier gbt`, 20 rounds, features `shallow+density`; ms; pages of 30 blocks each\n")
    print("| | " + " | ".join(f"{30 * c:,} rows" for c in counts) + " | exponent | from 18,000 rows |")
    print("|---|" + "---:|" * (len(counts) + 2))
    rng = random.Random(3)
    kept = True
    for name in ("reading and aligning", "gbt", "tree", "logistic"):
        points = []
        for count in counts:
            set_dir = dir / "train"
            (set_dir / "pages").mkdir(parents=True, exist_ok=True)
            for old in (set_dir / "pages").iterdir():
                old.unlink()
            with (set_dir / "gold.jsonl").open("w") as out:
                for page in range(count):
                    parts, gold = [], []
                    for block in range(30):
                        is_content = rng.random() < 0.5
                        text = words(rng, rng.randrange(12, 30) if is_content else rng.randrange(2, 16))
                        parts.append(f"<p>{text}</p>" if rng.random() < 0.8 else f"<p><a href=x>{text}</a></p>")
                        gold += [text] if is_content else []
                    (set_dir / "pages" / f"{page}.html").write_text("".join(parts))
                    url = f"http://site{page % 97}.example/{page}"
                    out.write(json.dumps({"id": str(page), "file": f"pages/{page}.html", "url": url,
                                          "gold": "\n".join(gold)}) + "\n")
            args = ["train", "--force", "--data", set_dir, "--features", "shallow+density", "--out", dir / "model.json"]
            classifier = {"reading and aligning": "majority"}.get(name, name)
            args += ["--classifier", classifier] + (["--param", "rounds=20"] if classifier == "gbt" else [])
            points.append((30 * count, threshr.cost(*args)))
        kept &= row(name, points, len(counts), 18_000)
    return kept


def main():
    binary, model, dir, largest, *parts = sys.argv[1:]
    dir = pathlib.Path(dir)
    dir.mkdir(parents=True, exist_ok=True)
    threshr = Threshr(binary, model)
    kept = [{"pages": pages, "align": align, "train": train}[part](threshr, dir, float(largest)) for part in parts]
    if not all(kept):
        sys.exit(f"an exponent is above {BAR}")


main()
