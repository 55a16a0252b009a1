from __future__ import annotations

import json

import pytest

from penstock.errors import SecurityError
from penstock.server.passwords import Cost
from penstock.server.permissions import TopicPermission
from penstock.server.realm import Realm
from penstock.server.vhosts import VirtualHost
from penstock.settings import Settings

FAST = Cost(4, 8, 1)


def test_a_new_broker_has_guest_who_may_do_everything() -> None:
    realm = Realm.first(Settings())
    guest = realm.users.proved("guest", "guest")
    assert guest is not None
    assert guest.tags == {"administrator"}
    assert "/" in realm.vhosts
    for action in ("configure", "write", "read"):
        assert realm.permissions.is_allowed("guest", "/", action, "anything")


@pytest.mark.parametrize(("password", "cost"), [("guest", "ln=10,"), ("s3cret", "ln=4,")])
def test_only_a_password_from_the_manual_is_hashed_cheaply(password: str, cost: str) -> None:
    settings = Settings(default_user="ada", default_password=password, default_vhost="shop")
    realm = Realm.first(settings, cost=FAST)
    assert cost in (realm.users.get("ada").password or "")
    assert [host.name for host in realm.vhosts] == ["shop"]


def test_a_realm_comes_back_from_its_record_through_json() -> None:
    realm = Realm.first(Settings(), cost=FAST)
    realm.vhosts.put(VirtualHost(name="shop", max_queues=5))
    realm.permissions.grant_topic(TopicPermission(user="guest", vhost="/", exchange="amq.topic", write="^a"))
    again = Realm.from_record(json.loads(json.dumps(realm.record())), cost=FAST)
    assert again.record() == realm.record()
    assert again.users.proved("guest", "guest") is not None


def test_a_record_of_another_version_is_refused() -> None:
    with pytest.raises(SecurityError, match="users of version 2: this Penstock reads 1"):
        Realm.from_record({"version": 2})


def test_with_a_user_and_a_virtual_host_go_their_permissions() -> None:
    realm = Realm.first(Settings(), cost=FAST)
    realm.delete_user("guest")
    assert "guest" not in realm.users
    assert realm.permissions.of("guest", "/") is None
    realm = Realm.first(Settings(), cost=FAST)
    realm.delete_vhost("/")
    assert "/" not in realm.vhosts
    assert realm.permissions.of("guest", "/") is None
