from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from penstock.client import (
    Binding,
    BrokerUrl,
    Exchange,
    Outgoing,
    Queue,
    QueueState,
    ServerInfo,
    connect,
)
from penstock.errors import BrokerRefused, NotPermitted, TopologyError
from penstock.messaging.topology import Topology
from penstock.messaging.topology.live import LiveQueue
from penstock.messaging.topology.looking import look
from penstock.messaging.topology.plan import Plan, make_plan

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.client import Client
    from penstock.messaging.topology.live import Live
    from tests.messaging.topology.conftest import Place


def talk(place: Place, work: Callable[[Client], Awaitable[Any]], user: str = "guest") -> Any:
    """Do something with a client of the broker."""

    async def run() -> Any:
        url = place.running.url.replace("guest:guest", f"{user}:{user}")
        async with await connect(url) as client:
            return await work(client)

    return asyncio.run(run())


def wanted(app: str) -> Topology:
    return Topology(
        exchanges=(Exchange(app, "topic"), Exchange(f"{app}.all", "fanout", internal=True)),
        queues=(Queue(f"{app}.q", arguments={"x-max-length": 5}), Queue(f"{app}.r", durable=True)),
        bindings=(
            Binding(app, f"{app}.q", "a.#", {"n": 1, "text": "t"}),
            Binding(app, f"{app}.all", "#", to_exchange=True),
            Binding(f"{app}.all", f"{app}.r"),
        ),
    )


def test_what_was_declared_is_seen_as_it_was_declared(place: Place, app: str) -> None:
    topology = wanted(app)

    async def work(client: Client) -> None:
        nothing = await look(client, place.url, topology, management=place.management)
        assert len(make_plan(topology, nothing).changes) == 7
        await client.declare(*topology.things())
        await client.publish(Outgoing("", f"{app}.q", b"x"))
        live = await look(client, place.url, topology, management=place.management, namespace=app)
        assert make_plan(topology, live, namespace=app) == Plan()
        assert (live.queues[f"{app}.q"].messages, live.queues[f"{app}.r"].messages) == (1, 0)
        assert (live.product, live.unseen) == (client.server.product, "")
        assert live.version == client.server.version

    talk(place, work)


def test_an_answer_may_be_larger_than_a_frame(telling: Place, app: str) -> None:
    queues = [Queue(f"{app}.{number}", arguments={"x-why": "ä" * 50_000}) for number in range(3)]

    async def work(client: Client) -> None:
        await client.declare(*queues)
        live = await look(client, telling.url, Topology())
        assert [live.queues[queue.name].declared for queue in queues] == queues
        await client.withdraw(*queues)

    talk(telling, work)


def test_exclusive_queues_are_not_seen(place: Place, app: str) -> None:
    async def work(client: Client) -> None:
        await client.declare(Queue(f"{app}.mine", durable=False, exclusive=True))
        live = await look(client, place.url, Topology(), management=place.management)
        assert f"{app}.mine" not in live.queues

    talk(place, work)


def test_without_the_management_api_less_is_seen_and_that_is_told(managed: Place, app: str) -> None:
    topology = wanted(app)

    async def work(client: Client) -> None:
        await client.declare(Queue(f"{app}.q"))
        # The usual port is nobody's, or another broker's: this one's was moved elsewhere.
        live = await look(client, managed.url, topology)
        assert "whether declared queues exist was seen" in live.unseen
        assert "http://127.0.0.1:15672" in live.unseen
        assert make_plan(topology, live, namespace=app).changes[0].thing == Queue(f"{app}.r")
        assert (live.exchanges, live.bindings) == (None, None)

    talk(managed, work)


def test_what_another_broker_has_is_not_taken_for_this_ones(
    managed: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert managed.management is not None
    # Given: where the management API usually is, that of a broker of another name.
    port = BrokerUrl.parse(managed.management.replace("http", "amqp")).port
    monkeypatch.setattr("penstock.messaging.topology.management.PORTS", {False: port})

    async def work(client: Client) -> None:
        live = await look(client, managed.url, Topology())
        assert live.unseen == ""
        odd = Odd("RabbitMQ", cluster="rabbit@elsewhere")
        live = await look(cast("Client", odd), managed.url, wanted("odd"))
        assert f"is that of another broker, {client.server.cluster}" in live.unseen

    talk(managed, work)


def test_who_may_not_use_it_is_told(managed: Place) -> None:
    url = replace(managed.url, user="limited", password="limited")  # noqa: S106 (everybody's)

    async def work(client: Client) -> None:
        with pytest.raises(NotPermitted, match="user 'limited' may not use the management API"):
            await look(client, url, Topology(), management=managed.management)

    talk(managed, work, "limited")


def test_a_management_api_that_was_named_must_answer(managed: Place) -> None:
    async def work(client: Client) -> None:
        with pytest.raises(TopologyError, match=r"no management API answers at http://127\.0\.0\.1:1"):
            await look(client, managed.url, Topology(), management="http://127.0.0.1:1")

    talk(managed, work)


def test_who_may_not_ask_penstock_sees_what_can_be_seen(telling: Place) -> None:
    topology = Topology(queues=(Queue("mine.seen"), Queue("mine.missing")))

    async def work(client: Client) -> None:
        await client.declare(Queue("mine.seen"))
        live = await look(client, telling.url, topology)
        assert list(live.queues) == ["mine.seen"]
        assert "write access to exchange 'amq.default' in vhost '/' refused" in live.unseen

    talk(telling, work, "limited")


# What a broker may answer that real ones do not


class Odd:
    """A client of a broker of any kind."""

    def __init__(self, product: str, *, body: bytes = b"", refuses: bool = False, cluster: str = "") -> None:
        self.server = ServerInfo(product, (1, 2), cluster=cluster)
        self.body = body
        self.refuses = refuses

    async def request(self, *_: object) -> Odd:
        return self

    async def queue_state(self, name: str) -> QueueState | None:
        if self.refuses:
            raise BrokerRefused("ACCESS_REFUSED", code=403)
        return QueueState(3, 1) if name.endswith(".q") else None


def looked(odd: Odd) -> Live:
    url = BrokerUrl.parse("amqp://localhost")
    return asyncio.run(look(cast("Client", odd), url, wanted("odd")))


@pytest.mark.parametrize("product", ["LavinMQ", ""])
def test_another_product_is_asked_queue_by_queue(product: str) -> None:
    live = looked(Odd(product))
    assert live.queues == {"odd.q": LiveQueue(name="odd.q", messages=3, consumers=1)}
    assert live.unseen.endswith(f"{product or 'this broker'} has no way to tell")
    assert (live.product, live.version) == (product, (1, 2))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"queues": [1]}', b'{"queues": [{"name": "q"}]}'])
def test_an_answer_that_cannot_be_read(body: bytes) -> None:
    with pytest.raises(TopologyError, match="answer about its definitions cannot be read"):
        looked(Odd("Penstock", body=body))


def test_a_queue_that_may_not_be_looked_at() -> None:
    with pytest.raises(TopologyError, match=r"queue 'odd\.q' cannot be looked at: ACCESS_REFUSED"):
        looked(Odd("LavinMQ", refuses=True))
