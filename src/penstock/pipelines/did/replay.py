"""A replay: a node is rebuilt from anchors, those in its own storage and those that other domains tell of.

It is observing in bulk: anchors are spread over the executors, each is read to its end and stored. What is
observed stays so: hence a replay that was broken off goes on where it was, and one that is done has nothing
to do. Anchors that others build on, and that nobody has listed, are found on the way.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.clock import SystemClock
from penstock.did.anchoring import AnchorInfo
from penstock.did.anchoring.links import OBSERVED, known_links
from penstock.did.cas import HashLink, StoredContents
from penstock.did.domain.parts import create_tables, open_database, open_fetcher
from penstock.did.observing.hurrying import make_durable
from penstock.did.observing.outboxes import anchors_told_by
from penstock.did.operations.tables import look_over
from penstock.pipelines.did.observing.executing import linksets_among, observe_anchors
from penstock.pipelines.did.spreading import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyspark.sql import SparkSession

    from penstock.did.domain import Places
    from penstock.did.observing import Outcome
    from penstock.errors import PenstockError

    #: Told how many anchors are done, and of how many.
    OnProgress = Callable[[int, int], object]

__all__ = ["Failed", "Replay", "Replayed"]

#: Names of contents that an executor looks into at once.
NAMES: Final = 1000


class Failed(Struct, frozen=True, gc=False):
    """An anchor that could not be observed, and why."""

    hash: str
    error: PenstockError


class Replayed(Struct, frozen=True, kw_only=True, gc=False):
    """What has become of all anchors."""

    #: Observed before, and now.
    known: int = 0
    observed: int = 0
    operations: int = 0
    left_out: int = 0
    failed: Sequence[Failed] = ()


class Replay:
    """Rebuilds a node."""

    def __init__(self, spark: SparkSession, places: Places) -> None:
        """Nothing is read yet; the tables are made if they are not there.

        Raises:
            StoreError: the database cannot be used.
        """
        self._spark = spark
        self._places = places
        self._database = open_database(places)
        create_tables(self._database)

    def __repr__(self) -> str:
        return f"<Replay of {self._places.base}>"

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def own(self) -> list[AnchorInfo]:
        """The anchors in the domain's own storage.

        Raises:
            Unavailable: it cannot be listed now.
        """
        names = list(StoredContents(self._places.storage).names())
        pieces = [names[start : start + NAMES] for start in range(0, len(names), NAMES)]
        found = spread(self._spark, partial(linksets_among, self._places.to_json()), pieces)
        return [AnchorInfo(hash_link=HashLink(name).bare) for piece in found for name in piece]

    def told_by(self, service: str) -> list[AnchorInfo]:
        """The anchors in the outbox of another domain's service.

        Raises:
            BadActivity: it has none.
            Unavailable, ContentTooLarge: it cannot be read.
        """
        return list(anchors_told_by(service, open_fetcher(self._places).fetch))

    def run(
        self, anchors: Iterable[AnchorInfo], on_progress: OnProgress = lambda _done, _all: None
    ) -> Replayed:
        """Observe all of these that are not observed yet, and those before them.

        Raises:
            StoreError: the database cannot be used.
        """
        todo = {HashLink.parse(info.hash_link).hash: info for info in anchors}
        known = self._observed(todo)
        done, outcomes = set(known), list["Outcome"]()
        while fresh := {name: info for name, info in todo.items() if name not in done}:
            found = self._spread(list(fresh.values()), len(outcomes), on_progress)
            outcomes += found
            todo = _before(found)
            done |= set(fresh) | self._observed(todo)
        self._finish(outcomes)
        return _summed(len(known), outcomes)

    def _finish(self, outcomes: Iterable[Outcome]) -> None:
        hashes = [HashLink.parse(each.info.hash_link).hash for outcome in outcomes for each in outcome.seen]
        if hashes:
            self._database.do(make_durable, hashes, SystemClock().now())
            self._database.do(look_over)

    def _spread(self, anchors: list[AnchorInfo], done: int, on_progress: OnProgress) -> list[Outcome]:
        """Observe anchors, so many of which were observed in rounds before."""
        total = done + len(anchors)
        work = partial(observe_anchors, self._places.to_json())
        return spread(self._spark, work, anchors, on_progress=lambda now: on_progress(done + now, total))

    def _observed(self, names: Iterable[str]) -> set[str]:
        states = self._database.read(known_links, list(names))
        return {name for name, state in states.items() if state == OBSERVED}


def _before(outcomes: Iterable[Outcome]) -> dict[str, AnchorInfo]:
    """The anchors before these that nobody has listed."""
    links = {link for outcome in outcomes for seen in outcome.seen for link in seen.unknown}
    return {HashLink.parse(link).hash: AnchorInfo(hash_link=link) for link in sorted(links)}


def _summed(known: int, outcomes: Sequence[Outcome]) -> Replayed:
    seen = [each for outcome in outcomes for each in outcome.seen]
    return Replayed(
        known=known + sum(each.is_known for each in seen),
        observed=sum(not each.is_known for each in seen),
        operations=sum(each.operations for each in seen),
        left_out=sum(len(each.left_out) for each in seen),
        failed=tuple(Failed(outcome.failed, outcome.error) for outcome in outcomes if outcome.error),
    )
