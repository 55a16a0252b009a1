"""Broker: virtual hosts, and the turn: deliver what is ready, flush who has something to send, write.

Sessions call in with what came from their sockets and end with `turn`; nothing here is called once a
message. The time is read once a turn.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from math import inf
from typing import TYPE_CHECKING, Final, Protocol

from penstock.broker.definitions import DEFAULT_PROXY, Definitions, HostDocument, Kind
from penstock.broker.host import VirtualHost
from penstock.broker.records import Records
from penstock.broker.statistics import Statistics
from penstock.broker.writer import Writer
from penstock.wiring import WatchedWiring, Wiring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.broker.forms import Form
    from penstock.broker.writer import Waiter
    from penstock.clock import Alarm, Clock
    from penstock.store import Store
    from penstock.wiring import Defaults, Event

    #: Tells those who asked what happened to messages in a virtual host, by publishing it there.
    Teller = Callable[[VirtualHost, list[Event], float], None]

__all__ = ["LIVES", "Broker", "Outlet"]

log = logging.getLogger(__name__)

#: The proxy that tells messages' lives, in brokers that do.
LIVES: Final = "amq.penstock.lives"

#: Proxies every virtual host has from the start, with the classes AMQP gives them.
PREDEFINED: Final = {
    DEFAULT_PROXY: "DEST-NAME",
    "amq.direct": "DEST-NAME",
    "amq.fanout": "FANOUT",
    "amq.topic": "DEST-WILD",
    "amq.headers": "PROP-TEST",
    "amq.match": "PROP-TEST",
}


class Outlet(Protocol):
    """Somebody with something to send when the turn ends."""

    def flush(self) -> None:
        """Send it."""
        ...


class Broker:
    """Everything between the sessions and the store."""

    def __init__(
        self,
        clock: Clock,
        store: Store,
        *,
        defaults: Defaults | None = None,
        window: int | None = None,
        forms: Iterable[Form] = (),
        teller: Teller | None = None,
    ) -> None:
        """A broker on a store.

        Args:
            window: how many references of a persistent queue stand in memory.
            forms: how the messages of the fronts are written down.
            teller: who tells every message's life; without one nobody watches.
        """
        self.clock = clock
        self.now = clock.now()
        self.hosts: dict[str, VirtualHost] = {}
        self.definitions = Definitions()
        self.records = Records(store, self.definitions, forms)
        self.writer = Writer(store, self.records)
        self.writer.on_told = self._flush
        self.statistics = Statistics(self.hosts)
        self._store = store
        self._window = window
        self._teller = teller
        self._defaults = defaults
        self._outlets: list[Outlet] = []
        self._timer: Alarm | None = None
        self._timer_at = inf
        self._will_turn = False
        self._is_turning = False
        self._is_closed = False

    def __repr__(self) -> str:
        return f"<Broker of {len(self.hosts)} virtual hosts, batch {self.records.batch.number} gathering>"

    # Virtual hosts

    def create_host(self, name: str) -> VirtualHost:
        """A virtual host with the predefined proxies; one that is there is no change."""
        host = self.hosts.get(name)
        if host is None:
            self.definitions.put("", Kind.HOST, name, HostDocument(name))
            host = self.open_host(name)
        return host

    def open_host(self, name: str) -> VirtualHost:
        """A virtual host, not written down."""
        records = self.records
        how = {"backlog": records.backlog_for(name), "journal": records.journal, "heard": True}
        if self._teller is None:
            wiring = Wiring(self._defaults, **how)
            predefined = PREDEFINED
        else:
            wiring = WatchedWiring(self._defaults, own=LIVES, **how)
            predefined = {**PREDEFINED, LIVES: "DEST-WILD"}
        for proxy, class_name in predefined.items():
            wiring.create_proxy(proxy, class_name, persistent=True)
        host = VirtualHost(name, wiring, self.definitions, records, self._window)
        self.hosts[name] = host
        return host

    def delete_host(self, name: str) -> None:
        """Destroy a virtual host with all that is in it; its clients must have gone."""
        host = self.hosts.pop(name)
        for queue in list(host.wiring.queues.values()):
            host.wiring.destroy_queue(queue)
        while host.wiring.proxies:
            # One may take others along.
            host.wiring.destroy_proxy(next(iter(host.wiring.proxies)))
        host.clear_away()
        self.definitions.delete("", Kind.HOST, name)

    # The turn

    def refresh(self) -> None:
        """Read the clock."""
        self.now = self.clock.now()

    def turn(self) -> None:
        """Deliver, flush, write, and see when the next thing is due."""
        if self._is_turning or self._is_closed:
            return
        self._is_turning = True
        try:
            busy = False
            for host in self.hosts.values():
                if host.wiring.busy:
                    self._deliver(host)
                if self._teller is not None:
                    self._tell_lives(host, self._teller)
                busy = busy or host.wiring.busy
                if host.wiring.has_news:
                    self._tell(host)
            self._flush()
            self.writer.start()
        finally:
            self._is_turning = False
        if busy:
            self.turn_soon()
        self._set_timer()

    def _flush(self) -> None:
        while self._outlets:
            outlets, self._outlets = self._outlets, []
            for outlet in outlets:
                _safely(outlet.flush)

    def turn_soon(self) -> None:
        """Take another turn when others have had theirs."""
        if not self._will_turn:
            self._will_turn = True
            asyncio.get_running_loop().call_soon(self._next_turn)

    def _next_turn(self) -> None:
        self._will_turn = False
        self.refresh()
        self.turn()

    def _deliver(self, host: VirtualHost) -> None:
        wiring = host.wiring
        for delivery in wiring.deliver(self.now):
            _safely(delivery.consumer.remarks.deliver, delivery)

    def _tell(self, host: VirtualHost) -> None:
        """A queue may go while nothing is to be delivered: its consumers are told all the same."""
        for consumer in host.wiring.take_cancelled():
            _safely(consumer.remarks.cancelled)
        host.clear_away()

    def _tell_lives(self, host: VirtualHost, teller: Teller) -> None:
        if isinstance(host.wiring, WatchedWiring) and (events := host.wiring.diary.take()):
            _safely(teller, host, events, self.now)

    def settle(self, host: VirtualHost) -> None:
        """Do what is due in a virtual host before somebody looks: deliver, drop, expire."""
        if host.wiring.busy:
            self._deliver(host)
        if host.wiring.next_at <= self.now:
            host.wiring.tick(self.now)
        host.clear_away()

    def will_flush(self, outlet: Outlet) -> None:
        """Somebody has something to send when the turn ends."""
        self._outlets.append(outlet)

    # Time

    def _set_timer(self) -> None:
        next_at = min((host.wiring.next_at for host in self.hosts.values()), default=inf)
        if next_at == self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = next_at
        if next_at < inf:
            self._timer = self.clock.call_at(next_at, self._tick)

    def _tick(self) -> None:
        self._timer, self._timer_at = None, inf
        self.refresh()
        for host in self.hosts.values():
            if host.wiring.next_at <= self.now:
                host.wiring.tick(self.now)
        self.turn()

    # The disk

    @property
    def unwritten(self) -> int:
        """How much has been noted that is not in a batch yet; grows with what has to be written."""
        return len(self.records.journal)

    def after_write(self, waiter: Waiter) -> int:
        """Call the waiter when all that has happened up to now is on disk; the number of the batch."""
        return self.writer.after_write(waiter)

    def token(self) -> str:
        """A name nobody can guess."""
        return secrets.token_urlsafe(16)

    async def close(self) -> None:
        """Write what is left, and let go of the store."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        await self.writer.close()
        self._store.close()


def _safely(call: Callable[..., None], *arguments: object) -> None:
    """One session's mistake of ours must not keep the others from what is theirs."""
    try:
        call(*arguments)
    except Exception:
        log.exception("internal error in %r", call)
