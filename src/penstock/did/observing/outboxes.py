"""The anchors that another domain tells of in its outbox, page by page: its own, and those that it passes on.

Whoever joins late reads them there. The outbox is anybody's word: what is no activity about an anchor is
passed over, and each anchor is checked when it is observed.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.did.activities import ACTIVITY_TYPE, Activity, announced, created, names
from penstock.did.activities.collection import Collection
from penstock.did.anchoring import AnchorInfo
from penstock.errors import BadActivity, ContentNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from penstock.did.activities import AnchorEvent

    #: Reads a URL, at most so many bytes of it; raises ContentNotFound, ContentTooLarge or Unavailable.
    Fetch = Callable[..., bytes]

__all__ = ["Told", "anchors_told_by", "told_in"]

#: Bytes of a page: it may hold the linksets of fifty full batches.
LIMIT: Final = 256 * 1024 * 1024

_log = logging.getLogger(__name__)


class Told(NamedTuple):
    """An anchor in an outbox."""

    info: AnchorInfo
    #: When it was told, in seconds since the epoch; 0 if nobody says.
    at: float


def anchors_told_by(service: str, fetch: Fetch) -> Iterator[AnchorInfo]:
    """All anchors in the outbox of a service, the newest first, each once.

    Args:
        service: Its IRI.
        fetch: `HttpFetcher().fetch`, or one like it.

    Raises:
        BadActivity: it has no outbox.
        Unavailable, ContentTooLarge: it cannot be read on.
    """
    return (each.info for each in told_in(f"{service.rstrip('/')}/outbox", service, fetch))


def told_in(outbox: str, service: str, fetch: Fetch) -> Iterator[Told]:
    """The same of an outbox by its URL, with the time of each; raises the same."""
    told: set[str] = set()
    for entry in _entries(outbox, fetch):
        for event, at in _events(entry):
            if event.url.hash not in told:
                told.add(event.url.hash)
                yield Told(AnchorInfo(hash_link=str(event.url), attributed_to=service), at)


def _entries(outbox: str, fetch: Fetch) -> Iterator[Any]:
    """Whatever stands in a collection, from its first page to its last."""
    page, seen = outbox, set[str]()
    # A page that was read before would lead in a circle.
    while page and page not in seen:
        seen.add(page)
        try:
            found = Collection.parse(fetch(page, limit=LIMIT, accept=ACTIVITY_TYPE))
        except ContentNotFound as exc:
            raise BadActivity("not-found", f"{outbox} cannot be read to its end: {exc}") from exc
        yield from found.entries
        page = found.first or found.next


def _created(told: Activity) -> list[AnchorEvent]:
    return [created(told)]


_EVENTS: Final[Mapping[str, Callable[[Activity], list[AnchorEvent]]]] = {
    names.CREATE: _created,
    names.ANNOUNCE: announced,
}


def _events(entry: Any) -> list[tuple[AnchorEvent, float]]:
    try:
        told = Activity.read(entry)
        if told.type not in _EVENTS:
            return []
        at = told.reader.instant("published", 0.0)
        return [(event, at) for event in _EVENTS[told.type](told)]
    except BadActivity as exc:
        _log.warning("an activity in an outbox is passed over: %s", exc)
        return []
