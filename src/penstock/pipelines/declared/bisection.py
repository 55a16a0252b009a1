"""Which of many things spoil the whole: found by halving. Pure: how they are tried is others' business."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import NoRowToBlame

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["find_poison"]


def find_poison(count: int, failure_of: Callable[[range], str | None], most: int) -> dict[int, str]:
    """The things that fail on their own, and why each does.

    Two things that fail only together are both innocent: halves that work are not looked into.

    Args:
        count: How many there are.
        failure_of: Tries those of a range together; None if they work, else why not. One in a thousand
            costs about twenty tries.
        most: How many can be found.

    Raises:
        NoRowToBlame: more fail than that, nothing is to be done about which.
    """
    found: dict[int, str] = {}
    to_try = [range(count)]
    while to_try:
        part = to_try.pop()
        reason = failure_of(part) if part else None
        if reason is None:
            continue
        if len(part) > 1:
            middle = part.start + len(part) // 2
            to_try += [range(middle, part.stop), range(part.start, middle)]
        elif len(found) == most:
            raise NoRowToBlame(f"more than {most} rows fail, the last with: {reason}")
        else:
            found[part.start] = reason
    return found
