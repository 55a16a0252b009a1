from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.passwords import CHEAP
from penstock.server.permissions import Permission
from penstock.wire.amqp.methods import BasicAck, BasicGet, BasicNack, BasicReject, QueueDeclare
from tests.server.amqp.talk import Client, World

if TYPE_CHECKING:
    from pathlib import Path

REJECT = "amq.penstock.reject"
LIMITED: Any = {
    "x-queue-type": "quorum",
    "x-delivery-limit": 1,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": "dead",
}


@pytest.fixture
def busy(client: Client) -> Client:
    """A client with a message of the queue "q" in hand, under tag 1; dead letters go to "dead"."""
    prepare(client)
    return client


def prepare(client: Client) -> None:
    client.say(QueueDeclare("dead"), QueueDeclare("q", durable=True, arguments=LIMITED))
    client.publish(b"work", "q")
    client.say(BasicGet("q"))


def ready(client: Client, name: str = "q") -> int:
    queue = client.world.host.wiring.queue(name)
    client.world.broker.settle(client.world.host)
    return queue.ready


def test_an_ack_ends_it(busy: Client) -> None:
    assert busy.say(BasicAck(1)) == []
    assert (ready(busy), ready(busy, "dead")) == (0, 0)


def test_a_reject_is_a_death_or_a_failure(busy: Client) -> None:
    busy.say(BasicReject(1, requeue=True), BasicGet("q"), BasicReject(2, requeue=False))
    assert (ready(busy), ready(busy, "dead")) == (0, 1)


@pytest.mark.parametrize(("rule", "left"), [("4.3", 1), ("4.2", 0)])
def test_whether_a_nack_counts_is_a_setting(tmp_path: Path, rule: str, left: int) -> None:
    world = World(tmp_path, failure_rule=rule)
    client = world.client()
    prepare(client)
    client.say(BasicNack(1, requeue=True), BasicGet("q"), BasicNack(2, requeue=True))
    assert (ready(client), ready(client, "dead")) == (left, 1 - left)
    world.close()


@pytest.mark.parametrize("method", [BasicAck(9), BasicNack(9), BasicReject(9)])
def test_an_unknown_tag_closes_the_channel(busy: Client, method: Any) -> None:
    assert busy.refused(method) == (406, "PRECONDITION_FAILED - unknown delivery tag 9")


@pytest.mark.parametrize("method", [BasicAck(1), BasicNack(1), BasicReject(1)])
def test_who_settles_after_the_lease_has_ended_is_late_and_makes_no_mistake(
    client: Client, method: Any
) -> None:
    client.say(QueueDeclare("q"))
    client.publish(b"work", "q", headers={"x-ttr": 5})
    client.say(BasicGet("q"))
    client.world.advance(6)
    assert client.say(method) == []
    # It is somebody else's to do, and nothing has become of it.
    (again,) = client.say(BasicGet("q"))
    assert again.body == b"work"
    assert client.refused(method) == (406, "PRECONDITION_FAILED - unknown delivery tag 1"), "once is enough"


# With an error


def test_a_reject_may_say_what_was_wrong(busy: Client) -> None:
    headers = {"x-delivery-tag": 1, "x-error": "no such user"}
    assert busy.publish(key=REJECT, headers=headers, mandatory=True) == []
    (letter,) = busy.say(BasicGet("dead"))
    assert (letter.body, letter.headers["x-death-error"]) == (b"work", "no such user")
    assert letter.headers["x-first-death-reason"] == "rejected"


def test_a_reject_with_an_error_may_put_back(busy: Client) -> None:
    headers = {"x-delivery-tag": 1, "x-error": "again", "x-requeue": True}
    busy.publish(key=REJECT, headers=headers)
    (again,) = busy.say(BasicGet("q"))
    assert again.headers["x-delivery-count"] == 1
    busy.publish(key=REJECT, headers=headers | {"x-delivery-tag": 2, "x-error": "and again"})
    (letter,) = busy.say(BasicGet("dead"))
    assert letter.headers["x-death-error"] == "and again"
    assert letter.headers["x-last-death-reason"] == "delivery_limit"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-delivery-tag": 1},
        {"x-delivery-tag": "1", "x-error": "no"},
        {"x-delivery-tag": True, "x-error": "no"},
        {"x-delivery-tag": 1, "x-error": "no", "x-requeue": 1},
    ],
    ids=str,
)
def test_a_rejection_says_what_it_rejects(busy: Client, headers: Any) -> None:
    code, text = busy.told(busy.publish(key=REJECT, headers=headers))
    assert (code, text[:45]) == (406, "PRECONDITION_FAILED - a rejection has headers")


def test_a_rejection_of_nothing_closes_the_channel(busy: Client) -> None:
    heard = busy.publish(key=REJECT, headers={"x-delivery-tag": 9, "x-error": "no"})
    assert busy.told(heard) == (406, "PRECONDITION_FAILED - unknown delivery tag 9")


TOUCH = "amq.penstock.touch"


def leased(client: Client) -> None:
    client.say(QueueDeclare("q"))
    client.publish(b"work", "q", headers={"x-ttr": 4})
    client.say(BasicGet("q"))


def test_a_touch_lets_the_lease_begin_anew(client: Client, world: World) -> None:
    leased(client)
    for _ in range(3):
        world.advance(3)
        assert client.publish(key=TOUCH, headers={"x-delivery-tag": 1}) == []
    assert ready(client) == 0
    world.advance(4)
    assert ready(client) == 1


def test_a_touch_that_is_late_is_forgiven_and_so_is_the_ack_after_it(client: Client, world: World) -> None:
    leased(client)
    world.advance(5)
    assert client.publish(key=TOUCH, headers={"x-delivery-tag": 1}) == []
    assert client.say(BasicAck(1)) == []
    assert ready(client) == 1


@pytest.mark.parametrize("headers", [{}, {"x-delivery-tag": "1"}, {"x-delivery-tag": 2}])
def test_a_touch_of_nothing_closes_the_channel(client: Client, headers: Any) -> None:
    leased(client)
    assert client.told(client.publish(key=TOUCH, headers=headers))[0] == 406


def test_who_may_only_read_may_touch_what_it_has(world: World) -> None:
    leased(world.client())
    world.access.realm.users.add("reader", "reader", cost=CHEAP)
    world.access.realm.permissions.grant(
        Permission(user="reader", vhost="/", configure="", write="", read=".*")
    )
    reader = world.client("reader")
    world.advance(5)
    assert reader.say(BasicGet("q"))[0].body == b"work"
    assert reader.publish(key=TOUCH, headers={"x-delivery-tag": 1}) == []
    assert reader.told(reader.publish(key="q"))[0] == 403
