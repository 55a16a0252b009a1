"""From a cut's number to its files in storage, in an executor: nothing but the number came, and a row goes.

What is written here is content: written twice, or by an executor that was given up, it is the same, or lies
there unused. Only the driver's word in the database makes files a batch (desk.py).
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.clock import SystemClock
from penstock.did.anchoring.batch import changed_suffixes, payload_of
from penstock.did.anchoring.did_anchors import latest_anchors
from penstock.did.anchors import Draft
from penstock.did.domain.parts import open_cas, open_database, open_seal
from penstock.did.domain.places import Places
from penstock.did.federation.lists import ALLOWED_ORIGINS, read_list
from penstock.did.observing.hurrying import hurry
from penstock.did.operation_queue import read_cut, read_operations_of
from penstock.did.operation_queue.cut_states import CUT
from penstock.errors import PenstockError
from penstock.pipelines.did.writing.choosing import choose
from penstock.pipelines.did.writing.outcome import Outcome, failed
from penstock.pipelines.sparing import spare_collections

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.cas import ContentStorage
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import Posted
    from penstock.pipelines.did.writing.choosing import Choice
    from penstock.sidetree.batches import Batch

__all__ = ["BatchFiles", "files_of"]

NONE: Final[Mapping[str, str]] = MappingProxyType({})


class _Read(NamedTuple):
    """A cut as it is read, in one look at the database."""

    operations: Sequence[Posted]
    #: The latest anchors of the DIDs that are changed.
    anchors: Mapping[str, str]
    #: Those that have none.
    unanchored: list[str]
    #: The anchor origins that this domain takes.
    origins: list[str]


class BatchFiles:
    """Writes the files of one domain's cuts."""

    def __init__(self, places: Places, database: DomainDatabase, cas: ContentStorage) -> None:
        self.database = database
        self._cas = cas
        self._protocols = places.intake_method.protocols
        self._origins = places.parameters.allowed_origins
        self._service = places.iris.service
        self._kind = places.parameters.anchor_data_uri_media_type
        self._seal = open_seal(places)
        self._clock = SystemClock()

    def write(self, number: int, deadly: Mapping[str, str] = NONE) -> Outcome:
        """Write the files of a cut.

        Args:
            number: The cut's.
            deadly: The ids of operations that nobody may look at, and why; they are refused.
        """
        try:
            found = self.database.read(_read, number, self._origins)
            if found is None:
                return Outcome(cut=number, is_gone=True)
            return self._written(number, found, deadly)
        except Exception as exc:  # noqa: BLE001 (whatever it is: a task that fails would take other cuts along)
            return failed(number, exc)

    def _written(self, number: int, found: _Read, deadly: Mapping[str, str]) -> Outcome:
        choice = self._chosen(found, [each for each in found.operations if each.id not in deadly])
        there = {each.id for each in found.operations}
        core_index = self._stored(choice.batch)
        return Outcome(
            cut=number,
            core_index=core_index,
            draft=self._drafted(choice.batch, core_index, found.anchors),
            count=0 if choice.batch is None else choice.batch.files.count,
            deferred=choice.deferred,
            refused=choice.refused | {id_: reason for id_, reason in deadly.items() if id_ in there},
            unanchored=found.unanchored,
        )

    def ids(self, number: int) -> list[str]:
        """The operations of a cut, none if it went on without us.

        Raises:
            StoreError: the database is away.
        """
        found = self.database.read(_read, number, self._origins)
        return [] if found is None else [each.id for each in found.operations]

    def survive(self, number: int, ids: Collection[str]) -> bool:
        """Do all that is done with operations of a cut, to no end but to see whether one lives through it."""
        # Who can still raise an exception is alive.
        with suppress(Exception):
            if (found := self.database.read(_read, number, self._origins)) is not None:
                self._chosen(found, [each for each in found.operations if each.id in ids])
        return True

    def _chosen(self, found: _Read, operations: Sequence[Posted]) -> Choice:
        return choose(
            operations,
            self._protocols,
            int(self._clock.now()),
            lambda data: str(self._cas.link(data)),
            unanchored=frozenset(found.unanchored),
            origins=frozenset(found.origins),
            seal=self._seal,
        )

    def _stored(self, batch: Batch | None) -> str | None:
        """The files in storage, none of them before those it names; the core index is the last."""
        core_index = None
        for file in batch.files.files if batch else ():
            core_index = str(self._cas.put(file.data))
        return core_index

    def _drafted(
        self, batch: Batch | None, core_index: str | None, anchors: Mapping[str, str]
    ) -> Draft | None:
        """The batch's anchor. What cannot be drafted is met again by who anchors, and told of there."""
        with suppress(PenstockError):
            if batch is not None and core_index is not None:
                payload = payload_of(core_index, batch.plan.candidates, anchors, origin=self._service)
                return Draft.of(payload, kind=self._kind)
        return None


def _read(connection: Connection, number: int, origins: Collection[str]) -> _Read | None:
    record = read_cut(connection, number)
    if record is None or record.state != CUT:
        return None
    operations = read_operations_of(connection, record)
    changed = changed_suffixes(each.operation for each in operations)
    anchors = latest_anchors(connection, changed)
    return _Read(
        operations,
        anchors,
        [each for each in changed if each not in anchors],
        read_list(connection, ALLOWED_ORIGINS, origins),
    )


@cache
def files_of(places: str) -> BatchFiles:
    """Those of the domain whose places these are, in JSON; a worker of Spark's keeps them for its life."""
    found = Places.from_json(places)
    # All that is written in the database here is who has begun with a cut: no power cut lets that count.
    opened = BatchFiles(found, hurry(open_database(found)), open_cas(found))
    spare_collections()
    return opened
