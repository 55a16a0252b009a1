"""Resolving DIDs from the operations that the database has; a `Resolver`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.did.operations.history import operations_of_all
from penstock.did.operations.together import Together
from penstock.did.operations.unpublished import unpublished_of_all
from penstock.errors import BadDid, UnknownDid
from penstock.sidetree.did import UNPUBLISHED, read_did
from penstock.sidetree.methods import ORB_METHOD, method_of
from penstock.sidetree.resolution import resolve
from penstock.sidetree.results import resolution_result

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.did import Did
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
        method: Method = ORB_METHOD,
        counts_unpublished: bool = False,
    ) -> None:
        """Nothing is read yet.

        Args:
            database: With the layout OPERATIONS.
            clock: By which a long form that is not anchored is of now.
            method: Whose DIDs these are.
            counts_unpublished: Whether operations count before they are anchored.
        """
        self._database = database
        self._clock = clock
        self._method = method
        self._counts_unpublished = counts_unpublished
        self._together = Together(self._ask)

    async def resolve(
        self, did: str, *, version: str | None = None, until: int | None = None
    ) -> dict[str, Any]:
        if did.startswith("did:") and not did.startswith(f"{self._method.namespace}:"):
            return _by_itself(did, int(self._clock.now()), version, until)
        wanted = read_did(did, self._method)
        operations = list(await self._together.about(wanted.suffix))
        if self._method.anchored:
            _check_anchor(wanted, operations)
        genesis_time = self._method.protocols.current().genesis_time
        initial = wanted.initial_operation(int(self._clock.now()), genesis_time)
        # The long form's create counts only if there is no other, and is not told of beside one.
        if initial is not None and all(each.type != "create" for each in operations):
            operations.append(initial)
        state = resolve(wanted.suffix, operations, self._method.protocols, version=version, until=until)
        return resolution_result(wanted, state, self._method)

    async def state_of(self, suffix: str) -> State | None:
        operations = await self._together.about(suffix)
        try:
            return resolve(suffix, operations, self._method.protocols) if operations else None
        except UnknownDid:
            return None

    async def _ask(self, suffixes: Sequence[str]) -> Mapping[str, Sequence[Anchored]]:
        return await self._database.ask(self._read, suffixes)

    def _read(self, connection: Connection, suffixes: Sequence[str]) -> Mapping[str, Sequence[Anchored]]:
        found = operations_of_all(connection, suffixes)
        if self._counts_unpublished:
            for each in unpublished_of_all(connection, suffixes, self._clock.now()):
                found[each.suffix].append(each)
        return found


def _check_anchor(wanted: Did, operations: Sequence[Anchored]) -> None:
    """Nothing happens if a DID names no anchor, or one of its own, as in Orb.

    It would have as many names as there are hashes; and one that is newly anchored would be told as it was.

    Raises:
        UnknownDid: it names another, of which nothing is known here, or not yet.
    """
    anchors = {each.reference for each in operations if each.published}
    if anchors and anchors.union({UNPUBLISHED}).isdisjoint(wanted.anchor.split(":")):
        raise UnknownDid(
            f"nothing known here of the DID {wanted.suffix!r} is anchored in {wanted.anchor[:120]!r}"
        )


def _by_itself(did: str, now: int, version: str | None, until: int | None) -> dict[str, Any]:
    """A DID of another method: its long form vouches for itself, and nothing more is known of it here.

    Raises:
        BadDid: it is none, or in its short form.
        UnknownVersion: it never was in that version.
    """
    method = method_of(did)
    wanted = read_did(did, method)
    initial = wanted.initial_operation(now)
    if initial is None:
        raise BadDid(f"DIDs of {method.namespace} are resolved here in their long form only")
    state = resolve(wanted.suffix, [initial], method.protocols, version=version, until=until)
    return resolution_result(wanted, state, method)
