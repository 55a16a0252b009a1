"""The little YAML of the protocol: a flat dictionary, or a list of names (beanstalk protocol: stats)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["document", "listing", "read_document"]


def document(values: Mapping[str, object]) -> bytes:
    """A dictionary. Texts are in quotes, as since 1.13; words (`ready`, `true`) are given as bytes."""
    lines = (f"{name}: {_shown(value)}\n" for name, value in values.items())
    return ("---\n" + "".join(lines)).encode()


def listing(names: Iterable[str]) -> bytes:
    """A list of tubes."""
    return ("---\n" + "".join(f"- {name}\n" for name in names)).encode()


def _shown(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return value.decode() if isinstance(value, bytes) else str(value)


def read_document(data: bytes) -> dict[str, str]:
    """A dictionary as a server wrote it, quotes taken off; a line that is none of it is passed over."""
    pairs = (line.split(": ", 1) for line in data.decode(errors="replace").split("\n"))
    return {pair[0]: pair[1].strip('"') for pair in pairs if len(pair) == 2}
