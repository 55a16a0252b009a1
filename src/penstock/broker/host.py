"""Virtual host: a wiring of its own, and the book of what in it must survive a restart.

The verbs here are the wiring's, with two things added: what is persistent is written down as a
definition, and a registration is kept as often as it was asked for, under whatever identity its front
gives it, though the wiring needs it only once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.broker.counts import Counts, counts_of
from penstock.broker.definitions import (
    USUAL,
    CounterDocument,
    Kind,
    proxy_document,
    queue_document,
    registration_document,
)
from penstock.broker.readers import Readers
from penstock.wiring import Proxy, Queue

if TYPE_CHECKING:
    from penstock.broker.definitions import Definitions
    from penstock.broker.records import Records
    from penstock.wiring import Connection, Registration, Wiring
    from penstock.wiring.death import Reason

__all__ = ["PASSAGE", "Asked", "VirtualHost"]

#: Proxies whose names begin so are passages: made for what is registered through them, never by a
#: client (the prefix is reserved), and gone with the last that leads to them, or that they lead to.
PASSAGE: Final = "amq.selector "


class Asked(NamedTuple):
    """A registration as somebody asked for it."""

    proxy: str
    #: The value of a Kind: a queue or a proxy.
    target_kind: str
    target: str
    #: What tells it from others like it, for the front that asked.
    identity: bytes

    @property
    def key(self) -> str:
        """A name for it in the book."""
        return f"{self.proxy}\0{self.target_kind}\0{self.target}\0{self.identity.hex()}"


class VirtualHost:
    """One wiring among the broker's, with a name."""

    def __init__(
        self, name: str, wiring: Wiring, definitions: Definitions, records: Records, window: int | None
    ) -> None:
        self.name = name
        self.wiring = wiring
        self._definitions = definitions
        self._records = records
        self.readers = Readers(name, wiring, definitions, records)
        #: How many references of a persistent queue stand in memory, unless it says otherwise.
        self.window = window
        self._counted: dict[str, int] = {}
        #: What queues had counted that are gone.
        self.retired = Counts()
        #: What their messages had died of.
        self.deaths: Counter[Reason] = Counter()
        #: What was asked for → its pattern.
        self.registrations: dict[Asked, Any] = {}
        #: Both ends of each → what was asked for there.
        self._at: defaultdict[tuple[str, str], dict[Asked, None]] = defaultdict(dict)
        #: What was asked for → what it became in the wiring, and how often that was asked for.
        self._became: dict[Asked, tuple[Queue | Proxy, Registration]] = {}
        self._times: Counter[tuple[Queue | Proxy, Registration]] = Counter()

    def __repr__(self) -> str:
        wiring = self.wiring
        return f"<VirtualHost {self.name!r}: {len(wiring.proxies)} proxies, {len(wiring.queues)} queues>"

    # Proxies and queues

    def create_proxy(self, name: str, class_name: str, **properties: Any) -> Proxy:
        """Create a proxy, and write it down if it is persistent."""
        self.clear_away()
        is_new = name not in self.wiring.proxies
        proxy = self.wiring.create_proxy(name, class_name, **properties)
        if is_new and proxy.persistent:
            self._definitions.put(self.name, Kind.PROXY, name, proxy_document(proxy))
        return proxy

    def create_queue(
        self, name: str = "", *, private_to: Connection | None = None, now: float, **how: Any
    ) -> Queue:
        """Create a queue, and write it down if it is persistent.

        Args:
            how: the template, and changes to it; without a word about it, a queue is registered with the
                nameless proxy under its own name.
        """
        self.clear_away()
        is_new = ("", name) not in self.wiring.queues
        template = self.wiring.template(how.get("template", ""))
        how.setdefault("registration", USUAL)
        if how.get("persistent", template.persistent) and template.window is None:
            how.setdefault("window", self.window)
        queue = self.wiring.create_queue(name, private_to=private_to, now=now, **how)
        if is_new and queue.template.persistent:
            queue.stored = self._records.number_queue(self.name, queue.name)
            self._definitions.put(self.name, Kind.QUEUE, queue.name, queue_document(queue, self.window))
        return queue

    def count(self, what: str, last: int) -> None:
        """Write down how far something was counted here."""
        self._definitions.put(self.name, Kind.COUNTER, what, CounterDocument(last))
        self._counted[what] = last

    def counted(self, what: str) -> int:
        """How far something was counted here, as it was last written down."""
        return self._counted.get(what, 0)

    def found_count(self, what: str, last: int) -> None:
        """So far something was counted before the restart."""
        self._counted[what] = last

    def clear_away(self) -> None:
        """Forget what the wiring has destroyed since, by a verb or by itself."""
        while destroyed := self.wiring.take_destroyed():
            for gone in destroyed:
                self._clear_away(gone)

    def _clear_away(self, gone: Queue | Proxy) -> None:
        kind = Kind.QUEUE if isinstance(gone, Queue) else Kind.PROXY
        self._definitions.delete(self.name, kind, gone.name)
        if isinstance(gone, Queue):
            self._records.forget_queue(self.name, gone.name)
            self.retired = self.retired.plus(counts_of(gone))
            self.deaths.update(gone.tally.deaths)
        for asked in list(self._at.pop((kind.value, gone.name), ())):
            self._forget(asked)
            if asked.target_kind == Kind.PROXY.value:
                self.end_passage(asked.target)

    def end_passage(self, name: str) -> None:
        """Destroy this proxy if it is a passage that nothing leads to; then call `clear_away`."""
        passage = self.wiring.proxies.get(name)
        if passage is not None and name.startswith(PASSAGE) and not passage.registered_with:
            self.wiring.destroy_proxy(name)

    # Registrations

    def register(self, target: Queue | Proxy, proxy: str, pattern: Any, identity: bytes) -> None:
        """Register a queue or proxy; the same identity again is no change."""
        registration = self.wiring.register(target, proxy, pattern)
        asked = _asked(target, proxy, identity)
        if asked in self.registrations:
            return
        self.registrations[asked] = pattern
        became = self._became[asked] = target, registration
        self._times[became] += 1
        for end in _ends(asked):
            self._at[end][asked] = None
        if _lasts(target) and self.wiring.proxy(proxy).persistent:
            document = registration_document(asked, pattern)
            self._definitions.put(self.name, Kind.REGISTRATION, asked.key, document)

    def unregister(self, target: Queue | Proxy, proxy: str, pattern: Any, identity: bytes) -> bool:
        """Take one registration back; the wiring keeps it while another asks for the same."""
        asked = _asked(target, proxy, identity)
        if asked not in self.registrations:
            return False
        became = self._became[asked]
        self._forget(asked)
        if became not in self._times:
            self.wiring.unregister(target, proxy, pattern)
            if isinstance(target, Proxy):
                self.end_passage(target.name)
            self.clear_away()
        return True

    def _forget(self, asked: Asked) -> None:
        del self.registrations[asked]
        became = self._became.pop(asked)
        self._times[became] -= 1
        if not self._times[became]:
            del self._times[became]
        self._definitions.delete(self.name, Kind.REGISTRATION, asked.key)
        for end in _ends(asked):
            if end in self._at:
                self._at[end].pop(asked, None)
                if not self._at[end]:
                    del self._at[end]


def _ends(asked: Asked) -> tuple[tuple[str, str], tuple[str, str]]:
    return (Kind.PROXY.value, asked.proxy), (asked.target_kind, asked.target)


def _asked(target: Queue | Proxy, proxy: str, identity: bytes) -> Asked:
    kind = Kind.QUEUE if isinstance(target, Queue) else Kind.PROXY
    return Asked(proxy, kind.value, target.name, identity)


def _lasts(thing: Queue | Proxy) -> bool:
    return thing.template.persistent if isinstance(thing, Queue) else thing.persistent
