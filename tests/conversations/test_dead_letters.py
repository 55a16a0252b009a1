"""Where messages go that nobody wanted, what is written on them, and how often they may be tried."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.line import beginning, until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.codec import Method
    from tests.conversations.line import Channel


class Graveyard:
    """A queue whose dead letters go to an exchange with a queue of its own."""

    def __init__(self, channel: Channel, name: str, **arguments: Any) -> None:
        self.channel = channel
        self.exchange = channel.exchange(f"{name}-dlx", "fanout")
        self.dead = channel.queue(f"{name}-dead")
        channel.bind(self.dead, self.exchange)
        extra = {f"x-{key.replace('_', '-')}": value for key, value in arguments.items()}
        self.queue = channel.queue(name, arguments={"x-dead-letter-exchange": self.exchange, **extra})

    def reject(self, *, requeue: bool = False) -> None:
        got = self.channel.get_soon(self.queue, no_ack=False)
        self.channel.send("basic.reject", delivery=got.delivery, requeue=requeue)

    def letter(self) -> Method:
        return self.channel.get_soon(self.dead)


@pytest.fixture
def graveyard(channel: Channel, name: str) -> Graveyard:
    return Graveyard(channel, name)


def deaths(letter: Method) -> list[dict[str, Any]]:
    """The letter's x-death without the times, which must be of this century."""
    found = []
    for death in letter.headers["x-death"]:
        assert abs(death["time"] - time.time()) < 3600
        found.append({key: value for key, value in death.items() if key != "time"})
    return found


def test_a_rejected_message_tells_its_death(graveyard: Graveyard, expected: Callable[[str], Any]) -> None:
    channel, queue = graveyard.channel, graveyard.queue
    channel.publish("bad", queue, headers={"mine": 1}, message_id="id")
    graveyard.reject()
    letter = graveyard.letter()
    assert (letter.body, letter.exchange, letter.key) == (b"bad", graveyard.exchange, queue)
    assert letter.redelivered is False
    assert letter.properties["message_id"] == "id"
    death = {"count": 1, "reason": "rejected", "queue": queue, "exchange": "", "routing-keys": [queue]}
    assert deaths(letter) == [death]
    told = {"exchange": "", "queue": queue, "reason": "rejected"}
    assert {key: value for key, value in letter.headers.items() if key != "x-death"} == {
        "mine": 1,
        **{f"x-{which}-death-{key}": told[key] for key in told for which in expected("last-death-headers")},
    }


def test_the_deaths_have_their_types_and_their_order(graveyard: Graveyard) -> None:
    graveyard.channel.publish("bad", graveyard.queue)
    graveyard.reject()
    tagged = graveyard.letter().tagged
    assert {name: field.tag for name, field in tagged.items() if "-last-" not in name} == {
        "x-death": "A",
        "x-first-death-exchange": "S",
        "x-first-death-queue": "S",
        "x-first-death-reason": "S",
    }
    (death,) = tagged["x-death"].value
    assert death.tag == "F"
    assert [(name, field.tag) for name, field in death.value.items()] == [
        ("count", "l"),
        ("reason", "S"),
        ("queue", "S"),
        ("time", "T"),
        ("exchange", "S"),
        ("routing-keys", "A"),
    ]


@pytest.mark.parametrize("method", ["basic.reject", "basic.nack"])
def test_refusing_in_both_ways_is_rejecting(graveyard: Graveyard, method: str) -> None:
    graveyard.channel.publish("bad", graveyard.queue)
    got = graveyard.channel.get(graveyard.queue, no_ack=False)
    graveyard.channel.send(method, delivery=got.delivery, requeue=False)
    assert deaths(graveyard.letter())[0]["reason"] == "rejected"


def test_an_expired_message_keeps_its_expiration_in_its_death(graveyard: Graveyard) -> None:
    graveyard.channel.publish("late", graveyard.queue, expiration="10")
    letter = graveyard.letter()
    # It would expire again at once, so the property is taken off.
    assert "expiration" not in letter.properties
    (death,) = deaths(letter)
    assert (death["reason"], death["original-expiration"]) == ("expired", "10")
    assert letter.headers["x-first-death-reason"] == "expired"


