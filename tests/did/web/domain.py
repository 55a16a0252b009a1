"""A whole domain as others see it: real HTTP on a free port, a real broker, a database of its own."""

from __future__ import annotations

import http.client
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from penstock.did.activities import Peers
from penstock.did.cas import ContentStorage, Remote, StoredContents
from penstock.did.credentials import SigningKey
from penstock.did.database import DomainDatabase
from penstock.did.federation import FEDERATION, Acceptance, Delivery, Federation, FederationRules, Iris
from penstock.did.federation.membership import all_members
from penstock.did.http import HttpFetcher
from penstock.did.operation_queue import OPERATION_QUEUE, OperationQueue
from penstock.did.operations import OPERATIONS, StoredResolver
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.did.web import Gathering, OperationIntake, Site, WebServer, application, listen
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryPolicy

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from penstock.messaging.port import Broker

PARAMETERS = DidParameters(mq_redelivery_initial_interval=0.05, mq_redelivery_max_interval=0.1)


class Domain:
    """`async with Domain("a", broker, folder) as domain:`."""

    def __init__(
        self, name: str, broker: Broker, folder: Path, *, acceptance: Acceptance | None = None
    ) -> None:
        self.queues = DomainQueues(name)
        self.broker = broker
        self.database = DomainDatabase(f"sqlite:///{folder}/{name}.db")
        self.database.create(FEDERATION, OPERATION_QUEUE, OPERATIONS)
        bound = listen("127.0.0.1", 0)
        self.iris = Iris(f"http://127.0.0.1:{bound.getsockname()[1]}")
        self.key = SigningKey.generate()
        self.fetcher = fetcher = HttpFetcher(
            may_ask=lambda url: url.startswith("http://127.0.0.1:"), timeout=5
        )
        self.peers = Peers(fetcher.fetch, broker.clock)
        self.federation = Federation(
            self.database,
            broker,
            iris=self.iris,
            peers=self.peers,
            delivery=Delivery(key=self.key, key_id=self.iris.key, clock=broker.clock, http=fetcher),
            rules=FederationRules(
                parameters=PARAMETERS, queues=self.queues, acceptance=acceptance or Acceptance()
            ),
        )
        self.queue = OperationQueue(self.database, PARAMETERS, me=f"{name}-1", queues=self.queues)
        resolver = StoredResolver(self.database, clock=broker.clock)
        self.cas = ContentStorage(
            StoredContents(str(folder / name)),
            links_at=f"{self.iris.base}/cas",
            remote=Remote(read=fetcher.fetch),
        )
        self.site = Site(
            database=self.database,
            broker=broker,
            federation=self.federation,
            key=self.key.public,
            cas=self.cas,
            credentials=self.credential,
            intake=OperationIntake(Gathering(self.queue.add_many).add, resolver, clock=broker.clock),
            resolver=resolver,
            token="s3cret",  # noqa: S106  of a test
            acceptance=acceptance or Acceptance(),
        )
        self.server = WebServer(application(self.site), bound)
        self.opened = AsyncExitStack()

    async def credential(self, name: str) -> bytes | None:
        return None

    def members(self, collection: str) -> list[str]:
        return self.database.do(all_members, collection)

    def ask(self, method: str, path: str, body: bytes = b"", headers: Any = None) -> tuple[int, bytes]:
        """Ask over the socket; blocks."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    async def __aenter__(self) -> Self:
        opened = self.opened
        opened.callback(self.database.close)
        await self.broker.initialize(self.queues.topology())
        redelivery = RedeliveryHandler(RedeliveryPolicy.from_settings(PARAMETERS), names=self.queues)
        for start, stop in (
            (redelivery.start(self.broker), redelivery.stop),
            (self.queue.start(self.broker), self.queue.stop),
            (self.federation.start(), self.federation.stop),
            (self.server.start(), self.server.stop),
        ):
            opened.push_async_callback(stop)
            await start
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.opened.aclose()
