from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from penstock.wire.amqp.methods import ConnectionClose
from tests.server.peer import until

if TYPE_CHECKING:
    from tests.panel.house import House


@pytest.fixture
def crowd(house: House) -> House:
    """Guest and eve have come by AMQP."""
    house.user("eve", "management")
    house.user("mona", "monitoring", vhosts=())
    return house


def test_a_connection_is_told_with_what_its_client_said_of_itself(house: House) -> None:
    house.client()
    [told] = house.get("/connections")
    assert (told["user"], told["vhost"], told["protocol"], told["state"]) == (
        "guest",
        "/",
        "AMQP 0-9-1",
        "running",
    )
    assert (told["channels"], told["type"], told["auth_mechanism"]) == (1, "direct", "PLAIN")
    assert told["client_properties"]["capabilities"] == {"authentication_failure_close": True}
    assert told["recv_oct"] > 0
    assert told["send_oct"] > 0
    assert house.get(f"/connections/{quote(told['name'])}") == told
    assert house.get("/vhosts/%2F/connections") == [told]


def test_everybody_sees_their_own_and_monitoring_sees_all(crowd: House) -> None:
    crowd.client("guest")
    crowd.client("eve")
    seen: dict[str, Any] = {
        user: sorted(each["user"] for each in crowd.get("/connections", user=user))
        for user in ("guest", "eve", "mona")
    }
    assert seen == {"guest": ["eve", "guest"], "eve": ["eve"], "mona": ["eve", "guest"]}
    assert [each["user"] for each in crowd.get("/channels", user="eve")] == ["eve"]
    assert [each["user"] for each in crowd.get("/connections/username/eve")] == ["eve"]


def test_a_connection_is_closed_with_a_reason(house: House) -> None:
    client = house.client()
    [told] = house.get("/connections")
    answer = house.ask("DELETE", f"/connections/{quote(told['name'])}", **{"x-reason": "maintenance"})
    assert answer.status == 204
    close = house.run(client.hear(ConnectionClose))
    assert (close.reply_code, close.reply_text) == (320, "CONNECTION_FORCED - maintenance")


def test_who_does_not_administer_closes_only_their_own(crowd: House) -> None:
    eve = crowd.client("eve")
    crowd.client("guest")
    answer = crowd.ask("DELETE", "/connections/username/guest", user="mona")
    assert (answer.status, "needs the tag administrator" in answer.json["reason"]) == (403, True)
    assert crowd.ask("DELETE", "/connections/username/eve", user="eve").status == 204
    crowd.run(eve.hear(ConnectionClose))


def test_channels_are_told_with_what_is_in_hand(house: House) -> None:
    house.client()
    [connection] = house.get("/connections")
    [told] = house.get("/channels")
    assert told["connection_details"]["name"] == connection["name"]
    assert (told["number"], told["confirm"], told["messages_unacknowledged"]) == (1, True, 0)
    assert house.get(f"/connections/{quote(connection['name'])}/channels") == [told]
    assert house.get("/vhosts/%2F/channels") == [told]
    shown = house.get(f"/channels/{quote(told['name'])}")
    assert (shown["name"], shown["consumer_details"]) == (told["name"], [])


def test_who_comes_by_beanstalk_is_told_too(house: House) -> None:
    from tests.server.peer import Peer  # noqa: PLC0415  only its socket is used

    _, peer = house.run(house.embedded.dial_beanstalk(Peer))
    house.run(until(lambda: house.embedded.beanstalk.sessions))
    [told] = house.get("/connections")
    assert (told["protocol"], told["vhost"], told["channels"]) == ("beanstalk", "/", 0)
    assert house.delete(f"/connections/{quote(told['name'])}") == 204
    house.run(until(peer.lost.is_set))


@pytest.mark.parametrize("target", ["/connections/none", "/channels/none"])
def test_what_is_not_there_is_said(house: House, target: str) -> None:
    assert house.ask("GET", target).status == 404
