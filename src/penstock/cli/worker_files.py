"""The files that a worker's code is in, and whether somebody has changed one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.clock import sleep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.clock import Clock

__all__ = ["changed", "changes", "seen"]

#: Seconds between two looks: what polling costs is nothing beside a program that is being written.
LOOK_EVERY_S: Final = 0.5
#: Folders that nobody writes code in.
PASSED_OVER: Final = frozenset({"__pycache__", "node_modules", "site-packages"})


def seen(folder: Path) -> dict[Path, int]:
    """Every Python file beneath the folder, and when it was written."""
    found: dict[Path, int] = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in PASSED_OVER and not name.startswith(".")]
        for file in (Path(place, name) for name in files if name.endswith(".py")):
            # It may have gone since it was listed.
            with suppress(OSError):
                found[file] = file.stat().st_mtime_ns
    return found


def changes(before: Mapping[Path, int], after: Mapping[Path, int]) -> list[Path]:
    """The files that came, went, or were written."""
    return sorted(file for file in before.keys() | after.keys() if before.get(file) != after.get(file))


async def changed(folder: Path, before: Mapping[Path, int], clock: Clock) -> list[Path]:
    """Wait until there is a change, and return what it was."""
    while not (found := changes(before, seen(folder))):
        await sleep(clock, LOOK_EVERY_S)
    return found