def test_a_message_that_expires_by_its_queue_has_no_expiration_to_keep(channel: Channel, name: str) -> None:
    graveyard = Graveyard(channel, name, message_ttl=10)
    channel.publish("late", name)
    (death,) = deaths(graveyard.letter())
    assert death["reason"] == "expired"
    assert "original-expiration" not in death


def test_the_key_may_be_the_queues(channel: Channel, name: str) -> None:
    graveyard = Graveyard(channel, name, dead_letter_routing_key="dead.key")
    channel.exchange(f"{name}-in", "topic")
    channel.bind(name, f"{name}-in", "#")
    channel.publish("bad", "first.key", exchange=f"{name}-in")
    graveyard.reject()
    letter = graveyard.letter()
    assert (letter.key, letter.exchange) == ("dead.key", graveyard.exchange)
    (death,) = deaths(letter)
    assert (death["routing-keys"], death["exchange"]) == (["first.key"], f"{name}-in")


def test_all_keys_of_a_message_are_told_but_bcc(graveyard: Graveyard) -> None:
    queue = graveyard.queue
    graveyard.channel.publish("bad", queue, headers={"CC": ["copy"], "BCC": ["secret"]})
    graveyard.reject()
    letter = graveyard.letter()
    assert deaths(letter)[0]["routing-keys"] == [queue, "copy"]
    assert letter.headers["CC"] == ["copy"]
    assert "BCC" not in letter.headers


def test_with_a_key_of_the_queue_the_copies_are_not_sent_again(
    channel: Channel, name: str, expected: Callable[[str], Any]
) -> None:
    graveyard = Graveyard(channel, name, dead_letter_routing_key="dead.key")
    channel.publish("bad", name, headers={"CC": ["copy"]})
    graveyard.reject()
    letter = graveyard.letter()
    assert ("CC" in letter.headers) == expected("cc-of-a-dead-letter")
    assert deaths(letter)[0]["routing-keys"] == [name, "copy"]


def test_the_same_death_again_is_counted(channel: Channel, name: str) -> None:
    # The way of a retry: work --rejected--> wait --expired--> work.
    wait_arguments = {
        "x-message-ttl": 10,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": name,
    }
    wait = channel.queue(f"{name}-wait", arguments=wait_arguments)
    work_arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": wait}
    channel.queue(name, arguments=work_arguments)
    channel.publish("try", name)
    for _ in range(3):
        got = channel.get_soon(name, no_ack=False)
        channel.send("basic.reject", delivery=got.delivery)
    last = channel.get_soon(name)
    # The newest death is first.
    assert [(death["queue"], death["reason"], death["count"]) for death in deaths(last)] == [
        (wait, "expired", 3),
        (name, "rejected", 3),
    ]
    assert deaths(last)[0]["routing-keys"] == [wait]
    assert last.headers["x-first-death-queue"] == name
    assert last.headers["x-first-death-reason"] == "rejected"


def test_a_circle_without_a_rejection_ends(channel: Channel, name: str) -> None:
    # A message that only expires round and round would do so for ever: it is dropped.
    first, second = f"{name}-1", f"{name}-2"
    for queue, target in [(first, second), (second, first)]:
        arguments = {
            "x-message-ttl": 10,
            "x-dead-letter-exchange": "",
            "x-dead-letter-routing-key": target,
        }
        channel.queue(queue, arguments=arguments)
    witness = channel.queue(f"{name}-witness", arguments={"x-message-ttl": 300})
    channel.publish_safely("round", first)
    until(lambda: (channel.count(first), channel.count(second)) == (0, 0), "the end of the circle")
    # It was not only on its way from one to the other.
    channel.publish_safely("witness", witness)
    channel.wait_for_count(witness, 0)
    assert (channel.count(first), channel.count(second)) == (0, 0)


def test_without_an_exchange_for_them_dead_letters_are_gone(channel: Channel, name: str) -> None:
    channel.queue(name, arguments={"x-dead-letter-exchange": f"{name}-not-there"})
    channel.publish("bad", name)
    got = channel.get(name, no_ack=False)
    channel.send("basic.reject", delivery=got.delivery)
    assert channel.is_still_open()
    assert channel.drain(name) == []


