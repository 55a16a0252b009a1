"""The mark of a spool: the position up to which all in its folder is done with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.durable import replacing

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["committed_in", "write_mark"]


def committed_in(folder: Path) -> int:
    """The position up to which all in a folder is done with."""
    try:
        return int((folder / "committed").read_text())
    except FileNotFoundError:
        return 0


def write_mark(folder: Path, position: int) -> None:
    """Set it, as a whole or not at all; it is on disk when this returns."""
    with replacing(folder / "committed") as file:
        file.write(b"%d" % position)
