"""PROP-TEST routes messages on the value and presence of properties.

A registration maps property names to values, all of which must be met, or any (modes.py). A value is
met by the same value of the same type: 1 is neither 1.0 nor True nor "1". None in place of a value
asks only that the property be there, whatever it holds, void too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wiring.conditions import PRESENT, ConditionIndex, Conditions
from penstock.wiring.properties import typed
from penstock.wiring.proxies.modes import split_mode
from penstock.wiring.proxy import Proxy
from penstock.wiring.shown import shown

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.properties import Properties, Value
    from penstock.wiring.proxies.modes import Mode
    from penstock.wiring.registration import Registration

__all__ = ["Criteria", "PropTest"]


class Criteria:
    """Properties and the values they must have; equal ones ask for the same messages."""

    __slots__ = ("_key", "mode", "wanted")

    def __init__(self, mode: Mode, wanted: Properties) -> None:
        #: Any of one is all of one.
        self.mode: Final[Mode] = "all" if len(wanted) == 1 else mode
        self.wanted: Final = {name: wanted[name] for name in sorted(wanted)}
        self._key: Final = (self.mode, self.keys())
        hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Criteria) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return f"<Criteria {self}>"

    def __str__(self) -> str:
        asks = (
            f"{name} present" if value is None else f"{name} = {shown(value)}"
            for name, value in self.wanted.items()
        )
        return f"{self.mode} of ({', '.join(asks)})"

    def keys(self) -> tuple[tuple[str, Hashable], ...]:
        """The criteria as an index wants them, in the order of names."""
        wanted = self.wanted.items()
        return tuple((name, PRESENT if value is None else typed(value)) for name, value in wanted)

    def conditions(self) -> Conditions:
        """All criteria in one way, or each in a way of its own."""
        keys = self._key[1]
        return Conditions(ways=(keys,) if self.mode == "all" else tuple((key,) for key in keys))

    def are_met(self, properties: Properties) -> bool:
        """Whether enough of the criteria are."""
        enough = all if self.mode == "all" else any
        return enough(is_met(name, value, properties) for name, value in self.wanted.items())

    def why_not(self, properties: Properties) -> str | None:
        """Which criteria are not met; None if enough of them are."""
        if self.are_met(properties):
            return None
        unmet = [why_unmet(name, value, properties) for name, value in self.wanted.items()]
        return "; ".join(filter(None, unmet)) or "it asks for any of no properties, which nothing meets"


class PropTest(Proxy):
    """The building block of content-based routing; AMQP calls it the headers exchange."""

    class_name = "PROP-TEST"

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self._index = ConditionIndex(typed)

    def normalise(self, pattern: Any) -> Criteria:
        if isinstance(pattern, Criteria):
            return pattern
        mode, wanted = split_mode(self, pattern)
        try:
            return Criteria(mode, wanted)
        except TypeError as exc:
            raise self.refuse(pattern, "one of its values is none that a property can have") from exc

    # The index

    def index(self, registration: Registration) -> None:
        self._index.add(registration, self.normalise(registration.pattern).conditions())

    def unindex(self, registration: Registration) -> None:
        self._index.remove(registration, self.normalise(registration.pattern).conditions())

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        return self._index.find(message.properties)

    def passes(self, pattern: Criteria, message: Message, destination: str) -> bool:
        return pattern.are_met(message.properties)

    # For people

    def why_not(self, pattern: Criteria, message: Message, destination: str) -> str | None:
        return pattern.why_not(message.properties)

    def describe(self, pattern: Criteria) -> str:
        return str(pattern)


def is_met(name: str, value: Value, properties: Properties) -> bool:
    """Whether a property is there, and has this value if one is asked for."""
    return name in properties and (value is None or typed(properties[name]) == typed(value))


def why_unmet(name: str, value: Value, properties: Properties) -> str | None:
    """Why a property is not what is asked for; None if it is."""
    if is_met(name, value, properties):
        return None
    if name not in properties:
        return f"there is no property {name!r}"
    return f"property {name!r} is {shown(properties[name])}, not {shown(value)}"
