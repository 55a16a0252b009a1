from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadSetting, BadUser
from penstock.server.imported import OWN_ALGORITHM, import_definitions, take_over
from penstock.server.passwords import CHEAP, hash_password
from penstock.server.permissions import Permissions
from penstock.server.realm import Realm
from penstock.server.users import Users
from penstock.server.vhosts import VirtualHost, VirtualHosts

if TYPE_CHECKING:
    from pathlib import Path

#: "test12", the example of RabbitMQ's manual.
HASH = "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"
DEFINITIONS: dict[str, Any] = {
    "rabbit_version": "3.10.8",
    "vhosts": [{"name": "/"}, {"name": "elsewhere"}],
    "vhost_limits": [{"vhost": "elsewhere", "value": {"max-connections": 5, "max-queues": -1}}],
    "users": [
        {"name": "guest", "password": "guest", "tags": ["administrator"]},
        {
            "name": "old",
            "password_hash": "abc",
            "hashing_algorithm": "rabbit_password_hashing_md5",
            "tags": "monitoring,management",
        },
        {"name": "certified", "tags": ""},
    ],
    "permissions": [{"user": "guest", "vhost": "/", "configure": "", "write": ".*", "read": "^mine"}],
    "topic_permissions": [
        {"user": "guest", "vhost": "/", "exchange": "amq.topic", "write": "^a", "read": "^b"}
    ],
    "queues": [{"name": "q"}],
    "exchanges": [],
}


@pytest.fixture
def realm() -> Realm:
    return Realm(Users(cost=CHEAP), Permissions(), VirtualHosts())


def imported(folder: Path, realm: Realm, definitions: Any = DEFINITIONS) -> Realm:
    path = folder / "definitions.json"
    path.write_text(definitions if isinstance(definitions, str) else json.dumps(definitions))
    import_definitions(path, realm)
    return realm


def test_everything_about_people_is_taken_over(tmp_path: Path, realm: Realm) -> None:
    imported(tmp_path, realm)
    assert {host.name: (host.max_connections, host.max_queues) for host in realm.vhosts} == {
        "/": (None, None),
        "elsewhere": (5, None),
    }
    assert {user.name: sorted(user.tags) for user in realm.users} == {
        "guest": ["administrator"],
        "old": ["management", "monitoring"],
        "certified": [],
    }
    assert realm.users.proved("guest", "guest")
    permission = realm.permissions.of("guest", "/")
    assert permission is not None
    assert (permission.configure, permission.write, permission.read) == ("", ".*", "^mine")
    topic = realm.permissions.topic_of("guest", "/", "amq.topic")
    assert topic is not None
    assert (topic.write, topic.read) == ("^a", "^b")


