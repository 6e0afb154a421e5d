"""A function for `Dataset.map_batches` of Ray Data.

>>> import ray
>>> from threshr.integrations.ray import Extract
>>> pages = ray.data.read_parquet("pages/")
>>> texts = pages.map_batches(Extract(columns=["markdown"]), batch_format="pyarrow")

Ray runs an object as tasks: each holds a CPU only while it extracts a batch, so the tasks that read the pages get their turn
on any number of CPUs. The class itself, with `concurrency=N`, would run as N actors, which hold N CPUs until the end. If there
are no more than N CPUs, the pages are never read, and the program waits for ever.
"""

from threshr.integrations._batch import Extract

__all__ = ["Extract"]
