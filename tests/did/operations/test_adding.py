from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
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
    of_second, of_first = sorted(rows_of([FIRST, OTHER, SECOND]).values(), key=len)
    assert [row[0] for row in of_first] == sorted(did_key(each) for each in ("did-1", "did-2"))
    assert [row[0] for row in of_second] == [did_key("did-1")]
    kept.do(add_rows, rows_of([FIRST, OTHER, SECOND]))
    kept.do(add_rows, {})
    assert sorted(kept.do(operations_of, "did-1"), key=lambda each: each.time) == [FIRST, SECOND]
    assert kept.do(operations_of, "did-2") == [OTHER]


def test_those_who_add_at_once_have_batches_of_their_own(kept: DomainDatabase) -> None:
    many = {n: [anchored(b'{"type":"create"}', f"did-{m}", n) for m in range(40)] for n in range(12)}
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda some: kept.do(add_operations, some), many.values()))
    for m in (0, 17, 39):
        found = sorted(kept.do(operations_of, f"did-{m}"), key=lambda each: each.time)
        assert found == [of_one[m] for of_one in many.values()]


def test_what_is_not_anchored_is_no_history(kept: DomainDatabase) -> None:
    with pytest.raises(DidError):
        kept.do(add_operations, [OTHER, anchored(b'{"type":"create"}', "did-1", 1, reference="")])
    assert kept.do(operations_of, "did-2") == []
