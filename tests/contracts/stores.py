"""The adapters of a store. To have one of your own tested, add a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.store import MemoryStore, SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from penstock.store import Store

#: Name → what makes an empty store in a folder.
ADAPTERS: dict[str, Callable[[Path], Store]] = {"memory": lambda _: MemoryStore(), "sqlite": SqliteStore}


def finish(store: Store) -> None:
    """Have it tidy up all that it has put off."""
    while store.tidy():
        pass
