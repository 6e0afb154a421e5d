"""Extracts the content of web pages: text and Markdown without navigation, advertising and footers.

>>> import threshr
>>> page = b"<nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained all day, and nobody in the town went out."
>>> print(threshr.extract(page).text)
Rain
It rained all day, and nobody in the town went out.

- `extract` and `Extractor`: a page in, its content out.
- `extract_batch`: a table of pages in, a table of content out, in the Arrow format.
- `train`, `evaluate`, `compare`, `features` and `Model`: models of your own.
- `threshr.integrations`: datatrove, NeMo Curator, Ray, Spark, scrapy.
- `threshr.compat`: the functions of trafilatura and Resiliparse.
"""

from threshr._errors import (
    ClassifierError,
    DataError,
    Error,
    FeaturesError,
    FileError,
    ModelError,
    NotHtmlError,
    OptionError,
    PageError,
    PageTimeoutError,
    TooLargeError,
)
from threshr._extract import extract, extract_batch
from threshr._threshr import Block, Extraction, Extractor, Model, PageScore, Table, __version__
from threshr._training import Compared, Scores, compare, evaluate, features, train
from threshr._types import Metadata, Quality

__all__ = [
    "Block",
    "ClassifierError",
    "Compared",
    "DataError",
    "Error",
    "Extraction",
    "Extractor",
    "FeaturesError",
    "FileError",
    "Metadata",
    "Model",
    "ModelError",
    "NotHtmlError",
    "OptionError",
    "PageError",
    "PageScore",
    "PageTimeoutError",
    "Quality",
    "Scores",
    "Table",
    "TooLargeError",
    "__version__",
    "compare",
    "evaluate",
    "extract",
    "extract_batch",
    "features",
    "train",
]
