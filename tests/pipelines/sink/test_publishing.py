from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client import ClientSettings, Outgoing, Queue
from penstock.client.sync import connect
from penstock.errors import LoginRefused, PublishLost, PublishRefused
from penstock.pipelines.sink import publishing as sinks
from penstock.pipelines.sink.outgoing import Fault
from penstock.pipelines.sink.publishing import Publishing, check

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.client.sync import SyncClient
    from penstock.errors import PublishError
    from tests.servers.running import Running

SOON = ClientSettings(backoff_initial=0.01, backoff_max=0.01)


@pytest.fixture
def client(penstock_server: Running, name: str) -> Iterator[SyncClient]:
    with connect(penstock_server.url) as made:
        made.declare(Queue(name))
        yield made
        made.withdraw(Queue(name))


def depth(client: SyncClient, name: str) -> int:
    state = client.queue_state(name)
    assert state is not None
    return state.messages


def test_all_are_confirmed_in_order_and_what_no_queue_takes_is_told(
    client: SyncClient, penstock_server: Running, name: str
) -> None:
    messages = [Outgoing("", name, b"%d" % number) for number in range(6000)]
    messages[4000] = Outgoing("", "nowhere", b"x")
    with Publishing(penstock_server.url, 60.0) as publishing:
        faults = publishing.publish(messages, range(100, 6100), Fault)
        faults += publishing.finish()

    assert [fault.row for fault in faults] == [4100]
    assert "nowhere" in faults[0].reason
    assert depth(client, name) == 5999
    first = client.get(name)
    assert first is not None
    assert first.body == b"0"
    first.ack()


def test_what_is_in_doubt_is_published_again(
    client: SyncClient, penstock_server: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Publishing(penstock_server.url, 60.0) as publishing:
        publish_many = publishing._client.publish_many
        losses = iter([PublishLost("the connection went")])

        async def lossy(
            messages: Sequence[Outgoing],
            timeout: float,  # noqa: ASYNC109 (the client's)
        ) -> list[PublishError | None]:
            results = await publish_many(messages, timeout)
            if (lost := next(losses, None)) is not None:
                results[0] = lost
            return results

        monkeypatch.setattr(publishing._client, "publish_many", lossy)
        publishing.publish([Outgoing("", name, b"a"), Outgoing("", name, b"b")], [0, 1], Fault)
        assert publishing.finish() == []

    # At least once: its id tells the second for what it is.
    assert depth(client, name) == 3


def test_a_doubt_that_does_not_end_is_raised(
    penstock_server: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sinks, "WAITS", SOON)
    with Publishing(penstock_server.url, 0.05) as publishing:

        async def lost(
            messages: Sequence[Outgoing],
            timeout: float,  # noqa: ASYNC109 (the client's)
        ) -> list[PublishError | None]:
            return [PublishLost("the connection went") for _ in messages]

        monkeypatch.setattr(publishing._client, "publish_many", lost)
        publishing.publish([Outgoing("", name, b"a")], [0], Fault)
        with pytest.raises(PublishLost, match=r"1 messages after 0.05 s: the connection went"):
            publishing.finish()


@pytest.fixture
def full(broker: Running, name: str) -> Iterator[SyncClient]:
    """Whoever publishes to the queue is refused: it has room for one message, and has one."""
    queue = Queue(name, arguments={"x-max-length": 1, "x-overflow": "reject-publish"})
    with connect(broker.url) as made:
        made.declare(queue)
        made.publish(Outgoing("", name, b"first"))
        yield made
        made.withdraw(queue)


def test_a_full_queue_is_waited_for_and_nothing_is_left_out(
    full: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sinks, "WAITS", SOON)
    taken: list[bytes] = []
    with Publishing(broker.url, 600.0) as publishing:
        publishing.publish([Outgoing("", name, body) for body in (b"a", b"b", b"c")], range(3), Fault)
        while not all(each.done() for each in publishing._under_way) or depth(full, name):
            if (delivery := full.get(name)) is not None:
                delivery.ack()
                taken.append(delivery.body)
        assert publishing.finish() == []

    assert sorted(taken) == [b"a", b"b", b"c", b"first"]


def test_but_not_for_ever(full: SyncClient, broker: Running, name: str) -> None:
    with Publishing(broker.url, 0.5) as publishing:
        publishing.publish([Outgoing("", name, b"a")], [0], Fault)
        with pytest.raises(PublishRefused, match=r"1 messages after 0.5 s: the broker refused"):
            publishing.finish()

    assert depth(full, name) == 1


def test_an_exchange_that_is_not_there_is_the_rows_fault(broker: Running) -> None:
    with Publishing(broker.url, 600.0) as publishing:
        publishing.publish([Outgoing("no-such-exchange", "q", b"a")], [7], Fault)
        [fault] = publishing.finish()

    assert fault.row == 7
    assert "no-such-exchange" in fault.reason


def test_a_wrong_password_is_told(penstock_server: Running) -> None:
    wrong = penstock_server.url.replace("guest:guest", "guest:sesame")
    with pytest.raises(LoginRefused):
        check(wrong)
    with pytest.raises(LoginRefused):
        Publishing(wrong, 1.0)
    check(penstock_server.url)
    assert Fault(1, "x").row == 1
