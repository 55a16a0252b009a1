from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.operation_queue import QueuedOperation
from penstock.did.operations import (
    OPERATIONS,
    StoredResolver,
    UnpublishedOperations,
    add_operations,
    remove_unpublished,
)
from penstock.did.operations.unpublished import add_unpublished, expire_unpublished, unpublished_of_all
from penstock.sidetree.canonical import parse
from tests.did.operation_queue.helpers import operation, run
from tests.sidetree.lives import NOW, ORIGIN, Life, anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    database.create(OPERATIONS)
    return database


def queued(request: bytes, suffix: str) -> QueuedOperation:
    return QueuedOperation(
        type=parse(request)["type"], operation_request=request, unique_suffix=suffix, anchor_origin=ORIGIN
    )


def test_an_operation_is_kept_once_until_it_is_anchored_or_expires(kept: DomainDatabase) -> None:
    for now in (10.0, 20.0):
        kept.do(add_unpublished, [operation(1), operation(2)], now=now, lifetime=100.0)
    (found,) = kept.do(unpublished_of_all, ["did-1"], 109.0)
    assert (found.type, found.request, found.time, found.published) == ("create", b'{"n":1}', 10, False)
    assert kept.do(unpublished_of_all, ["did-1"], 110.0) == []
    kept.do(remove_unpublished, [b'{"n":1}', b'{"n":3}'])
    assert kept.do(unpublished_of_all, ["did-1"], 50.0) == []
    assert kept.do(expire_unpublished, 109.0, 10) == 0
    assert kept.do(expire_unpublished, 110.0, 10) == 1
    assert kept.do(unpublished_of_all, ["did-2"], 0.0) == []


def test_no_more_than_asked_for_expire_at_a_time(kept: DomainDatabase) -> None:
    kept.do(add_unpublished, [operation(number) for number in range(3)], now=0.0, lifetime=1.0)
    assert [kept.do(expire_unpublished, 1.0, 2) for _ in range(3)] == [2, 1, 0]
    kept.do(add_unpublished, [], now=0.0, lifetime=1.0)


def test_only_the_types_that_count_early_are_kept(memory: DomainDatabase) -> None:
    memory.create(OPERATIONS)
    early = UnpublishedOperations(memory, clock=VirtualClock(NOW), types=["create"], lifetime=60.0)
    told = run(early.keep_many([operation(1), operation(2, type="recover")]))
    assert told == [None, None]
    assert len(memory.do(unpublished_of_all, ["did-1"], NOW)) == 1
    assert memory.do(unpublished_of_all, ["did-2"], NOW) == []


def test_a_did_can_be_updated_before_it_is_anchored(memory: DomainDatabase) -> None:
    memory.create(OPERATIONS)
    clock, life = VirtualClock(NOW), Life()
    early = UnpublishedOperations(memory, clock=clock, types=["create", "update"], lifetime=60.0)
    resolver = StoredResolver(memory, clock=clock, counts_unpublished=True)
    create = life.create()
    run(early.keep_many([queued(create, life.suffix)]))
    assert run(StoredResolver(memory, clock=clock).state_of(life.suffix)) is None
    assert run(resolver.state_of(life.suffix)).anchor_origin == ORIGIN
    run(early.keep_many([queued(life.update(), life.suffix)]))
    did = f"did:orb:uAAA:{life.suffix}"
    found = run(resolver.resolve(did))
    assert len(found["didDocument"]["service"]) == 1
    assert not found["didDocumentMetadata"]["method"]["published"]
    # Anchored meanwhile, and not removed yet: the same document, published.
    memory.do(add_operations, [anchored(create, life.suffix, NOW)])
    again = run(resolver.resolve(did))
    assert again["didDocument"] == found["didDocument"]
    assert again["didDocumentMetadata"]["method"]["published"]
