"""What executors do, done here: no Spark is needed for it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import sqlalchemy as sa

from penstock.did.anchoring import AnchorInfo
from penstock.did.anchoring.tables import tries
from penstock.did.cas import HashLink
from penstock.did.cas.hashes import resource_hash
from penstock.did.domain.parts import create_tables, open_database
from penstock.did.observing.tries import begin_try
from penstock.errors import BadHashLink, NotAcceptable, StoreError, Unavailable
from penstock.pipelines import sparing
from penstock.pipelines.did.apart import Died
from penstock.pipelines.did.observing import executing
from penstock.pipelines.did.observing.executing import (
    audit_anchors,
    audit_dids,
    find_dids,
    linksets_among,
    observe_anchors,
    opened,
)
from penstock.pipelines.did.wary import DEADLY, SUSPECTED
from tests.did.observing.helpers import three_anchors
from tests.did.observing.served import new_places, served

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.did.domain import Places


def begun(places: Places) -> int:
    """How many anchors were begun, and nobody has come to an end with them."""
    database = open_database(places)
    count = sa.select(sa.func.count()).select_from(tries)
    found = database.read(lambda connection: connection.scalar(count))
    database.close()
    return found or 0


LINK = HashLink.of(b"an anchor")
DID = "did:orb:uEiAnchor:EiSuffix"


def die_of(places: Places, name: str) -> None:
    database = open_database(places)
    for _ in range(SUSPECTED):
        database.do(begin_try, name)
    database.close()


@pytest.fixture
def mortal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A domain where everybody dies who does something in a process of its own."""

    class Killed:
        def __init__(self, _work: object, _places: str) -> None:
            pass

        def __call__(self, _task: object) -> NoReturn:
            raise Died("by SIGSEGV")

    monkeypatch.setattr(executing, "Apart", Killed)
    places = new_places(tmp_path)
    database = open_database(places)
    create_tables(database)
    database.close()
    return places


@pytest.mark.parametrize(
    ("name", "work", "task", "failed"),
    [
        (LINK.hash, observe_anchors, AnchorInfo(hash_link=str(LINK)), LINK.hash),
        (resource_hash(DID.encode()), find_dids, DID, ""),
    ],
)
def test_what_kills_whoever_observes_it_is_tried_later_and_set_aside_in_the_end(
    mortal: Places, name: str, work: Any, task: Any, failed: str
) -> None:
    die_of(mortal, name)
    outcomes = [*work(mortal.to_json(), [task] * (DEADLY - SUSPECTED))]
    errors = [type(outcome.error) for outcome in outcomes]
    assert errors == [Unavailable] * (DEADLY - SUSPECTED - 1) + [NotAcceptable]
    assert {outcome.failed for outcome in outcomes} == {failed}
    assert begun(mortal) == 0


@pytest.mark.parametrize(
    ("work", "task", "about"),
    [(audit_anchors, "uEiAnchor", "uEiAnchor"), (audit_dids, (5, None), "DIDs with keys from 5 on")],
    ids=["anchor", "DIDs"],
)
def test_what_kills_whoever_audits_it_is_found(mortal: Places, work: Any, task: Any, about: str) -> None:
    die_of(mortal, f"audit {about}")
    [audited] = work(mortal.to_json(), [task])
    [finding] = audited.findings
    assert (finding.kind, finding.about) == ("deadly", about)
    assert "the last by SIGSEGV" in finding.reason


def test_what_cannot_be_counted_is_told(tmp_path: Path) -> None:
    text = new_places(tmp_path).to_json()
    [unnamed] = observe_anchors(text, [AnchorInfo(hash_link="x")])
    assert isinstance(unnamed.error, BadHashLink)
    [uncounted] = observe_anchors(text, [AnchorInfo(hash_link=str(LINK))])
    assert isinstance(uncounted.error, StoreError)
    [audited] = audit_anchors(text, ["uEiAnchor"])
    assert [finding.kind for finding in audited.findings] == ["failed"]


def test_a_process_opens_the_parts_once_and_does_everything_with_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_so, before = gc.get_threshold(), (700, 10, 10)
    # Another test of this process may have spared collections before.
    monkeypatch.setattr(sparing, "_freezes", iter(range(1)))
    gc.set_threshold(*before)
    (tmp_path / "me").mkdir()
    places = new_places(tmp_path / "me")
    database = open_database(places)
    create_tables(database)
    database.close()
    text = places.to_json()
    try:
        assert opened(text) is opened(text)
        assert gc.get_threshold() == before
        with served(tmp_path / "author") as author:
            life, links = three_anchors(author)
            told = [AnchorInfo(hash_link=str(link)) for link in links]
            for is_known in (False, True):
                outcomes = list(observe_anchors(text, told))
                assert [(each.error, each.seen[0].is_known) for each in outcomes] == [(None, is_known)] * 3
                assert begun(places) == 0
            # Of all files only the linksets are.
            names = [found.name for found in (tmp_path / "me" / "contents").rglob("uEi*")]
            assert len(names) == 3 + 3 + 4 + 4
            ((*found,),) = linksets_among(text, [names])
            assert set(found) == {link.hash for link in links}
            assert [outcome.seen for outcome in find_dids(text, [f"did:orb:{links[0]}:{life.suffix}"])]
            audited = [*audit_anchors(text, found), *audit_dids(text, [(-(2**63), None)])]
        assert [each.findings for each in audited] == [[]] * 4
        assert audited[-1].dids == 1
        assert gc.get_threshold()[0] > before[0]
    finally:
        gc.set_threshold(*found_so)
        gc.unfreeze()


def test_what_is_written_here_is_written_in_a_hurry(tmp_path: Path) -> None:
    database = opened(new_places(tmp_path).to_json()).database
    assert database.do(lambda connection: connection.exec_driver_sql("PRAGMA synchronous").scalar()) == 1
