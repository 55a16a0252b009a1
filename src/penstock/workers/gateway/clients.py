"""Who is connected, by user and by room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.workers.gateway.client import room_place, user_place

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from penstock.workers.gateway.client import Client
    from penstock.workers.gateway.history import Place

__all__ = ["Clients"]


class Clients:
    """All clients with a session on this gateway."""

    def __init__(self) -> None:
        # Dicts as sets that keep their order: who came first is told first.
        self._all: dict[Client, None] = {}
        self._at: dict[Place, dict[Client, None]] = {}

    def __repr__(self) -> str:
        return f"<Clients: {len(self._all)}, at {len(self._at)} places>"

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Client]:
        return iter(list(self._all))

    def at(self, place: Place) -> Collection[Client]:
        """Those who get what goes there."""
        return self._at.get(place, ())

    def of_user(self, user: str) -> Collection[Client]:
        """All of a user's."""
        return self.at(user_place(user))

    def add(self, client: Client) -> None:
        """Somebody has come."""
        self._all[client] = None
        for place in client.places:
            self._enter(client, place)

    def remove(self, client: Client) -> None:
        """Somebody has gone."""
        self._all.pop(client, None)
        for place in client.places:
            self._exit(client, place)

    def join(self, client: Client, room: str) -> None:
        """A client is in a room from now on."""
        client.rooms.add(room)
        self._enter(client, room_place(room))

    def leave(self, client: Client, room: str) -> None:
        """And no longer; if it never was, so be it."""
        client.rooms.discard(room)
        self._exit(client, room_place(room))

    def _enter(self, client: Client, place: Place) -> None:
        self._at.setdefault(place, {})[client] = None

    def _exit(self, client: Client, place: Place) -> None:
        there = self._at.get(place, {})
        there.pop(client, None)
        if not there:
            self._at.pop(place, None)
