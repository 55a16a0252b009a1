from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client import BrokerUrl, connect
from penstock.errors import ManagementMissing, TopologyError
from penstock.messaging.topology.management import Management

if TYPE_CHECKING:
    from tests.messaging.topology.conftest import Place

URL = BrokerUrl.parse("amqp://ada:secret@broker.example/v")


def test_it_is_beside_the_broker_unless_told() -> None:
    assert str(Management.beside(URL)) == "http://broker.example:15672"
    assert str(Management.beside(BrokerUrl.parse("amqps://broker.example"))) == "https://broker.example:15671"


@pytest.mark.parametrize(
    ("text", "shown", "user", "password"),
    [
        ("http://m:1234", "http://m:1234", "ada", "secret"),
        ("http://m/rabbit/", "http://m:80/rabbit", "ada", "secret"),
        ("https://bob:p%40ss@m", "https://m:443", "bob", "p@ss"),
    ],
)
def test_it_may_have_a_url_of_its_own(text: str, shown: str, user: str, password: str) -> None:
    api = Management.parse(text, URL)
    assert (str(api), api.user, api.password) == (shown, user, password)


@pytest.mark.parametrize("text", ["m:1234", "amqp://m", "http://", "http://m:port"])
def test_other_urls_are_refused(text: str) -> None:
    with pytest.raises(TopologyError, match="the management URL"):
        Management.parse(text, URL)


def test_what_a_virtual_host_has(managed: Place) -> None:
    assert managed.management is not None
    api = Management.parse(managed.management, managed.url)
    found = asyncio.run(api.definitions("elsewhere"))
    assert found["queues"] == []
    assert {each["name"] for each in found["exchanges"]} >= {"", "amq.topic"}


def test_whose_it_is(managed: Place) -> None:
    async def told() -> str:
        async with await connect(managed.running.url) as client:
            return client.server.cluster

    assert managed.management is not None
    api = Management.parse(managed.management, managed.url)
    assert asyncio.run(api.cluster()) == asyncio.run(told()) != ""


@pytest.mark.parametrize("vhost", ["nowhere", "/api"])
def test_a_virtual_host_that_is_not_there(managed: Place, vhost: str) -> None:
    assert managed.management is not None
    api = Management.parse(managed.management, managed.url)
    with pytest.raises(ManagementMissing, match="answered 404"):
        asyncio.run(api.definitions(vhost))


def test_what_speaks_no_http(managed: Place) -> None:
    api = Management.parse(f"http://127.0.0.1:{managed.running.port}", managed.url)
    with pytest.raises(ManagementMissing, match="no management API answers"):
        asyncio.run(api.definitions("/"))
