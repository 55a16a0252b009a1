from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wire.amqp.methods import BasicConsume

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_who_waits_gets_the_next(client: Client, other: Client) -> None:
    assert other.say("reserve") == ""
    assert client.say("put 0 0 60 1", "x") == "INSERTED 1"
    assert other.hear() == b"RESERVED 1 1\r\nx\r\n"
    client.put()
    assert other.hear() == b""


def test_who_waited_first_comes_first(world: World, client: Client, other: Client) -> None:
    third = world.worker()
    other.say("reserve")
    third.say("reserve")
    assert client.say("put 0 0 60 1", "x", "reserve-with-timeout 0") == "INSERTED 1\r\nTIMED_OUT"
    assert other.hear() == b"RESERVED 1 1\r\nx\r\n"
    client.put("y")
    assert third.hear() == b"RESERVED 2 1\r\ny\r\n"


def test_several_can_be_asked_for_at_once(world: World, client: Client, other: Client) -> None:
    client.put("a")
    client.put("b")
    assert other.say(*["reserve"] * 3, "list-tube-used") == "RESERVED 1 1\r\na\r\nRESERVED 2 1\r\nb"
    client.put("c")
    assert other.hear() == b"RESERVED 3 1\r\nc\r\nUSING default\r\n"
    assert repr(other.session.reserving).startswith("<Reserving from default, 0 waited for")


def test_nobody_waits_longer_than_it_wants_to(world: World, client: Client) -> None:
    assert client.say("reserve-with-timeout 3", "reserve-with-timeout 3", "list-tube-used") == ""
    world.advance(2.5)
    assert client.hear() == b""
    world.advance(1)
    assert client.hear() == b"TIMED_OUT\r\n"
    world.advance(3)
    assert client.hear() == b"TIMED_OUT\r\nUSING default\r\n"


def test_who_has_a_job_that_is_about_to_time_out_is_told(world: World, client: Client, other: Client) -> None:
    client.put(ttr=5)
    client.reserve()
    assert client.say("reserve") == ""
    world.advance(3.9)
    assert client.hear() == b""
    world.advance(0.2)
    assert client.hear() == b"DEADLINE_SOON\r\n"
    assert client.say("reserve", "reserve-with-timeout 0") == "DEADLINE_SOON\r\nDEADLINE_SOON"
    # But if there is one to be had it has that.
    other.put("x")
    assert client.say("reserve") == "RESERVED 2 1\r\nx"
    client.say("touch 1", "reserve-with-timeout 9")
    world.advance(1)
    assert client.hear() == b""


def test_a_job_that_timed_out_is_for_others(world: World, client: Client, other: Client) -> None:
    client.put("x", ttr=2)
    client.reserve()
    other.say("reserve")
    world.advance(3)
    assert other.hear() == b"RESERVED 1 1\r\nx\r\n"
    assert client.say("delete 1") == "NOT_FOUND"
    assert client.say("touch 1") == "NOT_FOUND"


def test_who_hangs_up_waits_no_more(client: Client, other: Client) -> None:
    other.say("reserve")
    other.hang_up()
    client.put()
    assert client.reserve() == 1


def test_what_was_in_hand_of_who_hangs_up_is_ready(client: Client, other: Client) -> None:
    client.put()
    other.reserve()
    other.hang_up()
    told = client.stats("stats-job 1")
    assert (told["state"], told["timeouts"], told["releases"], told["reserves"]) == ("ready", "0", "0", "1")


def test_beside_amqps_consumers_jobs_go_round(world: World, client: Client) -> None:
    amqp = world.client()
    amqp.say(BasicConsume("default", no_ack=True))
    worker = world.worker()
    worker.say("reserve", "reserve")
    for _ in range(4):
        client.put()
    assert (len(amqp.hear()), worker.hear().count(b"RESERVED")) in ((2, 2), (3, 1))
