"""A domain in one process: all of its parts on one database and one broker; its roles say which of them run.

The parts are put together here and nowhere else. Whoever has no role opens them all and runs none: a pipeline
that uses some of them, or a command.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from penstock.clock import SystemClock
from penstock.did.anchoring import Anchoring, BrokerQueues, read_credential
from penstock.did.domain.parts import (
    create_tables,
    open_cas,
    open_database,
    open_fetcher,
    open_identity,
    open_keys,
    open_peers,
)
from penstock.did.domain.relations import acceptance_of
from penstock.did.domain.running import run
from penstock.did.expiry import ExpiryService
from penstock.did.federation import (
    AllowedOrigins,
    Delivery,
    Federation,
    FederationRules,
    Neighbours,
    WitnessPolicies,
)
from penstock.did.observing.catching_up import CatchingUp
from penstock.did.operation_queue import OperationQueue
from penstock.did.operation_queue.cutter import rules_by
from penstock.did.operation_queue.intake import Intake
from penstock.did.operation_queue.pending import Pending
from penstock.did.operation_queue.seal import Seal
from penstock.did.operations import StoredResolver, UnpublishedOperations
from penstock.did.tasks import TaskManager
from penstock.did.web import Gathering, OperationIntake, Site, Wondering, application
from penstock.messaging.alerts import AlertDesk
from penstock.messaging.opening import open_broker

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from starlette.applications import Starlette

    from penstock.clock import Clock
    from penstock.did.activities import Peers
    from penstock.did.domain.places import Places
    from penstock.did.http import HttpFetcher
    from penstock.messaging.port import Broker

__all__ = ["Domain"]


class Domain:
    """`async with Domain(places, roles=[WEB, WORKER]) as domain:`; its parts are there in between."""

    def __init__(
        self,
        places: Places,
        *,
        roles: Iterable[str] = (),
        clock: Clock | None = None,
        broker: Broker | None = None,
    ) -> None:
        """A domain whose parts are not opened yet.

        Args:
            places: Where everything is.
            roles: What this process does for the domain: some of WEB, WORKER and WRITER.
            clock: What everything goes by.
            broker: One that is open, in place of that of the places; it is not closed here.
        """
        self.places = places
        self.parameters = places.parameters
        self.queues = places.queues
        self.iris = places.iris
        self.roles = frozenset(roles)
        self.clock = clock or SystemClock()
        self._given = broker
        self._opened = AsyncExitStack()

    def __repr__(self) -> str:
        return f"<Domain {self.places.base}, {', '.join(sorted(self.roles)) or 'no role'}>"

    async def __aenter__(self) -> Self:
        """Open all parts, and run what the roles say.

        Raises:
            BadKey, StoreError, ClientError: nothing runs.
        """
        async with AsyncExitStack() as opened:
            await self._open(opened)
            await run(self, opened)
            self._opened = opened.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._opened.aclose()

    async def _open(self, opened: AsyncExitStack) -> None:
        places = self.places
        #: Who it is when it signs.
        self.identity = open_identity(places)
        #: Told of what needs a person.
        self.alerts = AlertDesk(clock=self.clock)
        opened.push_async_callback(self.alerts.close)
        self.database = open_database(places)
        opened.callback(self.database.close)
        await asyncio.to_thread(create_tables, self.database)
        self.broker = self._given or await open_broker(
            places.broker, settings=self.parameters, clock=self.clock
        )
        if self._given is None:
            opened.push_async_callback(self.broker.close)
        await self.broker.initialize(self.queues.topology(self.parameters.queue_arguments))
        self._put_together(open_fetcher(places))
        # Whether it was started or not: it has threads.
        opened.push_async_callback(self.federation.stop)
        opened.callback(self.anchoring.close)

    def _put_together(self, fetcher: HttpFetcher) -> None:
        parameters, database, clock = self.parameters, self.database, self.clock
        self.cas = open_cas(self.places, fetcher)
        self.keys = open_keys(self.places, clock, fetcher)
        self.tasks = TaskManager(database, clock=clock, check_interval=parameters.task_manager_check_interval)
        self.expiry = ExpiryService(database, clock=clock)
        peers = open_peers(self.places, clock, fetcher)
        self.federation = self._federation(peers, fetcher)
        self.anchoring = self._anchoring(peers)
        self.anchoring.register(self.federation.handlers)
        #: Finds what others have told while nobody was here.
        self.catching_up = CatchingUp(
            database,
            peers=peers,
            fetch=fetcher.fetch,
            receiver=self.anchoring.receiver,
            clock=clock,
            min_age=parameters.sync_min_activity_age,
        )
        #: Cuts batches, between its start and its stop.
        self.operation_queue = OperationQueue(
            database,
            parameters,
            me=self.tasks.instance,
            queues=self.queues,
            rules=rules_by(self.places.method.protocols, timeout=parameters.batch_timeout_s),
            alerts=self.alerts,
        )
        self.resolver = StoredResolver(
            database,
            clock=clock,
            method=self.places.method,
            counts_unpublished=parameters.enable_unpublished_operation_store,
        )

    def _federation(self, peers: Peers, fetcher: HttpFetcher) -> Federation:
        parameters = self.parameters
        return Federation(
            self.database,
            self.broker,
            iris=self.iris,
            peers=peers,
            delivery=Delivery(key=self.identity.key, key_id=self.iris.key, clock=self.clock, http=fetcher),
            rules=FederationRules(
                parameters=parameters, queues=self.queues, acceptance=acceptance_of(parameters)
            ),
            alerts=self.alerts,
        )

    def _anchoring(self, peers: Peers) -> Anchoring:
        kept_for = self.parameters.witness_policy_cache_expiration
        return Anchoring(
            self.identity,
            self.database,
            cas=self.cas,
            keys=self.keys,
            services=peers,
            neighbours=Neighbours(self.database),
            policies=WitnessPolicies(self.database, clock=self.clock, kept_for=kept_for),
            post=self.federation.outbox,
            queues=BrokerQueues(self.broker, self.queues),
            parameters=self.parameters,
            clock=self.clock,
        )

    @property
    def site(self) -> Starlette:
        """The domain over HTTP: an application for any ASGI server."""
        return application(
            Site(
                database=self.database,
                broker=self.broker,
                federation=self.federation,
                key=self.identity.key.public,
                cas=self.cas,
                credentials=self._credential,
                intake=self._intake(),
                resolver=self.resolver,
                wonder=Wondering(self.broker, self.queues, method=self.places.method),
                token=self.parameters.operator_token or "",
                acceptance=acceptance_of(self.parameters),
                origins=self.parameters.allowed_origins,
            )
        )

    async def _credential(self, name: str) -> bytes | None:
        return await self.database.ask(read_credential, name)

    def _intake(self) -> OperationIntake:
        """Posts operations to the broker; whoever cuts batches takes them from there."""
        parameters = self.parameters
        # Nothing waits here: this process only posts.
        posting = Intake(
            self.database, self.broker, Pending(), me="", parameters=parameters, queues=self.queues
        )
        early = UnpublishedOperations(
            self.database,
            clock=self.clock,
            types=parameters.unpublished_operation_store_operation_types,
            lifetime=parameters.unpublished_operation_lifetime,
        )
        return OperationIntake(
            Gathering(posting.add_many).add,
            self.resolver,
            clock=self.clock,
            method=self.places.intake_method,
            origins=AllowedOrigins(
                self.database,
                parameters.allowed_origins,
                clock=self.clock,
                kept_for=parameters.allowed_origins_cache_expiration,
            ),
            keep=Gathering(early.keep_many).add if parameters.enable_unpublished_operation_store else None,
            seal=Seal(self.identity.key),
        )
