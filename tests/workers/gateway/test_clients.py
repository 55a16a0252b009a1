from __future__ import annotations

from penstock.workers.gateway.client import room_place, user_place
from penstock.workers.gateway.clients import Clients
from tests.workers.gateway.support import Wire, client_on


def test_clients_are_found_by_user_and_by_room_until_they_go() -> None:
    clients, one, two, other = Clients(), *(client_on(Wire(), user) for user in (3, "3", 4))
    other.rooms.add("lobby")
    for each in (one, two, other):
        clients.add(each)
    clients.join(one, "lobby")
    assert list(clients.of_user("3")) == [one, two]
    assert list(clients.at(room_place("lobby"))) == [other, one]
    assert repr(clients) == "<Clients: 3, at 3 places>"
    clients.leave(one, "lobby")
    clients.leave(one, "never joined")
    clients.remove(other)
    assert list(clients) == [one, two]
    assert list(clients.at(room_place("lobby"))) == []
    clients.remove(one)
    clients.remove(two)
    assert (len(clients), repr(clients)) == (0, "<Clients: 0, at 0 places>")
    assert list(clients.at(user_place("3"))) == []
