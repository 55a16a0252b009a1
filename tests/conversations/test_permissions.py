"""Virtual hosts, and users who may not do everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.line import Line, clipped, dial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conversations.line import Channel
    from tests.servers.running import Running

    Refused = Callable[[str, str, str], tuple[int, str]]


@pytest.fixture
def limited(broker: Running) -> Iterator[Channel]:
    """A channel of a user who may configure, write and read only what begins with "mine."."""
    with dial(broker, user="limited") as line:
        yield line.channel()


@pytest.fixture
def refused(expected: Callable[[str], Any]) -> Refused:
    """How a refusal to touch something is told."""

    def told(action: str, what: str, name: str) -> tuple[int, str]:
        access = f"{action} access" if expected("permission-that-is-missing") else "access"
        text = f"ACCESS_REFUSED - {access} to {what} '{name}' in vhost '/' refused for user 'limited'"
        return 403, clipped(text)

    return told


def test_each_vhost_has_queues_of_its_own(broker: Running, line: Line, name: str) -> None:
    line.channel().queue(name)
    with dial(broker, vhost="elsewhere") as elsewhere:
        refusal = elsewhere.channel().refusal("queue.declare", queue=name, passive=True)
    assert refusal == (404, f"NOT_FOUND - no queue '{name}' in vhost 'elsewhere'")


def is_let_in(broker: Running, user: str, password: str) -> bool:
    with Line(broker) as line:
        line.greet()
        line.log_in(user, password)
        return line.expect("connection.tune", "connection.close").name == "connection.tune"


@pytest.mark.parametrize("user", ["hashed-256", "hashed-512"])
def test_who_came_with_rabbitmqs_hash_of_a_password_is_known_by_it(broker: Running, user: str) -> None:
    assert not is_let_in(broker, user, "test13")
    assert is_let_in(broker, user, "test12")
    # Now Penstock has a hash of its own.
    assert is_let_in(broker, user, "test12")


def test_a_hash_that_is_not_safe(broker: Running, expected: Callable[[str], Any]) -> None:
    assert is_let_in(broker, "hashed-md5", "test12") is expected("passwords-hashed-by-md5")


def test_a_vhost_without_permission_is_refused(broker: Running) -> None:
    with Line(broker) as line:
        line.greet()
        line.log_in("limited", "limited")
        line.tune()
        line.send("connection.open", vhost="elsewhere")
        assert line.closed_by_broker() == (
            530,
            "NOT_ALLOWED - access to vhost 'elsewhere' refused for user 'limited'",
        )


def test_what_is_ones_own_is_allowed(limited: Channel, name: str) -> None:
    queue = limited.queue(f"mine.{name}")
    exchange = limited.exchange(f"mine.{name}", "fanout")
    limited.bind(queue, exchange)
    limited.publish("hello", exchange=exchange)
    assert limited.drain(queue) == ["hello"]
    limited.call("queue.purge", queue=queue)


@pytest.mark.parametrize(
    ("method", "arguments", "what"),
    [
        ("queue.declare", {"queue": "{name}"}, "configure queue"),
        ("queue.delete", {"queue": "{name}"}, "configure queue"),
        ("queue.purge", {"queue": "{name}"}, "read queue"),
        ("basic.get", {"queue": "{name}"}, "read queue"),
        ("basic.consume", {"queue": "{name}"}, "read queue"),
        ("exchange.declare", {"exchange": "{name}", "type": "direct"}, "configure exchange"),
        ("exchange.delete", {"exchange": "{name}"}, "configure exchange"),
        ("queue.bind", {"queue": "{name}", "exchange": "mine.x"}, "write queue"),
        ("exchange.bind", {"destination": "{name}", "source": "mine.x"}, "write exchange"),
    ],
)
def test_what_is_anothers_is_refused(
    channel: Channel,
    limited: Channel,
    refused: Refused,
    name: str,
    method: str,
    arguments: dict[str, Any],
    what: str,
) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    channel.exchange(name)
    told = {key: value.format(name=name) for key, value in arguments.items()}
    action, kind = what.split()
    assert limited.refusal(method, **told) == refused(action, kind, name)


def test_publishing_asks_for_the_exchange(
    channel: Channel, limited: Channel, refused: Refused, name: str
) -> None:
    channel.exchange(name)
    limited.publish("no", exchange=name)
    assert limited.closed_by_broker() == refused("write", "exchange", name)


def test_the_default_exchange_is_asked_for_by_its_long_name(limited: Channel, refused: Refused) -> None:
    limited.publish("no", "k")
    assert limited.closed_by_broker() == refused("write", "exchange", "amq.default")


def test_a_queue_binds_only_to_what_may_be_read(limited: Channel, refused: Refused, name: str) -> None:
    queue = limited.queue(f"mine.{name}")
    refusal = limited.refusal("queue.bind", queue=queue, exchange="amq.fanout")
    assert refusal == refused("read", "exchange", "amq.fanout")


def test_dead_letters_go_only_where_may_be_written(limited: Channel, refused: Refused, name: str) -> None:
    arguments = {"x-dead-letter-exchange": "amq.fanout"}
    refusal = limited.refusal("queue.declare", queue=f"mine.{name}", exclusive=True, arguments=arguments)
    assert refusal == refused("write", "exchange", "amq.fanout")


def test_asking_whether_a_queue_is_there(
    channel: Channel, limited: Channel, name: str, expected: Callable[[str], Any]
) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    limited.send("queue.declare", queue=name, passive=True)
    answer = limited.expect("queue.declare-ok", "channel.close").name
    assert (answer == "channel.close") == expected("permission-to-ask")
