from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.http.fetching import HttpFetcher, is_https
from penstock.did.http.patience import Patience
from penstock.errors import ActivityRefused, ContentNotFound, ContentTooLarge, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Serving = Callable[[socket.socket, bytes], None]


#: How a large body ends.
END = b"!\r\n\r\n"
#: How a TLS client begins.
TLS = b"\x16\x03"


@contextmanager
def serving(*answers: bytes | Serving) -> Iterator[tuple[str, list[bytes]]]:
    """A server that gives one answer after the other, and what it was asked."""
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                request = b""
                while not request.endswith(b"\r\n\r\n") and (piece := connection.recv(4096)):
                    request += piece
                    if request.startswith(TLS):
                        break
                asked.append(request)
                try:
                    if callable(answer):
                        answer(connection, request)
                    else:
                        connection.sendall(answer)
                except OSError:
                    continue

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        # A thread that waits in accept is woken by shutdown, not by close.
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
        listener.close()


def answer(body: bytes = b"", status: str = "200 OK", *headers: str, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {size}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def anything(url: str) -> bool:
    return True


FETCHER = HttpFetcher(may_ask=anything, timeout=60)


def test_the_body_is_fetched_with_path_and_query() -> None:
    with serving(answer(b"content")) as (url, asked):
        assert FETCHER.fetch(f"{url}/cas/x?a=b", limit=7, accept="a/b") == b"content"
    assert asked[0].startswith(b"GET /cas/x?a=b HTTP/1.1\r\n")
    assert b"Accept: a/b\r\n" in asked[0]
    assert b"Accept-Encoding: identity\r\n" in asked[0]


def test_a_body_may_end_with_the_connection_or_come_in_chunks() -> None:
    until_closed = b"HTTP/1.1 200 OK\r\n\r\ncontent"
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ncon\r\n4\r\ntent\r\n0\r\n\r\n"
    with serving(until_closed, chunked) as (url, _):
        assert FETCHER.fetch(url, limit=7) == b"content"
        assert FETCHER.fetch(url, limit=7) == b"content"


@pytest.mark.parametrize(
    "sent",
    [
        answer(b"12345678"),
        answer(b"", length=10**12),
        b"HTTP/1.1 200 OK\r\n\r\n12345678",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFF\r\n" + b"x" * 10_000,
    ],
    ids=["told", "told, and endless", "not told", "chunked"],
)
def test_no_more_than_the_limit_is_read(sent: bytes) -> None:
    with serving(sent) as (url, _), pytest.raises(ContentTooLarge, match="7"):
        FETCHER.fetch(url, limit=7)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("404 Not Found", ContentNotFound),
        ("410 Gone", ContentNotFound),
        ("204 No Content", ContentNotFound),
        ("400 Bad Request", ContentNotFound),
        ("500 Internal Server Error", Unavailable),
        ("503 Service Unavailable", Unavailable),
        ("429 Too Many Requests", Unavailable),
        ("408 Request Timeout", Unavailable),
    ],
)
def test_the_status_says_whether_to_try_again(status: str, expected: type[Exception]) -> None:
    with serving(answer(b"", status)) as (url, _), pytest.raises(expected, match=f"answers {status[:3]}"):
        FETCHER.fetch(url, limit=7)


@pytest.mark.parametrize(
    "sent", [b"", b"SMTP\r\n\r\n", answer(b"cont", length=7)], ids=["nothing", "no HTTP", "half of it"]
)
def test_an_answer_that_breaks_off_is_tried_again(sent: bytes) -> None:
    with serving(sent) as (url, _), pytest.raises(Unavailable):
        FETCHER.fetch(url, limit=7)


def test_nobody_there_is_tried_again() -> None:
    with serving() as (url, _):
        pass
    with pytest.raises(Unavailable, match="cannot be read now"):
        FETCHER.fetch(url, limit=7)


@pytest.mark.parametrize("part", ["headers", "body", "body until closed"])
def test_a_byte_now_and_then_does_not_keep_us_waiting(part: str) -> None:
    first = {
        "headers": b"HTTP/1.1 200 OK\r\nX: ",
        "body": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n",
        "body until closed": b"HTTP/1.1 200 OK\r\n\r\n",
    }[part]

    sent: list[bytes] = []

    def drip(connection: socket.socket, request: bytes) -> None:
        connection.sendall(first)
        for _ in range(300):
            connection.sendall(b"x")
            sent.append(b"x")
            threading.Event().wait(0.02)

    # On a busy machine one byte may be as late as all of them.
    with serving(drip) as (url, _), pytest.raises(Unavailable, match=r"in 0\.5 seconds|timed out"):
        HttpFetcher(may_ask=anything, timeout=0.5).fetch(url, limit=10_000)
    # We hung up long before it was done.
    assert len(sent) < 200


def test_redirections_are_followed_and_each_is_looked_at() -> None:
    there = answer(b"", "302 Found", "Location: /there")
    with serving(there, answer(b"content")) as (url, asked):
        assert FETCHER.fetch(f"{url}/here", limit=7) == b"content"
        assert [line.split()[1] for line in asked] == [b"/here", b"/there"]

    away = answer(b"", "302 Found", "Location: file:///etc/passwd")
    with serving(away) as (url, _), pytest.raises(ContentNotFound, match="may not be asked"):
        HttpFetcher(may_ask=lambda asked: asked.startswith(url)).fetch(url, limit=7)


def test_redirections_end() -> None:
    again = answer(b"", "302 Found", "Location: /again")
    with serving(*[again] * 4) as (url, _), pytest.raises(ContentNotFound, match="more than 3 times"):
        FETCHER.fetch(url, limit=7)


