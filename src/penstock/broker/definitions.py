"""Definitions: what a restart must bring back beside the messages, as documents under a kind and a name.

The book collects what changed since it was last written; the writer takes that into its next batch.
Documents are MessagePack, so a pattern may hold bytes and times.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.wiring import OWN_NAME, DefaultRegistration, Template

if TYPE_CHECKING:
    from penstock.broker.host import Asked
    from penstock.wiring import Proxy, Queue

__all__ = [
    "DEFAULT_PROXY",
    "USUAL",
    "CounterDocument",
    "Definitions",
    "HostDocument",
    "Kind",
    "ProxyDocument",
    "QueueDocument",
    "ReaderDocument",
    "RegistrationDocument",
    "proxy_document",
    "queue_document",
    "read_queue",
    "registration_document",
]

#: The nameless proxy every queue is registered with under its own name.
DEFAULT_PROXY: Final = ""


class Kind(Enum):
    """What is written down."""

    COUNTER = "counter"
    HOST = "host"
    PROXY = "proxy"
    QUEUE = "queue"
    READER = "reader"
    REGISTRATION = "registration"
    USER = "user"


class CounterDocument(msgspec.Struct):
    """How far something was counted that must not be counted twice."""

    last: int


class HostDocument(msgspec.Struct):
    """What it takes to open a virtual host again."""

    name: str


class ProxyDocument(msgspec.Struct, omit_defaults=True):
    """What it takes to create a proxy again."""

    class_name: str
    dynamic: bool = False
    internal: bool = False
    alternate: str | None = None
    properties: dict[str, Any] = {}
    remarks: bytes = b""


class QueueDocument(msgspec.Struct, omit_defaults=True):
    """What it takes to create a queue again."""

    #: Under which its references stand in the store.
    id: int
    #: As far as it is not what every queue is like.
    template: dict[str, Any]
    #: None for the usual one; else nothing, a proxy, or a proxy and a pattern.
    registration: list[Any] | None = None


class ReaderDocument(msgspec.Struct):
    """What it takes to open a reader again."""

    #: Under which what it has taken stands in the store.
    id: int
    queue: str
    name: str
    #: The last position that is done with.
    committed: int


class RegistrationDocument(msgspec.Struct, omit_defaults=True):
    """What it takes to register again."""

    proxy: str
    target_kind: str
    target: str
    identity: bytes
    pattern: Any = None


class Definitions:
    """The book of definitions of all virtual hosts."""

    def __init__(self) -> None:
        #: What is to be written: (kind, key) → document, None to delete.
        self.changes: dict[tuple[str, str], bytes | None] = {}
        self._written: set[tuple[str, str]] = set()

    def put(self, host: str, kind: Kind, name: str, document: msgspec.Struct) -> None:
        """Write a document down, or anew."""
        key = _key(host, kind, name)
        self._written.add(key)
        self.changes[key] = msgspec.msgpack.encode(document)

    def delete(self, host: str, kind: Kind, name: str) -> None:
        """Strike a document out, if it is there."""
        key = _key(host, kind, name)
        if key in self._written:
            self._written.discard(key)
            self.changes[key] = None

    def found(self, key: tuple[str, str]) -> None:
        """A document was read back from the store."""
        self._written.add(key)

    def take(self) -> dict[tuple[str, str], bytes | None]:
        """The changes since this was asked last."""
        changes, self.changes = self.changes, {}
        return changes


def _key(host: str, kind: Kind, name: str) -> tuple[str, str]:
    return kind.value, f"{host}\0{name}"


def proxy_document(proxy: Proxy) -> ProxyDocument:
    """A proxy, written down."""
    return ProxyDocument(
        class_name=proxy.class_name,
        dynamic=proxy.dynamic,
        internal=proxy.internal,
        alternate=proxy.alternate,
        properties=proxy.properties,
        remarks=proxy.remarks,
    )


def registration_document(asked: Asked, pattern: Any) -> RegistrationDocument:
    """A registration, written down."""
    return RegistrationDocument(asked.proxy, asked.target_kind, asked.target, asked.identity, pattern)


#: What every queue is registered with, unless it was said otherwise.
USUAL: Final = DefaultRegistration(DEFAULT_PROXY, OWN_NAME)


def queue_document(queue: Queue, window: int | None) -> QueueDocument:
    """A queue, written down.

    Args:
        window: the usual one. It is not written down: who changes it means all queues that have it.
    """
    plain: dict[str, Any] = msgspec.to_builtins(queue.template, builtin_types=(bytes,))
    usual: dict[str, Any] = msgspec.to_builtins(Template(window=window), builtin_types=(bytes,))
    template = {name: value for name, value in plain.items() if value != usual[name]}
    template.pop("registration", None)
    registration = queue.template.registration
    return QueueDocument(queue.stored, template, None if registration == USUAL else _written(registration))


def read_queue(document: QueueDocument, window: int | None) -> dict[str, Any]:
    """What a queue was created with, read back."""
    template = msgspec.convert(document.template, Template)
    how = {name: getattr(template, name) for name in document.template}
    how.setdefault("window", window)
    how["registration"] = _read(document.registration)
    return how


def _written(registration: DefaultRegistration | None) -> list[Any]:
    if registration is None:
        return []
    own_name = registration.pattern is OWN_NAME
    return [registration.proxy] if own_name else [registration.proxy, registration.pattern]


def _read(registration: list[Any] | None) -> DefaultRegistration | None:
    if registration is None:
        return USUAL
    return DefaultRegistration(*registration) if registration else None
