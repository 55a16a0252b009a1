from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from penstock.client import Outgoing, Queue, Run
from penstock.client.counters import Counters
from penstock.client.settling import Settling
from penstock.client.sync import connect
from penstock.errors import LoginRefused, NotConnected, UnknownQueue
from penstock.pipelines.spool import amqp, gathering
from penstock.pipelines.spool.amqp import AmqpFeed, check, lot_of
from penstock.wire.amqp import DeliverArgs
from penstock.wire.amqp.content import bodies_of
from penstock.wire.arrow import Same
from tests.faults.proxy import Proxy, Weather
from tests.pipelines.queues import until
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.client.sync import SyncClient
    from penstock.pipelines.spool.lot import Lot
    from tests.servers.running import Running


@pytest.fixture
def client(broker: Running, name: str) -> Iterator[SyncClient]:
    with connect(broker.url) as made:
        made.declare(Queue(name))
        yield made
        made.withdraw(Queue(name))


def next_of(feed: AmqpFeed) -> Lot:
    lot = feed.next(60.0)
    assert lot is not None
    return lot


def comes(feed: AmqpFeed) -> bool:
    """Whether anything does, though the broker may still be away."""
    with suppress(NotConnected):
        return feed.next(0.1) is not None
    return False


def columns_of(lot: Lot) -> Iterator[tuple[str, str, bool]]:
    """What is said of each message."""
    columns = [
        [each.value] * len(each) if isinstance(each, Same) else each
        for each in (lot.exchanges, lot.routing_keys, lot.redelivered)
    ]
    return zip(*columns, strict=True)


def test_messages_come_in_order_and_go_when_they_are_acknowledged(
    client: SyncClient, broker: Running, name: str
) -> None:
    client.publish_many([Outgoing("", name, b"%d" % number) for number in range(100)])
    feed = AmqpFeed(broker.url, name)

    got = [next_of(feed)]
    while sum(map(len, got)) < 100:
        got.append(next_of(feed))
    assert [body for lot in got for body in bodies_of(lot.frames)] == [b"%d" % n for n in range(100)]
    assert feed.left() == 100  # in hand
    for lot in got:
        feed.ack(lot)
    until(lambda: not feed.left())
    feed.close()
    state = client.queue_state(name)
    assert state is not None
    assert state.messages == 0


def test_what_is_not_acknowledged_comes_again(client: SyncClient, broker: Running, name: str) -> None:
    client.publish(Outgoing("", name, b"x"))
    first = AmqpFeed(broker.url, name)
    lot = next_of(first)
    assert (bodies_of(lot.frames), list(columns_of(lot))) == ([b"x"], [("", name, False)])
    first.close()

    second = AmqpFeed(broker.url, name)
    lot = next_of(second)
    assert (bodies_of(lot.frames), list(columns_of(lot))) == ([b"x"], [("", name, True)])
    second.close()


def test_nothing_is_waited_for_longer_than_asked(client: SyncClient, broker: Running, name: str) -> None:
    feed = AmqpFeed(broker.url, name)

    assert feed.next(0.01) is None
    assert feed.left() == 0
    feed.close()


def test_runs_of_several_places_stand_behind_each_other() -> None:
    settling = Settling(1, "q", Counters(), lambda: None)
    here = Run(settling, 1, DeliverArgs("c", False, "here", "k"), [b"a", b"b"])  # noqa: FBT003 (AMQP's own)
    there = Run(settling, 3, DeliverArgs("c", True, "there", "k"), [b"c"])  # noqa: FBT003

    lot = lot_of([here, there])

    assert (lot.frames, len(lot)) == ([b"a", b"b", b"c"], 3)
    assert list(columns_of(lot)) == [("here", "k", False), ("here", "k", False), ("there", "k", True)]


def test_large_messages_are_not_gathered_until_they_are_many(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "FLOOD", 1)
    monkeypatch.setattr(gathering, "MORE_IN", 60.0)
    monkeypatch.setattr(gathering, "LOT_SIZE", 300_000)
    client.publish_many([Outgoing("", name, b"%d" % number * 200_000) for number in range(2)])
    feed = AmqpFeed(broker.url, name)

    assert [body[:1] * 2 for body in bodies_of(next_of(feed).frames)] == [b"00", b"11"]
    feed.close()


def test_in_a_flood_more_is_waited_for(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "FLOOD", 1)
    monkeypatch.setattr(gathering, "MORE_IN", 60.0)
    monkeypatch.setattr(gathering, "AT_ONCE", 3)
    feed = AmqpFeed(broker.url, name)
    with ThreadPoolExecutor(1) as pool:
        came = pool.submit(feed.next, 60.0)
        for number in range(3):
            assert not came.done()
            client.publish(Outgoing("", name, b"%d" % number))
        assert len(came.result(60.0) or ()) == 3
    feed.close()


