"""Forms: messages as bytes, and back."""

from __future__ import annotations

import pytest

from penstock.broker.forms import PlainForm, read_deaths, write_deaths
from penstock.store import Found
from penstock.wiring import PLAIN, Death, Message, Reason, Terms

DEATH = Death(queue="q", reason=Reason.EXPIRED, proxy="p", destinations=("a", "b"), first_at=1.0, last_at=2.0)


def reread(message: Message) -> Message:
    content, extra, file = PlainForm().write(message)
    row = (0, 1, 1, 0, 0.0, None, 0, 0, 0, None, None)
    found = Found(*row, 0, content, message.proxy, message.destination, message.size, extra, file, 1)
    return PlainForm().read(found)


@pytest.mark.parametrize("body", [b"", b"\x00\xff", memoryview(b"body")])
def test_a_plain_message_reads_back_as_it_was(body: bytes | memoryview) -> None:
    message = Message(body, "orders", {"size": 1, "name": "x", "raw": b"\xff", "list": [1, 2.5, None]})
    message.proxy = "proxy"
    back = reread(message)
    assert (back.body, back.destination, back.proxy) == (bytes(body), "orders", "proxy")
    assert (dict(back.properties), back.terms, back.deaths) == (message.properties, PLAIN, ())
    assert (back.references, back.stored) == (0, 0)


@pytest.mark.parametrize("group", [None, "g", 7, b"\xff", ("a", 1), ("a", ("b", 2))])
def test_so_do_its_terms(group: object) -> None:
    terms = Terms(persistent=True, priority=3, expires_in=1.5, delay_in=2.0, group=group, also=("x", "y"))
    back = reread(Message(b"", terms=terms)).terms
    assert back == terms
    hash(back.group)


def test_and_its_deaths() -> None:
    message = Message(b"", deaths=(DEATH, DEATH))
    assert reread(message).deaths == (DEATH, DEATH)
    assert read_deaths(write_deaths(message)) == message.deaths
    assert write_deaths(Message(b"")) is None
    assert read_deaths(None) == ()
