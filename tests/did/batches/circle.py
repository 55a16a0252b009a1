"""A domain that takes a batch all the way round, step by step: real files, anchors and proofs, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring import AnchorInfo, recorded_files
from penstock.did.anchoring.messages import ANCHOR, ANCHOR_LINKSET
from penstock.did.domain.parts import create_tables
from penstock.did.observing import Observer
from penstock.did.operation_queue.cut import Cut
from penstock.did.operation_queue.cuts import make_cut
from penstock.did.operation_queue.operation import Posted, QueuedOperation, operation_id
from penstock.did.operation_queue.pending import entry_of
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files import build, part_of_request
from penstock.sidetree.protocol import ORB
from tests.did.anchoring.helpers import A, Domain, PaperKeys
from tests.did.observing.helpers import PROTOCOLS, suffix_in
from tests.did.operation_queue.support import take_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.clock import VirtualClock
    from penstock.did.database import DomainDatabase
    from penstock.did.observing import Outcome
    from tests.sidetree.lives import Life

#: Seconds that each step takes.
STEP = 1.0


class Circle:
    """One domain. Whatever is done takes a second of its clock."""

    def __init__(self, database: DomainDatabase, clock: VirtualClock) -> None:
        create_tables(database)
        self.database = database
        self.clock = clock
        self.domain = Domain(A, database, clock)
        #: By the operation's id.
        self._requests: dict[str, bytes] = {}

    def queue(self, *requests: bytes) -> list[Posted]:
        """Operations come, and wait."""
        posted = [_posted(request) for request in requests]
        self._requests |= {each.id: each.operation.operation_request for each in posted}
        take_all(self.database, "me", *posted, now=self.clock.now())
        self._step()
        return posted

    def cut(self, posted: Sequence[Posted]) -> Cut:
        now = self.clock.now()
        ids = [each.id for each in posted]
        record = self.database.do(make_cut, "me", ids, version=0, now=now, queued_at=now - STEP)
        assert record is not None
        self._step()
        return Cut(record, [entry_of(each, now - STEP) for each in posted], self.domain.desk)

    async def write(
        self, cut: Cut, *, deferred: Sequence[str] = (), refused: Mapping[str, str] | None = None
    ) -> None:
        """The files of all that is not left out; nobody looks whether an operation is any good."""
        out = {*deferred, *(refused or {})}
        requests = [self._requests[each.id] for each in cut.operations if each.id not in out]
        parts = [part_of_request(request) for request in requests]
        files = build(parts, lambda data: str(self.domain.cas.put(data)), ORB)
        await cut.record_files(
            recorded_files(files.anchor_string.core_index), deferred=deferred, refused=refused
        )
        self._step()

    async def anchor(self, cut: Cut) -> None:
        await self.domain.anchoring.writer.write(cut)
        self._step()
        await cut.ack()

    async def publish(self) -> None:
        """What is witnessed goes to storage and to the observer's queue."""
        for linkset in self.domain.queues.of(ANCHOR_LINKSET):
            await self.domain.anchoring.linksets.handle(canonical(linkset))

    def observe(self) -> list[Outcome]:
        """What the observer is told of is observed."""
        observer = Observer(
            self.database, cas=self.domain.cas, keys=PaperKeys(), protocols=PROTOCOLS, clock=self.clock
        )
        told = self.domain.queues.of(ANCHOR)
        self.domain.queues.published.clear()
        return [observer.observe(AnchorInfo.decode(canonical(each))) for each in told]

    async def go_round(self, *requests: bytes) -> Cut:
        """All of it."""
        cut = self.cut(self.queue(*requests))
        await self.write(cut)
        await self.anchor(cut)
        await self.publish()
        assert [outcome.error for outcome in self.observe()] == [None]
        return cut

    def _step(self) -> None:
        self.clock.advance(STEP)


def created(life: Life) -> bytes:
    """The request that creates a DID, which no other domain is to witness."""
    return life.create(origin=A.base)


def _posted(request: bytes) -> Posted:
    value = parse(request)
    operation = QueuedOperation(
        type=value["type"],
        operation_request=request,
        unique_suffix=suffix_in(request),
        anchor_origin=value.get("suffixData", {}).get("anchorOrigin"),
    )
    return Posted(operation_id(request), operation)
