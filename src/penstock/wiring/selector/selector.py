"""A selector: a statement that has been read, ready to be asked about messages."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from penstock.wiring.selector import evaluating, parsing, planning, printing, reasons

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from penstock.wiring.conditions import Conditions
    from penstock.wiring.properties import Properties
    from penstock.wiring.selector.nodes import Condition

__all__ = ["Selector", "parse"]

#: Statements that stay read: thousands of queues register with the same few.
REMEMBERED: Final = 1024


class Selector:
    """A statement; two are equal if they differ in nothing but spacing and spelling."""

    # Tens of thousands may be registered, and most are only ever asked through an index: what else
    # can be asked is made from the text again when somebody asks.
    __slots__ = ("_holds", "conditions", "text")

    def __init__(self, node: Condition) -> None:
        #: The statement in its canonical form.
        self.text: Final = printing.text(node)
        #: The statement as an index wants it.
        self.conditions: Final[Conditions] = planning.conditions(node)
        self._holds: evaluating.Test | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Selector) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"<Selector {self.text}>"

    @property
    def required(self) -> Mapping[str, frozenset[Hashable]]:
        """Property → the keys of the values of which it must have one (values.key)."""
        return planning.required(parsing.read(self.text))

    def matches(self, properties: Properties) -> bool:
        """Whether the statement is true, neither false nor unknown, for these properties."""
        if self._holds is None:
            self._holds = evaluating.condition(parsing.read(self.text))
        return self._holds(properties) is True

    def why_not(self, properties: Properties) -> str | None:
        """Which condition is false or unknown, and the values it met; None if the statement is true."""
        return reasons.why_not(parsing.read(self.text), properties)


@lru_cache(REMEMBERED)
def parse(statement: str) -> Selector:
    """Read a statement.

    Raises:
        BadSelector: it cannot be read; the error has the column, and what could stand there.
    """
    # Only here: the canonical form may be a little longer than what it was read from.
    parsing.check_length(statement)
    return Selector(parsing.read(statement))
