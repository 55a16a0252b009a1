"""Message groups: the messages of one key, in order, in at most one consumer's hands at a time.

Of each group one reference, its token, stands in the lanes among all others; the rest wait here. The
token tells when it is the group's turn; who leaves is the first of the group. While a group is in
hand it belongs to that consumer, and if that one has no room the group waits without holding up the
lanes. A group that is neither waiting nor in hand is forgotten.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from penstock.wiring.reference import State

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from penstock.wiring.consumer import Consumer
    from penstock.wiring.reference import Reference

__all__ = ["Groups"]


class Group:
    """One key's references: its tokens in the lanes, those behind them, and who has some in hand."""

    __slots__ = ("consumer", "in_hand", "tokens", "waiting")

    def __init__(self) -> None:
        self.consumer: Consumer | None = None
        self.in_hand = 0
        self.tokens: set[Reference] = set()
        self.waiting: list[Reference] = []

    def first(self) -> Reference | None:
        """The first of those that wait behind the tokens."""
        while self.waiting and self.waiting[0].state is not State.READY:
            heappop(self.waiting)
        return self.waiting[0] if self.waiting else None


class Groups:
    """The groups of one queue."""

    __slots__ = ("_groups", "_waiting")

    def __init__(self) -> None:
        self._groups: dict[Hashable, Group] = {}
        self._waiting = 0

    def __len__(self) -> int:
        """How many references wait behind the tokens."""
        return self._waiting

    def __iter__(self) -> Iterator[Reference]:
        for group in self._groups.values():
            yield from (reference for reference in group.waiting if reference.state is State.READY)

    def arrive(self, reference: Reference) -> bool:
        """Whether a new or returned reference is to stand in the lanes, as a token; else it waits here."""
        group = self._groups.setdefault(reference.message.terms.group, Group())
        if not group.tokens or reference < min(group.tokens):
            group.tokens.add(reference)
            return True
        self._wait(group, reference)
        return False

    def choose(
        self, token: Reference, candidate: Consumer, *, shared: bool = True
    ) -> tuple[Reference, Consumer] | None:
        """Who of a token's group goes to whom now that its turn has come.

        None if the one who has the group in hand has no room, or may not be chosen: the token then
        waits here. A candidate without room is for the caller to find out.
        """
        group = self._groups[token.message.terms.group]
        group.tokens.discard(token)
        first = group.first()
        if first is not None and first < token:
            heappop(group.waiting)
            heappush(group.waiting, token)
            token = first
        holder = group.consumer
        if holder is None:
            return token, candidate
        if holder.fits(token) if shared else holder is candidate:
            return token, holder
        self._wait(group, token)
        return None

    def hand(self, reference: Reference, consumer: Consumer) -> Reference | None:
        """A reference goes into a consumer's hands; the group's next token for the lanes, if any."""
        group = self._groups[reference.message.terms.group]
        group.consumer = consumer
        group.in_hand += 1
        return self._next_token(group)

    def settle(self, reference: Reference) -> Reference | None:
        """A reference has left a consumer's hands; the group's next token for the lanes, if any."""
        key = reference.message.terms.group
        group = self._groups[key]
        group.in_hand -= 1
        if not group.in_hand:
            group.consumer = None
        token = self._next_token(group)
        self._forget_if_idle(key, group)
        return token

    def withdraw(self, reference: Reference) -> tuple[bool, Reference | None]:
        """A waiting reference leaves; whether it stood in the lanes, and the next token for them."""
        key = reference.message.terms.group
        group = self._groups[key]
        was_token = reference in group.tokens
        group.tokens.discard(reference)
        self._waiting -= not was_token
        token = self._next_token(group)
        self._forget_if_idle(key, group)
        return was_token, token

    def clear(self) -> list[Reference]:
        """Take all that wait here; what is in hand stays known."""
        everything = list(self)
        for key, group in list(self._groups.items()):
            group.waiting.clear()
            group.tokens.clear()
            self._forget_if_idle(key, group)
        self._waiting = 0
        return everything

    def _wait(self, group: Group, reference: Reference) -> None:
        heappush(group.waiting, reference)
        self._waiting += 1

    def _next_token(self, group: Group) -> Reference | None:
        if group.tokens or (token := group.first()) is None:
            return None
        heappop(group.waiting)
        self._waiting -= 1
        group.tokens.add(token)
        return token

    def _forget_if_idle(self, key: Hashable, group: Group) -> None:
        if not (group.in_hand or group.tokens or group.first()):
            del self._groups[key]
