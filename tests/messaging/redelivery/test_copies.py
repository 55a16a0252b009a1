from __future__ import annotations

from penstock.messaging import headers as names
from penstock.messaging.message import Death, Destination, Message
from penstock.messaging.redelivery import Abort, Redeliver, RedeliveryNames, Wait
from penstock.messaging.redelivery.copies import copy_for

ORB = RedeliveryNames()
REJECTED = Death(queue="orb.anchor", reason="rejected", exchange="orb", keys=("orb.anchor",), count=1, at=9.0)
EXPIRED = Death(queue="orb.wait", reason="expired", exchange="", keys=("orb.wait",), count=1, at=9.0)
MESSAGE = Message(
    body=b"{}",
    id="m1",
    type="Anchor",
    headers={
        "mine": 1,
        "x-death": [{}],
        "x-first-death-queue": "orb.anchor",
        "x-last-death-reason": "rejected",
        "x-death-error": "no such DID",
        "x-delay": 2000,
        "CC": ["x"],
        "expiration": "2000",
    },
)


def test_a_redelivered_message_forgets_its_deaths_and_remembers_its_queue() -> None:
    copy, to = copy_for(Redeliver("orb.anchor", 1), MESSAGE, [REJECTED], ORB, 1000.0)
    assert to == Destination("", "orb.anchor")
    assert (copy.id, copy.type, copy.body, copy.delay) == ("m1", "Anchor", b"{}", 0)
    assert copy.headers == {
        "mine": 1,
        "orb-queue": "orb.anchor",
        "orb-redelivery-count": "1",
        names.FIRST_FAILURE: "1000.000",
        names.LAST_FAILURE: "1000.000",
        names.EXCHANGE: "orb",
        names.KEY: "orb.anchor",
    }


def test_a_waiting_message_says_how_long() -> None:
    copy, to = copy_for(Wait("orb.anchor", 2, 4.5), MESSAGE, [REJECTED], ORB, 1000.0)
    assert to == Destination("", "orb.wait")
    assert copy.delay == 4.5
    assert (copy.headers["expiration"], copy.headers["orb-redelivery-count"]) == ("4500", "2")


def test_what_was_known_first_stays_known() -> None:
    first, _ = copy_for(Redeliver("orb.anchor", 1), MESSAGE, [REJECTED], ORB, 1000.0)
    second, _ = copy_for(Wait("orb.anchor", 1, 2.0), first, [REJECTED], ORB, 1001.0)
    third, _ = copy_for(Redeliver("orb.anchor", 2), second, [EXPIRED], ORB, 1003.0)
    assert third.headers[names.FIRST_FAILURE] == "1000.000"
    assert third.headers[names.LAST_FAILURE] == "1001.000"
    assert (third.headers[names.EXCHANGE], third.headers[names.KEY]) == ("orb", "orb.anchor")
    assert "expiration" not in third.headers
    assert third.delay == 0


def test_an_aborted_message_says_all_to_whoever_keeps_it() -> None:
    copy, to = copy_for(Abort("orb.anchor", 20, "aborted"), MESSAGE, [REJECTED], ORB, 1000.0)
    assert to == Destination("", "orb.dead-letters")
    told = {name: copy.headers[name] for name in (names.CONSUMER, names.QUEUE, names.REASON, names.ERROR)}
    assert told == {
        names.CONSUMER: "orb.anchor",
        names.QUEUE: "orb.anchor",
        names.REASON: "aborted",
        names.ERROR: "no such DID",
    }
    assert copy.headers[names.ATTEMPTS] == 21


def test_an_aborted_message_from_nowhere_has_its_reason() -> None:
    copy, _ = copy_for(Abort("", 0, "nobody knows"), Message(body=b"x", id=""), [], ORB, 1000.0)
    assert copy.headers[names.ERROR] == "nobody knows"
    assert "orb-queue" not in copy.headers
    assert copy.headers[names.FIRST_FAILURE] == "1000.000"
    assert names.LAST_FAILURE not in copy.headers
