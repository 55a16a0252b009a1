from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.beanstalk import jobs
from penstock.server.beanstalk.jobs import Jobs
from penstock.wire.amqp.methods import BasicAck, BasicConsume, BasicDeliver, QueueDeclare

if TYPE_CHECKING:
    import pytest

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


def test_what_amqp_has_settled_is_forgotten_in_time(
    world: World, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.beanstalk.jobs, "_sweep_at", 12)
    for _ in range(12):
        client.put()
    amqp = world.client()
    heard = amqp.say(BasicConsume("default"))
    tags = [each.method.delivery_tag for each in heard if isinstance(each.method, BasicDeliver)]
    amqp.say(BasicAck(tags[-1], multiple=True))
    assert client.say("peek 1") == "NOT_FOUND"
    client.put()
    assert repr(world.beanstalk.jobs) == "<Jobs 1, the last is 13>"


def test_what_amqp_has_in_hand_is_not_ours_to_touch(world: World, client: Client) -> None:
    client.put()
    world.client().say(BasicConsume("default"))
    for line in ("delete 1", "touch 1", "reserve-job 1", "kick-job 1", "bury 1 0"):
        assert client.say(line) == "NOT_FOUND"
    assert client.say("peek 1") == "FOUND 1 3\r\njob"
