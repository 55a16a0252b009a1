"""Watches over subscriptions: who is stuck is told.

A consumer is stuck when one of its handlers is at the same message for too long, or when the broker does not
know of it for too long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.messaging.alerts.kinds import STUCK_CONSUMER
from penstock.messaging.port import Alert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.clock import Alarm, Clock
    from penstock.messaging.port import Alerts
    from penstock.messaging.subscriptions.subscription import Subscription

__all__ = ["Watch"]


class Watch:
    """Looks at subscriptions again and again. `start` it and `stop` it."""

    def __init__(
        self, subscriptions: Iterable[Subscription], *, clock: Clock, alerts: Alerts, after: float
    ) -> None:
        """`after` so many seconds a consumer is stuck."""
        self._subscriptions = tuple(subscriptions)
        self._clock = clock
        self._alerts = alerts
        self._after = after
        #: Since when the broker does not know them.
        self._away: dict[Subscription, float] = {}
        self._alarm: Alarm | None = None

    def start(self) -> None:
        """Look from now on."""
        self._alarm = self._clock.call_at(self._clock.now() + self._after / 2, self._look)

    def stop(self) -> None:
        """Look no more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _look(self) -> None:
        now = self._clock.now()
        for subscription in self._subscriptions:
            for trouble in self._troubles(subscription, now):
                name = subscription.consumer.name
                self._alerts.raise_alert(
                    Alert(
                        kind=STUCK_CONSUMER,
                        subject=name,
                        text=f"{name} {trouble}",
                        details={"queue": subscription.consumer.queue, "state": subscription.state},
                        is_critical=True,
                    )
                )
        self.start()

    def _troubles(self, subscription: Subscription, now: float) -> Iterator[str]:
        busy = subscription.busiest_s(now)
        if busy >= self._after:
            yield f"has been handling one message for {busy:.0f} s"
        if subscription.is_live or subscription.state != "running":
            self._away.pop(subscription, None)
            return
        away = now - self._away.setdefault(subscription, now)
        if away >= self._after:
            yield f"has been no consumer of {subscription.consumer.queue!r} for {away:.0f} s"
