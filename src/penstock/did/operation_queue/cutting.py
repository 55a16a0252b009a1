"""Cutting batches of what waits at an instance, and going on with those that were cut before."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.did.operation_queue.cut import Cut
from penstock.did.operation_queue.cuts import adopt_cut, make_cut, open_cuts
from penstock.did.operation_queue.cutter import due_at, plan
from penstock.did.operation_queue.heartbeat import beat
from penstock.did.operation_queue.taking import read_entries, read_posted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.operation_queue.cut import CutDesk
    from penstock.did.operation_queue.cuts import CutRecord
    from penstock.did.operation_queue.cutter import CutRules, Plan
    from penstock.did.operation_queue.operation import Posted
    from penstock.did.operation_queue.pending import Entry

__all__ = ["Cutting"]


class Cutting:
    """Makes and opens the cuts of one instance."""

    def __init__(self, desk: CutDesk, *, me: str, rules: CutRules) -> None:
        self._desk = desk
        self._database = desk.database
        self._me = me
        self._rules = rules
        # Two who cut at once would ask for the same operations; who reopens must not find one half made.
        self._alone = asyncio.Lock()

    async def peek(self, count: int) -> list[Posted]:
        """What a cut of up to so many operations would have now."""
        found = self._planned(most=count, force=True)
        ids = [] if found is None else [entry.id for entry in found.entries]
        return await self._database.run(read_posted, ids)

    async def cut(self, *, most: int | None, force: bool) -> Cut | None:
        """A new cut, if one is due or it is asked for anyway.

        Args:
            most: At most so many operations, if the rules allow more.
            force: Whether to cut whatever there is.
        """
        async with self._alone:
            while found := self._planned(most=most, force=force):
                ids = [entry.id for entry in found.entries]
                first, now = found.entries[0], self._desk.clock.now()
                record = await self._database.run(
                    make_cut, self._me, ids, version=first.version, now=now, queued_at=first.added_at,
                    sequences=[entry.sequence for entry in found.entries],
                )  # fmt: skip
                # Those that are not in it are in other hands, from when this instance seemed dead.
                self._desk.pending.remove(ids)
                if record is not None:
                    return Cut(record, _kept(found.entries, record), self._desk)
        return None

    @property
    def may_be_full(self) -> bool:
        """Whether a cut may be due before its time; a quick look, that is wrong now and then."""
        pending, rules = self._desk.pending, self._rules
        return (
            len(pending) >= self._limit(has_error=False)
            or pending.weight >= rules.least_weight
            or pending.is_mixed
        )

    def next_due(self) -> float | None:
        """When a cut is due at the latest; None while nothing waits."""
        lanes = self._desk.pending.lanes()
        return min((due_at(lane.head, self._rules) for lane in lanes), default=None)

    async def reopen(self) -> list[Cut]:
        """The open cuts that nobody here is at, the oldest first."""
        async with self._alone:
            records = await self._database.run(open_cuts, self._me)
            return [await self._open(record) for record in records if record.id not in self._desk.in_hand]

    async def reopen_cut(self, number: int) -> Cut:
        """An open cut, whoever had it.

        Raises:
            CutLost: there is none of that number.
        """
        return await self._open(await self._database.run(_adopted, number, self._me, self._desk.clock.now()))

    def _planned(self, *, most: int | None, force: bool) -> Plan | None:
        now = self._desk.clock.now()
        for lane in self._desk.pending.lanes():
            limit = self._limit(has_error=lane.head.has_error)
            count = limit if most is None else min(limit, most)
            rules = replace(self._rules, max_operation_count=count)
            if count > 0 and (found := plan(lane, rules, now, force=force)):
                return found
        return None

    def _limit(self, *, has_error: bool) -> int:
        """The most operations of a cut: the protocol's rule, and the lane's."""
        parameters = self._desk.parameters
        lane = (
            parameters.op_queue_max_contiguous_operations_with_err
            if has_error
            else parameters.op_queue_max_contiguous_operations_without_err
        )
        return min(self._rules.max_operation_count, lane)

    async def _open(self, record: CutRecord) -> Cut:
        cut = Cut(record, (), self._desk)
        try:
            cut.operations = await self._database.run(_operations_of, record)
        except BaseException:
            cut.put_down()
            raise
        return cut


def _adopted(connection: Connection, number: int, me: str, now: float) -> CutRecord:
    # As who looks after others does (monitor.py): a cut is never without its task's entry.
    beat(connection, me, now)
    return adopt_cut(connection, number, me)


def _kept(entries: Sequence[Entry], record: CutRecord) -> Sequence[Entry]:
    """Those that are in the cut: nearly always all of them."""
    if len(entries) == len(record.operations):
        return entries
    kept = set(record.operations)
    return [each for each in entries if each.id in kept]


def _operations_of(connection: Connection, record: CutRecord) -> Sequence[Entry]:
    return tuple(read_entries(connection, record.operations))
