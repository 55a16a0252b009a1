"""What of an activity others ask for, if the whole is too much: who asks whom, or where which anchor is.

Offers and Creates hold the whole linkset of a batch, which may have megabytes. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["SHORTENED", "essentials"]


def essentials(kind: str, document: dict[str, Any]) -> dict[str, Any]:
    """An activity of a type that may have a linkset, without it."""
    return _OF[kind](document)


def _of_offer(offer: dict[str, Any]) -> dict[str, Any]:
    """With its anchor's name in place of the linkset, as an Accept tells it."""
    match offer.get("object"):
        case {"linkset": [{"anchor": str(anchor)}, *_]}:
            return {**offer, "object": anchor}
    return offer


def _of_create(created: dict[str, Any]) -> dict[str, Any]:
    """With the anchor's URL alone, as an Announce tells it."""
    match created.get("object"):
        case {"url": str(), "object": dict(), **rest}:
            return {**created, "object": {**rest, "url": created["object"]["url"]}}
    return created


_OF: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    names.OFFER: _of_offer,
    names.CREATE: _of_create,
}

#: The types that have.
SHORTENED: Final = tuple(_OF)
