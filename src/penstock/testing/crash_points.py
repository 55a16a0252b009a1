"""Crash points in an application's own code: a call that is its last.

Nothing has to be prepared in the code that is tested: any function that is looked up on a class, an object
or a module can be the one before or after which the application ends.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Crash", "crash_after", "crash_before"]


class Crash(BaseException):
    """The application ends here. Not an Exception: nobody handles being killed."""


@contextmanager
def crash_before(owner: Any, name: str, *, nth: int = 1) -> Iterator[None]:
    """Raise Crash instead of the n-th call, as long as the block lasts."""
    with _patched(owner, name, nth, is_done=False):
        yield


@contextmanager
def crash_after(owner: Any, name: str, *, nth: int = 1) -> Iterator[None]:
    """Raise Crash when the n-th call is done, in place of what it returns, as long as the block lasts."""
    with _patched(owner, name, nth, is_done=True):
        yield


@contextmanager
def _patched(owner: Any, name: str, nth: int, *, is_done: bool) -> Iterator[None]:
    original = inspect.getattr_static(owner, name)
    is_own = name in getattr(owner, "__dict__", {})
    crashing: Any = _crashing(getattr(owner, name), nth, is_done=is_done)
    is_bound = isinstance(original, staticmethod | classmethod)
    setattr(owner, name, staticmethod(crashing) if is_bound else crashing)
    try:
        yield
    finally:
        if is_own:
            setattr(owner, name, original)
        else:
            delattr(owner, name)


def _crashing(call: Callable[..., Any], nth: int, *, is_done: bool) -> Callable[..., Any]:
    left = nth

    def is_last() -> bool:
        nonlocal left
        left -= 1
        return left == 0

    def crash() -> None:
        raise Crash(f"{'after' if is_done else 'before'} call {nth} of {call!r}")

    @functools.wraps(call)
    def plain(*arguments: Any, **named: Any) -> Any:
        ends = is_last()
        if ends and not is_done:
            crash()
        answer = call(*arguments, **named)
        if ends:
            crash()
        return answer

    @functools.wraps(call)
    async def awaited(*arguments: Any, **named: Any) -> Any:
        ends = is_last()
        if ends and not is_done:
            crash()
        answer = await call(*arguments, **named)
        if ends:
            crash()
        return answer

    return awaited if inspect.iscoroutinefunction(call) else plain
