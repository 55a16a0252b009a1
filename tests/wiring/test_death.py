"""Deaths: the history a dead letter carries, and RabbitMQ's rule for cutting cycles."""

from __future__ import annotations

import pytest

from penstock.wiring import DeadLetters, Message, Overflow, Terms, Wiring
from penstock.wiring.death import Death, Reason, bury_with, is_cycle
from tests.wiring.support import add_home, add_queue, consume, deliver, ready, send, wired


def died(queue: str, reason: Reason = Reason.EXPIRED) -> Death:
    return Death(queue=queue, reason=reason, proxy="", destinations=(), first_at=0.0, last_at=0.0)


# The history


def test_a_first_death_tells_where_when_and_why() -> None:
    message = Message(b"", "orders", terms=Terms(also=("copies",), expires_in=60.0))
    message.proxy = "names"
    (death,) = bury_with(message, "q", Reason.REJECTED, 7.0, "no such customer")
    assert death == Death(
        queue="q",
        reason=Reason.REJECTED,
        proxy="names",
        destinations=("orders", "copies"),
        count=1,
        first_at=7.0,
        last_at=7.0,
        error="no such customer",
        expires_in=60.0,
    )
    assert message.deaths == ()  # it belongs to the letter


def test_the_same_death_again_is_counted_and_comes_first() -> None:
    message = Message(b"", deaths=(died("b"), died("a"), died("a", Reason.REJECTED)))
    latest, *before = bury_with(message, "a", Reason.EXPIRED, 7.0, None)
    assert (latest.queue, latest.reason, latest.count) == ("a", Reason.EXPIRED, 2)
    assert (latest.first_at, latest.last_at) == (0.0, 7.0)
    assert before == [died("b"), died("a", Reason.REJECTED)]


def test_another_reason_or_another_queue_is_another_death() -> None:
    message = Message(b"", deaths=(died("a"),))
    assert len(bury_with(message, "a", Reason.OVER_LENGTH, 1.0, None)) == 2
    assert len(bury_with(message, "b", Reason.EXPIRED, 1.0, None)) == 2


def test_the_last_error_is_kept() -> None:
    message = Message(b"", "x")
    for error, kept in (("first", "first"), (None, "first"), ("last", "last")):
        message.deaths = bury_with(message, "a", Reason.REJECTED, 1.0, error)
        assert message.deaths[0].error == kept


# Cycles


@pytest.mark.parametrize(
    ("deaths", "cycle"),
    [
        ([], False),
        ([died("other")], False),  # never here before
        ([died("q")], True),  # round by itself at once
        ([died("b"), died("a"), died("q")], True),  # a long way round
        ([died("b", Reason.REJECTED), died("q")], False),  # somebody's retry
        ([died("q", Reason.REJECTED)], False),
        ([died("q"), died("b", Reason.REJECTED)], True),  # rejected, but before it was here last
        ([died("b", Reason.OVER_LENGTH), died("q", Reason.TOO_MANY_DELIVERIES)], True),
    ],
)
def test_a_letter_goes_round_by_itself_if_no_client_rejected_it(deaths: list[Death], cycle: object) -> None:
    assert is_cycle("q", tuple(deaths)) is cycle


# The four reasons, through a queue


def home_of_the_dead(**template: object) -> Wiring:
    wiring, _ = wired(dead_letters=DeadLetters("dead"), **template)
    add_home(wiring)
    return wiring


def letters(wiring: Wiring) -> list[Death]:
    deliver(wiring, 9.0)
    return [found.message.deaths[0] for found in wiring.queue("dead").peek()]


def test_rejected() -> None:
    wiring = home_of_the_dead()
    consumer = consume(wiring, wiring.queue("q"))
    send(wiring, "x")
    deliver(wiring)
    consumer.ledger.reject(1, 3.0, error="bad order")
    (death,) = letters(wiring)
    assert (death.reason, death.queue, death.proxy, death.error) == (
        Reason.REJECTED,
        "q",
        "names",
        "bad order",
    )


def test_expired() -> None:
    wiring = home_of_the_dead(expires_in=5.0)
    send(wiring, "x")
    wiring.tick(5.0)
    (death,) = letters(wiring)
    assert (death.reason, death.queue, death.first_at, death.destinations) == (
        Reason.EXPIRED,
        "q",
        5.0,
        ("q",),
    )


@pytest.mark.parametrize(
    ("overflow", "dead"), [(Overflow.DROP_HEAD, "first"), (Overflow.DEAD_LETTER, "second")]
)
def test_over_length(overflow: Overflow, dead: str) -> None:
    wiring = home_of_the_dead(max_length=1, overflow=overflow)
    send(wiring, "first", "second")
    (death,) = letters(wiring)
    assert (death.reason, death.queue) == (Reason.OVER_LENGTH, "q")
    assert ready(wiring.queue("dead")) == [dead]


