"""From the first byte to connection.open-ok."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations import codec
from tests.conversations.line import CAPABILITIES, PREAMBLE, Line, dial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.servers.running import Running

REFUSED = (
    "ACCESS_REFUSED - Login was refused using authentication mechanism {}."
    " For details see the broker logfile."
)


@pytest.fixture
def raw(broker: Running) -> Iterator[Line]:
    """A socket on which nothing was said yet."""
    with Line(broker) as line:
        yield line


@pytest.mark.parametrize(
    "header",
    [
        b"AMQP\x00\x00\x09\x00",  # a revision that never was
        b"AMQP\x00\x01\x00\x00",  # AMQP 1.0 without SASL
        b"AMQP\x01\x01\x00\x0a",  # AMQP 0-10
        b"EHLO me\r",  # mail has lost its way; HTTP is at home on this port of Penstock's
    ],
)
def test_a_wrong_protocol_header_is_answered_with_the_right_one(raw: Line, header: bytes) -> None:
    raw.send_bytes(header)
    assert raw.socket.recv(8) == PREAMBLE
    raw.must_hang_up()


def test_the_broker_introduces_itself(raw: Line) -> None:
    start = raw.greet()
    assert (start.major, start.minor, start.locales) == (0, 9, "en_US")
    assert {"PLAIN", "AMQPLAIN"} <= set(start.mechanisms.split())
    told = {"product", "version", "platform", "copyright", "information", "cluster_name", "capabilities"}
    assert told <= set(start.about)
    assert start.about["capabilities"] == {
        "publisher_confirms": True,
        "exchange_exchange_bindings": True,
        "basic.nack": True,
        "consumer_cancel_notify": True,
        "connection.blocked": True,
        "consumer_priorities": True,
        "authentication_failure_close": True,
        "per_consumer_qos": True,
        "direct_reply_to": True,
    }


def test_the_broker_offers_limits(raw: Line) -> None:
    raw.greet()
    raw.log_in()
    offered = raw.tune()
    assert offered.arguments == {"channel_max": 2047, "frame_max": 131_072, "heartbeat": 60}


def test_a_client_may_log_in_with_amqplain(raw: Line) -> None:
    raw.greet()
    # A table without its length: the response is a long string already.
    table = codec.write_table({"LOGIN": "guest", "PASSWORD": "guest"})[4:]
    raw.log_in(mechanism="AMQPLAIN", response=table)
    raw.tune()
    raw.open_vhost()


@pytest.mark.parametrize("mechanism", ["PLAIN", "AMQPLAIN"])
@pytest.mark.parametrize("user", ["guest", "nobody"])
def test_a_client_that_can_hear_it_is_told_that_it_may_not_log_in(
    raw: Line, user: str, mechanism: str
) -> None:
    raw.greet()
    table = codec.write_table({"LOGIN": user, "PASSWORD": "wrong"})[4:]
    raw.log_in(user, "wrong", mechanism=mechanism, response=table if mechanism == "AMQPLAIN" else None)
    close = raw.expect("connection.close")
    assert (close.code, close.text) == (403, REFUSED.format(mechanism))
    assert (close.failing_class, close.failing_method) == (0, 0)


def test_a_client_that_cannot_hear_it_is_hung_up_on(raw: Line) -> None:
    raw.greet()
    raw.log_in("guest", "wrong", capabilities=CAPABILITIES | {"authentication_failure_close": False})
    raw.must_hang_up()


def test_an_unknown_mechanism_ends_the_connection(raw: Line, expected: Callable[[str], Any]) -> None:
    raw.greet()
    raw.log_in(mechanism="NOPE")
    assert raw.ending() in expected("handshake-errors")


def test_an_unknown_vhost_is_not_allowed(raw: Line) -> None:
    raw.greet()
    raw.log_in()
    raw.tune()
    raw.send("connection.open", vhost="nowhere")
    assert raw.closed_by_broker() == (530, "NOT_ALLOWED - vhost nowhere not found")


def test_a_client_may_not_choose_limits_beyond_the_offer(
    broker: Running, expected: Callable[[str], Any]
) -> None:
    # All at once, because RabbitMQ takes three seconds to hang up.
    chosen = [
        {"channel_max": 2048},
        {"channel_max": 0},  # no limit, where the broker has one
        {"frame_max": 131_073},
        {"frame_max": 0},
        {"frame_max": 4095},  # less than the standard's least
    ]
    with ExitStack() as lines:
        for line in [lines.enter_context(begun_with(broker, limits)) for limits in chosen]:
            assert line.ending() in expected("handshake-errors")


def begun_with(broker: Running, limits: dict[str, int]) -> Line:
    line = Line(broker)
    line.greet()
    line.log_in()
    line.tune(**limits)
    line.send("connection.open", vhost="/")
    return line


def test_the_least_frame_of_the_standard_is_enough(broker: Running, name: str) -> None:
    with dial(broker, frame_max=4096) as line:
        channel = line.channel()
        queue = channel.queue(name)
        channel.publish(b"x" * 10_000, queue)
        assert channel.get(queue).pieces == (4088, 4088, 1824)


def test_a_method_out_of_order_ends_the_handshake(raw: Line, expected: Callable[[str], Any]) -> None:
    raw.greet()
    raw.send("connection.tune-ok", channel_max=10, frame_max=4096)
    assert raw.ending() in expected("handshake-errors")


def test_more_channels_than_agreed_are_not_allowed(broker: Running) -> None:
    with dial(broker, channel_max=2) as line:
        line.channel()
        line.channel()
        line.send("channel.open", channel=3)
        assert line.closed_by_broker() == (
            530,
            "NOT_ALLOWED - number of channels opened (2) has reached the negotiated channel_max (2)",
        )


def test_a_secret_may_be_renewed_while_connected(line: Line) -> None:
    line.send("connection.update-secret", secret="guest", reason="it is time")  # noqa: S106
    line.expect("connection.update-secret-ok")
    assert line.channel().is_still_open()


def test_a_client_takes_leave(line: Line) -> None:
    line.send("connection.close", code=200, text="goodbye")
    line.expect("connection.close-ok")
