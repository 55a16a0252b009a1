from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operations import OPERATIONS, add_operations, operations_of
from penstock.did.operations.adding import add_rows, rows_of
from penstock.did.operations.did_key import did_key
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


def test_rows_that_were_made_before_are_added_in_the_order_of_their_keys(kept: DomainDatabase) -> None:
    rows = rows_of([FIRST, OTHER, SECOND])
    assert [row[0] for row in rows] == sorted(did_key(each) for each in ("did-1", "did-1", "did-2"))
    kept.do(add_rows, rows)
    kept.do(add_rows, [])
    assert sorted(kept.do(operations_of, "did-1"), key=lambda each: each.time) == [FIRST, SECOND]
    assert kept.do(operations_of, "did-2") == [OTHER]


def test_what_is_not_anchored_is_no_history(kept: DomainDatabase) -> None:
    with pytest.raises(DidError):
        kept.do(add_operations, [OTHER, anchored(b'{"type":"create"}', "did-1", 1, reference="")])
    assert kept.do(operations_of, "did-2") == []
