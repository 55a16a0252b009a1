"""The parameters of redelivery, by Orb's names, and the waits that follow from them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.messaging.settings import MessagingSettings

__all__ = ["RedeliveryPolicy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RedeliveryPolicy:
    """How often a rejected message comes back, and after how long."""

    #: mq-redelivery-max-attempts: how often it is delivered after the first time.
    max_attempts: int = 20
    #: mq-redelivery-initial-interval, in seconds.
    initial_interval: float = 2.0
    #: mq-redelivery-multiplier: each wait is so many times the one before.
    multiplier: float = 1.5
    #: mq-redelivery-max-interval, in seconds: no wait is longer.
    max_interval: float = 30.0
    #: Orb's prose multiplies the first wait too (3 s, 4.5 s, …), its code and diagram do not (2 s,
    #: 3 s, …).
    first_wait_multiplied: bool = False

    def __post_init__(self) -> None:
        _check("mq-redelivery-max-attempts", self.max_attempts, least=0)
        _check("mq-redelivery-initial-interval", self.initial_interval, least=0)
        _check("mq-redelivery-multiplier", self.multiplier, least=1)
        _check("mq-redelivery-max-interval", self.max_interval, least=0)

    @classmethod
    def from_settings(cls, settings: MessagingSettings) -> RedeliveryPolicy:
        """What an application's settings say."""
        return cls(
            max_attempts=settings.mq_redelivery_max_attempts,
            initial_interval=settings.mq_redelivery_initial_interval,
            multiplier=settings.mq_redelivery_multiplier,
            max_interval=settings.mq_redelivery_max_interval,
            first_wait_multiplied=settings.mq_redelivery_first_wait == "multiplied",
        )

    def interval(self, redelivered: int) -> float:
        """Seconds that a message waits which was redelivered so often, and rejected again."""
        if not redelivered:
            return 0.0
        power = redelivered if self.first_wait_multiplied else redelivered - 1
        try:
            grown = self.initial_interval * self.multiplier**power
        except OverflowError:
            return self.max_interval
        return min(grown, self.max_interval)


def _check(name: str, value: float, *, least: float) -> None:
    # Written so that a number that is none (NaN) is found out, too.
    if not least <= value < float("inf"):
        raise BadSetting(f"{name} is {value}, and must be a number from {least:g} on", setting=name)
