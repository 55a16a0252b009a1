"""What a client has done and met, as numbers that only grow; read them, do not write them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counters"]


@dataclass(slots=True)
class Counters:
    """Since the client was made, over all its connections."""

    #: Messages given to a socket.
    published: int = 0
    #: Of those: confirmed, of these given back; refused, past their deadline, gone with their channel.
    confirmed: int = 0
    returned: int = 0
    refused: int = 0
    timed_out: int = 0
    lost: int = 0
    #: Messages that came, and what was said about them.
    delivered: int = 0
    acked: int = 0
    rejected: int = 0
    #: Settlements of messages whose channel is gone: the broker will deliver them again.
    stale_acks: int = 0
    #: Messages beyond the setting `max_body`, rejected unseen.
    too_large: int = 0
    #: Connections opened, those lost without our doing, and attempts that failed.
    connected: int = 0
    disconnected: int = 0
    failed_attempts: int = 0
    #: Channels that the broker closed, and consumers that it cancelled.
    channels_closed: int = 0
    consumers_cancelled: int = 0