def test_few_messages_are_given_at_once(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "MORE_IN", math.inf)
    feed = AmqpFeed(broker.url, name)
    client.publish(Outgoing("", name, b"x"))

    assert len(next_of(feed)) == 1
    feed.close()


def test_a_flood_that_is_over_is_not_waited_for_without_end(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "FLOOD", 1)
    feed = AmqpFeed(broker.url, name)
    client.publish(Outgoing("", name, b"x"))

    assert len(next_of(feed)) == 1
    feed.close()


def test_who_asks_what_is_left_and_hears_that_nothing_waits_gets_what_was_gathered(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "FLOOD", 1)
    monkeypatch.setattr(gathering, "MORE_IN", math.inf)
    client.publish(Outgoing("", name, b"x"))
    feed = AmqpFeed(broker.url, name)
    # It may be at the broker, or on the line, when it is asked for the first time.
    until(lambda: feed.left() >= 0 and feed.next(0.1) is not None)
    feed.close()


def test_with_too_many_bytes_in_hand_nothing_more_is_read(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amqp, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(gathering, "LOT_SIZE", 200_000)
    feed = AmqpFeed(broker.url, name)
    client.publish_many([Outgoing("", name, bytes(100_000))] * 300)
    held = []
    while (lot := feed.next(0.5)) is not None:
        held.append(lot)

    # What is above the limit was on its way through this process; the rest waits at the broker.
    assert 1_000_000 < sum(len(frames) for lot in held for frames in lot.frames) < 10_000_000
    assert feed.left() > 0  # the answer is heard all the same
    count = sum(map(len, held))
    for lot in held:
        feed.ack(lot)
    while count < 300:
        lot = next_of(feed)
        feed.ack(lot)
        count += len(lot)
    until(lambda: not feed.left())
    feed.close()


def test_a_queue_that_is_deleted_ends_the_feed(client: SyncClient, broker: Running, name: str) -> None:
    feed = AmqpFeed(broker.url, name)
    client.withdraw(Queue(name))

    with pytest.raises(UnknownQueue, match=f"no queue '{name}' at amqp://guest@.* any more"):
        until(lambda: comes(feed))
    with pytest.raises(UnknownQueue, match=f"no queue '{name}' at amqp://guest@"):
        feed.left()
    feed.close()


def test_a_broker_that_goes_away_is_told_and_nobody_waits_for_its_answer(
    client: SyncClient, broker: Running, name: str
) -> None:
    with Proxy(broker.port) as proxy:
        feed = AmqpFeed(broker.url.replace(str(broker.port), str(proxy.port)), name)
        proxy.turn(Weather.CUT)
        with pytest.raises(NotConnected, match=f"nothing comes from queue '{name}' at amqp://guest@"):
            until(lambda: feed.next(0.1) is not None)
        with pytest.raises(NotConnected, match="the connection was lost"):
            feed.left()
        proxy.turn(Weather.FINE)
        client.publish(Outgoing("", name, b"x"))
        until(lambda: comes(feed))
        feed.close()


def test_what_waits_here_when_its_connection_is_lost_comes_once(
    client: SyncClient, broker: Running, name: str
) -> None:
    # Given messages without an id that have come, and that nobody has looked at
    bodies = [b"%d" % number for number in range(20)]
    client.publish_many([Outgoing("", name, body) for body in bodies])
    with Proxy(broker.port) as proxy:
        feed = AmqpFeed(broker.url.replace(str(broker.port), str(proxy.port)), name)
        until(lambda: feed._consumption.in_hand == len(bodies))
        # When the connection is lost, and the broker delivers them again on the next one
        proxy.turn(Weather.CUT)
        until(lambda: not feed._consumption.is_live)
        proxy.turn(Weather.FINE)
        found: list[bytes] = []

        def are_all_done() -> bool:
            with suppress(NotConnected):
                while (lot := feed.next(0.1)) is not None:
                    found.extend(bodies_of(lot.frames))
                    feed.ack(lot)
                return len(found) >= len(bodies) and not feed.left()
            return False

        until(are_all_done)
        feed.close()
    # Then each is there once
    assert sorted(found) == sorted(bodies)


def test_a_queue_that_is_not_there_is_named(broker: Running, name: str) -> None:
    with pytest.raises(UnknownQueue, match=f"no queue '{name}' at amqp://guest@"):
        AmqpFeed(broker.url, name)
    with pytest.raises(UnknownQueue, match=f"no queue '{name}' at amqp://guest@"):
        check(broker.url, name)


def test_a_wrong_password_is_told_without_it(broker: Running, name: str) -> None:
    with pytest.raises(LoginRefused) as caught:
        check(broker.url.replace("guest:guest", "guest:sesame"), name)
    assert "sesame" not in str(caught.value)


def test_nobody_there_is_told(name: str) -> None:
    with pytest.raises(NotConnected):
        check(f"amqp://127.0.0.1:{free_port()}", name)
