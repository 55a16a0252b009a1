"""Readers opened, taken with and read, in a word each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.broker.forms import PlainForm
from tests.broker.support import NO_FRONT, bodies_at

if TYPE_CHECKING:
    from penstock.broker import Reader
    from penstock.broker.page import Part, Taken
    from tests.broker.support import Bench

__all__ = ["PLENTY", "in_memory", "messages", "opened", "read", "take"]

PLENTY = 1_000_000


def opened(bench: Bench, name: str = "r", **how: Any) -> Reader:
    bench.queue(**how)
    return bench.host().readers.open("q", name)


def take(bench: Bench, reader: Reader, rows: int = 99) -> int:
    return reader.take(rows, PLENTY, bench.clock.now())


def read(bench: Bench, reader: Reader, start: int = 0, end: int = 99) -> dict[int, str]:
    """What is there, made anew or as it is written."""
    ways = (
        bodies_at(bench.loop.run_until_complete(reader.read(start, end, front)))
        for front in (NO_FRONT, PlainForm.number)
    )
    found, raw = ({at: body.decode() for at, body in way.items()} for way in ways)
    assert found == raw
    return found


def messages(parts: list[Part]) -> list[Taken]:
    return [taken for part in parts if isinstance(part, list) for taken in part]


def in_memory(reader: Reader) -> int:
    return sum(len(handful.references or ()) for handful in reader.handfuls)
