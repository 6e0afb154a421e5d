# The types of the compiled part. Its documentation is in the compiled part; docs/reference/python.md shows both.

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from threshr._types import BinaryFile, Block, Metadata, Quality, RawPage

__version__: str
SNAPSHOT_STYLES: list[str]
DEFAULT_COLUMNS: list[str]

class Extraction:
    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    @property
    def html(self) -> str: ...
    @property
    def metadata(self) -> Metadata: ...
    @property
    def posts(self) -> list[dict[str, Any]]: ...
    @property
    def comments(self) -> list[dict[str, Any]]: ...
    @property
    def units(self) -> list[dict[str, Any]]: ...
    @property
    def blocks(self) -> list[Block]: ...
    @property
    def language(self) -> str | None: ...
    @property
    def page_type(self) -> str | None: ...
    @property
    def page_types(self) -> dict[str, float]: ...
    @property
    def quality(self) -> Quality | None: ...
    @property
    def title(self) -> str: ...
    @property
    def url(self) -> str | None: ...
    @property
    def defect(self) -> str | None: ...
    @property
    def has_content(self) -> bool: ...

class PageReader:
    def __iter__(self) -> PageReader: ...
    def __next__(self) -> RawPage: ...
    @property
    def skipped(self) -> dict[str, int]: ...

class RenderPage:
    @property
    def id(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def url(self) -> str | None: ...
    @property
    def html(self) -> str | None: ...
    @property
    def gold(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def defect(self) -> str | None: ...

class RenderInputs:
    def __new__(cls, inputs: Sequence[str]) -> RenderInputs: ...
    def __iter__(self) -> RenderInputs: ...
    def __next__(self) -> RenderPage: ...
    @property
    def policy(self) -> str | None: ...
    @property
    def num(self) -> int | None: ...
    @property
    def folders(self) -> list[Path]: ...
    @property
    def left_out(self) -> list[Path]: ...
    @property
    def skipped(self) -> dict[str, int]: ...

class Table:
    @property
    def column_names(self) -> list[str]: ...
    @property
    def num_rows(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> list[Any]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class Extractor:
    def __new__(
        cls,
        *,
        model: str | PathLike[str] | bytes | Model | None = None,
        system: str | None = None,
        system_options: dict[str, Any] | None = None,
        policy: str | None = None,
        filter: str | None = None,
        threshold: float | None = None,
        decision: str | None = None,
        favor: Literal["precision", "balance", "recall"] | None = None,
        select: str | None = None,
        drop: str | None = None,
        charset: str | None = None,
        keep_hidden: bool | None = None,
        strict_visibility: bool = False,
        source_map: bool = False,
        title: bool = True,
        links: bool = True,
        images: bool = True,
        tables: bool = True,
        formulas: bool = True,
        timeout: float | None = None,
        max_bytes: int | None = None,
        max_memory: int | None = None,
    ) -> Extractor: ...
    def extract(self, html: bytes | str, *, url: str | None = None, charset: str | None = None) -> Extraction: ...
    def extract_batch(
        self,
        table: Any,
        *,
        html: str = "html",
        url: str | None = None,
        charset: str | None = None,
        columns: Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
        threads: int = 1,
    ) -> Table: ...
    @property
    def options(self) -> dict[str, Any]: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

class Model:
    @staticmethod
    def load(source: str | PathLike[str] | bytes | None = None) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    def show(self, *, columns: int = 20) -> str: ...
    @property
    def recipe(self) -> str: ...
    @property
    def feature_names(self) -> list[str]: ...

def read_index(
    table: str | PathLike[str] | BinaryFile,
    root: str | PathLike[str],
    *,
    languages: Sequence[str] | None = None,
    domains: Sequence[str] | None = None,
    statuses: Sequence[int] | None = None,
    mimes: Sequence[str] | None = None,
    max_bytes: int | None = None,
) -> PageReader: ...
def read_pages(
    path: str | PathLike[str] | BinaryFile | Sequence[str | PathLike[str]],
    *,
    format: str | None = None,
    html: str = "html",
    id: str = "id",
    url: str = "url",
    date: str = "date",
    max_bytes: int | None = None,
) -> PageReader: ...
def run_program(arguments: Iterable[str]) -> int: ...
def decode(html: bytes) -> str: ...
def served_page(html: str, address: str | None, seconds: float) -> tuple[str, str | None]: ...
def page_of_snapshot(
    snapshot: bytes, address: str | None, seconds: float
) -> tuple[bytes, bytes, int, int, tuple[float, float]]: ...
def write_file(path: Path, content: bytes) -> None: ...
def train(
    data: Sequence[Path],
    *,
    format: str | None = None,
    file: Path | None = None,
    json: str | None = None,
    toml: str | None = None,
    threads: int = 0,
) -> Model: ...
def evaluate(data: Sequence[Path], model: Model, *, overlap: str, format: str | None = None, threads: int = 0) -> list[tuple[str, str, float, float, float]]: ...
def adapt(
    data: Sequence[Path],
    model: Model,
    *,
    site: str | None = None,
    prior: float,
    always: bool = False,
    format: str | None = None,
    threads: int = 0,
) -> tuple[
    Model, list[tuple[str, int, float, float, bool, bool]], int, list[str], list[tuple[str, str]]
]: ...
def cross_validate(
    data: Sequence[Path],
    *,
    folds: int,
    format: str | None = None,
    file: Path | None = None,
    json: str | None = None,
    toml: str | None = None,
    threads: int = 0,
) -> list[tuple[str, str, float, float, float]]: ...
def interval(values: Sequence[float], seed: int) -> tuple[float, float]: ...
def difference(a: Sequence[float], b: Sequence[float], seed: int) -> tuple[float, float, float]: ...
def features_of_pages(
    pages: Sequence[bytes | str],
    ids: Sequence[str],
    *,
    features: str,
    neighbours: Sequence[int],
    model: Model | None = None,
    threads: int = 1,
) -> Table: ...
def features_of_sets(
    data: Sequence[Path],
    *,
    features: str,
    neighbours: Sequence[int],
    model: Model | None = None,
    format: str | None = None,
    threads: int = 1,
) -> Table: ...