def test_by_default_only_https_is_asked() -> None:
    assert is_https("https://orb.example.com/cas")
    with serving() as (url, _), pytest.raises(ContentNotFound, match="may not be asked"):
        HttpFetcher().fetch(url, limit=7)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://",
        "ftp://host/x",
        "file:///etc/passwd",
        "http://user:secret@127.0.0.1/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:x/",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/ü",
        "http://127.0.0.1/\r\nX: y",
        "http://[::1/",
        # Hosts that idna will not have.
        "http://a..b/",
        "http://./",
        f"http://{'a' * 64}.example/",
        "https://a..b/",
    ],
)
def test_what_is_no_url_of_a_domain_is_not_asked(url: str) -> None:
    with pytest.raises(ContentNotFound):
        FETCHER.fetch(url, limit=7)
    with pytest.raises(ActivityRefused):
        FETCHER.post(url, b"{}", {})


@pytest.mark.parametrize("location", ["https://[", "http://a..b/", "//[::1", "http://127.0.0.1:99999/"])
def test_a_redirection_to_no_url_leads_nowhere(location: str) -> None:
    away = answer(b"", "302 Found", f"Location: {location}")
    with serving(away) as (url, _), pytest.raises(ContentNotFound):
        FETCHER.fetch(url, limit=7)


def test_https_is_spoken_with_tls_or_not_at_all() -> None:
    def hello(connection: socket.socket, request: bytes) -> None:
        connection.sendall(b"not TLS at all")

    with serving(hello) as (url, _), pytest.raises(Unavailable, match="SSL"):
        HttpFetcher(timeout=60).fetch(url.replace("http:", "https:"), limit=7)


def test_what_is_asked_and_told_is_asked_where_it_may_be_reached() -> None:
    with serving() as (url, asked):
        fetcher = HttpFetcher(may_ask=anything, may_reach=lambda *_: False)
        with pytest.raises(ContentNotFound, match="no other domain"):
            fetcher.fetch(url, limit=7)
        with pytest.raises(ActivityRefused, match="no other domain"):
            fetcher.post(url, b"", {})
    assert asked == []


def test_who_keeps_us_waiting_is_asked_no_more() -> None:
    clock = VirtualClock()

    def late(connection: socket.socket, _: bytes) -> None:
        clock.advance(20)
        connection.sendall(b"HTTP/1.1 404 Not Found\r\n\r\n")

    with serving(late) as (url, asked):
        fetcher = HttpFetcher(may_ask=anything, patience=Patience(clock), timeout=60)
        with pytest.raises(ContentNotFound, match="404"):
            fetcher.fetch(url, limit=7)
        with pytest.raises(Unavailable, match="kept us waiting"):
            fetcher.fetch(f"{url}/other", limit=7)
        with pytest.raises(Unavailable, match="kept us waiting"):
            fetcher.post(url, b"", {})
    assert len(asked) == 1


def test_whose_names_keep_us_waiting_is_looked_up_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, asked = VirtualClock(), []

    def silent(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        clock.advance(10)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", silent)
    fetcher = HttpFetcher(patience=Patience(clock))
    for number in range(4):
        with pytest.raises(Unavailable):
            fetcher.fetch(f"https://{number}.made-up.example/", limit=7)
    with pytest.raises(Unavailable):
        fetcher.fetch("https://honest.example/", limit=7)
    assert asked == ["0.made-up.example", "1.made-up.example", "honest.example"]


def test_of_two_addresses_the_one_that_answers_is_not_blamed_for_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Given a host that cannot be reached by the first of its addresses, as where IPv6 leads nowhere.
    clock, tried = VirtualClock(), []
    connect = socket.socket.connect

    def reached(connection: socket.socket, address: tuple[str, int]) -> None:
        tried.append(address[0])
        if address[0] != "127.0.0.1":
            clock.advance(5)
            raise TimeoutError("timed out")
        connect(connection, address)

    with serving(*[answer(b"content")] * 10) as (url, _):
        port = int(url.rpartition(":")[2])
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("203.0.113.1", "127.0.0.1")
        ]
        with monkeypatch.context() as changed:
            changed.setattr(socket, "getaddrinfo", lambda *_, **__: found)
            changed.setattr(socket.socket, "connect", reached)
            fetcher = HttpFetcher(may_ask=anything, patience=Patience(clock), timeout=60)
            # Then it is asked all the same, and soon by the other alone.
            for _ in range(10):
                assert fetcher.fetch(f"http://b.example:{port}/", limit=7) == b"content"
    assert tried == ["203.0.113.1", "127.0.0.1"] * 4 + ["127.0.0.1"] * 6


@pytest.mark.parametrize(("answers", "asked_again"), [(b"HTTP/1.1 200 OK\r\n\r\n", True), (b"", False)])
def test_who_takes_a_large_body_has_time_for_it(answers: bytes, asked_again: bool) -> None:  # noqa: FBT001  a column of the table
    clock = VirtualClock()

    def slow(connection: socket.socket, taken: bytes) -> None:
        while not taken.endswith(END):
            taken = taken[-len(END) :] + connection.recv(1 << 20)
        clock.advance(20)
        connection.sendall(answers)

    with serving(slow, answer(b"content")) as (url, asked):
        fetcher = HttpFetcher(may_ask=anything, patience=Patience(clock), timeout=60)
        with nullcontext() if answers else pytest.raises(Unavailable):
            fetcher.post(url, b"x" * 2_000_000 + END, {})
        with nullcontext() if asked_again else pytest.raises(Unavailable, match="kept us waiting"):
            fetcher.fetch(url, limit=7)
    assert len(asked) == 1 + asked_again
