"""What executors do, done here: no Spark is needed for it."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.anchoring import AnchorInfo
from penstock.did.anchoring.tables import tries
from penstock.did.domain.parts import create_tables, open_database
from penstock.pipelines.did.observing.executing import (
    audit_anchors,
    audit_dids,
    find_dids,
    linksets_among,
    observe_anchors,
    opened,
)
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


def test_a_process_opens_the_parts_once_and_does_everything_with_them(tmp_path: Path) -> None:
    found_so, before = gc.get_threshold(), (700, 10, 10)
    # Another test of this process may have spared collections before.
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
            audited = [*audit_anchors(text, found), *audit_dids(text, [("", None)])]
        assert [each.findings for each in audited] == [[]] * 4
        assert audited[-1].dids == 1
        assert gc.get_threshold()[0] > before[0]
    finally:
        gc.set_threshold(*found_so)
        gc.unfreeze()
