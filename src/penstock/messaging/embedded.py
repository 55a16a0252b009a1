"""The embedded adapter of the Broker port: a whole Penstock broker in this process.

Nothing in it is a stub. The application's client speaks AMQP over a socket pair to a session of the same
broker that serves other processes, so every rule of delivery is that of the real thing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client import connect
from penstock.messaging.amqp import AmqpBroker
from penstock.server.embedded import Embedded

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.client import Client, ClientSettings
    from penstock.clock import Clock
    from penstock.settings import Settings

__all__ = ["EmbeddedBroker"]


class EmbeddedBroker(AmqpBroker):
    """A broker of the application's own, gone with it but for what its data folder keeps."""

    def __init__(self, embedded: Embedded, client: Client, *, clock: Clock | None = None) -> None:
        super().__init__(client, clock=clock)
        self.embedded = embedded

    @classmethod
    async def start(
        cls,
        *,
        settings: Settings | None = None,
        client: ClientSettings | None = None,
        data: Path | None = None,
        clock: Clock | None = None,
    ) -> EmbeddedBroker:
        """Start a broker and connect to it.

        Args:
            settings: The broker's.
            client: The client's.
            data: The folder that durable queues are kept in; with none, they are in memory.
            clock: What both wait by.

        Raises:
            StoreError: the data folder cannot be used.
        """
        embedded = await Embedded.start(settings, clock=clock, data=data)
        try:
            options = {} if client is None else {"settings": client}
            connected = await connect(embedded.url, dial=embedded.dial, clock=clock, **options)
        except BaseException:
            await embedded.close()
            raise
        return cls(embedded, connected, clock=clock)

    async def close(self) -> None:
        await super().close()
        await self.embedded.close()
