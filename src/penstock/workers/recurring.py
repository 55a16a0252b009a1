"""A job that comes by itself, again and again. A value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.workers.cron import Cron

__all__ = ["Recurring"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """A job, and when it is put."""

    #: What all schedulers of a system know it by.
    name: str
    cron: Cron
    queue: str
    #: The whole job, as a message has it.
    body: bytes
    priority: int
