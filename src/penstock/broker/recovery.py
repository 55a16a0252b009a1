"""Recovery: a broker as it was, read back from its store.

Only definitions and counts are read: the messages stay in the store until somebody wants them, so a
queue of ten million opens as fast as an empty one. What stood aside, delayed or buried, is read now.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from penstock.broker.definitions import (
    CounterDocument,
    HostDocument,
    Kind,
    ProxyDocument,
    QueueDocument,
    ReaderDocument,
    RegistrationDocument,
    read_queue,
)
from penstock.store import Standing, as_reference
from penstock.wiring.stretch import Stretch

if TYPE_CHECKING:
    from penstock.broker.broker import Broker
    from penstock.broker.host import VirtualHost
    from penstock.store import Store
    from penstock.wiring import Queue

__all__ = ["recover"]

#: Rows read at a time.
PAGE: Final = 512


def recover(broker: Broker, store: Store) -> None:
    """Open the virtual hosts a store tells of, with everything in them."""
    documents: dict[Kind, list[tuple[str, str, bytes]]] = {kind: [] for kind in Kind}
    for kind, key, document in store.definitions():
        host, _, name = key.partition("\0")
        documents[Kind(kind)].append((host, name, document))
        broker.definitions.found((kind, key))
    for _, _, document in documents[Kind.HOST]:
        broker.open_host(msgspec.msgpack.decode(document, type=HostDocument).name)
    for host, name, document in documents[Kind.COUNTER]:
        last = msgspec.msgpack.decode(document, type=CounterDocument).last
        if host:
            broker.hosts[host].found_count(name, last)
        else:
            broker.records.found_last_queue(last)
    for host, name, document in documents[Kind.PROXY]:
        _open_proxy(broker.hosts[host], name, msgspec.msgpack.decode(document, type=ProxyDocument))
    for host, name, document in documents[Kind.QUEUE]:
        _open_queue(
            broker, store, broker.hosts[host], name, msgspec.msgpack.decode(document, type=QueueDocument)
        )
    takings = {
        reader: [Stretch(*taking[1:]) for taking in theirs]
        for reader, theirs in groupby(store.takings(), key=itemgetter(0))
    }
    for host, _, document in documents[Kind.READER]:
        told = msgspec.msgpack.decode(document, type=ReaderDocument)
        broker.hosts[host].readers.found(told, takings.get(told.id, []))
    for host, _, document in documents[Kind.REGISTRATION]:
        _register(broker.hosts[host], msgspec.msgpack.decode(document, type=RegistrationDocument))
    # It is all written down already.
    broker.definitions.take()


def _open_proxy(host: VirtualHost, name: str, document: ProxyDocument) -> None:
    host.wiring.create_proxy(
        name,
        document.class_name,
        persistent=True,
        dynamic=document.dynamic,
        internal=document.internal,
        alternate=document.alternate,
        remarks=document.remarks,
        **document.properties,
    )


def _open_queue(broker: Broker, store: Store, host: VirtualHost, name: str, document: QueueDocument) -> None:
    lines = list(broker.records.found_queue(host.name, name, document.id))
    queue = host.wiring.create_queue(name, now=broker.now, **read_queue(document, host.window))
    queue.stored = document.id
    size = store.weigh(document.id) if queue.template.max_bytes is not None else 0
    if any(line.aside for line in lines):
        size -= _restore(broker, store, queue, Standing.DELAYED)
        size -= _restore(broker, store, queue, Standing.BURIED)
    queue.resume(max((line.last for line in lines), default=0), max(size, 0))


def _restore(
    broker: Broker, store: Store, queue: Queue, standing: Literal[Standing.DELAYED, Standing.BURIED]
) -> int:
    """What stood aside stands there again; its size."""
    after = (-1, -1)
    size = 0
    while rows := store.aside(queue.stored, standing, after, PAGE):
        for found in rows:
            reference = as_reference(found, broker.records.load(found))
            queue.restore(reference, buried=standing is Standing.BURIED)
            size += found.length
        after = (rows[-1].priority, rows[-1].sequence)
    return size


def _register(host: VirtualHost, document: RegistrationDocument) -> None:
    wiring = host.wiring
    target = (
        wiring.queue(document.target)
        if document.target_kind == Kind.QUEUE.value
        else wiring.proxy(document.target)
    )
    host.register(target, document.proxy, document.pattern, document.identity)
