from __future__ import annotations

import pytest

from penstock.errors import NotPermitted
from penstock.server import guard as module
from penstock.server.guard import Guard, Trusting
from penstock.server.operations import NEEDS, Operation
from penstock.server.permissions import Permission, Permissions, TopicPermission

#: What each operation needs, by rabbitmq.com/docs/access-control#authorisation: the configure, write and
#: read patterns with which it just passes, on `name` and `other`.
TABLE = [
    (Operation.QUEUE_DECLARE, "name", "", ""),
    (Operation.QUEUE_DECLARE_PASSIVE, "name", "", ""),
    (Operation.QUEUE_DECLARE_PASSIVE, "", "name", ""),
    (Operation.QUEUE_DECLARE_PASSIVE, "", "", "name"),
    (Operation.QUEUE_DEAD_LETTER, "", "other", "name"),
    (Operation.QUEUE_DELETE, "name", "", ""),
    (Operation.QUEUE_PURGE, "", "", "name"),
    (Operation.QUEUE_BIND, "", "name", "other"),
    (Operation.QUEUE_UNBIND, "", "name", "other"),
    (Operation.EXCHANGE_DECLARE, "name", "", ""),
    (Operation.EXCHANGE_DECLARE_PASSIVE, "", "", "name"),
    (Operation.EXCHANGE_ALTERNATE, "", "other", "name"),
    (Operation.EXCHANGE_DELETE, "name", "", ""),
    (Operation.EXCHANGE_BIND, "", "name", "other"),
    (Operation.EXCHANGE_UNBIND, "", "name", "other"),
    (Operation.PUBLISH, "", "name", ""),
    (Operation.CONSUME, "", "", "name"),
    (Operation.GET, "", "", "name"),
]


def guarded(configure: str = "", write: str = "", read: str = "") -> Guard:
    permission = Permission(user="ada", vhost="/", configure=configure, write=write, read=read)
    return Guard(Permissions([permission]), "ada", "/")


def test_the_table_is_complete() -> None:
    assert {row[0] for row in TABLE} == set(NEEDS)


@pytest.mark.parametrize(("operation", "configure", "write", "read"), TABLE)
def test_an_operation_passes_with_what_it_needs(
    operation: Operation, configure: str, write: str, read: str
) -> None:
    guarded(configure, write, read).check(operation, "name", "other")


@pytest.mark.parametrize(("operation", "configure", "write", "read"), TABLE)
def test_an_operation_does_not_pass_with_less(
    operation: Operation, configure: str, write: str, read: str
) -> None:
    granted = {"configure": configure, "write": write, "read": read}
    for action in (action for action, pattern in granted.items() if pattern):
        with pytest.raises(NotPermitted):
            guarded(**(granted | {action: ""})).check(operation, "name", "other")


@pytest.mark.parametrize(
    ("operation", "name", "text"),
    [
        (Operation.QUEUE_DECLARE, "q", "configure access to queue 'q' in vhost '/' refused for user 'ada'"),
        (
            Operation.QUEUE_DECLARE_PASSIVE,
            "q",
            "configure access to queue 'q' in vhost '/' refused for user 'ada'",
        ),
        (Operation.PUBLISH, "x", "write access to exchange 'x' in vhost '/' refused for user 'ada'"),
        (Operation.PUBLISH, "", "write access to exchange 'amq.default' in vhost '/' refused for user 'ada'"),
    ],
)
def test_a_refusal_is_in_rabbitmqs_words(operation: Operation, name: str, text: str) -> None:
    with pytest.raises(NotPermitted) as caught:
        guarded().check(operation, name)
    assert str(caught.value) == text


def test_the_default_exchange_goes_by_the_name_amq_default() -> None:
    guarded(write=r"^amq\.default$").check(Operation.PUBLISH, "")


def test_who_has_no_permission_in_a_virtual_host_is_not_admitted() -> None:
    guard = guarded()
    assert guard.is_admitted()
    assert not Guard(Permissions(), "ada", "/").is_admitted()
    assert repr(guard) == "<Guard of 'ada' in '/', 0 decisions>"


def test_a_decision_is_remembered_until_a_permission_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a user who may write, and did
    permissions = Permissions([Permission(user="ada", vhost="/", write=".*")])
    guard = Guard(permissions, "ada", "/")
    assert guard.may("write", "x")
    with monkeypatch.context() as patch:
        patch.setattr(Permissions, "is_allowed", pytest.fail)
        assert guard.may("write", "x")
    # When the permission is taken away, then the next try is refused
    permissions.revoke("ada", "/")
    assert not guard.may("write", "x")


def test_it_says_when_permissions_changed() -> None:
    permissions = Permissions()
    guard = Guard(permissions, "me", "/")
    before = guard.version
    permissions.grant(Permission(user="you", vhost="/"))
    assert guard.version > before


def test_a_client_that_invents_names_fills_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REMEMBERED", 10)
    guard = guarded(write=".*")
    guard._permissions.grant_topic(TopicPermission(user="ada", vhost="/", exchange="x", write=".*"))
    for number in range(100):
        assert guard.may("write", f"queue-{number}")
        assert guard.may_topic("write", "x", f"key-{number}")
        assert len(guard._decisions) <= 10
        assert len(guard._topics) <= 10


@pytest.fixture
def topical() -> Guard:
    permissions = Permissions([Permission(user="ada", vhost="/", write=".*")])
    permissions.grant_topic(
        TopicPermission(user="ada", vhost="/", exchange="amq.topic", write=r"^{username}\.{client_id}$")
    )
    return Guard(permissions, "ada", "/", client_id="c1")


def test_routing_keys_are_checked_on_exchanges_with_topic_permissions(topical: Guard) -> None:
    topical.check_topic("write", "amq.topic", "ada.c1")
    topical.check_topic("write", "amq.topic", "ada.c1")
    topical.check_topic("write", "other", "eve.c1")
    with pytest.raises(NotPermitted) as caught:
        topical.check_topic("write", "amq.topic", "eve.c1")
    assert str(caught.value) == (
        "write access to topic 'eve.c1' in exchange topic 'amq.topic' in vhost '/' refused for user 'ada'"
    )


def test_a_topic_decision_is_forgotten_when_a_permission_changes(topical: Guard) -> None:
    assert topical.may_topic("write", "amq.topic", "ada.c1")
    topical._permissions.grant_topic(
        TopicPermission(user="ada", vhost="/", exchange="amq.topic", write="^nothing$")
    )
    assert not topical.may_topic("write", "amq.topic", "ada.c1")


def test_without_a_client_id_its_variable_stands_for_itself() -> None:
    topic = TopicPermission(user="ada", vhost="/", exchange="x", write="^{client_id}$")
    guard = Guard(Permissions([], [topic]), "ada", "/")
    assert guard.may_topic("write", "x", "{client_id}")
    assert not guard.may_topic("write", "x", "c1")


def test_who_is_trusted_may_do_what_no_permission_allows() -> None:
    guard = Trusting(Permissions(), "anybody", "/")
    guard.check(Operation.QUEUE_DECLARE, "q")
    guard.check_topic("write", "amq.topic", "key")
