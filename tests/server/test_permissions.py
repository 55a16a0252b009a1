from __future__ import annotations

import pytest

from penstock.errors import BadPermission
from penstock.server.permissions import Action, Permission, Permissions, TopicPermission

ADA = Permission(user="ada", vhost="/", configure="^ada-", write=".*", read="")
TOPICS = TopicPermission(
    user="ada", vhost="/", exchange="amq.topic", write=r"^{username}\.", read="^{vhost}{client_id}$"
)


@pytest.fixture
def permissions() -> Permissions:
    return Permissions([ADA], [TOPICS])


@pytest.mark.parametrize(
    ("user", "vhost", "action", "name", "allowed"),
    [
        ("ada", "/", "configure", "ada-jobs", True),
        ("ada", "/", "configure", "my-ada-jobs", False),
        ("ada", "/", "write", "anything", True),
        ("ada", "/", "write", "", True),
        ("ada", "/", "read", "anything", False),  # the empty pattern
        ("ada", "other", "write", "anything", False),
        ("eve", "/", "write", "anything", False),
    ],
)
def test_a_pattern_for_each_action_and_virtual_host(
    permissions: Permissions,
    user: str,
    vhost: str,
    action: str,
    name: str,
    allowed: bool,  # noqa: FBT001  a column of the table
) -> None:
    assert permissions.is_allowed(user, vhost, action, name) is allowed
    assert permissions.is_allowed(user, vhost, Action(action), name) is allowed


def test_an_action_that_is_none_is_a_mistake_of_ours(permissions: Permissions) -> None:
    with pytest.raises(ValueError, match="'user' is not a valid Action"):
        permissions.is_allowed("ada", "/", "user", "x")


@pytest.mark.parametrize(
    ("action", "exchange", "routing_key", "allowed"),
    [
        ("write", "amq.topic", "ada.x", True),
        ("write", "amq.topic", "eve.x", False),
        ("read", "amq.topic", "/7+", True),
        ("read", "amq.topic", "/77", False),  # a variable's value is no pattern
        ("write", "other", "eve.x", True),  # nothing said of that exchange
    ],
)
def test_topic_permissions_restrict_routing_keys(
    permissions: Permissions,
    action: str,
    exchange: str,
    routing_key: str,
    allowed: bool,  # noqa: FBT001  a column
) -> None:
    variables = {"username": "ada", "vhost": "/", "client_id": "7+"}
    assert permissions.is_topic_allowed(action, exchange, routing_key, variables) is allowed


def test_a_variable_that_makes_nonsense_of_a_pattern_denies() -> None:
    # [z-{username}] is a range; with "a" for the name it runs backwards
    topic = TopicPermission(user="a", vhost="/", exchange="x", write="[z-{username}]")
    variables = {"username": "a", "vhost": "/"}
    assert not Permissions([], [topic]).is_topic_allowed("write", "x", "z", variables)


@pytest.mark.parametrize("action", Action)
def test_a_pattern_that_cannot_be_is_refused(action: Action) -> None:
    with pytest.raises(BadPermission):
        Permission(user="ada", vhost="/", **{action.value: "("})


@pytest.mark.parametrize("action", ["write", "read"])
def test_a_topic_pattern_that_cannot_be_is_refused(action: str) -> None:
    with pytest.raises(BadPermission):
        TopicPermission(user="ada", vhost="/", exchange="x", **{action: "("})


def test_permissions_are_granted_and_revoked(permissions: Permissions) -> None:
    versions = [permissions.version]
    permissions.grant(Permission(user="ada", vhost="/", read=".*"))
    versions.append(permissions.version)
    assert permissions.is_allowed("ada", "/", "read", "x")
    assert not permissions.is_allowed("ada", "/", "write", "x")
    permissions.revoke("ada", "/")
    versions.append(permissions.version)
    assert permissions.of("ada", "/") is None
    permissions.revoke_topic("ada", "/", "amq.topic")
    versions.append(permissions.version)
    assert permissions.topic_of("ada", "/", "amq.topic") is None
    permissions.grant_topic(TOPICS)
    versions.append(permissions.version)
    assert permissions.topic_of("ada", "/", "amq.topic") == TOPICS
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("gone", [{"user": "ada"}, {"vhost": "/"}])
def test_with_a_user_or_virtual_host_go_its_permissions(
    permissions: Permissions, gone: dict[str, str]
) -> None:
    permissions.grant(Permission(user="eve", vhost="other"))
    permissions.forget(**gone)
    assert repr(permissions) == "<Permissions 1, of topics 0>"
    assert permissions.of("eve", "other") is not None


def test_permissions_come_back_from_their_records(permissions: Permissions) -> None:
    again = Permissions.from_records(permissions.records())
    assert (again.of("ada", "/"), again.topic_of("ada", "/", "amq.topic")) == (ADA, TOPICS)
    assert again.records() == permissions.records()
