"""Auditing what was observed: does everything hold that this domain has, and does it follow from it?

    an anchor   is read once more from this domain's own storage, with every check, and its operations are
                compared with those in the database
    a DID       is resolved from its operations: is there a create, does each redeem what one before promised,
                is the anchor there that each names before itself

Nothing is written, and nothing is fetched but keys.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import select

from penstock.did.anchoring.links import OBSERVED
from penstock.did.anchoring.tables import links
from penstock.did.cas import Reference, verify
from penstock.did.cas.storage import LIMIT
from penstock.did.observing.findings import Finding, kind_of
from penstock.did.observing.reading import read_anchor
from penstock.did.operations.history import operations_between, operations_in
from penstock.errors import ContentNotFound, UnknownDid
from penstock.sidetree.resolution import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.cas import Contents
    from penstock.did.credentials import Keys
    from penstock.did.database import DomainDatabase
    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.protocol import Protocols

__all__ = ["Audited", "Auditor", "observed_anchors"]


class Audited(Struct, frozen=True, kw_only=True, gc=False):
    """What was looked at, and what does not hold of it."""

    dids: int = 0
    #: How many operations were looked at, by the resource hash of their anchor.
    operations: dict[str, int]
    findings: Sequence[Finding] = ()


def observed_anchors(connection: Connection) -> list[str]:
    """The resource hashes of all anchors that were observed. A function of a database connection."""
    return list(connection.scalars(select(links.c.hash).where(links.c.state == OBSERVED)))


class Auditor:
    """Looks at anchors and DIDs of a domain, where there is time to wait."""

    def __init__(
        self,
        database: DomainDatabase,
        *,
        contents: Contents,
        keys: Keys,
        protocols: Protocols,
        unchecked: Collection[str] = (),
    ) -> None:
        """Nothing is looked at yet.

        Args:
            database: With the layouts ANCHORING and OPERATIONS.
            contents: What the domain has itself: what only others have is missing.
            keys: Where the keys of authors and witnesses come from.
            protocols: The versions of the protocol.
            unchecked: Authors who are trusted without a proof that can be checked here.
        """
        self._database = database
        self._contents = contents
        self._keys = keys
        self._protocols = protocols
        self._unchecked = unchecked

    def anchor(self, name: str) -> Audited:
        """Look at an anchor, by its resource hash."""
        try:
            found = read_anchor(
                self._own(name, LIMIT), self._own, self._keys, self._protocols, unchecked=self._unchecked
            )
            stored = self._database.read(_stored, name, [each.suffix for each in found.operations])
        except Exception as exc:  # noqa: BLE001  whatever it is, it is what was to be found
            return Audited(operations={}, findings=[Finding(kind=kind_of(exc), about=name, reason=str(exc))])
        counts = {name: len(found.operations)}
        return Audited(operations=counts, findings=list(_differences(name, found.operations, stored)))

    def dids(self, first: int, end: int | None) -> Audited:
        """Look at all DIDs from a key on up to another."""
        operations = self._database.read(operations_between, first, end)
        findings: list[Finding] = []
        dids = 0
        for suffix, together in groupby(operations, key=lambda operation: operation.suffix):
            dids += 1
            findings += self._resolved(suffix, list(together))
        counts = Counter(operation.reference for operation in operations)
        return Audited(dids=dids, operations=dict(counts), findings=findings)

    def _own(self, uri: str, most: int, /) -> bytes:
        name = Reference.parse(uri).hash
        data = self._contents.get(name, most)
        if data is None:
            raise ContentNotFound(f"{name} is not in this domain's storage")
        verify(data, name, source=repr(self._contents))
        return data

    def _resolved(self, suffix: str, operations: Sequence[Anchored]) -> Iterator[Finding]:
        references = {operation.reference for operation in operations}
        for each in operations:
            if each.previous and each.previous not in references:
                reason = (
                    f"the {each.type} in {each.reference} comes after {each.previous}, which is not known"
                )
                yield Finding(kind="previous", about=suffix, reason=reason)
        try:
            state = resolve(suffix, operations, self._protocols)
        except UnknownDid as exc:
            yield Finding(kind="create", about=suffix, reason=str(exc))
            return
        for note in state.notes:
            reason = (
                f"the {note.type} in {note.reference} changes nothing, or less than it might: {note.reason}"
            )
            yield Finding(kind="operation", about=suffix, reason=reason)


def _stored(connection: Connection, name: str, suffixes: Sequence[str]) -> dict[str, bytes]:
    """The requests of an anchor's operations, as they are kept, by DID."""
    return {each.suffix: each.request for each in operations_in(connection, name, suffixes)}


def _differences(name: str, anchored: Sequence[Anchored], stored: dict[str, bytes]) -> Iterator[Finding]:
    tests: list[tuple[str, str, Callable[[Anchored], bool]]] = [
        ("unstored", "are not in the database", lambda each: each.suffix not in stored),
        (
            "altered",
            "are others in the database",
            lambda each: stored.get(each.suffix, each.request) != each.request,
        ),
    ]
    for kind, what, differs in tests:
        if found := [each for each in anchored if differs(each)]:
            reason = f"{len(found)} of {len(anchored)} operations {what}, the first of {found[0].suffix}"
            yield Finding(kind=kind, about=name, reason=reason)
