"""Which dead letters are meant. A value: fields that a database compares, and a selector for the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import MessagingError
from penstock.messaging.dead_letters.record import DEAD, STATES
from penstock.wiring.selector import parse

if TYPE_CHECKING:
    from penstock.messaging.dead_letters.record import DeadLetter

__all__ = ["Selection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """All dead letters that fit everything that is said."""

    consumer: str | None = None
    type: str | None = None
    group: str | None = None
    message_ids: tuple[str, ...] = ()
    #: Of these queues only; None is any.
    queues: tuple[str, ...] | None = None
    #: dead, redriven, retried; None is any.
    state: str | None = DEAD
    #: A selector over `DeadLetter.properties`, e.g. "attempts > 3 AND region = 'eu'".
    where: str | None = None

    def __post_init__(self) -> None:
        if self.state is not None and self.state not in STATES:
            raise MessagingError(f"a dead letter is {', '.join(STATES)}, never {self.state}")
        if self.where is not None:
            # Reading it now tells a mistake before anything is done.
            parse(self.where)

    @property
    def is_everything(self) -> bool:
        """Whether nothing but the state is said."""
        return not (self.consumer or self.type or self.group or self.message_ids or self.where)

    def fits(self, letter: DeadLetter) -> bool:
        """Whether the selector holds for it; the fields were compared by the database."""
        return self.where is None or parse(self.where).matches(letter.properties)
