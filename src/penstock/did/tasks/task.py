"""A task: what is to be done every so often, by one instance of the domain. A value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """Something to be done from time to time. Done twice at once, it must do no harm."""

    #: The same in all instances.
    name: str
    #: Seconds from one end to the next beginning, at least.
    interval: float
    run: Callable[[], Awaitable[Any]]
