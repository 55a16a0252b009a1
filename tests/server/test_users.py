from __future__ import annotations

import pytest

from penstock.errors import BadUser, UnknownUser
from penstock.server import users as module
from penstock.server.passwords import Cost, imported_hash, is_imported
from penstock.server.users import User, Users

FAST = Cost(4, 8, 1)
#: "test12", hashed by RabbitMQ.
HASHED = imported_hash("rabbit_password_hashing_sha256", "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR")


@pytest.fixture
def users() -> Users:
    users = Users(cost=FAST)
    users.add("ada", "s3cret", {"administrator"})
    users.add("robot")
    return users


def test_a_user_is_proved_by_its_password(users: Users) -> None:
    ada = users.proved("ada", "s3cret")
    assert ada is not None
    assert (ada.name, ada.tags) == ("ada", frozenset({"administrator"}))


@pytest.mark.parametrize(
    ("name", "password"),
    [("ada", "wrong"), ("ada", ""), ("nobody", "s3cret"), ("robot", ""), ("robot", "s3cret")],
)
def test_anything_else_proves_nobody(users: Users, name: str, password: str) -> None:
    assert users.proved(name, password) is None
    assert users.remembered(name, password) is None


@pytest.mark.parametrize("name", ["ada", "robot", "nobody"])
def test_every_wrong_login_costs_one_hash(users: Users, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    monkeypatch.setattr(module, "is_password", lambda password, stored: hashed.append(stored.split("$")[1]))
    users.proved(name, "wrong")
    assert hashed == ["ln=4,r=8,p=1"]


def test_who_was_proved_once_is_not_hashed_again(users: Users, monkeypatch: pytest.MonkeyPatch) -> None:
    assert users.remembered("ada", "s3cret") is None
    users.proved("ada", "s3cret")
    monkeypatch.setattr(module, "is_password", pytest.fail)
    assert users.remembered("ada", "s3cret") == users.get("ada")
    assert users.proved("ada", "s3cret") == users.get("ada")


def test_an_imported_password_is_hashed_anew_once_it_is_proved(users: Users) -> None:
    users.put(User(name="rabbit", password=HASHED, tags=frozenset({"monitoring"})))
    proved = users.proved("rabbit", "test12")
    assert proved is not None
    # Only `renew` changes something, because `proved` is called in other threads.
    assert users.get("rabbit").password == HASHED
    users.change_tags("rabbit", ["management"])
    assert users.renew(proved)
    assert not is_imported(users.get("rabbit").password or "")
    assert users.get("rabbit").tags == {"management"}
    assert users.remembered("rabbit", "test12") == users.get("rabbit")
    assert users.proved("rabbit", "test13") is None


def test_what_has_changed_meanwhile_is_not_renewed(users: Users) -> None:
    users.put(User(name="rabbit", password=HASHED))
    proved = users.proved("rabbit", "test12")
    assert proved is not None
    changed = users.change_password("rabbit", "other")
    assert not users.renew(proved)
    assert users.get("rabbit") == changed
    users.delete("rabbit")
    assert not users.renew(proved)
    assert not users.renew(users.get("robot"))


def test_a_wrong_password_for_an_imported_one_costs_a_hash_too(
    users: Users, monkeypatch: pytest.MonkeyPatch
) -> None:
    users.put(User(name="rabbit", password=HASHED))
    hashed = []
    monkeypatch.setattr(module, "is_password", lambda password, stored: hashed.append(stored.split("$")[0]))
    assert users.proved("rabbit", "wrong") is None
    assert hashed == ["rabbit_password_hashing_sha256", "scrypt"]


def test_a_changed_password_is_not_remembered(users: Users) -> None:
    users.proved("ada", "s3cret")
    users.change_password("ada", "n3w")
    assert users.remembered("ada", "s3cret") is None
    assert users.proved("ada", "s3cret") is None
    assert users.proved("ada", "n3w") is not None
    assert users.change_password("ada", None).password is None
    assert users.proved("ada", "n3w") is None


def test_a_deleted_user_is_not_remembered(users: Users) -> None:
    users.proved("ada", "s3cret")
    users.delete("ada")
    assert users.remembered("ada", "s3cret") is None
    assert "ada" not in users


def test_tags_can_change(users: Users) -> None:
    assert users.change_tags("ada", ["monitoring", "policymaker"]).tags == {"monitoring", "policymaker"}


@pytest.mark.parametrize(
    ("name", "tags", "complaint"),
    [
        ("ada", (), "user 'ada' exists already"),
        ("", (), "a user's name has 1 to 255"),
        ("x" * 256, (), "a user's name has 1 to 255"),
        ("a\nb", (), "a user's name has"),
        ("eve", ("a,b",), "'a,b': a tag has 1 to 255 printable bytes, and no comma"),
    ],
)
def test_some_users_cannot_be(users: Users, name: str, tags: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(BadUser, match=complaint):
        users.add(name, None, tags)
    assert len(list(users)) == 2


@pytest.mark.parametrize("verb", ["get", "delete", "change_tags"])
def test_an_unknown_user_is_named(users: Users, verb: str) -> None:
    with pytest.raises(UnknownUser, match="there is no user 'eve'"):
        getattr(users, verb)(*["eve", ()][: 2 if verb == "change_tags" else 1])


def test_users_come_back_from_their_records(users: Users) -> None:
    again = Users((User.from_record(user.record()) for user in users), cost=FAST)
    assert list(again) == list(users)
    assert again.proved("ada", "s3cret") is not None
    assert users.get("robot").record() == {"name": "robot", "password": None, "tags": []}


def test_a_record_with_a_password_that_cannot_be_is_refused() -> None:
    with pytest.raises(BadUser, match="stored password of user 'ada' cannot be read"):
        User.from_record({"name": "ada", "password": "plain", "tags": []})


def test_no_password_is_in_a_repr(users: Users) -> None:
    assert repr(users) == "<Users 2: ada, robot>"
    assert "scrypt" not in repr(users.get("ada"))
