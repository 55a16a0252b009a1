# ruff: noqa: S106 (passwords of nobody)
from __future__ import annotations

import pytest

from penstock.client import BrokerUrl
from penstock.errors import BadUrl


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("amqp://", BrokerUrl()),
        ("amqp://broker", BrokerUrl(host="broker")),
        ("amqp://broker/", BrokerUrl(host="broker")),
        ("amqp://broker/%2F", BrokerUrl(host="broker")),
        (
            "amqp://me:secret@broker:1/mine",
            BrokerUrl(host="broker", port=1, user="me", virtual_host="mine", password="secret"),
        ),
        (
            "amqp://a%40b:%2F%23%3A@broker/a%2Fb",
            BrokerUrl(host="broker", user="a@b", password="/#:", virtual_host="a/b"),
        ),
        ("amqps://[::1]", BrokerUrl(host="::1", port=5671, is_tls=True)),
        (
            "amqp://h?heartbeat=5&connection_timeout=1500&channel_max=9&frame_max=8192",
            BrokerUrl(host="h", heartbeat=5, connect_timeout=1.5, channel_max=9, frame_max=8192),
        ),
        (
            "amqps://h?cacertfile=/ca.pem&certfile=/c.pem&keyfile=/k.pem&verify=verify_none&server_name_indication=s&auth_mechanism=EXTERNAL",
            BrokerUrl(
                host="h",
                port=5671,
                is_tls=True,
                ca_file="/ca.pem",
                certificate="/c.pem",
                key="/k.pem",
                verify="verify_none",
                server_name="s",
                auth_mechanism="external",
            ),
        ),
    ],
)
def test_a_url_is_read(text: str, expected: BrokerUrl) -> None:
    assert BrokerUrl.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("http://me:secret@broker", "begins with amqp:// or amqps://, not http"),
        ("broker", "not nothing"),
        ("amqp://me:secret@broker:port", "cannot be read"),
        ("amqp://me:secret@broker/a/b", "written with %2F: amqp://broker/a/b"),
        ("amqp://me:secret@broker?hartbeat=1", "no parameter hartbeat, only heartbeat, "),
        ("amqp://me:secret@broker?heartbeat=soon", "heartbeat is a whole number, not 'soon'"),
        ("amqp://me:secret@broker?verify=maybe", "verify is one of verify_peer, verify_none"),
        ("amqp://me:secret#@broker", "cannot be read"),
        ("amqp://me:secret@broker/#x", "no fragment"),
    ],
)
def test_a_bad_url_is_explained_without_its_password(text: str, complaint: str) -> None:
    with pytest.raises(BadUrl) as caught:
        BrokerUrl.parse(text)
    assert complaint in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("amqp://me:secret@broker/mine", "amqp://me@broker:5672/mine"),
        ("amqps://[::1]", "amqps://guest@[::1]:5671"),
    ],
)
def test_it_is_shown_without_secrets(text: str, shown: str) -> None:
    url = BrokerUrl.parse(text)
    assert str(url) == shown
    assert "secret" not in repr(url)


def test_the_login_is_a_password_or_the_certificate() -> None:
    assert BrokerUrl(user="me", password="it").responses == {"PLAIN": b"\0me\0it"}
    assert BrokerUrl(auth_mechanism="external").responses == {"EXTERNAL": b""}
