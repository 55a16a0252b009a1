from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import UNSET

from penstock.clock import VirtualClock
from penstock.did.credentials import SigningKey
from penstock.did.operation_queue.seal import Seal
from penstock.did.operations import OPERATIONS, StoredResolver, add_operations
from penstock.did.web.intake import OperationIntake
from penstock.errors import (
    InvalidOperation,
    OperationExpired,
    PublishLost,
    PublishRefused,
    SidetreeError,
    StoreError,
)
from penstock.sidetree.canonical import parse
from penstock.sidetree.methods import METHODS
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import NOW, ORIGIN, Life, anchored, changed

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import QueuedOperation


class Door:
    """An intake, and what came through it."""

    def __init__(self, database: DomainDatabase, **options: Any) -> None:
        database.create(OPERATIONS)
        self.database = database
        self.added: list[QueuedOperation] = []
        self.error: Exception | None = None
        clock = VirtualClock(NOW)
        self.intake = OperationIntake(self.add, StoredResolver(database, clock=clock), clock=clock, **options)

    async def add(self, operation: QueuedOperation) -> None:
        if self.error:
            raise self.error
        self.added.append(operation)

    def take(self, request: bytes) -> Any:
        return run(self.intake.take(request))


@pytest.fixture
def door(memory: DomainDatabase) -> Door:
    return Door(memory)


def created(door: Door) -> Life:
    """A DID that is anchored."""
    life = Life()
    door.database.do(add_operations, [anchored(life.create(), life.suffix, 10, anchor_origin=ORIGIN)])
    return life


def test_a_create_is_added_and_answered_with_its_document(door: Door) -> None:
    life = Life()
    request = life.create()
    found = door.take(b" " + request)
    assert found["didDocument"]["id"] == f"did:orb:uAAA:{life.suffix}"
    assert found["didDocumentMetadata"]["method"]["published"] is False
    (added,) = door.added
    assert (added.type, added.operation_request, added.unique_suffix) == ("create", request, life.suffix)
    assert (added.anchor_origin, added.namespace, added.protocol_version) == (ORIGIN, "did:orb", 0)
    assert added.checked is UNSET


def test_what_is_added_is_what_its_author_has_signed(door: Door) -> None:
    changes = [{"op": "add", "path": "/list", "value": []}, {"op": "add", "path": "/list/-", "value": 1}]
    request = Life().create({"action": "ietf-json-patch", "patches": changes})
    door.take(request)
    assert [added.operation_request for added in door.added] == [request]


def test_a_create_is_told_of_where_such_operations_are(memory: DomainDatabase) -> None:
    door, life = Door(memory, method=replace(METHODS["did:orb"], lists_unpublished=True)), Life()
    request = life.create()
    [told] = door.take(request)["didDocumentMetadata"]["method"]["unpublishedOperations"]
    assert told == {
        "type": "create",
        "operation": b64encode(request).decode(),
        "transactionTime": NOW,
        "protocolVersion": 0,
        "anchorOrigin": ORIGIN,
    }


@pytest.mark.parametrize("verb", ["update", "recover", "deactivate"])
def test_others_are_added_if_there_is_such_a_did(door: Door, verb: str) -> None:
    life = created(door)
    request = getattr(life, verb)()
    assert door.take(request) is None
    (added,) = door.added
    assert (added.type, added.operation_request, added.anchor_origin) == (verb, request, ORIGIN)
    assert added.checked is UNSET


def test_the_batch_writer_is_told_until_when_an_operation_may_be_anchored(memory: DomainDatabase) -> None:
    seal = Seal(SigningKey.generate())
    door = Door(memory, seal=seal)
    life = created(door)
    until = NOW + 60
    door.take(life.update(anchor_until=until))
    known = seal.known(door.added[0])
    assert known is not None
    assert known.closes == until


def test_what_was_checked_is_sealed(memory: DomainDatabase) -> None:
    seal = Seal(SigningKey.generate())
    door = Door(memory, seal=seal)
    life = created(door)
    for request in (life.update(), Life("another").create()):
        door.take(request)
    assert all(seal.known(added) for added in door.added)
    assert len(door.added) == 2


@pytest.mark.parametrize("verb", ["update", "recover", "deactivate"])
def test_a_did_that_nobody_created_cannot_be_changed(door: Door, verb: str) -> None:
    life = Life()
    life.create()
    with pytest.raises(InvalidOperation, match="creates"):
        door.take(getattr(life, verb)())
    assert not door.added


def test_a_did_that_is_deactivated_cannot_be_changed(door: Door) -> None:
    life = created(door)
    door.database.do(add_operations, [anchored(life.deactivate(), life.suffix, 20)])
    with pytest.raises(InvalidOperation, match="deactivated"):
        door.take(life.update())


def test_what_is_forged_or_late_or_of_another_origin_is_refused(memory: DomainDatabase) -> None:
    async def origins() -> set[str]:
        return {ORIGIN}

    door = Door(memory, origins=origins)
    life = created(door)
    with pytest.raises(OperationExpired):
        door.take(life.update(anchor_from=NOW - 100, anchor_until=NOW - 1))
    header, payload, signature = parse(life.update())["signedData"].split(".")
    forged = changed(life.update(), signedData=f"{header}.{payload}.{signature[::-1]}")
    with pytest.raises(SidetreeError):
        door.take(forged)
    with pytest.raises(InvalidOperation, match="anchorOrigin"):
        door.take(Life("bob").create(origin="https://elsewhere.example"))
    assert not door.added


@pytest.mark.parametrize("error", [StoreError("the database is away"), PublishRefused("too many wait")])
def test_what_counts_early_is_kept_after_it_was_added(memory: DomainDatabase, error: Exception) -> None:
    kept: list[QueuedOperation] = []

    async def keep(operation: QueuedOperation) -> None:
        assert operation in early.added
        kept.append(operation)
        raise error

    early = Door(memory, keep=keep)
    # It is accepted all the same.
    assert early.take(Life().create())
    assert kept == early.added
    early.error = PublishLost("nobody can tell")
    with pytest.raises(PublishLost):
        early.take(Life("bob").create())
    assert len(kept) == 1


def test_what_the_queue_did_not_take_is_not_accepted(door: Door) -> None:
    door.error = PublishLost("nobody can tell")
    with pytest.raises(PublishLost):
        door.take(Life().create())
