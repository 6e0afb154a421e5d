"""The values of extractions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple, Protocol

from threshr._errors import Error


class Block(NamedTuple):
    """A block of text of a page."""

    text: str
    """The text of the block."""
    score: float
    """The score of the block, from 0 to 1: the estimated probability that the block is content."""
    is_content: bool
    """Whether the block is content."""

    def __repr__(self) -> str:
        label = "content" if self.is_content else "boilerplate"
        return f"<Block {label} {self.score:.2f} {self.text[:40]!r}>"


class Quality(NamedTuple):
    """The expected quality of a page's text."""

    expected: float
    """Expected token F1, from 0 to 1."""
    low: float
    """Token F1 is below this value with a probability of 10 %."""
    high: float
    """Token F1 is above this value with a probability of at most 10 %."""


@dataclass(frozen=True)
class Metadata:
    """Metadata of a page. A field that the page does not state is None or empty."""

    title: str | None = None
    """The title, without the name of the site."""
    authors: list[str] = field(default_factory=list)
    """The authors, in order."""
    date_published: str | None = None
    """Date of publication, as ISO 8601."""
    date_modified: str | None = None
    """Date of the last change, as ISO 8601."""
    site_name: str | None = None
    """The name of the site."""
    description: str | None = None
    """The description of the page."""
    image: str | None = None
    """The address of the image of the page."""
    language: str | None = None
    """The language that the page states, as a BCP 47 tag."""
    tags: list[str] = field(default_factory=list)
    """Tags, keywords and sections of the page."""
    licence: str | None = None
    """The address or name of the licence of the page."""
    canonical_url: str | None = None
    """The address that the page states as its own."""
    sources: dict[str, str] = field(default_factory=dict)
    """The source of each field: json-ld, open-graph, meta, microdata, headline, byline, visible, url or html."""

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Metadata:
        values: dict[str, Any] = {}
        sources: dict[str, str] = {}
        for name, found in fields.items():
            if isinstance(found, list):
                values[name] = [each["value"] for each in found]
                sources[name] = found[0]["source"]
            else:
                values[name] = found["value"]
                sources[name] = found["source"]
        return cls(**values, sources=sources)

    def to_dict(self) -> dict[str, Any]:
        """The fields that are known, as a dict without `sources`."""
        return {name: value for name, value in asdict(self).items() if value and name != "sources"}


class BinaryFile(Protocol):
    """A file object that is open for reading bytes."""

    def read(self, size: int, /) -> bytes:
        """Returns up to `size` bytes; none at the end."""
        ...


@dataclass(frozen=True, repr=False)
class RawPage:
    """A page of a file, or a part of the file that cannot be read."""

    id: str
    """The id of the page: the record id, the value of a field, or the file name and the position in the file."""
    url: str | None
    """The address of the page, if known."""
    date: str | None
    """Date of the fetch, if known, in the format of the file."""
    charset: str | None
    """The charset that an HTTP header states."""
    html: bytes | None
    """The bytes of the page, with the HTTP encodings decoded; None if they cannot be read."""
    error: Error | None
    """The error, with the position in the file, if the page cannot be read; otherwise None."""
    defect: Error | None
    """Defect of a page that can be read, such as a missing end; None without a defect."""

    def __repr__(self) -> str:
        found = self.error if self.html is None else f"{len(self.html)} bytes"
        return f"<RawPage {self.id!r}: {found}>"


@dataclass(frozen=True)
class PageScore:
    """The token scores of one page."""

    set: str
    """The name of the set that contains the page."""
    id: str
    """The id of the page in the set."""
    precision: float
    """Share of the extracted tokens that are gold."""
    recall: float
    """Share of the gold tokens that are extracted."""
    f1: float
    """Harmonic mean of `precision` and `recall`."""


@dataclass(frozen=True)
class SiteGain:
    """Results of the adaptation to one site."""

    site: str
    """The site."""
    pages: int
    """Number of pages from which the correction was learned."""
    before: float
    """Mean token F1 without a correction."""
    after: float
    """Mean token F1 with a correction."""
    left_out: bool
    """Whether `before` and `after` were measured on held-out pages. With one page, they were measured on that page."""
    kept: bool
    """Whether the model has the correction."""
