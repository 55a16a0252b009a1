"""The anchor writer: anchors a batch, so that exactly one anchor comes of it whatever happens on the way.

    1. find the previous anchors of the DIDs, unless whoever wrote the files has drafted the linkset; find
       the witnesses, sign it
    2. in one transaction: the cut is `anchored`, and the anchor is in process with its witnesses
    3. post the offer; or, if no witness is needed, publish the anchor at once

Before 2 nothing has happened, and everything may be done anew. After 2 the anchor is there for good: what is
left of 3 is done by whoever goes on with the cut, or by the monitor.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from penstock.did.anchoring.anchor_witnesses import add_witnesses, mark_asked
from penstock.did.anchoring.batch import Batch
from penstock.did.anchoring.did_anchors import latest_anchors
from penstock.did.anchoring.in_process import AnchorRecord, record_anchor
from penstock.did.anchors import Draft, complete
from penstock.did.operation_queue.cut_states import ANCHORED
from penstock.did.witnesses import SYSTEM, select
from penstock.errors import PenstockError, WitnessesNotFound
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.anchoring.candidates import Candidates
    from penstock.did.anchoring.completion import Completion
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.offering import Offering
    from penstock.did.anchoring.ports import Policies
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import Cut
    from penstock.did.parameters import DidParameters
    from penstock.did.witnesses import Witness

__all__ = ["AnchorWriter"]

_log = logging.getLogger(__name__)


class AnchorWriter:
    """Anchors batches whose files are in storage."""

    def __init__(
        self,
        identity: Identity,
        database: DomainDatabase,
        *,
        candidates: Candidates,
        policies: Policies,
        offering: Offering,
        completion: Completion,
        parameters: DidParameters,
        clock: Clock,
        chance: Random,
    ) -> None:
        """A writer.

        Args:
            identity: Who anchors.
            database: With the layouts ANCHORING and OPERATION_QUEUE.
            candidates: Who may witness.
            policies: How many must.
            offering: Asks them.
            completion: Publishes what needs nobody's proof.
            parameters: The domain's.
            clock: What tells the time.
            chance: Which witnesses are asked, of those that may be.
        """
        self._identity = identity
        self._database = database
        self._candidates = candidates
        self._policies = policies
        self._offering = offering
        self._completion = completion
        self._parameters = parameters
        self._kind = parameters.anchor_data_uri_media_type
        self._clock = clock
        self._chance = chance

    async def write(self, cut: Cut, draft: Draft | None = None) -> str:
        """Anchor a batch, and return the anchor's name; then the cut can be acked.

        A cut that is anchored already is gone on with, not anchored again.

        Args:
            cut: Its files are recorded.
            draft: Its linkset, if there is one yet, of the files that are recorded.

        Raises:
            PreviousUnknown: a DID is changed that has no anchor; nothing was anchored. Nack with `suffixes`.
            WitnessesNotFound: the policy asks for more than there are; nothing was anchored.
            CutLost: it is another instance's by now, which anchors it.
            StoreError: the database is away; whether it is anchored, the cut tells when that is back.
        """
        anchor = cut.anchor if cut.state == ANCHORED else None
        if anchor is None:
            anchor = await self._anchor(cut, draft)
        try:
            await self._offering.post(anchor)
            await self._completion.settle(anchor)
        except PenstockError as exc:
            # It is anchored, whatever comes now: the batch must not be told that it failed.
            _log.warning("anchor %s is left to the monitor: %s", anchor, exc)
        return anchor

    async def _anchor(self, cut: Cut, draft: Draft | None) -> str:
        batch = Batch.of(cut)
        draft = draft or await self._drafted(batch)
        candidates, chosen = await self._witnesses(batch)
        now = self._clock.now()
        record = AnchorRecord(
            anchor=draft.anchor,
            cut=cut.id,
            linkset=await asyncio.to_thread(self._signed, draft, now),
            round=1 if chosen else 0,
            asked_at=now,
            ends_at=now + self._parameters.max_witness_delay,
            check_at=now + self._parameters.anchor_status_in_process_grace_period,
        )
        also = partial(_record, record=record, found=candidates, chosen=chosen)
        await cut.record_anchor(draft.anchor, also=also)
        return draft.anchor

    async def _witnesses(self, batch: Batch) -> tuple[list[Witness], list[str]]:
        """Who may witness the anchor, and who of them is asked."""
        found = [*await self._candidates.of_batch(batch.origins), *await self._candidates.of_system()]
        policy = await self._policies.witness_policy()
        # Orb passes over all who do not answer; but where nobody does, it would be without any witness.
        if any(witness.role == SYSTEM for witness in found):
            with suppress(WitnessesNotFound):
                return found, select(policy, found, chance=self._chance)
        # Posted anew again and again, operations would be dead letters before the others are back.
        found += await self._candidates.away(found)
        return found, select(policy, found, chance=self._chance)

    async def _drafted(self, batch: Batch) -> Draft:
        found = await self._database.ask(latest_anchors, batch.changed)
        payload = batch.payload(found, origin=self._identity.service)
        return await asyncio.to_thread(Draft.of, payload, kind=self._kind)

    def _signed(self, draft: Draft, now: float) -> bytes:
        return canonical(complete(draft, partial(self._identity.credential, at=now), kind=self._kind))


def _record(
    connection: Connection, *, record: AnchorRecord, found: Iterable[Witness], chosen: Sequence[str]
) -> None:
    record_anchor(connection, record)
    add_witnesses(connection, record.anchor, found)
    if chosen:
        mark_asked(connection, record.anchor, chosen, record.round)
