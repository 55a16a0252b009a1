from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operations import OPERATIONS, add_operations, operations_of
from penstock.errors import DidError
from tests.sidetree.lives import anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

FIRST = anchored(b'{"type":"create"}', "did-1", 1, previous="uBefore", verified=True)
SECOND = anchored(b'{"type":"update"}', "did-1", 2)
OTHER = anchored(b'{"type":"create"}', "did-2", 1)


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    database.create(OPERATIONS)
    return database


def test_an_anchor_has_one_operation_of_a_did_and_the_first_stays(kept: DomainDatabase) -> None:
    again = anchored(b'{"type":"deactivate"}', "did-1", 1)
    assert again.reference == FIRST.reference
    for operations in ([FIRST], [again, SECOND], [SECOND, FIRST]):
        kept.do(add_operations, operations)
    assert sorted(kept.do(operations_of, "did-1"), key=lambda each: each.time) == [FIRST, SECOND]


def test_what_is_not_anchored_is_no_history(kept: DomainDatabase) -> None:
    with pytest.raises(DidError):
        kept.do(add_operations, [OTHER, anchored(b'{"type":"create"}', "did-1", 1, reference="")])
    assert kept.do(operations_of, "did-2") == []
