from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.clock import sleep
from penstock.errors import InvalidMessage, TransientError
from penstock.messaging.subscriptions import Batching, DeadLetters, Delivered, Immediate, Pausing
from tests.messaging.fakes import advance, turns
from tests.messaging.subscriptions.shop import opened, run

if TYPE_CHECKING:
    from collections.abc import Callable

EIGHT = Batching(size=8, wait=1)


def ids(batch: list[Delivered]) -> str:
    return "".join(each.message.id for each in batch)


def test_a_batch_that_works_is_acked() -> None:
    async def story() -> None:
        calls: list[str] = []

        async def handler(batch: list[Delivered]) -> None:
            calls.append(ids(batch))

        async with opened(handler, batching=Batching(size=3, wait=1), pool=1) as shop:
            received = shop.deliver(*"abcd")
            await turns()
            assert calls == ["abc"]
            await advance(shop.broker, 1)
            assert calls == ["abc", "d"]
            assert [each.settled for each in received] == [["ack"]] * 4
            assert shop.counters.handled == 4

    run(story)


def poisoned(calls: list[str], *poison: str) -> Callable[[list[Delivered]], Any]:
    async def handler(batch: list[Delivered]) -> None:
        calls.append(ids(batch))
        if any(each.message.id in poison for each in batch):
            raise ValueError("something in here is no good")

    return handler


def test_the_poison_message_is_found_by_halving() -> None:
    async def story() -> None:
        calls: list[str] = []
        async with opened(poisoned(calls, "f"), batching=EIGHT, pool=1, retry=DeadLetters()) as shop:
            received = shop.deliver(*"abcdefgh")
            await turns()
            assert calls == ["abcdefgh", "abcd", "efgh", "ef", "e", "f", "gh"]
            assert shop.dead == ["f"]
            assert [each.settled for each in received] == [["ack"]] * 8
            assert (shop.counters.handled, shop.counters.dead) == (7, 1)

    run(story)


def test_several_poison_messages_are_found() -> None:
    async def story() -> None:
        calls: list[str] = []
        async with opened(poisoned(calls, *"ah"), batching=EIGHT, pool=1, retry=DeadLetters()) as shop:
            shop.deliver(*"abcdefgh")
            await turns(50)
            assert shop.dead == ["a", "h"]
            assert shop.counters.handled == 6

    run(story)


def test_an_error_known_as_transient_is_nobodys_poison() -> None:
    async def story() -> None:
        calls: list[str] = []

        async def handler(batch: list[Delivered]) -> None:
            calls.append(ids(batch))
            raise TransientError("the database is away")

        async with opened(handler, batching=EIGHT, pool=1, retry=Immediate()) as shop:
            shop.deliver(*"abcdefgh")
            await turns(50)
            assert calls == ["abcdefgh"]
            assert sorted(shop.retried) == list("abcdefgh")

    run(story)


def test_each_message_can_be_settled_apart() -> None:
    async def story() -> None:
        async def handler(batch: list[Delivered]) -> None:
            for each in batch:
                if each.message.id == "b":
                    each.fail(ValueError("not this one"))

        async with opened(handler, batching=EIGHT, pool=1, retry=DeadLetters()) as shop:
            received = shop.deliver(*"abc")
            await turns()
            await advance(shop.broker, 1)
            assert (shop.dead, shop.counters.handled) == (["b"], 2)
            assert [each.settled for each in received] == [["ack"]] * 3

    run(story)


def test_what_is_settled_before_the_handler_raises_stays_settled() -> None:
    async def story() -> None:
        calls: list[str] = []

        async def handler(batch: list[Delivered]) -> None:
            calls.append(ids(batch))
            if len(batch) > 1:
                batch[0].done()
                batch[1].fail(ValueError("not this one"))
                raise ValueError("and the rest is nothing")

        async with opened(handler, batching=EIGHT, pool=1, retry=DeadLetters()) as shop:
            shop.deliver(*"abcd")
            await turns()
            await advance(shop.broker, 1)
            assert calls == ["abcd", "c", "d"]
            assert (shop.dead, shop.counters.handled) == (["b"], 3)

    run(story)


