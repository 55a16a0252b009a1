from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from penstock.outbox.claims import Claim, Claims, claims_for
from penstock.outbox.database import Database
from penstock.outbox.statements import Settlement
from tests.outbox.helpers import TO, add, message, rows

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from sqlalchemy.engine import Engine

    from penstock.clock import VirtualClock
    from penstock.outbox import Outbox

LEASE = 60.0
#: in_order of a relay.
TURNS, SHARES = True, False


def tell(story: Callable[..., Awaitable[None]], engine: Engine, outbox: Outbox, *in_order: bool) -> None:
    """Tell a story of several relays; each takes turns or not."""

    async def run() -> None:
        databases = [Database(engine) for _ in in_order]
        try:
            await story(
                *(
                    claims_for(database, outbox, in_order=turns, lease=LEASE)
                    for database, turns in zip(databases, in_order, strict=True)
                )
            )
        finally:
            for database in databases:
                database.close()

    asyncio.run(run())


async def ids(claim: Claim, limit: int = 10) -> list[str]:
    return [row.id for row in await claim.more(limit)]


@asynccontextmanager
async def relayed(claims: Claims, limit: int = 10) -> AsyncIterator[list[str]]:
    """Take and settle."""
    async with claims.take() as claim:
        rows = await claim.more(limit)
        yield [row.id for row in rows]
        await claim.settle(Settlement(at=1.0, relayed=[row.sequence for row in rows]))


def test_rows_come_by_priority_and_then_in_their_order(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2")
    add(engine, outbox, b"urgent", priority=1)
    add(engine, outbox, b"noise", priority=-1)
    add(engine, outbox, b"3")

    async def story(claims: Claims) -> None:
        async with relayed(claims, 3) as found:
            assert found == ["urgent", "1", "2"]
        async with relayed(claims) as found:
            assert found == ["3", "noise"]
        async with relayed(claims) as found:
            assert found == []

    tell(story, engine, outbox, TURNS)
    assert rows(engine, outbox, "relayed", "relayed_at") == [(1, 1.0)] * 5


def test_what_is_settled_in_turn_holds_at_once_for_a_relay_that_dies_then(
    engine: Engine, outbox: Outbox
) -> None:
    add(engine, outbox, b"1", b"2")

    async def story(claims: Claims) -> None:
        async with claims.take() as claim:
            first = await claim.more(1)
            await claim.settle(Settlement(at=1.0, relayed=[first[0].sequence]))
            assert [row.id for row in await claim.more(1, after=first[0])] == ["2"]
            raise InterruptedError

    with pytest.raises(InterruptedError):
        tell(story, engine, outbox, TURNS)
    assert rows(engine, outbox, "relayed") == [(1,), (0,)]


@pytest.mark.parametrize("in_order", [TURNS, SHARES])
def test_what_comes_after_a_row_that_is_under_way(engine: Engine, outbox: Outbox, *, in_order: bool) -> None:
    add(engine, outbox, b"1", b"2", b"3")
    add(engine, outbox, b"noise", priority=-1)
    add(engine, outbox, b"urgent", priority=1)
    add(engine, outbox, b"4")

    async def story(claims: Claims) -> None:
        async with claims.take() as claim:
            rows = list(await claim.more(2))
            while more := await claim.more(2, after=rows[-1]):
                rows += more
            assert [row.id for row in rows] == ["urgent", "1", "2", "3", "4", "noise"]

    tell(story, engine, outbox, in_order)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_row_that_is_committed_late_is_not_skipped(engine: Engine, outbox: Outbox) -> None:

    async def story(claims: Claims) -> None:
        with engine.connect() as late:
            outbox.add(late, message(id="late"), to=TO)
            add(engine, outbox, b"early")
            async with relayed(claims) as found:
                assert found == ["early"]
            late.commit()
        async with relayed(claims) as found:
            assert found == ["late"]

    tell(story, engine, outbox, TURNS)
    assert rows(engine, outbox, "id") == [("late",), ("early",)]


def test_relays_that_take_turns_leave_everything_to_one(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2", b"3")

    async def story(one: Claims, other: Claims) -> None:
        async with relayed(one, 2) as found:
            assert found == ["1", "2"]
            async with other.take() as nothing:
                assert await ids(nothing) == []
        await one.release()
        async with other.take() as rest:
            assert await ids(rest) == ["3"]

    tell(story, engine, outbox, TURNS, TURNS)


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_relays_that_share_have_different_rows(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2", b"3")

    async def story(one: Claims, other: Claims, in_order: Claims) -> None:
        async with one.take() as first, other.take() as second, in_order.take() as third:
            found = [await ids(first, 2), await ids(second, 2), await ids(third, 2)]
            assert found == [["1", "2"], ["3"], []]
        async with in_order.take() as first, one.take() as second:
            assert [await ids(first, 2), await ids(second, 2)] == [["1", "2"], []]

    tell(story, engine, outbox, SHARES, SHARES, TURNS)


def test_what_was_not_settled_is_taken_again(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1")

    async def story(claims: Claims) -> None:
        for _ in range(2):
            async with claims.take() as claim:
                assert await ids(claim) == ["1"]

    tell(story, engine, outbox, TURNS)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_lease_that_is_over_is_anybodys(engine: Engine, outbox: Outbox, clock: VirtualClock) -> None:
    add(engine, outbox, b"1")

    async def story(died: Claims, other: Claims) -> None:
        async with died.take() as claim:
            assert await ids(claim) == ["1"]
        clock.advance(LEASE)
        async with other.take() as claim:
            assert await ids(claim) == []
        clock.advance(0.1)
        async with other.take() as claim:
            assert await ids(claim) == ["1"]
        async with died.take() as claim:
            assert await ids(claim) == []

    tell(story, engine, outbox, TURNS, TURNS)


def test_an_idle_relay_writes_nothing(engine: Engine, outbox: Outbox) -> None:
    async def story(one: Claims, other: Claims) -> None:
        async with one.take() as claim:
            assert await ids(claim) == []
        add(engine, outbox, b"1")
        async with other.take() as claim:
            assert await ids(claim) == ["1"]

    tell(story, engine, outbox, TURNS, TURNS)


def test_failures_are_counted_with_their_reason(engine: Engine, outbox: Outbox) -> None:
    add(engine, outbox, b"1", b"2", b"3", b"4")

    async def story(claims: Claims) -> None:
        async with claims.take() as claim:
            first, second, third, fourth = (row.sequence for row in await claim.more(10))
            failed = {second: "full", third: "lost", fourth: "full"}
            await claim.settle(Settlement(at=1.0, relayed=[first], failed=failed, set_aside=[fourth]))
        async with claims.take() as claim:
            assert [(row.id, row.attempts) for row in await claim.more(10)] == [("2", 1), ("3", 1)]
            await claim.settle(Settlement(at=2.0, relayed=[second]))

    tell(story, engine, outbox, TURNS)
    found: Any = rows(engine, outbox, "id", "relayed", "attempts", "error")
    assert found == [("1", 1, 0, None), ("2", 1, 0, None), ("3", 0, 1, "lost"), ("4", -1, 1, "full")]
