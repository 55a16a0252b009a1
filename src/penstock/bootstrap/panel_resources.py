"""The panel's resources, opened as a broker's settings say.

What a setting does not name is not there. The broker itself is asked by a connection within the process, made
when somebody first sends a dead letter or looks at workers.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from penstock.client import BrokerUrl, connect
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.dead_letters import DeadLetterStore
from penstock.outbox.opening import open_engine
from penstock.panel.own import Resources
from penstock.panel.own.dead_letters import LetterDesk
from penstock.panel.own.hearing import Hearing
from penstock.panel.own.lives import Lives
from penstock.panel.own.outbox import OutboxDesk
from penstock.panel.own.topology import TopologyDesk

if TYPE_CHECKING:
    from penstock.messaging import Broker
    from penstock.panel.own.did_port import Batches
    from penstock.panel.own.port import Pipelines, Schedules
    from penstock.server.embedded import Embedded
    from penstock.settings import Settings

__all__ = ["open_resources"]


async def open_resources(embedded: Embedded) -> Resources:
    """All that the settings name.

    Raises:
        BadSetting: a URL cannot be read.
        StoreError: a database cannot be opened.
    """
    settings = embedded.front.settings
    async with AsyncExitStack() as opened:
        lent = Lent(embedded)
        opened.push_async_callback(lent.close)
        resources = Resources(
            dead_letters=_dead_letters(settings, lent, opened),
            outbox=_outbox(settings, opened),
            schedules=_schedules(embedded, opened),
            workers=Hearing(lent.lend, embedded.broker.clock),
            topology=_topology(settings),
            pipelines=_pipelines(settings),
            batches=_batches(settings, opened),
            lives=_lives(embedded),
        )
        resources.opened = opened.pop_all()
        return resources


class Lent:
    """The broker, for whoever asks first and all after."""

    def __init__(self, embedded: Embedded) -> None:
        self._embedded = embedded
        self._lock = asyncio.Lock()
        self._broker: AmqpBroker | None = None

    @property
    def vhost(self) -> str:
        """The virtual host that it is lent in.

        Raises:
            BadUrl: nobody could connect with that URL.
        """
        settings = self._embedded.front.settings
        if settings.panel_broker is None:
            return settings.default_vhost
        return BrokerUrl.parse(settings.panel_broker).virtual_host

    async def lend(self) -> Broker:
        """A connection that stays.

        Raises:
            ClientError: nobody is let in with that URL.
        """
        async with self._lock:
            if self._broker is None:
                embedded, clock = self._embedded, self._embedded.broker.clock
                url = embedded.front.settings.panel_broker
                client = (
                    await connect(embedded.url, dial=embedded.dial, clock=clock)
                    if url is None
                    else await connect(url, clock=clock)
                )
                self._broker = AmqpBroker(client, clock=clock)
            return self._broker

    async def close(self) -> None:
        """Leave."""
        if self._broker is not None:
            await self._broker.close()


# One resource each; what it needs is loaded only if a setting asks for it


def _dead_letters(settings: Settings, lent: Lent, opened: AsyncExitStack) -> LetterDesk | None:
    if settings.panel_dead_letters is None:
        return None
    store = DeadLetterStore(settings.panel_dead_letters)
    opened.callback(store.close)
    store.create()
    return LetterDesk(store, lent.lend, lent.vhost)


def _outbox(settings: Settings, opened: AsyncExitStack) -> OutboxDesk | None:
    if settings.panel_outbox is None:
        return None
    engine = open_engine(settings.panel_outbox)
    opened.callback(engine.dispose)
    return OutboxDesk(engine, settings.panel_outbox_table)


def _schedules(embedded: Embedded, opened: AsyncExitStack) -> Schedules | None:
    url = embedded.front.settings.panel_schedules
    if url is None:
        return None
    from penstock.bootstrap.panel_schedules import WorkersSchedules  # noqa: PLC0415
    from penstock.workers.schedules import Schedules as Store  # noqa: PLC0415

    store = Store(url)
    opened.callback(store.close)
    store.create()
    return WorkersSchedules(store, embedded.broker.clock)


def _topology(settings: Settings) -> TopologyDesk | None:
    file = settings.panel_topology
    return None if file is None else TopologyDesk(file, settings.default_vhost)


def _pipelines(settings: Settings) -> Pipelines | None:
    if settings.panel_pipelines is None:
        return None
    from penstock.bootstrap.panel_pipelines import PipelinesFolder  # noqa: PLC0415

    return PipelinesFolder(settings.panel_pipelines)


def _batches(settings: Settings, opened: AsyncExitStack) -> Batches | None:
    if settings.panel_did is None:
        return None
    from penstock.bootstrap.panel_batches import DomainBatches  # noqa: PLC0415
    from penstock.did.database import DomainDatabase  # noqa: PLC0415

    database = DomainDatabase(settings.panel_did)
    opened.callback(database.close)
    return DomainBatches(database)


def _lives(embedded: Embedded) -> Lives | None:
    teller = embedded.teller
    if teller is None:
        return None
    lives = Lives()
    teller.also = lives.note
    return lives
