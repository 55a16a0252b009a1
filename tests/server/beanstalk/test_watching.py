from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wire.amqp.methods import BasicConsume, QueueDelete

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_of_several_tubes_the_most_urgent_job_comes_and_then_the_first(client: Client) -> None:
    for tube, pri in (("a", 5), ("b", 4), ("a", 4), ("c", 5)):
        client.say(f"use {tube}")
        client.put(pri=pri)
    client.say("watch a", "watch b", "watch c")
    assert [client.reserve() for _ in range(5)] == [2, 3, 1, 4, None]


def test_a_tube_that_is_ignored_brings_nothing(client: Client, other: Client) -> None:
    other.say("watch a", "reserve-with-timeout 0", "ignore default", "reserve")
    client.put()
    assert other.hear() == b""


def test_a_queue_that_amqp_keeps_for_one_consumer_brings_nothing(world: World, client: Client) -> None:
    client.say("use a")
    world.client().say(BasicConsume("a", exclusive=True))
    world.queue("a").pause(float("inf"))
    client.put()
    client.say("watch a")
    assert client.say("reserve-with-timeout 0") == "TIMED_OUT"


def test_who_waits_at_a_tube_that_amqp_deletes_waits_at_the_next_of_that_name(
    world: World, client: Client, other: Client
) -> None:
    other.say("watch a", "reserve")
    world.client().say(QueueDelete("a"))
    client.say("use a")
    client.put("x")
    assert other.hear() == b"RESERVED 1 1\r\nx\r\n"
