from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.beanstalk.verbs.table import RUNS, VERBS
from penstock.wire.amqp.methods import QueueDeclare
from penstock.wire.beanstalk import Verb

if TYPE_CHECKING:
    from tests.server.beanstalk.talk import Client, World


def test_every_verb_is_done() -> None:
    assert {*RUNS, *VERBS} == set(Verb)


def test_jobs_of_a_read_are_answered_one_by_one(client: Client) -> None:
    said = client.say("put 0 0 60 1", "x", "put 0 0 60 1", "xyz", "put 5 0 60 0", "")
    assert said == "INSERTED 1\r\nEXPECTED_CRLF\r\nUNKNOWN_COMMAND\r\nINSERTED 3"


def test_a_job_is_too_big_or_as_big_as_can_be(client: Client) -> None:
    assert client.say("put 0 0 60 65536", "x" * 65536) == "JOB_TOO_BIG"
    assert client.put("x" * 65535) == 1


def test_a_queue_that_is_full_and_says_so_takes_no_job(world: World, client: Client) -> None:
    world.client().say(QueueDeclare("q", arguments={"x-max-length": 1, "x-overflow": "reject-publish"}))
    client.say("use q")
    assert client.say("put 0 0 60 1", "x", "put 0 0 60 1", "x") == "INSERTED 1\r\nOUT_OF_MEMORY"


def test_jobs_go_where_they_are_told(client: Client) -> None:
    assert client.say("use a") == "USING a"
    client.put()
    assert client.say("list-tube-used", "peek-ready") == "USING a\r\nFOUND 1 3\r\njob"


def test_in_a_durable_queue_with_a_window_what_is_behind_it_is_known_when_it_comes(durable: World) -> None:
    durable.host.window = 16
    durable.client().say(QueueDeclare("q", durable=True))
    client = durable.worker()
    client.say("use q", "watch q", "ignore default")
    for _ in range(40):
        client.say("put 0 0 60 1", "x")
    durable.until(lambda: not durable.broker.unwritten)
    assert client.say("peek 40") == "NOT_FOUND"
    taken = [client.reserve() for _ in range(40)]
    assert taken == list(range(1, 41))
    assert client.say("peek 40") == "FOUND 40 1\r\nx"
