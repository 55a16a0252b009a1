r"""Rows that a sink has refused, written down on the driver's machine: a file for each batch of a query.

    batch-000000041-5c2e0a91b3d4.jsonl   {"reason": "body is null", "row": "{\"body\":null}"}

They are there before Spark calls the batch done. If it is run again, the file is written anew.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.durable import replacing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.pipelines.sink.outgoing import Fault

__all__ = ["Refused", "read_refused", "write_refused"]

_PREFIX: Final = "batch-"


class Refused(msgspec.Struct, frozen=True):
    """One row."""

    reason: str
    #: As JSON.
    row: str


def write_refused(folder: str, query: str, batch: int, faults: Iterable[Fault]) -> None:
    """Write the rows of a batch down, for good."""
    # Numbers of batches begin anew with another query, and a write that is no query has none.
    which = sha256(query.encode()).hexdigest()[:12]
    lines = [msgspec.json.encode(Refused(fault.reason, fault.shown)) for fault in faults]
    file = Path(folder) / f"{_PREFIX}{batch:09}-{which}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    with replacing(file) as output:
        output.writelines(line + b"\n" for line in lines)


def read_refused(folder: Path) -> Iterator[tuple[Path, int, list[Refused]]]:
    """What is there: file, batch and rows."""
    for file in sorted(folder.glob(f"{_PREFIX}*.jsonl")):
        rows = [msgspec.json.decode(line, type=Refused) for line in file.read_bytes().splitlines()]
        yield file, int(file.stem.removeprefix(_PREFIX).partition("-")[0]), rows
