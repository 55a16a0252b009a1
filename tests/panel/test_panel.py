from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.panel.house import House

if TYPE_CHECKING:
    from penstock.panel.replies import Reply


def test_what_a_user_would_be_answered_can_be_asked_without_a_request() -> None:
    with House() as house:
        house.user("eve")
        panel, users = house.asker.panel, house.embedded.front.access.realm.users

        def look(user: str, *path: str) -> Reply:
            return house.run(panel.look(users.get(user), path, {}))

        assert json.loads(look("guest", "api", "whoami").body)["name"] == "guest"
        assert look("eve", "api", "whoami").status == 403
        assert look("guest", "api", "queues", "none").status == 404
        assert repr(panel).startswith("<Panel of <Embedded open")
