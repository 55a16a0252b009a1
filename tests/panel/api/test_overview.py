from __future__ import annotations

from typing import TYPE_CHECKING

from penstock import __version__
from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk

if TYPE_CHECKING:
    from tests.panel.house import House


def test_the_overview_tells_what_there_is(house: House) -> None:
    house.put("/queues/%2F/q")
    house.publish("q", "one", "two")
    client = house.client()
    house.run(client.ask(BasicConsumeOk, BasicConsume("q")))
    house.embedded.urls.append("amqp://127.0.0.1:5672")
    told = house.get("/overview")
    assert (told["product_name"], told["product_version"]) == ("Penstock", __version__)
    assert told["object_totals"] == {
        "connections": 1,
        "channels": 1,
        "consumers": 1,
        "exchanges": 6,
        "queues": 1,
    }
    assert (told["queue_totals"]["messages"], told["message_stats"]["publish"]) == (2, 2)
    assert told["listeners"] == [
        {"node": told["node"], "protocol": "amqp", "ip_address": "127.0.0.1", "port": 5672}
    ]


def test_everybody_is_told_of_what_they_may_see(house: House) -> None:
    house.put("/vhosts/other")
    house.put("/queues/%2F/q")
    house.client()
    house.user("eve", "management", vhosts=("other",))
    told = house.get("/overview", user="eve")["object_totals"]
    assert (told["queues"], told["connections"], told["exchanges"]) == (0, 0, 6)


def test_replies_of_channels_are_no_queues(house: House) -> None:
    client = house.client()
    house.run(client.ask(BasicConsumeOk, BasicConsume("amq.rabbitmq.reply-to", no_ack=True)))
    assert house.get("/overview")["object_totals"]["queues"] == 0
    assert house.get("/queues") == house.get("/bindings") == []
