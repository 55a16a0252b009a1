from __future__ import annotations

import asyncio

import pytest

from penstock.workers.gateway.envelope import Request
from penstock.workers.gateway.policy import ClientRoute, Policy, asked, content_of, open_rooms
from penstock.workers.gateway.session import Session

SOMEBODY = Session(user_id=3)


@pytest.mark.parametrize(
    ("room", "may"),
    [
        ("lobby", True),
        ("planet:5", True),
        ("planet:", True),
        ("lobby2", False),
        ("", False),
        ("planet", False),
    ],
)
def test_open_rooms_are_by_name_or_by_how_they_begin(room: str, may: bool) -> None:  # noqa: FBT001  a column
    # Patterns may come from a generator.
    assert open_rooms(each for each in ["lobby", "planet:*"])(SOMEBODY, room) is may


def test_nothing_is_allowed_that_is_not_named() -> None:
    policy = Policy(check_token=lambda _: SOMEBODY)
    assert (policy.may_join(SOMEBODY, "lobby"), policy.routes, policy.queues) == (False, {}, [])


def test_the_queues_of_the_routes_are_named_once_each() -> None:
    routes = {"/a": ClientRoute(queue="x"), "/b": ClientRoute(queue="x"), "/c": ClientRoute()}
    assert Policy(check_token=lambda _: SOMEBODY, routes=routes).queues == ["x"]


def test_the_applications_functions_may_be_plain_or_async() -> None:
    async def later() -> int:
        return 2

    async def story() -> None:
        assert await asked(1) == 1
        found: int = await asked(later())
        assert found == 2

    asyncio.run(story())


def test_an_answer_reads_the_content() -> None:
    assert content_of(Request(route="/a")) == {}
