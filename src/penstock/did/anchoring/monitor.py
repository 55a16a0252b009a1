"""The anchor status monitor: sees to anchors that do not come by their proofs.

An anchor that is overdue is looked at:

    its proofs are enough, by the policy as it is now    published, completed
    its offer may not have been posted                   posted
    witnesses are silent, and others could be asked      others are asked
    nobody else is left                                  left alone until its offer ends
    its offer has ended                                  everybody may be asked again, with a new offer;
                                                         but not origins of the batch that were silent for
                                                         witness-store-expiry-period

So nobody is asked again and again (orb#1560), and yet no anchor is lost because its witnesses were all away
for longer than an offer holds. This domain's own witnesses have agreed to witness, and are waited for until
they leave; the origin of a DID is what whoever made the DID has written, and must not hold up the batch that
it is in for ever. One instance of a domain runs this at a time; two at once do no harm.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from penstock.did.anchoring.anchor_witnesses import (
    add_witnesses,
    forget_asked,
    mark_asked,
    read_witnesses,
    remove_silent_origins,
    remove_system_witnesses,
)
from penstock.did.anchoring.in_process import (
    due_anchors,
    has_waited,
    next_round,
    postpone,
    read_anchor,
)
from penstock.did.anchoring.statuses import IN_PROCESS
from penstock.did.tasks.task import Task
from penstock.did.witnesses import select_further
from penstock.errors import PenstockError, WitnessesNotFound

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from random import Random

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.anchoring.candidates import Candidates
    from penstock.did.anchoring.completion import Completion
    from penstock.did.anchoring.in_process import AnchorRecord
    from penstock.did.anchoring.offering import Offering
    from penstock.did.anchoring.ports import Policies
    from penstock.did.database import DomainDatabase
    from penstock.did.parameters import DidParameters
    from penstock.did.witnesses import Policy, Witness

__all__ = ["ANCHOR_STATUS_MONITOR", "AnchorStatusMonitor"]

#: The task's name at the task manager.
ANCHOR_STATUS_MONITOR: Final = "anchor-status-monitor"
#: Seconds after the end of an offer, so that it has certainly ended.
AFTER: Final = 1.0

_log = logging.getLogger(__name__)


class AnchorStatusMonitor:
    """Goes on with anchors that nobody else goes on with."""

    def __init__(
        self,
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
        self._database = database
        self._candidates = candidates
        self._policies = policies
        self._offering = offering
        self._completion = completion
        self._parameters = parameters
        self._clock = clock
        self._chance = chance

    @property
    def task(self) -> Task:
        """The monitor as a task."""
        return Task(ANCHOR_STATUS_MONITOR, self._parameters.anchor_status_monitoring_interval, self.run)

    async def run(self) -> int:
        """Look at what is overdue; returns how many were completed.

        Raises:
            StoreError: the database is away; the next run goes on.
        """
        limit = self._parameters.anchor_status_max_records
        due = await self._database.ask(due_anchors, self._clock.now(), limit)
        completed = 0
        for anchor in due:
            try:
                completed += await self.look_at(anchor)
            # The others are not to wait for this one.
            except PenstockError as exc:
                _log.warning("anchor %s is left to the next run: %s", anchor, exc)
            except Exception:  # noqa: BLE001 (a mistake of ours, about this one as far as is known)
                _log.exception("anchor %s is left to the next run", anchor)
        return completed

    async def look_at(self, anchor: str) -> bool:
        """Go on with an anchor; whether it is completed."""
        if await self._completion.settle(anchor):
            return True
        record = await self._database.ask(read_anchor, anchor)
        if record is None or record.status != IN_PROCESS:
            return False
        if not record.awaits_posting and not await self._ask_further(record):
            # Those who are waited for may be fewer by now.
            return await self._completion.settle(anchor)
        await self._offering.post(anchor)
        return False

    async def _ask_further(self, record: AnchorRecord) -> bool:
        """Put another offer on record; whether there is anybody to make it to."""
        now = self._clock.now()
        is_over = now > record.ends_at + self._parameters.max_clock_skew
        policy = await self._policies.witness_policy()
        renewed = (await self._candidates.system(), await self._candidates.of_system()) if is_over else None
        chosen = await self._database.run(self._reselect, record, policy, renewed, now)
        _log.info(
            "anchor %s lacks proofs: further offered to %s", record.anchor, ", ".join(chosen) or "nobody"
        )
        return bool(chosen)

    def _reselect(
        self,
        connection: Connection,
        seen: AnchorRecord,
        policy: Policy,
        renewed: tuple[Collection[str], Sequence[Witness]] | None,
        now: float,
    ) -> list[str]:
        """Whom to ask now, on record with the next round; nobody if none is left, or another was quicker."""
        anchor, window = seen.anchor, self._parameters.max_witness_delay
        if read_anchor(connection, anchor, lock=True) != seen:
            return []
        if renewed is not None:
            self._renew(connection, seen, *renewed, now=now)
        chosen = self._selected(policy, read_witnesses(connection, anchor))
        if not chosen:
            until = seen.ends_at if renewed is None else now + window
            postpone(connection, seen, until + self._parameters.max_clock_skew + AFTER)
            return []
        grace = self._parameters.anchor_status_in_process_grace_period
        next_round(connection, seen, asked_at=now, ends_at=now + window, check_at=now + grace)
        mark_asked(connection, anchor, chosen, seen.round + 1)
        return chosen

    def _renew(
        self,
        connection: Connection,
        seen: AnchorRecord,
        staying: Collection[str],
        found: Sequence[Witness],
        *,
        now: float,
    ) -> None:
        """Whom another offer may be made to: who is a witness now, and no origin that was silent for long."""
        remove_system_witnesses(connection, seen.anchor, staying)
        if has_waited(connection, seen, now - self._parameters.witness_store_expiry_period):
            for iri in remove_silent_origins(connection, seen.anchor):
                _log.warning("anchor %s no longer waits for %s, an origin of its DIDs", seen.anchor, iri)
        add_witnesses(connection, seen.anchor, found)
        forget_asked(connection, seen.anchor)

    def _selected(self, policy: Policy, witnesses: Sequence[Witness]) -> list[str]:
        try:
            return select_further(policy, witnesses, chance=self._chance)
        except WitnessesNotFound:
            return []
