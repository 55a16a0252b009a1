"""Contracts: what an application's events promise, written down to be compared with later.

The snapshot is a file that stands beside the code, is read by people in a review, and changes only when
somebody says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import MessagingError

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.messaging.events.registry import Registry

__all__ = ["Contract", "contracts_of", "load", "save"]

#: Of the file; one with another is refused, not guessed at.
FORMAT: Final = 1


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """What one event promises."""

    version: int
    #: The oldest version that can still be read.
    oldest: int
    #: JSON Schema of the content.
    schema: dict[str, Any]


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The file."""

    format: int
    events: dict[str, Contract]


def contracts_of(registry: Registry) -> dict[str, Contract]:
    """What the events in a registry promise, by name."""
    return {
        declared.name: Contract(
            version=declared.version,
            oldest=registry.oldest_version(declared.name),
            schema=registry.schema(declared.name),
        )
        for declared in registry
    }


def save(path: Path, contracts: dict[str, Contract]) -> None:
    """Write a snapshot, in an order that makes its differences readable."""
    ordered = Snapshot(format=FORMAT, events={name: contracts[name] for name in sorted(contracts)})
    path.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=2) + b"\n")


def load(path: Path) -> dict[str, Contract]:
    """Read a snapshot.

    Raises:
        MessagingError: it is not there, or is none.
    """
    try:
        snapshot = msgspec.json.decode(path.read_bytes(), type=Snapshot)
    except FileNotFoundError:
        raise MessagingError(f"there is no {path} yet: make one with `penstock contracts save`") from None
    except (OSError, ValueError) as exc:
        raise MessagingError(f"{path} cannot be read as contracts: {exc}") from exc
    if snapshot.format != FORMAT:
        raise MessagingError(f"{path} is of format {snapshot.format}: this Penstock reads {FORMAT}")
    return snapshot.events
