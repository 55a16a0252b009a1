from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import StoreDamaged
from penstock.wire.amqp.methods import BasicCancel, BasicConsume, QueueDeclare, QueueDelete
from tests.server.amqp.letters import large

if TYPE_CHECKING:
    import pytest

    from tests.server.amqp.talk import Client, World


def subscribed(client: Client, **how: Any) -> None:
    client.say(QueueDeclare("q"), BasicConsume("q", "me", **how))


def put_large(world: World, body: bytes) -> None:
    """A message whose body is in a file, in the queue of the same name."""
    message = large(world.front.bodies, body)
    message.destination = "q"

    def publish() -> None:
        world.host.wiring.publish("", [message], world.broker.now)
        world.broker.turn()

    world.run(publish)


def test_deliveries_have_tags_one_after_the_other(client: Client) -> None:
    subscribed(client)
    heard = client.publish(b"one", "q") + client.publish(b"two", "q")
    assert [(each.method.delivery_tag, each.method.consumer_tag, each.body) for each in heard] == [
        (1, "me", b"one"),
        (2, "me", b"two"),
    ]


def test_what_comes_again_says_so(client: Client, other: Client, world: World) -> None:
    subscribed(client)
    client.publish(b"again", "q")
    world.run(client.wire.close)
    (_, heard) = other.say(BasicConsume("q", "you"))
    assert (heard.method.redelivered, heard.body) == (True, b"again")


def test_a_large_body_follows_from_its_file(client: Client, world: World) -> None:
    subscribed(client)
    put_large(world, b"x" * 300_000)
    heard = client.hear_in_time([])
    assert (heard[0].method.delivery_tag, len(heard[0].body)) == (1, 300_000)


def test_a_large_body_that_is_lost_is_passed_over_for_good(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(name: str) -> Any:
        raise StoreDamaged(f"{name} is not there")

    subscribed(client)
    monkeypatch.setattr(world.front.bodies, "open", lost)
    put_large(world, b"x" * 300_000)
    world.until(lambda: not client.session.is_sending)
    assert client.hear() == []
    assert not client.channel().ledger.unsettled
    assert [each.body for each in client.publish(b"next", "q")] == [b"next"]


def test_nobody_settles_a_lost_body_that_needs_no_ack(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed(client, no_ack=True)
    monkeypatch.setattr(world.front.bodies, "open", lambda _name: (_ for _ in ()).throw(StoreDamaged()))
    put_large(world, b"x" * 300_000)
    world.until(lambda: not client.session.is_sending)
    assert client.hear() == []


def test_the_end_of_a_queue_is_told_to_who_can_hear_it(world: World) -> None:
    deaf, hears = world.client(), world.client(consumer_cancel_notify=True)
    hears.say(QueueDeclare("q"), BasicConsume("q", "me"))
    deaf.say(BasicConsume("q", "you"))
    world.client().say(QueueDelete("q"))
    (heard,) = hears.hear()
    assert heard.method == BasicCancel("me", nowait=True)
    assert deaf.hear() == []
