"""What executors do: they open the domain's parts once a process, and then one thing after the other.

Each function takes places as JSON first, and gives one answer for each task, even for one that kills whoever
does it (wary.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, TypeVar

from penstock.clock import SystemClock
from penstock.did.cas import HashLink, StoredContents
from penstock.did.cas.hashes import resource_hash
from penstock.did.domain.parts import open_cas, open_database, open_fetcher, open_keys
from penstock.did.domain.places import Places
from penstock.did.observing import Finder, Observer, Outcome
from penstock.did.observing.auditing import Audited, Auditor
from penstock.did.observing.findings import Finding, kind_of
from penstock.did.observing.hurrying import hurry
from penstock.errors import BadHashLink, NotAcceptable, StoreError, Unavailable
from penstock.pipelines.did.apart import Apart
from penstock.pipelines.did.wary import Deadly, Wary
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.did.anchoring import AnchorInfo
    from penstock.did.database import DomainDatabase

__all__ = [
    "audit_anchors",
    "audit_dids",
    "find_dids",
    "linksets_among",
    "observe_anchors",
    "opened",
]

T = TypeVar("T")
R = TypeVar("R")

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
def opened(text: str) -> Opened:
    """The parts, by a domain's places as JSON; they live as long as the process.

    What they write is written in a hurry: the driver has it made durable before anybody is told of it.
    """
    places, clock = Places.from_json(text), SystemClock()
    fetcher, database = open_fetcher(places), hurry(open_database(places))
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


def observe(places: str, info: AnchorInfo) -> Outcome:
    """Observe an anchor, come what may."""
    return opened(places).observer.observe(info)


def find(places: str, did: str) -> Outcome:
    """Observe the anchors of a DID, likewise."""
    return opened(places).finder.find(did)


def audit_anchor(places: str, name: str) -> Audited:
    """Look at an anchor, likewise."""
    return opened(places).auditor.anchor(name)


def audit_range(places: str, keys: tuple[int, int | None]) -> Audited:
    """Look at all DIDs from a key on up to another, likewise."""
    return opened(places).auditor.dids(*keys)


# Over many, and warily


def observe_anchors(places: str, told: Iterable[AnchorInfo]) -> Iterator[Outcome]:
    """Observe anchors."""
    spare_collections()
    observer = Wary(
        opened(places).database,
        here=partial(observe, places),
        apart=Apart(observe, places),
        is_struck=_is_stored,
    )
    for info in told:
        try:
            name = HashLink.parse(info.hash_link).hash
        except BadHashLink as exc:
            yield Outcome(error=exc)
        else:
            yield _outcome(observer, name, info, failed=name)


def find_dids(places: str, dids: Iterable[str]) -> Iterator[Outcome]:
    """Observe the anchors of DIDs."""
    finder = _wary(places, find)
    return (_outcome(finder, resource_hash(did.encode()), did) for did in dids)


def audit_anchors(places: str, names: Iterable[str]) -> Iterator[Audited]:
    """Look at anchors, by resource hash."""
    spare_collections()
    auditor = _wary(places, audit_anchor)
    return (_audited(auditor, name, name) for name in names)


def audit_dids(places: str, ranges: Iterable[tuple[int, int | None]]) -> Iterator[Audited]:
    """Look at all DIDs from a key on up to another."""
    auditor = _wary(places, audit_range)
    return (_audited(auditor, f"DIDs with keys from {each[0]} on", each) for each in ranges)


def linksets_among(places: str, names: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """Those of the domain's contents, by resource hash, that are linksets by the look of them."""
    head = opened(places).contents.head
    for piece in names:
        yield [name for name in piece if head(name, len(LINKSET)) == LINKSET]


def _wary(places: str, work: Callable[[str, T], R]) -> Wary[T, R]:
    return Wary(opened(places).database, here=partial(work, places), apart=Apart(work, places))


def _outcome(doing: Wary[T, Outcome], name: str, task: T, *, failed: str = "") -> Outcome:
    """What becomes of a task; whatever is wrong with it is in the outcome."""
    try:
        return doing.do(name, task)
    except StoreError as exc:
        return Outcome(error=exc)
    except Deadly as exc:
        error = NotAcceptable(str(exc)) if exc.is_certain else Unavailable(str(exc))
        return Outcome(error=error, failed=failed)


def _is_stored(outcome: Outcome) -> bool:
    """Whether an anchor was stored just now, and struck out with that."""
    return outcome.error is None and not any(seen.is_known for seen in outcome.seen)


def _audited(doing: Wary[T, Audited], name: str, task: T) -> Audited:
    """What is found at an anchor or a DID; of an audit there is no second try."""
    try:
        return doing.do(f"audit {name}", task)
    except Deadly as exc:
        kind, reason = "deadly", str(exc)
    except StoreError as exc:
        kind, reason = kind_of(exc), str(exc)
    return Audited(operations={}, findings=[Finding(kind=kind, about=name, reason=reason)])
