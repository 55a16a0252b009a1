from __future__ import annotations

from typing import Any

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from penstock.workers.gateway.counters import Counters
from penstock.workers.gateway.pages import State, maybe_page

ORIGINS = frozenset({"https://game.example"})


def state(**changed: bool) -> State:
    given: dict[str, Any] = {"counters": Counters(requests=3), "has_room": True, "is_connected": True}
    return State(**{**given, **changed})


def status(path: str, *origins: str, **changed: bool) -> int | None:
    headers = Headers([("Host", "gateway.example:8100"), *(("Origin", origin) for origin in origins)])
    page = maybe_page(Request(path, headers), ORIGINS, state(**changed))
    return None if page is None else page.status_code


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        ((), None),
        (("https://game.example",), None),
        (("https://gateway.example:8100",), None),
        (("http://gateway.example:8100",), None),
        (("https://evil.example",), 403),
        (("https://game.example.evil.example",), 403),
        (("https://gateway.example",), 403),
        (("null",), 403),
        (("",), 403),
        (("https://game.example", "https://evil.example"), 403),
    ],
    ids=range(10),
)
def test_only_pages_that_are_named_or_of_this_host_may_connect(
    origins: tuple[str, ...], expected: int | None
) -> None:
    assert status("/ws?x=1", *origins) == expected


def test_more_than_there_may_be_are_sent_elsewhere() -> None:
    assert status("/ws", has_room=False) == 503


@pytest.mark.parametrize(
    ("path", "expected"), [("/health", 200), ("/penstock.js", 200), ("/", 404), ("/x", 404)]
)
def test_a_gateway_has_a_few_pages_itself(path: str, expected: int) -> None:
    assert status(path, "https://anywhere.example", has_room=False) == expected


def test_the_module_may_be_loaded_by_any_page() -> None:
    page = maybe_page(Request("/penstock.js", Headers()), ORIGINS, state())
    assert page is not None
    assert page.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert page.headers["Access-Control-Allow-Origin"] == "*"
    assert b"export function connect" in page.body


def test_while_the_broker_is_away_a_gateway_is_not_well_and_clients_may_come_all_the_same() -> None:
    assert status("/health", is_connected=False) == 503
    assert status("/ws", is_connected=False) is None


def test_the_counters_are_told_as_prometheus_reads_them() -> None:
    page = maybe_page(Request("/metrics", Headers()), ORIGINS, state())
    assert page is not None
    assert page.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert b"\npenstock_gateway_requests_total 3\n" in page.body
