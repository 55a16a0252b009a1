from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.server.passwords import CHEAP, hash_password
from penstock.server.permissions import Permission
from tests.server.beanstalk.talk import World

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.server.beanstalk.talk import Client

ELSEWHERE = "192.0.2.1"


def test_on_the_brokers_machine_nobody_is_asked(client: Client) -> None:
    assert client.say("list-tube-used") == "USING default"


def test_who_comes_from_elsewhere_must_say_who_it_is(world: World) -> None:
    world.access.realm.users.add("me", "my word", cost=CHEAP)
    world.access.realm.permissions.grant(
        Permission(user="me", vhost="/", configure=".*", write=".*", read=".*")
    )
    stranger = world.worker(ELSEWHERE)
    assert stranger.say("list-tube-used", "nonsense") == "NOT_AUTHENTICATED\r\nUNKNOWN_COMMAND"
    assert stranger.say("auth me wrong") == "NOT_AUTHENTICATED"
    assert stranger.say("auth me my%20word", "list-tube-used") == "AUTHENTICATED\r\nUSING default"


def test_guest_stays_on_the_brokers_machine(world: World) -> None:
    assert world.worker(ELSEWHERE).say("auth guest guest") == "NOT_AUTHENTICATED"


def test_where_guest_has_another_password_nobody_comes_in_without(world: World) -> None:
    users = world.access.realm.users
    assert world.worker().say("list-tube-used") == "USING default"
    users.put(replace(users.get("guest"), password=hash_password("another", CHEAP)))
    assert world.worker().say("list-tube-used") == "NOT_AUTHENTICATED"
    assert world.worker().say("auth guest another", "list-tube-used") == "AUTHENTICATED\r\nUSING default"
    users.delete("guest")
    assert world.worker().say("list-tube-used") == "NOT_AUTHENTICATED"


def test_a_user_without_permissions_does_not_come_in(world: World) -> None:
    world.access.realm.users.add("nobody", "nobody", cost=CHEAP)
    assert world.worker().say("auth nobody nobody", "stats") == "NOT_AUTHENTICATED\r\nNOT_AUTHENTICATED"


def test_a_user_does_what_it_may(world: World) -> None:
    world.access.realm.users.add("reader", "reader", cost=CHEAP)
    world.access.realm.permissions.grant(
        Permission(user="reader", vhost="/", configure="", write="", read="default|jobs")
    )
    owner, reader = world.worker(), world.worker()
    owner.say("use secret")
    hidden = owner.put()
    owner.say("use jobs")
    owner.put()
    reader.say("auth reader reader")
    refused = "NOT_PERMITTED"
    assert reader.say("watch jobs") == "WATCHING 2"
    assert reader.reserve() == 2
    for line in ("use jobs", "watch secret", "watch new", "stats-tube secret", "pause-tube secret 1"):
        assert reader.say(line) == refused
    for verb in ("peek", "delete", "stats-job", "reserve-job"):
        assert reader.say(f"{verb} {hidden}") == refused
    assert reader.say("put 0 0 1 1", "x") == refused
    assert reader.say("list-tubes") == "OK 21\r\n---\n- default\n- jobs\n"
    owner.say("use secret")
    owner.say("watch secret")
    owner.say(f"reserve-job {hidden}", f"bury {hidden} 0")
    assert reader.say(f"kick-job {hidden}") == refused


def test_the_first_tube_is_watched_but_brings_nothing_to_who_may_not_read_it(world: World) -> None:
    world.access.realm.users.add("other", "other", cost=CHEAP)
    world.access.realm.permissions.grant(
        Permission(user="other", vhost="/", configure="other", write="other", read="other")
    )
    owner, other = world.worker(), world.worker()
    owner.put("secret")
    other.say("auth other other")
    refused = "\r\n".join(["NOT_PERMITTED"] * 2)
    assert other.say("reserve", "reserve-with-timeout 0") == refused
    other.say("use other", "watch other")
    assert other.say("reserve-with-timeout 0") == "TIMED_OUT"
    other.say("reserve")
    owner.put("secret")
    assert other.hear() == b""
    owner.say("use other")
    owner.put("open")
    assert other.hear() == b"RESERVED 3 4\r\nopen\r\n"


def test_who_becomes_another_has_what_that_one_may_have(world: World, client: Client) -> None:
    world.access.realm.users.add("other", "other", cost=CHEAP)
    world.access.realm.permissions.grant(
        Permission(user="other", vhost="/", configure="", write="", read="nothing")
    )
    client.put("mine")
    client.put("secret")
    assert client.reserve() == 1
    assert client.say("auth other other", "reserve-with-timeout 0") == "AUTHENTICATED\r\nNOT_PERMITTED"
    # What it had in hand it can still settle.
    assert client.say("delete 1") == "DELETED"
    assert client.say("auth guest guest", "reserve") == "AUTHENTICATED\r\nRESERVED 2 6\r\nsecret"


def test_who_does_not_say_who_it_is_in_time_is_closed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path, handshake_timeout=0.1)
    stranger, local, gone = world.worker(ELSEWHERE), world.worker(), world.worker(ELSEWHERE)
    gone.hang_up()
    world.until(lambda: stranger.wire.is_over)
    assert not local.wire.is_over
    assert caplog.text.count("it has not said who it is") == 1
    world.close()
