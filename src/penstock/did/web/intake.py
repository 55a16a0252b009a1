"""Taking operations in: checked by themselves and against their DID, then added to the operation queue."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal, cast

from penstock.did.operation_queue import QueuedOperation
from penstock.errors import InvalidOperation, PublishError, StoreError, UnknownDid
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.delta import composed
from penstock.sidetree.did import UNPUBLISHED, read_did
from penstock.sidetree.ingestion import ANY_ORIGIN, check_state, ingest
from penstock.sidetree.methods import ORB_METHOD
from penstock.sidetree.operations import Create, Recover, request_of
from penstock.sidetree.results import resolution_result
from penstock.sidetree.state import State

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from penstock.clock import Clock
    from penstock.did.operation_queue.seal import Seal
    from penstock.did.operations import Resolver
    from penstock.sidetree.methods import Method
    from penstock.sidetree.operations import Operation

    Add = Callable[[QueuedOperation], Awaitable[Any]]
    Origins = Callable[[], Awaitable[Collection[str]]]
    Kind = Literal["create", "update", "recover", "deactivate"]

__all__ = ["OperationIntake"]

_log = logging.getLogger(__name__)


async def anybody() -> Collection[str]:
    """The origins of a domain that takes all of them."""
    return ANY_ORIGIN


class OperationIntake:
    """The way of an operation from a client into the queue."""

    def __init__(
        self,
        add: Add,
        resolver: Resolver,
        *,
        clock: Clock,
        method: Method = ORB_METHOD,
        origins: Origins = anybody,
        keep: Add | None = None,
        seal: Seal | None = None,
    ) -> None:
        """Nothing is taken in yet.

        Args:
            add: Adds an operation durably: `Gathering(queue.add_many).add`.
            resolver: Knows the DIDs.
            clock: What tells whether it is the time for an operation.
            method: Whose DIDs these are.
            origins: Tells which anchor origins this domain takes now.
            keep: Keeps an operation that was added, so that it counts before it is anchored:
                `Gathering(unpublished.keep_many).add`; None if it does not.
            seal: The domain's; without one the batch writer checks everything again.
        """
        self._add = add
        self._resolver = resolver
        self._clock = clock
        self._method = method
        self._origins = origins
        self._keep = keep
        self._seal = seal

    async def take(self, request: bytes) -> dict[str, Any] | None:
        """Take an operation in; returns the document of a DID that it creates, and None of others.

        Raises:
            SidetreeError: it cannot be taken in, and why.
            StoreError, ClientError, QueueNotStarted: not now.
        """
        protocol = self._method.protocols.current()
        origins = await self._origins()
        operation = ingest(request, protocol, int(self._clock.now()), origins=origins)
        origin = await self._origin(operation)
        queued = QueuedOperation(
            type=cast("Kind", operation.type),
            operation_request=request_of(operation),
            unique_suffix=operation.suffix,
            namespace=self._method.namespace,
            anchor_origin=origin,
            protocol_version=protocol.genesis_time,
        )
        if self._seal is not None:
            closes = None if isinstance(operation, Create) else operation.signed.window.closes
            queued = self._seal.on(queued, closes=closes)
        await self._add(queued)
        await self._keep_early(queued)
        return self._created(operation, queued) if isinstance(operation, Create) else None

    async def _keep_early(self, queued: QueuedOperation) -> None:
        """It is accepted already, so nothing that fails here is the client's trouble."""
        if self._keep is None:
            return
        try:
            await self._keep(queued)
        except (PublishError, StoreError) as exc:
            # The first of those who gather operations, of which too many wait.
            _log.warning("an operation of %s counts only when it is anchored: %s", queued.unique_suffix, exc)

    async def _origin(self, operation: Operation) -> Any:
        """Who anchors the DID; and there is such a DID."""
        if isinstance(operation, Create):
            return operation.anchor_origin
        state = await self._resolver.state_of(operation.suffix)
        try:
            check_state(operation, state)
        except UnknownDid as exc:
            # To who resolves it is not found; to who changes it, it is a mistake.
            raise InvalidOperation(str(exc)) from exc
        return operation.anchor_origin if isinstance(operation, Recover) else state and state.anchor_origin

    def _created(self, operation: Create, queued: QueuedOperation) -> dict[str, Any]:
        """The DID as it will be when it is anchored; the operation was checked."""
        anchor = f"{UNPUBLISHED}:" if self._method.anchored else ""
        did = read_did(f"{self._method.namespace}:{anchor}{operation.suffix}", self._method)
        now = int(self._clock.now())
        waiting = Anchored(
            type=operation.type,
            suffix=operation.suffix,
            request=queued.operation_request,
            time=now,
            protocol_version=queued.protocol_version,
            anchor_origin=operation.anchor_origin,
        )
        state = State(
            suffix=operation.suffix,
            document=composed({}, operation.delta),
            recovery_commitment=operation.suffix_data["recoveryCommitment"],
            update_commitment=operation.delta["updateCommitment"],
            created=now,
            version="",
            reference="",
            anchor_origin=operation.anchor_origin,
            operations=(waiting,),
        )
        return resolution_result(did, state, self._method)
