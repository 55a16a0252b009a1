"""From the gateway's pipe to its clients: each message is read once, written once, and kept for a while."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from penstock.errors import InvalidMessage
from penstock.workers.gateway.client import frame_of, room_place, user_place
from penstock.workers.gateway.envelope import Push, read_fanned
from penstock.workers.gateway.history import Place

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.messaging import Received
    from penstock.workers.gateway.clients import Clients
    from penstock.workers.gateway.counters import Counters
    from penstock.workers.gateway.envelope import Fanned
    from penstock.workers.gateway.history import History

__all__ = ["TICK", "Hearing", "maybe_place"]

log = logging.getLogger(__name__)

#: What gateways say to one another when nobody says anything: a mark that is young.
TICK: Final = "/gateway/tick"
_TICKS: Final = Place("tick", "")


def maybe_place(fanned: Fanned) -> Place | None:
    """Whom a message is for; None if it does not say."""
    if fanned.user_id is not None:
        return user_place(str(fanned.user_id))
    if fanned.room:
        return room_place(fanned.room)
    return _TICKS if fanned.route == TICK else None


class Hearing:
    """What the broker's deliveries are handed to."""

    def __init__(self, clients: Clients, history: History, counters: Counters, clock: Clock) -> None:
        self._clients = clients
        self._history = history
        self._counters = counters
        self._clock = clock

    def __repr__(self) -> str:
        return f"<Hearing {self._counters.heard} messages, {self._history!r}>"

    def receive(self, several: list[Received]) -> None:
        """Take messages; runs where the socket is read, and waits for nobody."""
        now = self._clock.now()
        for received in several:
            name = received.message.id
            if name and self._history.knows(name, received):
                continue
            self._counters.heard += 1
            try:
                self._take(received, name, read_fanned(received.body), now)
            except InvalidMessage as exc:
                log.warning("a message on %s is passed over: %s", received.queue, exc)
                self._pass_over(received)

    def _take(self, received: Received, name: str, fanned: Fanned, now: float) -> None:
        place = maybe_place(fanned)
        if place is None:
            # As in Keno Antigen: what says neither user nor room is for other subscribers.
            self._pass_over(received)
            return
        code = fanned.client_code
        frame = frame_of(Push.of(fanned, name))
        for client in self._clients.at(place):
            if not code or client.code == code:
                client.send(frame)
        if name:
            self._history.add(name, place, frame, received, now=now, client_code=code)
        else:
            # Without an id nobody could say that it was seen.
            received.ack()

    def _pass_over(self, received: Received) -> None:
        self._counters.passed_over += 1
        received.ack()
