"""Connection: a client, as the wiring sees it: its ledgers and its private queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wiring.ledger import Ledger

if TYPE_CHECKING:
    from penstock.wiring.queue import Queue

__all__ = ["Connection"]


class Connection:
    """One client's connection; what is private to it goes with it."""

    __slots__ = ("ledgers", "name", "private")

    def __init__(self, name: str) -> None:
        self.name = name
        self.ledgers: dict[Ledger, None] = {}
        self.private: dict[Queue, None] = {}

    def __repr__(self) -> str:
        return f"<Connection {self.name!r}, {len(self.ledgers)} ledgers, {len(self.private)} private queues>"

    def open_ledger(self) -> Ledger:
        """A new stream of deliveries."""
        ledger = self.new_ledger()
        self.ledgers[ledger] = None
        return ledger

    def new_ledger(self) -> Ledger:
        """A ledger of the kind that connections like this one have."""
        return Ledger(self)
