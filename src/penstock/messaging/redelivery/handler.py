"""The redelivery handler: takes what arrives in the redelivery queue and does what was decided.

All that has arrived is published together, with one wait for the confirms; a message is acked when its copy
is confirmed, and not before. So one handler keeps up with many queues, and several may run.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

from penstock.errors import ClientError, MessagingError, Unroutable
from penstock.messaging.alerts.kinds import EXHAUSTED
from penstock.messaging.draining import Drain
from penstock.messaging.port import Alert
from penstock.messaging.redelivery.copies import copy_for
from penstock.messaging.redelivery.decision import Abort, Redeliver, decide
from penstock.messaging.redelivery.policy import RedeliveryPolicy
from penstock.messaging.redelivery.topology import RedeliveryNames, redelivery_topology

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from penstock.messaging.message import Destination, Message
    from penstock.messaging.port import Alerts, Broker, Received
    from penstock.messaging.redelivery.decision import Action

__all__ = ["RedeliveryHandler"]

#: Messages in hand; as many are published with one wait.
PREFETCH: Final = 200

_log = logging.getLogger(__name__)


class RedeliveryHandler:
    """Redelivers the rejected messages of all queues whose dead-letter home is `names.redelivery`.

    A part of an application (`app.attach`), or `await handler.start(broker)` and `await handler.stop()`.
    """

    def __init__(
        self,
        policy: RedeliveryPolicy | None = None,
        *,
        names: RedeliveryNames | None = None,
        alerts: Alerts | None = None,
        arguments: Mapping[str, Any] | None = None,
        prefetch: int = PREFETCH,
    ) -> None:
        self._maybe_broker: Broker | None = None
        self._policy = policy or RedeliveryPolicy()
        self._names = names or RedeliveryNames()
        self._alerts = alerts
        self._arguments = arguments
        self._drain = Drain(self._names.redelivery, self._handle, prefetch=prefetch)
        #: How often each was done: Redeliver, Wait, Abort.
        self.counts: Final = Counter[str]()

    def __repr__(self) -> str:
        done = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        return f"<RedeliveryHandler {self._names.redelivery}: {done or 'nothing yet'}>"

    @property
    def is_busy(self) -> bool:
        """Whether anything is in hand."""
        return self._drain.is_busy

    async def start(self, broker: Broker) -> None:
        """Have the queues of redelivery, and begin."""
        self._maybe_broker = broker
        await broker.initialize(redelivery_topology(names=self._names, arguments=self._arguments))
        await self._drain.start(broker)

    async def stop(self) -> None:
        """Take no more; what is not done goes back."""
        await self._drain.stop()

    @property
    def _broker(self) -> Broker:
        if self._maybe_broker is None:
            raise MessagingError("redelivery has not been started")
        return self._maybe_broker

    async def _handle(self, batch: Sequence[Received]) -> None:
        gone = await self._publish([(received, self._decide(received)) for received in batch])
        lost = [
            (received, Abort(action.queue, action.count - 1, f"queue {action.queue} is gone"))
            for received, action in gone
        ]
        if lost:
            await self._publish(lost)

    def _decide(self, received: Received) -> Action:
        headers = received.message.headers
        return decide(headers, received.deaths, self._policy, waiting_room=self._names.wait)

    async def _publish(self, decided: Sequence[tuple[Received, Action]]) -> list[tuple[Received, Redeliver]]:
        """Publish and settle; returns those whose queue no longer exists."""
        copies = [self._copy(received, action) for received, action in decided]
        errors: Sequence[ClientError | None]
        try:
            errors = await self._broker.publish_many(copies)
        except ClientError as exc:
            errors = [exc] * len(copies)
        gone: list[tuple[Received, Redeliver]] = []
        late: list[Received] = []
        for (received, action), error in zip(decided, errors, strict=True):
            if error is None:
                self._done(received, action)
            elif isinstance(error, Unroutable) and isinstance(action, Redeliver):
                gone.append((received, action))
            else:
                late.append(received)
        if late:
            _log.warning("%d messages cannot be redelivered now", len(late))
        await self._drain.give_back(late)
        return gone

    def _copy(self, received: Received, action: Action) -> tuple[Message, Destination]:
        now = self._broker.clock.now()
        return copy_for(action, received.message, received.deaths, self._names, now)

    def _done(self, received: Received, action: Action) -> None:
        self._drain.ack(received)
        self.counts[type(action).__name__] += 1
        if isinstance(action, Abort) and self._alerts is not None:
            message = received.message
            text = f"{message.id or 'a message'} of {action.queue or 'an unknown queue'}: {action.reason}"
            facts = {"message_id": message.id, "type": message.type, "dead_letters": self._names.dead_letters}
            self._alerts.raise_alert(
                Alert(kind=EXHAUSTED, subject=action.queue, text=text, details=facts, is_critical=True)
            )
