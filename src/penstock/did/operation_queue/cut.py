"""A cut in an instance's hands: its operations, and what is written down of its batch, step by step.

    cut = await queue.cut()
    await cut.record_files(files, deferred=…, refused=…)     # the files are in storage
    await cut.record_anchor(anchor)                          # it is anchored
    await cut.ack()                                          # or, before it is anchored, cut.nack(error)

After a crash the cut is opened again in the state it was in (`queue.reopen`), with the same operations in the
same order: whoever goes on with it looks at `state` and does what is left. What anchors it must happen
exactly once, and is given along as `also`: it is done in the same transaction, and only if the cut is still
this instance's.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.did.operation_queue.cut_states import ANCHORED, FILES
from penstock.did.operation_queue.cuts import (
    LeftOut,
    ack_cut,
    is_acked,
    nack_cut,
    record_anchor,
    record_files,
)
from penstock.did.operation_queue.reposting import new_claim
from penstock.errors import CutLost, DidError, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.cuts import CutRecord
    from penstock.did.operation_queue.pending import Entry, Pending
    from penstock.did.operation_queue.reposting import Reposter
    from penstock.did.parameters import DidParameters

    Work = Callable[[Connection], object]

__all__ = ["Cut", "CutDesk"]

_log = logging.getLogger(__name__)


class CutDesk:
    """What the cuts of an instance have in common."""

    def __init__(
        self,
        database: DomainDatabase,
        pending: Pending,
        reposter: Reposter,
        *,
        parameters: DidParameters,
        clock: Clock,
    ) -> None:
        self.database = database
        self.pending = pending
        self.parameters = parameters
        self.clock = clock
        self._reposter = reposter
        #: The numbers of those that somebody is at.
        self.in_hand: set[int] = set()

    async def repost(self, claim: str) -> None:
        """Post anew what was detached under the claim; what cannot be now is the monitor's."""
        try:
            await self._reposter.repost(claim)
        except StoreError as exc:
            _log.warning("operations wait for the monitor to post them anew: %s", exc)


class Cut:
    """A batch of operations, cut. Settle it once, with ack or nack, or put it down."""

    def __init__(self, record: CutRecord, operations: Sequence[Entry], desk: CutDesk) -> None:
        self._record = record
        self._desk = desk
        #: In order. What they ask for is in the database (`read_posted`).
        self.operations = operations
        desk.in_hand.add(record.id)

    def __repr__(self) -> str:
        return f"<Cut {self.id}, {len(self.operations)} operations, {self.state}>"

    # Looking

    @property
    def id(self) -> int:
        """Its number; later cuts have greater ones."""
        return self._record.id

    @property
    def state(self) -> str:
        """How far its batch is: cut, files or anchored."""
        return self._record.state

    @property
    def version(self) -> int:
        """The genesis time of the protocol that its operations were checked by."""
        return self._record.version

    @property
    def files(self) -> Any:
        """What was written down of the batch's files; None before."""
        return self._record.files

    @property
    def left_out(self) -> LeftOut:
        """The operations that the files leave out."""
        return self._record.left_out

    @property
    def anchor(self) -> str | None:
        """What was written down of the batch's anchor; None before."""
        return self._record.anchor

    # From state to state

    async def record_files(
        self,
        files: Any,
        *,
        deferred: Collection[str] = (),
        refused: Mapping[str, str] | None = None,
    ) -> None:
        """The batch's files are in storage, and from now on they are the batch.

        Args:
            files: What is needed to anchor them, as JSON can say it.
            deferred: The ids of operations whose turn comes with a later batch.
            refused: The ids of those that can be in no batch, and why: they will be dead letters.

        Raises:
            CutLost: it is not this instance's any more; the files stay unused.
            DidError: an id is not the cut's.
        """
        left_out = LeftOut(tuple(deferred), dict(refused or {}))
        if strange := left_out.ids.difference(self._record.operations):
            raise DidError(f"cut {self.id} has no operation {min(strange)}")
        await self._run(record_files, files, left_out)
        self._record = replace(self._record, state=FILES, files=files, left_out=left_out)

    async def record_anchor(self, anchor: str, *, also: Work | None = None) -> None:
        """The batch is anchored.

        Args:
            anchor: What it is known by.
            also: Done in the same transaction: what anchors it.

        Raises:
            CutLost: it is not this instance's any more, and another anchors the same files.
        """
        await self._run(record_anchor, anchor, also=also)
        self._record = replace(self._record, state=ANCHORED, anchor=anchor)

    async def ack(self) -> int:
        """The batch is done with; returns how many operations wait for the next ones.

        An ack that was done, and whose answer got lost, may be asked for again.

        Raises:
            CutLost: it is not this instance's any more, or is not anchored.
        """
        desk, record = self._desk, self._record
        claim, now = new_claim(), desk.clock.now()
        contents = [(each.type, each.suffix) for each in self.operations]
        try:
            await desk.database.run(
                ack_cut, record, claim=claim, now=now, lifespan=desk.parameters.operation_lifespan_s,
                expires_at=now + desk.parameters.op_queue_acked_lifespan, contents=contents,
            )  # fmt: skip
        except CutLost:
            if not await desk.database.run(is_acked, record):
                raise
        self.put_down()
        again = set(record.left_out.deferred)
        desk.pending.put_back(
            each._replace(added_at=record.made_at) for each in self.operations if each.id in again
        )
        if record.left_out.refused:
            await desk.repost(claim)
        return len(desk.pending)

    async def nack(self, error: object, *, blamed: Iterable[str] = ()) -> int:
        """The batch failed, and was certainly not anchored: its operations are posted anew, later.

        Args:
            error: Why, in words.
            blamed: The suffixes of the DIDs that made it fail; they are kept apart from the others.

        Raises:
            CutLost: it is not this instance's any more, or is anchored.
        """
        desk = self._desk
        suffixes = set(blamed)
        bad = [each.id for each in self.operations if each.suffix in suffixes]
        claim = new_claim()
        await desk.database.run(
            nack_cut, self._record, claim=claim, now=desk.clock.now(), error=str(error), blamed=bad
        )
        self.put_down()
        await desk.repost(claim)
        return len(desk.pending)

    def put_down(self) -> None:
        """Leave it as it is; `queue.reopen` finds it again, unless it is settled."""
        self._desk.in_hand.discard(self.id)

    async def _run(self, verb: Callable[..., None], *values: Any, also: Work | None = None) -> None:
        now = self._desk.clock.now()

        def work(connection: Connection, record: CutRecord) -> None:
            verb(connection, record, *values, now=now)
            if also is not None:
                also(connection)

        await self._desk.database.run(work, self._record)
