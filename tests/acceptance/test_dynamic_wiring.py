"""The reconstructions of "Dynamic Wiring", told as it tells them."""

from __future__ import annotations

import pytest

from penstock.errors import UnknownQueue
from penstock.wiring import DeadLetters, DefaultRegistration, Defaults, Message, Queue, Template, Wiring


def bodies(queue: Queue) -> list[bytes]:
    return [bytes(reference.message.body) for reference in queue.peek()]


def test_store_and_forward() -> None:
    # We create a dest-name proxy called "queue".
    wiring = Wiring()
    wiring.create_proxy("queue", "DEST-NAME")
    # We agree that queue names are equal to the destination name placed in each message, create a
    # set of queues and register these with the "queue" proxy.
    for name in ("invoices", "letters"):
        wiring.register(wiring.create_queue(name, namespace="queue", now=0.0), "queue", name)
    # Publishers send their messages to the "queue" proxy, specifying a destination with each message.
    wiring.publish(
        "queue", [Message(b"1", "invoices"), Message(b"2", "letters"), Message(b"3", "invoices")], 0
    )
    # Consumers get their messages from each named queue.
    ledger = wiring.connect("bookkeeper").open_ledger()
    wiring.consume(ledger, wiring.queue("invoices", "queue"), "bookkeeper", now=0.0)
    (delivery,) = wiring.deliver(0)
    assert [bytes(reference.message.body) for reference in delivery.references] == [b"1", b"3"]
    assert ledger.ack(delivery.first_tag + 1, up_to=True) == 2
    assert bodies(wiring.queue("letters", "queue")) == [b"2"]


def test_topics_and_subscriptions() -> None:
    # We create a dest-wild proxy called "topic", and one queue per subscription.
    wiring = Wiring()
    wiring.create_proxy("topic", "DEST-WILD")
    interests = {"dollar": "FOREX.*.USD", "currencies": "FOREX.#", "everything": "#"}
    for name, pattern in interests.items():
        wiring.register(wiring.create_queue(name, namespace="subscription", now=0.0), "topic", pattern)
    # Publishers send their messages to the "topic" proxy; it passes them to all queues that match.
    topics = ["FOREX.EUR.USD", "FOREX.EUR.CHF", "WEATHER"]
    wiring.publish("topic", [Message(topic.encode(), topic) for topic in topics], 0)
    assert {name: len(bodies(wiring.queue(name, "subscription"))) for name in interests} == {
        "dollar": 1,
        "currencies": 2,
        "everything": 3,
    }


def test_temporary_destinations() -> None:
    # A temporary queue is a queue created by a client, and flagged to go when the client disconnects.
    wiring = Wiring()
    wiring.create_proxy("queue", "DEST-NAME")
    client = wiring.connect("client")
    reply = wiring.create_queue(private_to=client, now=0.0)
    wiring.register(reply, "queue", reply.name)
    # Somebody answers to the name the server assigned.
    assert not wiring.publish("queue", [Message(b"answer", reply.name)], 0).unroutable
    assert bodies(reply) == [b"answer"]
    # The client disconnects, and its queue is gone with its registration.
    wiring.disconnect(client, 0)
    with pytest.raises(UnknownQueue):
        wiring.queue(reply.name)
    late = Message(b"late", reply.name)
    assert wiring.publish("queue", [late], 0).unroutable == [late]


def test_several_levels_of_proxies_before_a_queue() -> None:
    # dest-name → prop-test → lossy → queue, as the document draws it.
    wiring = Wiring()
    wiring.create_proxy("dest-name", "DEST-NAME")
    wiring.create_proxy("prop-name", "PROP-TEST")
    wiring.create_proxy("lossy", "LOSSY", drop=0.5, seed=7)
    queue = wiring.create_queue("queue", now=0.0)
    for destination in ("X", "Y", "Z"):
        wiring.register(queue, "dest-name", destination)
    wiring.stack(queue, "prop-name", {"ABC": None})
    wiring.stack(queue, "lossy")
    # 300 messages to each destination, 100 of them with property ABC.
    for destination in ("X", "Y", "Z", "elsewhere"):
        with_it = [Message(b"with", destination, {"ABC": 1}) for _ in range(100)]
        without = [Message(b"without", destination) for _ in range(200)]
        wiring.publish("dest-name", with_it + without, 0)
    # Of the 300 that pass the first two levels, about half are left; none of the others.
    assert set(bodies(queue)) == {b"with"}
    assert 100 < queue.ready < 200


def test_on_demand_wiring_in_three_layers() -> None:
    # 1: the proxy classes, in software. 2: predefined proxies and templates, in the configuration.
    defaults = Defaults.from_tables(
        {
            "proxies": {"queue": {"class": "DEST-NAME"}, "dead": {"class": "FANOUT"}},
            "templates": {
                "work": {
                    "registration": {"proxy": "queue"},
                    "dead_letters": {"proxy": "dead"},
                    "max_consumers": 1,
                }
            },
        }
    )
    wiring = Wiring(defaults)
    # 3: the application's own wiring, at run time: one word makes a queue with all of that.
    work = wiring.create_queue("paint", template="work", now=0)
    assert not wiring.publish("queue", [Message(b"the fence", "paint")], 0).unroutable
    assert bodies(work) == [b"the fence"]
    assert work.template == Template(
        registration=DefaultRegistration("queue"), dead_letters=DeadLetters("dead"), max_consumers=1
    )


def test_a_message_is_in_many_queues_and_its_content_is_never_copied() -> None:
    wiring = Wiring()
    wiring.create_proxy("all", "FANOUT")
    queues = [wiring.create_queue(now=0.0) for _ in range(3)]
    for queue in queues:
        wiring.register(queue, "all")
    message = Message(bytes(1000))
    wiring.publish("all", [message], 0)
    assert message.references == 3
    assert all(next(queue.peek()).message.body is message.body for queue in queues)
    for queue in queues:
        queue.purge()
    assert message.references == 0
