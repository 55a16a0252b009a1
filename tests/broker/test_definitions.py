"""Definitions: the book of what changed, and documents that read back as they were."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock.broker.definitions import (
    USUAL,
    Definitions,
    HostDocument,
    Kind,
    ProxyDocument,
    QueueDocument,
    RegistrationDocument,
    proxy_document,
    queue_document,
    read_queue,
    registration_document,
)
from penstock.broker.host import Asked
from penstock.wiring import DeadLetters, DefaultRegistration, Overflow, Queue, Template, Wiring

HOST = HostDocument("/")


# The book


def test_what_is_put_is_written_once() -> None:
    book = Definitions()
    book.put("/", Kind.QUEUE, "q", HOST)
    assert book.take() == {("queue", "/\0q"): msgspec.msgpack.encode(HOST)}
    assert book.take() == {}


def test_what_is_struck_out_is_deleted_if_it_was_ever_there() -> None:
    book = Definitions()
    book.found(("queue", "/\0found"))
    book.put("/", Kind.QUEUE, "put", HOST)
    for name in ("found", "put", "never", "found"):
        book.delete("/", Kind.QUEUE, name)
    assert book.take() == {("queue", "/\0found"): None, ("queue", "/\0put"): None}


# Documents


def reread(document: msgspec.Struct) -> Any:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(document), type=type(document))


def written(**how: Any) -> tuple[Queue, QueueDocument]:
    """A queue of a virtual host whose usual window is 100, and its document as it is read back."""
    wiring = Wiring()
    wiring.create_proxy("", "DEST-NAME")
    queue = wiring.create_queue("q", now=0.0, **{"registration": USUAL, "window": 100, **how})
    queue.stored = 7
    document: QueueDocument = reread(queue_document(queue, 100))
    return queue, document


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"persistent": True, "overflow": Overflow.DEAD_LETTER, "max_length": 5, "max_bytes": 0},
        {"dead_letters": DeadLetters("dead"), "expires_in": 1.5, "remarks": b"\x00\xff"},
        {"dead_letters": DeadLetters("dead", "elsewhere"), "lease_in": 2.0, "unused_in": 3.0},
        {"window": None},
        {"window": 5},
        {"registration": None},
        {"registration": DefaultRegistration("", "another name")},
    ],
)
def test_a_queue_reads_back_as_it_was(how: dict[str, Any]) -> None:
    queue, document = written(**how)
    assert Template(**read_queue(document, 100)) == queue.template
    assert document.id == 7


def test_only_what_is_not_as_in_every_queue_is_written() -> None:
    assert written(persistent=True)[1] == QueueDocument(7, {"persistent": True})


def test_the_usual_window_is_not_written_so_that_it_can_be_changed() -> None:
    _, document = written()
    assert read_queue(document, 5000)["window"] == 5000


def test_a_proxy_reads_back_as_it_was() -> None:
    proxy = Wiring().create_proxy("p", "LOSSY", dynamic=True, alternate="other", remarks=b"\xff", drop=0.5)
    document: ProxyDocument = reread(proxy_document(proxy))
    assert document.properties["drop"] == 0.5
    assert (document.class_name, document.dynamic, document.alternate) == ("LOSSY", True, "other")
    assert document.remarks == b"\xff"


@pytest.mark.parametrize("pattern", [None, "a.#", {"size": 1, "colour": "red"}, b"\xff"])
def test_a_registration_reads_back_as_it_was(pattern: object) -> None:
    asked = Asked("proxy", "queue", "q", b"\x00\xff")
    document = reread(registration_document(asked, pattern))
    assert document == RegistrationDocument("proxy", "queue", "q", b"\x00\xff", pattern)
