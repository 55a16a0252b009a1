from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import ClientSettings
from penstock.client.counters import Counters
from penstock.client.road import Road
from penstock.errors import BadUrl, LoginRefused, NotConnected
from penstock.wire.amqp.methods import ConnectionClose, ConnectionOpen
from tests.client.fake import FakeBroker
from tests.client.support import story
from tests.servers.running import free_port

if TYPE_CHECKING:
    from tests.servers.running import Running


def road(broker: FakeBroker, *urls: str, **settings: Any) -> Road:
    return Road(urls or ("amqp://me:secret@one",), broker.dial, ClientSettings(**settings), Counters())


@story
async def test_it_leads_to_an_open_connection() -> None:
    way = road(FakeBroker())
    connection = await way.open("orders")
    assert connection.is_open
    assert connection.name == "orders"
    assert repr(way) == "<Road to amqp://me@one:5672>"
    assert way._counters.connected == 1


@story
async def test_addresses_are_tried_in_turn_and_the_one_that_answered_is_tried_first_again() -> None:
    broker = FakeBroker()
    way = road(broker, "amqp://one", "amqp://two", "amqp://three")
    broker.refusals = [OSError("down"), ssl.SSLError("no")]
    await way.open("x")
    assert way._at == 2
    await way.open("x")
    assert way._at == 2
    broker.refusals = [OSError("down")] * 3
    with pytest.raises(NotConnected, match="amqp://guest@two:5672 cannot be reached: down"):
        await way.open("x")


@story
async def test_a_refused_login_is_not_tried_elsewhere() -> None:
    broker = FakeBroker()
    broker.answers[ConnectionOpen] = lambda _: ConnectionClose(530, "NOT_ALLOWED - vhost", 0, 0)
    with pytest.raises(LoginRefused):
        await road(broker, "amqp://one", "amqp://two").open("x")
    assert len(broker.sessions) == 1


@story
async def test_one_that_does_not_answer_is_not_waited_for_longer_than_the_url_or_the_settings_say() -> None:
    broker = FakeBroker()
    broker.answers[ConnectionOpen] = lambda _: None
    with pytest.raises(NotConnected, match=r"no answer within 0\.01 s"):
        await road(broker, connect_timeout=0.01).open("x")
    with pytest.raises(NotConnected, match=r"no answer within 0\.02 s"):
        await road(broker, "amqp://one?connection_timeout=20").open("x")
    assert all(session.wire.is_closing() for session in broker.sessions)


@story
async def test_nobody_at_the_port_is_said_so() -> None:
    way = Road([f"amqp://127.0.0.1:{free_port()}"], None, ClientSettings(), Counters())
    with pytest.raises(NotConnected, match="cannot be reached"):
        await way.open("x")


def test_without_an_address_there_is_no_road() -> None:
    with pytest.raises(BadUrl, match="at least one"):
        Road([], None, ClientSettings(), Counters())


@story
async def test_a_wrong_password_and_an_unknown_virtual_host_are_refused_logins(broker: Running) -> None:
    for url in (broker.url.replace("guest@", "wrong@"), broker.url + "nowhere"):
        with pytest.raises(LoginRefused):
            await Road([url], None, ClientSettings(), Counters()).open("x")
