"""The ActivityPub service of a domain: outbox, inbox and what both keep, put together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.did.activities import follow, invite, names, undo
from penstock.did.federation.acceptance import Acceptance
from penstock.did.federation.archive import OUTBOX, find_activity
from penstock.did.federation.echoes import Echoes
from penstock.did.federation.handlers import Handlers
from penstock.did.federation.inbox import Inbox
from penstock.did.federation.outbox import Outbox
from penstock.did.federation.recipients import Recipients
from penstock.did.federation.relations import Relations
from penstock.did.federation.wishes import read_wish
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.errors import BadActivity
from penstock.messaging.message import Destination
from penstock.messaging.subscriptions import Subscription

if TYPE_CHECKING:
    from penstock.did.activities import Peers
    from penstock.did.database import DomainDatabase
    from penstock.did.federation.delivery import Delivery
    from penstock.did.federation.iris import Iris
    from penstock.messaging.port import Alerts, Broker

__all__ = ["Federation", "FederationRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FederationRules:
    """How a domain deals with others."""

    parameters: DidParameters
    queues: DomainQueues
    acceptance: Acceptance

    @classmethod
    def usual(cls) -> FederationRules:
        """As Orb has it, and open to everybody."""
        return cls(parameters=DidParameters(), queues=DomainQueues(), acceptance=Acceptance())


class Federation:
    """A domain among others. `start` it, post in its outbox, admit requests to its inbox, `stop` it."""

    def __init__(
        self,
        database: DomainDatabase,
        broker: Broker,
        *,
        iris: Iris,
        peers: Peers,
        delivery: Delivery,
        rules: FederationRules | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        """A service that is not started.

        Args:
            database: With the layout FEDERATION.
            broker: With the domain's queues.
            iris: What the service is called.
            peers: How others' services and keys are found.
            delivery: How activities get to others.
            alerts: Told of messages that are given up.
        """
        rules = rules or FederationRules.usual()
        self.iris = iris
        #: What the domain's parts do about activities that come in.
        self.handlers = Handlers()
        going = Handlers()
        self._database = database
        self._broker = broker
        self._rules = rules
        self._alerts = alerts
        self._subscriptions: list[Subscription] = []
        self.outbox = Outbox(
            database,
            broker,
            Recipients(database, peers, iris),
            delivery,
            service=iris.service,
            own=going,
            parameters=rules.parameters,
            queues=rules.queues,
        )
        self.inbox = Inbox(
            database, broker, peers, self.handlers, parameters=rules.parameters, queues=rules.queues
        )
        clock = broker.clock
        Relations(database, iris, self.outbox.post, rules.acceptance, clock=clock).register(
            self.handlers, going
        )
        Echoes(database, clock=clock).register(self.handlers, going)

    def __repr__(self) -> str:
        return f"<Federation {self.iris.service}, {'running' if self._subscriptions else 'stopped'}>"

    async def start(self) -> None:
        """Take messages of both queues.

        Raises:
            BrokerRefused: there are no such queues.
        """
        dead_letters = Destination.queue(self._rules.queues.dead_letters)
        for consumer in (self.outbox.consumer, self.inbox.consumer):
            subscription = Subscription(
                consumer, self._broker, dead_letters=dead_letters, alerts=self._alerts
            )
            self._subscriptions.append(subscription)
            await subscription.start()

    async def stop(self) -> None:
        """Take no more, for good; what has begun is finished, the rest goes back."""
        stopping, self._subscriptions = self._subscriptions, []
        timeout = self._rules.parameters.mq_stop_timeout
        await asyncio.gather(*(subscription.stop(timeout) for subscription in stopping))
        self.outbox.close()
        self.inbox.close()

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """Those of outbox and inbox, between start and stop."""
        return tuple(self._subscriptions)

    @property
    def is_busy(self) -> bool:
        """Whether an activity is being handled."""
        return any(subscription.is_busy for subscription in self._subscriptions)

    # What an operator asks for

    async def follow(self, service: str, *, name: str | None = None) -> str:
        """Ask to be told of another's anchors; returns the activity's name, for `undo`."""
        name = name or self.iris.new_activity()
        await self.outbox.post(follow(name=name, actor=self.iris.service, target=service))
        return name

    async def invite(self, service: str, *, name: str | None = None) -> str:
        """Ask another to witness this domain's anchors; returns the activity's name, for `undo`."""
        name = name or self.iris.new_activity()
        await self.outbox.post(invite(name=name, actor=self.iris.service, target=service))
        return name

    async def undo(self, name: str) -> str:
        """Take back what was asked for by an activity of that name; returns the name of the Undo.

        Raises:
            BadActivity: this domain has asked for nothing by that name.
        """
        sent: Any = await self._database.ask(find_activity, OUTBOX, self.iris.service, name)
        if sent is None:
            raise BadActivity("unknown", f"the outbox has no activity {name[:120]!r}")
        answer = self.iris.answer("undo", name)
        await self.outbox.post(undo(name=answer, actor=self.iris.service, undone=sent))
        return answer

    async def ask(self, activity: bytes) -> str:
        """Do what an operator has written as an activity; returns the name of the one that is sent.

        Raises:
            BadActivity: it is none of the kind.
            PublishError: the broker does not have it, or nobody can tell; it may be asked again.
        """
        wish = read_wish(activity, self.iris)
        if wish.type == names.UNDO:
            return await self.undo(wish.target)
        post = {names.FOLLOW: self.follow, names.INVITE: self.invite}[wish.type]
        return await post(wish.target, name=wish.name)