def test_too_many_deliveries() -> None:
    wiring = home_of_the_dead(delivery_limit=2)
    consumer = consume(wiring, wiring.queue("q"))
    send(wiring, "x")
    for attempt in (1, 2, 3):
        assert len(deliver(wiring)) == 1
        consumer.ledger.reject(attempt, 3.0, requeue=True, error=f"attempt {attempt}")
    (death,) = letters(wiring)
    assert (death.reason, death.queue, death.error) == (Reason.TOO_MANY_DELIVERIES, "q", "attempt 3")


def test_the_words_are_rabbitmqs() -> None:
    assert [reason.value for reason in Reason] == ["rejected", "expired", "maxlen", "delivery_limit"]


# Letters on their way


@pytest.mark.parametrize(("destination", "arrives"), [(None, "q"), ("graves", "graves")])
def test_a_letter_keeps_its_destination_unless_the_home_has_one(
    destination: str | None, arrives: str
) -> None:
    wiring, _ = wired(dead_letters=DeadLetters("letters", destination), expires_in=1.0)
    wiring.create_proxy("letters", "DEST-NAME")
    graves = wiring.create_queue("graves", now=0.0)
    for pattern in ("q", "graves"):
        wiring.register(graves, "letters", pattern)
    send(wiring, "x")
    wiring.tick(1.0)
    (letter,) = graves.peek()
    assert (letter.message.destination, letter.message.proxy) == (arrives, "letters")


def test_a_message_that_dies_in_two_queues_leaves_two_letters() -> None:
    wiring = home_of_the_dead(expires_in=1.0)
    other = wiring.create_queue("other", expires_in=2.0, dead_letters=DeadLetters("dead"), now=0.0)
    wiring.register(other, "names", "q")
    (message,) = send(wiring, "x")
    wiring.tick(1.0)
    assert message.references == 1
    wiring.tick(2.0)
    assert message.references == 0
    assert [death.queue for death in letters(wiring)] == ["q", "other"]


def test_a_retry_through_a_delay_queue_goes_on_for_ever_and_is_counted() -> None:
    # Given a queue whose rejected messages wait in another, and come back when they expire there
    wiring, queue = wired(dead_letters=DeadLetters("names", "later"))
    add_queue(wiring, "later", expires_in=10.0, dead_letters=DeadLetters("names", "q"))
    consumer = consume(wiring, queue, "c")
    send(wiring, "x")
    # When it is rejected again and again
    for attempt in range(1, 6):
        now = attempt * 10.0
        assert deliver(wiring, now) == [("c", "x")]
        consumer.ledger.reject(attempt, now, error=f"attempt {attempt}")
        deliver(wiring, now)
        wiring.tick(now + 10.0)
    # Then it is still there, with both deaths counted
    (found,) = queue.peek()
    told = [(death.queue, death.reason, death.count, death.error) for death in found.message.deaths]
    assert told == [("later", Reason.EXPIRED, 5, None), ("q", Reason.REJECTED, 5, "attempt 5")]


@pytest.mark.parametrize("overflow", [Overflow.DROP_HEAD, Overflow.DEAD_LETTER])
def test_queues_without_room_that_are_each_others_home_do_not_play_ball_for_ever(overflow: Overflow) -> None:
    wiring, _ = wired(max_length=0, overflow=overflow, dead_letters=DeadLetters("names", "b"))
    add_queue(wiring, "b", max_length=0, overflow=overflow, dead_letters=DeadLetters("names", "q"))
    (message,) = send(wiring, "ball")
    assert deliver(wiring) == []
    assert (message.references, wiring.dropped["cycle"]) == (0, 1)
    assert [queue.ready for queue in wiring.queues.values()] == [0, 0]


def test_a_queue_that_is_its_own_home_drops_what_expires_and_keeps_what_is_rejected() -> None:
    wiring, queue = wired(expires_in=5.0, dead_letters=DeadLetters("names"))
    consumer = consume(wiring, queue, "c")
    send(wiring, "x")
    deliver(wiring)
    consumer.ledger.flowing = False
    consumer.ledger.reject(1, 1.0)
    deliver(wiring, 1.0)
    assert ready(queue) == ["x"]
    wiring.tick(6.0)
    assert (ready(queue), wiring.dropped["cycle"]) == ([], 1)


@pytest.mark.parametrize(
    ("home", "counted"),
    [(None, "expired"), (DeadLetters("nowhere"), "expired"), (DeadLetters("names", "nobody"), "unroutable")],
)
def test_letters_without_a_home_are_dropped_and_counted(home: DeadLetters | None, counted: str) -> None:
    wiring, _ = wired(expires_in=1.0, dead_letters=home)
    (message,) = send(wiring, "x")
    wiring.tick(1.0)
    assert (message.references, +wiring.dropped) == (0, {counted: 1})


def test_a_home_without_room_refuses_a_letter_and_it_is_counted() -> None:
    wiring, _ = wired(expires_in=1.0, dead_letters=DeadLetters("names", "full"))
    add_queue(wiring, "full", max_length=0, overflow=Overflow.REJECT_PUBLISH)
    (message,) = send(wiring, "x")
    wiring.tick(1.0)
    assert (message.references, +wiring.dropped) == (0, {"refused": 1})
