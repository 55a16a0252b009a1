from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.server.beanstalk import jobs
from penstock.server.beanstalk.jobs import Jobs
from penstock.wire.amqp.methods import BasicConsume, QueueDeclare

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_ids_rise_over_all_tubes(client: Client, other: Client) -> None:
    other.say("use a")
    assert [client.put(), other.put(), client.put()] == [1, 2, 3]


def test_ids_go_on_after_those_that_were_written_down(world: World, client: Client) -> None:
    client.put()
    assert Jobs(world.host).last == 1 + jobs.AHEAD
    world.beanstalk.jobs.close()
    assert Jobs(world.host).last == 1
    world.beanstalk.jobs.close()


def test_a_message_that_came_by_amqp_gets_an_id_when_it_is_seen(world: World, client: Client) -> None:
    amqp = world.client()
    amqp.say(QueueDeclare("q"))
    amqp.publish(b"hello", "q")
    client.say("watch q")
    client.say("use q")
    assert client.say("peek-ready") == "FOUND 1 5\r\nhello"
    assert client.say("stats-job 1").count("\n") == 16
    assert client.say("reserve") == "RESERVED 1 5\r\nhello"
    assert client.say("release 1 0 0", "peek 1") == "RELEASED\r\nFOUND 1 5\r\nhello"
    assert client.say("delete 1", "peek 1") == "DELETED\r\nNOT_FOUND"


@pytest.mark.parametrize(("size", "most"), [(1, 300), (60_000, 4)])
def test_what_amqp_has_settled_is_forgotten_before_it_weighs_much(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch, size: int, most: int
) -> None:
    monkeypatch.setattr(jobs, "LITTLE", 300 * (jobs.ENTRY + 1))
    world.beanstalk.jobs._sweep_at = jobs.LITTLE
    amqp = world.client()
    amqp.say(QueueDeclare("default"), BasicConsume("default", no_ack=True))
    for _ in range(301):
        client.put("x" * size)
        assert len(world.beanstalk.jobs.by_id) <= most
    assert repr(world.beanstalk.jobs).endswith("the last is 301>")


def test_what_is_there_is_looked_through_the_less_the_more_it_is(
    client: Client, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "LITTLE", 2 * jobs.ENTRY)
    world.beanstalk.jobs._sweep_at = jobs.LITTLE
    looks: list[int] = []
    sweep = Jobs._sweep

    def look(self: Jobs) -> None:
        looks.append(len(self.by_id))
        sweep(self)

    monkeypatch.setattr(Jobs, "_sweep", look)
    for _ in range(100):
        client.put()
    assert len(looks) < 10
    assert len(world.beanstalk.jobs.by_id) == 100


def test_what_amqp_has_in_hand_is_not_ours_to_touch(world: World, client: Client) -> None:
    client.put()
    world.client().say(BasicConsume("default"))
    for line in ("delete 1", "touch 1", "reserve-job 1", "kick-job 1", "bury 1 0"):
        assert client.say(line) == "NOT_FOUND"
    assert client.say("peek 1") == "FOUND 1 3\r\njob"
