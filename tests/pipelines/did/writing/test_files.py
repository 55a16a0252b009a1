from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.did.anchoring.batch import payload_of
from penstock.did.anchors import Draft
from penstock.did.cas import ContentStorage, HashLink, StoredContents
from penstock.did.database import DomainDatabase
from penstock.did.domain.parts import create_tables
from penstock.did.federation.lists import ALLOWED_ORIGINS, change_list
from penstock.did.operation_queue.cuts import LeftOut, ack_cut, read_cut, record_anchor, record_files
from penstock.did.operation_queue.pending import entry_of
from penstock.did.parameters import DidParameters
from penstock.pipelines.did.writing import files
from penstock.pipelines.did.writing.files import BatchFiles, files_of
from penstock.pipelines.did.writing.outcome import Outcome
from penstock.sidetree.files import read_batch
from penstock.sidetree.files.anchor_string import AnchorString
from penstock.sidetree.protocol import ORB
from tests.did.anchored_dids import put_did_anchors
from tests.did.anchors.helpers import link
from tests.did.operation_queue.support import cut_all
from tests.pipelines.did.writing.operations import create, mixed, one
from tests.pipelines.did.writing.workshop import places_at

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.pipelines.did.writing.workshop import Workshop


ANCHOR = link("first")


def known(shop: Workshop, *suffixes: str) -> None:
    shop.database.do(put_did_anchors, suffixes, anchor=ANCHOR, issued_at=1.0)


def test_the_files_of_a_cut_are_in_storage_and_read_back(shop: Workshop) -> None:
    batch = mixed(12)
    known(shop, *(each.operation.unique_suffix for each in batch))
    number = cut_all(shop.database, "me", *batch).id
    outcome = shop.executor.write(number)
    assert outcome.core_index is not None
    assert (outcome.cut, outcome.count) == (number, 12)
    assert (outcome.deferred, outcome.refused, outcome.unanchored, outcome.failure) == ([], {}, [], None)
    assert HashLink.parse(outcome.core_index).links[0].startswith("https://orb.example/cas/uEi")
    cas = ContentStorage(shop.contents, links_at="https://orb.example/cas")
    anchor = str(AnchorString(12, outcome.core_index))
    read = read_batch(anchor, lambda uri, most: cas.get(uri, limit=most), ORB)
    assert {each.suffix for each in read} == {each.operation.unique_suffix for each in batch}


def test_its_anchor_is_drafted_as_who_anchors_would(shop: Workshop) -> None:
    first, second, later = create("a"), one("update", "known"), one("update", "unknown")
    bad = create("bad", operation_request=b"no request")
    known(shop, second.operation.unique_suffix)
    record = cut_all(shop.database, "me", first, bad, later, second)
    outcome = shop.executor.write(record.id)
    assert outcome.core_index is not None
    members = [entry_of(each, 0.0) for each in (first, second)]
    payload = payload_of(
        outcome.core_index,
        members,
        {second.operation.unique_suffix: ANCHOR},
        origin="https://orb.example/services/orb",
    )
    assert outcome.draft == Draft.of(payload)


def test_what_cannot_be_drafted_is_left_to_who_anchors(shop: Workshop) -> None:
    change = one("update", "known")
    shop.database.do(put_did_anchors, [change.operation.unique_suffix], anchor="hl:no hash", issued_at=1.0)
    outcome = shop.executor.write(cut_all(shop.database, "me", change).id)
    assert (outcome.count, outcome.draft, outcome.failure) == (1, None, None)


def test_on_postgresql_the_files_are_the_same(shop: Workshop, postgresql_url: str, tmp_path: Path) -> None:
    batch = mixed(6)
    other = DomainDatabase(postgresql_url)
    create_tables(other)
    outcomes = []
    for database in (shop.database, other):
        suffixes = [each.operation.unique_suffix for each in batch]
        database.do(put_did_anchors, suffixes, anchor=ANCHOR, issued_at=1.0)
        number = cut_all(database, "me", *batch).id
        cas = ContentStorage(shop.contents, links_at="https://orb.example/cas")
        outcomes.append(BatchFiles(places_at(tmp_path), database, cas).write(number))
    assert outcomes[0].count == 6
    assert replace(outcomes[1], cut=outcomes[0].cut) == outcomes[0]
    other.close()


def test_written_twice_it_is_the_same(shop: Workshop) -> None:
    number = cut_all(shop.database, "me", create("a"), create("b")).id
    assert shop.executor.write(number) == shop.executor.write(number)


