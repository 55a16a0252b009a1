"""The driver's side of the observer: batches of messages come in, and are settled when this returns.

The domain's parts live on an event loop of their own, opened once: a broker that is lost is found again by
itself.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from penstock.did.anchoring import AnchorInfo
from penstock.did.cas import HashLink
from penstock.did.domain import Domain
from penstock.did.observing import Outcome, Settling, Taken, did_in
from penstock.did.observing.hurrying import make_durable
from penstock.errors import InvalidMessage
from penstock.pipelines.did.observing.executing import find_dids, observe_anchors
from penstock.pipelines.did.spreading import spread
from penstock.pipelines.looping import LoopThread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from penstock.did.domain import Places
    from penstock.did.observing import Seen

__all__ = ["KINDS", "ObserverDesk"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """How the messages of a queue are read, and what executors do with them."""

    decode: Callable[[bytes], Any]
    work: Callable[[str, Iterable[Any]], Iterable[Outcome]]
    #: Into how many a batch is spread; as seems best, if it is 0.
    pieces: int = 0


#: By the name of the queue, without the domain's word.
KINDS: Final[Mapping[str, Kind]] = {
    "anchor": Kind(AnchorInfo.decode, observe_anchors),
    # One core at most: anybody may ask for any DID, and looking for it is mostly waiting for others.
    "did": Kind(did_in, find_dids, pieces=1),
}


class ObserverDesk:
    """Observes batches for a domain; `with ObserverDesk(places) as desk:`."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._loop: LoopThread | None = None
        self._domain = Domain(places)
        self._settling: dict[str, Settling] = {}

    def __repr__(self) -> str:
        return f"<ObserverDesk of {self._places.base}>"

    def __enter__(self) -> Self:
        """Open the domain's parts.

        Raises:
            BadKey, StoreError, ClientError: they cannot be.
        """
        self._loop = LoopThread(f"observer {self._places.word}")
        try:
            self._loop.wait(self._domain.__aenter__())
        except BaseException:
            self._loop.end()
            raise
        self._settling = {queue: Settling(self._domain, queue) for queue in KINDS}
        return self

    def __exit__(self, *error: object) -> None:
        assert self._loop is not None  # noqa: S101 (it was entered)
        self._loop.wait(self._domain.__aexit__(None, None, None))
        self._loop.end()

    def observe(self, queue: str, batch: DataFrame) -> None:
        """Observe and settle a batch of messages.

        Args:
            queue: `anchor` or `did`.
            batch: By the columns of Taken.

        Raises:
            PenstockError: broker or database are away; the batch is to come again.
        """
        assert self._loop is not None  # noqa: S101 (it was entered)
        settling = self._settling[queue]
        rows = sorted((row.asDict() for row in batch.collect()), key=lambda row: row["position"])
        taken = [Taken(settling.queue, row) for row in rows]
        outcomes = self._outcomes(queue, batch.sparkSession, [each.body for each in taken])
        self._make_durable(outcomes)
        self._loop.wait(settling.settle(list(zip(taken, outcomes, strict=True))))
        _tell({each.info.hash_link: each for outcome in outcomes for each in outcome.seen}.values())

    def _make_durable(self, outcomes: Iterable[Outcome]) -> None:
        """Have on disk what executors have stored: of what is settled there is no message any more."""
        assert self._loop is not None  # noqa: S101 (it was entered)
        # Known ones as well: who has stored them may have died before this.
        hashes = [HashLink.parse(each.info.hash_link).hash for outcome in outcomes for each in outcome.seen]
        if hashes:
            domain = self._domain
            self._loop.wait(domain.database.run(make_durable, hashes, domain.clock.now()))

    def _outcomes(self, queue: str, spark: SparkSession, bodies: Sequence[bytes]) -> list[Outcome]:
        """What becomes of each message; those that say the same are one task."""
        kind = KINDS[queue]
        read = {body: _read(kind, body) for body in bodies}
        tasks = {body: task for body, task in read.items() if not isinstance(task, Outcome)}
        work = partial(kind.work, self._places.to_json())
        outcomes = spread(spark, work, list(tasks.values()), pieces=kind.pieces)
        found = dict(zip(tasks, outcomes, strict=True))
        return [found[body] if body in found else read[body] for body in bodies]


def _read(kind: Kind, body: bytes) -> Any:
    try:
        return kind.decode(body)
    except InvalidMessage as exc:
        return Outcome(error=exc)


def _tell(anchors: Iterable[Seen]) -> None:
    seen = [each for each in anchors if not each.is_known]
    if seen:
        _log.info("%d anchors observed, %d operations", len(seen), sum(each.operations for each in seen))
    for each in seen:
        for left_out in each.left_out:
            _log.warning(
                "an operation of %s in %s is left out: %s",
                left_out.suffix,
                each.info.hash_link[:60],
                left_out.reason,
            )
