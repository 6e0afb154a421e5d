"""The values of extractions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple


class Quality(NamedTuple):
    """The expected quality of a page's text."""

    expected: float
    """Expected token F1, from 0 to 1."""
    low: float
    """Token F1 is below this with a probability of 10 %."""
    high: float
    """Token F1 is above this with a probability of at most 10 %."""


@dataclass(frozen=True)
class Metadata:
    """Metadata of a page. A field that nothing on the page names is None or empty."""

    title: str | None = None
    """The title, without the name of the site."""
    authors: list[str] = field(default_factory=list)
    """The authors, in order."""
    date_published: str | None = None
    """When it appeared, as ISO 8601."""
    date_modified: str | None = None
    """When it was last changed, as ISO 8601."""
    site_name: str | None = None
    """The name of the site."""
    description: str | None = None
    """A summary."""
    image: str | None = None
    """The address of its image."""
    language: str | None = None
    """The language that the page states, as a BCP 47 tag."""
    tags: list[str] = field(default_factory=list)
    """Its tags, keywords and sections."""
    licence: str | None = None
    """The address or name of its licence."""
    canonical_url: str | None = None
    """The address that the page states as its own."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where each field is from: json-ld, open-graph, meta, microdata, headline, byline, visible, url or html."""

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
