"""Collections, page by page (ActivityStreams §5): inbox, outbox, followers, witnesses, likes and the rest.

Pages are numbered from the oldest entry on, so a page that is full stays as it is however many entries
come. What is told newest first begins with the page of the highest number, and each page is turned round.
Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import names
from penstock.did.activities.names import ACTIVITY_STREAMS
from penstock.did.activities.reading import Reader
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SIZE", "Collection", "Paging"]

#: Entries of a page unless told otherwise.
SIZE: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """A collection of so many entries, and its pages."""

    #: The collection's IRI.
    name: str
    total: int
    size: int = SIZE
    #: Whether the order matters, and is told.
    ordered: bool = True
    newest_first: bool = False

    @property
    def highest(self) -> int:
        """The number of the last page; an empty collection has one page, too."""
        return max(self.total - 1, 0) // self.size

    def span(self, number: int) -> range:
        """Which entries a page has, counted from the oldest; none if there is no such page."""
        if not 0 <= number <= self.highest:
            return range(0)
        start = number * self.size
        found = range(start, min(start + self.size, self.total))
        return found[::-1] if self.newest_first else found

    @property
    def first(self) -> int:
        """The page to begin with."""
        return self.highest if self.newest_first else 0

    @property
    def last(self) -> int:
        """The page to end with."""
        return 0 if self.newest_first else self.highest

    def document(self) -> dict[str, Any]:
        """The collection without its entries."""
        return {
            "@context": ACTIVITY_STREAMS,
            "id": self.name,
            "type": names.ORDERED_COLLECTION if self.ordered else names.COLLECTION,
            "totalItems": self.total,
            "first": f"{self.name}?page=true",
            "last": self._at(self.last),
        }

    def page(self, number: int, entries: Sequence[Any]) -> dict[str, Any]:
        """A page.

        Args:
            number: Which.
            entries: Those of its span, in that order: IRIs, or JSON.
        """
        step = -1 if self.newest_first else 1
        said: dict[str, Any] = {
            "@context": ACTIVITY_STREAMS,
            "id": self._at(number),
            "type": names.ORDERED_COLLECTION_PAGE if self.ordered else names.COLLECTION_PAGE,
            "partOf": self.name,
            "totalItems": self.total,
            "next": self._neighbour(number + step),
            "prev": self._neighbour(number - step),
            "orderedItems" if self.ordered else "items": list(entries),
        }
        return {member: value for member, value in said.items() if value is not None}

    def _neighbour(self, number: int) -> str | None:
        return self._at(number) if 0 <= number <= self.highest else None

    def _at(self, number: int) -> str:
        return f"{self.name}?page=true&page-num={number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Another domain's collection, or a page of it, read."""

    total: int
    entries: tuple[Any, ...] = ()
    #: Where to begin; empty if the entries are here.
    first: str = ""
    #: Where to go on; empty at the end.
    next: str = ""

    @classmethod
    def parse(cls, data: bytes) -> Collection:
        """Read one.

        Raises:
            BadActivity: it is none.
        """
        reader = Reader.of(data, "a collection")
        kinds = set(reader.texts("type"))
        member = next((_MEMBERS[kind] for kind in _MEMBERS if kind in kinds), None)
        if member is None:
            raise BadActivity("type", "a collection is of no type that is known")
        entries = reader.value(member, [])
        if not isinstance(entries, list):
            raise BadActivity(f"bad-{member}", f"{member} of a collection is no list")
        return cls(
            total=reader.whole("totalItems", len(entries)),
            entries=tuple(entries),
            first=reader.iri("first", ""),
            next=reader.iri("next", ""),
        )


_MEMBERS: Final = {
    names.COLLECTION: "items",
    names.COLLECTION_PAGE: "items",
    names.ORDERED_COLLECTION: "orderedItems",
    names.ORDERED_COLLECTION_PAGE: "orderedItems",
}
