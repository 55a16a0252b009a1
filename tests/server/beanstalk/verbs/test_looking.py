from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_the_next_of_each_state_is_shown(client: Client) -> None:
    for line in ("peek-ready", "peek-delayed", "peek-buried", "peek 1"):
        assert client.say(line) == "NOT_FOUND"
    client.put("buried")
    client.reserve()
    client.say("bury 1 0")
    client.put("late", delay=9)
    client.put("soon", delay=5)
    client.put("less", pri=5)
    client.put("most", pri=4)
    assert client.say("peek-ready") == "FOUND 5 4\r\nmost"
    assert client.say("peek-delayed") == "FOUND 3 4\r\nsoon"
    assert client.say("peek-buried") == "FOUND 1 6\r\nburied"
    assert client.say("peek 2") == "FOUND 2 4\r\nlate"
    client.say("use a")
    assert client.say("peek-ready", "peek 2") == "NOT_FOUND\r\nFOUND 2 4\r\nlate"


def test_what_is_due_is_ready_whether_or_not_anybody_waits(world: World, client: Client) -> None:
    client.put(delay=3)
    world.clock.advance(0)
    world.clock._now += 3  # the broker's own alarm has not rung yet
    assert client.say("peek-delayed", "peek-ready") == "NOT_FOUND\r\nFOUND 1 3\r\njob"


def test_what_is_not_there_has_no_statistics(client: Client) -> None:
    assert client.say("stats-job 1", "stats-tube a") == "NOT_FOUND\r\nNOT_FOUND"


def test_tubes_are_listed(client: Client) -> None:
    client.say("use a", "watch b")
    assert client.say("list-tubes") == "OK 22\r\n---\n- default\n- a\n- b\n"
    assert client.say("list-tube-used") == "USING a"
    assert client.say("list-tubes-watched") == "OK 18\r\n---\n- default\n- b\n"
