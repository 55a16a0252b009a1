from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotPermitted
from penstock.panel.api.changing import desk_in, do
from penstock.panel.visit import Visit
from penstock.wire.amqp.methods import QueueDeclare, QueueDeclareOk, QueuePurge, QueuePurgeOk

if TYPE_CHECKING:
    from tests.panel.house import House


def visit(house: House, user: str) -> Visit:
    return Visit(panel=house.asker.panel, user=house.embedded.front.access.realm.users.get(user))


def test_methods_are_done_one_after_the_other(house: House) -> None:
    answers = house.run(do(visit(house, "guest"), "/", QueueDeclare("q"), QueuePurge("q")))
    assert answers == [QueueDeclareOk("q", 0, 0), QueuePurgeOk(0)]


def test_a_desk_is_for_those_who_may_enter(house: House) -> None:
    house.user("monitor", "monitoring", vhosts=())
    with pytest.raises(NotPermitted):
        desk_in(visit(house, "monitor"), "/")
