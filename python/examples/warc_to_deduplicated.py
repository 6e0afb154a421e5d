"""From WARC files to deduplicated Parquet: threshr extracts, datatrove and NeMo Curator filter, datatrove removes near duplicates.

Usage: warc_to_deduplicated.py INPUT… --out FOLDER [--workers N] [--language LANG]

INPUT are WARC files, or addresses such as s3://bucket/key. FOLDER gets `pages` with all pages, `filtered` with the texts in
LANG that pass the filters, and `deduplicated` with one of each group of near duplicates. It prints the number of rows after each
stage. Needs threshr[remote], datatrove, orjson, regex, spacy and tokenizers; with --nemo also NeMo Curator.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pyarrow.parquet as pq
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupFilter, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig
from datatrove.pipeline.filters import GopherQualityFilter, LambdaFilter
from datatrove.pipeline.readers import ParquetReader
from datatrove.pipeline.writers import ParquetWriter
from datatrove.utils.hashing import HashConfig

from threshr.integrations.warc import extract_file, report

COLUMNS = ["text", "language", "page_type", "quality"]


def is_wanted(document, language: str) -> bool:
    """Whether a page is in the language and was extracted well."""
    return document.metadata["language"] == language and (document.metadata["quality"] or 0) >= 0.5


def nemo(folder: Path) -> None:
    """Filters the rows of Parquet files by a stage of NeMo Curator."""
    from nemo_curator.stages.text.filters import ScoreFilter
    from nemo_curator.stages.text.filters.heuristic.repetition import RepeatedLinesFilter
    from nemo_curator.tasks import DocumentBatch

    stage = ScoreFilter(RepeatedLinesFilter(), text_field="text")
    for path in sorted(folder.glob("*.parquet")):
        batch = DocumentBatch(dataset_name=folder.name, data=pq.read_table(path).to_pandas())
        done = stage.process(batch)
        path.unlink() if done is None else done.to_pandas().to_parquet(path, index=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--language", default="en", help="language of the texts; Gopher's filter is for English")
    parser.add_argument("--nemo", action="store_true", help="also filter by a stage of NeMo Curator")
    options = parser.parse_args()
    out, config = options.out.resolve(), MinhashConfig(hash_config=HashConfig(hash_fc="sha1"))
    pages, filtered, deduplicated, work = (out / name for name in ("pages", "filtered", "deduplicated", "work"))
    pages.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(options.workers) as pool:
        list(pool.map(extract_file, options.inputs, [pages] * len(options.inputs), [COLUMNS] * len(options.inputs)))
    totals = report(pages, options.inputs)
    print(f"pages: {totals['pages']}, {totals['failed']} of them failed; {len(totals['failed_files'])} files failed")

    def run(name: str, tasks: int, *steps) -> None:
        LocalPipelineExecutor(list(steps), tasks=tasks, workers=min(tasks, options.workers), logging_dir=str(work / name)).run()

    num_tasks = options.workers
    reader = ParquetReader(str(pages), glob_pattern="*.parquet")
    wanted = LambdaFilter(lambda document: is_wanted(document, options.language))
    run("filter", num_tasks, reader, wanted, GopherQualityFilter(), ParquetWriter(str(filtered)))
    if options.nemo:
        nemo(filtered)
    print(f"filtered: {rows(filtered)}")
    signatures, buckets, removed = str(work / "signatures"), str(work / "buckets"), str(work / "removed")
    again = ParquetReader(str(filtered), glob_pattern="*.parquet")
    run("signatures", num_tasks, again, MinhashDedupSignature(signatures, config))
    run("buckets", config.num_buckets, MinhashDedupBuckets(signatures, buckets, config=config))
    run("clusters", 1, MinhashDedupCluster(buckets, removed, config=config))
    run("deduplicate", num_tasks, again, MinhashDedupFilter(removed), ParquetWriter(str(deduplicated)))
    print(f"deduplicated: {rows(deduplicated)}")


def rows(folder: Path) -> int:
    """Returns the number of rows of the Parquet files in a folder."""
    return sum(pq.read_metadata(path).num_rows for path in folder.glob("*.parquet"))


if __name__ == "__main__":
    main()