def test_what_is_not_taken_over_is_told(
    tmp_path: Path, realm: Realm, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    imported(tmp_path, realm)
    assert [record.getMessage() for record in caplog.records] == [
        "definitions: give user 'old' a password, its hash by rabbit_password_hashing_md5 is not taken over",
        "definitions: queues are not taken over: clients declare them",
    ]


def test_a_second_time_changes_only_what_is_new(tmp_path: Path, realm: Realm) -> None:
    imported(tmp_path, realm)
    before = realm.users.get("guest").password
    more = {"users": [{"name": "guest", "password": "guest"}, {"name": "old", "password": "new"}]}
    imported(tmp_path, realm, more)
    assert realm.users.get("guest").password == before
    assert realm.users.proved("old", "new")
    imported(tmp_path, realm, {"users": [{"name": "old", "password": "newer"}], "vhosts": [{"name": "/"}]})
    assert realm.users.proved("old", "newer")


@pytest.mark.parametrize("algorithm", [None, "rabbit_password_hashing_sha256"])
def test_a_hash_of_rabbitmqs_is_taken_over(tmp_path: Path, realm: Realm, algorithm: str | None) -> None:
    told = {} if algorithm is None else {"hashing_algorithm": algorithm}
    imported(tmp_path, realm, {"users": [{"name": "rabbit", "password_hash": HASH, **told}]})
    assert realm.users.proved("rabbit", "test13") is None
    proved = realm.users.proved("rabbit", "test12")
    assert proved is not None
    realm.users.renew(proved)
    # The file is as true at the next start, whatever its user has done since.
    realm.users.change_password("rabbit", "other")
    imported(tmp_path, realm, {"users": [{"name": "rabbit", "password_hash": HASH, **told}]})
    assert realm.users.proved("rabbit", "test12")


def test_a_password_replaces_a_hash_though_it_is_the_same(tmp_path: Path, realm: Realm) -> None:
    imported(tmp_path, realm, {"users": [{"name": "rabbit", "password_hash": HASH}]})
    imported(tmp_path, realm, {"users": [{"name": "rabbit", "password": "test12"}]})
    assert (realm.users.get("rabbit").password or "").startswith("scrypt$")
    assert realm.users.proved("rabbit", "test12")


def test_an_empty_hash_is_no_password(tmp_path: Path, realm: Realm) -> None:
    imported(tmp_path, realm, {"users": [{"name": "rabbit", "password_hash": ""}]})
    assert realm.users.get("rabbit").password is None


@pytest.mark.parametrize(
    ("definitions", "why"),
    [
        ("no JSON", "Expecting value"),
        ("[]", "list"),
        ({"users": [{"tags": []}]}, "there is no 'name' where one is needed"),
        ({"users": [{"name": "x", "tags": ["a,b"]}]}, "and no comma"),
        ({"permissions": [{"user": "x", "vhost": "/", "configure": "(", "write": "", "read": ""}]}, "("),
        ({"users": 5}, "int"),
        ({"users": [{"name": "x", "password_hash": "abc"}]}, "user 'x': a password_hash is base64"),
        ({"users": [{"name": "x", "password_hash": "abcd"}]}, "sha256 has 36 bytes, not 3"),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_is_told(tmp_path: Path, realm: Realm, definitions: Any, why: str) -> None:
    with pytest.raises(BadSetting) as caught:
        imported(tmp_path, realm, definitions)
    assert caught.value.setting == "definitions"
    assert str(caught.value).startswith(f"definitions: {tmp_path}")
    assert why in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path, realm: Realm) -> None:
    with pytest.raises(BadSetting, match="No such file"):
        import_definitions(tmp_path / "nothing.json", realm)


def test_our_own_hashes_come_back() -> None:
    realm = Realm(Users(cost=CHEAP), Permissions(), VirtualHosts())
    stored = hash_password("secret", CHEAP)
    entry = {"name": "eve", "tags": [], "password_hash": stored, "hashing_algorithm": OWN_ALGORITHM}
    take_over({"users": [entry]}, realm)
    assert realm.users.get("eve").password == stored
    with pytest.raises(BadUser, match="user 'eve': the stored password of user 'eve' cannot be read"):
        take_over({"users": [entry | {"password_hash": "nonsense"}]}, realm)


def test_limits_among_the_parameters_are_taken_over() -> None:
    realm = Realm(Users(cost=CHEAP), Permissions(), VirtualHosts())
    limits = {"component": "vhost-limits", "name": "limits", "vhost": "/", "value": {"max-queues": 3}}
    take_over({"vhosts": [{"name": "/"}], "parameters": [limits, limits | {"component": "shovel"}]}, realm)
    assert realm.vhosts.get("/").max_queues == 3


def test_any_tag_is_taken_over_as_rabbitmq_takes_it(realm: Realm) -> None:
    take_over({"users": [{"name": "x", "tags": "odd, monitoring"}]}, realm)
    assert realm.users.get("x").tags == {"odd", "monitoring"}


def test_what_is_noted_about_a_virtual_host_is_taken_over_and_limits_leave_it(realm: Realm) -> None:
    record = {
        "vhosts": [{"name": "v", "metadata": {"description": "d", "tags": ["a"]}}],
        "vhost_limits": [{"vhost": "v", "value": {"max-queues": 3}}],
    }
    take_over(record, realm)
    expected = VirtualHost(name="v", max_queues=3, description="d", tags=("a",))
    assert realm.vhosts.get("v") == expected
    assert VirtualHost.from_record(expected.record()) == expected
