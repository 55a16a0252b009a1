"""The index behind PROP-TEST and SELECTOR: a message meets only registrations it can satisfy.

Registrations are the leaves of a tree: each step down is one required condition, "this property has
this value" or "this property is there", in the order of names. A message walks down every way whose
conditions it satisfies. What that costs depends on the message's properties and on what it finds,
not on how many registrations there are: at each step the shorter of two lists is gone through, the
names asked for or the names the message has. (Inverted bitmaps, a bit a registration for
each name and value, took 1.6 to 1.9 times as long with 100,000 distinct patterns over 169 values; theirs
grows with the number of registrations, and so does every one of their bitmaps.)

What no equality or presence can say is left to a range of one property (ranges.py), and to a test.
Knows nothing of patterns and statements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.wiring.ranges import Ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from penstock.wiring.properties import Properties, Value
    from penstock.wiring.ranges import Range, Test, Tested
    from penstock.wiring.registration import Registration

__all__ = ["PRESENT", "ConditionIndex", "Conditions", "Way"]


class Present:
    """The key that stands for any value."""

    def __repr__(self) -> str:
        return "PRESENT"


PRESENT: Final = Present()

#: Conditions that must hold together: names and the keys of their values, or PRESENT. In the order of
#: names, so that ways share their first steps.
Way = tuple[tuple[str, "Hashable"], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What a registration asks for: one of the ways, and the range, and the test."""

    ways: tuple[Way, ...]
    range: Range | None = None
    #: Asked last; None where the ways say all. It must say what the range says too.
    test: Test | None = None


class Step:
    """Where a message stands after the conditions on the way here have held."""

    __slots__ = ("branches", "here", "ranges")

    def __init__(self) -> None:
        #: Name → key of its value → next step.
        self.branches: dict[str, dict[Hashable, Step]] = {}
        #: Those who are at the end of their way, with what they ask for beyond.
        self.here: Tested = {}
        #: Name → those at the end of their way who ask for a range of it.
        self.ranges: dict[str, Ranges] = {}

    def is_empty(self) -> bool:
        """Nobody is registered here or further on."""
        return not (self.branches or self.here or self.ranges)

    def to(self, name: str, key: Hashable) -> Step:
        """The next step, made if need be."""
        values = self.branches.setdefault(name, {})
        step = values.get(key)
        if step is None:
            step = values[key] = Step()
        return step

    def cut(self, name: str, key: Hashable) -> None:
        """Nobody is behind this condition any more."""
        del self.branches[name][key]
        if not self.branches[name]:
            del self.branches[name]

    def settle(self, registration: Registration, conditions: Conditions) -> None:
        """A registration's way ends here."""
        wanted = conditions.range
        if wanted is None:
            self.here[registration] = conditions.test
        else:
            self.ranges.setdefault(wanted.name, Ranges()).add(wanted, registration, conditions.test)

    def leave(self, registration: Registration, conditions: Conditions) -> None:
        """Undo settle."""
        wanted = conditions.range
        if wanted is None:
            del self.here[registration]
            return
        ranges = self.ranges[wanted.name]
        ranges.remove(wanted, registration)
        if not ranges:
            del self.ranges[wanted.name]


class ConditionIndex:
    """Registrations by what they ask for."""

    __slots__ = ("_key", "_root")

    def __init__(self, key: Callable[[Value], Hashable]) -> None:
        #: Equal for values that count as equal; a text is its own key.
        self._key = key
        self._root = Step()

    def add(self, registration: Registration, conditions: Conditions) -> None:
        """Find this registration from now on."""
        for way in conditions.ways:
            step = self._root
            for name, key in way:
                step = step.to(name, key)
            step.settle(registration, conditions)

    def remove(self, registration: Registration, conditions: Conditions) -> None:
        """Undo add, with equal conditions."""
        for way in conditions.ways:
            steps = [self._root]
            for name, key in way:
                steps.append(steps[-1].branches[name][key])
            steps[-1].leave(registration, conditions)
            for name, key in reversed(way):
                if not steps.pop().is_empty():
                    break
                steps[-1].cut(name, key)

    def find(self, properties: Properties) -> list[Registration]:
        """The registrations whose conditions these properties satisfy, each once."""
        found: dict[Registration, None] = {}
        steps = [self._root]
        # The list grows while it is gone through.
        for step in steps:
            if step.here:
                _keep(step.here, properties, found)
            if step.branches:
                self._go_on(step.branches, properties, steps)
            if step.ranges:
                _keep_in_range(step.ranges, properties, found)
        return list(found)

    def _go_on(
        self, branches: dict[str, dict[Hashable, Step]], properties: Properties, steps: list[Step]
    ) -> None:
        for name in branches if len(branches) <= len(properties) else properties:
            values = branches.get(name)
            if values is None:
                continue
            value = properties.get(name)
            if value is not None:
                step = values.get(value if type(value) is str else self._key(value))
                if step is not None:
                    steps.append(step)
            if PRESENT in values and (value is not None or name in properties):
                steps.append(values[PRESENT])


def _keep(tested: Tested, properties: Properties, found: dict[Registration, None]) -> None:
    for registration, test in tested.items():
        if test is None or test(properties):
            found[registration] = None


def _keep_in_range(
    ranges: dict[str, Ranges], properties: Properties, found: dict[Registration, None]
) -> None:
    for name in ranges if len(ranges) <= len(properties) else properties:
        if name in ranges:
            for tested in ranges[name].find(properties.get(name)):
                _keep(tested, properties, found)
