"""Cuts with an operation that kills whoever looks at it: it is found, and the others are anchored without it.

As with anchors (wary.py), the first deaths cost others their work, too, and then the cut is written apart. If
that dies as well, halves of the cut are looked at, each in a process of its own, down to one operation: ten
thousand take some fourteen. One that has killed five is refused, as any other that can be in no batch, with
what the last has died of. Where processes die without looking at anything, nobody is blamed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.pipelines.did.apart import Apart, Died
from penstock.pipelines.did.wary import DEADLY, Deadly, Wary
from penstock.pipelines.did.writing.files import files_of
from penstock.pipelines.did.writing.outcome import Outcome, failed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["first_deadly", "write_cuts", "write_warily"]


def write(places: str, task: tuple[int, Mapping[str, str]]) -> Outcome:
    """Write a cut without some of its operations, come what may."""
    return files_of(places).write(*task)


def survive(places: str, task: tuple[int, frozenset[str]]) -> bool:
    """Look at some operations of a cut, likewise."""
    return files_of(places).survive(*task)


def write_cuts(places: str, numbers: Iterable[int]) -> Iterator[Outcome]:
    """What executors do: cuts to outcomes."""
    return (write_warily(places, number) for number in numbers)


def write_warily(places: str, number: int) -> Outcome:
    """The files of a cut, or why there are none now; whoever asks lives."""
    doing = Wary(files_of(places).database, here=partial(write, places), apart=partial(search, places))
    try:
        return doing.do(f"cut {number}", (number, {}))
    except (Deadly, OSError) as exc:
        # The machine's fault, too, if it starts no process now.
        return Outcome(cut=number, failure=str(exc))
    except Exception as exc:  # noqa: BLE001 (as in files.py: the other cuts are not to be taken along)
        return failed(number, exc)


def search(places: str, task: tuple[int, Mapping[str, str]]) -> Outcome:
    """Write a cut apart, without those of its operations that this is the death of.

    Raises:
        Died: none of them is to blame alone.
    """
    number, deadly = task
    try:
        return Apart(write, places)((number, deadly))
    except Died as exc:
        ids = [each for each in files_of(places).ids(number) if each not in deadly]
        survives = partial(_survives, places, number)
        found = first_deadly(ids, survives) if survives([]) else None
        if found is None or any(survives([found]) for _ in range(DEADLY)) or not survives([]):
            raise
        told = f"whoever looks at it dies: {DEADLY} have, the last {exc}"
        return search(places, (number, {**deadly, found: told}))


def first_deadly(ids: Sequence[str], survives: Callable[[Sequence[str]], bool]) -> str | None:
    """The first operation that is deadly by itself; None if there is none."""
    if not ids or survives(ids):
        return None
    if len(ids) == 1:
        return ids[0]
    half = len(ids) // 2
    return first_deadly(ids[:half], survives) or first_deadly(ids[half:], survives)


def _survives(places: str, number: int, ids: Sequence[str]) -> bool:
    try:
        return Apart(survive, places)((number, frozenset(ids)))
    except Died:
        return False