def test_what_cannot_be_read_is_in_no_batch() -> None:
    async def story() -> None:
        calls: list[str] = []

        def decode(received: Any) -> Any:
            if received.message.id == "b":
                raise InvalidMessage("no sum")
            return received.message.id.upper()

        async def handler(batch: list[Delivered]) -> None:
            calls.append("".join(each.event for each in batch))

        async with opened(handler, batching=EIGHT, pool=1, decode=decode) as shop:
            shop.deliver(*"abc")
            await turns()
            await advance(shop.broker, 1)
            assert (calls, shop.dead) == (["AC"], ["b"])
            shop.deliver("b")
            await turns()
            await advance(shop.broker, 1)
            assert (calls, shop.dead) == (["AC"], ["b", "b"])

    run(story)


def test_a_batch_over_its_time_is_retried() -> None:
    async def story() -> None:
        async def handler(_: list[Delivered]) -> None:
            await asyncio.Event().wait()

        async with opened(handler, batching=EIGHT, pool=1, time_limit=30, retry=Immediate()) as shop:
            shop.deliver(*"ab")
            await turns()
            await advance(shop.broker, 1)
            await advance(shop.broker, 30)
            assert sorted(shop.retried) == ["a", "b"]

    run(story)


def test_each_try_of_a_part_has_the_whole_time() -> None:
    async def story() -> None:
        calls: list[str] = []

        async def handler(batch: list[Delivered]) -> None:
            calls.append(ids(batch))
            await sleep(shop.broker.clock, 20)
            if len(batch) > 1:
                raise ValueError("one of you")

        async with opened(handler, batching=Batching(size=2), pool=1, time_limit=30) as shop:
            received = shop.deliver(*"ab")
            for _ in range(3):
                await turns()
                await advance(shop.broker, 20)
            assert calls == ["ab", "a", "b"]
            assert [each.settled for each in received] == [["ack"]] * 2

    run(story)


def test_each_try_of_a_part_has_a_limit() -> None:
    async def story() -> None:
        async def handler(batch: list[Delivered]) -> None:
            if len(batch) > 1:
                raise ValueError("one of you")
            await asyncio.Event().wait()

        async with opened(
            handler, batching=Batching(size=2), pool=1, time_limit=30, retry=DeadLetters()
        ) as shop:
            shop.deliver(*"ab")
            for _ in range(2):
                await turns()
                await advance(shop.broker, 30)
            assert shop.dead == ["a", "b"]

    run(story)


def test_a_batch_in_hand_when_the_consumer_stops_is_given_back() -> None:
    async def story() -> None:
        async def handler(batch: list[Delivered]) -> None:
            batch[0].done()
            await asyncio.Event().wait()

        async with opened(handler, batching=Batching(size=2, wait=1), pool=1) as shop:
            received = shop.deliver(*"abcde")
            await turns()
        assert [each.settled for each in received] == [["requeue"]] * 5

    run(story)


def test_what_the_broker_has_taken_back_is_in_no_batch() -> None:
    async def story() -> None:
        calls: list[str] = []

        async def handler(batch: list[Delivered]) -> None:
            calls.append(ids(batch))

        async with opened(handler, batching=Batching(size=3, wait=1), pool=1) as shop:
            received = shop.deliver(*"ab")
            received[0].is_lost = True
            shop.deliver("c")
            await turns()
            assert calls == ["bc"]
            assert [each.settled for each in received] == [["requeue"], ["ack"]]

    run(story)


def test_a_batch_can_be_a_probe() -> None:
    async def story() -> None:
        is_away = [True]

        async def handler(_: list[Delivered]) -> None:
            if is_away[0]:
                raise TransientError("away")

        options: dict[str, Any] = {"batching": Batching(size=2, wait=1), "pool": 1, "retry": Immediate()}
        async with opened(handler, pausing=Pausing(after=1, probe_after=5), **options) as shop:
            shop.deliver(*"ab")
            await turns()
            assert shop.subscription.state == "paused"
            is_away[0] = False
            await advance(shop.broker, 5)
            assert shop.subscription.state == "probing"
            shop.deliver(*"cd")
            await turns()
            assert shop.subscription.state == "running"

    run(story)


def test_a_message_of_a_batch_says_its_state() -> None:
    from tests.messaging.fakes import FakeReceived  # noqa: PLC0415

    delivered = Delivered("bill", FakeReceived())
    assert repr(delivered) == "<Delivered 'bill', in hand>"
    delivered.fail(ValueError())
    assert repr(delivered) == "<Delivered 'bill', failed>"
    delivered.done()
    assert repr(delivered) == "<Delivered 'bill', done>"
