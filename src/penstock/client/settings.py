"""How a client behaves: one frozen object, with defaults that lose nothing and wait for nobody for ever."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.wire.amqp.constants import DEFAULT_FRAME_MAX, FRAME_MIN_SIZE

__all__ = ["ClientSettings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSettings:
    """Times are in seconds, sizes in bytes."""

    #: What the broker's operators see this client as.
    name: str = "penstock"
    #: Channels that publishes share (Orb: mq-publisher-channel-pool-size); 0 opens one for each publish.
    publisher_channels: int = 25
    #: Messages a channel may have unconfirmed before the next channel, or the next confirm, is waited for.
    publish_window: int = 1000
    #: Subscriber channels on a connection before a further one is opened (Orb: mq-max-connection-channels).
    channels_per_connection: int = 1000
    #: The deadline of a publish that names none.
    publish_timeout: float = 10.0
    #: From dialing to an open connection.
    connect_timeout: float = 10.0
    #: For the broker's answer to anything else, and for a connection to ask over.
    answer_timeout: float = 30.0
    #: Whole seconds; 0 for none. The broker may have it shorter.
    heartbeat: int = 30
    #: Attempts after the first until `connect` gives up (Orb: mq-connect-max-retries); None is never.
    connect_max_retries: int | None = 25
    #: The same for a client that was connected before: it normally waits for its broker as long as it takes.
    reconnect_max_retries: int | None = None
    #: How often a lost connection's login may be refused before it is taken seriously: brokers that are still
    #: starting do not know their users yet.
    login_retries: int = 3
    #: The wait before the second attempt, what it is multiplied by each time, and the longest.
    backoff_initial: float = 0.2
    backoff_multiplier: float = 2.0
    backoff_max: float = 5.0
    #: The part of a wait that chance may take away, so that a thousand clients do not come back at once.
    backoff_jitter: float = 0.5
    frame_max: int = DEFAULT_FRAME_MAX
    #: A larger message is rejected, hence dead-lettered, instead of filling the memory.
    max_body: int = 128 * 1024 * 1024
    #: How long `close` waits for confirms and settlements.
    close_timeout: float = 5.0

    def __post_init__(self) -> None:
        for name in ("publisher_channels", "heartbeat", "login_retries", "backoff_initial", "backoff_max"):
            _must(getattr(self, name) >= 0, name, "cannot be negative")
        for name in ("channels_per_connection", "publish_window", "max_body"):
            _must(getattr(self, name) > 0, name, "must be at least 1")
        for name in ("publish_timeout", "connect_timeout", "answer_timeout"):
            _must(getattr(self, name) > 0, name, "must be more than nothing")
        _must(self.backoff_multiplier >= 1, "backoff_multiplier", "must be at least 1")
        _must(0 <= self.backoff_jitter <= 1, "backoff_jitter", "is a part: 0 to 1")
        _must(
            not self.frame_max or self.frame_max >= FRAME_MIN_SIZE, "frame_max", "must be at least 4096, or 0"
        )


def _must(is_so: bool, name: str, otherwise: str) -> None:  # noqa: FBT001 (a check, not a choice)
    if not is_so:
        raise ValueError(f"{name} {otherwise}")
