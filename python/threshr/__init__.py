"""Extracts the content of web pages: text and Markdown without navigation, advertising and footers.

>>> import threshr
>>> page = b"<nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained all day, and nobody in the town went out."
>>> print(threshr.extract(page).text)
Rain
It rained all day, and nobody in the town went out.

- `extract` and `Extractor`: a page in, its content out.
- `extract_batch`: a table of pages in, a table of content out, in the Arrow format.
- `read_pages`: the pages of a WARC file or of another file of pages.
- `read_index`: the pages that an index of Common Crawl names.
- `train`, `adapt`, `evaluate`, `compare`, `features` and `Model`: models of your own.
- `threshr.integrations`: Daft, datasets, datatrove, NeMo Curator, Ray, Spark, scrapy.
- `threshr.compat`: the functions of trafilatura and Resiliparse.
"""

from threshr._errors import (
    ArgumentTypeError,
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
from threshr._threshr import (
    Extraction,
    Extractor,
    Model,
    PageReader,
    Table,
    __version__,
    read_index,
    read_pages,
)
from threshr._training import Adapted, Compared, Scores, adapt, compare, evaluate, features, train
from threshr._types import Block, Metadata, PageScore, Quality, RawPage, SiteGain

__all__ = [
    "Adapted",
    "ArgumentTypeError",
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
    "PageReader",
    "PageScore",
    "PageTimeoutError",
    "Quality",
    "RawPage",
    "Scores",
    "SiteGain",
    "Table",
    "TooLargeError",
    "__version__",
    "adapt",
    "compare",
    "evaluate",
    "extract",
    "extract_batch",
    "features",
    "read_index",
    "read_pages",
    "train",
]
