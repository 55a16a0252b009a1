from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.panel.house import House

GIVEN = {"configure": "^a", "write": "^b", "read": ".*"}
TOPIC = {"exchange": "amq.topic", "write": "^a", "read": "^b"}


def test_a_permission_is_given_and_taken(house: House) -> None:
    house.user("eve", vhosts=())
    assert [house.put("/permissions/%2F/eve", GIVEN), house.put("/permissions/%2F/eve", GIVEN)] == [201, 204]
    expected = {"user": "eve", "vhost": "/", **GIVEN}
    assert house.get("/permissions/%2F/eve") == expected
    assert house.get("/users/eve/permissions") == [expected]
    assert [each["user"] for each in house.get("/vhosts/%2F/permissions")] == ["eve", "guest"]
    assert house.delete("/permissions/%2F/eve") == 204
    assert [each["user"] for each in house.get("/permissions")] == ["guest"]


def test_topics_are_restricted_and_freed(house: House) -> None:
    house.user("eve")
    assert [house.put("/topic-permissions/%2F/eve", TOPIC) for _ in range(2)] == [201, 204]
    expected = [{"user": "eve", "vhost": "/", **TOPIC}]
    for target in (
        "/topic-permissions",
        "/topic-permissions/%2F/eve",
        "/users/eve/topic-permissions",
        "/vhosts/%2F/topic-permissions",
    ):
        assert house.get(target) == expected
    other = TOPIC | {"exchange": "other"}
    house.put("/topic-permissions/%2F/eve", other)
    assert house.get("/topic-permissions/%2F/eve/other") == [{"user": "eve", "vhost": "/", **other}]
    assert house.delete("/topic-permissions/%2F/eve/other") == 204
    assert house.ask("DELETE", "/topic-permissions/%2F/eve/other").status == 404
    assert house.delete("/topic-permissions/%2F/eve") == 204
    assert house.get("/topic-permissions") == []


@pytest.mark.parametrize(
    ("verb", "target", "body", "status", "reason"),
    [
        ("PUT", "/permissions/%2F/nobody", GIVEN, 404, "there is no user 'nobody'"),
        ("PUT", "/permissions/nowhere/guest", GIVEN, 404, "there is no virtual host 'nowhere'"),
        ("PUT", "/permissions/%2F/guest", {"configure": ""}, 400, "missing required field `write`"),
        ("PUT", "/permissions/%2F/guest", GIVEN | {"read": "("}, 400, "cannot be read"),
        ("GET", "/permissions/%2F/eve", None, 404, "has no permission in virtual host '/'"),
        ("DELETE", "/permissions/%2F/eve", None, 404, "has no permission"),
        ("GET", "/topic-permissions/%2F/eve", None, 404, "has no topic permission"),
    ],
)
def test_what_cannot_be_is_refused(
    house: House, verb: str, target: str, body: Any, status: int, reason: str
) -> None:
    house.user("eve", vhosts=())
    answer = house.ask(verb, target, body)
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body
