"""Whatever handlers do and whenever things fail, no message is lost on its way through a subscription.

A message is settled once. If it was acked, then because its handler had done it, or because a copy of it was
confirmed; everything else has gone back to its queue.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from penstock.clock import sleep
from penstock.errors import NotConnected, PersistentError, PublishTimeout, TransientError
from penstock.messaging.subscriptions import Backoff, Batching, DeadLetters, Immediate, Pausing
from tests.messaging.fakes import advance, turns
from tests.messaging.subscriptions.shop import Shop

if TYPE_CHECKING:
    from penstock.messaging.subscriptions import RetryStrategy

ERRORS = {
    "unknown": ValueError("what"),
    "persistent": PersistentError("no"),
    "transient": TransientError("away"),
}


@dataclass
class Day:
    """What a test's handlers, its broker and its clock do."""

    outcomes: dict[str, str]
    steps: list[tuple[str, int]]
    publishes: list[bool]
    retry: RetryStrategy
    pool: int
    batching: Batching | None
    done: set[str] = field(default_factory=set)


@st.composite
def days(draw: st.DrawFn) -> Day:
    outcomes = st.sampled_from(["works", "unknown", "persistent", "transient", "slow", "for ever"])
    count = draw(st.integers(1, 20))
    retries: list[RetryStrategy] = [Immediate(attempts=1), Backoff(attempts=2, jitter=0.5), DeadLetters()]
    return Day(
        outcomes={f"m{n}": draw(outcomes) for n in range(count)},
        steps=draw(
            st.lists(st.tuples(st.sampled_from(["deliver", "wait"]), st.integers(1, 20)), max_size=12)
        ),
        publishes=draw(st.lists(st.booleans(), max_size=30)),
        retry=draw(st.sampled_from(retries)),
        pool=draw(st.integers(1, 4)),
        batching=draw(st.sampled_from([None, None, Batching(size=4, wait=1.0)])),
    )


def handler_of(day: Day, shop: list[Shop]) -> Any:
    async def one(message: Any) -> None:
        outcome = day.outcomes[message.id]
        if outcome in ERRORS:
            raise ERRORS[outcome]
        if outcome == "slow":
            await sleep(shop[0].broker.clock, 3)
        if outcome == "for ever":
            await asyncio.Event().wait()
        day.done.add(message.id)

    async def many(batch: list[Any]) -> None:
        outcomes = [day.outcomes[each.message.id] for each in batch]
        for each, outcome in zip(batch, outcomes, strict=True):
            if outcome == "slow":
                each.fail(ValueError("apart"))
            elif outcome in ERRORS:
                raise ERRORS[outcome]
        if "for ever" in outcomes:
            await asyncio.Event().wait()
        day.done |= {each.message.id for each in batch if each.error is None}

    return many if day.batching else one


async def live(day: Day) -> None:
    shops: list[Shop] = []
    shop = Shop(
        handler_of(day, shops),
        retry=day.retry,
        pool=day.pool,
        batching=day.batching,
        time_limit=10,
        pausing=Pausing(after=3, probe_after=2),
    )
    shops.append(shop)
    shop.broker.errors = deque(None if fine else PublishTimeout("late") for fine in day.publishes)
    shop.broker.refusals = deque([None, NotConnected("away")])
    await shop.subscription.start()
    waiting, received = list(day.outcomes), []
    for step, amount in day.steps:
        if step == "deliver" and shop.broker.subscriptions[-1].is_live:
            received += shop.deliver(*waiting[:amount])
            del waiting[:amount]
            await turns()
        else:
            await advance(shop.broker, amount / 2)
        assert shop.subscription.running <= day.pool
    stopping = asyncio.create_task(shop.subscription.stop(5))
    while not stopping.done():
        await turns()
        shop.broker.clock.advance(1)
    published = {message.id for message, _ in shop.broker.published}
    for each in received:
        name = each.message.id
        assert len(each.settled) == 1, f"{name} was left in between"
        assert each.settled == ["requeue"] or name in day.done | published, f"{name} is lost"


@given(days())
def test_no_message_is_lost_on_its_way_through_a_subscription(day: Day) -> None:
    asyncio.run(live(day))
