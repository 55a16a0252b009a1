from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk, BasicQos, BasicQosOk
from tests.server.peer import until

if TYPE_CHECKING:
    from tests.panel.house import House


def test_a_channel_tells_what_went_through_it(house: House) -> None:
    client = house.client()
    house.run(client.declare("q"))
    client.publish("q", b"one")
    client.publish("q", b"two")
    house.run(until(lambda: client.confirmed == 2))
    house.run(client.ask(BasicQosOk, BasicQos(0, 1)))
    house.run(client.ask(BasicConsumeOk, BasicConsume("q", "tag")))
    house.run(until(lambda: client.delivered))
    [told] = house.get("/channels")
    assert told["message_stats"] == {"publish": 2, "deliver_get": 1}
    assert (told["messages_unacknowledged"], told["messages_unconfirmed"], told["prefetch_count"]) == (
        1,
        0,
        1,
    )
    shown = house.get(f"/channels/{quote(told['name'])}")
    assert [each["consumer_tag"] for each in shown["consumer_details"]] == ["tag"]
