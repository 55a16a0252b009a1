from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.wire.amqp.methods import QueueDeclare
from penstock.wiring import State

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_jobs_that_are_done_are_deleted_together(world: World, client: Client) -> None:
    for _ in range(3):
        client.put()
    client.say(*["reserve"] * 3)
    assert client.say("delete 1", "delete 3", "delete 1") == "DELETED\r\nDELETED\r\nNOT_FOUND"
    assert client.stats("stats-tube default")["current-jobs-reserved"] == "1"
    assert world.queue().tally.acked == 2


@pytest.mark.parametrize("state", ["ready", "delayed", "buried"])
def test_a_job_that_nobody_has_is_deleted_or_reserved_by_its_id(client: Client, state: str) -> None:
    def stand() -> int:
        number = client.put(delay=9 if state == "delayed" else 0)
        if state == "buried":
            client.say("reserve", f"bury {number} 0")
        return number

    first, second, third = stand(), stand(), stand()
    assert client.say(f"delete {second}") == "DELETED"
    assert client.say(f"reserve-job {third}") == f"RESERVED {third} 3\r\njob"
    assert client.say(f"reserve-job {third}") == "NOT_FOUND"
    assert client.say(f"release {third} 0 0", f"reserve-job {third}", f"delete {third}").endswith("DELETED")
    assert client.stats(f"stats-job {first}")["state"] == state
    told = client.stats("stats-tube default")
    assert [told[f"current-jobs-{each}"] for each in ("ready", "delayed", "buried", "reserved")].count(
        "1"
    ) == 1


def test_a_job_that_is_reserved_by_its_id_and_released_comes_once(client: Client) -> None:
    for _ in range(3):
        client.put()
    client.say("reserve-job 2", "release 2 0 0")
    assert [client.reserve() for _ in range(4)] == [1, 2, 3, None]


def test_a_job_of_a_group_is_reserved_in_its_turn_only(world: World, client: Client) -> None:
    amqp = world.client()
    amqp.say(QueueDeclare("q"))
    client.say("use q", "watch q", "ignore default")
    amqp.publish(b"1", "q", headers={"x-group": "g"})
    amqp.publish(b"2", "q", headers={"x-group": "g"})
    amqp.publish(b"3", "q")
    assert client.say("peek-ready") == "FOUND 1 1\r\n1"
    assert client.say("reserve-job 1") == "NOT_FOUND"
    assert [client.say("reserve-with-timeout 0")[-1] for _ in range(2)] == ["1", "3"]
    assert client.say("reserve-with-timeout 0", "delete 1") == "TIMED_OUT\r\nDELETED"
    assert client.say("reserve")[-1] == "2"


def test_what_is_released_has_another_priority_or_comes_later(world: World, client: Client) -> None:
    client.put("a", pri=5)
    client.put("b", pri=5)
    assert client.say("reserve", "release 1 6 0").endswith("RELEASED")
    assert client.reserve() == 2
    assert client.say("release 2 1 3") == "RELEASED"
    assert client.reserve() == 1
    world.advance(3)
    assert client.reserve() == 2
    assert client.say("release 9 0 0") == "NOT_FOUND"


def test_what_is_buried_stays_so_until_it_is_kicked(world: World, client: Client) -> None:
    client.put()
    client.reserve()
    assert client.say("bury 1 7", "bury 1 7") == "BURIED\r\nNOT_FOUND"
    assert client.reserve() is None
    assert [reference.state for reference in world.queue().buried.values()] == [State.BURIED]


def test_who_touches_a_job_has_more_time(world: World, client: Client) -> None:
    client.put(ttr=3)
    client.reserve()
    world.advance(2)
    assert client.say("touch 1", "touch 2") == "TOUCHED\r\nNOT_FOUND"
    world.advance(2)
    assert client.say("delete 1") == "DELETED"


def test_another_ones_job_is_not_ours(client: Client, other: Client) -> None:
    client.put()
    other.reserve()
    for line in ("delete 1", "release 1 0 0", "bury 1 0", "touch 1", "reserve-job 1"):
        assert client.say(line) == "NOT_FOUND"


def test_some_tube_is_always_watched(client: Client) -> None:
    assert client.say("ignore default", "watch a", "watch a") == "NOT_IGNORED\r\nWATCHING 2\r\nWATCHING 2"
    assert (
        client.say("ignore default", "ignore default", "ignore a")
        == "WATCHING 1\r\nWATCHING 1\r\nNOT_IGNORED"
    )
    assert client.say("list-tubes-watched") == "OK 8\r\n---\n- a\n"
