from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from penstock.did.anchoring import ANCHORING, known_links, latest_anchors
from penstock.did.anchoring.links import put_pending, put_told
from penstock.did.cas import HashLink
from penstock.did.observing.observation import LeftOut, Observation
from penstock.did.observing.storing import store
from penstock.did.operations import OPERATIONS, operations_of
from penstock.did.operations.unpublished import add_unpublished, unpublished_of
from tests.did.operation_queue.helpers import operation
from tests.sidetree.lives import Life, anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

LIFE = Life()
CREATE, UPDATE = LIFE.create(), LIFE.update()
FIRST, SECOND = (HashLink.of(name).hash for name in (b"first", b"second"))
PARENTS = tuple(str(HashLink.of(name, ["https://a.example/x"])) for name in (b"first", b"another"))


def observation(request: bytes, name: str, at: int, parents: tuple[str, ...] = ()) -> Observation:
    return Observation(
        hash=name,
        author="https://a.example/services/orb",
        issued_at=float(at),
        parents=parents,
        operations=(anchored(request, LIFE.suffix, at, reference=name),),
        left_out=(LeftOut("nobody", "update", "forged"),),
    )


CREATED = observation(CREATE, FIRST, 1)
UPDATED = observation(UPDATE, SECOND, 2, PARENTS)


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    database.create(ANCHORING, OPERATIONS)
    return database


def test_everything_about_an_anchor_is_stored_once_in_any_order(kept: DomainDatabase) -> None:
    for each in (UPDATED, CREATED, UPDATED):
        kept.do(store, each, now=5.0)
    found = sorted(kept.do(operations_of, LIFE.suffix), key=lambda each: each.time)
    assert found == [*CREATED.operations, *UPDATED.operations]
    # The older anchor came later, and does not count for it; and what is left out has not happened.
    assert kept.do(latest_anchors, [LIFE.suffix, "nobody"]) == {LIFE.suffix: str(UPDATED.link)}
    assert kept.do(known_links, [FIRST, SECOND]) == {FIRST: "observed", SECOND: "observed"}


def test_the_anchors_before_that_nobody_has_told_of_are_told(kept: DomainDatabase) -> None:
    assert kept.do(store, UPDATED, now=5.0) == list(PARENTS)
    kept.do(put_pending, HashLink.parse(PARENTS[1]), 5.0)
    kept.do(store, CREATED, now=5.0)
    # Whoever was to tell of the second may have died before.
    assert kept.do(store, UPDATED, now=5.0) == [PARENTS[1]]
    kept.do(put_told, HashLink.parse(PARENTS[1]).hash, 5.0)
    assert kept.do(store, UPDATED, now=5.0) == []


def test_what_is_anchored_is_no_longer_unpublished(kept: DomainDatabase) -> None:
    early = [
        operation(type="create", operation_request=CREATE, unique_suffix=LIFE.suffix),
        operation(type="update", operation_request=UPDATE, unique_suffix=LIFE.suffix),
    ]
    kept.do(add_unpublished, early, now=1.0, lifetime=100.0)
    kept.do(store, CREATED, now=5.0)
    assert [each.request for each in kept.do(unpublished_of, LIFE.suffix, 5.0)] == [UPDATE]


def test_an_anchor_whose_operations_were_all_left_out_is_observed(kept: DomainDatabase) -> None:
    kept.do(store, replace(CREATED, operations=()), now=5.0)
    assert kept.do(known_links, [FIRST]) == {FIRST: "observed"}
