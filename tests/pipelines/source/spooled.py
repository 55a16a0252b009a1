"""What comes into a spool, waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.pipelines.source.spool_taking import SpoolTaking

__all__ = ["until_taken"]


def until_taken(taking: SpoolTaking, position: int) -> None:
    """Until a position is on disk, as if somebody had taken from it."""
    taking._filling.fill()
    assert taking._filling.wait_beyond(position - 1, 30)
