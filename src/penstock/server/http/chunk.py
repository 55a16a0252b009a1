"""Chunk: pieces of bytes that leave as one HTTP chunk and are never joined."""

from __future__ import annotations

from typing import Any

__all__ = ["Chunk"]


class Chunk:
    """Pieces that are sent as one; h11 asks for their length only."""

    __slots__ = ("pieces",)

    def __init__(self, pieces: list[Any]) -> None:
        self.pieces = pieces

    def __len__(self) -> int:
        return sum(map(len, self.pieces))
