from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from penstock.did.anchoring import ANCHORING, known_links, latest_anchors
from penstock.did.anchoring.links import forget_link, put_pending, put_told
from penstock.did.anchoring.tables import links
from penstock.did.cas import HashLink
from penstock.did.observing.observation import LeftOut, Observation, ways_to
from penstock.did.observing.storing import store
from penstock.did.operations import OPERATIONS, operations_of
from penstock.did.operations.adding import rows_of
from penstock.did.operations.unpublished import add_unpublished, unpublished_of_all
from tests.did.kept_operations import forget_operations
from tests.did.operation_queue.helpers import operation
from tests.sidetree.lives import Life, anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

AUTHOR = "https://a.example/services/orb"
LIFE = Life()
CREATE, UPDATE = LIFE.create(), LIFE.update()
FIRST, SECOND = (HashLink.of(name).hash for name in (b"first", b"second"))
PARENTS = tuple(str(HashLink.of(name, ["https://a.example/x"])) for name in (b"first", b"another"))


def observation(request: bytes, name: str, at: int, parents: tuple[str, ...] = ()) -> Observation:
    return Observation(
        hash=name,
        author=AUTHOR,
        issued_at=float(at),
        parents=parents,
        operations=(anchored(request, LIFE.suffix, at, reference=name, equivalents=ways_to(AUTHOR, name)),),
        left_out=(LeftOut("nobody", "update", "forged"),),
    )


CREATED = observation(CREATE, FIRST, 1)
UPDATED = observation(UPDATE, SECOND, 2, PARENTS)


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    database.create(ANCHORING, OPERATIONS)
    return database


def kept_anchor(kept: DomainDatabase, found: Observation) -> list[str]:
    return kept.do(store, found, rows_of(found.operations), now=5.0)


def test_everything_about_an_anchor_is_stored_once_in_any_order(kept: DomainDatabase) -> None:
    for each in (UPDATED, CREATED, UPDATED):
        kept_anchor(kept, each)
    found = sorted(kept.do(operations_of, LIFE.suffix), key=lambda each: each.time)
    assert found == [*CREATED.operations, *UPDATED.operations]
    # The older anchor came later, and does not count for it; and what is left out has not happened.
    assert kept.do(latest_anchors, [LIFE.suffix, "nobody"]) == {LIFE.suffix: str(UPDATED.link)}
    assert kept.do(known_links, [FIRST, SECOND]) == {FIRST: "observed", SECOND: "observed"}


def test_how_many_operations_count_is_kept(kept: DomainDatabase) -> None:
    both = (*CREATED.operations, replace(CREATED.operations[0], suffix="another"))
    kept_anchor(kept, replace(CREATED, operations=both))
    row = kept.do(lambda connection: connection.execute(sa.select(links)).one())
    assert (row.stored, row.refused) == (2, 1)


def test_the_anchors_before_that_nobody_has_told_of_are_told(kept: DomainDatabase) -> None:
    assert kept_anchor(kept, UPDATED) == list(PARENTS)
    kept.do(put_pending, HashLink.parse(PARENTS[1]), 5.0)
    kept_anchor(kept, CREATED)
    # Whoever was to tell of the second may have died before.
    assert kept_anchor(kept, UPDATED) == [PARENTS[1]]
    kept.do(put_told, HashLink.parse(PARENTS[1]).hash, 5.0)
    assert kept_anchor(kept, UPDATED) == []


def test_what_is_anchored_is_no_longer_unpublished(kept: DomainDatabase) -> None:
    early = [
        operation(type="create", operation_request=CREATE, unique_suffix=LIFE.suffix),
        operation(type="update", operation_request=UPDATE, unique_suffix=LIFE.suffix),
    ]
    kept.do(add_unpublished, early, now=1.0, lifetime=100.0)
    kept_anchor(kept, CREATED)
    assert [each.request for each in kept.do(unpublished_of_all, [LIFE.suffix], 5.0)] == [UPDATE]


def test_an_anchor_whose_operations_were_all_left_out_is_observed(kept: DomainDatabase) -> None:
    kept_anchor(kept, replace(CREATED, operations=()))
    assert kept.do(known_links, [FIRST]) == {FIRST: "observed"}


def test_two_who_store_an_anchor_at_once_store_it_once_also_while_another_forgets_it(
    kept: DomainDatabase,
) -> None:
    with ThreadPoolExecutor(4) as threads:
        for _ in range(10):
            kept.do(put_pending, CREATED.link, 1.0)
            forgetting = threads.submit(kept.do, forget_link, FIRST)
            for done in [threads.submit(kept_anchor, kept, each) for each in [CREATED, UPDATED] * 4]:
                done.result()
            forgetting.result()
            assert len(kept.do(operations_of, LIFE.suffix)) == 2
            kept.do(forget_operations)
            kept.do(sa.Connection.execute, links.delete())
