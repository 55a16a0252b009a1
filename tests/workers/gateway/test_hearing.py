from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.messaging import Message
from penstock.workers.gateway.client import room_place, user_place
from penstock.workers.gateway.clients import Clients
from penstock.workers.gateway.counters import Counters
from penstock.workers.gateway.envelope import Fanned
from penstock.workers.gateway.hearing import TICK, Hearing, maybe_place
from penstock.workers.gateway.history import History, Place
from tests.messaging.fakes import FakeReceived
from tests.workers.gateway.support import Wire, client_on, still_clock

if TYPE_CHECKING:
    from penstock.workers.gateway.client import Client


class Scene:
    def __init__(self) -> None:
        self.clients, self.counters = Clients(), Counters()
        self.history = History(each=10, in_all=100, lasts=100.0)
        self.hearing = Hearing(self.clients, self.history, self.counters, still_clock())

    def client(self, user: int | str, *rooms: str, code: str = "") -> tuple[Client, Wire]:
        wire = Wire()
        client = client_on(wire, user, code)
        client.rooms.update(rooms)
        self.clients.add(client)
        return client, wire

    def hears(self, body: bytes, name: str = "m1") -> FakeReceived:
        received = FakeReceived(Message(body=body, id=name), queue="ps_websocket_a")
        self.hearing.receive([received])
        return received


@pytest.mark.parametrize(
    ("fanned", "place"),
    [
        (Fanned(user_id=3), user_place("3")),
        (Fanned(user_id="3", room="r"), user_place("3")),
        (Fanned(room="r"), room_place("r")),
        (Fanned(route=TICK), Place("tick", "")),
        (Fanned(route="/x"), None),
    ],
    ids=range(5),
)
def test_a_message_says_whom_it_is_for(fanned: Fanned, place: Place | None) -> None:
    assert maybe_place(fanned) == place


def test_a_users_message_reaches_all_its_connections_and_nobody_else() -> None:
    scene = Scene()
    wires = [scene.client(user)[1] for user in (3, "3", 4)]
    received = scene.hears(b'{"route":"/building/upgraded","user_id":3,"content":{"building_id":1}}')
    told = {"id": "m1", "route": "/building/upgraded", "content": {"building_id": 1}}
    assert [wire.told for wire in wires] == [[told], [told], []]
    assert received.settled == [], "it is kept, and the broker keeps it for us"


def test_a_broadcast_is_the_same_bytes_for_all_in_the_room() -> None:
    scene = Scene()
    inside, also, outside = (scene.client(user, room)[1] for user, room in ((1, "r"), (2, "r"), (3, "s")))
    scene.hears(b'{"route":"/x","room":"r"}')
    assert inside.frames[0] is also.frames[0]
    assert outside.frames == []


def test_a_reply_reaches_only_the_client_that_asked() -> None:
    scene = Scene()
    asker, other = (scene.client(3, code=code)[1] for code in ("c1", "c2"))
    scene.hears(b'{"user_id":3,"clientCode":"c1","msgId":7,"status":200}')
    assert asker.told == [{"id": "m1", "msgId": 7, "status": 200, "content": {}}]
    assert other.told == []


def test_what_came_before_is_not_sent_again() -> None:
    scene = Scene()
    _, wire = scene.client(3)
    for _ in range(2):
        scene.hears(b'{"user_id":3}')
    assert (len(wire.frames), scene.counters.heard) == (1, 1)


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"route":"/for/others"}'])
def test_what_nobody_can_get_is_passed_over_and_counted(body: bytes) -> None:
    scene = Scene()
    _, wire = scene.client(3)
    assert scene.hears(body).settled == ["ack"]
    assert (wire.frames, scene.counters.passed_over, len(scene.history)) == ([], 1, 0)


def test_a_message_without_an_id_is_sent_and_not_kept() -> None:
    scene = Scene()
    _, wire = scene.client(3)
    assert scene.hears(b'{"user_id":3}', name="").settled == ["ack"]
    assert (len(wire.frames), len(scene.history)) == (1, 0)
    assert repr(scene.hearing) == "<Hearing 1 messages, <History of 0 messages, 0 places>>"


def test_a_tick_is_a_mark_and_nothing_else() -> None:
    scene = Scene()
    _, wire = scene.client(3)
    scene.hears(b'{"route":"/gateway/tick"}', name="t1")
    assert (wire.frames, scene.history.mark) == ([], "t1")
