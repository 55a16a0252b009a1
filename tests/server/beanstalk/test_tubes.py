from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.wire.amqp.methods import (
    BasicConsume,
    BasicGet,
    BasicReject,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
)
from tests.server.beanstalk.talk import World

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.beanstalk.talk import Client


def test_a_tube_is_there_while_somebody_needs_it(world: World, client: Client, other: Client) -> None:
    client.say("use a")
    other.say("watch a")
    client.put()
    tubes = world.beanstalk.tubes
    assert list(tubes) == ["default", "a"]
    client.say("use default")
    assert other.say("reserve") == "RESERVED 1 3\r\njob"
    other.say("ignore a")
    assert "a" in list(tubes)  # a job of it is in hand
    other.say("delete 1")
    client.say("use a", "use default")
    assert list(tubes) == ["default"]
    assert repr(tubes) == "<Tubes 'default'>"


def test_a_tube_with_the_last_job_deleted_goes(world: World, client: Client) -> None:
    client.say("use a")
    client.put()
    client.say("use b")
    assert len(world.beanstalk.tubes) == 3
    client.say("delete 1")
    assert list(world.beanstalk.tubes) == ["default", "b"]
    client.hang_up()
    assert list(world.beanstalk.tubes) == ["default"]


def test_a_queue_that_amqp_declared_is_a_tube_and_stays(world: World, client: Client) -> None:
    amqp = world.client()
    amqp.say(QueueDeclare("q"))
    client.say("use q", "watch q", "ignore q", "use default")
    assert "q" in list(world.beanstalk.tubes)
    # What AMQP alone can name is none.
    amqp.say(QueueDeclare("q:1"), QueueDeclare("mine", exclusive=True))
    assert list(world.beanstalk.tubes) == ["default", "q"]
    assert client.say("use mine") == "NOT_PERMITTED"
    assert client.say("stats-tube mine") == "NOT_FOUND"
    assert client.say("use amq.gen") == "NOT_PERMITTED"


def test_a_job_is_consumed_over_amqp_with_priority_and_lease(world: World, client: Client) -> None:
    client.put("late", pri=9)
    client.put("soon", pri=3, ttr=5)
    amqp = world.client()
    assert amqp.ask(QueueDeclare("default", passive=True)) == QueueDeclareOk("default", 2, 0)
    first, second = (amqp.say(BasicGet("default"))[0] for _ in range(2))
    assert (first.body, second.body) == (b"soon", b"late")
    assert first.headers == {"x-job-id": 2, "x-ttr": 5}
    world.advance(6)
    assert client.say("stats-job 2").splitlines()[4] == "state: ready"
    assert client.stats("stats-job 2")["timeouts"] == "1"
    assert client.stats("stats-job 1")["state"] == "reserved"
    amqp.say(BasicReject(2, requeue=True))
    assert amqp.say(BasicConsume("default"))[-1].body == b"late"


def test_a_message_is_reserved_over_beanstalk_with_priority_delay_and_lease(
    world: World, client: Client
) -> None:
    client.say("watch jobs", "use jobs")
    amqp = world.client()
    amqp.publish(b"usual", "jobs")
    amqp.publish(b"urgent", "jobs", priority=9, headers={"x-ttr": 7})
    amqp.publish(b"late", "jobs", headers={"x-delay": 5000})
    assert client.say("reserve") == "RESERVED 1 6\r\nurgent"
    assert client.stats("stats-job 1")["ttr"] == "7"
    assert client.stats("stats-job 1")["pri"] == "246"
    assert client.say("reserve").endswith("usual")
    assert client.stats("stats-job 2")["ttr"] == "60"
    assert client.say("peek-delayed").endswith("late")
    assert client.say("reserve-with-timeout 0") == "TIMED_OUT"
    world.advance(5)
    assert client.say("reserve-with-timeout 0").endswith("late")


def test_a_tube_that_amqp_deletes_is_there_again(world: World, client: Client, other: Client) -> None:
    client.say("use a")
    other.say("watch a", "ignore default", "reserve")
    world.client().say(QueueDelete("a"))
    client.put()
    assert other.hear() == b"RESERVED 1 3\r\njob\r\n"
    world.client().say(QueueDelete("a"))
    assert other.say("reserve-with-timeout 0") == "TIMED_OUT"


@pytest.fixture
def small(tmp_path: Path) -> World:
    return World(tmp_path, max_queues=2)


def test_there_are_only_so_many(small: World) -> None:
    client = small.worker()
    assert client.say("use a") == "USING a"
    assert client.say("watch b") == "OUT_OF_MEMORY"
    assert client.say("list-tubes-watched") == "OK 14\r\n---\n- default\n"
    small.close()


def test_a_tube_that_somebody_else_has_taken_for_itself_is_closed_to_all(
    world: World, client: Client, other: Client
) -> None:
    client.say("use a")
    other.say("watch a", "ignore default")
    amqp = world.client()
    amqp.say(QueueDelete("a"), QueueDeclare("a", exclusive=True))
    assert client.say("put 0 0 60 1", "x") == "OUT_OF_MEMORY"
    assert other.say("reserve-with-timeout 0") == "TIMED_OUT"
    assert client.say("stats-tube a") == "NOT_FOUND"
    other.say("reserve")
    amqp.say(QueueDelete("a"))
    assert client.say("put 0 0 60 1", "x") == "INSERTED 1"


PIPE = QueueDeclare("a", arguments={"x-expires": 300_000, "x-max-length": 9})


def test_a_tube_that_is_only_used_and_watched_becomes_what_amqp_declares(
    world: World, client: Client, other: Client
) -> None:
    client.say("use a")
    other.say("watch a", "reserve")
    amqp = world.client()
    assert isinstance(amqp.ask(PIPE), QueueDeclareOk)
    assert world.queue("a").template.max_length == 9
    assert isinstance(amqp.ask(PIPE), QueueDeclareOk)
    client.put("x")
    assert other.hear() == b"RESERVED 1 1\r\nx\r\n"
    assert client.stats("stats-tube a")["current-watching"] == "1"


def test_a_tube_that_holds_or_serves_something_stays_as_it_is(world: World, client: Client) -> None:
    client.say("use a")
    client.put(delay=9)
    assert world.client().refused(PIPE)[0] == 406
    client.say("delete 1")
    amqp = world.client()
    amqp.say(BasicConsume("a"))
    assert world.client().refused(PIPE)[0] == 406
    world.run(amqp.wire.close)
    assert isinstance(world.client().ask(PIPE), QueueDeclareOk)


def test_who_asks_again_and_again_keeps_a_queue_that_would_expire(world: World, client: Client) -> None:
    world.client().say(PIPE)
    client.say("watch a")
    for _ in range(4):
        world.advance(200)
        assert client.say("reserve-with-timeout 0") == "TIMED_OUT"
    assert not world.queue("a").destroyed
    client.say("watch b")  # that alone is no life
    world.advance(301)
    assert ("", "a") not in world.host.wiring.queues
