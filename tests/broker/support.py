"""What the broker's tests share: a writer's thread that works when told, and a broker that can be killed."""

from __future__ import annotations

import asyncio
import shutil
from collections import deque
from concurrent.futures import Executor, Future
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.broker import Broker, recover
from penstock.broker.page import Page
from penstock.clock import VirtualClock
from penstock.store import Joined, SqliteStore
from penstock.wiring import Message, State, Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from penstock.broker import Form, Reader, VirtualHost
    from penstock.broker.page import Part, Taken
    from penstock.store import Store
    from penstock.wiring import Queue, Reference

ALIVE = (State.READY, State.DELAYED, State.BURIED, State.HELD, State.TAKEN)


class ByHand(Executor):
    """A thread that does its next job when it is told to."""

    def __init__(self) -> None:
        self.jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()

    def submit(self, job: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs.append((future, lambda: job(*arguments, **named)))
        return future

    def work(self) -> bool:
        """Do the next job; False if there is none."""
        if not self.jobs:
            return False
        future, job = self.jobs.popleft()
        try:
            future.set_result(job())
        except Exception as error:  # noqa: BLE001 (whoever waits gets it, as from a thread)
            future.set_exception(error)
        return True


class Bench:
    """A broker on a store, whose writer works by hand and whose loop runs only in here."""

    def __init__(
        self,
        store: Store,
        clock: VirtualClock | None = None,
        window: int | None = 4,
        forms: Iterable[Form] = (),
    ) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = clock or VirtualClock(1000.0)
        self.store = store
        self.broker = Broker(self.clock, store, window=window, forms=forms)
        self.thread = ByHand()
        self.broker.writer._thread.shutdown()
        self.broker.writer._thread = self.thread  # type: ignore[assignment]
        recover(self.broker, store)
        self.told: list[int] = []
        #: What came back after this one was killed; they go with it.
        self.heirs: list[Bench] = []

    def run(self, verb: Callable[[], Any] = lambda: None) -> Any:
        """Do it on the loop, and what follows from it."""

        async def there() -> Any:
            done = verb()
            for _ in range(5):
                await asyncio.sleep(0)
            return done

        return self.loop.run_until_complete(there())

    def turn(self) -> None:
        self.broker.refresh()
        self.run(self.broker.turn)

    def advance(self, seconds: float) -> None:
        """Let time pass, and what is due happen."""
        self.run(lambda: self.clock.advance(seconds))

    def work(self) -> bool:
        """Let the writer do its next job."""
        return bool(self.run(self.thread.work))

    def finish(self) -> None:
        """Until everything is written."""
        self.turn()
        while self.work():
            pass

    def written(self, batch: int) -> None:
        self.told.append(batch)

    def host(self, name: str = "/") -> VirtualHost:
        return self.broker.create_host(name)

    def queue(self, name: str = "q", **how: Any) -> Queue:
        return self.host().create_queue(name, **{"now": self.clock.now(), "persistent": True, **how})

    def send(self, *bodies: str, to: str = "q", proxy: str = "", **terms: Any) -> list[Message]:
        """Publish, persistent unless said otherwise."""
        shared = Terms(**{"persistent": True, **terms})
        messages = [Message(body.encode(), to, terms=shared) for body in bodies]
        self.host().wiring.publish(proxy, messages, self.clock.now())
        return messages

    def get(self, queue: Queue) -> Reference:
        """One in hand; its ledger is its consumer's."""
        got = queue.get(self.host().wiring.connect("client").open_ledger(), self.clock.now())
        assert got is not None
        return got.references[0]

    def close(self) -> None:
        """Stop as one should."""
        closing = self.loop.create_task(self.broker.close())
        while not closing.done():
            self.run(self.thread.work)
        closing.result()
        self.loop.close()

    def leave(self) -> None:
        """Stop without a word; the store stays as it is."""
        for heir in self.heirs:
            heir.leave()
        if not self.loop.is_closed():
            self.loop.close()
            self.store.close()

    def killed(self, window: int | None = 4, *, away: float = 0.0) -> Bench:
        """What comes back after a kill -9 at this moment, when so much time has passed."""
        store = self.store
        if isinstance(store, SqliteStore):
            count = len(list(store.folder.parent.iterdir()))
            store = photocopy(store.folder, store.folder.parent / f"copy-{count}")
        heir = Bench(store, VirtualClock(self.clock.now() + away), window)
        self.heirs.append(heir)
        return heir


def photocopy(folder: Path, copy: Path) -> SqliteStore:
    """The folder as kill -9 would leave it now, opened."""
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("lock"))
    return SqliteStore(copy)


