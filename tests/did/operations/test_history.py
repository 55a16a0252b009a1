from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operations import OPERATIONS, add_operations, operations_of
from penstock.did.operations.history import first_of_each, operations_between, operations_of_all
from tests.sidetree.lives import ORIGIN, anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

FIRST = anchored(
    b'{"type":"create"}',
    "did-1",
    1,
    equivalents=("hl:x", "https:a.example:x"),
    anchor_origin=ORIGIN,
    previous="uBefore",
    verified=True,
    protocol_version=5,
    number=3,
)
SECOND = anchored(b'{"type":"update"}', "did-1", 2)
OTHER = anchored(b'{"type":"create"}', "did-2", 1)


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    database.create(OPERATIONS)
    return database


def test_operations_come_back_as_they_were(kept: DomainDatabase) -> None:
    kept.do(add_operations, [FIRST, OTHER])
    kept.do(add_operations, [SECOND])
    kept.do(add_operations, [])
    assert sorted(kept.do(operations_of, "did-1"), key=lambda each: each.time) == [FIRST, SECOND]
    assert kept.do(operations_of, "did-3") == []


def test_many_dids_are_asked_for_at_once(kept: DomainDatabase) -> None:
    kept.do(add_operations, [FIRST, SECOND, OTHER])
    found = kept.do(operations_of_all, ["did-2", "did-3", "did-1"])
    times = {suffix: sorted(each.time for each in of_one) for suffix, of_one in found.items()}
    assert times == {"did-1": [1, 2], "did-2": [1], "did-3": []}
    assert FIRST in found["did-1"]


def test_who_has_a_dids_key_by_chance_is_not_taken_for_it(
    kept: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("adding", "history"):
        monkeypatch.setattr(f"penstock.did.operations.{module}.did_key", len)
    kept.do(add_operations, [FIRST, SECOND, OTHER])
    assert kept.do(operations_of, "did-2") == [OTHER]
    assert kept.do(operations_of_all, ["did-2"]) == {"did-2": [OTHER]}


def test_all_operations_are_cut_into_pieces_that_miss_nothing(kept: DomainDatabase) -> None:
    suffixes = [f"did-{letter}" for letter in "aBcDeF_-9"]
    every = [anchored(b'{"type":"create"}', suffix, time) for suffix in suffixes for time in range(3)]
    kept.do(add_operations, every)
    for step in (1, 2, 4, 100):
        first = kept.do(first_of_each, step)
        ends = [*first[1:], None]
        pieces = [kept.do(operations_between, start, end) for start, end in zip(first, ends, strict=True)]
        assert all(pieces)
        found = [operation for piece in pieces for operation in piece]
        assert sorted(found, key=repr) == sorted(every, key=repr)
        # Those of a DID stay together.
        assert sum(len({each.suffix for each in piece}) for piece in pieces) == len(suffixes)
    assert len(kept.do(first_of_each, 100)) == 1
