"""The port of a shelf: where values are kept, and who is at making one. No code.

A value is made under a **claim**, whose token stands for "nothing was forgotten since". To forget takes the
claim away with the value, so what was made from older facts finds its claim gone and is not kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Claim", "Entry", "Shelf"]

P = ParamSpec("P")
T = TypeVar("T")


class Entry(NamedTuple):
    """What a value is known by: its cache, and its key there."""

    cache: str
    key: str


class Claim(NamedTuple):
    """Somebody sees to it that the value is made."""

    token: str
    #: Seconds since the epoch; then anybody may claim it anew.
    until: float
    #: Whether the caller is that somebody.
    is_own: bool


class Shelf(Protocol):
    """Keeps values. Verbs are plain functions; `run` has one done without holding up the event loop."""

    @property
    def is_shared(self) -> bool:
        """Whether all processes see the same; else each has its own, and hears of the others' by message."""
        ...

    async def run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have a verb of this shelf done.

        Raises:
            StoreError: it cannot be reached.
        """
        ...

    def claim(self, entry: Entry, *, now: float, until: float, maker: str = "") -> bytes | Claim:
        """The value, if there is one that still holds; else the claim on it, a new one if there is none.

        Args:
            entry: What is asked for.
            now: Seconds since the epoch.
            until: When a new claim lapses.
            maker: The job that would make the value now; none, if somebody only asks. A claim that no other
                job has begun to work under is its own then, and holds until that time.
        """
        ...

    def renew(self, entry: Entry, token: str, until: float) -> None:
        """Have a claim hold until then, if it stands."""
        ...

    def keep(
        self, entry: Entry, token: str, value: bytes, *, now: float, expires_at: float, room: int
    ) -> bool:
        """Keep a value if its claim stands, and let go of those kept longest ago.

        Args:
            entry: What it is.
            token: Of the claim that it was made under.
            value: What it is worth.
            now: Seconds since the epoch.
            expires_at: When it holds no longer.
            room: Bytes for all values of the cache.

        Returns:
            Whether it is kept: it was not forgotten meanwhile, and is no larger than all the room.
        """
        ...

    def release(self, entry: Entry, token: str) -> None:
        """Give up a claim: nothing will come of it."""
        ...

    def forget(self, entry: Entry) -> None:
        """Have no value, and no claim."""
        ...
