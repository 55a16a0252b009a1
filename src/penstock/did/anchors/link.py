"""A link of a linkset (RFC 9264): an anchor, and what is related to it by which relation.

A linkset of a domain has exactly one. Two shapes are met: Orb 1.0 writes targets as lists of objects, as
the RFC does; before, author and profile were plain texts, and a previous anchor was, too. Both are read,
the first is written. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from penstock.did.sparse import parse_sparse
from penstock.errors import BadAnchor, MalformedJson
from penstock.sidetree.usual import Usual

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CREDENTIAL_TYPE", "LINKSET_TYPE", "Item", "Link", "Target"]

LINKSET_TYPE: Final = "application/linkset+json"
CREDENTIAL_TYPE: Final = "application/ld+json"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a relation leads to."""

    href: str
    type: str = ""

    def document(self) -> dict[str, str]:
        """As it is written."""
        return {"href": self.href, "type": self.type} if self.type else {"href": self.href}


class Item(Struct, frozen=True, gc=False):
    """A DID, and the anchor of its last operation before this one; none if it is created."""

    href: str
    previous: str = ""

    def document(self) -> dict[str, Any]:
        """As it is written."""
        return {"href": self.href, "previous": [self.previous]} if self.previous else {"href": self.href}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link; which relations it has depends on where it stands."""

    anchor: str
    profile: str
    author: str = ""
    items: Sequence[Item] = ()
    original: Target | None = None
    related: Target | None = None
    replies: Target | None = None
    up: Sequence[str] = ()
    via: str = ""

    def linkset(self) -> dict[str, Any]:
        """The linkset that has only this link."""
        said: dict[str, Any] = {
            "anchor": self.anchor,
            "author": _targets(self.author),
            "profile": _targets(self.profile),
            "item": [item.document() for item in self.items],
            "up": [{"href": href} for href in self.up],
            "via": _targets(self.via),
        }
        for name, target in (
            ("original", self.original),
            ("related", self.related),
            ("replies", self.replies),
        ):
            said[name] = [] if target is None else [target.document()]
        return {"linkset": [{name: value for name, value in said.items() if value}]}

    @classmethod
    def parse(cls, data: bytes, what: str) -> Link:
        """Read the one link of a linkset.

        Raises:
            BadAnchor: there is none, or more, or it is not in a shape that is known.
        """
        if (usual := _ORIGINAL.read(data)) is not None:
            return _as_link(*usual.linkset)
        try:
            return cls.read(parse_sparse(data), what)
        except MalformedJson as exc:
            raise BadAnchor("json", f"{what} cannot be read: {exc}") from exc

    @classmethod
    def read(cls, document: Any, what: str) -> Link:
        """The same of JSON."""
        match document:
            case {"linkset": [dict(link)]}:
                reading = _Reading(link, what)
            case _:
                raise BadAnchor("linkset", f"{what} is no linkset of exactly one link")
        return cls(
            anchor=reading.text("anchor"),
            profile=reading.only("profile"),
            author=reading.only("author"),
            items=reading.items(),
            original=reading.target("original"),
            related=reading.target("related"),
            replies=reading.target("replies"),
            up=tuple(target.href for target in reading.targets("up")),
            via=reading.only("via"),
        )


# As nearly every original is: ten thousand items that are read at one look.

_Text = Annotated[str, Meta(min_length=1)]


class _Href(Struct, forbid_unknown_fields=True, gc=False):
    href: _Text


_One = Annotated[list[_Href], Meta(min_length=1, max_length=1)]


class _Item(Struct, forbid_unknown_fields=True, gc=False):
    href: str
    previous: Annotated[list[str], Meta(min_length=1, max_length=1)] | UnsetType = UNSET


class _Original(Struct, forbid_unknown_fields=True, gc=False):
    anchor: _Text
    author: _One
    item: list[_Item]
    profile: _One


class _Linkset(Struct, forbid_unknown_fields=True, gc=False):
    linkset: Annotated[list[_Original], Meta(min_length=1, max_length=1)]


_ORIGINAL: Final = Usual(_Linkset)


def _as_link(usual: _Original) -> Link:
    return Link(
        anchor=usual.anchor,
        profile=usual.profile[0].href,
        author=usual.author[0].href,
        items=tuple([Item(each.href, each.previous[0] if each.previous else "") for each in usual.item]),
    )


def _targets(href: str) -> list[dict[str, str]]:
    return [{"href": href}] if href else []


class _Reading:
    """The members of a link, in whichever shape."""

    __slots__ = ("_link", "_what")

    def __init__(self, link: Mapping[str, Any], what: str) -> None:
        self._link = link
        self._what = what

    def text(self, name: str) -> str:
        found = self._link.get(name)
        if not isinstance(found, str) or not found:
            raise BadAnchor(name, f"{self._what} has no {name}")
        return found

    def targets(self, name: str) -> list[Target]:
        found = self._link.get(name, [])
        if isinstance(found, str):
            return [Target(found)] if found else []
        if not isinstance(found, list):
            raise self._bad(name)
        return [self._target(name, each) for each in found]

    def _target(self, name: str, said: Any) -> Target:
        match said:
            case {"href": str(href), "type": str(kind)} if href:
                return Target(href, kind)
            case {"href": str(href)} if href and "type" not in said:
                return Target(href)
        raise self._bad(name)

    def target(self, name: str) -> Target | None:
        found = self.targets(name)
        if len(found) > 1:
            raise BadAnchor(name, f"{self._what} has more than one {name}")
        return found[0] if found else None

    def only(self, name: str) -> str:
        found = self.target(name)
        return "" if found is None else found.href

    def items(self) -> tuple[Item, ...]:
        found = self._link.get("item", [])
        if not isinstance(found, list):
            raise self._bad("item")
        return tuple(self._item(each) for each in found)

    def _item(self, said: Any) -> Item:
        # Most are so; a full batch has ten thousand.
        if isinstance(said, dict) and len(said) == 1 and isinstance(href := said.get("href"), str):
            return Item(href)
        match said:
            case {"href": str(href), "previous": str(previous) | [str(previous)]}:
                return Item(href, previous)
            case {"href": str(href)} if not said.get("previous"):
                return Item(href)
        raise self._bad("item")

    def _bad(self, name: str) -> BadAnchor:
        return BadAnchor(name, f"{name} of {self._what} is in no shape that is known")
