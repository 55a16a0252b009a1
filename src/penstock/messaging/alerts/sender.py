"""The port to whoever tells people: one verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from penstock.messaging.port import Alert

__all__ = ["Sender"]


class Sender(Protocol):
    """One way to reach people."""

    async def send(self, alert: Alert) -> None:
        """Tell it; whatever is raised is logged, and it is tried again a few times."""
        ...
