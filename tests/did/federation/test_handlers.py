from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.activities import follow
from penstock.did.federation.handlers import Handlers
from penstock.errors import BadActivity
from tests.did.federation.helpers import A, B, told
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from penstock.did.activities import Activity

FOLLOW = told(follow(name=A.activity("1"), actor=A.service, target=B.service))


def test_all_who_want_a_type_are_called_in_order() -> None:
    heard: list[str] = []
    handlers = Handlers()

    async def first(activity: Activity) -> None:
        heard.append(f"first {activity.name}")

    async def second(activity: Activity) -> None:
        heard.append("second")

    handlers.on_like(second)
    run(handlers.handle(FOLLOW))
    assert heard == []
    handlers.on_follow(first)
    handlers.on_follow(second)
    run(handlers.handle(FOLLOW))
    assert heard == [f"first {A.activity('1')}", "second"]


def test_the_first_that_fails_ends_it() -> None:
    handlers = Handlers()

    async def fails(activity: Activity) -> None:
        raise BadActivity("rule", "no")

    async def never(activity: Activity) -> None:
        pytest.fail("it was not to be called")

    handlers.on_follow(fails)
    handlers.on_follow(never)
    with pytest.raises(BadActivity):
        run(handlers.handle(FOLLOW))
