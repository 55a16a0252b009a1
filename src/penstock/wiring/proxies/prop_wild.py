"""PROP-WILD routes messages on a set of properties, by wild card comparison.

A registration maps property names to value patterns (wildcards.py says what they mean), all of which
must fit, or any (modes.py). A text is compared as it is, a number as Python writes it, a boolean as
"true" or "false"; other values have no text, and nothing fits them. None in place of a pattern asks
only that the property be there, whatever it holds.

Few value patterns are usually shared by many registrations, so what is looked up and remembered is
patterns, not registrations: value → patterns it fits, and patterns that fit → registrations.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, cast

from penstock.wiring.properties import type_name
from penstock.wiring.proxies.modes import Mode, split_mode
from penstock.wiring.proxy import Proxy
from penstock.wiring.value_patterns import ValuePatterns, maybe_text
from penstock.wiring.wildcards import settled_value, value_fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.properties import Properties
    from penstock.wiring.registration import Registration
    from penstock.wiring.value_patterns import Criterion

__all__ = ["PropWild"]

#: How many sets of fitting patterns the way is remembered for; it starts over when there are more.
REMEMBERED: Final = 1024

#: Characters in a value pattern. Comparing may cost this times the value's length, so there must be a
#: bound; this one is that of a DEST-WILD pattern that comes by AMQP (0-9-1 §4.2.5.3, short strings).
MOST_CHARACTERS: Final = 255

#: How the criteria combine, and what is asked of each property.
Normal = tuple[Mode, tuple[tuple[str, str | None], ...]]


class PropWild(Proxy):
    """A building block of content-based routing."""

    class_name = "PROP-WILD"

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self.names: dict[str, ValuePatterns] = {}
        #: How many criteria a registration wants met; those that want none get everything.
        self.wanted: dict[Registration, int] = {}
        self.unconditional: dict[Registration, None] = {}
        self.known_sets: dict[tuple[Criterion, ...], Sequence[Registration]] = {}

    def normalise(self, pattern: Any) -> Normal:
        mode, criteria = split_mode(self, pattern)
        for name, asked in criteria.items():
            if asked is not None and not isinstance(asked, str):
                raise self.refuse(pattern, f"{name} is to be a text with wildcards, or None for any value")
            if asked is not None and len(asked) > MOST_CHARACTERS:
                raise self.refuse(f"{name} like {asked[:40]}…", f"{MOST_CHARACTERS} characters are the most")
        if len(criteria) == 1:
            mode = "all"
        settled = {name: None if asked is None else settled_value(asked) for name, asked in criteria.items()}
        return mode, tuple((name, settled[name]) for name in sorted(settled))

    # The index

    def index(self, registration: Registration) -> None:
        mode, criteria = cast("Normal", registration.pattern)
        for name, asked in criteria:
            self.names.setdefault(name, ValuePatterns()).add(asked, registration)
        if criteria:
            self.wanted[registration] = len(criteria) if mode == "all" else 1
        elif mode == "all":
            self.unconditional[registration] = None
        self.known_sets.clear()

    def unindex(self, registration: Registration) -> None:
        _, criteria = cast("Normal", registration.pattern)
        for name, asked in criteria:
            patterns = self.names[name]
            patterns.remove(asked, registration)
            if patterns.is_empty():
                del self.names[name]
        self.wanted.pop(registration, None)
        self.unconditional.pop(registration, None)
        self.known_sets.clear()

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        properties = message.properties
        met: list[Criterion] = []
        for name, patterns in self.names.items():
            if name in properties:
                met += patterns.met_by(properties[name])
        key = tuple(met)
        found = self.known_sets.get(key)
        if found is None:
            if len(self.known_sets) >= REMEMBERED:
                self.known_sets.clear()
            found = self.known_sets[key] = self.asking_for(key)
        return found

    def asking_for(self, criteria: tuple[Criterion, ...]) -> Sequence[Registration]:
        """The registrations for which meeting these criteria, and no others, is enough."""
        counts = Counter(registration for criterion in criteria for registration in criterion)
        enough = (registration for registration, met in counts.items() if met >= self.wanted[registration])
        return (*self.unconditional, *enough)

    # For people

    def why_not(self, pattern: Normal, message: Message, destination: str) -> str | None:
        mode, criteria = pattern
        reasons = [why_unmet(name, asked, message.properties) for name, asked in criteria]
        unmet = [reason for reason in reasons if reason]
        if mode == "all":
            return unmet[0] if unmet else None
        if len(unmet) < len(criteria):
            return None
        return "; ".join(unmet) or "it asks for any of no properties, which nothing meets"

    def describe(self, pattern: Normal) -> str:
        mode, criteria = pattern
        asks = (f"{name} present" if asked is None else f"{name} like {asked!r}" for name, asked in criteria)
        return f"{mode} of ({', '.join(asks)})"


def why_unmet(name: str, asked: str | None, properties: Properties) -> str | None:
    """Why a property is not what is asked for; None if it is."""
    if name not in properties:
        return f"there is no property {name!r}"
    if asked is None:
        return None
    text = maybe_text(properties[name])
    if text is None:
        return f"property {name!r} is of type {type_name(properties[name])}, which has no text to compare"
    return None if value_fits(asked, text) else f"property {name!r} is {text!r}, not like {asked!r}"
