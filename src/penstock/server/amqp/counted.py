"""What AMQP clients have done since the broker started, for those who watch; no message waits for it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counted"]


@dataclass(slots=True)
class Counted:
    """Only grows."""

    #: Those that were opened, whether they are still there or not.
    connections: int = 0
    channels: int = 0
    #: Publishes that were confirmed on channels that are closed; open ones know their own.
    confirmed: int = 0
    #: Messages that no queue asked for: given back to whoever wanted to know, and dropped where nobody did.
    returned: int = 0
    dropped: int = 0
