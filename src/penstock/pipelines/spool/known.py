"""What is left of segments that were removed: the keys of their messages, which may be delivered again.

A file for each, named after the same position, the keys in MessagePack; the oldest go when the rest is
enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from penstock.durable import replacing
from penstock.errors import StoreDamaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["SUFFIX", "forget", "keys", "retire"]

SUFFIX: Final = ".known"


def retire(segment: Path, keys: Sequence[bytes]) -> None:
    """Remove a segment; the keys of its messages stay."""
    with replacing(segment.with_suffix(SUFFIX)) as file:
        file.write(msgspec.msgpack.encode([key for key in keys if key]))
    segment.unlink()


def keys(folder: Path) -> Iterator[list[bytes]]:
    """The keys of each removed segment, the oldest first.

    Raises:
        StoreDamaged: a file holds something else.
    """
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            yield msgspec.msgpack.decode(path.read_bytes(), type=list[bytes])
        except msgspec.MsgspecError as exc:
            raise StoreDamaged(
                f"the file {path} cannot be read: {exc}. Without it nothing is lost, but what the broker"
                " delivers again of that time is not recognised"
            ) from exc


def forget(folder: Path, enough: int) -> None:
    """Remove the oldest files as long as those after them hold enough."""
    held = 0
    for path, some in reversed(list(zip(sorted(folder.glob(f"*{SUFFIX}")), keys(folder), strict=True))):
        if held >= enough:
            path.unlink()
        held += len(some)
