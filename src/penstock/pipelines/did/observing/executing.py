"""What executors do: they open the domain's parts once a process, and then one thing after the other.

Each function takes places as JSON first, and gives one answer for each task.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from penstock.clock import SystemClock
from penstock.did.cas import StoredContents
from penstock.did.domain.parts import open_cas, open_database, open_fetcher, open_keys
from penstock.did.domain.places import Places
from penstock.did.observing import Finder, Observer
from penstock.did.observing.auditing import Auditor
from penstock.did.observing.hurrying import hurry
from penstock.pipelines.did.observing.apart import Apart
from penstock.pipelines.did.observing.wary import WaryObserver
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.did.anchoring import AnchorInfo
    from penstock.did.database import DomainDatabase
    from penstock.did.observing import Outcome
    from penstock.did.observing.auditing import Audited

__all__ = [
    "audit_anchors",
    "audit_dids",
    "find_dids",
    "linksets_among",
    "observe_anchors",
    "opened",
    "replay_anchors",
]

#: How canonical JSON of a linkset begins; the files of a batch are gzip.
LINKSET: Final = b'{"linkset":'


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The parts of a domain that observe and audit."""

    database: DomainDatabase
    observer: Observer
    finder: Finder
    auditor: Auditor
    contents: StoredContents


@lru_cache(maxsize=16)
def opened(text: str, *, in_hurry: bool = False) -> Opened:
    """The parts, by a domain's places as JSON; they live as long as the process.

    Args:
        text: The places.
        in_hurry: Whether a power cut may undo what is written: somebody does it again then.
    """
    places, clock = Places.from_json(text), SystemClock()
    fetcher, database = open_fetcher(places), open_database(places)
    if in_hurry:
        hurry(database)
    cas = open_cas(places, fetcher)
    keys, protocols = open_keys(places, clock, fetcher), places.method.protocols
    contents = StoredContents(places.storage)
    trusted = frozenset(places.parameters.unchecked_authors)
    observer = Observer(database, cas=cas, keys=keys, protocols=protocols, clock=clock, unchecked=trusted)
    return Opened(
        database=database,
        observer=observer,
        finder=Finder(observer, database, cas=cas, fetch=fetcher.fetch, method=places.method),
        auditor=Auditor(database, contents=contents, keys=keys, protocols=protocols, unchecked=trusted),
        contents=contents,
    )


def wary(places: str, *, in_hurry: bool = False) -> WaryObserver:
    """The observer of a domain, for anchors that may kill it."""
    parts = opened(places, in_hurry=in_hurry)
    return WaryObserver(parts.observer, parts.database, apart=Apart(places, in_hurry=in_hurry))


def observe_anchors(places: str, told: Iterable[AnchorInfo]) -> Iterator[Outcome]:
    """Observe anchors."""
    spare_collections()
    return map(wary(places).observe, told)


def replay_anchors(places: str, told: Iterable[AnchorInfo]) -> Iterator[Outcome]:
    """Observe anchors in a hurry."""
    spare_collections()
    return map(wary(places, in_hurry=True).observe, told)


def find_dids(places: str, dids: Iterable[str]) -> Iterator[Outcome]:
    """Observe the anchors of DIDs."""
    return map(opened(places).finder.find, dids)


def linksets_among(places: str, names: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Those of the domain's contents, by resource hash, that are linksets by the look of them."""
    head = opened(places).contents.head
    for piece in names:
        yield [name for name in piece if head(name, len(LINKSET)) == LINKSET]


def audit_anchors(places: str, names: Iterable[str]) -> Iterator[Audited]:
    """Look at anchors, by resource hash."""
    spare_collections()
    return map(opened(places).auditor.anchor, names)


def audit_dids(places: str, ranges: Iterable[tuple[str, str | None]]) -> Iterator[Audited]:
    """Look at all DIDs from a suffix on up to another."""
    auditor = opened(places).auditor
    return (auditor.dids(first, end) for first, end in ranges)
