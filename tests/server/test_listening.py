from __future__ import annotations

import socket
from contextlib import ExitStack

import pytest

from penstock.errors import CannotListen
from penstock.server.listening import _has_loopback_6, listen
from penstock.settings import Address
from tests.servers.running import free_port


def ports(sockets: list[socket.socket], stack: ExitStack) -> list[int]:
    for each in sockets:
        stack.enter_context(each)
    return [each.getsockname()[1] for each in sockets]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", ""])
def test_a_free_port_accepts_connections(host: str) -> None:
    with ExitStack() as stack:
        (port,) = ports(listen("amqp", Address(host, 0)), stack)
        place = ("127.0.0.1" if host else "localhost", port)
        stack.enter_context(socket.create_connection(place, timeout=60))


def test_every_interface_is_a_socket_for_each_family() -> None:
    port = free_port()
    with ExitStack() as stack:
        assert set(ports(listen("amqp", Address("", port)), stack)) == {port}


def test_localhost_is_both_loopbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    with ExitStack() as stack:
        sockets = listen("amqp", Address("localhost", port))
        assert set(ports(sockets, stack)) == {port}
        hosts = [each.getsockname()[0] for each in sockets]
        assert hosts == ["127.0.0.1", "::1"][: 1 + _has_loopback_6()]
    # Without IPv6 it is the one that there is
    monkeypatch.setattr("penstock.server.listening._has_loopback_6", lambda: False)
    with ExitStack() as stack:
        assert ports(listen("amqp", Address("localhost", port)), stack) == [port]


@pytest.mark.parametrize("setting", ["amqp", "amqps"])
def test_a_port_in_use_says_which_setting_to_change(setting: str) -> None:
    with ExitStack() as stack:
        (port,) = ports(listen("amqp", Address("127.0.0.1", 0)), stack)
        with pytest.raises(CannotListen) as caught:
            listen(setting, Address("127.0.0.1", port))
    assert str(caught.value) == (
        f"cannot listen on 127.0.0.1:{port}: something else is listening there already. "
        f"Change the setting {setting}, e.g. --{setting} 127.0.0.1:0 for a free port"
    )
    assert caught.value.setting == setting


@pytest.mark.parametrize(
    ("host", "complaint"),
    [
        ("192.0.2.1", "this machine has no such address"),
        ("no.such.host.invalid", "cannot listen on no.such.host"),
    ],
)
def test_an_address_that_is_not_ours_is_refused(host: str, complaint: str) -> None:
    with pytest.raises(CannotListen, match=complaint):
        listen("amqp", Address(host, 0))


def test_when_one_family_fails_no_socket_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a host with two addresses, of which the second is not ours
    places = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))
        for host, port in [("127.0.0.1", 0), ("192.0.2.1", 0)]
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: places)
    opened: list[socket.socket] = []
    monkeypatch.setattr(socket.socket, "listen", lambda self, backlog: opened.append(self))
    # When it is listened on
    with pytest.raises(CannotListen):
        listen("amqp", Address("two-homed", 5672))
    # Then the first is closed again
    assert [each.fileno() for each in opened] == [-1]
