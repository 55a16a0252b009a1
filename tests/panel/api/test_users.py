from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.panel.house import House

if TYPE_CHECKING:
    from pathlib import Path

#: RabbitMQ's hash of "test12".
HASH = "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"


def test_a_user_is_made_changed_and_forgotten(house: House) -> None:
    assert house.put("/users/eve", {"password": "eve", "tags": "management"}) == 201
    assert house.get("/users/eve") == {
        "name": "eve",
        "tags": ["management"],
        "has_password": True,
        "limits": {},
    }
    assert house.get("/whoami", user="eve") == {"name": "eve", "tags": ["management"]}
    assert house.put("/users/eve", {"tags": ["monitoring", "policymaker"]}) == 204
    assert house.get("/whoami", user="eve")["tags"] == ["monitoring", "policymaker"]
    assert house.delete("/users/eve") == 204
    assert house.ask("GET", "/whoami", user="eve").status == 401


def test_a_hash_is_as_good_as_a_password(house: House) -> None:
    house.put("/users/test12", {"password_hash": HASH, "tags": "administrator"})
    assert house.get("/whoami", user="test12")["name"] == "test12"


def test_an_empty_hash_leaves_only_certificates(house: House) -> None:
    house.put("/users/eve", {"password": "eve", "tags": "management"})
    house.put("/users/eve", {"password_hash": "", "tags": "management"})
    assert house.ask("GET", "/whoami", user="eve").status == 401
    assert house.get("/users/eve")["has_password"] is False


def test_users_are_listed_without_a_word_about_passwords(house: House) -> None:
    house.user("eve", vhosts=())
    assert [user["name"] for user in house.get("/users")] == ["eve", "guest"]
    assert "scrypt" not in str(house.get("/users"))
    assert [user["name"] for user in house.get("/users/without-permissions")] == ["eve"]


def test_some_are_forgotten_at_once(house: House) -> None:
    house.user("eve")
    house.user("bob")
    house.post("/users/bulk-delete", {"users": ["eve", "bob", "nobody"]})
    assert [user["name"] for user in house.get("/users")] == ["guest"]


def test_users_are_there_after_a_restart(tmp_path: Path) -> None:
    with House(data=tmp_path) as house:
        house.put("/users/eve", {"password": "eve", "tags": "management"})
        house.put("/permissions/%2F/eve", {"configure": "a", "write": "b", "read": "c"})
    with House(data=tmp_path) as house:
        assert house.get("/whoami", user="eve")["tags"] == ["management"]
        assert house.get("/permissions/%2F/eve")["write"] == "b"


@pytest.mark.parametrize(
    ("verb", "target", "body", "status", "reason"),
    [
        ("PUT", "/users/eve", {"password": "x"}, 400, "missing required field `tags`"),
        ("PUT", "/users/eve", {"tags": ["a,b"]}, 400, "and no comma"),
        ("PUT", "/users/eve", {"tags": "", "password_hash": "x"}, 400, "a password_hash is base64"),
        ("PUT", "/users/eve", {"tags": "", "password_hash": "x", "hashing_algorithm": "md5"}, 400, "md5"),
        ("GET", "/users/nobody", None, 404, "there is no user 'nobody'"),
        ("DELETE", "/users/nobody", None, 404, "there is no user 'nobody'"),
        ("DELETE", "/users/guest", None, 400, "cannot delete itself"),
    ],
)
def test_what_cannot_be_is_refused(
    house: House, verb: str, target: str, body: Any, status: int, reason: str
) -> None:
    answer = house.ask(verb, target, body)
    assert (answer.status, reason in answer.json["reason"]) == (status, True), answer.body
