"""What an application's messaging is told: one frozen object, by the names of Orb's startup parameters.

`mq_url` is `mq-url` there, and so on; defaults are Orb's. In the environment each is its name in
capitals: MQ_URL. Durations may be written as Orb writes them (1m30s) or as Penstock does (90s, 1.5min).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.client import ClientSettings
from penstock.errors import BadSetting
from penstock.messaging.subscriptions.strategies import Backoff, Rejecting
from penstock.settings.kinds import FILE, SECRET, Kind, choice, count, duration, optional
from penstock.settings.options import Option, option, options_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from penstock.messaging.subscriptions.strategies import RetryStrategy

__all__ = ["MESSAGING_OPTIONS", "MessagingSettings"]

BROKER: Final = "Broker"
PUBLISHING: Final = "Publishing"
POOLS: Final = "Pools"
REDELIVERY: Final = "Redelivery"
CONSUMERS: Final = "Consumers"

#: Orb calls these by other names in the environment.
OTHER_VARIABLES: Final = {"MQ_PUBLISHER_POOL": "mq_publisher_channel_pool_size"}

#: Go's durations, which Orb's parameters are written in: parts, largest first.
_GO: Final = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?", re.ASCII)


def _duration(least: float, most: float) -> Kind:
    """Seconds, also as Go writes them."""
    kind = duration(least, most)

    def read(value: Any) -> Any:
        found = _GO.fullmatch(value.strip()) if isinstance(value, str) and value.strip() else None
        if found is None:
            return kind.read(value)
        hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return kind.read(hours * 3600 + minutes * 60 + seconds)

    return Kind(kind.takes, read, kind.shown, kind.metavar)


def _number(least: float, most: float) -> Kind:
    def read(value: Any) -> float:
        try:
            found = float(value)
        except (TypeError, ValueError) as exc:
            raise ValueError(f"{value!r} is not a number") from exc
        if not least <= found <= most:
            raise ValueError(f"{value!r} is not from {least:g} to {most:g}")
        return found

    return Kind(f"a number from {least:g} to {most:g}", read, lambda value: f"{value:g}", "NUMBER")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagingSettings:
    """How an application reaches its broker, and how its consumers behave unless they say otherwise."""

    # Broker
    # A URL may hold a password: it is treated as the secret it is.
    mq_url: str | None = option(
        None,
        optional(SECRET),
        BROKER,
        "The broker: amqp:// or amqps://, several with commas between for a cluster; or beanstalk:// or "
        "beanstalks://, for what needs no exchanges. "
        "With none, the application has a whole broker inside its own process.",
    )
    mq_data: Path | None = option(  # noqa: RUF009  an option is a dataclass field, made by a function of ours
        None,
        optional(FILE),
        BROKER,
        "Where the broker inside the process keeps durable queues; with none, in memory.",
    )
    mq_connect_max_retries: int = option(
        25, count(0, 1_000_000), BROKER, "How often connecting is tried again before the start fails."
    )
    mq_connect_timeout: float = option(
        10.0, _duration(0.1, 600), BROKER, "How long one try to connect may take."
    )
    mq_max_connection_subscriptions: int = option(
        1000,
        count(1, 65_535),
        BROKER,
        "Subscribers on one connection; the next opens a further connection. RabbitMQ allows 2047.",
    )
    mq_queue_type: Literal["classic", "quorum"] = option(
        "classic",
        choice("classic", "quorum"),
        BROKER,
        "How queues are declared on RabbitMQ. Quorum queues need three nodes to be worth it.",
    )
    mq_heartbeat: int = option(
        30, count(0, 65_535), BROKER, "Seconds between heartbeats that are asked for; 0 is none."
    )

    # Publishing
    mq_publisher_channel_pool_size: int = option(
        25,
        count(0, 65_535),
        PUBLISHING,
        "Channels that publishes share; 0 opens and closes one for each publish.",
    )
    mq_publish_timeout: float = option(
        10.0, _duration(0.001, 3600), PUBLISHING, "The deadline of a publish that names none."
    )

    # Pools
    mq_observer_pool: int = option(
        5,
        count(1, 10_000),
        POOLS,
        "How much the observer takes of orb.anchor and orb.did at a time: a hundred messages for each.",
    )
    mq_outbox_pool: int = option(5, count(1, 10_000), POOLS, "Handlers at a time for orb.activity.outbox.")
    mq_inbox_pool: int = option(5, count(1, 10_000), POOLS, "Handlers at a time for orb.activity.inbox.")
    mq_anchor_linkset_pool: int = option(
        5, count(1, 10_000), POOLS, "Handlers at a time for orb.anchor_linkset."
    )
    op_queue_pool: int = option(5, count(1, 10_000), POOLS, "Handlers at a time for orb.operation.")
    mq_pool: int = option(
        5, count(1, 10_000), POOLS, "Handlers at a time for every other consumer that does not say."
    )
    mq_prefetch: int = option(
        10, count(1, 65_535), POOLS, "Messages in hand for each handler of a pool that does not say."
    )

    # Redelivery
    mq_redelivery: Literal["consumer", "queue"] = option(
        "consumer",
        choice("consumer", "queue"),
        REDELIVERY,
        "Who sees to a message that failed, where a consumer has no retry strategy of its own: the consumer, "
        "which publishes a copy that comes back later, or a queue, the dead-letter home of all, as in Orb.",
    )
    mq_redelivery_first_wait: Literal["initial", "multiplied"] = option(
        "initial",
        choice("initial", "multiplied"),
        REDELIVERY,
        "Whether the queue's first wait is the initial interval, as in Orb's code, or multiplied already, as "
        "in its documentation.",
    )
    mq_redelivery_max_attempts: int = option(
        20, count(0, 1_000_000), REDELIVERY, "How often a failed message is tried again."
    )
    mq_redelivery_initial_interval: float = option(
        2.0, _duration(0, 86_400), REDELIVERY, "How long it waits before the first delayed redelivery."
    )
    mq_redelivery_multiplier: float = option(
        1.5, _number(1, 1000), REDELIVERY, "What each further wait is multiplied by."
    )
    mq_redelivery_max_interval: float = option(
        30.0, _duration(0, 86_400), REDELIVERY, "The longest wait between two attempts."
    )

    # Consumers
    mq_stuck_after: float = option(
        300.0,
        _duration(1, 604_800),
        CONSUMERS,
        "A consumer that is at one message for so long, or unknown to the broker, is reported as stuck.",
    )
    mq_stop_timeout: float = option(
        30.0, _duration(0, 3600), CONSUMERS, "How long a stop waits for handlers that have begun."
    )

    def __post_init__(self) -> None:
        for name, each in MESSAGING_OPTIONS.items():
            object.__setattr__(self, name, each.read(getattr(self, name), "given"))
        if self.mq_redelivery_max_interval < self.mq_redelivery_initial_interval:
            raise BadSetting(
                "mq_redelivery_max_interval is less than mq_redelivery_initial_interval",
                setting="mq_redelivery_max_interval",
            )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> MessagingSettings:
        """The settings that the environment has; what else is in it is somebody else's.

        Raises:
            BadSetting: naming the variable.
        """
        variables = {name.upper(): name for name in MESSAGING_OPTIONS} | OTHER_VARIABLES
        values = {
            name: MESSAGING_OPTIONS[name].read(environ[variable], variable)
            for variable, name in variables.items()
            if variable in environ
        }
        return cls(**values)

    @property
    def client(self) -> ClientSettings:
        """The same, for the client."""
        return ClientSettings(
            publisher_channels=self.mq_publisher_channel_pool_size,
            channels_per_connection=self.mq_max_connection_subscriptions,
            publish_timeout=self.mq_publish_timeout,
            connect_timeout=self.mq_connect_timeout,
            connect_max_retries=self.mq_connect_max_retries,
            heartbeat=self.mq_heartbeat,
        )

    @property
    def retry(self) -> RetryStrategy:
        """The retry strategy of a consumer that names none."""
        if self.mq_redelivery == "queue":
            return Rejecting()
        return Backoff(
            attempts=self.mq_redelivery_max_attempts,
            initial=self.mq_redelivery_initial_interval,
            multiplier=self.mq_redelivery_multiplier,
            cap=self.mq_redelivery_max_interval,
        )

    @property
    def queue_arguments(self) -> dict[str, Any]:
        """What queues are declared with beside their own."""
        return {"x-queue-type": "quorum"} if self.mq_queue_type == "quorum" else {}


#: Every option by name, in order.
MESSAGING_OPTIONS: Final[Mapping[str, Option]] = options_of(MessagingSettings)
