from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.server.amqp.greeting import server_properties
from penstock.server.vhosts import VirtualHost
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from penstock.wire.amqp.items import METHOD
from penstock.wire.amqp.methods import (
    ChannelOpen,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionOpenOk,
    ConnectionStartOk,
    ConnectionTune,
    ConnectionTuneOk,
)
from tests.server.amqp.talk import Client

if TYPE_CHECKING:
    from tests.server.amqp.talk import World

TUNE = ConnectionTuneOk(2047, 131_072, 0)


@pytest.fixture
def fresh(world: World) -> Client:
    """A client that has said nothing yet."""
    return Client(world)


def greeted(world: World) -> Client:
    client = Client(world)
    client.greet()
    return client


def test_the_server_introduces_itself(fresh: Client) -> None:
    (start,) = fresh.send_bytes(PROTOCOL_HEADER)
    assert start.method.server_properties == server_properties()
    assert b"PLAIN" in start.method.mechanisms
    assert {"product", "version", "platform", "cluster_name", "capabilities"} <= set(server_properties())


@pytest.mark.parametrize("header", [b"AMQP\x00\x00\x09\x00", b"GET / HT"])
def test_another_protocol_is_answered_with_ours(fresh: Client, header: bytes) -> None:
    fresh.world.run(lambda: fresh.session.data_received(header))
    assert (fresh.wire.written, fresh.wire.is_over) == ([PROTOCOL_HEADER], True)


def test_the_limits_are_offered_and_agreed_on(world: World) -> None:
    client = Client(world)
    (tune,) = client.greet()
    assert tune.method == ConnectionTune(2047, 131_072, 60)
    client.say(ConnectionTuneOk(2, 4096, 5), channel=0)
    assert (client.session.channel_max, client.session.frame_max) == (2, 4096)
    assert client.ask(ConnectionOpen("/"), channel=0) == ConnectionOpenOk()
    for number in (1, 9):
        client.open(number)
    told = "NOT_ALLOWED - number of channels opened (2) has reached the negotiated channel_max (2)"
    assert client.refused(ChannelOpen(), channel=3) == (530, told)


def test_capabilities_are_heard(world: World) -> None:
    client = world.client("guest", "/", **{"consumer_cancel_notify": True, "connection.blocked": True})
    assert (client.session.hears_cancel, client.session.hears_blocked) == (True, True)
    assert not world.client().session.hears_cancel


def test_a_client_without_capabilities_is_let_in(fresh: Client) -> None:
    fresh.send_bytes(PROTOCOL_HEADER)
    fresh.say(ConnectionStartOk({}, "PLAIN", b"\0guest\0guest"), channel=0)
    assert fresh.say(TUNE, ConnectionOpen("/"), channel=0)[-1].method == ConnectionOpenOk()


# Turned away


def test_a_wrong_password_is_told_to_who_can_hear_it(world: World) -> None:
    client = Client(world)
    (close,) = client.greet("nobody")
    assert close.method.reply_code == 403
    client.say(ConnectionCloseOk(), channel=0)
    assert client.wire.is_over


def test_who_cannot_hear_it_is_hung_up_on(world: World) -> None:
    client = Client(world)
    assert client.greet("nobody", authentication_failure_close=False) == []
    assert client.wire.is_over


def test_who_has_left_meanwhile_is_not_told(fresh: Client) -> None:
    fresh.send_bytes(PROTOCOL_HEADER)

    def leave() -> None:
        fresh.session.intake.take([(METHOD, 0, ConnectionStartOk({}, "PLAIN", b"\0guest\0guest"))])
        fresh.wire.close()

    fresh.world.run(leave)
    assert fresh.hear() == []


def test_limits_beyond_the_offer_are_refused(world: World) -> None:
    client = greeted(world)
    code, _ = client.refused(ConnectionTuneOk(0, 131_072, 0), channel=0)
    assert code == 530


def turned_away(client: Client, vhost: str) -> str:
    (close,) = client.say(TUNE, ConnectionOpen(vhost), channel=0)
    assert isinstance(close.method, ConnectionClose)
    assert close.method.reply_code == 530
    assert not client.session.is_open
    return close.method.reply_text


def test_a_virtual_host_that_is_not_there(world: World) -> None:
    assert turned_away(greeted(world), "nowhere") == "NOT_ALLOWED - vhost nowhere not found"


def test_a_virtual_host_that_is_not_for_this_user(world: World) -> None:
    world.broker.create_host("elsewhere")
    told = "NOT_ALLOWED - access to vhost 'elsewhere' refused for user 'guest'"
    assert turned_away(greeted(world), "elsewhere") == told


def test_a_virtual_host_that_is_full(world: World) -> None:
    world.access.realm.vhosts.put(VirtualHost(name="/", max_connections=1))
    first = world.client()
    told = "NOT_ALLOWED - access to vhost '/' refused for user 'guest': connection limit (1) is reached"
    assert turned_away(greeted(world), "/") == told
    first.wire.close()
    world.client()


def test_a_virtual_host_that_the_realm_does_not_know_has_no_limit(world: World) -> None:
    world.access.realm.vhosts.delete("/")
    world.client()
