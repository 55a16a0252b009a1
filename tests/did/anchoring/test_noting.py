from __future__ import annotations

import pytest

from penstock.did.anchoring.noting import note_proved, note_published, was_verified
from penstock.did.cas import HashLink
from penstock.did.operation_queue.tables import cuts
from tests.did.anchoring.helpers import B, C, Domain, created, run
from tests.did.operation_queue.support import rows


def test_a_batch_remembers_its_witnesses_and_its_linkset_when_its_anchor_is_forgotten(author: Domain) -> None:
    author.neighbours.invited = [B.service, C.service]
    anchor = run(author.write())
    author.database.do(note_proved, anchor, b"a linkset", 7.0)
    for now in (8.0, 9.0):
        author.database.do(note_published, anchor, now)
    told = ("asked", "proofs", "proved_at", "published_at", "linkset")
    assert rows(author.database, *told, table=cuts) == [(2, 0, 7.0, 8.0, HashLink.of(b"a linkset").hash)]


def test_an_anchor_that_is_not_known_changes_no_batch(author: Domain) -> None:
    run(author.write())
    before = rows(author.database, "proved_at", "published_at", table=cuts)
    author.database.do(note_proved, "hl:nobody", b"a linkset", 7.0)
    author.database.do(note_published, "hl:nobody", 8.0)
    assert rows(author.database, "proved_at", "published_at", table=cuts) == before


@pytest.mark.parametrize("verified", [True, False])
def test_a_batch_whose_operations_were_verified_is_known_by_its_linkset(
    author: Domain, *, verified: bool
) -> None:
    author.neighbours.invited = [B.service, C.service]
    anchor = run(author.anchoring.writer.write(run(author.cut(created(1), verified=verified))))
    name = HashLink.of(b"a linkset").hash
    assert not author.database.read(was_verified, name), "nothing is final yet"
    author.database.do(note_proved, anchor, b"a linkset", 7.0)
    assert author.database.read(was_verified, name) is verified
    assert not author.database.read(was_verified, HashLink.of(b"another's").hash)
