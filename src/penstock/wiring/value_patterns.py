"""What all registrations at a PROP-WILD proxy ask of one property, looked up by its value.

A pattern without wildcards is found in a dict. The others are tried one by one, each once however many
registrations share it, and what was found is remembered for values that come again. Nothing here knows
how criteria combine, or what else a registration asks for.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from penstock.wiring.wildcards import has_wildcards, literal_ends, value_fits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.wiring.properties import Value
    from penstock.wiring.registration import Registration

__all__ = ["Criterion", "ValuePatterns", "maybe_text"]

#: How many values are remembered; it starts over when there are more.
REMEMBERED: Final = 1024
#: Characters of the longest value remembered, so that the memory is bounded, not only the count.
LONGEST_REMEMBERED: Final = 256

text_forms: Final[dict[type, Callable[[Value], str]]] = {
    str: str,
    bool: lambda value: "true" if value else "false",
    int: str,
    float: str,
    Decimal: str,
}


def maybe_text(value: Value) -> str | None:
    """The text patterns are compared with: of text, numbers and booleans; None for anything else."""
    form = text_forms.get(type(value))
    if form is None:
        return None
    try:
        return form(value)
    except ValueError:  # An integer of more digits than Python is willing to write.
        return None


class Criterion:
    """One value pattern for one property, and the registrations that ask for it."""

    __slots__ = ("asked", "begins", "ends", "registrations")

    def __init__(self, asked: str | None) -> None:
        self.asked = asked
        self.begins, self.ends = literal_ends(asked or "")
        self.registrations: dict[Registration, None] = {}

    def __iter__(self) -> Iterator[Registration]:
        return iter(self.registrations)

    def fits(self, text: str) -> bool:
        """Whether the pattern fits. Most do not, and their ends tell at a tenth of the cost."""
        return text.startswith(self.begins) and text.endswith(self.ends) and value_fits(str(self.asked), text)

    def __repr__(self) -> str:
        return f"<Criterion {self.asked!r} of {len(self.registrations)} registrations>"


class ValuePatterns:
    """The criteria on one property."""

    __slots__ = ("known", "literal", "present", "wild")

    def __init__(self) -> None:
        #: Each of the three: pattern → criterion.
        self.present: dict[str | None, Criterion] = {}
        self.literal: dict[str | None, Criterion] = {}
        self.wild: dict[str | None, Criterion] = {}
        #: Text → the criteria it meets.
        self.known: dict[str, tuple[Criterion, ...]] = {}

    def __repr__(self) -> str:
        counts = f"{len(self.present)} present, {len(self.literal)} literal, {len(self.wild)} wild"
        return f"<ValuePatterns {counts}, {len(self.known)} values known>"

    def is_empty(self) -> bool:
        """Whether nobody asks anything of this property."""
        return not self.present and not self.literal and not self.wild

    def add(self, asked: str | None, registration: Registration) -> None:
        """A registration asks this of the property."""
        home = self.home(asked)
        if asked not in home:
            home[asked] = Criterion(asked)
            self.known.clear()
        home[asked].registrations[registration] = None

    def remove(self, asked: str | None, registration: Registration) -> None:
        """It does so no longer."""
        home = self.home(asked)
        criterion = home[asked]
        del criterion.registrations[registration]
        if not criterion.registrations:
            del home[asked]
            self.known.clear()

    def home(self, asked: str | None) -> dict[str | None, Criterion]:
        """Where a pattern is kept."""
        if asked is None:
            return self.present
        return self.wild if has_wildcards(asked) else self.literal

    def met_by(self, value: Value) -> tuple[Criterion, ...]:
        """The criteria a value meets, in the same order whenever they are the same."""
        text = maybe_text(value)
        if text is None:
            return tuple(self.present.values())
        found = self.known.get(text)
        if found is None:
            found = self.look_up(text)
            if len(text) <= LONGEST_REMEMBERED:
                if len(self.known) >= REMEMBERED:
                    self.known.clear()
                self.known[text] = found
        return found

    def look_up(self, text: str) -> tuple[Criterion, ...]:
        """The criteria a text meets, without remembering."""
        literal = self.literal.get(text)
        wild = [criterion for criterion in self.wild.values() if criterion.fits(text)]
        return (*self.present.values(), *([literal] if literal else ()), *wild)
