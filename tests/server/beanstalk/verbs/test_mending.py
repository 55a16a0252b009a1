from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_the_buried_are_kicked_before_the_delayed(client: Client) -> None:
    client.put(delay=9)
    for _ in range(3):
        client.put()
        client.reserve()
    client.say("bury 3 0", "bury 2 0", "bury 4 0")
    assert client.say("kick 2") == "KICKED 2"
    assert [client.reserve(), client.reserve(), client.reserve()] == [2, 3, None]
    assert client.say("kick 9", "kick 9", "kick 9") == "KICKED 1\r\nKICKED 1\r\nKICKED 0"
    assert [client.reserve(), client.reserve()] == [1, 4]


def test_one_is_kicked_by_itself(client: Client) -> None:
    client.put(delay=9)
    client.put()
    assert client.say("kick-job 1", "kick-job 1", "kick-job 2", "kick-job 3") == (
        "KICKED\r\nNOT_FOUND\r\nNOT_FOUND\r\nNOT_FOUND"
    )


def test_a_million_delayed_need_not_be_sorted_to_kick_one(client: Client) -> None:
    client.put(delay=9)
    client.put(delay=5)
    client.put(delay=7)
    assert client.say("kick 1", "peek-delayed") == "KICKED 1\r\nFOUND 3 3\r\njob"
    assert client.reserve() == 2


def test_a_paused_tube_gives_nothing_for_a_while(world: World, client: Client, other: Client) -> None:
    client.put()
    assert client.say("pause-tube default 5", "pause-tube nonesuch 5") == "PAUSED\r\nNOT_FOUND"
    assert other.say("reserve-with-timeout 9") == ""
    world.advance(4)
    assert other.hear() == b""
    world.advance(1.1)
    assert other.hear() == b"RESERVED 1 3\r\njob\r\n"


def test_a_pause_of_no_time_ends_a_longer_one(world: World, client: Client, other: Client) -> None:
    client.say("pause-tube default 60")
    client.put()
    other.say("reserve")
    client.say("pause-tube default 0")
    world.advance(0.001)
    assert other.hear() == b"RESERVED 1 3\r\njob\r\n"
    assert client.stats("stats-tube default")["pause"] == "0"
