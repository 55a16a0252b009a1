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
from penstock.did.cas import HashLink
from penstock.errors import BadActivity, ContentNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from penstock.did.activities import AnchorEvent
    from penstock.did.http.port import Fetch

__all__ = ["Told", "anchors_told_by", "told_in"]

#: Bytes of a page: it may hold the linksets of fifty full batches.
LIMIT: Final = 256 * 1024 * 1024

_log = logging.getLogger(__name__)


class Told(NamedTuple):
    """An activity in an outbox."""

    name: str
    #: When it was told, in seconds since the epoch; 0 if nobody says.
    at: float
    #: What it tells of; nothing, if it is of another kind.
    anchors: tuple[AnchorInfo, ...]


def anchors_told_by(service: str, fetch: Fetch) -> Iterator[AnchorInfo]:
    """All anchors in the outbox of a service, the newest first, each once.

    Args:
        service: Its IRI.
        fetch: `HttpFetcher().fetch`, or one like it.

    Raises:
        BadActivity: it has no outbox.
        Unavailable, ContentTooLarge: it cannot be read on.
    """
    told: set[str] = set()
    for each in told_in(f"{service.rstrip('/')}/outbox", service, fetch):
        for info in each.anchors:
            name = HashLink.parse(info.hash_link).hash
            if name not in told:
                told.add(name)
                yield info


def told_in(outbox: str, service: str, fetch: Fetch) -> Iterator[Told]:
    """All activities in an outbox, by its URL, the newest first; raises the same."""
    for entry in _entries(outbox, fetch):
        try:
            told = Activity.read(entry)
            events = _EVENTS[told.type](told) if told.type in _EVENTS else []
            at = told.reader.instant("published", 0.0)
        except BadActivity as exc:
            _log.warning("an activity in an outbox is passed over: %s", exc)
            continue
        infos = (AnchorInfo(hash_link=str(event.url), attributed_to=service) for event in events)
        yield Told(told.name, at, tuple(infos))


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
