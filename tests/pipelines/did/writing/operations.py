"""Operations as they wait in the queue, of lives that are the same in every run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.did.credentials import SigningKey
from penstock.did.operation_queue import Posted, QueuedOperation, operation_id
from penstock.did.operation_queue.seal import Seal
from penstock.sidetree.canonical import parse
from penstock.sidetree.protocol import ORB, Protocols
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Callable

PROTOCOLS = Protocols([ORB])
SEAL = Seal(SigningKey.generate())


def queued(
    request: bytes, suffix: str, *, is_checked: bool = True, closes: int | None = None, **more: Any
) -> Posted:
    """An operation that a domain has taken in, or one that somebody has put into the queue unchecked."""
    values = {"type": parse(request)["type"], "operation_request": request, "unique_suffix": suffix} | more
    made = QueuedOperation(**values)
    return Posted(operation_id(made.operation_request), SEAL.on(made, closes=closes) if is_checked else made)


def create(name: str = "alice", **more: Any) -> Posted:
    life = Life(name)
    return queued(life.create(), life.suffix, **more)


def mixed(count: int, prefix: str = "life", **more: Any) -> list[Posted]:
    """Operations of all types, each of a DID of its own."""
    types = ["create"] * 3 + ["update", "recover", "deactivate"]
    return [one(types[number % len(types)], f"{prefix}{number}", **more) for number in range(count)]


def one(kind: str, name: str, **more: Any) -> Posted:
    life = Life(name)
    begin = life.create()
    verbs: dict[str, Callable[[], bytes]] = {
        "create": lambda: begin,
        "update": life.update,
        "recover": life.recover,
        "deactivate": life.deactivate,
    }
    return queued(verbs[kind](), life.suffix, **more)
