from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from penstock.client.web import Web, path_of
from penstock.errors import (
    BadUrl,
    BrokerRefused,
    LoginRefused,
    NotConnected,
    NotPermitted,
    ReaderInUse,
    UnknownQueue,
)
from tests.server.http.served import House
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def answering(*answers: bytes) -> Iterator[tuple[str, list[bytes]]]:
    """A server that gives each connection the next answer and hangs up; its URL, and what it was asked."""
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            line, _ = listener.accept()
            with line:
                asked.append(request_on(line))
                line.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"amqp://u:p@127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        thread.join()
        listener.close()


def request_on(line: socket.socket) -> bytes:
    """A whole request; the body of ours has braces around it."""
    found = line.recv(65_536)
    while b"Content-Length" in found and not found.endswith((b"}", b"x")):
        found += line.recv(65_536)
    return found


def said(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d \r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


def test_a_path_may_hold_anything() -> None:
    assert path_of("api", "/", "a b", "é") == "/api/%2F/a%20b/%C3%A9"


def test_a_question_says_who_asks_and_what() -> None:
    with answering(said(200, b'{"a": 1}')) as (url, asked), Web(url, 60) as web:
        assert web.ask("POST", "/x", {"b": 2}) == {"a": 1}
    head, _, body = asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /x HTTP/1.1")
    assert b"Authorization: Basic dTpw" in head
    assert body == b'{"b": 2}'


@pytest.mark.parametrize(
    ("status", "body", "error", "text"),
    [
        (401, b'{"error": "no"}', LoginRefused, "no"),
        (403, b'{"error": "no"}', NotPermitted, "no"),
        (404, b'{"error": "gone", "kind": "UnknownQueue"}', UnknownQueue, "gone"),
        (404, b'{"error": "gone", "kind": "annotations"}', BrokerRefused, "gone"),
        (404, b"<html>", BrokerRefused, "amqp://u@.* answers with status 404"),
        (500, b"[]", BrokerRefused, "status 500"),
    ],
)
def test_what_is_refused_is_the_error_it_names(
    status: int, body: bytes, error: type[Exception], text: str
) -> None:
    with answering(said(status, body)) as (url, _), Web(url, 60) as web, pytest.raises(error, match=text):
        web.ask("GET", "/")


def test_a_reader_in_use_says_by_whom() -> None:
    refusal = b'{"error": "taken", "kind": "ReaderInUse", "holder": "me", "until": 5.5}'
    with answering(said(409, refusal)) as (url, _), Web(url, 60) as web, pytest.raises(ReaderInUse) as caught:
        web.ask("GET", "/")
    assert (caught.value.holder, caught.value.until) == ("me", 5.5)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (b"AMQP\x00\x00\x09\x01", "does not answer as a Penstock broker does"),
        (b"", "cannot be asked"),
        (b"HTTP/1.1 200 \r\nContent-Length: 10\r\n\r\n{", "broke off in the middle"),
    ],
)
def test_what_is_no_answer_is_no_connection(answer: bytes, text: str) -> None:
    with (
        answering(answer) as (url, _),
        pytest.raises(NotConnected, match=text) as caught,
        Web(url, 60) as web,
    ):
        web.ask("GET", "/")
    assert ":p@" not in str(caught.value)


def test_nobody_there_is_no_connection() -> None:
    with pytest.raises(NotConnected, match="cannot be asked"):
        Web(f"amqp://127.0.0.1:{free_port()}", 60).ask("GET", "/")


def test_a_kept_connection_that_is_gone_is_replaced_once() -> None:
    with answering(said(200, b"{}"), said(200, b'{"again": 1}')) as (url, asked):
        web = Web(url, 60)
        assert web.ask("GET", "/1") == {}
        assert repr(web).endswith("1 idle>")
        assert web.ask("GET", "/2") == {"again": 1}
        web.close()
    assert len(asked) == 2


def test_what_is_to_be_sent_once_goes_by_a_connection_of_its_own() -> None:
    with answering(said(200, b"{}"), b"") as (url, asked):
        web = Web(url, 60)
        web.ask("GET", "/")
        with pytest.raises(NotConnected):
            web.send("POST", "/", b"x", once=True)
        web.close()
    assert len(asked) == 2


def test_connections_are_kept_if_all_was_read_and_closed_if_not() -> None:
    with House() as house:
        web = Web(house.url, 30)
        with web.send("GET", "/") as answer:
            assert answer.read(4) == b"This"
        assert repr(web).endswith("0 idle>")
        with web.send("GET", "/") as answer:
            answer.read()
            answer.close()
        assert repr(web).endswith("1 idle>")
        assert repr(answer).startswith("<Answer 200 of amqp://guest@127.0.0.1")
        web.close()


def test_a_url_that_cannot_be_read_is_told_before_anything_is_asked() -> None:
    with pytest.raises(BadUrl):
        Web("http://localhost", 60)
