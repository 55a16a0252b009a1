"""What the doctor finds, and how bad it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Finding", "Severity"]


class Severity(IntEnum):
    """How bad a finding is."""

    #: Good to know.
    NOTE = 0
    #: It runs, and something is lost or slower than it need be.
    RISK = 1
    #: It does not run there.
    REFUSED = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that somebody should know about an application on a broker."""

    severity: Severity
    #: Whom it concerns: "queue commons.notifications".
    subject: str
    #: Why, and what to do.
    text: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}"
