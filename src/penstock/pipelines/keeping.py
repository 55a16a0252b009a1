"""Errors that outlive their Java: pyspark asks it for an error's text only when that is shown.

A session that ends because of an error would otherwise leave nothing of it but `<exception str() failed>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["keep"]

#: What errors ask Java for.
_ASKED: Final[dict[type[BaseException], tuple[str, ...]]] = {
    CapturedException: ("__str__", "getCondition", "getMessage", "getMessageParameters", "getSqlState"),
    Py4JJavaError: ("__str__",),
}


def keep(error: BaseException | None) -> None:
    """Ask now, so that this error, and those behind it, need no Java any more."""
    for each in _chain(error):
        for kind, asked in _ASKED.items():
            if isinstance(each, kind):
                _keep(each, asked)


def _keep(error: BaseException, asked: tuple[str, ...]) -> None:
    """Make it one of a class that looks the same and has the answers."""
    kind = type(error)
    answers = {name: _constant(getattr(error, name)()) for name in asked}
    same = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    error.__class__ = type(kind.__name__, (kind,), {**answers, **same})


def _constant(value: object) -> Callable[[object], object]:
    return lambda _: value


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            waiting += [each.__cause__, each.__context__]
            yield each
