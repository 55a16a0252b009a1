from __future__ import annotations

from typing import Any

import pytest

from penstock.client import BrokerUrl, ClientSettings
from penstock.client.greeting import client_properties, handshake, refusal
from penstock.errors import BrokerRefused, LoginRefused, NotConnected
from penstock.wire.amqp import ServerDecoder, Tuning
from penstock.wire.amqp.items import METHOD
from penstock.wire.amqp.methods import ConnectionStart, ConnectionTune


def test_a_client_says_what_it_understands() -> None:
    properties: Any = client_properties("orders")
    assert properties["connection_name"] == "orders"
    for capability in ("connection.blocked", "consumer_cancel_notify", "authentication_failure_close"):
        assert properties["capabilities"][capability] is True


@pytest.mark.parametrize(
    ("url", "agreed"),
    [
        (BrokerUrl(), Tuning(channel_max=2047, frame_max=8192, heartbeat=20)),
        (
            BrokerUrl(channel_max=7, frame_max=4096, heartbeat=0),
            Tuning(channel_max=7, frame_max=4096, heartbeat=60),
        ),
    ],
)
def test_the_urls_limits_go_before_the_settings(url: BrokerUrl, agreed: Tuning) -> None:
    greeting = handshake(url, ClientSettings(frame_max=8192, heartbeat=20), "orders")
    greeting.receive((METHOD, 0, ConnectionStart()))
    greeting.receive((METHOD, 0, ConnectionTune(2047, 131_072, 60)))
    items: list[Any] = ServerDecoder().receive(greeting.data_to_send())
    tune_ok = items[2][2]
    assert (tune_ok.channel_max, tune_ok.frame_max, tune_ok.heartbeat) == (
        agreed.channel_max,
        agreed.frame_max,
        agreed.heartbeat,
    )


@pytest.mark.parametrize(
    ("code", "text", "was_open", "error"),
    [
        (403, "ACCESS_REFUSED - login refused", False, LoginRefused),
        (530, "NOT_ALLOWED - vhost x not found", False, LoginRefused),
        (530, "NOT_ALLOWED - connection limit (9) is reached", False, NotConnected),
        (541, "INTERNAL_ERROR - vhost '/' is down", False, BrokerRefused),
        (320, "CONNECTION_FORCED - shutdown", True, NotConnected),
        (0, "the peer does not speak AMQP 0-9-1", False, NotConnected),
        (530, "NOT_ALLOWED - whatever", True, BrokerRefused),
        (501, "FRAME_ERROR", True, BrokerRefused),
    ],
)
def test_a_refusal_says_whether_it_makes_sense_to_come_back(
    code: int,
    text: str,
    was_open: bool,  # noqa: FBT001  a column of the table
    error: type[Exception],
) -> None:
    assert type(refusal(code, text, was_open=was_open)) is error