def everything(queue: Queue) -> Iterator[Reference]:
    for state in ALIVE:
        yield from queue.peek(state)


def bodies(queue: Queue, state: State = State.READY) -> list[str]:
    return [bytes(found.message.body).decode() for found in queue.peek(state)]


def durable(broker: Broker, now: float) -> dict[str, Any]:
    """All that a restart must bring back, as plain values."""
    return {name: _host(host, now) for name, host in broker.hosts.items()}


def _host(host: VirtualHost, now: float) -> dict[str, Any]:
    wiring = host.wiring
    return {
        "proxies": {
            proxy.name: (proxy.class_name, proxy.dynamic, proxy.internal, proxy.alternate, proxy.properties)
            for proxy in wiring.proxies.values()
            if proxy.persistent
        },
        "queues": {
            queue.name: (queue.template, queue.stored, sorted(_kept(queue, now)))
            for queue in wiring.queues.values()
            if queue.template.persistent
        },
        "readers": {
            (reader.queue.name, reader.name): (
                reader.stored,
                reader.committed,
                reader.taken,
                positions(reader),
            )
            for reader in host.readers
            if reader.stored
        },
        "registrations": {
            asked: pattern
            for asked, pattern in host.registrations.items()
            if wiring.proxy(asked.proxy).persistent and wiring.queue(asked.target).template.persistent
        },
    }


def positions(reader: Reader, *, transient: bool = False) -> dict[int, int]:
    """What a reader has taken and not committed; only what survives, unless said otherwise."""
    return {
        found.sequence + handful.stretch.position - handful.stretch.sequence: int(bytes(found.message.body))
        for handful in reader.handfuls
        for found in reader.references_of(handful)
        if transient or found.message.terms.persistent
    }


def _kept(queue: Queue, now: float) -> Iterator[tuple[Any, ...]]:
    for found in everything(queue):
        if found.message.terms.persistent:
            aside = (State.DELAYED, State.BURIED, State.TAKEN)
            place = found.state.value if found.state in aside else "line"
            due_at = 0.0 if found.notes is None else found.notes.due_at
            if place == "delayed" and due_at <= now:
                place = "line"
            number = int(bytes(found.message.body))
            counts = (found.failed, found.redelivered, found.expires_at)
            deaths = tuple((death.queue, death.reason.value, death.count) for death in found.message.deaths)
            due_at = due_at if place == "delayed" else 0.0
            yield found.priority, found.sequence, number, place, due_at, *counts, deaths


#: What no front has for a number: what is read is made anew, all of it.
NO_FRONT = -1


def bodies_at(parts: Iterable[Part]) -> dict[int, bytes]:
    """What was read at which position, whichever way it came."""
    found: dict[int, bytes] = {}
    for part in parts:
        some = list(_pages(part) if isinstance(part, Page) else _taken(part))
        assert all(at > max(found, default=0) for at, _ in some)
        found.update(some)
    return found


def _taken(part: list[Taken]) -> Iterator[tuple[int, bytes]]:
    return ((taken.position, bytes(taken.message.body)) for taken in part)


def _pages(page: Page) -> Iterator[tuple[int, bytes]]:
    """Of messages in the wiring's own form."""
    rows = page.rows
    if isinstance(rows, Joined):
        ends = accumulate(rows.lengths)
        spans = zip(ends, rows.lengths, strict=True)
        contents = [rows.contents[end - length : end] for end, length in spans]
        numbers: Sequence[int] = rows.sequences
    else:
        numbers, contents = [row[0] for row in rows], [row[1] for row in rows]
    for number, content in zip(numbers, contents, strict=True):
        yield number + page.offset, msgspec.msgpack.decode(content)[0]
