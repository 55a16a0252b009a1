"""LOSSY routes messages with random failure, to simulate those of networks and processing.

It passes messages to all registered, but drops some: one draw a message, so either everyone gets it or
nobody. With a seed a run can be repeated, whatever else draws random numbers meanwhile.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from penstock.errors import BadConfiguration
from penstock.wiring.proxies.fanout import Fanout

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Registration

__all__ = ["Lossy"]


class Lossy(Fanout):
    """Everything to everyone, but for what chance takes: `drop` is its probability, 0 to 1."""

    class_name = "LOSSY"
    # The same destination fares differently every time: no way can be remembered.
    by_destination = False
    loses = True
    property_defaults: ClassVar[Mapping[str, Any]] = {"drop": 0.5, "seed": None}

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.drop = checked_drop(self.properties["drop"])
        seed = checked_seed(self.properties["seed"])
        self.random = Random(seed)  # noqa: S311 (nothing secret depends on it)

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        return () if self.drops() else super().match(message, destination)

    def passes(self, pattern: None, message: Message, destination: str) -> bool:
        return not self.drops()

    def drops(self) -> bool:
        """Draw once: whether chance takes the next message."""
        # Drawn even where it cannot matter, so that a seed means the same whatever `drop` is.
        return self.random.random() < self.drop


def checked_drop(drop: Any) -> float:
    """The probability, if it is one.

    Raises:
        BadConfiguration: it is none.
    """
    if isinstance(drop, bool) or not isinstance(drop, int | float) or not 0 <= drop <= 1:
        raise BadConfiguration(f"drop={drop!r} is no probability: give a LOSSY proxy a number from 0 to 1")
    return drop


def checked_seed(seed: Any) -> int | None:
    """The seed, if it can be repeated.

    Raises:
        BadConfiguration: it cannot.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise BadConfiguration(f"seed={seed!r} is no seed: give a LOSSY proxy an integer, or None for chance")
    return seed