def test_whose_dids_are_taken_is_what_the_operator_has_said_last(shop: Workshop) -> None:
    # Given an operation that says it was checked, and no seal.
    waiting, other = create("a", is_checked=False), create("b", is_checked=False)
    assert shop.executor.write(cut_all(shop.database, "me", waiting).id).count == 1
    change = {"add": ["https://mine.example"], "remove": ["*"]}
    shop.database.do(change_list, ALLOWED_ORIGINS, ["*"], **change)
    outcome = shop.executor.write(cut_all(shop.database, "me", other).id)
    assert outcome.count == 0
    assert "anchorOrigin" in outcome.refused[other.id]


def test_patches_that_are_not_enabled_go_into_no_batch(shop: Workshop, tmp_path: Path) -> None:
    # Given two operations that somebody has put into the queue, past the door.
    more, other = one("update", "known", is_checked=False), create("b", is_checked=False)
    known(shop, more.operation.unique_suffix)
    narrow = DidParameters(enabled_patches=("add-public-keys",))
    storage = ContentStorage(shop.contents, links_at="https://orb.example/cas")
    executor = BatchFiles(places_at(tmp_path, parameters=narrow), shop.database, storage)
    outcome = executor.write(cut_all(shop.database, "me", more, other).id)
    assert outcome.count == 1
    assert "add-services" in outcome.refused[more.id]


def test_dids_that_are_changed_before_they_are_anchored_are_told(shop: Workshop) -> None:
    first, later = one("update", "known"), one("update", "unknown")
    known(shop, first.operation.unique_suffix)
    outcome = shop.executor.write(cut_all(shop.database, "me", first, later, create("c")).id)
    assert outcome.count == 2
    assert outcome.deferred == [later.id]
    assert outcome.unanchored == [later.operation.unique_suffix]


def test_a_cut_without_anything_for_a_batch_writes_nothing(shop: Workshop, tmp_path: Path) -> None:
    bad = create("bad", operation_request=b"no request")
    outcome = shop.executor.write(cut_all(shop.database, "me", bad).id)
    assert (outcome.core_index, outcome.count, list(outcome.refused)) == (None, 0, [bad.id])
    assert outcome.draft is None
    assert not (tmp_path / "cas").exists()


def test_a_cut_that_went_on_elsewhere_is_gone(shop: Workshop) -> None:
    record = cut_all(shop.database, "me", create("a"))
    shop.database.do(record_files, record, {}, LeftOut(), now=1.0)
    assert shop.executor.write(record.id) == Outcome(cut=record.id, is_gone=True)
    shop.database.do(record_anchor, record, "hl:anchor", now=1.0)
    shop.database.do(ack_cut, record, claim="", now=1.0, lifespan=1.0, expires_at=9.0)
    found = shop.database.do(read_cut, record.id)
    assert found is not None
    assert shop.executor.write(record.id) == Outcome(cut=record.id, is_gone=True)
    assert shop.executor.write(record.id + 1) == Outcome(cut=record.id + 1, is_gone=True)


def test_a_storage_that_is_away_is_nobodys_fault(shop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "cas").write_text("no folder")
    outcome = shop.executor.write(cut_all(shop.database, "me", create("a")).id)
    assert outcome.failure is not None
    assert outcome.failure.startswith("Unavailable: ")
    assert (outcome.core_index, outcome.refused) == (None, {})


def test_a_database_that_is_away_is_nobodys_fault(tmp_path: Path) -> None:
    places = places_at(tmp_path)
    database = DomainDatabase(places.database)
    cas = ContentStorage(StoredContents(places.storage), links_at="https://orb.example/cas")
    outcome = BatchFiles(places, database, cas).write(1)
    assert outcome.failure is not None
    assert outcome.failure.startswith("StoreError: ")
    database.close()


def test_whatever_goes_wrong_costs_no_other_cut_its_turn(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("no")

    number = cut_all(shop.database, "me", create("a")).id
    monkeypatch.setattr(files, "choose", fail)
    assert shop.executor.write(number) == Outcome(cut=number, failure="MemoryError: no", is_passing=False)


def test_an_executor_reads_while_others_write(shop: Workshop) -> None:
    number = cut_all(shop.database, "me", create("a")).id
    with shop.database.engine.begin() as writing:
        writing.exec_driver_sql("CREATE TABLE meanwhile (x)")
        assert shop.executor.write(number).count == 1


def test_a_worker_opens_a_domain_once_from_its_places(shop: Workshop, tmp_path: Path) -> None:
    number = cut_all(shop.database, "me", create("a")).id
    told = places_at(tmp_path).to_json()
    opened = files_of(pickle.loads(pickle.dumps(told)))  # noqa: S301  of our own
    assert files_of(told) is opened
    assert opened.write(number) == shop.executor.write(number)
    opened.database.close()
    files_of.cache_clear()
