"""Training, evaluation and the feature matrix."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from threshr import _threshr
from threshr._arguments import count, is_path, number, optional_text, text, wrong_type
from threshr._errors import DataError, OptionError
from threshr._options import ModelSource
from threshr._threshr import Model, Table
from threshr._types import PageScore, SiteGain

Data: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Iterable[Mapping[str, Any]]
"""Annotated pages: a folder or file, several of them, or dicts with `html` and `text` (the content as text), and
optionally `id`, `url`, `lang`."""

RecipeSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]
"""A recipe: a dict, TOML as text, or the path of a TOML file or of a model whose recipe is used."""

_SEED = 0


@contextmanager
def _paths(data: Data) -> Iterator[list[Path]]:
    """The paths of annotated sets. Pages in memory are written to a temporary folder."""
    if isinstance(data, (str, os.PathLike)):
        yield [Path(data)]
        return
    if not isinstance(data, Iterable):
        raise wrong_type("`data`", data, "a path, several of them, or dicts with `html` and `text`")
    entries = list(data)
    if not entries:
        raise OptionError("`data` is empty; expected paths, or dicts with `html` and `text`")
    if all(is_path(entry) for entry in entries):
        yield [Path(entry) for entry in entries]  # type: ignore[arg-type]
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="threshr-") as folder:
        target = Path(folder) / "pages"
        target.mkdir()
        with open(target / "gold.jsonl", "w", encoding="utf-8") as out:
            for number, entry in enumerate(entries):
                out.write(_line(number, entry) + "\n")
        yield [target]


def _line(number: int, entry: Any) -> str:
    """A page in memory as a line of `gold.jsonl`."""
    if not isinstance(entry, Mapping) or "html" not in entry or "text" not in entry:
        raise OptionError(f"page {number} has no `html` or no `text`; expected a dict with both")
    html = entry["html"]
    if isinstance(html, (bytes, bytearray, memoryview)):
        # JSON contains text, so bytes are decoded. Their charset is detected as in `extract`.
        html = _threshr.decode(bytes(html))
    elif not isinstance(html, str):
        raise wrong_type(f"`html` of page {number}", html, "bytes or str")
    record = {
        "id": text(f"`id` of page {number}", str(entry.get("id", number))),
        "html": text(f"`html` of page {number}", html),
        "gold": text(f"`text` of page {number}", entry["text"]),
    }
    for name in ("url", "lang", "site", "page_type"):
        if entry.get(name):
            record[name] = text(f"`{name}` of page {number}", entry[name])
    return json.dumps(record)


def _recipe(recipe: RecipeSource | None) -> dict[str, Any]:
    if recipe is None:
        return {}
    if isinstance(recipe, Mapping):
        try:
            return {"json": json.dumps(recipe)}
        except (TypeError, ValueError) as error:
            raise OptionError(f"the recipe is invalid: {error}") from error
    if not is_path(recipe):
        raise wrong_type("`recipe`", recipe, "a dict, TOML, a path or None")
    is_file = not isinstance(recipe, str) or ("\n" not in recipe and recipe.endswith((".toml", ".json")))
    return {"file": Path(recipe)} if is_file else {"toml": text("`recipe`", recipe)}


def _model(name: str, model: Any) -> Model:
    if isinstance(model, Model):
        return model
    if not isinstance(model, (str, bytes, os.PathLike)):
        raise wrong_type(f"`{name}`", model, "a Model, a path, bytes, or the name of a shipped model")
    return Model.load(model)


def _scores(pages: list[tuple[str, str, float, float, float]]) -> Scores:
    return _scores_of([PageScore(*page) for page in pages])


def _scores_of(pages: list[PageScore]) -> Scores:
    if not pages:
        raise DataError("no page has gold to compare with; expected annotated pages")
    return Scores(pages)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


@dataclass(frozen=True)
class Scores:
    """The token scores of pages. The means weigh each page equally."""

    pages: list[PageScore]
    """The scores of each page."""

    @property
    def precision(self) -> float:
        """Mean share of the extracted tokens that are gold."""
        return _mean([page.precision for page in self.pages])

    @property
    def recall(self) -> float:
        """Mean share of the gold tokens that are extracted."""
        return _mean([page.recall for page in self.pages])

    @property
    def f1(self) -> float:
        """Mean token F1."""
        return _mean([page.f1 for page in self.pages])

    @property
    def f1_interval(self) -> tuple[float, float]:
        """The ends of the 95 % bootstrap interval of the mean token F1."""
        return _threshr.interval([page.f1 for page in self.pages], _SEED)

    def __repr__(self) -> str:
        return f"Scores({len(self.pages)} pages: precision={self.precision:.4f}, recall={self.recall:.4f}, f1={self.f1:.4f})"


@dataclass(frozen=True)
class Compared:
    """A recipe or model of a comparison."""

    name: str
    """Its name."""
    scores: Scores
    """Its scores."""
    difference: float
    """Mean token F1 minus the mean token F1 of the first candidate, over the same pages."""
    interval: tuple[float, float]
    """The ends of the 95 % bootstrap interval of the difference. If it contains 0, the difference is not significant."""


@dataclass(frozen=True)
class Adapted:
    """A model that was adapted to sites."""

    model: Model
    """The model with the corrections that are kept."""
    sites: list[SiteGain]
    """Results for each site."""
    num_unusable: int
    """Number of pages that are left out, because too little of their gold text was found on the page."""
    unknown: list[str]
    """Ids of the pages that are left out, because their site is unknown."""
    of_other_sites: list[tuple[str, str]]
    """Ids and sites of the pages that are left out, because they belong to another site than `site`."""


def train(data: Data, recipe: RecipeSource | None = None, *, format: str | None = None, threads: int = 0) -> Model:
    """Trains a model on annotated pages.

    `data` is a folder or file of annotated pages, a list of them, or a list of dicts with `html` and `text` (the content of
    the page as text), and optionally `id`, `url` and `lang`. `format` names the format of the files; by default it is
    detected. `recipe` is a dict, TOML as text, or a file; None means the default recipe. `threads` is the number of threads;
    0 means one per core. The same pages, recipe and seed give the same model.

    Raises `OptionError` for a wrong recipe, and `DataError` if no page can be read.
    """
    given: dict[str, Any] = {"format": optional_text("format", format), "threads": count("threads", threads)}
    with _paths(data) as paths:
        return _threshr.train(paths, **given, **_recipe(recipe))


def adapt(
    data: Data,
    model: ModelSource | None = None,
    *,
    site: str | None = None,
    always: bool = False,
    prior: float = 1.0,
    format: str | None = None,
    threads: int = 0,
) -> Adapted:
    """Adapts a model to the sites of annotated pages, with two or three pages of each site.

    `model` is a `Model`, a path, bytes, or the name of a shipped model; None means the shipped model `default`. It is not changed. `data`, `format` and `threads` are as
    in `train`. The site of a page is derived from its `url`, or otherwise from the address that the page states. `site` is
    the site of pages without an address. Pages whose site is unknown are left out, and if `site` is given, also pages of
    other sites. The result names the pages that are left out. A correction is kept if it improves held-out pages, or always
    if `always` is set. `prior` is the strength of the prior that a correction is zero. The extraction of pages of other
    sites does not change.

    Raises `OptionError` for a wrong option, and `DataError` if no page can be read or no page is left.
    """
    given: dict[str, Any] = {
        "site": optional_text("site", site),
        "always": bool(always),
        "prior": number("prior", prior),
        "format": optional_text("format", format),
        "threads": count("threads", threads),
    }
    used = Model.load() if model is None else _model("model", model)
    with _paths(data) as paths:
        adapted, sites, *left_out = _threshr.adapt(paths, used, **given)
        return Adapted(adapted, [SiteGain(*site) for site in sites], *left_out)


def evaluate(
    data: Data, model: ModelSource | None = None, *, overlap: str = "error", format: str | None = None, threads: int = 0
) -> Scores:
    """Computes token precision, recall and F1 of a model on each annotated page.

    `model` is as in `adapt`. `data`, `format` and `threads` are as in `train`. `overlap` is the
    treatment of pages that the model was trained on, and of other pages of their sites: `error`, `skip` (leave them out) or
    `allow` (score them).

    If annotators began with labels of a model and did not change them, a warning tells the share of the gold; scores of this model
    are too high.

    Raises `DataError` if the model was trained on a page and `overlap` is `error`, or if no page is left.
    """
    given: dict[str, Any] = {
        "overlap": text("`overlap`", overlap),
        "format": optional_text("format", format),
        "threads": count("threads", threads),
    }
    used = Model.load() if model is None else _model("model", model)
    with _paths(data) as paths:
        return _scores(_threshr.evaluate(paths, used, **given))


def compare(
    data: Data,
    candidates: Mapping[str, RecipeSource | Model | None],
    *,
    folds: int = 5,
    overlap: str = "error",
    format: str | None = None,
    threads: int = 0,
) -> list[Compared]:
    """Compares recipes and models on the same annotated pages.

    `candidates` maps names to recipes and models. None is the default recipe; `Model.load()` is the shipped model. A recipe is cross-validated on `folds` folds, grouped by site, so that no
    page is scored by a model that was trained on its site. A `Model` is scored without training; `overlap` is as in
    `evaluate`. Pages that are left out for a model are left out for all candidates. Each candidate is compared with the
    first one.

    Raises `DataError` if a `Model` was trained on a page and `overlap` is `error`, or if no page is left.
    """
    if not isinstance(candidates, Mapping):
        raise wrong_type("`candidates`", candidates, "a dict of recipes and models")
    given: dict[str, Any] = {"format": optional_text("format", format), "threads": count("threads", threads)}
    folds = count("folds", folds)
    results: list[tuple[str, Scores]] = []
    with _paths(data) as paths:
        for name, candidate in candidates.items():
            if isinstance(candidate, Model):
                pages = _threshr.evaluate(paths, candidate, overlap=text("`overlap`", overlap), **given)
            else:
                pages = _threshr.cross_validate(paths, folds=folds, **given, **_recipe(candidate))
            results.append((name, _scores(pages)))
    # a page that was left out for one candidate is left out for all
    common = set.intersection(*({(p.set, p.id) for p in scores.pages} for _, scores in results)) if results else set()
    results = [(name, _scores_of([p for p in scores.pages if (p.set, p.id) in common])) for name, scores in results]
    compared = []
    for name, scores in results:
        first = results[0][1]
        mean, low, high = _threshr.difference(
            [page.f1 for page in scores.pages], [page.f1 for page in first.pages], _SEED
        )
        compared.append(Compared(name, scores, mean, (low, high)))
    return compared


def features(
    pages: Data | Sequence[bytes | str],
    *,
    features: str = "all",
    neighbours: Sequence[int] = (),
    model: ModelSource | None = None,
    format: str | None = None,
    threads: int = 1,
) -> Table:
    """The feature matrix of pages, with one row per block, one column per feature, and the names of the features.

    `pages` is a list of pages as bytes or text, or annotated pages as for `train`. The first columns are `set`, `page`,
    `site`, `url`, `block`, `share` (share of the block's tokens that are content), `label` and `text`. `share` and `label` are null
    for pages without annotations. `features` is a feature set, such as `all`, `shallow+density` or `all,-group`. `neighbours` lists distances,
    such as 1: the features of the blocks at these distances before and after a block are added as columns. If `model` is
    given, the columns and vocabularies of the model are used instead.

    Raises `OptionError` or `FeaturesError` for an unknown set, and `NotHtmlError` if a page is not HTML.
    """
    wanted: dict[str, Any] = {
        "features": text("`features`", features),
        "neighbours": [count("neighbours", distance) for distance in neighbours],
        "model": None if model is None else _model("model", model),
        "threads": count("threads", threads),
    }
    format = optional_text("format", format)
    if not isinstance(pages, (str, os.PathLike)):
        if not isinstance(pages, Iterable):
            raise wrong_type("`pages`", pages, "a list of pages, or annotated pages")
        pages = list(pages)  # type: ignore[assignment]
        if pages and all(isinstance(page, bytes) or _is_html(page) for page in pages):
            ids = [str(number) for number in range(len(pages))]  # type: ignore[arg-type]
            return _threshr.features_of_pages(pages, ids, **wanted)  # type: ignore[arg-type]
    with _paths(pages) as paths:  # type: ignore[arg-type]
        return _threshr.features_of_sets(paths, format=format, **wanted)


def _is_html(text: Any) -> bool:
    """Whether a string is a page and not a path."""
    return isinstance(text, str) and "<" in text
