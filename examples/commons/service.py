"""What the three services have in common: a database of their own, an outbox and an inbox in it, a relay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import MetaData
from sqlalchemy.ext.asyncio import create_async_engine

from penstock.messaging.application import Application
from penstock.outbox import Inbox, Outbox, Relay

if TYPE_CHECKING:
    from typing import Self

    from penstock.messaging import Alerts, Broker

__all__ = ["NAMESPACE", "Service"]

#: The exchange of all three; their queues are named after their consumers.
NAMESPACE = "commons"


class Service:
    """A service on its own database. `async with` one: it runs, and its relay with it."""

    def __init__(
        self,
        database: str,
        *,
        mq_url: str | None = None,
        broker: Broker | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        """A service.

        Args:
            database: SQLAlchemy's URL, of an asynchronous driver.
            mq_url: Where the broker is.
            broker: One that is open already, and stays so: services in one process can share it.
            alerts: Who is told when a person should know.
        """
        self.engine = create_async_engine(database)
        self.metadata = MetaData()
        self.app = Application(NAMESPACE, mq_url=mq_url, broker=broker, alerts=alerts)
        self.outbox = Outbox.of(self.app, metadata=self.metadata)
        self.inbox = Inbox(metadata=self.metadata)
        self._alerts = alerts
        self._relay: Relay | None = None

    async def start(self) -> None:
        """Make the tables, connect, consume, relay."""
        async with self.engine.begin() as connection:
            await connection.run_sync(self.metadata.create_all)
        await self.app.start()
        self._relay = Relay(self.outbox, self.engine, self.app.broker, alerts=self._alerts)
        await self._relay.start()

    async def stop(self) -> None:
        """Finish what is in hand. What waits in the outbox is relayed when the service starts again."""
        if self._relay is not None:
            await self._relay.stop()
            self._relay = None
        await self.app.stop()
        await self.engine.dispose()

    async def rows(self, statement: Any) -> list[Any]:
        """What the service's database says."""
        async with self.engine.connect() as connection:
            return list(await connection.execute(statement))

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()
