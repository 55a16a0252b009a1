from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadVirtualHost, UnknownVirtualHost
from penstock.server.vhosts import VirtualHost, VirtualHosts


def test_virtual_hosts_come_and_go() -> None:
    hosts = VirtualHosts([VirtualHost(name="/")])
    hosts.put(VirtualHost(name="shop", max_queues=10))
    assert "shop" in hosts
    assert hosts.get("shop").max_queues == 10
    assert [host.name for host in hosts] == ["/", "shop"]
    assert repr(hosts) == "<VirtualHosts '/', 'shop'>"
    hosts.delete("shop")
    assert "shop" not in hosts


@pytest.mark.parametrize("verb", ["get", "delete"])
def test_an_unknown_virtual_host_is_named(verb: str) -> None:
    with pytest.raises(UnknownVirtualHost, match="there is no virtual host 'shop'"):
        getattr(VirtualHosts(), verb)("shop")


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"name": ""}, "name has 1 to 255 printable bytes"),
        ({"name": "ä" * 128}, "name has 1 to 255"),
        ({"name": "a\0"}, "name has 1 to 255"),
        ({"name": "a", "max_queues": -1}, "max_queues of virtual host 'a' is -1"),
        ({"name": "a", "max_connections": -1}, "max_connections of virtual host 'a'"),
    ],
)
def test_some_virtual_hosts_cannot_be(given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadVirtualHost, match=complaint):
        VirtualHost(**given)


def test_a_virtual_host_comes_back_from_its_record() -> None:
    host = VirtualHost(name="shop", max_connections=5)
    assert host.record() == {"name": "shop", "max_connections": 5, "max_queues": None}
    assert VirtualHost.from_record(host.record()) == host
