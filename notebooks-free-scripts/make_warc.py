#!/usr/bin/env python3
"""Writes a WARC file made from annotated pages: make_warc.py OUT.warc.gz SIZE PAGES_FOLDER…

SIZE is the size of the decompressed records in MB, or a number of pages such as 1500p. The pages are repeated in shuffled
order, each time with another address. The largest pages come first, so that a small and a large file both contain them and
their peak memory can be compared. Responses have different charsets, may be chunked, and are uncompressed or compressed with
gzip, deflate or br. The file also contains requests, errors, images, and corrupt records (truncated, garbage between records,
a wrong Content-Length). The same arguments and environment variable SEED give the same bytes. OUT.warc.gz.json contains the
numbers of records. Needs the Python package brotli.
"""
import gzip
import io
import json
import os
import pathlib
import random
import sys
import uuid
import zlib

import brotli

# Number of large pages at the start.
NUM_LARGEST = 50
CHARSETS = ["utf-8", "iso-8859-1", "windows-1251", "gb18030", "shift_jis", "iso-8859-2"]


def record(kind, ident, url, block, content_type, length=None):
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:{ident}>\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def chunked(body, rng):
    out = io.BytesIO()
    at = 0
    while at < len(body):
        size = rng.randrange(1, 20_000)
        piece = body[at : at + size]
        out.write(b"%x\r\n" % len(piece) + piece + b"\r\n")
        at += size
    out.write(b"0\r\n\r\n")
    return out.getvalue()


def response(page, rng):
    """Returns an HTTP response with a page, in a random charset and encoding."""
    headers = ["Server: a", "Date: Fri, 02 Jan 2026 03:04:05 GMT"]
    content_type = "text/html"
    if rng.random() < 0.5:
        try:
            text = page.decode("utf-8")
            charset = rng.choice(CHARSETS)
            page = text.encode(charset)
            content_type += f"; charset={charset}"
        except UnicodeError:
            pass  # the page keeps its charset
    headers.append(f"Content-Type: {content_type}")
    encoding = rng.choice(["", "", "gzip", "gzip", "deflate", "br"])
    if encoding == "gzip":
        page = gzip.compress(page, 6, mtime=0)
    elif encoding == "deflate":
        page = zlib.compress(page)
    elif encoding == "br":
        page = brotli.compress(page, quality=4)
    if encoding:
        headers.append(f"Content-Encoding: {encoding}")
    if rng.random() < 0.3:
        headers.append("Transfer-Encoding: chunked")
        page = chunked(page, rng)
    return ("HTTP/1.1 200 OK\r\n" + "\r\n".join(headers) + "\r\n\r\n").encode() + page


def broken(whole, ident, url, block, rng):
    """Returns a corrupt replacement of a compressed record."""
    kind = rng.randrange(4)
    if kind == 0:
        member = gzip.compress(whole, 6, mtime=0)
        return member[: rng.randrange(20, len(member) - 9)]
    if kind == 1:
        return b"garbage between members " * rng.randrange(1, 50)
    if kind == 2:
        length = max(0, len(block) + rng.choice([-40, 40, 4_000_000]))
        return gzip.compress(record("response", ident, url, block, "application/http; msgtype=response", length), mtime=0)
    return gzip.compress(whole[: rng.randrange(30, len(whole) - 5)], mtime=0)


def main():
    out, most, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    most_pages = int(most[:-1]) if most.endswith("p") else None
    most_bytes = None if most_pages else float(most) * (1 << 20)
    files = sorted(f for folder in folders for f in pathlib.Path(folder).rglob("*.htm*"))
    if not files:
        sys.exit("no pages in " + " ".join(folders))
    largest = set(sorted(files, key=lambda f: (-f.stat().st_size, f))[:NUM_LARGEST])
    rng = random.Random(20260102 + int(os.environ.get("SEED", 0)))
    size = number = num_broken = num_other = 0
    order = []
    with open(out, "wb") as to:
        to.write(gzip.compress(record("warcinfo", uuid.UUID(int=0), "-", b"software: make_warc.py\r\n", "application/warc-fields"), mtime=0))
        while number < most_pages if most_pages else size < most_bytes:
            if not order:
                order = files[:]
                rng.shuffle(order)
                # pages are taken from the end of the list
                order.sort(key=lambda f: number == 0 and f in largest)
            page = order.pop().read_bytes()
            number += 1
            ident = uuid.UUID(int=rng.getrandbits(128), version=4)
            url = f"http://site{number % 997}.example/{number}"
            block = response(page, rng)
            whole = record("response", ident, url, block, "application/http; msgtype=response")
            size += len(whole)
            if rng.random() < 0.002:
                num_broken += 1
                to.write(broken(whole, ident, url, block, rng))
                continue
            if rng.random() < 0.1:
                num_other += 1
                kind, http = rng.choice([
                    ("request", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
                    ("response", b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>Not found"),
                    ("response", b"HTTP/1.1 200 OK\r\nContent-Type: image/gif\r\n\r\nGIF89a"),
                ])
                other = uuid.UUID(int=rng.getrandbits(128), version=4)
                to.write(gzip.compress(record(kind, other, url, http, f"application/http; msgtype={kind}"), mtime=0))
            to.write(gzip.compress(whole, 6, mtime=0))
    counts = {"pages": number - num_broken, "broken": num_broken, "others": num_other, "unpacked_mb": round(size / (1 << 20))}
    pathlib.Path(f"{out}.json").write_text(json.dumps(counts) + "\n")
    print(counts, file=sys.stderr)


main()
