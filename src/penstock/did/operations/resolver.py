"""Resolving DIDs from the operations that the database has; a `Resolver`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.did.operations.history import operations_of
from penstock.did.operations.unpublished import unpublished_of
from penstock.errors import UnknownDid
from penstock.sidetree.did import read_did
from penstock.sidetree.methods import METHODS
from penstock.sidetree.resolution import resolve
from penstock.sidetree.results import resolution_result

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.methods import Method
    from penstock.sidetree.state import State

__all__ = ["StoredResolver"]


class StoredResolver:
    """Resolves from the table of operations."""

    def __init__(
        self,
        database: DomainDatabase,
        *,
        clock: Clock,
        method: Method | None = None,
        counts_unpublished: bool = False,
    ) -> None:
        """Nothing is read yet.

        Args:
            database: With the layout OPERATIONS.
            clock: By which a long form that is not anchored is of now.
            method: Whose DIDs these are; Orb's, if it is None.
            counts_unpublished: Whether operations count before they are anchored.
        """
        self._database = database
        self._clock = clock
        self._method = METHODS["did:orb"] if method is None else method
        self._counts_unpublished = counts_unpublished

    async def resolve(
        self, did: str, *, version: str | None = None, until: int | None = None
    ) -> dict[str, Any]:
        wanted = read_did(did, self._method)
        operations = await self._operations(wanted.suffix)
        genesis_time = self._method.protocols.current().genesis_time
        initial = wanted.initial_operation(int(self._clock.now()), genesis_time)
        # Anchored creates come first in the order, so the long form's counts only if there is none.
        if initial is not None:
            operations.append(initial)
        state = resolve(wanted.suffix, operations, self._method.protocols, version=version, until=until)
        return resolution_result(wanted, state, self._method)

    async def state_of(self, suffix: str) -> State | None:
        operations = await self._operations(suffix)
        try:
            return resolve(suffix, operations, self._method.protocols) if operations else None
        except UnknownDid:
            return None

    async def _operations(self, suffix: str) -> list[Anchored]:
        return await self._database.run(self._read, suffix)

    def _read(self, connection: Connection, suffix: str) -> list[Anchored]:
        found = operations_of(connection, suffix)
        if self._counts_unpublished:
            found += unpublished_of(connection, suffix, self._clock.now())
        return found
