from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from starlette.requests import Request

from penstock.panel import bodies
from penstock.panel.bodies import convert, read_body
from penstock.panel.replies import DONE, ApiFault, Reply
from penstock.panel.routes import Route

if TYPE_CHECKING:
    from penstock.panel.visit import Visit


class Body(msgspec.Struct):
    is_so: bool = False


async def handler(visit: Visit) -> Reply:
    return DONE


def request(*messages: dict[str, Any]) -> Request:
    left = list(messages)

    async def receive() -> Any:
        return left.pop(0) if left else await asyncio.Event().wait()

    return Request({"type": "http", "method": "PUT", "headers": []}, receive)


def part(body: bytes, *, more: bool = False) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_comes_in_parts() -> None:
    assert asyncio.run(read_body(request(part(b"a", more=True), part(b"b")), 2)) == b"ab"


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([part(b"a", more=True), part(b"bc", more=True)], 413),
        ([part(b"a", more=True), {"type": "http.disconnect"}], 400),
        ([part(b"a", more=True)], 408),
    ],
)
def test_one_that_is_too_long_or_does_not_come_is_refused(
    messages: list[dict[str, Any]], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BODY_IN", 0.01)
    with pytest.raises(ApiFault) as caught:
        asyncio.run(read_body(request(*messages), 2))
    assert caught.value.status == status


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b'{"is_so": true}', Body, Body(is_so=True)),
        (b'{"is_so": "true", "more": 1}', Body, Body(is_so=True)),
        (b"", Body, Body()),
        (b"[1]", list[int], [1]),
        (b"as it is", bytes, b"as it is"),
    ],
)
def test_it_becomes_what_the_route_takes(body: bytes, kind: Any, expected: Any) -> None:
    assert convert(body, Route(handler, "", body=kind)) == expected


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"is_so": 7}', "not what is asked for"),
        (b"[]", "not what is asked for"),
        (b"{", "no JSON"),
        (b"\xff", "no JSON"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_what_it_cannot_become_is_refused(body: bytes, reason: str) -> None:
    with pytest.raises(ApiFault, match=reason) as caught:
        convert(body, Route(handler, "", body=Body if body != b"[" * 100_000 else Any))
    assert caught.value.status == 400
