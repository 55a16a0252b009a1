"""SELECTOR routes messages using a selector statement: SQL WHERE conditions over their properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.wiring.conditions import ConditionIndex
from penstock.wiring.proxy import Proxy
from penstock.wiring.selector import Selector, parse
from penstock.wiring.selector.values import key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.wiring.message import Message
    from penstock.wiring.registration import Registration

__all__ = ["SelectorProxy"]


class SelectorProxy(Proxy):
    """Equalities and ranges are looked up, the rest of a statement is evaluated."""

    class_name = "SELECTOR"

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self._index = ConditionIndex(key)

    def normalise(self, pattern: Any) -> Selector:
        if isinstance(pattern, Selector):
            return pattern
        if not isinstance(pattern, str):
            raise self.refuse(pattern, "the pattern is a statement, e.g. \"region = 'eu' AND weight > 5\"")
        return parse(pattern)

    # The index

    def index(self, registration: Registration) -> None:
        self._index.add(registration, self.normalise(registration.pattern).conditions)

    def unindex(self, registration: Registration) -> None:
        self._index.remove(registration, self.normalise(registration.pattern).conditions)

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        return self._index.find(message.properties)

    def passes(self, pattern: Selector, message: Message, destination: str) -> bool:
        return pattern.matches(message.properties)

    # For people

    def why_not(self, pattern: Selector, message: Message, destination: str) -> str | None:
        return pattern.why_not(message.properties)

    def describe(self, pattern: Selector) -> str:
        return pattern.text