def test_a_dead_letter_keeps_the_order_of_its_brothers(graveyard: Graveyard) -> None:
    channel = graveyard.channel
    for number in range(5):
        channel.publish(str(number), graveyard.queue)
    for _ in range(5):
        got = channel.get(graveyard.queue, no_ack=False)
    channel.send("basic.nack", delivery=got.delivery, multiple=True)
    assert [graveyard.letter().body for _ in range(5)] == [b"0", b"1", b"2", b"3", b"4"]


def test_a_purged_or_deleted_queue_has_no_dead_letters(graveyard: Graveyard) -> None:
    channel = graveyard.channel
    channel.publish("purged", graveyard.queue)
    channel.call("queue.purge", queue=graveyard.queue)
    channel.publish("deleted", graveyard.queue)
    channel.call("queue.delete", queue=graveyard.queue)
    assert channel.drain(graveyard.dead) == []


def test_a_client_may_publish_a_dead_letter_again(
    graveyard: Graveyard, expected: Callable[[str], Any]
) -> None:
    channel = graveyard.channel
    channel.publish("bad", graveyard.queue)
    graveyard.reject()
    letter = graveyard.letter()
    channel.publish("again", graveyard.queue, headers=letter.tagged)
    graveyard.reject()
    again = graveyard.letter()
    assert [death["count"] for death in deaths(again)] == expected("x-death-of-a-published-message")


# How often a message may be tried


def test_a_quorum_queue_counts_deliveries(channel: Channel, name: str) -> None:
    queue = channel.quorum_queue(name)
    channel.publish_safely("again", queue)
    channel.consume(queue)
    seen = []
    for _ in range(3):
        got = channel.delivery()
        seen.append((got.redelivered, got.headers.get("x-delivery-count")))
        channel.send("basic.reject", delivery=got.delivery, requeue=True)
    assert seen == [(False, None), (True, 1), (True, 2)]
    channel.ask("queue.delete", queue=queue)


def test_a_classic_queue_does_not(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("again", queue)
    got = channel.get(queue, no_ack=False)
    channel.send("basic.reject", delivery=got.delivery, requeue=True)
    assert channel.get(queue).properties == {}


def test_after_the_last_try_a_message_is_a_dead_letter(channel: Channel, name: str) -> None:
    dead = channel.queue(f"{name}-dead")
    queue = channel.quorum_queue(
        name, delivery_limit=2, dead_letter_exchange="", dead_letter_routing_key=dead
    )
    channel.publish_safely("poison", queue)
    tries = 0
    while (got := channel.get(queue, no_ack=False)).name == "basic.get-ok":
        tries += 1
        channel.send("basic.reject", delivery=got.delivery, requeue=True)
    letter = channel.get_soon(dead)
    assert tries == 3  # the first, and two more
    (death,) = deaths(letter)
    assert (death["reason"], death["count"], death["queue"]) == ("delivery_limit", 1, queue)
    assert letter.headers["x-first-death-reason"] == "delivery_limit"
    channel.call("queue.delete", queue=queue)


def test_a_nack_and_the_limit(channel: Channel, name: str, expected: Callable[[str], Any]) -> None:
    # RabbitMQ 4.3 (rabbitmq-server#15387): a reject is a failure, a nack puts back without blame.
    queue = channel.quorum_queue(name, delivery_limit=2)
    channel.publish_safely("not its fault", queue)
    tries = 0
    while tries < 6 and (got := channel.get(queue, no_ack=False)).name == "basic.get-ok":
        tries += 1
        channel.send("basic.nack", delivery=got.delivery, requeue=True)
    assert tries == expected("nack-and-the-delivery-limit")
    channel.call("queue.delete", queue=queue)


def test_a_limit_is_for_quorum_queues(channel: Channel, name: str) -> None:
    refusal = channel.refusal("queue.declare", queue=name, arguments={"x-delivery-limit": 5})
    text = f"PRECONDITION_FAILED - invalid arg 'x-delivery-limit' for queue '{name}' in vhost '/'"
    assert beginning(refusal, text) == (406, text)
