"""Contents without a disk: the same contract, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from penstock.errors import StoreDamaged

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.store.contents import Growing, Readable

__all__ = ["ContentMemory"]


class ContentMemory:
    """Contents by name."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: dict[str, bytearray] = {}

    def __repr__(self) -> str:
        return f"<ContentMemory {len(self._kept)} contents>"

    def create(self) -> Growing:
        return _GrowingBytes(self._kept)

    def open(self, name: str) -> Readable:
        return _ReadableBytes(self._find(name))

    def link(self, name: str) -> str:
        return _keep(self._kept, self._find(name))

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self._kept.pop(name, None)

    def _find(self, name: str) -> bytearray:
        content = self._kept.get(name)
        if content is None:
            raise StoreDamaged(f"the content {name} is not there")
        return content


class _GrowingBytes:
    __slots__ = ("_kept", "_pieces")

    def __init__(self, kept: dict[str, bytearray]) -> None:
        self._kept = kept
        self._pieces = bytearray()

    def append(self, piece: bytes | memoryview) -> None:
        self._pieces += piece

    def finish(self) -> str:
        return _keep(self._kept, self._pieces)

    def abandon(self) -> None:
        self._pieces = bytearray()


class _ReadableBytes:
    __slots__ = ("_content", "length")

    def __init__(self, content: bytearray) -> None:
        self._content = content
        self.length = len(content)

    def read(self, offset: int, size: int) -> bytes:
        return bytes(self._content[offset : offset + size])

    def close(self) -> None:
        self._content = bytearray()


def _keep(kept: dict[str, bytearray], content: bytearray) -> str:
    name = uuid4().hex
    kept[name] = content
    return name
