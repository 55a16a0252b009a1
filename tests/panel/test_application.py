from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.application import application, parts
from penstock.panel.panel import Panel
from penstock.panel.replies import Reply
from penstock.panel.routes import PUBLIC, Route
from tests.panel.asgi import GUEST, Asker, opened
from tests.panel.house import House

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from penstock.panel.visit import Visit


async def echo(visit: Visit, name: str) -> Reply:
    return Reply(
        body=f"{visit.user.name} {name} {dict(visit.query)} {visit.body}".encode(), kind="text/plain"
    )


async def fail(visit: Visit) -> Reply:
    raise ZeroDivisionError


async def stream(visit: Visit) -> Reply:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b"a", b"b"):
            yield piece

    return Reply(stream=pieces())


TABLE = {
    ("POST", "/echo/{name}"): Route(echo, "Echo.", PUBLIC, body=dict[str, Any]),
    ("GET", "/fail"): Route(fail, "Fail.", PUBLIC),
    ("GET", "/stream"): Route(stream, "Stream.", PUBLIC),
}


@pytest.fixture
def asker() -> Iterator[tuple[House, Asker]]:
    """Somebody before an application with a table of its own."""
    with House() as house:
        panel = Panel(house.embedded, [TABLE])
        yield house, Asker(panel, application(panel), GUEST)


def test_a_request_becomes_a_visit(asker: tuple[House, Asker]) -> None:
    house, guest = asker
    answer = house.run(guest.post("/echo/a%2Fb?x=1", {"y": 2}))
    assert (answer.status, answer.text) == (200, "guest a/b {'x': '1'} {'y': 2}")
    answer = house.run(guest.ask("POST", "/echo/a/", b"", {"authorization": ""}))
    assert answer.status == 401


def test_what_is_public_needs_no_name(asker: tuple[House, Asker]) -> None:
    house, guest = asker
    stranger = Asker(guest.panel, guest.app, {})
    assert house.run(stranger.post("/echo/x", {})).text == "nobody x {} {}"


def test_a_mistake_of_ours_is_told_to_the_log_only(
    asker: tuple[House, Asker], caplog: pytest.LogCaptureFixture
) -> None:
    house, guest = asker
    answer = house.run(guest.get("/fail"))
    assert (answer.status, answer.json["reason"]) == (500, "internal error; the broker's log says more")
    assert "ZeroDivisionError" in caplog.text


def test_a_body_may_come_as_it_is_made(asker: tuple[House, Asker]) -> None:
    house, guest = asker
    assert house.run(guest.get("/stream")).body == b"ab"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"/", ("",)),
        (b"/api/queues", ("api", "queues")),
        (b"/api/queues/", ("api", "queues")),
        (b"/api/queues/%2F/a%2Fb%20c", ("api", "queues", "/", "a/b c")),
        (b"/api//x", ("api", "", "x")),
        (b"/%C3%A9", ("é",)),
    ],
)
def test_a_path_is_taken_apart_before_it_is_decoded(path: bytes, expected: tuple[str, ...]) -> None:
    assert parts({"raw_path": path, "path": "elsewhere"}) == expected


def test_options_tell_what_a_path_takes_and_let_no_other_site_in() -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await guest.ask("OPTIONS", "/api/queues/%2F/q", headers={"authorization": ""})
            assert (answer.status, answer.header("allow")) == (200, "GET, PUT, DELETE, OPTIONS")
            assert answer.header("access-control-allow-origin") == ""
            assert (await guest.ask("OPTIONS", "/api/nothing")).status == 404

    asyncio.run(story())
